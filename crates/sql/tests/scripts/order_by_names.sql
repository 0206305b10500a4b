# Names of the select list in expressions of ORDER BY: before columns of the same name, unless these are qualified.

create table t (a number, b number);
insert into t values (1, 30);
insert into t values (2, 20);
insert into t values (3, 10);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select a x, b from t order by x + 1 desc;
---
X | B
3 | 10
2 | 20
1 | 30

select -a a, b from t order by a + 0;
---
A | B
-3 | 10
-2 | 20
-1 | 30

select -a a, b from t order by t.a + 0;
---
A | B
-1 | 30
-2 | 20
-3 | 10

select a x from t order by case when x = 2 then 0 else x end;
---
X
2
1
3

select b x, sum(a) s from t group by b order by s * -1, x + 0;
---
X | S
10 | 3
20 | 2
30 | 1

select sum(a) a from t group by b order by sum(a) desc;
---
A
3
2
1

select a x from t order by (select max(b) from t i where i.a = t.a) + x;
---
X
3
2
1

# Where a name is no name.

select a x, b x from t order by x + 1;
---
ORA-00960: ambiguous column naming in select list: X [32]

select a x from t order by (select x from dual);
---
ORA-00904: "X": invalid identifier [35]

select a x from t where x = 1;
---
ORA-00904: "X": invalid identifier [24]

# An item that is written again is that item, though its own name hides the column in it.

create table hidden_names (s varchar2(5), d date);
insert into hidden_names values ('xba', date '2024-02-01');
insert into hidden_names values ('yab', date '2024-01-01');
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows

select substr(s, 2) s from hidden_names order by substr(s, 2);
---
S
ab
ba

select distinct upper(s) s from hidden_names order by upper(s) desc;
---
S
YAB
XBA

select to_char(d, 'YYYY-MM') d, count(*) from hidden_names group by to_char(d, 'YYYY-MM') order by to_char(d, 'YYYY-MM');
---
D | COUNT(*)
2024-01 | 1
2024-02 | 1

# Beside DISTINCT, made of what the select list gives.

select distinct a x from t order by x + 1 desc;
---
X
3
2
1

select distinct a, b from t order by a * b, a;
---
A | B
1 | 30
3 | 10
2 | 20

select distinct mod(a, 2) m from t order by mod(a, 2) * -1;
---
M
1
0

select distinct a x, b from t order by case when x = 2 then 0 else t.a end, b;
---
X | B
2 | 20
1 | 30
3 | 10

select distinct sum(b) s from t group by a order by s * -1;
---
S
30
20
10

select distinct mod(a, 2) m, count(*) over () n from t order by n - mod(a, 2);
---
M | N
1 | 3
0 | 3

select distinct a from t order by null, a desc;
---
A
3
2
1

select distinct a, (select max(b) from t) m from t order by (select max(b) from t) - a;
---
A | M
3 | 30
2 | 30
1 | 30

select distinct a x from t order by x + b;
---
ORA-01791: not a SELECTed expression: ORDER BY beside DISTINCT

select distinct a + 1 x from t order by a;
---
ORA-01791: not a SELECTed expression: ORDER BY beside DISTINCT

select distinct a x from t order by x + dbms_random.value;
---
ORA-01791: not a SELECTed expression: ORDER BY beside DISTINCT

select distinct a x from t order by (select max(b) from t i where i.a = t.a);
---
ORA-01791: not a SELECTed expression: ORDER BY beside DISTINCT

# Values that are new with each evaluation: each item has its own, though they look alike.

create table drawn as select rownum k, x, y from (select dbms_random.value x, dbms_random.value y from dual connect by level <= 50 order by x + y);
select count(*) from drawn d, drawn e where d.k < e.k and d.x + d.y > e.x + e.y or d.x = d.y;
drop table drawn;
create table drawn as select rownum k, x, y from (select dbms_random.value x, dbms_random.value y from dual connect by level <= 50 order by y + 0);
select count(*) from drawn d, drawn e where d.k < e.k and d.y > e.y;
drop table drawn;
create table drawn as select rownum k, x, y from (select distinct dbms_random.value(0, 100) x, dbms_random.value(0, 100) y from dual connect by level <= 50 order by y + 0);
select count(*) from drawn d, drawn e where d.k < e.k and d.y > e.y;
drop table drawn;
create table drawn as select rownum k, x from (select trunc(dbms_random.value(0, 100)) x from dual connect by level <= 50 order by x);
select count(*) from drawn d, drawn e where d.k < e.k and d.x > e.x;
---
CREATE TABLE: 50 rows
COUNT(*)
0
DROP TABLE
CREATE TABLE: 50 rows
COUNT(*)
0
DROP TABLE
CREATE TABLE: 50 rows
COUNT(*)
0
DROP TABLE
CREATE TABLE: 50 rows
COUNT(*)
0
