# Plans: EXPLAIN PLAN, DBMS_XPLAN, the session's PLAN_TABLE and tables of users.

create table t (id number not null, grp number, name varchar2(20), day date, c char(4));
insert into t select level, mod(level, 10), 'name ' || level, date '2020-01-01' + level, 'x' from dual connect by level <= 1000;
create unique index t_id on t (id);
create index t_grp on t (grp, name);
create table small (id number, label varchar2(10));
insert into small values (1, 'one');
commit
---
CREATE TABLE
INSERT: 1000 rows
CREATE INDEX
CREATE INDEX
CREATE TABLE
INSERT: 1 rows
COMMIT

# Nothing was analyzed: nothing is expected of the table.

explain plan for select * from t;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
--------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes |
--------------------------------------------------
|   0 | SELECT STATEMENT  |      |       |       |
|   1 |  TABLE ACCESS FULL| T    |       |       |
--------------------------------------------------
-
Note
-----
   - no statistics of T: the way to the rows was chosen
     by the blocks of the table and by default values

analyze table t compute statistics;
analyze table small compute statistics
---
ANALYZE TABLE
ANALYZE TABLE

explain plan for select * from t;
select plan_table_output from table(dbms_xplan.display())
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
----------------------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------
|   0 | SELECT STATEMENT  |      |  1000 | 31000 |     2   (0) |
|   1 |  TABLE ACCESS FULL| T    |  1000 | 31000 |     2   (0) |
----------------------------------------------------------------

explain plan for select name from t where id = 7;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3168828683
-
--------------------------------------------------------------------------
| Id  | Operation                   | Name | Rows  | Bytes | Cost (%CPU) |
--------------------------------------------------------------------------
|   0 | SELECT STATEMENT            |      |     1 |    31 |     3   (0) |
|   1 |  TABLE ACCESS BY INDEX ROWID| T    |     1 |    31 |     3   (0) |
|*  2 |   INDEX UNIQUE SCAN         | T_ID |     1 |       |             |
--------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - access("ID"=7)

explain plan for select name from t where grp = 3 and name > 'name 5' and day < date '2021-01-01';
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
----------------------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------
|   0 | SELECT STATEMENT  |      |    19 |   589 |     2   (0) |
|*  1 |  TABLE ACCESS FULL| T    |    19 |   589 |     2   (0) |
----------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("GRP"=3 AND "NAME">'name 5' AND "DAY"<TO_DATE(' 2021-01-01 00:00:00', 'syyyy-mm-dd hh24:mi:ss'))

explain plan for select /*+ index(t t_grp) */ name from t where grp = 3 and name > 'name 5' and day < date '2021-01-01' and name <> 'x';
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 569113810
-
---------------------------------------------------------------------------
| Id  | Operation                   | Name  | Rows  | Bytes | Cost (%CPU) |
---------------------------------------------------------------------------
|   0 | SELECT STATEMENT            |       |    19 |   589 |    13   (0) |
|*  1 |  TABLE ACCESS BY INDEX ROWID| T     |    19 |   589 |    13   (0) |
|*  2 |   INDEX RANGE SCAN          | T_GRP |    52 |       |             |
---------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("DAY"<TO_DATE(' 2021-01-01 00:00:00', 'syyyy-mm-dd hh24:mi:ss'))
   2 - access("GRP"=3 AND "NAME">'name 5')
       filter("NAME"<>'x')

explain plan for select /*+ index(t t_grp) */ name from t where grp = 3;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 793344795
-
----------------------------------------------------------------
| Id  | Operation        | Name  | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------
|   0 | SELECT STATEMENT |       |   100 |  3100 |     2   (0) |
|*  1 |  INDEX RANGE SCAN| T_GRP |   100 |  3100 |     2   (0) |
----------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - access("GRP"=3)

explain plan for select name from t where upper(name) = 'NAME 5' and (substr(name, 1, 1) = 'n' or length(name) > 3 or id + 1 = 2) and day is not null;
select * from table(dbms_xplan.display(format => 'typical -rows'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 19794751
-
---------------------------------------------------------
| Id  | Operation          | Name | Bytes | Cost (%CPU) |
---------------------------------------------------------
|   0 | SELECT STATEMENT   |      |  1550 |     2   (0) |
|*  1 |  FILTER            |      |  1550 |     2   (0) |
|*  2 |   TABLE ACCESS FULL| T    | 31000 |     2   (0) |
---------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter(UPPER("NAME")='NAME 5' AND (SUBSTR("NAME",1,1)='n' OR LENGTH("NAME")>3 OR "ID"+1=2))
   2 - filter("DAY" IS NOT NULL)

explain plan for select name from t where 1 = 0;
select * from table(dbms_xplan.display(format => 'typical -rows'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 630173059
-
------------------------------------------------------
| Id  | Operation       | Name | Bytes | Cost (%CPU) |
------------------------------------------------------
|   0 | SELECT STATEMENT|      |   100 |     0   (0) |
|*  1 |  FILTER         |      |   100 |     0   (0) |
------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter(NULL IS NOT NULL)

explain plan for select name from t where rowid = 'AAAAAAAAAAAAAAAAAA' and c = 'x';
select * from table(dbms_xplan.display(format => 'typical -bytes'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1296200255
-
-----------------------------------------------------------------
| Id  | Operation                  | Name | Rows  | Cost (%CPU) |
-----------------------------------------------------------------
|   0 | SELECT STATEMENT           |      |     1 |     1   (0) |
|*  1 |  TABLE ACCESS BY USER ROWID| T    |     1 |     1   (0) |
-----------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - access(ROWID='AAAAAAAAAAAAAAAAAA')
       filter("C"='x   ')

explain plan for select name from t where grp in (1, 2) or name is null or not (id between 5 and 9);
select * from dbms_xplan.display(null, null, 'basic +predicate')
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
----------------------------------
| Id  | Operation         | Name |
----------------------------------
|   0 | SELECT STATEMENT  |      |
|*  1 |  TABLE ACCESS FULL| T    |
----------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter(("GRP" IN (1, 2) OR "NAME" IS NULL OR "ID"<5 OR "ID">9))

# Joins say which table a column is of, by its alias.

explain plan for select s.label, t.name from small s, t where s.id = t.id and t.grp > 2;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1996447593
-
----------------------------------------------------------------------------
| Id  | Operation                    | Name  | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------------------
|   0 | SELECT STATEMENT             |       |     1 |    41 |     5   (0) |
|   1 |  NESTED LOOPS                |       |     1 |    41 |     5   (0) |
|   2 |   TABLE ACCESS FULL          | SMALL |     1 |    10 |     2   (0) |
|*  3 |   TABLE ACCESS BY INDEX ROWID| T     |     1 |    31 |     3   (0) |
|*  4 |    INDEX UNIQUE SCAN         | T_ID  |     1 |       |             |
----------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   3 - filter("T"."GRP">2)
   4 - access("T"."ID"="S"."ID")

explain plan for select s.label, t.name from small s left join t on s.id = t.id and t.name like 'n%';
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 17923684
-
----------------------------------------------------------------------------
| Id  | Operation                    | Name  | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------------------
|   0 | SELECT STATEMENT             |       |     1 |    41 |     5   (0) |
|   1 |  NESTED LOOPS OUTER          |       |     1 |    41 |     5   (0) |
|   2 |   TABLE ACCESS FULL          | SMALL |     1 |    10 |     2   (0) |
|*  3 |   TABLE ACCESS BY INDEX ROWID| T     |     1 |     2 |     3   (0) |
|*  4 |    INDEX UNIQUE SCAN         | T_ID  |     1 |       |             |
----------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   3 - filter("T"."NAME" LIKE 'n%')
   4 - access("T"."ID"="S"."ID")

explain plan for select s.label, t.name from small s, t where s.id < t.id;
select * from table(dbms_xplan.display(format => 'all'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 642609113
-
------------------------------------------------------------------
| Id  | Operation          | Name  | Rows  | Bytes | Cost (%CPU) |
------------------------------------------------------------------
|   0 | SELECT STATEMENT   |       |    50 |  2050 |     5   (0) |
|*  1 |  NESTED LOOPS      |       |    50 |  2050 |     5   (0) |
|   2 |   TABLE ACCESS FULL| SMALL |     1 |    10 |     2   (0) |
|   3 |   TABLE ACCESS FULL| T     |  1000 | 31000 |     2   (0) |
------------------------------------------------------------------
-
Object Alias (identified by operation id):
------------------------------------------
-
   2 - S
   3 - T
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("T"."ID">"S"."ID")

explain plan for select * from small where id in (select grp from t);
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1955073774
-
------------------------------------------------------------------
| Id  | Operation          | Name  | Rows  | Bytes | Cost (%CPU) |
------------------------------------------------------------------
|   0 | SELECT STATEMENT   |       |     1 |    10 |     5   (0) |
|   1 |  NESTED LOOPS SEMI |       |     1 |    10 |     5   (0) |
|   2 |   TABLE ACCESS FULL| SMALL |     1 |    10 |     2   (0) |
|*  3 |   INDEX RANGE SCAN | T_GRP |   100 |  3100 |     2   (0) |
------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   3 - access("T"."GRP"="SMALL"."ID")

# Sorts, groups and limits.

explain plan for select grp, count(*) from t group by grp having count(*) > 5 order by grp;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1591720935
-
-------------------------------------------------------------------
| Id  | Operation            | Name | Rows  | Bytes | Cost (%CPU) |
-------------------------------------------------------------------
|   0 | SELECT STATEMENT     |      |     1 |    31 |     2   (0) |
|   1 |  SORT ORDER BY       |      |     1 |    31 |     2   (0) |
|*  2 |   FILTER             |      |     1 |    31 |     2   (0) |
|   3 |    HASH GROUP BY     |      |    10 |   310 |     2   (0) |
|   4 |     TABLE ACCESS FULL| T    |  1000 | 31000 |     2   (0) |
-------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - filter(COUNT(*)>5)

explain plan for select count(*) from t;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3945947272
-
--------------------------------------------------------------------
| Id  | Operation             | Name | Rows  | Bytes | Cost (%CPU) |
--------------------------------------------------------------------
|   0 | SELECT STATEMENT      |      |     1 |       |     2   (0) |
|   1 |  SORT AGGREGATE       |      |     1 |       |     2   (0) |
|   2 |   INDEX FAST FULL SCAN| T_ID |  1000 | 31000 |     2   (0) |
--------------------------------------------------------------------

explain plan for select * from (select name from t order by name) where rownum <= 3;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3713953357
-
--------------------------------------------------------------------
| Id  | Operation             | Name | Rows  | Bytes | Cost (%CPU) |
--------------------------------------------------------------------
|   0 | SELECT STATEMENT      |      |     3 |    93 |     2   (0) |
|   1 |  SORT ORDER BY STOPKEY|      |     3 |    93 |     2   (0) |
|   2 |   TABLE ACCESS FULL   | T    |  1000 | 31000 |     2   (0) |
--------------------------------------------------------------------

explain plan for select id from t union all select id from small;
select * from table(dbms_xplan.display(format => 'basic'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1055418666
-
---------------------------------------
| Id  | Operation             | Name  |
---------------------------------------
|   0 | SELECT STATEMENT      |       |
|   1 |  UNION-ALL            |       |
|   2 |   INDEX FAST FULL SCAN| T_ID  |
|   3 |   TABLE ACCESS FULL   | SMALL |
---------------------------------------

explain plan for select 1 from dual connect by level <= 3;
select * from table(dbms_xplan.display(format => 'basic'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 4187640809
-
---------------------------------------------
| Id  | Operation                    | Name |
---------------------------------------------
|   0 | SELECT STATEMENT             |      |
|   1 |  CONNECT BY WITHOUT FILTERING|      |
---------------------------------------------

# Changes of rows are explained, not made; BEFORE triggers do not fire, and no lock is taken.

create or replace trigger t_before before update or delete or insert on t begin raise_application_error(-20000, 'fired'); end; /* */;
explain plan for update t set name = 'x' where id = 5;
select * from table(dbms_xplan.display(format => 'typical -rows -bytes'))
---
CREATE TRIGGER
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 455942691
-
-----------------------------------------------------------
| Id  | Operation                    | Name | Cost (%CPU) |
-----------------------------------------------------------
|   0 | UPDATE STATEMENT             |      |             |
|   1 |  UPDATE                      | T    |             |
|   2 |   TABLE ACCESS BY INDEX ROWID| T    |     3   (0) |
|*  3 |    INDEX UNIQUE SCAN         | T_ID |             |
-----------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   3 - access("ID"=5)

explain plan for delete from t where grp = 4 and name = 'name 4';
select * from table(dbms_xplan.display(format => 'typical -rows -bytes'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3820846051
-
-------------------------------------------------
| Id  | Operation         | Name  | Cost (%CPU) |
-------------------------------------------------
|   0 | DELETE STATEMENT  |       |             |
|   1 |  DELETE           | T     |             |
|*  2 |   INDEX RANGE SCAN| T_GRP |     2   (0) |
-------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - access("GRP"=4 AND "NAME"='name 4')

explain plan for insert into t (id) values (1);
select * from table(dbms_xplan.display(format => 'basic'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2794361530
-
----------------------------------------
| Id  | Operation               | Name |
----------------------------------------
|   0 | INSERT STATEMENT        |      |
|   1 |  LOAD TABLE CONVENTIONAL| T    |
----------------------------------------

explain plan for insert into t (id, name) select id, label from small;
select * from table(dbms_xplan.display(format => 'basic'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 4165247178
-
-----------------------------------------
| Id  | Operation               | Name  |
-----------------------------------------
|   0 | INSERT STATEMENT        |       |
|   1 |  LOAD TABLE CONVENTIONAL| T     |
|   2 |   TABLE ACCESS FULL     | SMALL |
-----------------------------------------

explain plan for merge into t using small s on (t.id = s.id) when matched then update set name = s.label when not matched then insert (id) values (s.id);
select * from table(dbms_xplan.display(format => 'basic'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1243632191
-
-----------------------------------------------
| Id  | Operation                     | Name  |
-----------------------------------------------
|   0 | MERGE STATEMENT               |       |
|   1 |  MERGE                        | T     |
|   2 |   NESTED LOOPS                |       |
|   3 |    TABLE ACCESS FULL          | SMALL |
|   4 |    TABLE ACCESS BY INDEX ROWID| T     |
|   5 |     INDEX UNIQUE SCAN         | T_ID  |
|   6 |   NESTED LOOPS ANTI           |       |
|   7 |    TABLE ACCESS FULL          | SMALL |
|   8 |    INDEX UNIQUE SCAN          | T_ID  |
-----------------------------------------------

explain plan for insert all into small values (id, name) into t (id) values (id) select id, name from t where id < 3;
select * from table(dbms_xplan.display(format => 'basic'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1370918731
-
---------------------------------------------
| Id  | Operation                    | Name |
---------------------------------------------
|   0 | INSERT STATEMENT             |      |
|   1 |  MULTI-TABLE INSERT          |      |
|   2 |   TABLE ACCESS BY INDEX ROWID| T    |
|   3 |    INDEX RANGE SCAN          | T_ID |
---------------------------------------------

select count(*), min(name) from t;
select count(*) from v$locked_object
---
COUNT(*) | MIN(NAME)
1000 | name 1
COUNT(*)
0

# The session's own PLAN_TABLE.

delete from plan_table;
select count(*) from plan_table
---
DELETE: 83 rows
COUNT(*)
0

explain plan set statement_id = 'A' for select name from t where id = 7;
explain plan set statement_id = 'B' for select count(*) from small s;
select statement_id, id, parent_id, depth, position, operation, options, object_owner, object_name, object_alias, object_type, cardinality, bytes, cost, access_predicates, filter_predicates from plan_table order by plan_id, id
---
EXPLAIN
EXPLAIN
STATEMENT_ID | ID | PARENT_ID | DEPTH | POSITION | OPERATION | OPTIONS | OBJECT_OWNER | OBJECT_NAME | OBJECT_ALIAS | OBJECT_TYPE | CARDINALITY | BYTES | COST | ACCESS_PREDICATES | FILTER_PREDICATES
A | 0 | - | 0 | 3 | SELECT STATEMENT | - | - | - | - | - | 1 | 31 | 3 | - | -
A | 1 | 0 | 1 | 1 | TABLE ACCESS | BY INDEX ROWID | SYSTEM | T | T | TABLE | 1 | 31 | 3 | - | -
A | 2 | 1 | 2 | 1 | INDEX | UNIQUE SCAN | SYSTEM | T_ID | T | INDEX (UNIQUE) | 1 | - | - | "ID"=7 | -
B | 0 | - | 0 | 2 | SELECT STATEMENT | - | - | - | - | - | 1 | - | 2 | - | -
B | 1 | 0 | 1 | 1 | SORT | AGGREGATE | - | - | - | - | 1 | - | 2 | - | -
B | 2 | 1 | 2 | 1 | TABLE ACCESS | FULL | SYSTEM | SMALL | S | TABLE | 1 | 10 | 2 | - | -

select * from table(dbms_xplan.display('PLAN_TABLE', 'A', 'BASIC'))
---
PLAN_TABLE_OUTPUT
Plan hash value: 3168828683
-
--------------------------------------------
| Id  | Operation                   | Name |
--------------------------------------------
|   0 | SELECT STATEMENT            |      |
|   1 |  TABLE ACCESS BY INDEX ROWID| T    |
|   2 |   INDEX UNIQUE SCAN         | T_ID |
--------------------------------------------

select * from table(dbms_xplan.display('PLAN_TABLE', 'C'))
---
PLAN_TABLE_OUTPUT
Error: cannot fetch plan for statement_id 'C'

delete from plan_table where statement_id = 'A';
rollback;
select distinct statement_id from plan_table;
delete from sys.plan_table;
select * from table(dbms_xplan.display)
---
DELETE: 3 rows
ROLLBACK
STATEMENT_ID
B
DELETE: 3 rows
PLAN_TABLE_OUTPUT
Error: cannot fetch last explain plan from PLAN_TABLE

update plan_table set cost = 1;
insert into plan_table (id) values (1)
---
ORA-02030: PLAN_TABLE is a view of the dictionary or of figures: it can only be read
ORA-02030: PLAN_TABLE is a view of the dictionary or of figures: it can only be read

# A table of the user's own. What is put into it is of the transaction.

create table plans (statement_id varchar2(30), plan_id number, timestamp date, operation varchar2(30), options varchar2(255), object_name varchar2(30), object_alias varchar2(60), id number, parent_id number, depth number, position number, cardinality number, bytes number, access_predicates varchar2(4000), filter_predicates varchar2(4000));
explain plan set statement_id = 'mine' into plans for select name from t where id = 7;
explain plan into system.plans for select * from small where label = 'it''s';
select statement_id, id, operation, options, object_name from plans order by plan_id, id
---
CREATE TABLE
EXPLAIN
EXPLAIN
STATEMENT_ID | ID | OPERATION | OPTIONS | OBJECT_NAME
mine | 0 | SELECT STATEMENT | - | -
mine | 1 | TABLE ACCESS | BY INDEX ROWID | T
mine | 2 | INDEX | UNIQUE SCAN | T_ID
- | 0 | SELECT STATEMENT | - | -
- | 1 | TABLE ACCESS | FULL | SMALL

select * from table(dbms_xplan.display('plans'))
---
PLAN_TABLE_OUTPUT
Plan hash value: 544275163
-
---------------------------------------------------
| Id  | Operation         | Name  | Rows  | Bytes |
---------------------------------------------------
|   0 | SELECT STATEMENT  |       |     1 |    10 |
|*  1 |  TABLE ACCESS FULL| SMALL |     1 |    10 |
---------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("LABEL"='it''s')

select * from table(dbms_xplan.display('system.plans', 'mine', 'basic'))
---
PLAN_TABLE_OUTPUT
Plan hash value: 3168828683
-
--------------------------------------------
| Id  | Operation                   | Name |
--------------------------------------------
|   0 | SELECT STATEMENT            |      |
|   1 |  TABLE ACCESS BY INDEX ROWID| T    |
|   2 |   INDEX UNIQUE SCAN         | T_ID |
--------------------------------------------

rollback;
select count(*) from plans
---
ROLLBACK
COUNT(*)
0

create table plan_table as select * from plans;
explain plan for select * from small;
select count(*) from plan_table;
drop table plan_table;
select count(*) from plan_table
---
CREATE TABLE: 0 rows
EXPLAIN
COUNT(*)
2
DROP TABLE
COUNT(*)
0

# What is wrong.

explain plan into nowhere for select * from t;
explain plan into small for select * from t;
explain plan for select nothing from t;
explain plan for select 1 frm t;
explain plan for commit;
explain plan for create table x (a number);
explain plan set statement_id = 1 for select 1 from dual;
explain select 1 from dual;
select * from table(dbms_xplan.display('nowhere'));
select * from table(dbms_xplan.display(1, 2, 3, 4, 5));
select * from table(dbms_xplan.display(nothing => 1));
select * from table(dbms_xplan.display(format => 'advanced'));
select * from table(dbms_xplan.display_awr('x'));
select * from table(some_function(1));
select * from table(dbms_xplan.display(format => 'typcal'))
---
ORA-02404: specified plan table not found: NOWHERE
ORA-02403: plan table SYSTEM.SMALL does not have correct format
ORA-00904: "NOTHING": invalid identifier [24]
ORA-00923: FROM keyword not found where expected: t [30]
ORA-00905: missing keyword: EXPLAIN PLAN is for queries and for changes of rows [17]
HW-0001: not supported: EXPLAIN PLAN FOR CREATE TABLE [17]
ORA-02236: a string in quotation marks is expected [32]
ORA-00905: missing keyword: PLAN expected [8]
ORA-00942: table or view does not exist: nowhere
ORA-06553: PLS-306: wrong number or types of arguments in call to 'DISPLAY' [20]
ORA-06553: PLS-306: wrong number or types of arguments in call to 'DISPLAY' [20]
HW-0001: not supported: ADVANCED in a format of DBMS_XPLAN
HW-0001: not supported: DBMS_XPLAN.DISPLAY_AWR [20]
HW-0001: not supported: in FROM: TABLE(some_function(1)) [20]
PLAN_TABLE_OUTPUT
Error: format 'typcal' not valid for DBMS_XPLAN.DISPLAY()

# Cursors: the plan of the last statement, or of one by its identifier.

select name from t where id = 12;
select * from table(dbms_xplan.display_cursor)
---
NAME
name 12
PLAN_TABLE_OUTPUT
SQL_ID  71haj1z1td5xn, child number 0
-------------------------------------
select name from t where id = 12
-
Plan hash value: 3168828683
-
--------------------------------------------------------------------------
| Id  | Operation                   | Name | Rows  | Bytes | Cost (%CPU) |
--------------------------------------------------------------------------
|   0 | SELECT STATEMENT            |      |     1 |    31 |     3   (0) |
|   1 |  TABLE ACCESS BY INDEX ROWID| T    |     1 |    31 |     3   (0) |
|*  2 |   INDEX UNIQUE SCAN         | T_ID |     1 |       |             |
--------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - access("ID"=12)

select * from table(dbms_xplan.display_cursor('nosuchsqlid'));
select count(*) from small;
select * from table(dbms_xplan.display_cursor(null, null, 'allstats last'))
---
PLAN_TABLE_OUTPUT
SQL_ID: nosuchsqlid, child number: 0 cannot be found
COUNT(*)
1
PLAN_TABLE_OUTPUT
SQL_ID  6yq8372gm31zk, child number 0
-------------------------------------
select count(*) from small
-
Plan hash value: 1698664162
-
---------------------------------------------
| Id  | Operation          | Name  | E-Rows |
---------------------------------------------
|   0 | SELECT STATEMENT   |       |      1 |
|   1 |  SORT AGGREGATE    |       |      1 |
|   2 |   TABLE ACCESS FULL| SMALL |      1 |
---------------------------------------------
-
Note
-----
   - Warning: basic plan statistics not available. They are kept of a statement that has
     the hint GATHER_PLAN_STATISTICS, where STATISTICS_LEVEL is ALL, and while SQL is traced

select * from table(dbms_xplan.display_cursor(cursor_child_no => 1, sql_id => 'x'));
select * from table(dbms_xplan.display_cursor(format => 'nonsense'))
---
PLAN_TABLE_OUTPUT
SQL_ID: x, child number: 1 cannot be found
PLAN_TABLE_OUTPUT
Error: format 'nonsense' not valid for DBMS_XPLAN.DISPLAY_CURSOR()

commit;
select * from table(dbms_xplan.display_cursor)
---
COMMIT
PLAN_TABLE_OUTPUT
SQL_ID  23wm3kz7rps5y, child number 0
-------------------------------------
commit
-
NOTE: cannot fetch plan for SQL_ID: 23wm3kz7rps5y, CHILD_NUMBER: 0
      The statement has none, or has not come to its end since it was parsed.

insert into small values (2, 'two');
select * from table(dbms_xplan.display_cursor)
---
INSERT: 1 rows
PLAN_TABLE_OUTPUT
SQL_ID  b61ybauk3fcpp, child number 0
-------------------------------------
insert into small values (2, 'two')
-
Plan hash value: 2089727626
-
---------------------------------------------------------
| Id  | Operation               | Name  | Rows  | Bytes |
---------------------------------------------------------
|   0 | INSERT STATEMENT        |       |       |       |
|   1 |  LOAD TABLE CONVENTIONAL| SMALL |       |       |
---------------------------------------------------------

delete from small where id = 2;
select * from table(dbms_xplan.display_cursor)
---
DELETE: 1 rows
PLAN_TABLE_OUTPUT
SQL_ID  bs1acmuqjs891, child number 0
-------------------------------------
delete from small where id = 2
-
Plan hash value: 1277189685
-
------------------------------------------------------------------
| Id  | Operation          | Name  | Rows  | Bytes | Cost (%CPU) |
------------------------------------------------------------------
|   0 | DELETE STATEMENT   |       |       |       |             |
|   1 |  DELETE            | SMALL |       |       |             |
|*  2 |   TABLE ACCESS FULL| SMALL |     1 |    10 |     2   (0) |
------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - filter("ID"=2)

# With the hint, what row sources have done.

select /*+ gather_plan_statistics */ count(*) from small, t where small.id = t.id;
select /*+ gather_plan_statistics */ count(*) from small, t where small.id = t.id;
select s.id, s.parent_id, s.operation, s.options, s.object_name, s.executions, s.last_starts, s.starts, s.last_output_rows, s.output_rows, s.last_disk_reads from v$sql_plan_statistics_all s, v$sql q where s.sql_id = q.sql_id and q.sql_text like 'select /*+ gather_plan%' order by s.id
---
COUNT(*)
1
COUNT(*)
1
ID | PARENT_ID | OPERATION | OPTIONS | OBJECT_NAME | EXECUTIONS | LAST_STARTS | STARTS | LAST_OUTPUT_ROWS | OUTPUT_ROWS | LAST_DISK_READS
0 | - | SELECT STATEMENT | - | - | 2 | 1 | 2 | 1 | 2 | 0
1 | 0 | SORT | AGGREGATE | - | 2 | 1 | 2 | 1 | 2 | 0
2 | 1 | NESTED LOOPS | - | - | 2 | 1 | 2 | 1 | 2 | 0
3 | 2 | TABLE ACCESS | FULL | SMALL | 2 | 1 | 2 | 1 | 2 | 0
4 | 2 | INDEX | UNIQUE SCAN | T_ID | 2 | 1 | 2 | 1 | 2 | 0

select count(*) from v$sql_plan_statistics;
alter session set statistics_level = all;
select count(*) from small;
insert into small values (3, 'three');
select operation_id, last_starts, last_output_rows, last_cr_buffer_gets from v$sql_plan_statistics s, v$sql q where s.sql_id = q.sql_id and q.sql_text = 'select count(*) from small' order by 1
---
COUNT(*)
4
ALTER SESSION
COUNT(*)
1
INSERT: 1 rows
OPERATION_ID | LAST_STARTS | LAST_OUTPUT_ROWS | LAST_CR_BUFFER_GETS
1 | 1 | 1 | 7
2 | 1 | 1 | 7

alter session set statistics_level = some
---
ORA-00096: 'some' is not allowed for statistics_level: one of BASIC, TYPICAL, ALL

# Programs read plans, too.

begin execute immediate 'explain plan for select count(*) from small'; for r in (select plan_table_output line from table(dbms_xplan.display)) loop if r.line like '%TABLE ACCESS FULL| SMALL%' then insert into small values (99, 'seen'); end if; end loop; end; /* */;
select label from small where id = 99;
explain plan for select label from small where id = (select max(id) from t) and case when id > 1 then 1 end = 1;
select * from table(dbms_xplan.display(format => 'typical -bytes'))
---
PL/SQL
LABEL
seen
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 4027930435
-
--------------------------------------------------------------
| Id  | Operation              | Name  | Rows  | Cost (%CPU) |
--------------------------------------------------------------
|   0 | SELECT STATEMENT       |       |     1 |     4   (0) |
|   1 |  SCALAR SUBQUERY       |       |     1 |     4   (0) |
|*  2 |   FILTER               |       |     1 |     2   (0) |
|   3 |    TABLE ACCESS FULL   | SMALL |     1 |     2   (0) |
|   4 |   SORT AGGREGATE       |       |     1 |     2   (0) |
|   5 |    INDEX FAST FULL SCAN| T_ID  |  1000 |     2   (0) |
--------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   2 - filter(("SMALL"."ID">1 IS NOT DISTINCT FROM TRUE OR "SMALL"."ID">1 IS DISTINCT FROM TRUE AND NULL) AND "SMALL"."ID"=(SELECT …))

# Hints: which were used, and why others were not.

explain plan for select /*+ full(t) index(t t_grp) index(s) parallel(t 4) fulll(t) full */ name from t where id = 7;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2830698417
-
----------------------------------------------------------------
| Id  | Operation         | Name | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------
|   0 | SELECT STATEMENT  |      |     1 |    31 |     2   (0) |
|*  1 |  TABLE ACCESS FULL| T    |     1 |    31 |     2   (0) |
----------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("ID"=7)
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 6 (U - Unused (2), N - Unresolved (1), E - Syntax error (2))
---------------------------------------------------------------------------------------
-
   0 - STATEMENT
         N -  INDEX(S) / its query block has no table of this name
         U -  PARALLEL(T 4) / not carried out here
         E -  FULLL(T) / there is no such hint
         E -  FULL / it names no table
   1 - T
         U -  INDEX(T T_GRP) / FULL stands beside it

explain plan for select /*+ index(t (grp name)) no_index(t t_id) */ name from t where grp = 7 and id = 7;
select * from table(dbms_xplan.display(format => 'BASIC +HINT_REPORT'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 569113810
-
---------------------------------------------
| Id  | Operation                   | Name  |
---------------------------------------------
|   0 | SELECT STATEMENT            |       |
|   1 |  TABLE ACCESS BY INDEX ROWID| T     |
|   2 |   INDEX RANGE SCAN          | T_GRP |
---------------------------------------------
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 2
--------------------------------------------------------
-
   1 - T
           -  INDEX(T (GRP NAME))
           -  NO_INDEX(T T_ID)

explain plan for select /*+ index(t (id)) */ name from t where grp = 7 and id = 7;
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3168828683
-
--------------------------------------------------------------------------
| Id  | Operation                   | Name | Rows  | Bytes | Cost (%CPU) |
--------------------------------------------------------------------------
|   0 | SELECT STATEMENT            |      |     1 |    31 |     3   (0) |
|*  1 |  TABLE ACCESS BY INDEX ROWID| T    |     1 |    31 |     3   (0) |
|*  2 |   INDEX UNIQUE SCAN         | T_ID |     1 |       |             |
--------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter("GRP"=7)
   2 - access("ID"=7)

select remarks from plan_table where remarks is not null
---
REMARKS
hint N INDEX(S) / its query block has no table of this name
hint U PARALLEL(T 4) / not carried out here
hint E FULLL(T) / there is no such hint
hint E FULL / it names no table
hint - FULL(T)
hint U INDEX(T T_GRP) / FULL stands beside it
hint - INDEX(T (GRP NAME))
hint - NO_INDEX(T T_ID)
hint - INDEX(T (ID))

explain plan for select /*+ index(t t_grp) index(small nix) */ t.name, s.label from t, small s where s.id = t.id and t.id in (select --+ index(u t_id)
 id from t u where id > 990);
select * from table(dbms_xplan.display(format => 'ALL'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1850227457
-
-------------------------------------------------------------------
| Id  | Operation           | Name  | Rows  | Bytes | Cost (%CPU) |
-------------------------------------------------------------------
|   0 | SELECT STATEMENT    |       |     1 |    72 |     7   (0) |
|*  1 |  HASH JOIN          |       |     1 |    72 |     7   (0) |
|   2 |   NESTED LOOPS      |       |     1 |    41 |     4   (0) |
|   3 |    TABLE ACCESS FULL| SMALL |     1 |    10 |     2   (0) |
|*  4 |    INDEX UNIQUE SCAN| T_ID  |     1 |    31 |     2   (0) |
|   5 |   TABLE ACCESS FULL | T     |  1000 | 31000 |     2   (0) |
-------------------------------------------------------------------
-
Object Alias (identified by operation id):
------------------------------------------
-
   3 - S
   4 - U
   5 - T
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - access("U"."ID"="T"."ID")
   4 - access("U"."ID"="S"."ID")
       filter("U"."ID">990)
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 3 (U - Unused (1), N - Unresolved (1))
-----------------------------------------------------------------
-
   0 - STATEMENT
         N -  INDEX(SMALL NIX) / its query block has no table of this name
   4 - U
           -  INDEX(U T_ID)
   5 - T
         U -  INDEX(T T_GRP) / no condition gives a range of the index, and it may lack rows

explain plan for update /*+ index(t t_grp) */ t set day = null where grp = 1 and name = 'x';
select * from table(dbms_xplan.display(format => 'typical +hint_report'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 942360873
-
----------------------------------------------------------------------------
| Id  | Operation                    | Name  | Rows  | Bytes | Cost (%CPU) |
----------------------------------------------------------------------------
|   0 | UPDATE STATEMENT             |       |       |       |             |
|   1 |  UPDATE                      | T     |       |       |             |
|   2 |   TABLE ACCESS BY INDEX ROWID| T     |     1 |    31 |     2   (0) |
|*  3 |    INDEX RANGE SCAN          | T_GRP |     1 |       |             |
----------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   3 - access("GRP"=1 AND "NAME"='x')
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 1
--------------------------------------------------------
-
   2 - T
           -  INDEX(T T_GRP)

explain plan for insert /*+ append */ into small select /*+ gather_plan_statistics full(t) */ id, 'x' from t;
select * from table(dbms_xplan.display(format => 'basic +hint_report'))
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 1150647749
-
------------------------------------
| Id  | Operation          | Name  |
------------------------------------
|   0 | INSERT STATEMENT   |       |
|   1 |  LOAD AS SELECT    | SMALL |
|   2 |   TABLE ACCESS FULL| T     |
------------------------------------
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 3
--------------------------------------------------------
-
   0 - STATEMENT
           -  APPEND
           -  GATHER_PLAN_STATISTICS
   2 - T
           -  FULL(T)

explain plan for insert /*+ append */ into small values (1, 'x');
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 2089727626
-
---------------------------------------------------------
| Id  | Operation               | Name  | Rows  | Bytes |
---------------------------------------------------------
|   0 | INSERT STATEMENT        |       |       |       |
|   1 |  LOAD TABLE CONVENTIONAL| SMALL |       |       |
---------------------------------------------------------
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 1 (U - Unused (1))
--------------------------------------------------------
-
   0 - STATEMENT
         U -  APPEND / the rows cannot be loaded

explain plan for merge /*+ full(t) append */ into t using small s on (t.id = s.id) when matched then update set name = 'x';
select * from table(dbms_xplan.display)
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 3093084894
-
-----------------------------------------------------------------------------
| Id  | Operation                     | Name  | Rows  | Bytes | Cost (%CPU) |
-----------------------------------------------------------------------------
|   0 | MERGE STATEMENT               |       |       |       |             |
|   1 |  MERGE                        | T     |       |       |             |
|   2 |   NESTED LOOPS                |       |     1 |    41 |     5   (0) |
|   3 |    TABLE ACCESS FULL          | SMALL |     1 |    10 |     2   (0) |
|   4 |    TABLE ACCESS BY INDEX ROWID| T     |     1 |    31 |     3   (0) |
|*  5 |     INDEX UNIQUE SCAN         | T_ID  |     1 |       |             |
-----------------------------------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   5 - access("T"."ID"="S"."ID")
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 2 (U - Unused (2))
--------------------------------------------------------
-
   0 - STATEMENT
         U -  FULL(T) / not carried out in this statement
         U -  APPEND / the statement is no INSERT into one table

# The hints of a MERGE's subqueries.

explain plan for merge /*+ full(t) */ into t using (select /*+ full(nope) bogus full(small) */ * from small) s on (t.id = s.id) when matched then update set name = (select /*+ full(zz) full(small) */ max(label) from small) when not matched then insert (id) values (s.id);
select * from table(dbms_xplan.display(format => 'basic +hint_report'));
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 95378965
-
------------------------------------------------
| Id  | Operation                      | Name  |
------------------------------------------------
|   0 | MERGE STATEMENT                |       |
|   1 |  MERGE                         | T     |
|   2 |   SCALAR SUBQUERY              |       |
|   3 |    NESTED LOOPS                |       |
|   4 |     TABLE ACCESS FULL          | SMALL |
|   5 |     TABLE ACCESS BY INDEX ROWID| T     |
|   6 |      INDEX UNIQUE SCAN         | T_ID  |
|   7 |    SORT AGGREGATE              |       |
|   8 |     TABLE ACCESS FULL          | SMALL |
|   9 |   NESTED LOOPS ANTI            |       |
|  10 |    TABLE ACCESS FULL           | SMALL |
|  11 |    INDEX UNIQUE SCAN           | T_ID  |
------------------------------------------------
-
Hint Report (identified by operation id / Object Alias):
Total hints for statement: 7 (U - Unused (1), N - Unresolved (2), E - Syntax error (1))
---------------------------------------------------------------------------------------
-
   0 - STATEMENT
         U -  FULL(T) / not carried out in this statement
         N -  FULL(NOPE) / its query block has no table of this name
         E -  BOGUS / there is no such hint
         N -  FULL(ZZ) / its query block has no table of this name
   4 - SMALL
           -  FULL(SMALL)
   8 - SMALL
           -  FULL(SMALL)
  10 - SMALL
           -  FULL(SMALL)
