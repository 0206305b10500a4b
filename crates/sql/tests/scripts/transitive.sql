# Conditions that follow from others, over all kinds of joins; semi-joins with a unique side.

create table o (id number primary key, c number, k varchar2(5), f char(5));
create table l (id number, n number, q number, k varchar2(5), f char(5));
create table p (id number unique, c number);
insert into o select level, mod(level, 3), 'k' || mod(level, 4), 'f' || mod(level, 4) from dual connect by level <=
  12;
insert into l select mod(level, 8), level, level * 10, 'k' || mod(level, 5), 'f' || mod(level, 5) from dual connect
  by level <= 30;
insert into l values (null, 99, 990, null, null);
insert into l values (3, null, null, 'k1', 'f1');
insert into p select level, 1 from dual connect by level <= 5;
insert into p values (null, 1);
insert into p values (null, 2);
create index l_id on l (id);
commit;
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
INSERT: 12 rows
INSERT: 30 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 5 rows
INSERT: 1 rows
INSERT: 1 rows
CREATE INDEX
COMMIT

# A grouping on the right side; no group for 10.

select o.id, (select sum(q) from l where l.id = o.id) s, (select count(*) from l where l.id = o.id) n from o where
  o.id = 3;
---
ID | S | N
3 | 600 | 5

select o.id, (select sum(q) from l where l.id = o.id) s, (select count(*) from l where l.id = o.id) n from o where
  o.id = 10;
---
ID | S | N
10 | - | 0

select o.id, (select count(*) from l where l.id = o.id and l.q > 100) n from o where o.id in (3, 10) order by 1;
---
ID | N
3 | 3
10 | 0

update o set c = (select sum(q) from l where l.id = o.id) where id = 3;
---
UPDATE: 1 rows

update o set c = (select count(*) from l where l.id = o.id) where id = 10;
---
UPDATE: 1 rows

select id, c from o where id in (3, 10) order by 1;
---
ID | C
3 | 600
10 | 0

rollback;
---
ROLLBACK

# Semi-joins and anti-joins.

select count(*), sum(n) from l where id in (select id from o where id = 3);
---
COUNT(*) | SUM(N)
5 | 60

select count(*), sum(n) from l where id in (select id from o where c = 1);
---
COUNT(*) | SUM(N)
11 | 161

select count(*), sum(n) from l where exists (select 1 from o where o.id = l.id and o.id = 3);
---
COUNT(*) | SUM(N)
5 | 60

select count(*), sum(n) from l where not exists (select 1 from o where o.id = l.id and o.id = 3);
---
COUNT(*) | SUM(N)
27 | 504

select count(*), sum(n) from l where id not in (select id from o where id = 3);
---
COUNT(*) | SUM(N)
26 | 405

select count(*), sum(n) from l where id = 3 and not exists (select 1 from o where o.id = l.id);
---
COUNT(*) | SUM(N)
0 | -

select count(*), sum(n) from l where id = 0 and not exists (select 1 from o where o.id = l.id);
---
COUNT(*) | SUM(N)
3 | 48

select count(*), sum(n) from l where id = 3 and id not in (select id from p);
---
COUNT(*) | SUM(N)
0 | -

select count(*), sum(n) from l where id = 3 and id not in (select id from p where id is not null);
---
COUNT(*) | SUM(N)
0 | -

select count(*), sum(n) from l where id = 7 and id not in (select id from p where id is not null);
---
COUNT(*) | SUM(N)
3 | 45

# A unique key with NULLs.

select count(*), sum(n) from l where id in (select id from p where c = 1);
---
COUNT(*) | SUM(N)
21 | 300

select count(*), sum(n) from l where id in (select id from p where c = 2);
---
COUNT(*) | SUM(N)
0 | -

select count(*) from l where (id, 1) in (select id, c from p);
---
COUNT(*)
21

select count(*) from p where id in (select id from p where c = 1);
---
COUNT(*)
5

select l.n from l where l.id in (select p.id from p) and l.id in (select o.id from o where o.c = 1) and l.n < 10
  order by 1;
---
N
1
4
9

# The key under another name, behind a view, and with a condition of two tables.

select count(*) from l where id in (select x from (select id x, c from o) where c = 1);
---
COUNT(*)
11

select count(*) from l where exists (select 1 from o where o.id = l.id and o.c < l.n and o.c = 1);
---
COUNT(*)
10

select count(*) from l where id in (select o.id from o, p where o.id = p.id and o.c = 1);
---
COUNT(*)
8

select count(*) from l where id in (select distinct id from p);
---
COUNT(*)
21

# Not unique: a row has several partners, and comes once.

select count(*) from o where id in (select id from l);
---
COUNT(*)
7

select count(*) from o where exists (select 1 from l where l.id = o.id and l.id = 3);
---
COUNT(*)
1

# Outer joins: the side that may be missing.

select o.id, l.n from o left join l on l.id = o.id and l.n < 12 where o.id = 3 order by 2;
---
ID | N
3 | 3
3 | 11

select o.id, l.n from o left join l on l.id = o.id and l.n < 0 where o.id = 3;
---
ID | N
3 | -

select o.id, l.n from o left join l on l.id = o.id and o.id = 3 where o.id in (3, 4) and nvl(l.n, 1) < 12 order by
  1, 2;
---
ID | N
3 | 3
3 | 11
3 | -
4 | -

select o.id, l.n from l right join o on l.id = o.id where o.id = 10;
---
ID | N
10 | -

select o.id, p.id, l.n from o full join p on o.id = p.id left join l on l.id = p.id where o.id = 2 and nvl(l.n, 0) <
  12 order by 3;
---
ID | ID | N
2 | 2 | 2
2 | 2 | 10

select a.id, b.id, c.id from o a left join p b on b.id = a.id left join p c on c.id = b.id where a.id = 7;
---
ID | ID | ID
7 | - | -

# Kinds that compare with blanks or without.

select count(*) from o, l where o.f = l.f and o.f = 'f1';
---
COUNT(*)
21

select count(*) from o, l where o.k = l.k and o.k = 'k1';
---
COUNT(*)
21

select count(*) from o, l where o.f = l.k and o.f = 'f1';
---
COUNT(*)
0

select count(*) from o where o.f in (select k from l where k = 'k1');
---
COUNT(*)
0

select o.id from o where exists (select 1 from l where l.f = o.f and l.f = 'f3   ') order by 1;
---
ID
3
7
11

# Groupings of other columns, with totals.

select x.id, x.s from o, (select id, sum(q) s from l group by id) x where x.id = o.id and o.id = 3;
---
ID | S
3 | 600

select x.id, x.s from o, (select id, sum(q) s from l group by rollup(id)) x where x.id = o.id and o.id = 3;
---
ID | S
3 | 600

select x.id, x.s from o left join (select id, sum(q) s from l group by rollup(id)) x on x.id = o.id where o.id = 3;
---
ID | S
3 | 600

select x.id, x.s from o, (select distinct id, 1 s from l) x where x.id = o.id and o.id = 3;
---
ID | S
3 | 1

select x.id, x.r from o, (select id, rownum r from l where n < 4) x where x.id = o.id and o.id = 3;
---
ID | R
3 | 3

select x.id, x.r from o, (select id, row_number() over (order by n) r from l) x where x.id = o.id and o.id = 3 and
  x.r < 12 order by 2;
---
ID | R
3 | 3
3 | 11

# A table is read to its end before rows of it come, also by loops.

create index l_k on l (k);
---
CREATE INDEX

insert into l (id, n, k) select /*+ leading(p) use_nl(l) */ p.id + 100, l.n, l.k from p, l where l.k = 'k' || p.c;
---
INSERT: 48 rows

insert into l (id, n, k) select /*+ leading(p) use_nl(l) */ l.id, 500, l.k from p, l where l.id = p.id + 100;
---
INSERT: 35 rows

select count(*), sum(id), count(distinct n) from l where id > 100;
---
COUNT(*) | SUM(ID) | COUNT(DISTINCTN)
70 | 7210 | 7

insert into l (id, n) select id, n from l where id in (select id from p) and n > (select avg(n) from l);
---
INSERT: 0 rows

delete from l where id in (select id from p) and n in (select n from l where id > 100);
---
DELETE: 4 rows

update l set q = (select max(x.q) + 1 from l x where x.id = l.id) where id = 3 and q in (select q from l where id =
  3);
---
UPDATE: 3 rows

select count(*), sum(id), sum(n), sum(q) from l;
---
COUNT(*) | SUM(ID) | SUM(N) | SUM(Q)
111 | 7307 | 18578 | 5373

rollback;
---
ROLLBACK

# A subquery within a subquery, neither a join: the inner one refers to the outermost query.

select o.id from o where o.id = -1 or exists (select 1 from p where p.id = 1 and (p.c = 99 or exists
  (select 1 from l where l.n = p.c + o.id and l.n < 5))) order by 1;
---
ID
1
2
3

update p set c = 100 where id = -1 or exists (select 1 from o where o.id = 1 and (o.c = 99 or exists
  (select 1 from l where l.n = 1 and l.n + 2 = p.id)));
---
UPDATE: 1 rows

select id from p where c = 100;
---
ID
3
