# A list of values beside the row of a subquery, and beside lists of lists.

create table t (a number, b number);
insert into t values (1, 1);
insert into t values (2, 3);
insert into t values (3, null);
create table u (x number, y number);
insert into u values (2, 3);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
CREATE TABLE
INSERT: 1 rows

select a from t where (a, b) = (select x, y from u);
---
A
2

select a from t where (a, b) <> (select x, y from u) order by a;
---
A
1
3

select a from t where not ((a, b) = (select x, y from u)) order by a;
---
A
1
3

select a from t where (a, b) = (select x, y from u where x = t.a);
---
A
2

select a from t where (a, b) = (select x, y from u where x = 9);
---
A

select a from t where not ((a, b) = (select x, y from u where x = 9));
---
A

select a from t where (a, b) = ((2, 3));
---
A
2

select a from t where (a, b) in ((1, 1), (select x, y from u)) order by a;
---
A
1
2

select a from t where (a, b) in ((select x, y from u), (1, 1)) order by a;
---
A
1
2

select a from t where (a, b) not in ((1, 1), (3, 4)) order by a;
---
A
2

select a from t where (a, b) = any (select x, y from u);
---
A
2

select a from t where (a, b) <> any (select x, y from u) order by a;
---
A
1
3

select a from t where (a, b) = all (select x, y from u);
---
A
2

select a from t where (a, b) <> all (select x, y from u) order by a;
---
A
1
3

select case when (a, b) = (select x, y from u) then 'same' else 'other' end c from t order by a;
---
C
other
same
other

insert into u values (1, 1);
---
INSERT: 1 rows

select a from t where (a, b) = (select x, y from u);
---
ORA-01427: single-row subquery returns more than one row

select a from t where (a, b) = (select x from u);
---
ORA-00947: not enough values: the subquery gives fewer columns than there are values [23]

select a from t where (a, b) > (select x, y from u);
---
ORA-01796: this operator cannot be used with lists: only = and <> can [23]

select a from t where (a, b) = 1;
---
ORA-00920: invalid relational operator: a list of values beside a single value [23]

delete from t where (a, b) = (select x, y from u where x = 2);
---
DELETE: 1 rows

select a from t order by a;
---
A
1
3

# Subqueries in lists and CASE; a query of WITH in several places; MINUS in a correlated one.

select a from t where a in (7, (select min(x) from u));
---
A
1

select a from t where a in ((select min(x) from u), 7);
---
A
1

select a from t where a not in ((select min(x) from u), 7);
---
A
3

select a, case (select max(x) from u where x = t.a) when 1 then 'one' else 'none' end c from t order by a;
with q as (select x from u) select a, (select max(x) from q) m, (select count(*) from q where q.x = t.a) c from t where a in (select x from q) order by a;
---
A | C
1 | one
3 | none
A | M | C
1 | 2 | 1

select a from t where exists (select t.a from dual minus select x from u) order by a;
---
A
3

select a, (select count(*) from (select x from u minus select 2 from dual)) c from t order by a;
---
A | C
1 | 1
3 | 1
