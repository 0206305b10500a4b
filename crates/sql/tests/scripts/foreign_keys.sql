# Foreign keys: ON DELETE, references to the same table, several columns, deferred constraints.

create table a (id number primary key, name varchar2(10));
create table b (id number primary key, a_id number references a on delete cascade);
create table c (id number, b_id number constraint fk_c references b on delete cascade);
create table d (id number, a_id number references a on delete set null);
create table e (id number, b_id number constraint fk_e references b);
create index c_b on c (b_id);
insert into a select level, 'a' || level from dual connect by level <= 5;
insert into b select level, mod(level, 5) + 1 from dual connect by level <= 20;
insert into c select level, mod(level, 20) + 1 from dual connect by level <= 100;
insert into d select level, mod(level, 5) + 1 from dual connect by level <= 10;
insert into e values (1, 4);
delete from a where id = 5;
delete from a where id in (1, 2);
select (select count(*) from a) a, (select count(*) from b) b, (select count(*) from c) c, (select count(*) from d where a_id is null) d from dual;
delete from e;
delete from a;
select (select count(*) from a) a, (select count(*) from b) b, (select count(*) from c) c, (select count(*) from d where a_id is null) d from dual;
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE INDEX
INSERT: 5 rows
INSERT: 20 rows
INSERT: 100 rows
INSERT: 10 rows
INSERT: 1 rows
ORA-02292: integrity constraint (SYSTEM.FK_E) violated - child record found
DELETE: 2 rows
A | B | C | D
3 | 12 | 60 | 4
DELETE: 1 rows
DELETE: 3 rows
A | B | C | D
0 | 0 | 0 | 10

create table tree (id number primary key, up number constraint fk_up references tree);
insert into tree values (1, 1);
insert into tree values (2, 1);
insert into tree values (3, 7);
delete from tree where id = 3;
insert into tree select level + 10, greatest(level + 9, 11) from dual connect by level <= 5;
delete from tree where id = 11;
delete from tree where id >= 11;
update tree set id = id + 100, up = up + 100;
update tree set id = 1 where id = 101;
select * from tree order by id;
delete from tree;
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
ORA-02291: integrity constraint (SYSTEM.FK_UP) violated - parent key not found
DELETE: 0 rows
INSERT: 5 rows
ORA-02292: integrity constraint (SYSTEM.FK_UP) violated - child record found
DELETE: 5 rows
UPDATE: 2 rows
ORA-02292: integrity constraint (SYSTEM.FK_UP) violated - child record found
ID | UP
101 | 101
102 | 101
DELETE: 2 rows

create table pair (x number, y varchar2(3), constraint pk_pair primary key (x, y));
create table user_of_pair (n number, x number, y varchar2(3), constraint fk_pair foreign key (x, y) references pair (x, y));
insert into pair values (1, 'a');
insert into user_of_pair values (1, 1, 'a');
insert into user_of_pair values (2, 1, 'b');
insert into user_of_pair values (3, null, 'b');
delete from pair;
update pair set y = 'c';
---
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
ORA-02291: integrity constraint (SYSTEM.FK_PAIR) violated - parent key not found
INSERT: 1 rows
ORA-02292: integrity constraint (SYSTEM.FK_PAIR) violated - child record found
ORA-02292: integrity constraint (SYSTEM.FK_PAIR) violated - child record found

create table par (id number constraint pk_par primary key deferrable, v number constraint ck_v check (v > 0) deferrable initially deferred);
create table chi (id number, p number constraint fk_chi references par deferrable initially deferred);
select constraint_name, deferrable, deferred from user_constraints where table_name in ('PAR', 'CHI') order by 1;
insert into chi values (1, 1);
commit;
insert into par values (1, 5);
commit;
insert into par values (2, -1);
commit;
update par set v = 1;
commit;
insert into par values (1, 1);
set constraint pk_par deferred;
insert into par values (1, 1);
set constraints all immediate;
update par set id = 3 where rownum = 1;
commit;
set constraints all immediate;
insert into chi values (2, 77);
set constraint nosuch deferred;
set constraint fk_pair deferred;
---
CREATE TABLE
CREATE TABLE
CONSTRAINT_NAME | DEFERRABLE | DEFERRED
CK_V | DEFERRABLE | DEFERRED
FK_CHI | DEFERRABLE | DEFERRED
PK_PAR | DEFERRABLE | IMMEDIATE
INSERT: 1 rows
ORA-02091: transaction rolled back: ORA-02291: integrity constraint (SYSTEM.FK_CHI) violated - parent key not found
INSERT: 1 rows
COMMIT
INSERT: 1 rows
ORA-02091: transaction rolled back: ORA-02290: check constraint (SYSTEM.CK_V) violated
UPDATE: 1 rows
COMMIT
ORA-00001: unique constraint (SYSTEM.PK_PAR) violated
SET CONSTRAINT
INSERT: 1 rows
ORA-00001: unique constraint (SYSTEM.PK_PAR) violated
UPDATE: 1 rows
COMMIT
SET CONSTRAINT
ORA-02291: integrity constraint (SYSTEM.FK_CHI) violated - parent key not found
ORA-02448: constraint SYSTEM.NOSUCH does not exist
ORA-02447: constraint SYSTEM.FK_PAIR is not deferrable
