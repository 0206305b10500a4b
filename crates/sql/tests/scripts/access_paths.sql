# Ways to the rows of a table without statistics: its blocks are those below the high-water mark, and an index that was
# empty when it was created says nothing about its keys.

create table w (id number primary key, a number, b number, pad char(60));
create index w_a on w (a, b);
insert into w select level, mod(level, 6000), level, 'x' from dual connect by level <= 24000;
commit
---
CREATE TABLE
CREATE INDEX
INSERT: 24000 rows
COMMIT

# An equality finds few rows.

explain plan for select * from w where a = 17;
select * from table(dbms_xplan.display);
select id, b from w where a = 17 order by id
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 65725308
-
------------------------------------------------------------
| Id  | Operation                   | Name | Rows  | Bytes |
------------------------------------------------------------
|   0 | SELECT STATEMENT            |      |       |       |
|   1 |  TABLE ACCESS BY INDEX ROWID| W    |       |       |
|*  2 |   INDEX RANGE SCAN          | W_A  |       |       |
------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - access("A"=17)
-
Note
-----
   - no statistics of W: the way to the rows was chosen
     by the blocks of the table and by default values
ID | B
17 | 17
6017 | 6017
12017 | 12017
18017 | 18017

explain plan for select * from w where a = 17 and b > 9000;
select * from table(dbms_xplan.display);
select id, b from w where a = 17 and b > 9000 order by id
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 65725308
-
------------------------------------------------------------
| Id  | Operation                   | Name | Rows  | Bytes |
------------------------------------------------------------
|   0 | SELECT STATEMENT            |      |       |       |
|   1 |  TABLE ACCESS BY INDEX ROWID| W    |       |       |
|*  2 |   INDEX RANGE SCAN          | W_A  |       |       |
------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - access("A"=17 AND "B">9000)
-
Note
-----
   - no statistics of W: the way to the rows was chosen
     by the blocks of the table and by default values
ID | B
12017 | 12017
18017 | 18017

# A range may find many.

explain plan for select * from w where a > 17;
select * from table(dbms_xplan.display);
select count(*) from w where a > 17
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 213819552
-
--------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes |
--------------------------------------------------
|   0 | SELECT STATEMENT  |      |       |       |
|*  1 |  TABLE ACCESS FULL| W    |       |       |
--------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("A">17)
-
Note
-----
   - no statistics of W: the way to the rows was chosen
     by the blocks of the table and by default values
COUNT(*)
23928

# The whole key of a unique index wins always, a hint over everything.

explain plan for select * from w where a > 17 and id = 5;
select * from table(dbms_xplan.display);
explain plan for select /*+ index(w w_a) */ * from w where a > 17 and id = 5;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 247414193
-
-------------------------------------------------------------------
| Id  | Operation                   | Name        | Rows  | Bytes |
-------------------------------------------------------------------
|   0 | SELECT STATEMENT            |             |     1 |       |
|*  1 |  TABLE ACCESS BY INDEX ROWID| W           |     1 |       |
|*  2 |   INDEX UNIQUE SCAN         | SYS_C001000 |     1 |       |
-------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("A">17)
   2 - access("ID"=5)
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 65725308
-
------------------------------------------------------------
| Id  | Operation                   | Name | Rows  | Bytes |
------------------------------------------------------------
|   0 | SELECT STATEMENT            |      |       |       |
|*  1 |  TABLE ACCESS BY INDEX ROWID| W    |       |       |
|*  2 |   INDEX RANGE SCAN          | W_A  |       |       |
------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("ID"=5)
   2 - access("A">17)
-
Note
-----
   - no statistics of W: the way to the rows was chosen
     by the blocks of the table and by default values

# A small table is read whole, and one that has become small.

create table few (a number, b number);
create index few_a on few (a);
insert into few select mod(level, 50), level from dual connect by level <= 200;
explain plan for select * from few where a = 17;
select * from table(dbms_xplan.display);
truncate table w;
explain plan for select * from w where a = 17;
select * from table(dbms_xplan.display)
---
CREATE TABLE
CREATE INDEX
INSERT: 200 rows
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2343944167
-
--------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes |
--------------------------------------------------
|   0 | SELECT STATEMENT  |      |       |       |
|*  1 |  TABLE ACCESS FULL| FEW  |       |       |
--------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("A"=17)
-
Note
-----
   - no statistics of FEW: the way to the rows was chosen
     by the blocks of the table and by default values
TRUNCATE TABLE
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 213819552
-
--------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes |
--------------------------------------------------
|   0 | SELECT STATEMENT  |      |       |       |
|*  1 |  TABLE ACCESS FULL| W    |       |       |
--------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("A"=17)
-
Note
-----
   - no statistics of W: the way to the rows was chosen
     by the blocks of the table and by default values
