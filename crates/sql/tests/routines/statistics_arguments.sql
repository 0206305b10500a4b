# Arguments of DBMS_STATS: carried out, or a notice that they have no effect, or refused.
create table t (n number, v varchar2(20))
/
CREATE TABLE

create index i on t (n)
/
CREATE INDEX

insert into t select level, 'x' from dual connect by level <= 50
/
INSERT: 50 rows

# What is so by itself says nothing.
begin
  dbms_stats.gather_table_stats(user, 'T', estimate_percent => dbms_stats.auto_sample_size, block_sample => false, method_opt => 'for all  columns size auto',
    degree => dbms_stats.auto_degree, granularity => 'all', cascade => dbms_stats.auto_cascade, no_invalidate => dbms_stats.auto_invalidate, force => true);
  dbms_stats.gather_table_stats(user, 'T', estimate_percent => 100, degree => 1, no_invalidate => false);
end;
/
PL/SQL

select t.num_rows, i.num_rows of_index from user_tables t join user_indexes i on i.table_name = t.table_name where t.table_name = 'T'
/
NUM_ROWS | OF_INDEX
50 | 50

# CASCADE => FALSE: the index keeps what it had.
insert into t select 100 + level, 'y' from dual connect by level <= 10
/
INSERT: 10 rows

begin dbms_stats.gather_table_stats(user, 'T', cascade => false); end;
/
PL/SQL

select t.num_rows, i.num_rows of_index from user_tables t join user_indexes i on i.table_name = t.table_name where t.table_name = 'T'
/
NUM_ROWS | OF_INDEX
60 | 50

begin dbms_stats.gather_table_stats(user, 'T', cascade => true); end;
/
PL/SQL

select t.num_rows, i.num_rows of_index from user_tables t join user_indexes i on i.table_name = t.table_name where t.table_name = 'T'
/
NUM_ROWS | OF_INDEX
60 | 60

# Statistics of an index leave those of its table alone.
insert into t select 200 + level, 'z' from dual connect by level <= 10
/
INSERT: 10 rows

begin dbms_stats.gather_index_stats(user, 'I', estimate_percent => 20, degree => 8, no_invalidate => true); end;
/
PL/SQL
notice: ESTIMATE_PERCENT 20 has no effect: statistics of indexes are of all entries
notice: DEGREE 8 has no effect: statistics are gathered serially
notice: NO_INVALIDATE has no effect: statements are parsed anew after any change of the dictionary

select t.num_rows, i.num_rows of_index from user_tables t join user_indexes i on i.table_name = t.table_name where t.table_name = 'T'
/
NUM_ROWS | OF_INDEX
60 | 70

insert into t select 300 + level, 'z' from dual connect by level <= 10
/
INSERT: 10 rows

analyze index i compute statistics
/
ANALYZE INDEX

select t.num_rows, i.num_rows of_index from user_tables t join user_indexes i on i.table_name = t.table_name where t.table_name = 'T'
/
NUM_ROWS | OF_INDEX
60 | 80

begin
  dbms_stats.gather_table_stats(user, 'T', estimate_percent => 10, block_sample => true, method_opt => 'FOR ALL INDEXED COLUMNS SIZE 254', degree => 4,
    granularity => 'PARTITION', no_invalidate => true);
end;
/
PL/SQL
notice: DEGREE 4 has no effect: statistics are gathered serially
notice: GRANULARITY PARTITION has no effect: there are no partitions
notice: NO_INVALIDATE has no effect: statements are parsed anew after any change of the dictionary

begin dbms_stats.gather_table_stats(user, 'T', estimate_percent => 0.5); end;
/
PL/SQL

begin dbms_stats.gather_table_stats(user, 'T', estimate_percent => 101); end;
/
ORA-20001: ESTIMATE_PERCENT 101 is not between 0.000001 and 100
ORA-06512: at line 1

begin dbms_stats.gather_table_stats(user, 'T', estimate_percent => -1); end;
/
ORA-20001: ESTIMATE_PERCENT -1 is not between 0.000001 and 100
ORA-06512: at line 1

begin dbms_stats.gather_table_stats(user, 'T', method_opt => 'ALL COLUMNS'); end;
/
ORA-20000: METHOD_OPT ALL COLUMNS does not begin with FOR
ORA-06512: at line 1

begin dbms_stats.gather_table_stats(user, 'T', granularity => 'ROW'); end;
/
ORA-20001: there is no GRANULARITY ROW
ORA-06512: at line 1

begin dbms_stats.gather_table_stats(user, 'T', partname => 'P1'); end;
/
HW-0001: not supported: PARTNAME of DBMS_STATS
ORA-06512: at line 1

begin dbms_stats.gather_table_stats(user, 'T', stattab => 'MY_STATS'); end;
/
HW-0001: not supported: STATTAB of DBMS_STATS
ORA-06512: at line 1

begin dbms_stats.gather_table_stats(user, 'NONE'); end;
/
ORA-20000: TABLE "SYSTEM"."NONE" does not exist or insufficient privileges
ORA-06512: at line 1

begin dbms_stats.gather_index_stats(user, 'NONE'); end;
/
ORA-20000: INDEX "SYSTEM"."NONE" does not exist or insufficient privileges
ORA-06512: at line 1

# A schema: tables that have no statistics, or all.
create user u identified by u quota unlimited on users
/
CREATE USER

create table u.a (n number)
/
CREATE TABLE

create table u.b (n number)
/
CREATE TABLE

insert into u.a select level from dual connect by level <= 3
/
INSERT: 3 rows

begin dbms_stats.gather_table_stats('U', 'A'); end;
/
PL/SQL

insert into u.a values (4)
/
INSERT: 1 rows

begin dbms_stats.gather_schema_stats('U', options => 'GATHER EMPTY', cascade => false); end;
/
PL/SQL

select table_name, num_rows from dba_tables where owner = 'U' order by 1
/
TABLE_NAME | NUM_ROWS
A | 3
B | 0

begin dbms_stats.gather_schema_stats('U', estimate_percent => 5, options => 'GATHER STALE'); end;
/
PL/SQL
notice: OPTIONS GATHER STALE is GATHER: how many rows of a table change is not counted

select table_name, num_rows from dba_tables where owner = 'U' order by 1
/
TABLE_NAME | NUM_ROWS
A | 4
B | 0

begin dbms_stats.gather_schema_stats('U', options => 'LIST STALE'); end;
/
HW-0001: not supported: OPTIONS LIST STALE of DBMS_STATS
ORA-06512: at line 1

begin dbms_stats.gather_schema_stats('U', options => 'SOME'); end;
/
ORA-20001: there are no OPTIONS SOME
ORA-06512: at line 1

begin dbms_stats.delete_table_stats('U', 'A'); end;
/
PL/SQL

select table_name, num_rows from dba_tables where owner = 'U' order by 1
/
TABLE_NAME | NUM_ROWS
A | -
B | 0
