break
compute
break on deptno skip 1
select * from staff;
compute sum of sal on deptno
select * from staff;
break on report on deptno on job skip 1
compute avg label Mean sum count of sal on deptno report
compute count of job on report
break
compute
set pagesize 100
select * from staff;
clear computes
break on deptno page dup on row skip 1
select * from staff;
clear breaks
break on report
compute sum label TOTAL of sal comm on report
select * from staff;
column deptno noprint
select * from staff;
compute std label 'A label that is far too long' var min max num of sal on job
break on job
select * from staff;
set pagesize 0
select * from staff;
set pagesize 7
column deptno print
clear computes
break on deptno
select * from staff;
column deptno alias department
break on department skip 1
set feedback off
select * from staff;
break on nosuch
select * from nothing;
break deptno
compute total of sal on deptno
