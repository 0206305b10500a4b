# ALTER TABLE ADD: DEFAULT and NOT NULL on a table with and without rows.

create table t (a number);
alter table t add (b number not null, c varchar2(5) default 'x' not null);
insert into t (a, b) values (1, 2);
alter table t add d number not null;
alter table t add (d number, e number default 7, f date);
select * from t;
alter table t add a number;
alter table t add (g number, g number);
alter table t add (g number default nosuch);
alter table t add (g varchar2(2) default 'long');
select * from t;
---

# MODIFY.

alter table t modify c varchar2(3);
alter table t modify (c varchar2(30), e number not null, d default 5);
alter table t modify b null;
alter table t modify b null;
alter table t modify a not null;
alter table t modify a not null;
alter table t modify d not null;
alter table t modify d default nosuch(1);
alter table t modify f default 1;
alter table t modify a varchar2(10);
alter table t modify a number(5);
alter table t modify d varchar2(10);
alter table t modify nosuch number;
insert into t (a, d) values (2, default);
alter table t modify d default null;
insert into t (a) values (3);
select * from t order by a;
select column_name, data_type, data_length, nullable, data_default from user_tab_columns where table_name = 'T' order by column_id;
---

# CHAR and VARCHAR2, DATE and TIMESTAMP.

create table c (a char(3), b varchar2(5), d date);
insert into c values ('ab', 'xyz', date '2024-02-29');
insert into c values (null, null, null);
alter table c modify (a char(5), b char(5));
select '[' || a || '][' || b || ']' x from c;
alter table c modify a char(1);
alter table c modify (a char(2), b varchar2(4));
alter table c modify (b varchar2(5), d timestamp);
select '[' || a || '][' || b || ']' x, d from c;
alter table c modify a date;
---

# DROP COLUMN: the rows are written anew, indexes on the column go.

create table d (a number, b varchar2(20), c number, e number default 1);
insert into d (a, b, c) select level, 'row ' || level, mod(level, 3) from dual connect by level <= 2000;
create unique index d_a on d (a);
create index d_cb on d (c, b);
create index d_e on d (e);
alter table d drop column b;
select count(*), sum(a), sum(c), sum(e) from d;
select a, c from d where a = 77;
select index_name from user_indexes where table_name = 'D' order by 1;
select column_name, column_position from user_ind_columns where table_name = 'D' order by 1;
insert into d values (77, 0, 0);
insert into d values (2001, 0, 0);
alter table d drop (c, e);
select * from d where a > 1999 order by a;
select column_name, column_id from user_tab_columns where table_name = 'D';
alter table d drop column a;
alter table d drop column nosuch;
alter table d drop (a, a);
alter table d set unused column a;
alter table d drop unused columns;
alter table user_tables drop column a;
alter table sys.obj$ drop column name;
---

# RENAME.

alter table d rename column a to b;
alter table d rename column a to c;
alter table d rename column b to b;
alter table d rename to dd;
rename dd to d;
rename d to t;
rename nosuch to x;
select index_name, table_name from user_indexes order by 1;
select max(b) from d;
