# DECODE, CASE, COALESCE and NULLIF: arguments stand once, and what is not asked for is not evaluated.

create table t (a number, b number);
insert into t values (1, 0);
insert into t values (2, 4);
insert into t values (null, null);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select a, coalesce(a / nullif(b, 0), 100 / a) c from t order by a;
---
A | C
1 | 100
2 | .5
- | -

select a, coalesce(a, 1 / b) c from t order by a;
---
A | C
1 | 1
2 | 2
- | -

select a, coalesce(a + 0, 1 / b, 5) c from t order by a;
---
A | C
1 | 1
2 | 2
- | 5

select coalesce(1, 1 / 0) c, coalesce(null, 2, 1 / 0) d from dual;
---
C | D
1 | 2

select coalesce(a + 0, 1 / b) c from t where b = 0;
---
C
1

select coalesce(b / 0, a) c from t;
---
ORA-01476: divisor is equal to zero

select count(*) c from t where coalesce(a + 0, b / 0) > 0;
---
C
2

select coalesce(a + 0, b * 2) c, count(*) n from t group by coalesce(a + 0, b * 2) order by 1;
---
C | N
1 | 1
2 | 1
- | 1

select coalesce(max(a) + 0, min(b) / 0) c from t;
---
C
2

select a, coalesce((select max(x.b) from t x where x.a = t.a) + 0, t.a / 1) c from t order by a;
---
A | C
1 | 0
2 | 4
- | -

select a, decode(a, 1, 'one', 2, 'two', 'none') d from t order by a;
---
A | D
1 | one
2 | two
- | none

select a, decode(a, null, 'null', b, 'b', 1, 'one', 'else') d from t order by a;
---
A | D
1 | one
2 | else
- | null

select decode(null, null, 1, 2) d, decode(1, null, 1, 2) e, decode('a', 'a ', 1, 2) f from dual;
---
D | E | F
1 | 2 | 2

select decode(date '2024-01-01', null, 1, date '2024-01-01', 2, 3) d from dual;
---
D
2

select a, decode(b, 0, 0, a / b) d from t order by a;
---
A | D
1 | 0
2 | .5
- | -

select a, case a when 1 then 'one' when null then 'never' else 'other' end c from t order by a;
---
A | C
1 | one
2 | other
- | other

select nullif('a ', cast('a' as char(3))) n, nullif(to_char(a), '1') m from t order by a;
---
N | M
- | -
- | 2
- | -

# Nested: the cost is that of the length.

select max(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(a, 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5)) v from t;
---
V
5

select max(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(a + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b)) v from t where a = 1;
---
V
1

select max(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(a + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7)) v from t;
---
V
2

select max(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(a + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b)) v from t;
---
V
2

select max(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(decode(a, 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5), 7, 8, 5)) v from t;
---
V
5

select max(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(coalesce(a + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b) + 0, 1 / b)) v from t where a = 1;
---
V
1

select max(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(nullif(a + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7) + 0, 7)) v from t;
---
V
2

select max(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(nvl(a + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b) + 0, b)) v from t;
---
V
2

# As a plan shows them.

explain plan for select a from t where coalesce(a + 0, 1 / b) > 0 and nullif(cast(a as char(3)), to_char(b)) = '1';
select * from table(dbms_xplan.display);
---
EXPLAIN
PLAN_TABLE_OUTPUT
Plan hash value: 19794751
-
---------------------------------------------------
| Id  | Operation          | Name | Rows  | Bytes |
---------------------------------------------------
|   0 | SELECT STATEMENT   |      |       |       |
|*  1 |  FILTER            |      |       |       |
|   2 |   TABLE ACCESS FULL| T    |       |       |
---------------------------------------------------
-
Predicate Information (identified by operation id):
---------------------------------------------------
-
   1 - filter(COALESCE("A"+0,…)>0 AND NULLIF(CONVERT(CONVERT("A")),TO_CHAR("B"))='1')
-
Note
-----
   - no statistics of T: the way to the rows was chosen
     by the blocks of the table and by default values
