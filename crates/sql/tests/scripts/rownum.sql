# ROWNUM numbers rows that are read: in VALUES and DEFAULT there are none. In the condition of a join it is not supported.

create table t (a number, b number);
create table u (a number);
---
CREATE TABLE
CREATE TABLE

insert into t values (rownum, 1);
---
ORA-00976: specified pseudocolumn or operator not allowed here: ROWNUM [22]

insert into t values (1, rownum + 1);
---
ORA-00976: specified pseudocolumn or operator not allowed here: ROWNUM [25]

insert into t select rownum, rownum * 2 from dual connect by level <= 3;
---
INSERT: 3 rows

create table d (a number default rownum);
---
ORA-00976: specified pseudocolumn or operator not allowed here: ROWNUM

select t.a from t join t u on t.a = rownum;
---
HW-0001: not supported: ROWNUM in the condition of a join: t.a = rownum [23]

# In an UPDATE it numbers the rows that are changed.

update t set b = rownum where a > 1;
---
UPDATE: 2 rows

select a, b from t order by a;
---
A | B
1 | 2
2 | 1
3 | 2

update t set b = 10 + rownum where rownum <= 1;
---
UPDATE: 1 rows

select count(*) c from t where b = 11;
---
C
1
