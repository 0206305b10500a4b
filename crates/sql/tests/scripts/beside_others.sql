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

# A condition that loses its columns on its way down stays above an aggregate that gives a row of no rows.

create table g (k number, v varchar2(9));
---
CREATE TABLE

insert into g values (1, 'x');
insert into g values (2, 'y');
insert into g values (3, 'x');
---
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select v from g where 2 = any (select 1 from g group by cube(v));
---
V

select v from g where 2 in (select 1 from g group by rollup(v));
---
V

select (select count(*) from g having (select max(k) from g) < 1) n from g where k = 1;
---
N
-

select (select 1 from g having not exists (select 1 from g)) n from g where k = 1;
---
N
-

select (select 'a' from (select max(k) m from g) where 5 = (select max(7) from g)) n from g where k = 1;
---
N
-

select * from (select count(*) n, 1 c from g) where c < 0;
---
N | C

# What is known of the keys of one side of a join says nothing of the other side.

select distinct a.k, b.* from g a, (select distinct 1 c, v from g) b order by 3, 2, 1 desc;
---
K | C | V
3 | 1 | x
2 | 1 | x
1 | 1 | x
3 | 1 | y
2 | 1 | y
1 | 1 | y

select distinct v from (select a.k, b.v from g a, (select distinct v from g) b group by a.k, b.v) order by v;
---
V
x
y

select count(*) n from (select distinct v from (select a.k, b.v from g a, (select distinct v from g) b group by a.k, b.v));
---
N
2

# A constant that comes into a condition is compared as one that was written there.

select k from g where nullif(2, 3) between k and k and k = 2;
---
K
2

select k from (select 2 two, k from g) where two = k and k = 2;
---
K
2

select k from (select to_number(null) none, k from g) where k > none and k > 1;
---
K

# A CASE that is NULL whatever its columns are is in no join with a subquery's rows, and none of its kind is NOT IN them.

select k from g where case when 'ab' > 'b' then decode(k, k, 1, 1) end <> all (select 1 from g);
select k from g where case when 'ab' > 'b' then k end not in (select 1 from g);
select k from g where case when k > 5 then k end not in (select 1 from g where 1 = 2) order by k;
delete from g where case when 'ab' > 'b' then decode(k, k, 1, 1) end <> all (select 1 from g);
---
K
K
K
1
2
3
DELETE: 0 rows

# The value of a correlated subquery may be called like a column of the correlation.

select k from g where k = (select min(q.k) k from (select k from g) q where q.k = g.k) order by k;
select k from g where k >= (select max(7) c0 from (select 1 c0 from g) q where g.k in (q.c0)) order by k;
select nvl((select min(5) c0 from (select k c0 from g) q where g.k in (q.c0)), 0) n from g order by 1;
---
K
1
2
3
K
N
5
5
5

# A window's keys may be constant, or equal to expressions by a condition.

select dense_rank() over (partition by k) r from g where least(k, k) = k;
select k, sum(k) over (partition by v, k order by k) s from g where v = 'x' and v || '' = v order by k;
select count(*) over (partition by upper(v), v order by k) c from g where upper(v) = v;
select count(*) over (partition by c order by k) c from (select 1 c, k from g) order by 1;
---
R
1
1
1
K | S
1 | 1
3 | 3
C
C
1
2
3

# The values of a window's aggregate are not sorted with its rows where they may be NULL.

select max(k) over (order by k rows between 2 preceding and 1 preceding) m from g order by 1;
select k, min(k) over (order by k desc rows between 1 following and 2 following) m from g order by 2, 1;
select * from (select max(k) over (order by k rows between 2 preceding and 1 preceding) m from g) where m is null or m > 1 order by m;
---
M
1
2
-
K | M
2 | 1
3 | 1
1 | -
M
2
-

# A subquery's count beside the query's own.

select case when (select count(k) from g where 7 in (select k from g)) = 0 then count(*) end n from g group by v order by 1;
select q.k, nvl((select p.k from g p where p.k = q.k), 0) p, count(*) n from g q group by q.k order by 1;
---
N
1
2
K | P | N
1 | 1 | 1
2 | 2 | 1
3 | 3 | 1
