# Tables: DDL, DML, types.

create tablespace tbs datafile 'tbs01.dbf' size 10M extent management local autoallocate segment space management manual;
create table t (id number(6) not null, name varchar2(20), code char(5), born date, price number(8,2) default 1.5, ts timestamp, r raw(4)) pctfree 20 storage (freelists 2) tablespace tbs;
insert into t values (1, 'one', 'a', date '2024-01-31', 10.239, timestamp '2024-01-31 12:34:56.5', hextoraw('0AFF'));
insert into t (id, name) values (2, 'two');
insert into t (id, name, price) values (3, '', default);
select * from t order by id;
---
CREATE TABLESPACE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
ID | NAME | CODE | BORN | PRICE | TS | R
1 | one | a     | 31-JAN-24 | 10.24 | 31-JAN-24 12.34.56.500000 PM | 0AFF
2 | two | - | - | 1.5 | - | -
3 | - | - | - | 1.5 | - | -

select rowid, id from t where rowid = (select max(rowid) from t) and 1 = 2;
---
ROWID | ID

select id, length(code), '[' || code || ']' from t where code = 'a';
---
ID | LENGTH(CODE) | '['||CODE||']'
1 | 5 | [a    ]

select id from t where code = 'a  ';
---
ID
1

select id from t where name is null;
---
ID
3

insert into t (id) values (null);
insert into t (name) values ('x');
insert into t (id, name) values (4, 'a name that is longer than twenty');
insert into t (id) values (12345678);
insert into t (id) values ('x');
insert into t (id, nosuch) values (1, 2);
insert into t (id, name) values (1);
insert into t values (1, 2, 3, 4, 5, 6, 7, 8);
---
ORA-01400: cannot insert NULL into ("SYSTEM"."T"."ID")
ORA-01400: cannot insert NULL into ("SYSTEM"."T"."ID")
ORA-12899: value too large for column "SYSTEM"."T"."NAME" (actual: 33, maximum: 20)
ORA-01438: value larger than specified precision allowed for this column ("SYSTEM"."T"."ID")
ORA-01722: invalid number
ORA-00904: "NOSUCH": invalid identifier [19]
ORA-00947: not enough values
ORA-00913: too many values

update t set price = price * 2, name = upper(name) where id < 3;
select id, name, price from t order by 1;
---
UPDATE: 2 rows
ID | NAME | PRICE
1 | ONE | 20.48
2 | TWO | 3
3 | - | 1.5

delete from t where id = 2;
select count(*) from t;
---
DELETE: 1 rows
COUNT(*)
2

insert into t (id, name) select id + 100, name || '!' from t;
select id, name from t order by id desc;
---
INSERT: 2 rows
ID | NAME
103 | !
101 | ONE!
3 | -
1 | ONE

create table c as select id, name, price * 2 twice, 'lit' lit, sysdate now from t where 1 = 2;
select column_name, data_type, data_length, data_precision, data_scale, nullable from user_tab_columns where table_name = 'C' order by column_id;
---
CREATE TABLE: 0 rows
COLUMN_NAME | DATA_TYPE | DATA_LENGTH | DATA_PRECISION | DATA_SCALE | NULLABLE
ID | NUMBER | 22 | 6 | 0 | N
NAME | VARCHAR2 | 20 | - | - | Y
TWICE | NUMBER | 22 | - | - | Y
LIT | CHAR | 3 | - | - | Y
NOW | DATE | 7 | - | - | Y

create unique index t_id on t (id);
insert into t (id) values (1);
select id, name from t where id = 101;
---
CREATE INDEX
ORA-00001: unique constraint (SYSTEM.T_ID) violated
ID | NAME
101 | ONE!

select /*+ index(t t_id) */ id from t where id > 1 order by id;
---
ID
3
101
103

select index_name, uniqueness, blevel, leaf_blocks, distinct_keys, num_rows from user_indexes;
---
INDEX_NAME | UNIQUENESS | BLEVEL | LEAF_BLOCKS | DISTINCT_KEYS | NUM_ROWS
T_ID | UNIQUE | 0 | 1 | 4 | 4

truncate table t;
select count(*) from t;
drop table t;
select * from t;
drop tablespace tbs including contents and datafiles;
---
TRUNCATE TABLE
COUNT(*)
0
DROP TABLE
ORA-00942: table or view does not exist: t [14]
DROP TABLESPACE
