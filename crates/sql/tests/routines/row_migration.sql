# Rows that grow, at three block sizes and two PCTFREEs: BLOCKS and CHAIN_CNT are decided by arithmetic (docs/formats/heap-block.md).
create tablespace rm_4k datafile 'rm_4k.dbf' size 12M autoextend on blocksize 4k segment space management auto
/
CREATE TABLESPACE

create tablespace rm_8k datafile 'rm_8k.dbf' size 12M autoextend on blocksize 8k segment space management auto
/
CREATE TABLESPACE

create tablespace rm_16k datafile 'rm_16k.dbf' size 14M autoextend on blocksize 16k segment space management auto
/
CREATE TABLESPACE

create procedure row_migration(p_tablespace varchar2, p_pctfree number) as
    l_before number;
    l_after number;
    l_chained number;
begin
    dbms_random.seed(0);
    execute immediate 'create table t1 (n1 number, n2 number) pctfree ' || p_pctfree || ' tablespace ' || p_tablespace;
    execute immediate 'insert into t1 (n1) select trunc(dbms_random.value(10000000, 100000000)) from dual connect by level <= 200000';
    commit;
    dbms_stats.gather_table_stats(user, 'T1');
    select blocks into l_before from user_tables where table_name = 'T1';
    execute immediate 'update t1 set n2 = n1';
    commit;
    execute immediate 'analyze table t1 compute statistics';
    select blocks, chain_cnt into l_after, l_chained from user_tables where table_name = 'T1';
    dbms_output.put_line(p_tablespace || ' pctfree ' || p_pctfree || ': ' || l_before || ' / ' || l_after || ' blocks, ' || l_chained || ' rows');
    execute immediate 'drop table t1';
end;
/
CREATE PROCEDURE

begin row_migration('rm_4k', 10); row_migration('rm_4k', 35); end;
/
rm_4k pctfree 10: 742 / 2758 blocks, 157675 rows
rm_4k pctfree 35: 994 / 994 blocks, 0 rows
PL/SQL

begin row_migration('rm_8k', 10); row_migration('rm_8k', 35); end;
/
rm_8k pctfree 10: 370 / 1378 blocks, 158294 rows
rm_8k pctfree 35: 496 / 496 blocks, 0 rows
PL/SQL

begin row_migration('rm_16k', 10); row_migration('rm_16k', 35); end;
/
rm_16k pctfree 10: 184 / 814 blocks, 158520 rows
rm_16k pctfree 35: 247 / 247 blocks, 5 rows
PL/SQL
