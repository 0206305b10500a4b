create table chained_rows (
  owner_name varchar2(128),
  table_name varchar2(128),
  cluster_name varchar2(128),
  partition_name varchar2(128),
  subpartition_name varchar2(128),
  head_rowid varchar2(18),
  analyze_timestamp date
);
