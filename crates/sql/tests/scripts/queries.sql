# Queries: joins, grouping, sorting, subqueries, set operations.

create table dept (deptno number, dname varchar2(10));
create table emp (empno number, ename varchar2(10), deptno number, sal number(7,2), mgr number);
insert into dept values (10, 'ACCOUNTING');
insert into dept values (20, 'RESEARCH');
insert into dept values (40, 'OPERATIONS');
insert into emp values (1, 'KING', 10, 5000, null);
insert into emp values (2, 'BLAKE', 10, 2850, 1);
insert into emp values (3, 'JONES', 20, 2975, 1);
insert into emp values (4, 'SCOTT', 20, 3000, 3);
insert into emp values (5, 'NOONE', null, 800, 3);
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

select ename, dname from emp, dept where emp.deptno = dept.deptno order by ename;
---
ENAME | DNAME
BLAKE | ACCOUNTING
JONES | RESEARCH
KING | ACCOUNTING
SCOTT | RESEARCH

select d.dname, e.ename from dept d, emp e where d.deptno = e.deptno(+) order by d.dname, e.ename;
---
DNAME | ENAME
ACCOUNTING | BLAKE
ACCOUNTING | KING
OPERATIONS | -
RESEARCH | JONES
RESEARCH | SCOTT

select d.dname, e.ename from dept d, emp e where d.deptno = e.deptno(+) and e.sal(+) > 2900 order by 1, 2;
---
DNAME | ENAME
ACCOUNTING | KING
OPERATIONS | -
RESEARCH | JONES
RESEARCH | SCOTT

select d.dname, e.ename from dept d left join emp e on d.deptno = e.deptno and e.sal > 4000 order by 1, 2;
---
DNAME | ENAME
ACCOUNTING | KING
OPERATIONS | -
RESEARCH | -

select dname, ename from dept join emp using (deptno) where deptno = 10 order by ename;
---
DNAME | ENAME
ACCOUNTING | BLAKE
ACCOUNTING | KING

select deptno, count(*), sum(sal), avg(sal), min(ename), max(sal) from emp group by deptno order by deptno;
---
DEPTNO | COUNT(*) | SUM(SAL) | AVG(SAL) | MIN(ENAME) | MAX(SAL)
10 | 2 | 7850 | 3925 | BLAKE | 5000
20 | 2 | 5975 | 2987.5 | JONES | 3000
- | 1 | 800 | 800 | NOONE | 800

select deptno, count(*) n from emp group by deptno having count(*) > 1 order by n desc, deptno;
---
DEPTNO | N
10 | 2
20 | 2

select deptno, ename from emp group by deptno;
---
ORA-00979: not a GROUP BY expression: column ENAME [15]

select count(*), ename from emp;
---
ORA-00937: not a single-group group function: column ENAME [17]

select ename from emp where sal > (select avg(sal) from emp) order by ename;
---
ENAME
JONES
KING
SCOTT

select ename from emp e where exists (select 1 from dept d where d.deptno = e.deptno and d.dname like 'R%') order by 1;
---
ENAME
JONES
SCOTT

select ename from emp e where sal = (select max(sal) from emp x where x.deptno = e.deptno) order by 1;
---
ENAME
KING
SCOTT

select ename from emp where deptno not in (select deptno from dept where dname = 'RESEARCH') order by 1;
---
ENAME
BLAKE
KING

select ename, (select dname from dept d where d.deptno = e.deptno) dname from emp e order by ename;
---
ENAME | DNAME
BLAKE | ACCOUNTING
JONES | RESEARCH
KING | ACCOUNTING
NOONE | -
SCOTT | RESEARCH

select deptno from dept minus select deptno from emp order by 1;
---
DEPTNO
40

select deptno from dept intersect select deptno from emp order by 1;
---
DEPTNO
10
20

select 1 x from dual union all select 1 from dual union all select 2 from dual order by x;
---
X
1
1
2

select ename from emp where rownum <= 2;
---
ENAME
KING
BLAKE

select count(*) from (select ename from emp order by sal desc) where rownum < 4;
---
COUNT(*)
3

select * from (select e.ename, rownum rn from (select ename from emp order by ename) e) where rn between 2 and 3;
---
ENAME | RN
JONES | 2
KING | 3

select ename from emp order by sal desc fetch first 2 rows only;
---
ENAME
KING
SCOTT

select ename from emp order by sal desc offset 3 rows fetch next 5 rows only;
---
ENAME
BLAKE
NOONE

select ename, mgr from emp order by mgr, ename;
---
ENAME | MGR
BLAKE | 1
JONES | 1
NOONE | 3
SCOTT | 3
KING | -

select ename, mgr from emp order by mgr desc, ename;
---
ENAME | MGR
KING | -
NOONE | 3
SCOTT | 3
BLAKE | 1
JONES | 1

select distinct deptno from emp order by deptno nulls first;
---
DEPTNO
-
10
20

with rich as (select ename, sal from emp where sal > 2900) select count(*), max(sal) from rich;
---
COUNT(*) | MAX(SAL)
3 | 5000

select ename, row_number() over (order by sal desc) rn, rank() over (partition by deptno order by sal) r, sum(sal) over (partition by deptno) s from emp order by ename;
---
ENAME | RN | R | S
BLAKE | 4 | 1 | 7850
JONES | 3 | 1 | 5975
KING | 1 | 2 | 7850
NOONE | 5 | 1 | 800
SCOTT | 2 | 2 | 5975

select ename, lag(ename) over (order by empno) before, sum(sal) over (order by empno rows between 1 preceding and current row) two from emp order by empno;
---
ENAME | BEFORE | TWO
KING | - | 5000
BLAKE | KING | 7850
JONES | BLAKE | 5825
SCOTT | JONES | 5975
NOONE | SCOTT | 3800

select listagg(ename, ',') within group (order by ename desc) from emp;
---
LISTAGG(ENAME,',')WITHINGROUP(ORDERBYENAMEDESC)
SCOTT,NOONE,KING,JONES,BLAKE

select deptno, grp from (select deptno, count(*) grp from emp group by rollup(deptno)) order by deptno nulls last, grp;
---
DEPTNO | GRP
10 | 2
20 | 2
- | 1
- | 5

select stddev(sal), variance(sal), median(sal) from emp;
---
STDDEV(SAL) | VARIANCE(SAL) | MEDIAN(SAL)
1486.18639477018494202646264943389542556 | 2208750 | 2975

select count(distinct deptno), sum(distinct deptno) from emp;
---
COUNT(DISTINCTDEPTNO) | SUM(DISTINCTDEPTNO)
2 | 30

select e.*, d.dname from emp e, dept d where e.deptno = d.deptno and e.empno = 1;
---
EMPNO | ENAME | DEPTNO | SAL | MGR | DNAME
1 | KING | 10 | 5000 | - | ACCOUNTING

select a.ename, b.ename from emp a, emp b where a.mgr = b.empno order by 1;
---
ENAME | ENAME
BLAKE | KING
JONES | KING
NOONE | JONES
SCOTT | JONES

select ename from emp where (deptno, sal) in ((10, 5000), (20, 3000)) order by 1;
---
ENAME
KING
SCOTT

select ename from emp where sal >= all (select sal from emp);
---
ENAME
KING

select ename, (select ename from emp x where x.mgr = e.empno) boss_of from emp e where empno in (1, 2) order by 1;
---
ORA-01427: single-row subquery returns more than one row

select ename, (select ename from emp x where x.mgr = e.empno) boss_of from emp e where empno = 2;
---
ENAME | BOSS_OF
BLAKE | -

select system.emp.ename from system.emp where emp.empno = 1;
---
ENAME
KING

select empno from emp e1, emp e2;
---
ORA-00918: column ambiguously defined: EMPNO [7]

update emp e set sal = (select max(sal) from emp x where x.deptno = e.deptno) where deptno = 20;
select ename, sal from emp where deptno = 20 order by 1;
---
UPDATE: 2 rows
ENAME | SAL
JONES | 3000
SCOTT | 3000

delete from emp where deptno in (select deptno from dept where dname = 'ACCOUNTING');
select count(*) from emp;
---
DELETE: 2 rows
COUNT(*)
3

select 1 x from dual union select 2 from dual union select 1 from dual order by 1 desc;
---
X
2
1

select x, count(*) from (select 1 x from dual union all select 1 from dual union all select 2 from dual) group by x order by x;
---
X | COUNT(*)
1 | 2
2 | 1

select case when empno > 3 then 'big' else 'small' end k, count(*) from emp group by case when empno > 3 then 'big' else 'small' end order by 1;
---
K | COUNT(*)
big | 2
small | 1

select d.deptno, e.empno from dept d full outer join emp e on d.deptno = e.deptno order by 1, 2;
---
DEPTNO | EMPNO
10 | -
20 | 3
20 | 4
40 | -
- | 5

select * from (select deptno from dept union select 99 from dual) u, dual where u.deptno > 30 order by 1;
---
DEPTNO | DUMMY
40 | X
99 | X
