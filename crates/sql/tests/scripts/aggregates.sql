# LISTAGG and its order, aggregates of aggregates, grouping sets.

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

select listagg(ename, ',') within group (order by ename) from emp;
---
LISTAGG(ENAME,',')WITHINGROUP(ORDERBYENAME)
ADAMS,BLAKE,JONES,KING,SCOTT

select listagg(ename, ',') within group (order by ename desc) from emp;
---
LISTAGG(ENAME,',')WITHINGROUP(ORDERBYENAMEDESC)
SCOTT,KING,JONES,BLAKE,ADAMS

select listagg(ename, ', ') within group (order by sal desc, ename), listagg(ename, ', ') within group (order by sal, ename) from emp;
---
LISTAGG(ENAME,',')WITHINGROUP(ORDERBYSALDESC,ENAME) | LISTAGG(ENAME,',')WITHINGROUP(ORDERBYSAL,ENAME)
KING, ADAMS, SCOTT, JONES, BLAKE | BLAKE, JONES, ADAMS, SCOTT, KING

select deptno, listagg(ename, '/') within group (order by hired) a, listagg(ename, '/') within group (order by hired nulls first) b, listagg(ename, '/') within group (order by hired desc) c, listagg(ename, '/') within group (order by hired desc nulls last) d from emp group by deptno order by deptno;
---
DEPTNO | A | B | C | D
10 | KING/BLAKE | KING/BLAKE | BLAKE/KING | BLAKE/KING
20 | SCOTT/ADAMS/JONES | JONES/SCOTT/ADAMS | JONES/ADAMS/SCOTT | ADAMS/SCOTT/JONES
30 | - | - | - | -

select listagg(ename) within group (order by empno), listagg(ename, ',') within group (order by null) from emp;
---
LISTAGG(ENAME)WITHINGROUP(ORDERBYEMPNO) | LISTAGG(ENAME,',')WITHINGROUP(ORDERBYNULL)
KINGBLAKEJONESSCOTTADAMS | KING,BLAKE,JONES,SCOTT,ADAMS

select listagg(ename, ',') from emp where deptno = 10;
---
LISTAGG(ENAME,',')
KING,BLAKE

select listagg(distinct deptno, ',') within group (order by deptno desc), listagg(distinct deptno, ',') from emp;
---
LISTAGG(DISTINCTDEPTNO,',')WITHINGROUP(ORDERBYDEPTNODESC) | LISTAGG(DISTINCTDEPTNO,',')
30,20,10 | 10,20,30

select listagg(all deptno, ',' on overflow error) within group (order by deptno) from emp;
---
LISTAGG(ALLDEPTNO,','ONOVERFLOWERROR)WITHINGROUP(ORDERBYDEPTNO)
10,10,20,20,20,30

select listagg(distinct ename, ',') within group (order by sal) from emp;
---
HW-0001: not supported: LISTAGG (DISTINCT …) in the order of something else than its texts [7]

select listagg(ename, ',' on overflow truncate '...' with count) within group (order by sal) from emp;
---
HW-0001: not supported: ON OVERFLOW TRUNCATE '...' WITH COUNT in LISTAGG [7]

select length(listagg(rpad('x', 1000, 'x')) within group (order by empno)) from emp where empno <= 4;
---
LENGTH(LISTAGG(RPAD('X',1000,'X'))WITHINGROUP(ORDERBYEMPNO))
4000

select listagg(rpad('x', 1000, 'x'), ',') within group (order by empno) from emp where empno <= 4;
---
ORA-01489: result of string concatenation is too long

select deptno, listagg(ename, to_char(deptno)) within group (order by ename) l from emp group by deptno order by 1;
---
DEPTNO | L
10 | BLAKE10KING
20 | ADAMS20JONES20SCOTT
30 | -

select listagg(ename, dname) within group (order by ename) from emp natural join dept;
---
ORA-30497: the separator of LISTAGG must be a constant or made of GROUP BY expressions [7]

select ename, listagg(ename, ',') within group (order by sal desc, ename) over (partition by deptno) l from emp order by ename;
---
ENAME | L
ADAMS | ADAMS,SCOTT,JONES
BLAKE | KING,BLAKE
JONES | ADAMS,SCOTT,JONES
KING | KING,BLAKE
SCOTT | ADAMS,SCOTT,JONES
- | -

select listagg(ename, ',') within group (order by ename) over (order by sal) from emp;
---
ORA-30487: ORDER BY not allowed here: the order of LISTAGG stands in WITHIN GROUP [7]

select listagg(dname, '|') within group (order by dname desc) from dept;
---
LISTAGG(DNAME,'|')WITHINGROUP(ORDERBYDNAMEDESC)
RESEARCH    |ACCOUNTING  

select listagg(ename, ',') within group (order by ename) from emp having count(*) > 100;
---
LISTAGG(ENAME,',')WITHINGROUP(ORDERBYENAME)

select max(listagg(ename, ',') within group (order by ename)) from emp group by deptno;
---
MAX(LISTAGG(ENAME,',')WITHINGROUP(ORDERBYENAME))
BLAKE,KING

select median(sal) within group (order by sal) from emp;
---
HW-0001: not supported: MEDIAN … WITHIN GROUP [7]

select max(count(*)), min(count(*)) - 1, avg(sum(sal)) from emp group by deptno;
---
MAX(COUNT(*)) | MIN(COUNT(*))-1 | AVG(SUM(SAL))
3 | 0 | 8412.5

select sum(count(*)) from emp group by deptno having count(*) > 1;
---
SUM(COUNT(*))
5

select max(count(*)) from emp group by deptno order by sum(count(*));
---
MAX(COUNT(*))
3

select max(count(*)) from emp;
---
ORA-00978: nested group function without GROUP BY

select deptno, max(count(*)) from emp group by deptno;
---
ORA-00937: not a single-group group function: column DEPTNO [7]

select count(*), max(count(*)) from emp group by deptno;
---
ORA-00937: not a single-group group function: beside a nested one [7]

select max(sum(count(*))) from emp group by deptno;
---
ORA-00935: group function is nested too deeply: COUNT [15]

select deptno from emp group by deptno having max(count(*)) > 1;
---
ORA-00935: group function is nested too deeply: COUNT [50]

select 1 from emp where count(*) > 1;
---
ORA-00934: group function is not allowed here: COUNT [24]

select deptno, count(*), grouping(deptno) from emp group by rollup(deptno) order by 3, 1;
---
DEPTNO | COUNT(*) | GROUPING(DEPTNO)
10 | 2 | 0
20 | 3 | 0
30 | 1 | 0
- | 6 | 1

select deptno, ename, count(*), grouping_id(deptno, ename) g from emp where deptno = 10 group by cube(deptno, ename) order by g, 1, 2;
---
DEPTNO | ENAME | COUNT(*) | G
10 | BLAKE | 1 | 0
10 | KING | 1 | 0
10 | - | 2 | 1
- | BLAKE | 1 | 2
- | KING | 1 | 2
- | - | 2 | 3

select deptno, sal, count(*) from emp group by rollup((deptno, sal)) order by 1, 2;
---
DEPTNO | SAL | COUNT(*)
10 | 2850 | 1
10 | 5000 | 1
20 | 2975 | 1
20 | 3000 | 2
30 | - | 1
- | - | 6

select deptno, sal, ename, grouping_id(deptno, sal, ename) g from emp where deptno = 20 group by rollup(deptno, (sal, ename)) order by g, 2, 3;
---
DEPTNO | SAL | ENAME | G
20 | 2975 | JONES | 0
20 | 3000 | ADAMS | 0
20 | 3000 | SCOTT | 0
20 | - | - | 3
- | - | - | 7

select deptno, sal, count(*) from emp group by grouping sets ((deptno), (sal), ()) order by 1, 2;
---
DEPTNO | SAL | COUNT(*)
10 | - | 2
20 | - | 3
30 | - | 1
- | 2850 | 1
- | 2975 | 1
- | 3000 | 2
- | 5000 | 1
- | - | 1
- | - | 6

select deptno, sal, sum(empno) from emp group by deptno, rollup(sal) order by 1, 2;
---
DEPTNO | SAL | SUM(EMPNO)
10 | 2850 | 2
10 | 5000 | 1
10 | - | 3
20 | 2975 | 3
20 | 3000 | 9
20 | - | 12
30 | - | 6
30 | - | 6

select deptno, grouping(deptno) from emp group by deptno order by 1;
---
DEPTNO | GROUPING(DEPTNO)
10 | 0
20 | 0
30 | 0

select grouping(sal) from emp group by rollup(deptno);
---
ORA-00979: not a GROUP BY expression: the argument of GROUPING [7]

select grouping(sal) from emp;
---
ORA-30481: GROUPING function only supported with GROUP BY CUBE or ROLLUP [7]

select decode(grouping(deptno), 1, 'total', to_char(deptno)) d, sum(sal) from emp group by rollup(deptno) having sum(sal) > 6000 order by grouping(deptno), 1;
---
D | SUM(SAL)
10 | 7850
20 | 8975
total | 16825

create table r as select deptno, count(*) n from emp group by rollup(deptno);
---
CREATE TABLE: 4 rows

select count(*) from r where deptno is null;
---
COUNT(*)
1

select count(unique deptno), count(distinct deptno) from emp;
---
COUNT(UNIQUEDEPTNO) | COUNT(DISTINCTDEPTNO)
3 | 3

select distinct case when e.sal = e.empno then e.sal when exists (select 1 from dept d where d.deptno = e.deptno) then 1 else 2 end c from emp e;
---
C
1
