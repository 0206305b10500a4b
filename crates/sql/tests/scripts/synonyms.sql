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
create index i on everybodys (a);
select count(*) from t;
select * from user_synonyms order by synonym_name;
select owner, synonym_name, table_owner, table_name from all_synonyms where owner = 'PUBLIC';
select object_name, object_type, status from user_objects order by object_type, object_name;
---
CREATE TABLE
CREATE VIEW
CREATE SEQUENCE
CREATE SYNONYM
CREATE SYNONYM
CREATE SYNONYM
CREATE SYNONYM
INSERT: 1 rows
INSERT: 1 rows
UPDATE: 1 rows
B | A
ONE | 1
two | 2
A | B
1 | ONE
2 | two
DELETE: 1 rows
CREATE INDEX
COUNT(*)
1
SYNONYM_NAME | TABLE_OWNER | TABLE_NAME | DB_LINK
S | SYSTEM | T | -
SQ | SYSTEM | Q | -
SV | SYSTEM | V | -
OWNER | SYNONYM_NAME | TABLE_OWNER | TABLE_NAME
PUBLIC | EVERYBODYS | SYSTEM | S
OBJECT_NAME | OBJECT_TYPE | STATUS
I | INDEX | VALID
Q | SEQUENCE | VALID
S | SYNONYM | VALID
SQ | SYNONYM | VALID
SV | SYNONYM | VALID
T | TABLE | VALID
V | VIEW | VALID

# One's own object goes before a public synonym, and that before the views of the dictionary.

create public synonym t for system.q;
select count(*) from t;
create synonym tabs_of_mine for user_tables;
select table_name from tabs_of_mine;
create public synonym dual for t;
create public synonym cat for t;
---
CREATE SYNONYM
COUNT(*)
1
CREATE SYNONYM
TABLE_NAME
T
ORA-00955: the name DUAL is used by a view of the dictionary
ORA-00955: the name CAT is used by a view of the dictionary

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
create index i on s (a);
create index i on everybodys (a);
drop table s;
truncate table s;
alter table s add (c number);
---
ORA-00955: the name SYSTEM.S is used by another object
CREATE SYNONYM
A
2
ORA-00955: the name SYSTEM.T is used by another object
ORA-00955: the name SYSTEM.T is used by another object
ORA-01471: a synonym cannot have the name of its object SYSTEM.X
HW-0001: not supported: synonym over a database link: t@there [21]
ORA-00905: missing keyword: FOR expected [16]
ORA-00995: missing or invalid synonym identifier: a public synonym has no schema [31]
ORA-00995: "SIZE": missing or invalid synonym identifier: it is a reserved word [15]
ORA-01434: there is no private synonym SYSTEM.NOSUCH
ORA-01432: there is no public synonym NOSUCH
ORA-01434: there is no private synonym SYSTEM.T
ORA-01702: a view is not appropriate here: SYSTEM.V
ORA-01702: a view is not appropriate here: SYSTEM.V
ORA-00942: there is no table or view SYSTEM.S
ORA-00942: there is no table or view SYSTEM.S
ORA-00942: there is no table or view SYSTEM.S

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
---
CREATE SYNONYM
ORA-00980: synonym translation is no longer valid: SYSTEM.NOSUCH does not exist [14]
ORA-00980: synonym translation is no longer valid: SYSTEM.NOSUCH does not exist
ORA-00980: synonym translation is no longer valid: SYSTEM.NOSUCH does not exist [7]
CREATE SYNONYM
CREATE SYNONYM
ORA-01775: looping chain of synonyms: L1 [14]
ORA-01775: looping chain of synonyms: L2
CREATE SYNONYM
ORA-01775: looping chain of synonyms: ORPHAN [14]
DROP SYNONYM
ORA-00980: synonym translation is no longer valid: SYSTEM.L2 does not exist [14]
CREATE VIEW
A
2
DROP VIEW
ORA-04063: view "SYSTEM.W" has errors: ORA-00980: synonym translation is no longer valid: SYSTEM.V does not exist [14]
DROP SYNONYM
ORA-04063: view "SYSTEM.W" has errors: ORA-00942: table or view does not exist: s [14]
DROP SYNONYM
ORA-00942: table or view does not exist: everybodys [14]
RENAME
NEXTVAL
3
SYNONYM_NAME
GONE
L1
SQ2
SV
TABS_OF_MINE
