# Constraints: NOT NULL, CHECK, UNIQUE, PRIMARY KEY.

create table dept (deptno number(2) constraint pk_dept primary key, dname varchar2(14) constraint nn_dname not null, loc varchar2(13) unique);
create table emp (empno number(4) primary key, ename varchar2(10) not null, sal number(7,2) constraint ck_sal check (sal > 0), comm number(7,2), deptno number(2) constraint fk_deptno references dept, constraint ck_comm check (comm < sal or comm is null));
select constraint_name, constraint_type t, table_name, search_condition, r_constraint_name, delete_rule, status, index_name from user_constraints order by table_name, constraint_type, constraint_name;
select constraint_name, table_name, column_name, position from user_cons_columns order by table_name, constraint_name, column_name;
select column_name, nullable from user_tab_columns where table_name in ('DEPT', 'EMP') order by table_name, column_id;
---
CREATE TABLE
CREATE TABLE
CONSTRAINT_NAME | T | TABLE_NAME | SEARCH_CONDITION | R_CONSTRAINT_NAME | DELETE_RULE | STATUS | INDEX_NAME
NN_DNAME | C | DEPT | "DNAME" IS NOT NULL | - | - | ENABLED | -
PK_DEPT | P | DEPT | - | - | - | ENABLED | PK_DEPT
SYS_C001002 | U | DEPT | - | - | - | ENABLED | SYS_C001002
CK_COMM | C | EMP | comm < sal or comm is null | - | - | ENABLED | -
CK_SAL | C | EMP | sal > 0 | - | - | ENABLED | -
SYS_C001003 | C | EMP | "ENAME" IS NOT NULL | - | - | ENABLED | -
SYS_C001004 | P | EMP | - | - | - | ENABLED | SYS_C001004
FK_DEPTNO | R | EMP | - | PK_DEPT | NO ACTION | ENABLED | -
CONSTRAINT_NAME | TABLE_NAME | COLUMN_NAME | POSITION
NN_DNAME | DEPT | DNAME | -
PK_DEPT | DEPT | DEPTNO | 1
SYS_C001002 | DEPT | LOC | 1
CK_COMM | EMP | COMM | -
CK_COMM | EMP | SAL | -
CK_SAL | EMP | SAL | -
FK_DEPTNO | EMP | DEPTNO | 1
SYS_C001003 | EMP | ENAME | -
SYS_C001004 | EMP | EMPNO | 1
COLUMN_NAME | NULLABLE
DEPTNO | N
DNAME | N
LOC | Y
EMPNO | N
ENAME | N
SAL | Y
COMM | Y
DEPTNO | Y

insert into dept values (10, 'ACCOUNTING', 'NEW YORK');
insert into dept values (10, 'RESEARCH', 'DALLAS');
insert into dept values (20, 'RESEARCH', 'NEW YORK');
insert into dept values (20, null, 'DALLAS');
insert into dept values (null, 'RESEARCH', 'DALLAS');
insert into dept values (20, 'RESEARCH', 'DALLAS');
insert into dept values (30, 'SALES', null);
insert into dept values (40, 'OPERATIONS', null);
---
INSERT: 1 rows
ORA-00001: unique constraint (SYSTEM.PK_DEPT) violated
ORA-00001: unique constraint (SYSTEM.SYS_C001002) violated
ORA-01400: cannot insert NULL into ("SYSTEM"."DEPT"."DNAME")
ORA-01400: cannot insert NULL into ("SYSTEM"."DEPT"."DEPTNO")
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

insert into emp values (7369, 'SMITH', 800, null, 20);
insert into emp values (7499, 'ALLEN', 0, null, 30);
insert into emp values (7499, 'ALLEN', 1600, 1600, 30);
insert into emp values (7499, 'ALLEN', 1600, 300, 50);
insert into emp values (7499, 'ALLEN', null, null, null);
insert into emp values (7369, 'SMITH', 1, null, 20);
select * from emp order by empno;
---
INSERT: 1 rows
ORA-02290: check constraint (SYSTEM.CK_SAL) violated
ORA-02290: check constraint (SYSTEM.CK_COMM) violated
ORA-02291: integrity constraint (SYSTEM.FK_DEPTNO) violated - parent key not found
INSERT: 1 rows
ORA-00001: unique constraint (SYSTEM.SYS_C001004) violated
EMPNO | ENAME | SAL | COMM | DEPTNO
7369 | SMITH | 800 | - | 20
7499 | ALLEN | - | - | -

update emp set sal = -1 where empno = 7369;
update emp set ename = null where empno = 7369;
update emp set deptno = 99;
update emp set deptno = 10 where empno = 7499;
update emp set comm = 900 where empno = 7369;
update dept set dname = null;
update dept set deptno = 11 where deptno = 10;
update dept set deptno = 31 where deptno = 30;
update dept set deptno = deptno;
delete from dept where deptno = 20;
delete from dept where deptno = 31;
select deptno from dept order by 1;
---
ORA-02290: check constraint (SYSTEM.CK_SAL) violated
ORA-01407: cannot update ("SYSTEM"."EMP"."ENAME") to NULL
ORA-02291: integrity constraint (SYSTEM.FK_DEPTNO) violated - parent key not found
UPDATE: 1 rows
ORA-02290: check constraint (SYSTEM.CK_COMM) violated
ORA-01407: cannot update ("SYSTEM"."DEPT"."DNAME") to NULL
ORA-02292: integrity constraint (SYSTEM.FK_DEPTNO) violated - child record found
UPDATE: 1 rows
UPDATE: 4 rows
ORA-02292: integrity constraint (SYSTEM.FK_DEPTNO) violated - child record found
DELETE: 1 rows
DEPTNO
10
20
40

insert into emp select level, 'E' || level, level, null, 40 from dual connect by level <= 5000;
insert into emp select 5000 + level, 'E' || level, level, null, mod(level, 2) * 60 + 10 from dual connect by level <= 4000;
insert into emp select 5000 + level, 'E' || level, 2000 - level, null, 40 from dual connect by level <= 4000;
select count(*) from emp;
delete from emp where empno < 7000;
select count(*) from emp;
---
INSERT: 5000 rows
ORA-02291: integrity constraint (SYSTEM.FK_DEPTNO) violated - parent key not found
ORA-02290: check constraint (SYSTEM.CK_SAL) violated
COUNT(*)
5002
DELETE: 5000 rows
COUNT(*)
2

create table copy (a number primary key using index tablespace users, b number, constraint u_copy unique (b)) tablespace users;
select index_name, uniqueness, tablespace_name from user_indexes where table_name = 'COPY' order by 3, 2;
drop index u_copy;
create index other on copy (b, a);
alter table copy drop constraint u_copy;
alter table copy add constraint u_copy unique (b) using index other;
insert into copy values (1, 1);
insert into copy values (2, 1);
insert into copy select level + 10, 7 from dual connect by level < 3;
select constraint_name, index_name from user_constraints where table_name = 'COPY' and constraint_name not like 'SYS%';
---
CREATE TABLE
INDEX_NAME | UNIQUENESS | TABLESPACE_NAME
SYS_C001008 | UNIQUE | USERS
U_COPY | UNIQUE | USERS
ORA-02429: index SYSTEM.U_COPY enforces the unique or primary key SYSTEM.U_COPY
CREATE INDEX
ALTER TABLE
ALTER TABLE
INSERT: 1 rows
ORA-00001: unique constraint (SYSTEM.U_COPY) violated
ORA-00001: unique constraint (SYSTEM.U_COPY) violated
CONSTRAINT_NAME | INDEX_NAME
U_COPY | OTHER

create table bad (a number constraint pk_dept primary key);
create table bad (a number primary key, b number primary key);
create table bad (a number, unique (a), unique (a));
create table bad (a number, check (nosuch > 1));
create table bad (a number, check (a > ));
create table bad (a number constraint x);
create table bad (a number, foreign key (a, b) references dept);
create table bad (a number, b number, foreign key (a, b) references dept);
create table bad (a number, foreign key (a) references dept (dname));
create table bad (a varchar2(2) references dept);
create table bad (a number references nosuch);
create table bad (a number references copy (b), constraint again foreign key (a) references copy (b));
create table bad (a number not null references dept on delete set null);
select table_name from user_tables where table_name = 'BAD';
---
ORA-02264: the name PK_DEPT is used by another constraint
ORA-02260: table BAD has a primary key already
ORA-02261: the table has such a unique or primary key already
ORA-00904: "NOSUCH": invalid identifier [35]
ORA-00936: syntax error: Expected: an expression, found: EOF [38]
ORA-00905: missing keyword: behind CONSTRAINT and its name, the kind of constraint is expected [39]
ORA-00904: "B": invalid identifier
ORA-02256: a foreign key has as many columns as the key that it refers to
ORA-02270: there is no unique or primary key on these columns
ORA-02267: column A is of another type than the column that it refers to
ORA-00942: there is no table or view SYSTEM.NOSUCH
ORA-02275: the table has such a foreign key already
ORA-01407: ON DELETE SET NULL on column A, which is NOT NULL
TABLE_NAME

# CREATE TABLE AS SELECT: what violates a constraint of the new table leaves nothing of it, and the error names the constraint.

create table twice (a, constraint twice_key primary key (a)) as select 1 from dual union all select 1 from dual;
select count(*) from user_tables where table_name = 'TWICE';
create table twice (a, constraint twice_key unique (a) deferrable initially deferred) as select 1 from dual union all select 1 from dual;
select count(*) from user_tables where table_name = 'TWICE';
create table twice (a, constraint twice_key primary key (a)) as select level from dual connect by level <= 3;
insert into twice values (3);
select count(*) from twice;
---
ORA-00001: unique constraint (SYSTEM.TWICE_KEY) violated
COUNT(*)
0
ORA-00001: unique constraint (SYSTEM.TWICE_KEY) violated
COUNT(*)
0
CREATE TABLE: 3 rows
ORA-00001: unique constraint (SYSTEM.TWICE_KEY) violated
COUNT(*)
3
