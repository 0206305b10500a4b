# What scripts written for Oracle say at once, and of which nothing comes here: it is accepted with a notice, or carried out.

create table t (a number, name varchar2(10 char), c char(3 char)) parallel 4;
comment on table t is 'rows';
comment on column t.a is 'a number';
comment on column system.t.a is 'a number';
comment on column t.z is 'there is none';
comment on table nosuch is 'none';
comment on column t is 'no column';
create index i on t (a) parallel (degree 2);
create table t2 (a number) parallel 1;
create table t3 (a number) parallel;
select column_name, data_length from user_tab_columns where table_name = 'T' order by column_id;
create user u identified by p default tablespace users temporary tablespace temp profile default password expire;
alter user u temporary tablespace temp;
alter user u profile app;
create user w temporary tablespace temp identified by p;
create user x;
alter session enable parallel dml;
alter session force parallel query parallel 4;
alter session disable parallel ddl;
alter session enable parallel;
alter session set optimizer_mode = all_rows;
alter session set nls_language = 'AMERICAN' nls_territory = 'AMERICA';
alter session set nls_sort = binary;
alter session set nls_sort = german;
alter session set nls_date_language = german;
alter session set "_optimizer_cost_model" = cpu;
alter session set no_such_parameter = 1;
alter session set processes = 1;
alter session set sort_area_size = 1048576;
---
CREATE TABLE
notice: 10 CHAR is 10 BYTE: lengths are counted in bytes
notice: 3 CHAR is 3 BYTE: lengths are counted in bytes
notice: PARALLEL 4 is not kept: statements are serial
COMMENT
notice: comments are not kept
COMMENT
notice: comments are not kept
COMMENT
notice: comments are not kept
ORA-00904: "Z": invalid identifier
ORA-00942: table or view does not exist: NOSUCH
ORA-00903: invalid table name: a column is named behind its table [20]
CREATE INDEX
notice: PARALLEL 2 is not kept: statements are serial
CREATE TABLE
CREATE TABLE
notice: PARALLEL DEFAULT is not kept: statements are serial
COLUMN_NAME | DATA_LENGTH
A | 22
NAME | 10
C | 3
CREATE USER
notice: there are no temporary tablespaces: TEMP is not kept, and sorts work in memory
notice: passwords do not expire
ALTER USER
notice: there are no temporary tablespaces: TEMP is not kept, and sorts work in memory
ALTER USER
notice: there are no profiles: APP limits nothing
CREATE USER
notice: there are no temporary tablespaces: TEMP is not kept, and sorts work in memory
ORA-00922: missing or invalid option: IDENTIFIED BY expected [13]
ALTER SESSION
notice: statements are serial
ALTER SESSION
notice: statements are serial
ALTER SESSION
notice: statements are serial
ORA-00922: missing or invalid option: DML, DDL or QUERY expected [29]
ALTER SESSION
notice: optimizer_mode has no effect here
ALTER SESSION
ALTER SESSION
notice: nls_sort is BINARY always
HW-0001: not supported: nls_sort = german
ORA-00096: 'german' is not allowed for nls_date_language: one of AMERICAN
ALTER SESSION
notice: _optimizer_cost_model has no effect here
ORA-02248: there is no parameter no_such_parameter
ORA-02096: processes cannot be changed for one session
ALTER SESSION
notice: sort_area_size has no effect here

# Roles.

create role app;
create role app;
create role u;
create role connect;
create role secret identified by p;
grant select on t to app;
grant create view, create materialized view, read any table, advisor to app;
grant app to u;
grant no such privilege to app;
select role from dba_roles where role = 'APP';
select grantee, privilege from dba_sys_privs where grantee = 'APP' order by 2;
drop role app;
drop role app;
drop role dba;
select count(*) from dba_roles where role = 'APP';
select count(*) from dba_tab_privs where grantee = 'APP';
---
CREATE ROLE
ORA-01921: role name APP conflicts with another user or role name
ORA-01921: role name U conflicts with another user or role name
ORA-01921: role name CONNECT conflicts with another user or role name
HW-0001: not supported: roles with a password identified [19]
GRANT
GRANT
GRANT
ORA-01919: there is no role or system privilege NO SUCH PRIVILEGE
ROLE
APP
GRANTEE | PRIVILEGE
APP | ADVISOR
APP | CREATE MATERIALIZED VIEW
APP | CREATE VIEW
APP | READ ANY TABLE
DROP ROLE
ORA-01919: role APP does not exist
ORA-01031: insufficient privileges: DBA belongs to the database
COUNT(*)
0
COUNT(*)
0

# Views.

select property_name, property_value from database_properties where property_name like 'NLS_C%' or property_name like 'DEFAULT%' order by 1;
select count(*) from global_name;
select product from product_component_version;
select inst_id, name from gv$datafile order by name fetch first 1 rows only;
select count(*) from gv$session where inst_id = 1;
select count(*) from sys.gv_$session where inst_id <> 1;
select count(distinct inst_id) from gv$diag_info;
select * from gv$nosuch;
---
PROPERTY_NAME | PROPERTY_VALUE
DEFAULT_PERMANENT_TABLESPACE | USERS
NLS_CHARACTERSET | AL32UTF8
COUNT(*)
1
PRODUCT
Highwater
INST_ID | NAME
1 | /database/system01.dbf
COUNT(*)
6
COUNT(*)
0
COUNT(DISTINCTINST_ID)
1
ORA-00942: table or view does not exist: gv$nosuch [14]

# Joins that name their columns: each stands once.

create table a (k number, x number);
create table b (k number, y number);
create table c (k number, y number, z number);
insert into a values (1, 10);
insert into b values (1, 20);
insert into c values (1, 20, 30);
select * from a join b using (k) join c using (k);
select * from a join b using (k) join c using (k, y);
select * from a natural join b natural join c;
select * from a left join b using (k) right join c using (k);
select k, x, z from a join b using (k) join c using (k);
select * from a join b using (k) join c using (y);
select a.k from a join b using (k) join c using (k);
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
K | X | Y | Y | Z
1 | 10 | 20 | 20 | 30
K | Y | X | Z
1 | 20 | 10 | 30
K | Y | X | Z
1 | 20 | 10 | 30
K | X | Y | Y | Z
1 | 10 | 20 | 20 | 30
K | X | Z
1 | 10 | 30
Y | K | X | K | Z
20 | 1 | 10 | 1 | 30
ORA-25154: column part of USING clause cannot have qualifier: A.K [7]

# A statement gets no more memory than there is.

alter system set pga_aggregate_limit = 200000 scope = memory;
select n from (select level n from dual connect by level <= 50000) order by mod(n, 97), n;
select count(*), max(m) from (select mod(n, 20000) k, max(n) m from (select level n from dual connect by level <= 50000) group by mod(n, 20000));
alter system set pga_aggregate_limit = 0 scope = memory;
alter system set pga_aggregate_limit = 500M scope = memory;
select count(*), max(m) from (select mod(n, 20000) k, max(n) m from (select level n from dual connect by level <= 50000) group by mod(n, 20000));
---
ALTER SYSTEM
ORA-04030: out of process memory: 253704 bytes for ExternalSorter[0]; all work areas hold 0, pga_aggregate_limit is 200000
ORA-04030: out of process memory: 902124 bytes for SingleHashAggregateStream[0]; all work areas hold 0, pga_aggregate_limit is 200000
ALTER SYSTEM
ALTER SYSTEM
COUNT(*) | MAX(M)
20000 | 50000

# Clauses that nothing comes of say so.

create table cl1 (n number) storage (initial 64k next 64k maxextents 9 pctincrease 50) monitoring;
create table cl2 (n number) storage (maxextents unlimited pctincrease 0 buffer_pool default) nomonitoring parallel 1;
create table cl3 (n number) storage (buffer_pool keep);
create directory cl_files as '.';
create table cl4 (n number) organization external (type oracle_loader default directory cl_files location ('x.csv')) parallel 4 reject limit unlimited;
create table cl5 (n number) organization external (type oracle_loader default directory cl_files location ('x.csv')) noparallel;
---
CREATE TABLE
notice: MAXEXTENTS 9 limits nothing: a segment has as many extents as its tablespace has room for
notice: PCTINCREASE 50 has no effect: the tablespace says how large extents are
notice: MONITORING is not kept: how many rows of a table change is not counted
CREATE TABLE
HW-0001: not supported: BUFFER_POOL keep [49]
CREATE DIRECTORY
CREATE TABLE
notice: PARALLEL 4 is not kept: statements are serial
CREATE TABLE

# ALTER TABLE of what has no effect says so, and wants the table to be there.

create table altered (a number);
alter table altered monitoring;
alter table altered nomonitoring;
alter table altered parallel 4;
alter table altered noparallel;
alter table altered pctused 60;
alter table altered pctfree 20;
alter table nowhere monitoring;
analyze table altered estimate statistics sample 10 percent;
analyze table altered estimate statistics
---
CREATE TABLE
ALTER TABLE
notice: MONITORING is not kept: how many rows of a table change is not counted
ALTER TABLE
ALTER TABLE
notice: PARALLEL 4 is not kept: statements are serial
ALTER TABLE
ALTER TABLE
notice: PCTUSED has no effect: tablespace USERS keeps free space in bitmaps
ALTER TABLE
ORA-00942: there is no table or view SYSTEM.NOWHERE
ANALYZE TABLE
ANALYZE TABLE
