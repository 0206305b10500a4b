# INSERT /*+ APPEND */ and NOLOGGING: which statements are direct loads, what they write, and what comes of constraints.
create table src as select level n, 'row ' || lpad(level, 30, '-') v from dual connect by level <= 20000
/
CREATE TABLE: 20000 rows

create table t (n number not null, v varchar2(60) check (v <> 'no'))
/
CREATE TABLE

explain plan for insert /*+ append */ into t select n, v from src
/
EXPLAIN

select operation, object_name from plan_table order by id
/
OPERATION | OBJECT_NAME
INSERT STATEMENT | -
LOAD AS SELECT | T
TABLE ACCESS | SRC

delete from plan_table
/
DELETE: 3 rows

explain plan for insert into t select n, v from src
/
EXPLAIN

select operation, object_name from plan_table order by id
/
OPERATION | OBJECT_NAME
INSERT STATEMENT | -
LOAD TABLE CONVENTIONAL | T
TABLE ACCESS | SRC

create or replace package figures as
  function direct_writes return number;
  function redo return number;
end;
/
CREATE PACKAGE

create or replace package body figures as
  function figure(which varchar2) return number is
    found number;
  begin
    select value into found from v$mystat m, v$statname n where m.statistic# = n.statistic# and n.name = which;
    return found;
  end;
  function direct_writes return number is begin return figure('physical writes direct'); end;
  function redo return number is begin return figure('redo size'); end;
end;
/
CREATE PACKAGE BODY

declare
  writes number := figures.direct_writes;
  bytes number := figures.redo;
  conventional number;
  logged number;
  procedure take(what varchar2) is
  begin
    dbms_output.put_line(what || ': ' || sql%rowcount || ' rows, direct writes: ' ||
      case when figures.direct_writes - writes > 50 then 'many' when figures.direct_writes > writes then 'few' else 'none' end);
  end;
begin
  insert into t select n, v from src;
  take('conventional');
  conventional := figures.redo - bytes;
  commit;
  writes := figures.direct_writes; bytes := figures.redo;
  insert /*+ APPEND */ into t select n, v from src;
  take('append');
  logged := figures.redo - bytes;
  commit;
  execute immediate 'alter table t nologging';
  writes := figures.direct_writes; bytes := figures.redo;
  insert /*+ append */ into t select n, v from src;
  take('append, nologging');
  dbms_output.put_line('redo: ' || case when figures.redo - bytes < logged / 20 then 'next to none' else to_char(figures.redo - bytes) end);
  dbms_output.put_line('logged: ' || case when logged > 800000 then 'images' else to_char(logged) end);
  commit;
  bytes := figures.redo;
  insert into t select n, v from src;
  dbms_output.put_line('conventional, nologging: ' || case when figures.redo - bytes > conventional / 2 then 'as ever' else 'less' end);
  rollback;
end;
/
conventional: 20000 rows, direct writes: none
append: 20000 rows, direct writes: many
append, nologging: 20000 rows, direct writes: many
redo: next to none
logged: images
conventional, nologging: as ever
PL/SQL

select count(*), count(distinct n) from t
/
COUNT(*) | COUNT(DISTINCTN)
60000 | 20000

select table_name, logging from user_tables where table_name in ('SRC', 'T') order by 1
/
TABLE_NAME | LOGGING
SRC | YES
T | NO

# The constraints hold for each row, and what fails leaves nothing.
insert /*+ append */ into t select null, v from src
/
ORA-01400: cannot insert NULL into ("SYSTEM"."T"."N")

insert /*+ append */ into t select n, case n when 19000 then 'no' else v end from src
/
ORA-02290: check constraint (SYSTEM.SYS_C001001) violated

insert /*+ append */ into t select n, rpad(v, n, 'x') from src
/
ORA-12899: value too large for column "SYSTEM"."T"."V" (actual: 61, maximum: 60)

insert /*+ append */ into t select n / (n - 15000), v from src
/
ORA-01476: divisor is equal to zero

select count(*) from t
/
COUNT(*)
60000

# Rows of VALUES, tables with triggers and with foreign keys are inserted as ever: they can be read at once.
insert /*+ append */ into t values (1, 'x')
/
INSERT: 1 rows

insert /*+ append_values */ into t values (1, 'x')
/
INSERT: 1 rows

select count(*) from t
/
COUNT(*)
60002

rollback
/
ROLLBACK

create table child (n number, p number)
/
CREATE TABLE

alter table src add constraint src_pk primary key (n)
/
ALTER TABLE

alter table child add constraint child_fk foreign key (p) references src
/
ALTER TABLE

insert /*+ append */ into child select n, n from src where n < 100
/
INSERT: 99 rows

select count(*) from child
/
COUNT(*)
99

insert /*+ append */ into child select n, n + 19950 from src where n < 100
/
ORA-02291: integrity constraint (SYSTEM.CHILD_FK) violated - parent key not found

alter table child disable constraint child_fk
/
ALTER TABLE

create or replace trigger child_t before insert on child for each row begin :new.n := -:new.n; end;
/
CREATE TRIGGER

insert /*+ append */ into child select n, n from src where n < 100
/
INSERT: 99 rows

select count(*), sum(n) from child
/
COUNT(*) | SUM(N)
198 | 0

drop trigger child_t
/
DROP TRIGGER

insert /*+ append */ into child select n, n from src where n < 100
/
INSERT: 99 rows

select count(*), sum(n) from child
/
ORA-12838: cannot read/modify an object after modifying it in parallel

commit
/
COMMIT

select count(*), sum(n) from child
/
COUNT(*) | SUM(N)
297 | 4950

# A parent may be loaded, and a key whose index is not unique holds.
insert /*+ append */ into src select n + 20000, v from src where n < 100
/
INSERT: 99 rows

commit
/
COMMIT

create index child_n on child (p)
/
CREATE INDEX

alter table child add constraint child_u unique (p) using index child_n deferrable
/
ORA-02299: cannot validate (SYSTEM.CHILD_U) - duplicate keys found

delete from child where n < 0
/
DELETE: 99 rows

delete from child
/
DELETE: 198 rows

alter table child add constraint child_u unique (p) using index child_n
/
ALTER TABLE

insert /*+ append */ into child select n, n from src where n < 100
/
INSERT: 99 rows

commit
/
COMMIT

insert /*+ append */ into child select n, case n when 199 then 5 else n end from src where n between 100 and 199
/
ORA-00001: unique constraint (SYSTEM.CHILD_U) violated

select count(*) from child
/
COUNT(*)
99

# Indexes are kept up.
create index t_v on t (v, n)
/
CREATE INDEX

insert /*+ append */ into t select n + 100000, 'loaded ' || n from src where n <= 5000
/
INSERT: 5000 rows

commit
/
COMMIT

select n from t where v = 'loaded 4321'
/
N
104321

# A table that is being read is loaded as well, also when it is its own source.
insert /*+ append */ into t select n + 500000, v from t where v like 'loaded%'
/
INSERT: 5000 rows

commit
/
COMMIT

select count(*) from t where n > 600000
/
COUNT(*)
5000

# CREATE TABLE AS SELECT, attributes.
create table u nologging as select * from src where n <= 10
/
CREATE TABLE: 10 rows

select logging from user_tables where table_name = 'U'
/
LOGGING
NO

alter table u logging
/
ALTER TABLE

select logging from user_tables where table_name = 'U'
/
LOGGING
YES

alter table u move nologging
/
ALTER TABLE

select logging, (select count(*) from u) n from user_tables where table_name = 'U'
/
LOGGING | N
NO | 10

create table w (n number) nologging
/
CREATE TABLE

select logging from user_tables where table_name = 'W'
/
LOGGING
NO

select dbms_metadata.get_ddl('TABLE', 'W') ddl from dual
/
DDL
CREATE TABLE "SYSTEM"."W" (
  "N" NUMBER
) PCTFREE 10 INITRANS 1 MAXTRANS 255 NOLOGGING
  STORAGE(FREELISTS 1 FREELIST GROUPS 1) TABLESPACE "USERS"

alter tablespace users force logging
/
HW-0001: not supported: ALTER TABLESPACE force [23]

alter database force logging
/
HW-0001: not supported: ALTER DATABASE force [15]

create tablespace forced datafile 'forced.dbf' size 2M force logging
/
HW-0001: not supported: CREATE TABLESPACE option force [55]

# NOLOGGING of indexes: counted by the redo that building them takes.
create table indexed as select n, v from src where n <= 20000
/
CREATE TABLE: 20000 rows

declare
  bytes number;
  logged number;
  function taken return number is
  begin
    return figures.redo - bytes;
  end;
begin
  bytes := figures.redo;
  execute immediate 'create index i_logged on indexed(v, n)';
  logged := taken;
  dbms_output.put_line('logged: ' || case when logged > 500000 then 'images' else to_char(logged) end);
  execute immediate 'drop index i_logged';
  bytes := figures.redo;
  execute immediate 'create index i_unlogged on indexed(v, n) nologging';
  dbms_output.put_line('nologging: ' || case when taken < logged / 5 then 'next to none' else to_char(taken) end);
end;
/
logged: images
nologging: next to none
PL/SQL

select index_name, logging from user_indexes where index_name = 'I_UNLOGGED'
/
INDEX_NAME | LOGGING
I_UNLOGGED | NO

alter index i_unlogged logging
/
ALTER INDEX

select logging from user_indexes where index_name = 'I_UNLOGGED'
/
LOGGING
YES

alter index i_unlogged rebuild nologging
/
HW-0001: not supported: ALTER INDEX rebuild [23]

alter index nothing nologging
/
ORA-01418: there is no index SYSTEM.NOTHING

# NOLOGGING of a tablespace is what its tables and indexes get that do not say.
create tablespace quiet datafile 'quiet.dbf' size 4M nologging
/
CREATE TABLESPACE

create table q (n number primary key using index tablespace quiet, v varchar2(60)) tablespace quiet
/
CREATE TABLE

create table q_logged (n number) tablespace quiet logging
/
CREATE TABLE

create index q_v on q(v) tablespace users
/
CREATE INDEX

alter tablespace quiet logging
/
ALTER TABLESPACE

create table q_later (n number) tablespace quiet
/
CREATE TABLE

select table_name, logging from user_tables where table_name like 'Q%' order by 1
/
TABLE_NAME | LOGGING
Q | NO
Q_LATER | YES
Q_LOGGED | YES

select case when index_name = 'Q_V' then 'Q_V' else 'of the key' end name, logging from user_indexes where table_name = 'Q' order by 1
/
NAME | LOGGING
Q_V | YES
of the key | NO

alter tablespace quiet nologging
/
ALTER TABLESPACE

select tablespace_name, logging, force_logging from dba_tablespaces where tablespace_name in ('QUIET', 'USERS') order by 1
/
TABLESPACE_NAME | LOGGING | FORCE_LOGGING
QUIET | NOLOGGING | NO
USERS | LOGGING | NO
