# Sequences: one value of each for a row, however often it is named.

create sequence s;
select s.nextval from dual;
select s.currval, s.nextval, s.nextval + 1 "plus", SYSTEM.s.currval from dual;
select s.currval from dual;
select level, s.nextval from dual connect by level <= 3;
select * from user_sequences;
---
CREATE SEQUENCE
NEXTVAL
1
CURRVAL | NEXTVAL | plus | CURRVAL
2 | 2 | 3 | 2
CURRVAL
2
LEVEL | NEXTVAL
1 | 3
2 | 4
3 | 5
SEQUENCE_NAME | MIN_VALUE | MAX_VALUE | INCREMENT_BY | CYCLE_FLAG | ORDER_FLAG | CACHE_SIZE | LAST_NUMBER
S | 1 | 9999999999999999999999999999 | 1 | N | N | 20 | 21

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
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 3 rows
ORA-12899: value too large for column "SYSTEM"."T"."N" (actual: 23, maximum: 10)
INSERT: 1 rows
ID | N
6 | a
7 | 7
8 | 8
9 | 1
10 | 2
11 | 3
112 | c
UPDATE: 2 rows
ID | N
14 | 14
112 | c
CREATE TABLE: 7 rows
COUNT(DISTINCTID) | MAX(ID)-MIN(ID)
7 | 6

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
ORA-02287: sequence number not allowed here [7]
ORA-02287: sequence number not allowed here [16]
ORA-02287: sequence number not allowed here [42]
ORA-02287: sequence number not allowed here
ORA-02287: sequence number not allowed here [28]
ORA-02287: sequence number not allowed here [28]
ORA-02287: sequence number not allowed here [15]
ORA-02287: sequence number not allowed here [22]
ORA-02287: sequence number not allowed here [7]
ORA-02287: sequence number not allowed here [18]
ORA-02287: sequence number not allowed here [21]
ORA-02287: sequence number not allowed here [30]
ORA-02287: sequence number not allowed here [25]
ORA-02287: sequence number not allowed here [25]
ORA-02287: sequence number not allowed here
ORA-02287: sequence number not allowed here [24]
ORA-02287: sequence number not allowed here [7]
ORA-02287: sequence number not allowed here [41]
ORA-02289: sequence does not exist: NOSUCH [7]
ORA-02289: sequence does not exist: NOSUCH [7]
ORA-02289: sequence does not exist: T [7]
ORA-00904: "NEXTVAL": invalid identifier [7]
ORA-02201: sequence not allowed here: S [14]
ORA-02201: sequence not allowed here: s

# CURRVAL is the session's own, and there is none before the first NEXTVAL.

create sequence fresh;
select fresh.currval from dual;
insert into t values (fresh.currval, 'x');
select fresh.nextval from dual;
select fresh.currval from dual;
---
CREATE SEQUENCE
ORA-08002: sequence FRESH.CURRVAL is not yet defined in this session
ORA-08002: sequence FRESH.CURRVAL is not yet defined in this session
NEXTVAL
1
CURRVAL
1

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
CREATE SEQUENCE
NEXTVAL
8
9
10
ORA-08004: sequence UP.NEXTVAL exceeds MAXVALUE and cannot be instantiated
LAST_NUMBER
11
CREATE SEQUENCE
NEXTVAL
5
2
5
2
5
MIN_VALUE | MAX_VALUE | INCREMENT_BY | CYCLE_FLAG | ORDER_FLAG | CACHE_SIZE | LAST_NUMBER
0 | 5 | -3 | Y | Y | 2 | -1
CREATE SEQUENCE
NEXTVAL | CURRVAL
-1 | -1
CREATE SEQUENCE
NEXTVAL
9999999999999999999999999998
9999999999999999999999999999
ORA-08004: sequence BIG.NEXTVAL exceeds MAXVALUE and cannot be instantiated
MIN_VALUE | MAX_VALUE
1 | 9999999999999999999999999999
-999999999999999999999999999 | -1

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
ORA-00955: the name SYSTEM.S is used by another object
ORA-04002: INCREMENT must be a nonzero integer
ORA-04004: MINVALUE must be less than MAXVALUE
ORA-04006: START WITH cannot be less than MINVALUE
ORA-04008: START WITH cannot be more than MAXVALUE
ORA-04005: INCREMENT must be less than MAXVALUE minus MINVALUE
ORA-04010: the number of values to CACHE must be greater than 1
ORA-04013: number to CACHE must be less than one cycle
ORA-04015: ascending sequences that CYCLE must specify MAXVALUE
ORA-04014: descending sequences that CYCLE must specify MINVALUE
ORA-02281: duplicate or conflicting CACHE specifications [27]
ORA-02285: duplicate or conflicting START WITH specifications [31]
ORA-02017: integer value required [29]
ORA-04011: a sequence's values have at most 28 digits [29]
ORA-00933: SQL command not properly ended [18]
HW-0001: not supported: option of a sequence: session [18]
ORA-02277: "SIZE": invalid sequence name: it is a reserved word [16]
ORA-01918: there is no user NOSUCH
ORA-00955: the name SYSTEM.S is used by another object
ORA-02289: there is no sequence SYSTEM.E
ORA-00942: there is no table or view SYSTEM.S

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
S.NEXTVAL-S.CURRVAL
0
ALTER SEQUENCE
BEFORE | NEXTVAL
22 | 1022
ALTER SEQUENCE
NEXTVAL
22
ORA-02286: no options specified for ALTER SEQUENCE [16]
ORA-02283: cannot alter starting sequence number
ORA-04007: MINVALUE cannot be made to exceed the current value
ORA-04004: MINVALUE must be less than MAXVALUE
ALTER SEQUENCE
CACHE_SIZE | ORDER_FLAG
0 | Y
ORA-02289: there is no sequence SYSTEM.NOSUCH
HW-0001: not supported: option of a sequence: restart [17]

# DROP, RENAME, and what the dictionary says.

rename up to upper_s;
select object_name, object_type, status from user_objects where object_type = 'SEQUENCE' order by 1;
select upper_s.nextval from dual;
drop sequence upper_s;
select upper_s.nextval from dual;
drop sequence upper_s;
select table_name, table_type from cat order by 1;
---
RENAME
OBJECT_NAME | OBJECT_TYPE | STATUS
BIG | SEQUENCE | VALID
DOWN | SEQUENCE | VALID
FRESH | SEQUENCE | VALID
LOW | SEQUENCE | VALID
S | SEQUENCE | VALID
UPPER_S | SEQUENCE | VALID
ORA-08004: sequence UPPER_S.NEXTVAL exceeds MAXVALUE and cannot be instantiated
DROP SEQUENCE
ORA-02289: sequence does not exist: UPPER_S [7]
ORA-02289: there is no sequence SYSTEM.UPPER_S
TABLE_NAME | TABLE_TYPE
BIG | SEQUENCE
DOWN | SEQUENCE
FRESH | SEQUENCE
LOW | SEQUENCE
S | SEQUENCE
T | TABLE
T2 | TABLE
