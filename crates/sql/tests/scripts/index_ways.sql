# The ways on which an index leads to rows: ranges with conditions in the entries, skip scans, whole indexes in their
# order and in that of their blocks, with and without the table; hints about them; DML by them.

create table item (id number primary key, kind varchar2(6) not null, grade number, price number, note varchar2(200));
insert into item select level, 'k' || mod(level, 4), case when mod(level, 10) = 0 then null else mod(level, 500) end, mod(level, 97), lpad('n', 150, 'n') from dual connect by level <= 20000;
create index item_kind on item (kind, grade, price);
create index item_grade on item (grade);
begin dbms_stats.gather_table_stats(user, 'ITEM'); end; /* */
---
CREATE TABLE
INSERT: 20000 rows
CREATE INDEX
CREATE INDEX
PL/SQL

# All columns that are wanted are in the index: no table.

explain plan for select grade, price from item where kind = 'k1' and grade < 5;
select id, operation, options, object_name, access_predicates, filter_predicates from plan_table order by id;
delete plan_table;
select grade, count(*), sum(price) from item where kind = 'k1' and grade < 5 group by grade order by grade;
select /*+ full(item) */ grade, count(*), sum(price) from item where kind = 'k1' and grade < 5 group by grade order by grade
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | ACCESS_PREDICATES | FILTER_PREDICATES
0 | SELECT STATEMENT | - | - | - | -
1 | INDEX | RANGE SCAN | ITEM_KIND | "KIND"='k1' AND "GRADE"<5 | -
DELETE: 2 rows
GRADE | COUNT(*) | SUM(PRICE)
1 | 40 | 1846
GRADE | COUNT(*) | SUM(PRICE)
1 | 40 | 1846

# A condition on the entry comes before the visit of the table.

explain plan for select note from item where kind = 'k1' and price = 5 and note like 'n%';
select id, operation, options, object_name, access_predicates, filter_predicates from plan_table order by id;
delete plan_table;
select count(note) from item where kind = 'k1' and price = 5 and note like 'n%';
select /*+ full(item) */ count(note) from item where kind = 'k1' and price = 5 and note like 'n%'
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | ACCESS_PREDICATES | FILTER_PREDICATES
0 | SELECT STATEMENT | - | - | - | -
1 | FILTER | - | - | - | "NOTE" LIKE 'n%'
2 | TABLE ACCESS | BY INDEX ROWID | ITEM | - | -
3 | INDEX | RANGE SCAN | ITEM_KIND | "KIND"='k1' | "PRICE"=5
DELETE: 4 rows
COUNT(NOTE)
52
COUNT(NOTE)
52

# Skip scan: four values of the leading column.

explain plan for select id, kind from item where grade = 77;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
explain plan for select /*+ no_index(item item_grade) */ kind, price from item where grade = 77;
select id, operation, options, object_name, access_predicates, filter_predicates from plan_table order by id;
delete plan_table;
explain plan for select /*+ no_index(item item_grade) */ note from item where grade = 77 and price < 90;
select id, operation, options, object_name, access_predicates, filter_predicates from plan_table order by id;
delete plan_table;
select /*+ no_index(item item_grade) */ kind, count(note), sum(price) from item where grade = 77 group by kind order by kind;
select /*+ full(item) */ kind, count(note), sum(price) from item where grade = 77 group by kind order by kind;
select /*+ index_ss(item item_kind) */ kind, count(*), sum(price) from item where grade in (77, 78, 9999) group by kind order by kind;
select /*+ full(item) */ kind, count(*), sum(price) from item where grade in (77, 78, 9999) group by kind order by kind;
select /*+ index_ss(item item_kind) */ kind, count(*), sum(price) from item where grade > 496 group by kind order by kind;
select /*+ full(item) */ kind, count(*), sum(price) from item where grade > 496 group by kind order by kind
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | TABLE ACCESS | BY INDEX ROWID | ITEM
2 | INDEX | RANGE SCAN | ITEM_GRADE
DELETE: 3 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | ACCESS_PREDICATES | FILTER_PREDICATES
0 | SELECT STATEMENT | - | - | - | -
1 | INDEX | FAST FULL SCAN | ITEM_KIND | - | "GRADE"=77
DELETE: 2 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | ACCESS_PREDICATES | FILTER_PREDICATES
0 | SELECT STATEMENT | - | - | - | -
1 | TABLE ACCESS | BY INDEX ROWID | ITEM | - | -
2 | INDEX | SKIP SCAN | ITEM_KIND | "GRADE"=77 AND "PRICE"<90 | -
DELETE: 3 rows
KIND | COUNT(NOTE) | SUM(PRICE)
k1 | 40 | 1976
KIND | COUNT(NOTE) | SUM(PRICE)
k1 | 40 | 1976
KIND | COUNT(*) | SUM(PRICE)
k1 | 40 | 1976
k2 | 40 | 2016
KIND | COUNT(*) | SUM(PRICE)
k1 | 40 | 1976
k2 | 40 | 2016
KIND | COUNT(*) | SUM(PRICE)
k1 | 40 | 1898
k2 | 40 | 1841
k3 | 40 | 1784
KIND | COUNT(*) | SUM(PRICE)
k1 | 40 | 1898
k2 | 40 | 1841
k3 | 40 | 1784

# Whole indexes.

explain plan for select count(*) from item;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
select count(*), min(id), max(id) from item;
select /*+ full(item) */ count(*) from item;
explain plan for select sum(price) from item where kind > 'k';
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
select sum(price), count(grade), count(*) from item where kind > 'k';
select /*+ full(item) */ sum(price), count(grade), count(*) from item where kind > 'k'
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | SORT | AGGREGATE | -
2 | INDEX | FAST FULL SCAN | SYS_C001001
DELETE: 3 rows
COUNT(*) | MIN(ID) | MAX(ID)
20000 | 1 | 20000
COUNT(*)
20000
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | SORT | AGGREGATE | -
2 | INDEX | FAST FULL SCAN | ITEM_KIND
DELETE: 3 rows
SUM(PRICE) | COUNT(GRADE) | COUNT(*)
959307 | 18000 | 20000
SUM(PRICE) | COUNT(GRADE) | COUNT(*)
959307 | 18000 | 20000

# An index on a column that may be NULL has no entry for some rows: it is no way to count them.

explain plan for select /*+ index_ffs(item item_grade) */ count(*) from item;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
explain plan for select count(grade) from item where grade is not null;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
select count(grade), sum(grade) from item where grade is not null;
select /*+ full(item) */ count(grade), sum(grade) from item where grade is not null
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | SORT | AGGREGATE | -
2 | INDEX | FAST FULL SCAN | SYS_C001001
DELETE: 3 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | SORT | AGGREGATE | -
2 | INDEX | FAST FULL SCAN | ITEM_GRADE
DELETE: 3 rows
COUNT(GRADE) | SUM(GRADE)
18000 | 4500000
COUNT(GRADE) | SUM(GRADE)
18000 | 4500000

# direct
explain plan for select kind, grade, price from item order by kind desc, grade desc, price desc fetch first 3 rows only;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
explain plan for select id, note from item order by id fetch first 2 rows only;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
explain plan for select id, note from item order by id;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
explain plan for select /*+ first_rows(10) */ id, note from item order by id;
select id, operation, options, object_name from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | COUNT | STOPKEY | -
2 | INDEX | FULL SCAN DESCENDING | ITEM_KIND
DELETE: 3 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | COUNT | STOPKEY | -
2 | TABLE ACCESS | BY INDEX ROWID | ITEM
3 | INDEX | FULL SCAN | SYS_C001001
DELETE: 4 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | SORT | ORDER BY | -
2 | TABLE ACCESS | FULL | ITEM
DELETE: 3 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | TABLE ACCESS | BY INDEX ROWID | ITEM
2 | INDEX | FULL SCAN | SYS_C001001
DELETE: 3 rows

select kind, grade, price from item order by kind desc, grade desc, price desc fetch first 3 rows only;
select id, kind from item order by id fetch first 2 rows only;
select id, kind from item order by id desc fetch first 2 rows only;
select /*+ full(item) */ kind, grade, price from item order by kind desc, grade desc, price desc fetch first 3 rows only
---
KIND | GRADE | PRICE
k3 | 499 | 91
k3 | 499 | 90
k3 | 499 | 89
ID | KIND
1 | k1
2 | k2
ID | KIND
20000 | k0
19999 | k3
KIND | GRADE | PRICE
k3 | 499 | 91
k3 | 499 | 90
k3 | 499 | 89

# Hints, and why they are not used.

explain plan for select /*+ index_ffs(item item_kind) */ kind, price from item;
select id, operation, options, object_name, remarks from plan_table order by id;
delete plan_table;
explain plan for select /*+ index_ffs(item item_kind) */ kind, note from item;
select id, operation, options, object_name, remarks from plan_table order by id;
delete plan_table;
explain plan for select /*+ index(item item_none) index_ss(item item_grade) */ kind from item where price = 3;
select id, operation, options, object_name, remarks from plan_table order by id;
delete plan_table;
explain plan for select /*+ index(item item_kind) */ note from item;
select id, operation, options, object_name, remarks from plan_table order by id;
delete plan_table;
explain plan for select /*+ no_index_ffs(item item_kind) no_index(item item_grade) */ count(kind) from item;
select id, operation, options, object_name, remarks from plan_table order by id;
delete plan_table
---
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | SELECT STATEMENT | - | - | -
1 | INDEX | FAST FULL SCAN | ITEM_KIND | hint - INDEX_FFS(ITEM ITEM_KIND)
DELETE: 2 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | SELECT STATEMENT | - | - | -
1 | TABLE ACCESS | FULL | ITEM | hint U INDEX_FFS(ITEM ITEM_KIND) / the index lacks rows or columns that are wanted
DELETE: 2 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | SELECT STATEMENT | - | - | -
1 | INDEX | FAST FULL SCAN | ITEM_KIND | hint U INDEX(ITEM ITEM_NONE) / the table has no such index
hint U INDEX_SS(ITEM ITEM_GRADE) / another index is taken
DELETE: 2 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | SELECT STATEMENT | - | - | -
1 | TABLE ACCESS | BY INDEX ROWID | ITEM | hint - INDEX(ITEM ITEM_KIND)
2 | INDEX | FULL SCAN | ITEM_KIND | -
DELETE: 3 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME | REMARKS
0 | SELECT STATEMENT | - | - | -
1 | SORT | AGGREGATE | - | -
2 | INDEX | FULL SCAN | ITEM_KIND | hint - NO_INDEX_FFS(ITEM ITEM_KIND)
hint - NO_INDEX(ITEM ITEM_GRADE)
DELETE: 3 rows

# DML whose rows an index finds alone, rows that are changed in the transaction and by it.

update item set price = price + 1000 where kind = 'k3' and grade = 3;
select count(*), sum(price) from item where kind = 'k3' and grade = 3;
delete item where kind = 'k2' and grade = 2 and price < 50;
select count(*), sum(price) from item where kind = 'k2' and grade = 2;
select /*+ full(item) */ count(*), sum(price) from item where kind = 'k2' and grade = 2;
insert into item select 100000 + level, 'k2', 2, level, 'new' from dual connect by level <= 30;
select count(*), sum(price) from item where kind = 'k2' and grade = 2;
select /*+ full(item) */ count(*), sum(price) from item where kind = 'k2' and grade = 2;
select count(*), sum(price) from item where kind > ' ';
select /*+ full(item) */ count(*), sum(price) from item where kind > ' ';
rollback;
select count(*), sum(price) from item where kind > ' ';
select /*+ full(item) */ count(*), sum(price) from item where kind > ' '
---
UPDATE: 40 rows
COUNT(*) | SUM(PRICE)
40 | 41926
DELETE: 22 rows
COUNT(*) | SUM(PRICE)
18 | 1341
COUNT(*) | SUM(PRICE)
18 | 1341
INSERT: 30 rows
COUNT(*) | SUM(PRICE)
48 | 1806
COUNT(*) | SUM(PRICE)
48 | 1806
COUNT(*) | SUM(PRICE)
20008 | 999227
COUNT(*) | SUM(PRICE)
20008 | 999227
ROLLBACK
COUNT(*) | SUM(PRICE)
20000 | 959307
COUNT(*) | SUM(PRICE)
20000 | 959307

# NULLs in leading columns, and keys that are NULL as a whole.

create table hole (a number, b number, c varchar2(200));
insert into hole select case when mod(level, 3) > 0 then mod(level, 3) end, case when mod(level, 5) > 0 then level end, lpad('c', 100) from dual connect by level <= 3000;
create index hole_ab on hole (a, b);
begin dbms_stats.gather_table_stats(user, 'HOLE'); end; /* */;
select /*+ index_ss(hole hole_ab) */ a, b from hole where b between 998 and 1003 order by b;
select /*+ full(hole) */ a, b from hole where b between 998 and 1003 order by b;
select /*+ index_ss(hole hole_ab) */ count(*) from hole where b is not null and b <= 1000;
select count(*), count(a), count(b) from hole;
select /*+ index_ffs(hole hole_ab) */ count(*), count(a), sum(b) from hole where a is not null or b is not null;
select /*+ full(hole) */ count(*), count(a), sum(b) from hole where a is not null or b is not null;
select /*+ index(hole hole_ab) */ count(*), count(b) from hole where a > 1;
select /*+ full(hole) */ count(*), count(b) from hole where a > 1;
select count(*) from hole where a is null and b is null
---
CREATE TABLE
INSERT: 3000 rows
CREATE INDEX
PL/SQL
A | B
2 | 998
- | 999
2 | 1001
- | 1002
1 | 1003
A | B
2 | 998
- | 999
2 | 1001
- | 1002
1 | 1003
COUNT(*)
800
COUNT(*) | COUNT(A) | COUNT(B)
3000 | 2000 | 2400
COUNT(*) | COUNT(A) | SUM(B)
2800 | 2000 | 3600000
COUNT(*) | COUNT(A) | SUM(B)
2800 | 2000 | 3600000
COUNT(*) | COUNT(B)
1000 | 800
COUNT(*) | COUNT(B)
1000 | 800
COUNT(*)
200

# The inner table of a loop is not visited where its index has all that is wanted.

create table pick (id number primary key, kind varchar2(6), grade number);
insert into pick select level, 'k' || mod(level, 5), level from dual connect by level <= 20;
explain plan for select /*+ ordered use_nl(i) */ p.id, i.price from pick p join item i on i.kind = p.kind and i.grade = p.grade;
select id, operation, options, object_name from plan_table order by id;
delete plan_table;
select /*+ ordered use_nl(i) */ p.id, count(*), sum(i.price) from pick p join item i on i.kind = p.kind and i.grade = p.grade group by p.id order by p.id;
select /*+ ordered use_hash(i) full(i) */ p.id, count(*), sum(i.price) from pick p join item i on i.kind = p.kind and i.grade = p.grade group by p.id order by p.id
---
CREATE TABLE
INSERT: 20 rows
EXPLAIN
ID | OPERATION | OPTIONS | OBJECT_NAME
0 | SELECT STATEMENT | - | -
1 | NESTED LOOPS | - | -
2 | TABLE ACCESS | FULL | PICK
3 | INDEX | RANGE SCAN | ITEM_KIND
DELETE: 4 rows
ID | COUNT(*) | SUM(I.PRICE)
1 | 40 | 1846
2 | 40 | 1886
3 | 40 | 1926
ID | COUNT(*) | SUM(I.PRICE)
1 | 40 | 1846
2 | 40 | 1886
3 | 40 | 1926
