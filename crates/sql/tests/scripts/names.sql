# Names that are given: reserved words are none, unless quoted.

create table size (a number);
create table system.index (a number);
create table "SIZE" (a number);
drop table "SIZE";
create table n (a number, level number);
create table n (number number);
create table n (date);
create table n ("LEVEL" number, "Rowid" number, name varchar2(10), type varchar2(10), value number);
create table n2 (a number, "ROWID" number);
create table n2 (comment, b) as select 1, 2 from dual;
alter table n add (mode number);
alter table n rename column name to user;
alter table n rename to table;
rename n to view;
create index order on n (name);
create index n_name on n (name);
insert into n (name, type, value, "LEVEL", "Rowid") values ('a', 'b', 1, 2, 3);
select "LEVEL", "Rowid", name, type, value from n;
drop table n;
---
ORA-00903: "SIZE": invalid table name: it is a reserved word [13]
ORA-00903: "INDEX": invalid table name: it is a reserved word [20]
CREATE TABLE
DROP TABLE
ORA-00904: "LEVEL": invalid identifier: it is a reserved word [26]
ORA-00904: "NUMBER": invalid identifier: it is a reserved word [16]
ORA-00904: "DATE": invalid identifier: it is a reserved word [16]
CREATE TABLE
ORA-00904: "ROWID": invalid identifier [27]
ORA-00904: "COMMENT": invalid identifier: it is a reserved word [17]
ORA-00904: "MODE": invalid identifier: it is a reserved word [19]
ORA-00904: "USER": invalid identifier: it is a reserved word [36]
ORA-00903: "TABLE": invalid table name: it is a reserved word [24]
ORA-00903: "VIEW": invalid table name: it is a reserved word [12]
ORA-00953: "ORDER": invalid index name: it is a reserved word [13]
CREATE INDEX
INSERT: 1 rows
LEVEL | Rowid | NAME | TYPE | VALUE
2 | 3 | a | b | 1
DROP TABLE

# Names and types of a DEFAULT are checked at once, its value when a row needs it.

create table d (a number, x number default 1/0, y number default to_number('y'), z date default to_date('z', 'YYYY'));
insert into d (a, x, y, z) values (1, 2, 3, null);
insert into d (a, y, z) values (1, 1, null);
insert into d (a, x, z) values (1, 1, null);
insert into d (a, x, y) values (1, 1, 1);
insert into d values (1, default, 1, null);
select * from d;
create table d2 (a number, x number default a);
create table d2 (a number, x number default nosuch(1));
create table d2 (a number, x date default 1);
create table d2 (a number, x number default (1);
alter table d add (w number default 1/0);
drop table d;
---
CREATE TABLE
INSERT: 1 rows
ORA-01476: divisor is equal to zero
ORA-01722: invalid number
ORA-01858: a non-numeric character was found where a numeric was expected
ORA-01476: divisor is equal to zero
A | X | Y | Z
1 | 2 | 3 | -
ORA-00904: "A": invalid identifier
ORA-00904: "NOSUCH": invalid identifier
ORA-00932: inconsistent datatypes: expected DATE got NUMBER
ORA-00907: missing right parenthesis [47]
ORA-01476: divisor is equal to zero
DROP TABLE

# Uniform extents: five blocks at least under bitmaps, two under freelists.

create tablespace u datafile 'u.dbf' size 2M extent management local uniform size 32k segment space management auto;
create tablespace u datafile 'u.dbf' size 2M extent management local uniform size 8k segment space management manual;
create tablespace u datafile 'u.dbf' size 2M extent management local uniform size 9k segment space management manual;
create table s (a number, b varchar2(2000)) tablespace u storage (freelist groups 2);
create table s (a number, b varchar2(2000)) tablespace u;
insert into s select level, rpad('x', 1500, 'x') from dual connect by level <= 40;
select bytes, blocks, extents from dba_segments where segment_name = 'S';
select count(*), sum(a) from s;
drop tablespace u including contents and datafiles;
---
ORA-03249: uniform size of 32768 bytes is below the least of 5 blocks of 8192 bytes
ORA-03249: uniform size of 8192 bytes is below the least of 2 blocks of 8192 bytes
CREATE TABLESPACE
ORA-03249: an extent of 2 blocks has no room for data beside 2 freelist groups
CREATE TABLE
INSERT: 40 rows
BYTES | BLOCKS | EXTENTS
98304 | 12 | 6
COUNT(*) | SUM(A)
40 | 820
DROP TABLESPACE
