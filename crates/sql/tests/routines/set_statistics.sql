# DBMS_STATS: statistics set by hand decide about the way to the rows, and plans say where there are none.
create table t (id number, a number, v varchar2(40))
/
CREATE TABLE

create index t_a on t (a)
/
CREATE INDEX

insert into t select level, mod(level, 100), rpad('x', 40, 'x') from dual connect by level <= 20000
/
INSERT: 20000 rows

commit
/
COMMIT

explain plan for select v from t where a = 7
/
EXPLAIN

select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +NOTE +ROWS'))
/
PLAN_TABLE_OUTPUT
Plan hash value: 289793624
-
----------------------------------------------------
| Id  | Operation                   | Name | Rows  |
----------------------------------------------------
|   0 | SELECT STATEMENT            |      |       |
|   1 |  TABLE ACCESS BY INDEX ROWID| T    |       |
|   2 |   INDEX RANGE SCAN          | T_A  |       |
----------------------------------------------------
-
Note
-----
   - no statistics of T: the way to the rows was chosen
     by the blocks of the table and by default values

begin dbms_stats.gather_table_stats(user, 'T'); end;
/
PL/SQL

select num_rows, sample_size from user_tables where table_name = 'T'
/
NUM_ROWS | SAMPLE_SIZE
20000 | 20000

begin dbms_stats.gather_table_stats(user, 'T', estimate_percent => 50); end;
/
PL/SQL

select num_rows, case when sample_size between 9500 and 10500 then 'about half' end sampled from user_tables where table_name = 'T'
/
NUM_ROWS | SAMPLED
20000 | about half

select column_name, case when num_distinct between 19000 and 20000 then 'nearly all' else to_char(num_distinct) end found from user_tab_col_statistics where table_name = 'T' order by 1
/
COLUMN_NAME | FOUND
A | 100
ID | nearly all
V | 1

begin dbms_stats.gather_table_stats(user, 'T', estimate_percent => 30, block_sample => true); end;
/
PL/SQL

select num_rows, case when sample_size between 4000 and 8000 then 'some blocks' end sampled from user_tables where table_name = 'T'
/
NUM_ROWS | SAMPLED
20000 | some blocks

# A sample of fewer than 2,500 rows says little: all are taken.
analyze table t estimate statistics sample 1 percent
/
ANALYZE TABLE

select num_rows, sample_size from user_tables where table_name = 'T'
/
NUM_ROWS | SAMPLE_SIZE
20000 | 20000

begin dbms_stats.gather_table_stats(user, 'T'); end;
/
PL/SQL

explain plan for select v from t where a = 7
/
EXPLAIN

select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +NOTE +ROWS'))
/
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
------------------------------------------
| Id  | Operation         | Name | Rows  |
------------------------------------------
|   0 | SELECT STATEMENT  |      |   200 |
|   1 |  TABLE ACCESS FULL| T    |   200 |
------------------------------------------

# Of a million times as many rows.
begin dbms_stats.set_table_stats(user, 'T', numrows => 20000000000, numblks => 100000000); end;
/
PL/SQL

select num_rows, blocks, avg_row_len from user_tables where table_name = 'T'
/
NUM_ROWS | BLOCKS | AVG_ROW_LEN
20000000000 | 100000000 | 48

explain plan for select v from t where a = 7
/
EXPLAIN

select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +NOTE +ROWS'))
/
PLAN_TABLE_OUTPUT
Plan hash value: 289793624
-
----------------------------------------------------
| Id  | Operation                   | Name | Rows  |
----------------------------------------------------
|   0 | SELECT STATEMENT            |      |  200M |
|   1 |  TABLE ACCESS BY INDEX ROWID| T    |  200M |
|   2 |   INDEX RANGE SCAN          | T_A  |   200 |
----------------------------------------------------

select count(*), count(v) from t where a = 7
/
COUNT(*) | COUNT(V)
200 | 200

begin
  dbms_stats.set_table_stats(user, 'T', numrows => 1, numblks => 1);
  dbms_stats.set_column_stats(user, 'T', 'A', distcnt => 1, nullcnt => 0);
  dbms_stats.set_index_stats(user, 'T_A', numrows => 20000, numlblks => 50000, numdist => 1, clstfct => 20000, indlevel => 3);
end;
/
PL/SQL

select blevel, leaf_blocks, distinct_keys, clustering_factor, num_rows from user_indexes where index_name = 'T_A'
/
BLEVEL | LEAF_BLOCKS | DISTINCT_KEYS | CLUSTERING_FACTOR | NUM_ROWS
3 | 50000 | 1 | 20000 | 20000

explain plan for select v from t where a = 7
/
EXPLAIN

select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +NOTE +ROWS'))
/
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
------------------------------------------
| Id  | Operation         | Name | Rows  |
------------------------------------------
|   0 | SELECT STATEMENT  |      |     1 |
|   1 |  TABLE ACCESS FULL| T    |     1 |
------------------------------------------

select count(*), count(v) from t where a = 7
/
COUNT(*) | COUNT(V)
200 | 200

begin
  dbms_stats.delete_index_stats(user, 'T_A');
  dbms_stats.delete_column_stats(user, 'T', 'A');
end;
/
PL/SQL

select num_rows from user_indexes where index_name = 'T_A'
/
NUM_ROWS
-

select column_name, num_distinct from user_tab_col_statistics where table_name = 'T' order by 1
/
COLUMN_NAME | NUM_DISTINCT
ID | 19992
V | 1

begin dbms_stats.set_column_stats(user, 'T', 'NOPE', distcnt => 1); end;
/
ORA-20000: column "NOPE" does not exist in "SYSTEM"."T"
ORA-06512: at line 1

begin dbms_stats.set_table_stats(user, 'T', numrows => -1); end;
/
ORA-20001: NUMROWS -1 is no number of rows or blocks
ORA-06512: at line 1

begin dbms_stats.set_table_stats(user, 'NONE', numrows => 1); end;
/
ORA-20000: TABLE "SYSTEM"."NONE" does not exist or insufficient privileges
ORA-06512: at line 1

begin dbms_stats.set_index_stats(user, 'T_A', avglblk => 1); end;
/
HW-0001: not supported: AVGLBLK of DBMS_STATS
ORA-06512: at line 1

begin dbms_stats.set_column_stats(user, 'T', 'A', density => 0.1); end;
/
HW-0001: not supported: DENSITY of DBMS_STATS
ORA-06512: at line 1

begin dbms_stats.delete_table_stats(user, 'T', cascade_indexes => false); end;
/
HW-0001: not supported: CASCADE_INDEXES => FALSE of DBMS_STATS
ORA-06512: at line 1

begin dbms_stats.delete_table_stats(user, 'T'); end;
/
PL/SQL

select num_rows, sample_size from user_tables where table_name = 'T'
/
NUM_ROWS | SAMPLE_SIZE
- | -
