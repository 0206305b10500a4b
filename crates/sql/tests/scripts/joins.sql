# The order and the methods of joins, histograms, and hints about them.

create table region (id number primary key, name varchar2(10));
create table shop (id number primary key, region_id number, name varchar2(20), code char(6));
create table sale (id number primary key, shop_id number, day date, status varchar2(10), amount number);
create index sale_shop on sale (shop_id);
create index sale_status on sale (status);
insert into region select level, 'r' || level from dual connect by level <= 4;
insert into shop select level, mod(level, 4) + 1, 'shop ' || level, 'c' || mod(level, 10) from dual connect by level <= 200;
insert into sale select level, mod(level, 200) + 1, date '2024-01-01' + mod(level, 365), case when mod(level, 500) = 0 then 'open' else 'done' end, mod(level, 97) from dual connect by level <= 20000;
begin dbms_stats.gather_table_stats(user, 'REGION'); end; /* */;
begin dbms_stats.gather_table_stats(user, 'SHOP'); end; /* */;
begin dbms_stats.gather_table_stats(user, 'SALE'); end; /* */
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE INDEX
CREATE INDEX
INSERT: 4 rows
INSERT: 200 rows
INSERT: 20000 rows
PL/SQL
PL/SQL
PL/SQL

select column_name, num_distinct, num_nulls, num_buckets, histogram from user_tab_col_statistics where table_name = 'SALE' order by column_name;
select endpoint_number, endpoint_actual_value from user_tab_histograms where table_name = 'SALE' and column_name = 'STATUS' order by 1
---
COLUMN_NAME | NUM_DISTINCT | NUM_NULLS | NUM_BUCKETS | HISTOGRAM
AMOUNT | 97 | 0 | 1 | NONE
DAY | 365 | 0 | 1 | NONE
ID | 19992 | 0 | 1 | NONE
SHOP_ID | 200 | 0 | 1 | NONE
STATUS | 2 | 0 | 2 | FREQUENCY
ENDPOINT_NUMBER | ENDPOINT_ACTUAL_VALUE
19960 | done
20000 | open

select endpoint_number, endpoint_value from user_tab_histograms where table_name = 'SHOP' and column_name = 'ID' order by 1;
explain plan for select count(amount) from sale where status = 'open';
select id, operation, options, object_name, cardinality from plan_table order by id;
delete plan_table
---
ENDPOINT_NUMBER | ENDPOINT_VALUE
0 | 1
1 | 200
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY
0 | SELECT STATEMENT | - | - | 1
1 | SORT | AGGREGATE | - | 1
2 | TABLE ACCESS | BY INDEX ROWID | SALE | 40
3 | INDEX | RANGE SCAN | SALE_STATUS | 40
DELETE: 4 rows

explain plan for select count(amount) from sale where status = 'done';
select id, operation, options, object_name, cardinality from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY
0 | SELECT STATEMENT | - | - | 1
1 | SORT | AGGREGATE | - | 1
2 | TABLE ACCESS | FULL | SALE | 19960
DELETE: 3 rows

select r.name, s.name, count(*), sum(x.amount) from region r, shop s, sale x where r.id = s.region_id and s.id = x.shop_id and s.name = 'shop 7' group by r.name, s.name;
explain plan for select r.name, s.name, count(*), sum(x.amount) from region r, shop s, sale x where r.id = s.region_id and s.id = x.shop_id and s.name = 'shop 7' group by r.name, s.name;
select id, depth, operation, options, object_name, cardinality, access_predicates, filter_predicates from plan_table order by id;
delete plan_table
---
NAME | NAME | COUNT(*) | SUM(X.AMOUNT)
r4 | shop 7 | 100 | 4692
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY | ACCESS_PREDICATES | FILTER_PREDICATES
0 | 0 | SELECT STATEMENT | - | - | 1 | - | -
1 | 1 | HASH | GROUP BY | - | 1 | - | -
2 | 2 | NESTED LOOPS | - | - | 100 | - | -
3 | 3 | NESTED LOOPS | - | - | 1 | - | -
4 | 4 | TABLE ACCESS | FULL | SHOP | 1 | - | "S"."NAME"='shop 7'
5 | 4 | TABLE ACCESS | BY INDEX ROWID | REGION | 1 | - | -
6 | 5 | INDEX | UNIQUE SCAN | SYS_C001000 | 1 | "R"."ID"="S"."REGION_ID" | -
7 | 3 | TABLE ACCESS | BY INDEX ROWID | SALE | 100 | - | -
8 | 4 | INDEX | RANGE SCAN | SALE_SHOP | 100 | "X"."SHOP_ID"="S"."ID" | -
DELETE: 9 rows

explain plan for select r.name, count(*) from sale x, shop s, region r where r.id = s.region_id and s.id = x.shop_id group by r.name;
select id, depth, operation, options, object_name, cardinality from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY
0 | 0 | SELECT STATEMENT | - | - | 4
1 | 1 | HASH | GROUP BY | - | 4
2 | 2 | HASH JOIN | - | - | 20000
3 | 3 | HASH JOIN | - | - | 200
4 | 4 | TABLE ACCESS | FULL | REGION | 4
5 | 4 | TABLE ACCESS | FULL | SHOP | 200
6 | 3 | TABLE ACCESS | FULL | SALE | 20000
DELETE: 7 rows

select r.name, count(*) from sale x, shop s, region r where r.id = s.region_id and s.id = x.shop_id group by r.name order by r.name;
explain plan for select /*+ leading(x s) use_hash(s) */ count(*) from region r, shop s, sale x where r.id = s.region_id and s.id = x.shop_id and s.name = 'shop 7';
select id, depth, operation, options, object_name, remarks from plan_table order by id;
delete plan_table
---
NAME | COUNT(*)
r1 | 5000
r2 | 5000
r3 | 5000
r4 | 5000
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | 0 | SELECT STATEMENT | - | - | -
1 | 1 | SORT | AGGREGATE | - | -
2 | 2 | HASH JOIN | - | - | -
3 | 3 | INDEX | FULL SCAN | SYS_C001000 | -
4 | 3 | HASH JOIN | - | - | -
5 | 4 | TABLE ACCESS | FULL | SHOP | hint - LEADING(X S)
hint - USE_HASH(S)
6 | 4 | TABLE ACCESS | FULL | SALE | -
DELETE: 7 rows

explain plan for select /*+ ordered use_nl(x) no_use_hash(y) */ count(*) from region r, shop s, sale x where r.id = s.region_id and s.id = x.shop_id;
select id, depth, operation, options, object_name, remarks from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | 0 | SELECT STATEMENT | - | - | hint N NO_USE_HASH(Y) / its query block has no table of this name
1 | 1 | SORT | AGGREGATE | - | -
2 | 2 | HASH JOIN | - | - | -
3 | 3 | HASH JOIN | - | - | -
4 | 4 | INDEX | FULL SCAN | SYS_C001000 | hint - ORDERED
5 | 4 | TABLE ACCESS | FULL | SHOP | -
6 | 3 | TABLE ACCESS | FULL | SALE | hint U USE_NL(X) / no index leads to the table from tables in nested loops before it, or it comes first
DELETE: 7 rows

explain plan for select /*+ cardinality(s 1) */ sum(x.amount) from shop s, sale x where s.id = x.shop_id;
select id, depth, operation, options, object_name, cardinality, remarks from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY | REMARKS
0 | 0 | SELECT STATEMENT | - | - | 1 | -
1 | 1 | SORT | AGGREGATE | - | 1 | -
2 | 2 | NESTED LOOPS | - | - | 100 | -
3 | 3 | INDEX | FULL SCAN | SYS_C001001 | 1 | hint - CARDINALITY(S 1)
4 | 3 | TABLE ACCESS | BY INDEX ROWID | SALE | 100 | -
5 | 4 | INDEX | RANGE SCAN | SALE_SHOP | 100 | -
DELETE: 6 rows

explain plan for select /*+ use_nl(s) leading(s) ordered */ count(*) from shop s;
select id, operation, options, remarks from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | OPERATION | OPTIONS | REMARKS
0 | SELECT STATEMENT | - | hint U USE_NL(S) / its query block has no inner join to which it applies
hint U LEADING(S) / its query block has no inner join to which it applies
hint U ORDERED / its query block has no joins to order
1 | SORT | AGGREGATE | -
2 | INDEX | FULL SCAN | -
DELETE: 3 rows

select s.name, x.id, x.amount from shop s join sale x on s.id = x.shop_id and x.amount > s.id where s.name like 'shop 1_' and x.day < date '2024-01-03' order by x.id
---
NAME | ID | AMOUNT
shop 16 | 4015 | 38
shop 17 | 4016 | 39
shop 11 | 12410 | 91
shop 12 | 12411 | 92
shop 16 | 18615 | 88
shop 17 | 18616 | 89

select count(*) from shop a, shop b, shop c where a.id = b.id and b.id = c.id and a.name like '%7'
---
COUNT(*)
20

select count(*), sum(a.id * b.id) from shop a, shop b where a.code = b.code and a.id < 20
---
COUNT(*) | SUM(A.ID*B.ID)
380 | 383400

select count(*) from region r, shop s where r.id + 1 = s.id or r.name = s.name
---
COUNT(*)
4

select count(*) from region r, shop s, sale x where r.name = 'r1' and s.name = 'shop 3' and x.id = 5
---
COUNT(*)
1

select s.id, (select r.name from region r where r.id = s.region_id) n from shop s, region q where q.id = s.region_id and s.id < 4 order by s.id
---
ID | N
1 | r2
2 | r3
3 | r4

select count(*) from shop s, (select shop_id, count(*) n from sale group by shop_id) t, region r where t.shop_id = s.id and r.id = s.region_id and t.n > 10
---
COUNT(*)
200

select s.name, r.name, x.id from shop s left join region r on r.id = s.region_id and r.name = 'r2', sale x where x.shop_id = s.id and x.id in (5, 6, 7) order by x.id
---
NAME | NAME | ID
shop 6 | - | 5
shop 7 | - | 6
shop 8 | - | 7

select count(*) from sale x, shop s where x.shop_id = s.id and s.rowid in (select rowid from shop where id < 3)
---
COUNT(*)
200

select * from (select s.id a, x.id b from shop s, sale x where s.id = x.shop_id and s.id = 9 order by x.id desc) where rownum <= 3
---
A | B
9 | 19808
9 | 19608
9 | 19408

# Outer joins, semi-joins and anti-joins by an index.

create table few (id number, shop_id number, note varchar2(10));
insert into few select level, case when level = 4 then null when level = 5 then 999 else level end, 'n' || level from dual connect by level <= 6;
create index few_shop on few (shop_id);
begin dbms_stats.gather_table_stats(user, 'FEW'); end; /* */
---
CREATE TABLE
INSERT: 6 rows
CREATE INDEX
PL/SQL

select f.id, s.name, s.rowid is_there from few f left join shop s on s.id = f.shop_id and s.name <> 'shop 3' order by f.id
---
ID | NAME | IS_THERE
1 | shop 1 | AAAAPqAACAAAACTAAA
2 | shop 2 | AAAAPqAACAAAACTAAB
3 | - | -
4 | - | -
5 | - | -
6 | shop 6 | AAAAPqAACAAAACTAAF

select f.id, nvl(s.name, 'none') from few f left join shop s on s.id = f.shop_id where s.id is null or s.id > 2 order by f.id;
select f.id, count(x.id), sum(x.amount) from few f left join sale x on x.shop_id = f.shop_id and x.amount < 20 group by f.id order by f.id;
explain plan for select f.id, count(x.id), sum(x.amount) from few f left join sale x on x.shop_id = f.shop_id and x.amount < 20 group by f.id;
select id, depth, operation, options, object_name, cardinality, access_predicates, filter_predicates from plan_table order by id;
delete plan_table
---
ID | NVL(S.NAME,'NONE')
3 | shop 3
4 | none
5 | none
6 | shop 6
ID | COUNT(X.ID) | SUM(X.AMOUNT)
1 | 23 | 226
2 | 23 | 211
3 | 23 | 214
4 | 0 | -
5 | 0 | -
6 | 23 | 223
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY | ACCESS_PREDICATES | FILTER_PREDICATES
0 | 0 | SELECT STATEMENT | - | - | 6 | - | -
1 | 1 | HASH | GROUP BY | - | 6 | - | -
2 | 2 | HASH JOIN | OUTER | - | 125 | "F"."SHOP_ID"="X"."SHOP_ID" | -
3 | 3 | TABLE ACCESS | FULL | FEW | 6 | - | -
4 | 3 | TABLE ACCESS | FULL | SALE | 4167 | - | "X"."AMOUNT"<20
DELETE: 5 rows

select f.id from few f where exists (select 1 from sale x where x.shop_id = f.shop_id and x.amount > 90) order by f.id;
select f.id from few f where not exists (select 1 from sale x where x.shop_id = f.shop_id and x.amount > 90) order by f.id;
select f.id from few f where f.shop_id in (select x.shop_id from sale x where x.day = date '2024-03-01') order by f.id;
explain plan for select count(*) from few f where exists (select 1 from sale x where x.shop_id = f.shop_id and x.amount > 90);
select id, depth, operation, options, object_name, cardinality, access_predicates, filter_predicates from plan_table order by id;
delete plan_table;
explain plan for select count(*) from few f where not exists (select 1 from sale x where x.shop_id = f.shop_id and x.amount > f.id);
select id, depth, operation, options, object_name, cardinality, access_predicates, filter_predicates from plan_table order by id;
delete plan_table
---
ID
1
2
3
6
ID
4
5
ID
1
6
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY | ACCESS_PREDICATES | FILTER_PREDICATES
0 | 0 | SELECT STATEMENT | - | - | 1 | - | -
1 | 1 | SORT | AGGREGATE | - | 1 | - | -
2 | 2 | HASH JOIN | SEMI | - | 6 | "F"."SHOP_ID"="X"."SHOP_ID" | -
3 | 3 | TABLE ACCESS | FULL | FEW | 6 | - | -
4 | 3 | TABLE ACCESS | FULL | SALE | 1250 | - | "X"."AMOUNT">90
DELETE: 5 rows
EXPLAIN
ID | DEPTH | OPERATION | OPTIONS | OBJECT_NAME | CARDINALITY | ACCESS_PREDICATES | FILTER_PREDICATES
0 | 0 | SELECT STATEMENT | - | - | 1 | - | -
1 | 1 | SORT | AGGREGATE | - | 1 | - | -
2 | 2 | NESTED LOOPS | ANTI | - | 1 | - | -
3 | 3 | TABLE ACCESS | FULL | FEW | 6 | - | -
4 | 3 | TABLE ACCESS | BY INDEX ROWID | SALE | 5 | - | "X"."AMOUNT">"F"."ID"
5 | 4 | INDEX | RANGE SCAN | SALE_SHOP | 100 | "X"."SHOP_ID"="F"."SHOP_ID" | -
DELETE: 6 rows

select f.id, s.name, r.name from few f left join shop s on s.id = f.shop_id left join region r on r.id = s.region_id order by f.id;
select f.id, s.name, x.id from few f left join shop s on s.id = f.shop_id, sale x where x.id = f.id and exists (select 1 from sale y where y.shop_id = s.id and y.id > 19900) order by f.id;
select f.id, g.id from few f left join few g on g.shop_id = f.shop_id and g.id < f.id + 1 and f.id <> 2 order by f.id;
select f.id from few f where f.shop_id not in (select x.shop_id from sale x where x.amount > 90 and x.shop_id is not null) order by f.id;
select f.id from few f left join shop s on s.id = f.shop_id where s.name like '%3' or s.name is null order by f.id;
select /*+ use_hash(s) */ count(s.id), count(*) from few f left join shop s on s.id = f.shop_id;
select count(*) from few f, shop s where s.id = f.shop_id (+) and f.id is null
---
ID | NAME | NAME
1 | shop 1 | r2
2 | shop 2 | r3
3 | shop 3 | r4
4 | - | -
5 | - | -
6 | shop 6 | r3
ID | NAME | ID
1 | shop 1 | 1
ID | ID
1 | 1
2 | -
3 | 3
4 | -
5 | 5
6 | 6
ID
5
ID
3
4
5
COUNT(S.ID) | COUNT(*)
4 | 6
COUNT(*)
196

# Computed columns of a side that is not there; two columns that are equal to one.

select f.id, q.f, q.w from few f left join (select id, 1 f, nvl(region_id, 0) w from shop) q on q.id = f.shop_id order by f.id;
select f.id from few f left join (select id, 1 f from shop) q on q.id = f.shop_id where q.f is null order by f.id;
create table pair (x number, y number);
insert into pair values (1, 1);
insert into pair values (1, 2);
select /*+ leading(p s) use_nl(s) */ p.x, p.y from pair p, shop s where p.x = s.id and p.y = s.id;
select /*+ leading(p s) use_hash(s) */ p.x, p.y from pair p, shop s where p.x = s.id and p.y = s.id;
select /*+ leading(s p) */ p.x, p.y from pair p, shop s where p.x = s.id and p.y = s.id;
select p.x, p.y, r.id from pair p, shop s, region r where p.x = s.id and s.id = r.id and p.y = r.id
---
ID | F | W
1 | 1 | 2
2 | 1 | 3
3 | 1 | 4
4 | - | -
5 | - | -
6 | 1 | 3
ID
4
5
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
X | Y
1 | 1
X | Y
1 | 1
X | Y
1 | 1
X | Y | ID
1 | 1 | 1

# Merge joins.

create table ml (id number, a number, c char(4), d date);
create table mr (id number, a number, c char(8), d date);
insert into ml select level, case when mod(level, 7) = 0 then null else mod(level, 10) end, chr(97 + mod(level, 5)), date '2024-01-01' + mod(level, 9) from dual connect by level <= 60;
insert into mr select level, case when mod(level, 5) = 0 then null else mod(level, 13) end, chr(97 + mod(level, 7)), date '2024-01-01' + mod(level, 6) from dual connect by level <= 40;
explain plan for select /*+ use_merge(r) leading(l r) */ count(*) from ml l, mr r where l.a = r.a and l.id > r.id;
select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +PREDICATE +HINT_REPORT'));
explain plan for select /*+ use_merge(l) leading(l r) no_use_merge(r) */ count(*) from ml l, mr r where l.a = r.a;
select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +HINT_REPORT'));
explain plan for select /*+ use_merge(r) */ count(*) from ml l left join mr r on l.id < r.id;
select plan_table_output from table(dbms_xplan.display(null, null, 'BASIC +HINT_REPORT'));
---
CREATE TABLE
CREATE TABLE
INSERT: 60 rows
INSERT: 40 rows
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1164448290
-
-------------------------------------
| Id  | Operation            | Name |
-------------------------------------
|   0 | SELECT STATEMENT     |      |
|   1 |  SORT AGGREGATE      |      |
|*  2 |   MERGE JOIN         |      |
|   3 |    SORT JOIN         |      |
|   4 |     TABLE ACCESS FULL| ML   |
|   5 |    SORT JOIN         |      |
|   6 |     TABLE ACCESS FULL| MR   |
-------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - access("L"."A"="R"."A")
       filter("R"."ID"<"L"."ID")
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 2
--------------------------------------------------------
-
   4 - L
           -  LEADING(L R)
   6 - R
           -  USE_MERGE(R)
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2016508460
-
------------------------------------
| Id  | Operation           | Name |
------------------------------------
|   0 | SELECT STATEMENT    |      |
|   1 |  SORT AGGREGATE     |      |
|   2 |   HASH JOIN         |      |
|   3 |    TABLE ACCESS FULL| MR   |
|   4 |    TABLE ACCESS FULL| ML   |
------------------------------------
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 3 (U - Unused (1))
--------------------------------------------------------
-
   3 - R
           -  NO_USE_MERGE(R)
   4 - L
         U -  USE_MERGE(L) / the table comes first, or no equality leads to it
           -  LEADING(L R)
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 4262581049
-
------------------------------------
| Id  | Operation           | Name |
------------------------------------
|   0 | SELECT STATEMENT    |      |
|   1 |  SORT AGGREGATE     |      |
|   2 |   NESTED LOOPS OUTER|      |
|   3 |    TABLE ACCESS FULL| ML   |
|   4 |    TABLE ACCESS FULL| MR   |
------------------------------------
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 1 (U - Unused (1))
--------------------------------------------------------
-
   4 - R
         U -  USE_MERGE(R) / no equality leads to the table

select /*+ use_merge(r) leading(l r) */ count(*), sum(l.id), sum(r.id) from ml l, mr r where l.a = r.a and l.id > r.id;
select /*+ use_hash(r) leading(l r) */ count(*), sum(l.id), sum(r.id) from ml l, mr r where l.a = r.a and l.id > r.id;
select /*+ use_merge(r) */ count(*), sum(l.id), sum(r.id) from ml l, mr r where l.c = r.c and l.d = r.d;
select /*+ use_hash(r) */ count(*), sum(l.id), sum(r.id) from ml l, mr r where l.c = r.c and l.d = r.d;
select /*+ use_merge(r) */ count(*), sum(l.id), sum(r.id) from ml l left join mr r on l.a = r.a and l.id < r.id;
select /*+ use_hash(r) */ count(*), sum(l.id), sum(r.id) from ml l left join mr r on l.a = r.a and l.id < r.id;
select count(*), sum(l.id) from ml l where exists (select /*+ use_merge(r) */ 1 from mr r where l.a = r.a and l.id < r.id);
select count(*), sum(l.id) from ml l where exists (select /*+ use_hash(r) */ 1 from mr r where l.a = r.a and l.id < r.id);
select count(*), sum(l.id) from ml l where not exists (select /*+ use_merge(r) */ 1 from mr r where l.a = r.a and l.d = r.d);
select count(*), sum(l.id) from ml l where not exists (select /*+ use_hash(r) */ 1 from mr r where l.a = r.a and l.d = r.d);
select count(*), sum(l.id) from ml l where l.a not in (select /*+ use_merge(r) */ r.a from mr r where r.a is not null);
select /*+ use_merge(r) use_merge(s) leading(l r s) */ l.id, r.id, s.id from ml l, mr r, ml s where l.id = r.id and r.a = s.a and l.id < 4 order by l.id desc, s.id fetch first 5 rows only;
select l.id, r.id from ml l, mr r where l.id = r.id and l.id < 4 order by l.id desc;
select /*+ use_merge(l r) */ l.id, r.a from ml l, mr r where l.id = r.id and l.id < 4 order by r.a, l.id desc;
select /*+ use_merge(r) */ l.a, count(r.id) from ml l left join mr r on l.a = r.a group by l.a order by 1 nulls first;
---
COUNT(*) | SUM(L.ID) | SUM(R.ID)
87 | 3458 | 1421
COUNT(*) | SUM(L.ID) | SUM(R.ID)
87 | 3458 | 1421
COUNT(*) | SUM(L.ID) | SUM(R.ID)
40 | 1194 | 693
COUNT(*) | SUM(L.ID) | SUM(R.ID)
40 | 1194 | 693
COUNT(*) | SUM(L.ID) | SUM(R.ID)
73 | 1966 | 967
COUNT(*) | SUM(L.ID) | SUM(R.ID)
73 | 1966 | 967
COUNT(*) | SUM(L.ID)
24 | 342
COUNT(*) | SUM(L.ID)
24 | 342
COUNT(*) | SUM(L.ID)
39 | 1232
COUNT(*) | SUM(L.ID)
39 | 1232
COUNT(*) | SUM(L.ID)
0 | -
ID | ID | ID
3 | 3 | 3
3 | 3 | 13
3 | 3 | 23
3 | 3 | 33
3 | 3 | 43
ID | ID
3 | 3
2 | 2
1 | 1
ID | A
1 | 1
2 | 2
3 | 3
A | COUNT(R.ID)
- | 0
0 | 18
1 | 15
2 | 10
3 | 18
4 | 10
5 | 10
6 | 15
7 | 10
8 | 15
9 | 10
