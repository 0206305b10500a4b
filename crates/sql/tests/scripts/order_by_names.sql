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
