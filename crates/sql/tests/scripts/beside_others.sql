# What the differential test found.

create table t (a number not null, b number);
---
CREATE TABLE

create table e (x number);
---
CREATE TABLE

create table m (k number not null, v number);
---
CREATE TABLE

insert into t values (1, 1);
insert into t values (2, 2);
insert into t values (3, null);
---
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

insert into t values (2, 3);
---
INSERT: 1 rows

insert into e values (1);
---
INSERT: 1 rows

# A condition without columns above one row of an aggregate.

select count(*) c from t having not exists (select 1 from e);
---
C

select count(*) c from t having exists (select 1 from e where x = 5);
---
C

select count(*) c from t having (select count(*) from e) > 3;
---
C

select count(*) c from t having 1 in (select x from e);
---
C
4

select c from (select count(*) c from t) where not exists (select 1 from e);
---
C

select v.c from e join (select count(*) c from t) v on not exists (select 1 from e);
---
C

# Conditions on the keys of ROLLUP.

select a, count(*) c from t group by rollup(a) having not (a = a);
---
A | C

select * from (select a, count(*) c from t group by rollup(a)) where a = 1;
---
A | C
1 | 1

select a, count(*) c from t group by rollup(a) having a = 1;
---
A | C
1 | 1

# A key of ROLLUP that is constant below it.

select c from (select count(*) c from t) group by rollup(c) order by 1 nulls first;
---
C
-
4

select a from t where a = 2 group by rollup(a) order by a nulls first;
---
A
-
2

# A subquery that gives no row is NULL, whatever it selects.

select a from t where (select 1 from e where x = 5) is null order by a;
---
A
1
2
2
3

select a from t o where exists (select 1 from e where (select o.a from e where x = 5) is null) order by a;
---
A
1
2
2
3

# A list that begins with a subquery.

select a from t where a in ((select x from e), 3) order by a;
---
A
1
3

select a from t where a not in ((select x from e) + 0, 3) order by a;
---
A
2
2

select a from t where (a, b) in (((select x from e), 1), (3, 3)) order by a;
---
A
1

# Two inputs with a column name in common, and a condition on the one that may be missing.

create table p (u varchar2(9), k number, d number);
---
CREATE TABLE

insert into p values ('ab', 1, 1);
insert into p values ('cb', 2, 0);
insert into p values (null, 3, 1);
insert into p values ('ab', 4, 0);
---
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select q1.u, q3.k, q3.u from p q1 right join p q3 on q1.d = q3.d join e on exists (select 1 from e) where q1.u like 'ab%' order by q1.k, q3.k;
---
U | K | U
ab | 1 | ab
ab | 3 | -
ab | 2 | cb
ab | 4 | ab

# No row, no NULL.

insert into m (v) select x from e where x > 5;
---
INSERT: 0 rows

insert into m (v) select x from e;
---
ORA-01400: cannot insert NULL into ("SYSTEM"."M"."K")

merge into m using (select x from e where x > 5) n on (m.k = n.x) when not matched then insert (v) values (n.x);
---
MERGE: 0 rows

merge into m using e n on (m.k = n.x) when not matched then insert (v) values (n.x);
---
ORA-01400: cannot insert NULL into ("SYSTEM"."M"."K")

# HAVING alone.

select 7 c from t having (select max(x) from e) = 1;
---
C
7

select 7 c from t having (select max(x) from e) = 2;
---
C

select a, (select t.a from e having t.a > 1) v from t order by a;
---
A | V
1 | -
2 | 2
2 | 2
3 | 3
