# Synonyms stand for tables, views and sequences in queries, DML, GRANT, and for other synonyms.

create table t (a number, b varchar2(5));
create view v as select a from t;
create sequence q;
create synonym s for t;
create synonym sv for system.v;
create synonym sq for q;
create public synonym everybodys for s;
insert into s values (sq.nextval, 'one');
insert into everybodys (b, a) values ('two', system.sq.nextval);
update s set b = 'ONE' where s.a = 1;
select s.b, system.s.a from s order by a;
select x.a, everybodys.b from sv x, everybodys where x.a = everybodys.a order by 1;
delete from everybodys where a = 1;
select count(*) from t;
select * from user_synonyms order by synonym_name;
select owner, synonym_name, table_owner, table_name from all_synonyms where owner = 'PUBLIC';
select object_name, object_type, status from user_objects order by object_type, object_name;
---

# One's own object goes before a public synonym, and that before the views of the dictionary.

create public synonym t for system.q;
select count(*) from t;
create synonym tabs_of_mine for user_tables;
select table_name from tabs_of_mine;
create public synonym dual for t;
create public synonym cat for t;
---

# Mistakes.

create synonym s for v;
create or replace synonym s for v;
select * from s;
create synonym t for v;
create or replace synonym t for v;
create synonym x for x;
create synonym x for t@there;
create synonym x;
create public synonym system.x for t;
create synonym size for t;
drop synonym nosuch;
drop public synonym nosuch;
drop synonym t;
drop table s;
truncate table s;
alter table s add (c number);
---

# What is not there any more, and synonyms in a circle.

create synonym gone for nosuch;
select * from gone;
insert into gone values (1);
select gone.nextval from dual;
create synonym l1 for l2;
create synonym l2 for l1;
select * from l1;
update l2 set a = 1;
create public synonym orphan for orphan;
select * from orphan;
drop synonym l2;
select * from l1;
create view w as select a from s;
select * from w;
drop view v;
select * from w;
drop synonym s;
select * from w;
drop public synonym everybodys;
select * from everybodys;
rename sq to sq2;
select sq2.nextval from dual;
select synonym_name from user_synonyms order by 1;
