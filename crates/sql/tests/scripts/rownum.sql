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

# An inline view's order stays below ROWNUM, a sequence and a function, whatever is above them.

create table o (a number, b number);
insert into o values (3, 1);
insert into o values (1, 2);
insert into o values (2, 3);
create sequence o_seq;
create table n as select o_seq.nextval id, a from (select a from o order by a desc);
insert into n select o_seq.nextval, a from (select a from o order by a)
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
CREATE SEQUENCE
CREATE TABLE: 3 rows
INSERT: 3 rows

select r, a from (select rownum r, q.* from (select * from o order by a) q) order by b;
---
R | A
3 | 3
1 | 1
2 | 2

select sum(rn) from (select rownum rn, b from (select b from o order by b desc)) where b > 1;
---
SUM(RN)
3

select r, b from (select rownum r, b from (select b from o order by a)) order by b;
---
R | B
3 | 1
1 | 2
2 | 3

select z.a, r from (select rownum r, q.* from (select o.a, p.b nm from o, o p where p.a = o.a order by o.a desc) q) z, o where r between 2 and 3 and o.a = z.a order by r;
---
A | R
2 | 2
1 | 3

select rownum, a from (select dbms_random.value r, a from (select a from o order by a desc));
---
ROWNUM | A
1 | 3
2 | 2
3 | 1

select id, a from n order by id;
---
ID | A
1 | 3
2 | 2
3 | 1
4 | 1
5 | 2
6 | 3

select b, listagg(r, ',') within group (order by r) l from (select rownum r, mod(a, 2) b from (select * from o order by b desc)) group by b order by b;
---
B | L
0 | 1
1 | 2,3

select a, (select max(r) from (select rownum r, a from (select a from o order by a desc)) q where q.a = o.a) r from o order by a;
---
A | R
1 | 3
2 | 2
3 | 1

delete from o where a in (select a from (select rownum r, q.* from (select * from o order by a desc) q) where r = 2);
select a from o order by a;
---
DELETE: 1 rows
A
1
3

update o set b = (select max(r) from (select rownum r, a from (select a from o order by a desc)) q where q.a = o.a);
select a, b from o order by a;
---
UPDATE: 2 rows
A | B
1 | 2
3 | 1
