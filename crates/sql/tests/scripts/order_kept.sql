# The order of an inline view is that of the rows that ROWNUM, FETCH FIRST or a sequence looks at, whatever conditions and values with subqueries stand
# between, though these become joins.

create table o (a number, b number);
insert into o select level, mod(level*7, 11) from dual connect by level <= 10;
create table p (x number);
insert into p select level from dual connect by level <= 6;
create sequence s;
---
CREATE TABLE
INSERT: 10 rows
CREATE TABLE
INSERT: 6 rows
CREATE SEQUENCE

select b from (select a, b from o order by b desc) where a in (select x from p) and rownum <= 2;
select b from (select a, b from o order by b desc) where a in (select x from p) fetch first 2 rows only;
select b from (select a, b from o order by b desc) where a in (select x from p) offset 1 rows fetch next 2 rows only;
select b from (select * from (select a, b from o order by b desc) where a in (select x from p)) where rownum <= 2;
select b from (select * from (select * from (select a, b from o order by b desc) where b < 10) where a in (select x from p)) w where rownum <= 2;
---
B
10
9
B
10
9
B
9
7
B
10
9
B
9
7

select b from (select a, b from o order by b desc) v where (select count(*) from p where p.x = v.a) = 1 and rownum <= 2;
select b from (select a, b from o order by b desc) v where (select max(p.x) from p where p.x = v.a) > 2 and rownum <= 2;
select b from (select a, b from o order by b desc) v where a not in (select x from p) and rownum <= 2;
select b from (select a, b from o order by b desc) v where exists (select 1 from p where p.x = v.a) and rownum <= 2;
select b from (select a, b from o order by b desc) v where not exists (select 1 from p where p.x = v.a) and rownum <= 2;
select b from (select a, b from o order by b desc) v where (a, b) in (select x, mod(x*7, 11) from p) and rownum <= 2;
select b from (select a, b from o order by b desc) v where a > all (select x from p) and rownum <= 2;
select b from (select a, b from o order by b desc) v where (a in (select x from p) or b = 8) and rownum <= 2;
---
B
10
9
B
10
9
B
8
5
B
10
9
B
8
5
B
10
9
B
8
5
B
10
9

# The keys need not be among the view's columns, and may be expressions; the sort's directions and NULLs stay.

select a from (select a from o order by mod(b, 4), b desc) where a in (select x from p) and rownum <= 3;
select a from (select a from o order by case when b > 7 then null else b end nulls first, a) where a in (select x from p) and rownum <= 3;
select c from (select distinct mod(b, 5) c from o order by -c) where c in (select x from p) and rownum <= 2;
select c from (select a c from o union all select x + 100 from p order by 1 desc) where c not in (select x from p) and rownum <= 3;
select c from (select mod(b, 3) c, max(b) from o group by mod(b, 3) order by max(b) desc) where c in (select x from p) and rownum <= 1;
---
A
6
3
4
A
3
6
5
C
4
3
C
106
105
104
C
1

# ROWNUM and windows over all rows in the select list.

select rownum r, b from (select a, b from o order by b desc) where a in (select x from p);
select r, b from (select rownum r, b from (select a, b from o order by b desc) where a in (select x from p)) order by r;
select r, b from (select row_number() over () r, b from (select a, b from o order by b desc) v where not exists (select 1 from p where p.x = v.a)) order by b;
select sum(r * b) n from (select rownum r, b from (select a, b from o order by b) v where exists (select 1 from p where p.x = v.a));
---
R | B
1 | 10
2 | 9
3 | 7
4 | 6
5 | 3
6 | 2
R | B
1 | 10
2 | 9
3 | 7
4 | 6
5 | 3
6 | 2
R | B
4 | 1
3 | 4
2 | 5
1 | 8
N
159

# A value of the select list, below ROWNUM, beside it and above it.

select rownum r, a, x from (select a, (select max(p.x) from p where p.x = v.a) x from (select a, b from o order by b desc) v);
select r, a, x from (select rownum r, a, x from (select a, (select max(p.x) from p where p.x = v.a) x from (select a, b from o order by b desc) v)) order by r;
select a, x from (select a, (select max(p.x) from p where p.x = v.a) x from (select a, b from o order by b desc) v) where rownum <= 4;
select rownum r, a, (select max(p.x) from p where p.x = v.a) x from (select a, b from o order by b desc) v where rownum <= 4;
---
R | A | X
1 | 3 | 3
2 | 6 | 6
3 | 9 | -
4 | 1 | 1
5 | 4 | 4
6 | 7 | -
7 | 10 | -
8 | 2 | 2
9 | 5 | 5
10 | 8 | -
R | A | X
1 | 3 | 3
2 | 6 | 6
3 | 9 | -
4 | 1 | 1
5 | 4 | 4
6 | 7 | -
7 | 10 | -
8 | 2 | 2
9 | 5 | 5
10 | 8 | -
A | X
3 | 3
6 | 6
9 | -
1 | 1
R | A | X
1 | 3 | 3
2 | 6 | 6
3 | 9 | -
4 | 1 | 1

select rownum r, a, (select max(p.x) from p where p.x = v.a) x from (select a, b from o order by b desc) v where rownum <= 4 order by a;
select r, a, (select max(p.x) from p where p.x = v.a) x from (select rownum r, a from (select a, b from o order by b desc) where rownum <= 4) v where a > 2;
select sum(b) n from (select b from (select a, b from o order by b desc) offset 3 rows);
select sum(b) n from (select b from (select a, b from o order by b desc) where a in (select x from p) offset 2 rows);
---
R | A | X
4 | 1 | 1
1 | 3 | 3
2 | 6 | 6
3 | 9 | -
R | A | X
1 | 3 | 3
2 | 6 | 6
3 | 9 | -
N
28
N
18

# Sequences.

create table n as select s.nextval id, b from (select a, b from o order by b desc) where a in (select x from p);
select id, b from n order by id;
insert into n select s.nextval, b from (select a, b from o order by b) v where not exists (select 1 from p where p.x = v.a);
select id, b from n where id > 6 order by id;
---
CREATE TABLE: 6 rows
ID | B
1 | 10
2 | 9
3 | 7
4 | 6
5 | 3
6 | 2
INSERT: 4 rows
ID | B
7 | 1
8 | 4
9 | 5
10 | 8

# An order further down than a limit, and one of a subquery.

select b from (select * from (select a, b from o order by b desc) where rownum <= 8) where a in (select x from p) and rownum <= 2;
select b from (select a, b from o order by b desc fetch first 8 rows only) where a in (select x from p) fetch first 2 rows only;
select b from (select rownum r, q.* from (select a, b from o order by b desc) q) where r in (select x from p) and rownum <= 3;
select a from o where b in (select b from (select a, b from o order by b desc) where a in (select x from p) and rownum <= 2) order by a;
select x from p where x in (select a from (select a, b from o order by b desc) where a in (select x from p) fetch first 2 rows only) order by x;
select (select max(b) from (select b from (select a, b from o order by b) where a in (select x from p) and rownum <= 2)) m from dual;
with v as (select a, b from o order by b desc) select b from v where a in (select x from p) and rownum <= 2;
---
B
10
9
B
10
9
B
10
9
8
A
3
6
X
3
6
M
3
B
10
9

# The sort stands once, where rows are taken by it; without that there is none.

explain plan for select b from (select a, b from o order by b desc) where a in (select x from p) and rownum <= 2;
select * from table(dbms_xplan.display(format => 'basic'));
explain plan for select sum(b) from (select a, b from o order by b desc) where a in (select x from p);
select * from table(dbms_xplan.display(format => 'basic'));
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3370481397
-
--------------------------------------
| Id  | Operation             | Name |
--------------------------------------
|   0 | SELECT STATEMENT      |      |
|   1 |  SORT ORDER BY STOPKEY|      |
|   2 |   HASH JOIN SEMI      |      |
|   3 |    TABLE ACCESS FULL  | O    |
|   4 |    TABLE ACCESS FULL  | P    |
--------------------------------------
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 313464045
-
------------------------------------
| Id  | Operation           | Name |
------------------------------------
|   0 | SELECT STATEMENT    |      |
|   1 |  SORT AGGREGATE     |      |
|   2 |   HASH JOIN SEMI    |      |
|   3 |    TABLE ACCESS FULL| O    |
|   4 |    TABLE ACCESS FULL| P    |
------------------------------------

# Changes of rows.

delete from o where b in (select b from (select a, b from o order by b desc) v where a in (select x from p) and rownum <= 2);
select b from o order by b;
update o set a = -a where a in (select a from (select a, b from o order by b desc) v where not exists (select 1 from p where p.x = v.a) fetch first 2 rows only);
select a, b from o where a < 0 order by a;
---
DELETE: 2 rows
B
1
2
3
4
5
6
7
8
UPDATE: 2 rows
A | B
-9 | 8
-7 | 5
