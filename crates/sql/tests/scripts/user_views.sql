# Views: a text that is bound where it is used.

create table emp (id number(4) not null, name varchar2(10), dept number, salary number(8,2));
insert into emp values (1, 'king', 10, 5000);
insert into emp values (2, 'ford', 20, 3000);
insert into emp values (3, 'scott', 20, 3100);
create view v as select id, name from emp where dept = 20;
select * from v order by id;
select name, v.id, system.v.name from v where id = 2;
create view pay (department, total) as select dept, sum(salary) from emp group by dept;
select * from pay where total > 5500 order by department;
select e.name, p.total from emp e join pay p on p.department = e.dept order by e.id;
create view vv as select upper(name) name, (select max(total) from pay) best from v;
select * from vv order by 1;
select count(*) from vv where best > 6000 and name in (select upper(name) from v);
create or replace view v as select id, name, salary from emp;
select * from vv order by 1;
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
CREATE VIEW
ID | NAME
2 | ford
3 | scott
NAME | ID | NAME
ford | 2 | ford
CREATE VIEW
DEPARTMENT | TOTAL
20 | 6100
NAME | TOTAL
king | 5000
ford | 6100
scott | 6100
CREATE VIEW
NAME | BEST
FORD | 6100
SCOTT | 6100
COUNT(*)
2
CREATE VIEW
NAME | BEST
FORD | 6100
KING | 6100
SCOTT | 6100

# Columns that the table gets later are not the view's; headings and text.

create view everything as select * from emp;
create view joined as select e . *, d.total from emp e, pay d where d.department = e.dept;
alter table emp add (born date);
select * from everything where id = 1;
select * from joined where id = 1;
select view_name, text_length, text, read_only from user_views order by view_name;
select column_name, data_type, data_length, nullable from user_tab_columns where table_name = 'JOINED' order by column_id;
---
CREATE VIEW
CREATE VIEW
ALTER TABLE
ID | NAME | DEPT | SALARY
1 | king | 10 | 5000
ID | NAME | DEPT | SALARY | TOTAL
1 | king | 10 | 5000 | 5000
VIEW_NAME | TEXT_LENGTH | TEXT | READ_ONLY
EVERYTHING | 43 | select "ID","NAME","DEPT","SALARY" from emp | N
JOINED | 101 | select e ."ID",e ."NAME",e ."DEPT",e ."SALARY", d.total from emp e, pay d where d.department = e.dept | N
PAY | 47 | select dept, sum(salary) from emp group by dept | N
V | 32 | select id, name, salary from emp | N
VV | 65 | select upper(name) name, (select max(total) from pay) best from v | N
COLUMN_NAME | DATA_TYPE | DATA_LENGTH | NULLABLE
ID | NUMBER | 22 | N
NAME | VARCHAR2 | 10 | Y
DEPT | NUMBER | 22 | Y
SALARY | NUMBER | 22 | Y
TOTAL | NUMBER | 22 | Y

# Mistakes.

create view v as select id from emp;
create or replace view emp as select 1 x from dual;
create view w as select nosuch from emp;
create view w as select id from nosuch;
create view w as select id + 1 from emp;
create view w as select id, id from emp;
create view w (a) as select id, name from emp;
create view w (a, a) as select id, name from emp;
create view w as select id from emp where id = :b;
create view w as select id frm emp;
create view w as update emp set id = 1;
create view w as;
create view w;
create view w as select id from emp with check option;
create view size as select id from emp;
create or replace view vv as select * from vv;
create view nobody.w as select 1 x from dual;
---
ORA-00955: the name SYSTEM.V is used by another object
ORA-00955: the name SYSTEM.EMP is used by another object
ORA-00904: "NOSUCH": invalid identifier [24]
ORA-00942: table or view does not exist: nosuch [32]
ORA-00998: must name this expression with a column alias: ID+1
ORA-00957: duplicate column name: ID
ORA-01730: invalid number of column names specified
ORA-00957: duplicate column name: A
ORA-01027: bind variables not allowed for data definition operations [47]
ORA-00923: FROM keyword not found where expected: emp [31]
ORA-00928: missing SELECT keyword: UPDATE emp SET id = 1 [17]
ORA-00928: missing SELECT keyword [16]
ORA-00905: missing keyword: AS expected [13]
HW-0001: not supported: of a view: WITH CHECK OPTION, because rows are not changed through views: with [36]
ORA-00999: "SIZE": invalid view name: it is a reserved word [12]
ORA-01731: circular view definition encountered: SYSTEM.VV [43]
ORA-01918: there is no user NOBODY

# What a view selects from may go, and come back.

select object_name, status from user_objects where object_type = 'VIEW' order by 1;
alter table emp rename column name to called;
select * from v;
select * from vv;
select object_name, status from user_objects where object_type = 'VIEW' order by 1;
alter table emp rename column called to name;
select id from vv, v where vv.name = upper(v.name) order by 1;
create force view early (a, b) as select x, y from later;
create view early2 as select x from later;
select * from early;
select column_name, data_type from user_tab_columns where table_name = 'EARLY';
create table later (x number, y date);
insert into later values (1, date '2024-02-29');
select * from early;
alter view early compile;
select column_name, data_type from user_tab_columns where table_name = 'EARLY';
alter view nosuch compile;
create or replace force view bad as select from later;
create view c1 as select x from later;
create view c2 as select x from c1;
create or replace view c1 as select x from c2;
create or replace force view c1 as select x from c2;
select * from c1;
---
OBJECT_NAME | STATUS
EVERYTHING | VALID
JOINED | VALID
PAY | VALID
V | VALID
VV | VALID
ALTER TABLE
ORA-04063: view "SYSTEM.V" has errors: ORA-00904: "NAME": invalid identifier [14]
ORA-04063: view "SYSTEM.VV" has errors: ORA-04063: view "SYSTEM.V" has errors: ORA-00904: "NAME": invalid identifier [14]
OBJECT_NAME | STATUS
EVERYTHING | INVALID
JOINED | INVALID
PAY | VALID
V | INVALID
VV | INVALID
ALTER TABLE
ID
1
2
3
CREATE VIEW
ORA-00942: table or view does not exist: later [36]
ORA-04063: view "SYSTEM.EARLY" has errors: ORA-00942: table or view does not exist: later [14]
COLUMN_NAME | DATA_TYPE
A | UNDEFINED
B | UNDEFINED
CREATE TABLE
INSERT: 1 rows
A | B
1 | 29-FEB-24
ALTER VIEW
COLUMN_NAME | DATA_TYPE
A | NUMBER
B | DATE
ORA-00942: table or view does not exist: NOSUCH
ORA-00936: missing expression [43]
CREATE VIEW
CREATE VIEW
ORA-01731: circular view definition encountered: SYSTEM.C1 [43]
ORA-01731: circular view definition encountered: SYSTEM.C1 [49]
X
1

# Rows are not changed through views.

insert into v values (4, 'x', 1);
update v set id = 5;
delete from v;
create view r as select id from emp with read only;
delete from r;
select read_only from user_views where view_name = 'R';
drop table v;
truncate table v;
drop view emp;
drop view nosuch;
drop view vv;
select * from vv;
rename r to rr;
select * from rr order by 1;
select * from r;
create table copy as select * from pay;
select column_name, data_type from user_tab_columns where table_name = 'COPY';
select rownum, id from v where rownum < 3;
select rowid from v;
select name from v where id = (select min(id) from v) and exists (select 1 from pay where department = 10);
---
HW-0001: not supported: INSERT through a view: SYSTEM.V
HW-0001: not supported: UPDATE through a view: SYSTEM.V
HW-0001: not supported: DELETE through a view: SYSTEM.V
CREATE VIEW
ORA-42399: cannot perform a DML operation on a read-only view: SYSTEM.R
READ_ONLY
Y
ORA-00942: there is no table or view SYSTEM.V
ORA-00942: there is no table or view SYSTEM.V
ORA-00942: there is no table or view SYSTEM.EMP
ORA-00942: there is no table or view SYSTEM.NOSUCH
DROP VIEW
ORA-00942: table or view does not exist: vv [14]
RENAME
ID
1
2
3
ORA-00942: table or view does not exist: r [14]
CREATE TABLE: 2 rows
COLUMN_NAME | DATA_TYPE
DEPARTMENT | NUMBER
TOTAL | NUMBER
ROWNUM | ID
1 | 1
2 | 2
ORA-00904: "ROWID": invalid identifier [7]
NAME
king
