# Sequences: one value of each for a row, however often it is named.

create sequence s;
select s.nextval from dual;
select s.currval, s.nextval, s.nextval + 1 "plus", SYSTEM.s.currval from dual;
select s.currval from dual;
select level, s.nextval from dual connect by level <= 3;
select * from user_sequences;
---

create table t (id number primary key, n varchar2(10));
insert into t values (s.nextval, 'a');
insert into t (n, id) values (to_char(s.currval), s.nextval);
insert into t values (s.nextval, s.nextval);
insert into t select s.nextval, level from dual connect by level <= 3;
insert into t values (s.nextval, 'a text that is too long');
insert into t select 100 + s.currval, 'c' from t where rownum <= 1;
select * from t order by id;
update t set id = s.nextval, n = s.currval where n = 'a' or id = 8;
select * from t where id > 13 order by id;
create table t2 as select s.nextval id, n from t;
select count(distinct id), max(id) - min(id) from t2;
---

# Where they may not stand.

select s.nextval from dual order by 1;
select distinct s.nextval from dual;
select max(id), s.nextval from t group by s.currval;
select count(*), s.nextval from t;
select id from t where id = s.nextval;
select id from t where id = s.currval;
select (select s.nextval from dual) from dual;
select * from (select s.nextval from dual);
select s.nextval from dual union all select s.nextval from dual;
with x as (select s.nextval n from dual) select n from x;
insert into t select s.nextval, n from t order by 1;
insert into t values ((select s.nextval from dual), 'x');
update t set n = (select s.nextval from dual);
delete from t where id = s.nextval;
create table t3 (a number default s.nextval);
create view v as select s.nextval n from dual;
select s.nextval from dual having 1 = 1;
select id from t group by id having id = s.currval;
select nosuch.nextval from dual;
select nosuch.currval from dual;
select t.nextval from dual;
select nextval from dual;
select * from s;
insert into s values (1);
---

# CURRVAL is the session's own, and there is none before the first NEXTVAL.

create sequence fresh;
select fresh.currval from dual;
insert into t values (fresh.currval, 'x');
select fresh.nextval from dual;
select fresh.currval from dual;
---

# Bounds, directions, cycles.

create sequence up start with 8 maxvalue 10 nocache;
select up.nextval from dual connect by level <= 3;
select up.nextval from dual;
select last_number from user_sequences where sequence_name = 'UP';
create sequence down increment by -3 start with 5 minvalue 0 maxvalue 5 cycle cache 2 order;
select down.nextval from dual connect by level <= 5;
select min_value, max_value, increment_by, cycle_flag, order_flag, cache_size, last_number from user_sequences where sequence_name = 'DOWN';
create sequence low increment by -1;
select low.nextval, low.currval from dual;
create sequence big start with 9999999999999999999999999998;
select big.nextval from dual connect by level <= 2;
select big.nextval from dual;
select min_value, max_value from user_sequences where sequence_name in ('BIG', 'LOW') order by sequence_name;
---

# What does not fit together.

create sequence s;
create sequence e increment by 0;
create sequence e minvalue 5 maxvalue 5;
create sequence e start with 0;
create sequence e start with 11 maxvalue 10;
create sequence e maxvalue 10 increment by 10;
create sequence e cache 1;
create sequence e maxvalue 5 cycle;
create sequence e cycle;
create sequence e increment by -1 cycle;
create sequence e cache 20 nocache;
create sequence e start with 1 start with 2;
create sequence e start with 1.5;
create sequence e start with 99999999999999999999999999999;
create sequence e with;
create sequence e session;
create sequence size;
create sequence nosuch.e;
create table s (a number);
drop sequence e;
drop table s;
---

# ALTER SEQUENCE goes on from the last value; the old cache is given up without a gap.

select s.nextval - s.currval from dual;
alter sequence s increment by 1000;
select s.nextval - 1000 as before, s.nextval from dual;
alter sequence s increment by -1000;
select s.nextval from dual;
alter sequence s;
alter sequence s start with 1;
alter sequence s minvalue 100000;
alter sequence s maxvalue 1;
alter sequence s nocache order;
select cache_size, order_flag from user_sequences where sequence_name = 'S';
alter sequence nosuch nocache;
alter sequence s restart;
---

# DROP, RENAME, and what the dictionary says.

rename up to upper_s;
select object_name, object_type, status from user_objects where object_type = 'SEQUENCE' order by 1;
select upper_s.nextval from dual;
drop sequence upper_s;
select upper_s.nextval from dual;
drop sequence upper_s;
select table_name, table_type from cat order by 1;
