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
CREATE TABLE
ALTER TABLE
INSERT: 1 rows
ORA-01758: column D is NOT NULL and the table has rows
ALTER TABLE
A | B | C | D | E | F
1 | 2 | x | - | 7 | -
ORA-01430: table T has a column A already
ORA-01430: table T has a column G already
ORA-00904: "NOSUCH": invalid identifier
ORA-12899: value too large for column "G" (actual: 4, maximum: 2)
A | B | C | D | E | F
1 | 2 | x | - | 7 | -

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
ALTER TABLE
ALTER TABLE
ALTER TABLE
ORA-01451: column B takes NULL already
ALTER TABLE
ORA-01442: column A is NOT NULL already
ORA-02296: column D holds NULLs
ORA-00904: "NOSUCH": invalid identifier
ORA-00932: inconsistent datatypes: expected DATE got NUMBER
ORA-01439: column A holds values: its type cannot change
ORA-01440: column A holds values: its digits can only become more
ALTER TABLE
ORA-00904: table SYSTEM.T has no column NOSUCH
INSERT: 1 rows
ALTER TABLE
INSERT: 1 rows
A | B | C | D | E | F
1 | 2 | x | - | 7 | -
2 | - | x | 5 | 7 | -
3 | - | x | - | 7 | -
COLUMN_NAME | DATA_TYPE | DATA_LENGTH | NULLABLE | DATA_DEFAULT
A | NUMBER | 22 | N | -
B | NUMBER | 22 | Y | -
C | VARCHAR2 | 30 | N | 'x'
D | VARCHAR2 | 10 | Y | -
E | NUMBER | 22 | N | 7
F | DATE | 7 | Y | -

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
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
ALTER TABLE
X
[ab   ][xyz  ]
[][]
ORA-01441: column A holds values longer than 1 bytes
ORA-01441: column B holds values longer than 4 bytes
ALTER TABLE
X | D
[ab   ][xyz  ] | 29-FEB-24 12.00.00.000000 AM
[][] | -
ORA-01439: column A holds values: its type cannot change

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
CREATE TABLE
INSERT: 2000 rows
CREATE INDEX
CREATE INDEX
CREATE INDEX
ALTER TABLE
COUNT(*) | SUM(A) | SUM(C) | SUM(E)
2000 | 2001000 | 2001 | 2000
A | C
77 | 2
INDEX_NAME
D_A
D_E
COLUMN_NAME | COLUMN_POSITION
A | 1
E | 1
ORA-00001: unique constraint (SYSTEM.D_A) violated
INSERT: 1 rows
ALTER TABLE
A
2000
2001
COLUMN_NAME | COLUMN_ID
A | 1
ORA-12983: not all columns of a table can be dropped
ORA-00904: table SYSTEM.D has no column NOSUCH
ORA-00957: column A is named twice
HW-0001: not supported: ALTER TABLE set [14]
HW-0001: not supported: ALTER TABLE drop [14]
ORA-00942: there is no table or view SYSTEM.USER_TABLES
ORA-01031: insufficient privileges: SYS.OBJ$ is part of the dictionary

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
---
ALTER TABLE
ORA-00904: table SYSTEM.D has no column A
ORA-00957: table D has a column B already
ALTER TABLE
RENAME
ORA-00955: the name SYSTEM.T is used by another object
ORA-04043: object NOSUCH does not exist
INDEX_NAME | TABLE_NAME
D_A | D
MAX(B)
2001
