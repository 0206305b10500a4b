# Constraints: NOT NULL, CHECK, UNIQUE, PRIMARY KEY.

create table dept (deptno number(2) constraint pk_dept primary key, dname varchar2(14) constraint nn_dname not null, loc varchar2(13) unique);
create table emp (empno number(4) primary key, ename varchar2(10) not null, sal number(7,2) constraint ck_sal check (sal > 0), comm number(7,2), deptno number(2) constraint fk_deptno references dept, constraint ck_comm check (comm < sal or comm is null));
select constraint_name, constraint_type t, table_name, search_condition, r_constraint_name, delete_rule, status, index_name from user_constraints order by table_name, constraint_type, constraint_name;
select constraint_name, table_name, column_name, position from user_cons_columns order by table_name, constraint_name, column_name;
select column_name, nullable from user_tab_columns where table_name in ('DEPT', 'EMP') order by table_name, column_id;
---

insert into dept values (10, 'ACCOUNTING', 'NEW YORK');
insert into dept values (10, 'RESEARCH', 'DALLAS');
insert into dept values (20, 'RESEARCH', 'NEW YORK');
insert into dept values (20, null, 'DALLAS');
insert into dept values (null, 'RESEARCH', 'DALLAS');
insert into dept values (20, 'RESEARCH', 'DALLAS');
insert into dept values (30, 'SALES', null);
insert into dept values (40, 'OPERATIONS', null);
---

insert into emp values (7369, 'SMITH', 800, null, 20);
insert into emp values (7499, 'ALLEN', 0, null, 30);
insert into emp values (7499, 'ALLEN', 1600, 1600, 30);
insert into emp values (7499, 'ALLEN', 1600, 300, 50);
insert into emp values (7499, 'ALLEN', null, null, null);
insert into emp values (7369, 'SMITH', 1, null, 20);
select * from emp order by empno;
---

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

insert into emp select level, 'E' || level, level, null, 40 from dual connect by level <= 5000;
insert into emp select 5000 + level, 'E' || level, level, null, mod(level, 2) * 60 + 10 from dual connect by level <= 4000;
insert into emp select 5000 + level, 'E' || level, 2000 - level, null, 40 from dual connect by level <= 4000;
select count(*) from emp;
delete from emp where empno < 7000;
select count(*) from emp;
---

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
