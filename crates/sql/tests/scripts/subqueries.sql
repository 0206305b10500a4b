-- Subqueries in every place, correlated in every way.
create table o (a number, b number);
insert into o values (1, 1);
insert into o values (2, 3);
create table x (id number);
insert into x values (10);
create table y (id number);
insert into y values (1);
create table n (x number);
insert into n values (null);
create table r (a number);
insert into r values (2);
insert into r values (3);
-- Two inner tables with a column name in common.
select a from o where exists (select 1 from x, y where y.id = o.a and x.id > o.b);
select a from o where exists (select * from x, y where y.id = o.a and x.id > o.b);
-- NULLs under OR.
select a from o where a not in (select x from n) or a = 99;
select a from o where not (a in (select x from n)) or a = 2;
-- An aggregate always gives a row.
select a from o where exists (select count(*) from y where y.id = o.a) order by a;
select a from o where not exists (select max(id) from y where y.id = o.a);
select a from o where 0 in (select count(*) from y where y.id = o.a);
select a from o where a in (select count(*) + 2 from y where y.id = o.a);
-- Windows, groups, limits and set operators inside.
select a, (select sum(b) over (order by b) from o i where i.a = o.a) s from o order by a;
select a, (select max(i.b) from o i where i.a = o.a group by i.a) m from o order by a;
select a, (select i.b from o i where i.a <= o.a order by i.b desc fetch first 1 rows only) m from o order by a;
select a from o where exists (select o.a from dual minus select id from y) order by a;
select a from o where a in (select id from y union all select o.b - 1 from dual) order by a;
-- A value although there is no row.
select a, nvl((select nvl(max(b), 0) from o i where i.a = o.a + 10), 7) v from o order by a;
select a, nvl((select nvl(max(b), 0) from o i where i.a = o.a + 10 having count(*) > 0), 7) v from o order by a;
select a, (select count(*) from o i where i.a = o.a + 10) c, (select count(*) + 1 from o i where i.a = o.a) d from o order by a;
-- Other comparisons, and two levels.
select a, (select count(*) from o i where i.a < o.a) c, (select count(*) from o i where i.a <> o.a) d from o order by a;
select a from o where exists (select 1 from y where exists (select 1 from x where x.id > o.a and y.id = o.a));
select a, (select (select max(x.id + y.id + o.a) from x) from y) v from o order by a;
select a from o where b > (select avg(i.b) from o i where i.b <= o.b and exists (select 1 from y where y.id <= i.a + o.a));
-- Lists, CASE, select lists of the correlation.
select a from o where (a, b) in (select id, id from y);
select a from o where (a, b) not in (select id, id from y);
select a from o where (a, b) not in (select id, null from y);
select a from o where (a, b) not in (select id + 5, null from y) order by a;
select a, case when a in (select id from y) then 'in' else 'out' end c, case when exists (select 1 from y where id = o.a) then 1 else 0 end e from o order by a;
select a from o where exists (select * from y where id = a);
select a from o where exists (select o.b from y where y.id = o.a);
select a from o where a >= all (select id from y where id <= o.b) order by a;
select a from o where a > any (select id from y union select 0 from dual where o.b = 1) order by a;
select a from o where a <> all (select x from n);
select a from o where a = any (select id from y);
with q as (select id from y) select a, (select count(*) from q where q.id = o.a) c, (select max(id) from q) m from o order by a;
select a, (select id from y where y.id = o.a) i, (select id from y where y.id <= o.a) j from o order by a;
select a, (select i.a from o i where i.b <= o.b) v from o order by a;
commit;
-- Changes.
update o set b = (select max(id) from x where x.id > o.a) where not exists (select 1 from x, y where y.id = o.a and x.id > o.b);
select * from o order by a;
delete from o where (a, b) in (select 2, id from x);
select * from o order by a;
rollback;
-- Lists of values that are no literals.
select a from o where a in (1, 2) and a not in (b) order by a;
select a from o where a in (1, 5) and a in (b, 7) order by a;
select a from o where a + 0 in (nullif(b, 9), 7) order by a;
select a from o where not (a in (1, null) and a not in (1)) order by a;
select a from o where a not in (2, null);
-- Constants of the side of an outer join that may be NULL.
select nvl(to_char(q.k), 'none') k from (select 7 k, a from o) q right join r on q.a = r.a order by q.k desc fetch first 1 rows only;
select nvl(to_char(q.k), 'none') k from (select 7 k, a from o) q right join r on q.a = r.a order by q.k fetch first 1 rows only;
select nvl(to_char(q.k), 'none') k from r left join (select a k from o where a = 2) q on q.k = r.a order by q.k nulls first;
-- One precedence.
create table s (c number);
insert into s values (1);
select c from s union all select c from s intersect select 1 from dual;
select 1 from dual union all select 2 from dual minus select 2 from dual;
select 1 from dual union all (select 2 from dual intersect select 2 from dual);
-- (+) beside the only table.
select a from o where a(+) = 77;
-- Values that have to agree.
select nvl(1, 'a') from dual;
select nvl(date '2024-01-01', 'x') from dual;
select case 1 when '1' then 2 end from dual;
select lag(a, -1) over (order by a) from o;
select nvl(null, 'x') || nvl('y', 'z') || coalesce(null, null, 'q') n, nullif(1, 1) i, nullif('a', 'b') j, coalesce(1, 1 / 0) k from dual;
select upper('straße') u, lower('İX') l, initcap('ßa') i, dump('a') d, to_char(123, '9V99') t, to_char(1.5, '9V99') v from dual;
select trim('xy' from 'xyaxy') from dual;
select trim('x' from 'xax') from dual;
select a from o where rowid = 'x';
select a, nvl(a, 0) x, nullif(a, 2) y, coalesce(nullif(a, 2), nullif(b, 3), 9) z from o order by a;
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
CREATE TABLE
INSERT: 1 rows
CREATE TABLE
INSERT: 1 rows
CREATE TABLE
INSERT: 1 rows
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
A
1
A
1
A
A
2
A
1
2
A
A
2
A
2
A | S
1 | 1
2 | 3
A | M
1 | 1
2 | 3
A | M
1 | 1
2 | 3
A
2
A
1
2
A | V
1 | 0
2 | 0
A | V
1 | 7
2 | 7
A | C | D
1 | 0 | 2
2 | 0 | 2
A | C | D
1 | 0 | 1
2 | 1 | 1
A
1
A | V
1 | 12
2 | 13
A
2
A
1
A
2
A
2
A
1
2
A | C | E
1 | in | 1
2 | out | 0
A
1
A
1
A
1
2
A
1
2
A
A
1
A | C | M
1 | 1 | 1
2 | 0 | 1
A | I | J
1 | 1 | 1
2 | - | 1
ORA-01427: single-row subquery returns more than one row
COMMIT
UPDATE: 1 rows
A | B
1 | 1
2 | 10
DELETE: 1 rows
A | B
1 | 1
ROLLBACK
A
2
A
1
A
1
A
1
A
K
none
K
7
K
none
2
CREATE TABLE
INSERT: 1 rows
C
1
1
1
1
1
2
A
ORA-01722: invalid number
ORA-01858: a non-numeric character was found where a numeric was expected
ORA-00932: inconsistent datatypes: expected NUMBER got CHAR [7]
ORA-01428: argument '-1' is out of range [7]
N | I | J | K
xyq | - | a | 1
U | L | I | D | T | V
STRAßE | İx | ßa | Typ=96 Len=1: 97 | #### |  150
ORA-30001: trim set should have only one character [12]
TRIM('X'FROM'XAX')
a
ORA-01410: invalid ROWID [22]
A | X | Y | Z
1 | 1 | 1 | 1
2 | 2 | - | 9

# Correlated subqueries within aggregates and windows, several of them with columns of one name.

create table t4 (id number, a number, b number);
create table u4 (id number, a number, c number);
insert into t4 values (1, 1, 10);
insert into t4 values (2, 2, 20);
insert into t4 values (3, 2, 0);
insert into t4 values (4, 0, 5);
insert into u4 values (1, 1, 100);
insert into u4 values (2, 2, 200);
insert into u4 values (3, 2, 300);
---
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select max((select max(q.id) from u4 q where t.a <> 0)) m from t4 t;
select max((select max(q.id) from u4 q where q.a = t.a)) m, sum((select max(q.id) from u4 q where q.a < t.a)) n, count((select max(q.id) from u4 q where q.a = t.a)) k from t4 t;
select max((select max(q.id) from u4 q)) m, max((select min(q.id) id from u4 q)) n, min((select max(q.id) from u4 q)) + 1 k from t4 t;
select a, sum((select count(*) from u4 q where q.a = t.a)) m from t4 t group by a order by a;
select a, sum((select count(*) from u4 q where q.a = t.a)) m from t4 t group by a order by sum((select count(*) from u4 q where q.a = t.a)) desc, a;
select a, max((select max(q.id) from u4 q where q.a = t.a)) m from t4 t group by rollup(a) order by a;
select max(sum((select count(*) from u4 q where q.a = t.a))) m from t4 t group by a;
select a from t4 t group by a having max((select max(q.c) from u4 q where q.a = t.a)) > 100 order by a;
select a from t4 t group by a having (select count(*) from u4 q where q.a = t.a) = sum((select count(*) from u4 q where q.a = t.a and t.id < 3)) and a > 0 order by a;
select count(distinct (select max(q.id) from u4 q where q.a = t.a)) m, sum(case when exists (select 1 from u4 q where q.a = t.a) then 1 else 0 end) n, sum(case when t.a in (select q.a from u4 q where q.c > t.b) then t.b end) k from t4 t;
---
M
3
M | N | K
3 | 2 | 3
M | N | K
3 | 1 | 4
A | M
0 | 0
1 | 1
2 | 4
A | M
2 | 4
1 | 1
0 | 0
A | M
0 | -
1 | 1
2 | 3
- | 3
M
4
A
2
A
1
2
M | N | K
2 | 3 | 30

select id, sum(b) over (partition by (select max(q.id) from u4 q where t.a <> 0)) m from t4 t order by id;
select id, max((select max(q.id) from u4 q where q.a = t.a)) over (order by id) m, max((select max(q.id) from u4 q where q.a < t.a)) over (order by id) n from t4 t order by id;
select id, rank() over (order by (select max(q.c) from u4 q where q.a = t.a) desc nulls last, id) r from t4 t order by r;
select id, max((select max(q.id) from u4 q where q.a = t.a)) over (order by id) + 1 m from t4 t order by max((select max(q.id) from u4 q where q.a = t.a)) over (order by id), id;
select a, max(max((select max(q.id) from u4 q where q.a = t.a))) over () m, max(sum((select count(*) from u4 q where q.a = t.a))) over (order by a) n from t4 t group by a order by a;
---
ID | M
1 | 30
2 | 30
3 | 30
4 | 5
ID | M | N
1 | 1 | -
2 | 3 | 1
3 | 3 | 1
4 | 3 | 1
ID | R
2 | 1
3 | 2
1 | 3
4 | 4
ID | M
1 | 2
2 | 4
3 | 4
4 | 4
A | M | N
0 | 3 | 0
1 | 3 | 1
2 | 3 | 4

# Beside aggregates a subquery may refer to what rows are grouped by, and to nothing else.

select (select max(t1.a) + (select max(t2.a) + 1 from t4 t2 where t2.a = t1.a) from t4 t1 where t1.a = t0.a) x from t4 t0;
select max(a), (select max(q.id) from u4 q where q.a = t.a) x from t4 t;
select a, max(b), (select max(q.id) from u4 q where q.a = t.a) x from t4 t group by a order by a;
select a, max(b), (select max(q.id) from u4 q where q.a = t.b) x from t4 t group by a order by a;
select a, max(b) from t4 t group by a having exists (select 1 from u4 q where q.a = t.b) order by a;
select a, max(b) from t4 t group by a having exists (select 1 from u4 q where q.a = t.a and exists (select 1 from u4 r where r.id = t.id)) order by a;
select a, max(b) from t4 t group by a having a in (select q.a from u4 q where q.a = t.a) order by a;
select (select max(t1.a) + (select max(t2.a) + 1 from t4 t2 where t2.a = t0.a) from t4 t1 where t1.a = t0.a) x from t4 t0 order by id;
select a + 1 c, max(b), (select max(q.id) from u4 q where q.a = t.a + 1) x from t4 t group by a + 1 order by c;
---
ORA-00937: not a single-group group function: column A [15]
ORA-00937: not a single-group group function: column A [16]
A | MAX(B) | X
0 | 5 | -
1 | 10 | 1
2 | 20 | 3
ORA-00979: not a GROUP BY expression: column B [19]
ORA-00979: not a GROUP BY expression: column B [53]
ORA-00979: not a GROUP BY expression: column ID [53]
A | MAX(B)
1 | 10
2 | 20
X
3
5
5
1
ORA-00979: not a GROUP BY expression: column A [25]

# EXISTS over rows that are distinct and come in an order.

select a from t4 q where exists (select id c0, sum(r.a) over (order by r.id desc) c1 from u4 r union select 1 c0, -1 c1 from t4 x left join (u4 y join u4 z on not (-1 <> 1.5)) on x.id = y.a where x.id <> z.a) order by id;
select a from t4 q where exists (select distinct r.a from u4 r where r.a <= q.a) order by id;
select count(*) c from (select distinct a from (select a from u4 order by a) fetch first 1 rows only);
---
A
1
2
2
0
A
1
2
2
C
1

# The value of a subquery that has no row is NULL, also where the planner makes a literal of it.

create table nothing (u varchar2(3));
create table one (a number, e date);
insert into one values (1, date '2024-02-29');
select one.e from (select distinct (select to_date('2024-02-29', 'YYYY-MM-DD') d from nothing) c0, max(to_date('2024-02-29', 'YYYY-MM-DD')) c2 from nothing) q full join one other on q.c2 = other.e join one on other.a = one.a;
select q.c0, one.a from (select distinct (select upper('x') d from nothing) c0, max(to_date('2024-02-29', 'YYYY-MM-DD')) c2 from nothing) q full join one on q.c2 = one.e order by one.a;
select count(*) from one where (select to_date('2024-02-29', 'YYYY-MM-DD') d from nothing) is null;
---
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
E
29-FEB-24
C0 | A
- | 1
- | -
COUNT(*)
1
