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
ORA-00932: inconsistent data types: expected NUMBER, got VARCHAR2 [7]
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
