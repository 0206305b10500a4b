-- NOT IN and <> ALL with NULLs: what is not known to be absent is not taken for absent.
create table t (a number, b number);
insert into t values (1, 1);
insert into t values (2, null);
-- No rows: 5 may be the NULL.
select a from t where 5 not in (select b from t);
select a from t where 1+4 not in (select b from t);
select a from t where 'q' not in (select to_char(b) from t);
select a from t where (select 5 from dual) not in (select b from t);
select a from t where not 5 in (select b from t);
select a from t where not (5 = any (select b from t));
select a from t where 5 <> all (select b from t);
select a from t where null not in (select 1 from dual);
select a from t x where 5 not in (select b from t where t.a >= x.a);
select a from t where a not in (select b from t);
select a from t where not (5 not in (select b from t));
update t set a = a where 5 not in (select b from t);
-- All rows: nothing to be equal to, or known to differ.
select a from t where null not in (select 1 from dual where 1 = 2) order by a;
select a from t where 5 not in (select b from t where b is not null) order by a;
select a from t where 5 not in (select b from t) or a > 0 order by a;
-- Some.
select a from t where a not in (select b from t where b is not null);
select a from t x where a + 5 not in (select b from t where t.a = x.a);
select a from t x where a + 5 not in (select nvl(b, 7) from t where t.a = x.a);
-- Aggregates in two phases, and above a union.
create table g (a number, b varchar2(5), c number);
insert into g select mod(level, 2), 'v' || level, level from dual connect by level <= 6;
select a, listagg(b, ',') within group (order by c desc) l, median(c) m, variance(c) v, sum(distinct mod(c, 2)) d, sum(c) s from g group by rollup(a) order by a;
select listagg(b, ',') within group (order by b) l, median(c), variance(c), sum(distinct c), count(*) from (select b, c from g union all select b, c from g);
select count(*) from (select a from t union all select c from g) where rownum <= 3;
select * from (select a x from t order by a desc) union all select c from g;
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
A
A
A
A
A
A
A
A
A
A
A
UPDATE: 0 rows
A
1
2
A
1
2
A
1
2
A
2
A
1
A
1
CREATE TABLE
INSERT: 6 rows
A | L | M | V | D | S
0 | v6,v4,v2 | 4 | 4 | 0 | 12
1 | v5,v3,v1 | 3 | 4 | 1 | 9
- | v6,v5,v4,v3,v2,v1 | 3.5 | 3.5 | 1 | 21
L | MEDIAN(C) | VARIANCE(C) | SUM(DISTINCTC) | COUNT(*)
v1,v1,v2,v2,v3,v3,v4,v4,v5,v5,v6,v6 | 3.5 | 3.18181818181818181818181818181818181818 | 21 | 12
COUNT(*)
3
X
1
2
1
2
3
4
5
6
