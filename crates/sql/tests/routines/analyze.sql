# Statistics by DBMS_STATS and by ANALYZE, and rows that have migrated.
create table t (n1 number, n2 number, v varchar2(4000)) pctfree 10
/
CREATE TABLE

insert into t (n1) select 10000000 + level from dual connect by level <= 2000
/
INSERT: 2000 rows

begin dbms_stats.gather_table_stats(user, 'T'); end;
/
PL/SQL

select num_rows, blocks, empty_blocks, avg_space, chain_cnt, avg_row_len from user_tables where table_name = 'T'
/
NUM_ROWS | BLOCKS | EMPTY_BLOCKS | AVG_SPACE | CHAIN_CNT | AVG_ROW_LEN
2000 | 5 | 0 | 0 | 0 | 5

update t set n2 = n1
/
UPDATE: 2000 rows

begin dbms_stats.gather_table_stats(user, 'T'); end;
/
PL/SQL

select num_rows, blocks, empty_blocks, avg_space, chain_cnt, avg_row_len from user_tables where table_name = 'T'
/
NUM_ROWS | BLOCKS | EMPTY_BLOCKS | AVG_SPACE | CHAIN_CNT | AVG_ROW_LEN
2000 | 20 | 0 | 0 | 0 | 11

analyze table t compute statistics
/
ANALYZE TABLE

select num_rows, blocks, empty_blocks, sign(avg_space) space, chain_cnt, avg_row_len from user_tables where table_name = 'T'
/
NUM_ROWS | BLOCKS | EMPTY_BLOCKS | SPACE | CHAIN_CNT | AVG_ROW_LEN
2000 | 20 | 0 | 1 | 1566 | 14

# What only ANALYZE finds out stays until it runs again.
delete from t where n1 > 10000100
/
DELETE: 1900 rows

begin dbms_stats.gather_table_stats(user, 'T'); end;
/
PL/SQL

select num_rows, chain_cnt, avg_row_len from user_tables where table_name = 'T'
/
NUM_ROWS | CHAIN_CNT | AVG_ROW_LEN
100 | 1566 | 11

analyze table t estimate statistics sample 10 percent
/
ANALYZE TABLE

select num_rows, chain_cnt from user_tables where table_name = 'T'
/
NUM_ROWS | CHAIN_CNT
100 | 0

analyze table t delete statistics
/
ANALYZE TABLE

select num_rows, chain_cnt from user_tables where table_name = 'T'
/
NUM_ROWS | CHAIN_CNT
- | -

analyze table t list chained rows
/
ORA-01495: specified chain row table not found

analyze table t list chained rows into nowhere
/
ORA-01495: specified chain row table not found

create table chained_rows (owner_name varchar2(128), table_name varchar2(128), head_rowid varchar2(18), analyze_timestamp date)
/
CREATE TABLE

analyze table t list chained rows
/
ANALYZE TABLE

select count(*) from chained_rows
/
COUNT(*)
0

update t set v = rpad('x', 4000, 'x'), n2 = n2 where n1 in (10000001, 10000002, 10000003)
/
UPDATE: 3 rows

insert into t (n1, v) values (1, rpad('y', 100))
/
INSERT: 1 rows

analyze table t list chained rows into system.chained_rows
/
ANALYZE TABLE

select t.n1, length(t.v), c.table_name from chained_rows c join t on t.rowid = c.head_rowid order by 1
/
N1 | LENGTH(T.V) | TABLE_NAME
10000002 | 4000 | T
10000003 | 4000 | T

create index i on t (n1)
/
CREATE INDEX

analyze index i compute statistics
/
ANALYZE INDEX

select num_rows, distinct_keys from user_indexes where index_name = 'I'
/
NUM_ROWS | DISTINCT_KEYS
101 | 101

analyze index none compute statistics
/
ORA-01418: specified index does not exist

analyze table none compute statistics
/
ORA-00942: there is no table or view SYSTEM.NONE

analyze table t validate structure
/
HW-0001: not supported: ANALYZE validate [16]

analyze index i delete statistics
/
HW-0001: not supported: ANALYZE INDEX … DELETE STATISTICS
