# Oracle's spellings, set operations with NULL, and the numbers and places of errors.

create table emp (empno number, ename varchar2(10), deptno number not null, sal number(7,2), hired date);
create table dept (deptno number, dname char(12));
insert into emp values (1, 'KING', 10, 5000, date '2020-03-01');
insert into emp values (2, 'BLAKE', 10, 2850, date '2021-01-01');
insert into emp values (3, 'JONES', 20, 2975, null);
insert into emp values (4, 'SCOTT', 20, 3000, date '2019-01-01');
insert into emp values (5, 'ADAMS', 20, 3000, date '2022-05-05');
insert into emp values (6, null, 30, null, null);
insert into dept values (10, 'ACCOUNTING');
insert into dept values (20, 'RESEARCH');
insert into dept values (30, null);
---
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select unique deptno from emp order by 1;
---
DEPTNO
10
20
30

select unique deptno, 'x' from emp where deptno ^= 10 order by 1;
---
DEPTNO | 'X'
20 | x
30 | x

select ename from emp where deptno = any (10, 30) order by 1;
---
ENAME
BLAKE
KING
-

select ename from emp where sal > all (2900, 2990) order by 1;
---
ENAME
ADAMS
KING
SCOTT

select ename from emp where sal < some (2900) order by 1;
---
ENAME
BLAKE

select ename from emp where sal >= all (select sal from emp where sal is not null) order by 1;
---
ENAME
KING

select ename from emp where not deptno != all (10, 20 + 10) order by 1;
---
ENAME
BLAKE
KING
-

select 1 a, sysdate - sysdate b from dual union all select null, null from dual;
---
A | B
1 | 0
- | -

select null a from dual union select deptno from emp order by 1;
---
A
10
20
30
-

select hired from emp where empno = 1 union all select '' from dual;
---
HIRED
01-MAR-20
-

select null from dual union all select null from dual union all select 7 from dual;
---
NULL
-
-
7

select deptno from emp minus select null from dual;
---
DEPTNO
10
20
30

select deptno from emp intersect select null from dual;
---
DEPTNO

select 1 from dual union select 'a' from dual;
---
ORA-01790: expression must have same datatype as corresponding expression: 1 [0]

select 1 from dual union select 1, 2 from dual;
---
ORA-01789: query block has incorrect number of result columns [0]

create table c as select 'abc' a, 'x' || 'y' b, null || 'z' c, 1 n from dual union all select 'def', 'q', null, null from dual;
---
CREATE TABLE: 2 rows

select column_name, data_type, data_length from user_tab_columns where table_name = 'C' order by column_id;
---
COLUMN_NAME | DATA_TYPE | DATA_LENGTH
A | CHAR | 3
B | VARCHAR2 | 2
C | VARCHAR2 | 1
N | NUMBER | 22

create table c2 as select 'abc' a, 'x' b from dual;
---
CREATE TABLE: 1 rows

select column_name, data_type, data_length, '[' || a || ']' from user_tab_columns, c2 where table_name = 'C2' order by column_id;
---
COLUMN_NAME | DATA_TYPE | DATA_LENGTH | '['||A||']'
A | CHAR | 3 | [abc]
B | CHAR | 1 | [abc]

create table c3 as select 1 a, null b from dual;
---
ORA-01723: zero-length columns are not allowed: B is NULL, of no data type

create table c4 as select 1 a, '' b from dual;
---
ORA-01723: zero-length columns are not allowed: B is NULL, of no data type

create table c5 as select deptno, nosuch from emp;
---
ORA-00904: "NOSUCH": invalid identifier [34]

select ename, (select max(x.sal) from emp x where x.sal < e.sal and x.deptno = e.deptno) m from emp e order by 1;
---
ENAME | M
ADAMS | 2975
BLAKE | -
JONES | -
KING | 2850
SCOTT | 2975
- | -

select ename, (select sal from (select sal from emp x where x.deptno = e.deptno order by sal) where rownum = 1) from emp e;
---
ORA-00904: "E"."DEPTNO": invalid identifier [71]

select ename from emp e where sal = (select max(sal) from emp x where x.deptno = e.deptno or x.sal = e.sal);
---
ENAME
KING
SCOTT
ADAMS

select ename,
  (select count(*) from emp x where x.sal > e.sal)
from emp e;
---
ENAME | (SELECTCOUNT(*)FROMEMPXWHEREX.SAL>E.SAL)
KING | 0
BLAKE | 4
JONES | 3
SCOTT | 1
ADAMS | 1
- | 0

select ename from emp e where exists (select 1 from dept d where d.deptno = e.deptno union select 1 from dual);
---
ENAME
KING
BLAKE
JONES
SCOTT
ADAMS
-

select ename from emp e where sal > any (select x.sal from emp x where x.deptno <> e.deptno);
---
ENAME
KING
JONES
SCOTT
ADAMS

select ename, nosuch from emp;
---
ORA-00904: "NOSUCH": invalid identifier [14]

select ename, nosuchfunction(sal) from emp;
---
ORA-00904: "NOSUCHFUNCTION": invalid identifier [14]

select ename, months_between(sal) from emp;
---
ORA-00938: not enough arguments for function MONTHS_BETWEEN [14]

select ename, soundex(ename) from emp;
---
ENAME | SOUNDEX(ENAME)
KING | K520
BLAKE | B420
JONES | J520
SCOTT | S300
ADAMS | A352
- | -

select ename, 1 + (case when sal > 1 then 'a' else 2 end) from emp;
---
ORA-00932: inconsistent datatypes: expected CHAR got NUMBER [19]

select ename from emp where hired > 5;
---
ORA-00932: inconsistent datatypes: expected DATE got NUMBER [28]

select ename,
  sum(sal) from emp;
---
ORA-00937: not a single-group group function: column ENAME [7]

select deptno, sum(sal), upper(ename) from emp group by deptno;
---
ORA-00979: not a GROUP BY expression: column ENAME [25]

select deptno from emp order by deptno, nosuch;
---
ORA-00904: "NOSUCH": invalid identifier [40]

select a.ename from emp e;
---
ORA-00904: "A"."ENAME": invalid identifier [7]

select ename from emp, dept where deptno = 10;
---
ORA-00918: column ambiguously defined: DEPTNO [34]

select ename from emp where sal;
---
ORA-00920: invalid relational operator: sal is not a condition [28]

select x.* from emp e;
---
ORA-00904: x: invalid identifier [7]

select ename from emp e join nosuch n on n.a = e.empno;
---
ORA-00942: table or view does not exist: nosuch [29]

select ename from emp where empno in (select empno, sal from emp);
---
ORA-00913: too many values: the subquery gives more columns than there are values [28]

select ename from emp where (empno, sal) = (1, 2, 3);
---
ORA-00913: too many values, or not enough, in a list [29]

select date '2020-13-01' from dual;
---
ORA-01843: not a valid month [12]

select substr() from dual;
---
ORA-00938: not enough arguments for function SUBSTR [7]

update emp set nosuch = 1;
---
ORA-00904: "NOSUCH": invalid identifier [15]

delete from emp where nosuch = 1;
---
ORA-00904: "NOSUCH": invalid identifier [22]

insert into emp (empno, nosuch) values (1, 2);
---
ORA-00904: "NOSUCH": invalid identifier [24]

select e.deptno from emp e right join dept d using (deptno);
---
ORA-25154: column part of USING clause cannot have qualifier: E.DEPTNO [7]

select deptno, dname from emp e right join dept d using (deptno) where empno = 1;
---
DEPTNO | DNAME
10 | ACCOUNTING  

select e.deptno from emp e natural join dept d;
---
ORA-25155: column used in NATURAL join cannot have qualifier: E.DEPTNO [7]

select ename x, sal x from emp order by x;
---
ORA-00960: ambiguous column naming in select list: X [40]

select ename x, ename x from emp where empno = 1 order by x;
---
X | X
KING | KING

select deptno a, deptno + 1 a from emp union select 1, 2 from dual order by a;
---
ORA-00960: ambiguous column naming in select list: A [76]

select from emp;
---
ORA-00936: missing expression [7]

select;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [6]

select a,, b from emp;
---
ORA-00936: syntax error: Expected: an expression, found: , [9]

select ename, from emp;
---
ORA-00936: missing expression [14]

select * emp;
---
ORA-00923: FROM keyword not found where expected: emp [9]

select ename from;
---
ORA-00903: syntax error: Expected: identifier, found: EOF [17]

select ename from where 1 = 1;
---
ORA-00903: invalid table name [18]

select ename from emp where;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [27]

select ename from emp where sal =;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [33]

select ename from emp where sal between 1 2;
---
ORA-00905: syntax error: Expected: AND, found: 2 [42]

select ename from emp group deptno;
---
ORA-00924: missing BY keyword [28]

select ename from emp order deptno;
---
ORA-00924: missing BY keyword [28]

select ename from emp order by;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [30]

select ename from emp where ename is 5;
---
ORA-00908: syntax error: Expected: [NOT] NULL | TRUE | FALSE | DISTINCT | [form] NORMALIZED FROM after IS, found: 5 [37]

select ename from emp where ename is not;
---
ORA-00908: syntax error: Expected: [NOT] NULL | TRUE | FALSE | DISTINCT | [form] NORMALIZED FROM after IS, found: EOF [40]

select case when 1 = 1 'a' end from dual;
---
ORA-00905: missing keyword in CASE [27]

select case when 1 = 1 then 'a' from dual;
---
ORA-00905: missing keyword in CASE [32]

select cast(1 number) from dual;
---
ORA-00905: syntax error: Expected: AS, found: number [14]

select cast(1 as) from dual;
---
ORA-00902: syntax error: Expected: a data type name, found: ) [16]

select (1 from dual;
---
ORA-00907: syntax error: Expected: ), found: from [10]

select nvl(1 2) from dual;
---
ORA-00907: syntax error: Expected: ), found: 2 [13]

select 1 from dual union;
---
ORA-00928: syntax error: Expected: SELECT, VALUES, or a subquery in the query body, found: EOF [24]

select 1 from dual union all values;
---
ORA-00906: syntax error: Expected: (, found: EOF [35]

with x (select 1 from dual) select * from x;
---
ORA-00907: syntax error: Expected: ), found: 1 [15]

with x as select 1 from dual select * from x;
---
ORA-00906: syntax error: Expected: (, found: select [10]

with x as (select 1 a from dual);
---
ORA-00928: syntax error: Expected: SELECT, VALUES, or a subquery in the query body, found: EOF [32]

select ename from emp e join dept d;
---
ORA-00905: missing keyword: a join needs ON or USING [29]

select ename from emp e join on 1 = 1;
---
ORA-00903: invalid table name [29]

select ename from emp e left dept d on 1 = 1;
---
ORA-00933: SQL command not properly ended: expected OUTER, SEMI, ANTI or JOIN after LEFT [44]

select ename as from emp;
---
ORA-00923: FROM keyword not found where expected: emp [21]

select ename emp, sal foo bar from emp;
---
ORA-00923: FROM keyword not found where expected: bar [26]

select ename from emp where sal = 1 sal = 2;
---
ORA-00933: SQL command not properly ended: sal [36]

select ename from emp);
---
ORA-00933: SQL command not properly ended: ) [21]

select 'abc from dual;
---
ORA-01756: quoted string not properly terminated [7]

select ename from emp where sal !> 1;
---
ORA-00920: invalid relational operator: No infix parser for token ExclamationMark [32]

select sal from emp where ename like;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [36]

select t. from emp t;
---
ORA-01747: invalid column specification [10]

insert emp values (1);
---
ORA-00925: missing INTO keyword [7]

insert into values (1);
---
ORA-00903: invalid table name [12]

insert into emp (1);
---
ORA-00928: missing SELECT keyword [17]

insert into emp (empno) (1);
---
ORA-00928: syntax error: Expected: SELECT, VALUES, or a subquery in the query body, found: 1 [25]

insert into emp (empno);
---
ORA-00926: missing VALUES keyword [23]

insert into emp;
---
ORA-00926: missing VALUES keyword [15]

insert into emp values 1;
---
ORA-00906: missing left parenthesis [23]

insert into emp values (1;
---
ORA-00917: missing comma [25]

insert into emp values (1 2);
---
ORA-00917: missing comma [26]

insert into emp values (1, );
---
ORA-00936: syntax error: Expected: an expression, found: ) [27]

insert into emp (empno) value (1);
---
ORA-00926: missing VALUES keyword [24]

update;
---
ORA-00903: invalid table name [6]

update emp;
---
ORA-00971: missing SET keyword [10]

update emp sal = 1;
---
ORA-00971: missing SET keyword [15]

update emp set;
---
ORA-00903: syntax error: Expected: identifier, found: EOF [14]

update emp set sal 1;
---
ORA-00927: syntax error: Expected: =, found: 1 [19]

update emp set sal = where empno = 1;
---
ORA-00936: missing expression [21]

update emp set sal = 1 were empno = 1;
---
ORA-00933: SQL command not properly ended: were [23]

delete;
---
ORA-00903: invalid table name [6]

delete emp where;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [16]

delete from emp were empno = 1;
---
ORA-00933: SQL command not properly ended: empno [21]

selct 1 from dual;
---
ORA-00900: invalid SQL statement [0]

create tabel x (a number);
---
HW-0001: not supported: CREATE tabel [7]

create table x;
---
ORA-00906: missing left parenthesis [14]

create table x (a);
---
ORA-02263: column A needs a data type [18]

create table x (a number;
---
ORA-00907: missing right parenthesis [24]

create table x (1 number);
---
ORA-00903: a name is expected [16]

drop;
---
HW-0001: not supported: DROP [4]

select max(sal) keep (dense_rank first order by hired) from emp;
---
HW-0001: not supported: KEEP (DENSE_RANK …) [16]

select ename, cursor(select 1 from dual) from emp;
---
HW-0001: not supported: CURSOR (…) [14]

with r (n) as (select 1 from dual union all select n + 1 from r where n < 5) select n from r;
---
HW-0001: not supported: recursive WITH [62]

with r as (select 1 n from dual union all select n + 1 from r where n < 5) select n from r;
---
ORA-32039: recursive WITH clause must have a list of column names [60]

with dept as (select 1 n from dual) select n from dept;
---
N
1

select sys_connect_by_path(ename, '/') from emp;
---
HW-0001: not supported: function SYS_CONNECT_BY_PATH [7]

select connect_by_isleaf from emp;
---
HW-0001: not supported: pseudocolumn CONNECT_BY_ISLEAF [7]

select connect_by_root ename from emp;
---
HW-0001: not supported: CONNECT_BY_ROOT (CONNECT BY over rows) [7]

select percentile_cont(0.5) within group (order by sal) from emp;
---
HW-0001: not supported: percentile_cont(0.5) WITHIN GROUP (ORDER BY sal) [7]

select xmlagg(ename) from emp;
---
HW-0001: not supported: function XMLAGG [7]

select group_id() from emp group by deptno;
---
HW-0001: not supported: function GROUP_ID [7]

select ratio_to_report(sal) over () from emp;
---
HW-0001: not supported: window function RATIO_TO_REPORT [7]

select ora_rowscn from emp;
---
HW-0001: not supported: pseudocolumn ORA_ROWSCN [7]

update emp set sal = 1 returning sal into :x;
---
ORA-01422: exact fetch returns more than requested number of rows: RETURNING is for one row

insert into emp (empno, deptno) values (9, 9) return empno into :x;
---
INSERT: 1 rows, X = 9

delete from emp returning sal into :x;
---
ORA-01422: exact fetch returns more than requested number of rows: RETURNING is for one row

select * from emp sample (10);
---
HW-0001: not supported: SAMPLE [18]

select * from emp as of scn 5;
---
HW-0001: not supported: flashback query [18]

select * from emp partition (p);
---
HW-0001: not supported: partitions [18]

select * from emp for update of sal wait 5;
---
EMPNO | ENAME | DEPTNO | SAL | HIRED
1 | KING | 10 | 5000 | 01-MAR-20
2 | BLAKE | 10 | 2850 | 01-JAN-21
3 | JONES | 20 | 2975 | -
4 | SCOTT | 20 | 3000 | 01-JAN-19
5 | ADAMS | 20 | 3000 | 05-MAY-22
6 | - | 30 | - | -
9 | - | 9 | - | -

select * from (select deptno, sal from emp) pivot (sum(sal) for deptno in (10 as a, 20 as b));
---
HW-0001: not supported: PIVOT and UNPIVOT [44]

select case when case deptno when 10 then 1 else 2 end = 1 then 'a' else 'b' end c from emp where empno in (1, 3) order by 1;
---
C
a
b

select case when exists (select 1 from dual) then (case 1 when 1 then 'x' end) end c from dual;
---
C
x

select case deptno when 10 then case when sal > 3000 then 'high' else 'low' end else '-' end c from emp where empno <= 3 order by empno;
---
C
high
low
-

select case 1 when 1 2 end from dual;
---
ORA-00905: missing keyword in CASE [23]

select ename, extract(year from hired) y, trim(leading 'K' from ename) t from emp where empno = 1;
---
ENAME | Y | T
KING | 2020 | ING

select row_number() over (order by empno) r, ename from emp where empno = 2;
---
R | ENAME
1 | BLAKE

select ename from emp where sal = 1 and group by ename;
---
ORA-00936: missing expression [40]

insert into emp (empno, deptno) values (-1, 10);
---
INSERT: 1 rows

insert into emp (empno, deptno, ename) values (to_number('12'), 10, 'x' || 'y');
---
INSERT: 1 rows

insert into emp ('a') values (1);
---
ORA-00928: missing SELECT keyword [17]

update emp set ename = case when sal > 1 then 'r' end, nosuch = 1;
---
ORA-00904: "NOSUCH": invalid identifier [55]

update emp set ename = 'a', ename = 'b';
---
ORA-00957: duplicate column name: ENAME [28]

select width_bucket(1, 2, 3, 4) from dual;
---
WIDTH_BUCKET(1,2,3,4)
0

select timestamp '2020-01-01 25:00:00' from dual;
---
ORA-01850: hour must be between 0 and 23 [17]

create table d (a number default nosuch);
---
ORA-00904: "NOSUCH": invalid identifier
