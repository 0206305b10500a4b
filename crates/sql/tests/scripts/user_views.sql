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

# Columns that the table gets later are not the view's; headings and text.

create view everything as select * from emp;
create view joined as select e.*, d.total from emp e, pay d where d.department = e.dept;
alter table emp add (born date);
select * from everything where id = 1;
select * from joined where id = 1;
select view_name, text_length, text, read_only from user_views order by view_name;
select column_name, data_type, data_length, nullable from user_tab_columns where table_name = 'JOINED' order by column_id;
---

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
create or replace force view bad as select from later;
create view c1 as select x from later;
create view c2 as select x from c1;
create or replace view c1 as select x from c2;
create or replace force view c1 as select x from c2;
select * from c1;
---

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
