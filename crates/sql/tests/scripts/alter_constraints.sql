# ALTER TABLE: constraints on tables with rows.

create table p (id number, code varchar2(5), v number);
insert into p values (1, 'a', 1);
insert into p values (2, 'b', -2);
insert into p values (2, null, 3);
alter table p add constraint pk_p primary key (id);
alter table p add constraint u_p unique (id);
alter table p add constraint pk_p primary key (code);
alter table p modify code not null;
alter table p add constraint ck_p check (v > 0);
alter table p add constraint ck_p check (v > 0) enable novalidate;
select constraint_name, status, validated from user_constraints where table_name = 'P';
insert into p values (3, 'c', -3);
alter table p enable validate constraint ck_p;
update p set v = 2 where v = -2;
alter table p modify constraint ck_p validate;
update p set id = 4, code = 'd' where v = 3;
alter table p add constraint pk_p primary key (id);
alter table p modify code constraint nn_code not null;
alter table p modify code null;
alter table p modify id null;
alter table p add constraint ck_p check (v < 9);
alter table p rename constraint ck_p to ck_q;
alter table p rename constraint ck_p to ck_q;
alter table p drop constraint ck_p;
alter table p disable constraint ck_q;
insert into p values (5, 'e', -5);
alter table p enable constraint ck_q;
alter table p enable constraint nosuch;
alter table p disable constraint nosuch;
alter table p drop unique (code);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
ORA-02437: cannot validate (SYSTEM.PK_P) - primary key violated
ORA-02299: cannot validate (SYSTEM.U_P) - duplicate keys found
ORA-01449: column contains NULL values; cannot alter to NOT NULL
ORA-02296: column CODE holds NULLs
ORA-02293: cannot validate (SYSTEM.CK_P) - check constraint violated
ALTER TABLE
CONSTRAINT_NAME | STATUS | VALIDATED
CK_P | ENABLED | NOT VALIDATED
ORA-02290: check constraint (SYSTEM.CK_P) violated
ORA-02293: cannot validate (SYSTEM.CK_P) - check constraint violated
UPDATE: 1 rows
ALTER TABLE
UPDATE: 1 rows
ALTER TABLE
ALTER TABLE
ALTER TABLE
ORA-01451: column ID belongs to the primary key: it cannot take NULL
ORA-02264: the name CK_P is used by another constraint
ALTER TABLE
ORA-23292: constraint CK_P does not exist
ORA-02443: cannot drop constraint CK_P: there is none of this name
ALTER TABLE
INSERT: 1 rows
ORA-02293: cannot validate (SYSTEM.CK_Q) - check constraint violated
ORA-02430: cannot enable constraint: the table has no such constraint
ORA-02431: cannot disable constraint: the table has no such constraint
ORA-02442: the table has no such unique key to drop

create table c (id number, p_id number);
insert into c values (1, 1);
insert into c values (2, 9);
alter table c add constraint fk_c foreign key (p_id) references p;
update c set p_id = null where id = 2;
alter table c add constraint fk_c foreign key (p_id) references p;
alter table c add foreign key (p_id) references p (id);
alter table c add note varchar2(5) default 'x' not null check (note in ('x', 'y'));
select * from c order by id;
insert into c values (3, 1, 'z');
alter table p drop constraint pk_p;
alter table p drop primary key;
alter table p disable primary key;
drop table p;
truncate table p;
alter table p rename column v to w;
alter table p disable primary key cascade;
select constraint_name, status, index_name from user_constraints where constraint_name in ('PK_P', 'FK_C') order by 1;
insert into p values (4, 'x', 1);
insert into c values (4, 99, 'x');
alter table c enable constraint fk_c;
alter table p enable primary key;
update p set id = 6 where code = 'x';
alter table p enable primary key;
alter table c enable constraint fk_c;
delete from c where p_id = 99;
alter table c enable constraint fk_c;
alter table p drop primary key cascade;
select constraint_name from user_constraints where constraint_name in ('PK_P', 'FK_C');
alter table p add primary key (id) using index tablespace users;
alter table c add constraint fk_c foreign key (p_id) references p;
drop table p cascade constraints;
select count(*) from user_constraints where constraint_name = 'FK_C';
select count(*) from sys.cdef$ d where not exists (select 1 from sys.con$ n where n.con# = d.con#);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
ORA-02298: cannot validate (SYSTEM.FK_C) - parent keys not found
UPDATE: 1 rows
ALTER TABLE
ORA-02275: the table has such a foreign key already
ALTER TABLE
ID | P_ID | NOTE
1 | 1 | x
2 | - | x
ORA-02290: check constraint (SYSTEM.SYS_C001005) violated
ORA-02273: foreign key SYSTEM.FK_C refers to this unique or primary key
ORA-02273: foreign key SYSTEM.FK_C refers to this unique or primary key
ORA-02297: cannot disable constraint (SYSTEM.PK_P) - dependencies exist: SYSTEM.FK_C
ORA-02449: unique or primary keys of the table are referred to by foreign keys, as SYSTEM.FK_C
ORA-02266: unique or primary keys of the table are referred to by enabled foreign keys
HW-0001: not supported: renaming column V, which check constraint CK_Q names
ALTER TABLE
CONSTRAINT_NAME | STATUS | INDEX_NAME
FK_C | DISABLED | -
PK_P | DISABLED | -
INSERT: 1 rows
INSERT: 1 rows
ORA-02270: the key of SYSTEM.P that is referred to is disabled
ORA-02437: cannot validate (SYSTEM.PK_P) - primary key violated
UPDATE: 1 rows
ALTER TABLE
ORA-02298: cannot validate (SYSTEM.FK_C) - parent keys not found
DELETE: 1 rows
ALTER TABLE
ALTER TABLE
CONSTRAINT_NAME
ALTER TABLE
ALTER TABLE
DROP TABLE
COUNT(*)
0
COUNT(*)
0

# Columns that are dropped take their own constraints with them; the others follow the columns that stay.

create table dc (a number, b number, c number constraint dc_c check (c > 0), d number constraint dc_d unique, e number, constraint dc_pk primary key (a, b), constraint dc_e check (e > 0));
create table dk (id number constraint dk_pk primary key, up number constraint dk_up references dk, x number);
create table dl (x number, id number, k number constraint dl_fk references dk);
insert into dc values (1, 2, 3, 4, 5);
alter table dc drop column c;
alter table dc drop column a;
alter table dc drop (a, b);
insert into dc values (4, 5);
insert into dc values (5, -1);
select constraint_name, column_name, position from user_cons_columns where table_name = 'DC' order by 1;
insert into dk values (1, null, 7);
insert into dl values (0, 1, 1);
alter table dk drop column id;
alter table dk drop column up;
alter table dl drop column x;
insert into dl values (2, 2);
delete from dk;
alter table dk drop column id cascade constraints;
insert into dl values (2, 2);
select constraint_name from user_constraints where table_name in ('DC', 'DK', 'DL') order by 1;
create table dm (a number, b number, c number, constraint dm_u unique (b, c));
alter table dm drop column b;
alter table dm drop column b cascade constraints;
insert into dm values (1, 1);
insert into dm values (1, 1);
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
ALTER TABLE
ORA-12991: column is referenced in a multi-column constraint: DC_PK
ALTER TABLE
ORA-00001: unique constraint (SYSTEM.DC_D) violated
ORA-02290: check constraint (SYSTEM.DC_E) violated
CONSTRAINT_NAME | COLUMN_NAME | POSITION
DC_D | D | 1
DC_E | E | -
INSERT: 1 rows
INSERT: 1 rows
ORA-12992: cannot drop parent key column: SYSTEM.DK_UP refers to it
ALTER TABLE
ALTER TABLE
ORA-02291: integrity constraint (SYSTEM.DL_FK) violated - parent key not found
ORA-02292: integrity constraint (SYSTEM.DL_FK) violated - child record found
ALTER TABLE
INSERT: 1 rows
CONSTRAINT_NAME
DC_D
DC_E
CREATE TABLE
ORA-12991: column is referenced in a multi-column constraint: DM_U
ALTER TABLE
INSERT: 1 rows
INSERT: 1 rows
