show autotrace
set autotrace on
show autotrace
select * from dual;
set autotrace traceonly statistics
show autotrace
select * from emp;
set autotrace trace explain
select * from emp;
select * from nosuch;
insert into emp values (1);
commit;
set autotrace maybe
set autotrace
show autotrace
set autotrace on stat
select * from nosuch;
begin null; end;
/
set timing on
select * from dual;
set timing off autotrace off
select * from dual;
