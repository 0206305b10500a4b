set pagesize 6 newpage 2
select * from emp;
set pagesize 5 newpage 0
select * from emp;
set newpage none heading off pagesize 50
select * from emp;
set newpage 1 heading on underline =
select * from dual;
set underline off colsep ' | ' null '-'
select * from emp;
set colsep ' ' space 3 underline on
select * from emp;
set feedback 1
select * from dual;
set feedback off
select * from dual;
insert into one values (1);
set feedback on
set markup csv on
select * from emp;
set markup csv on delimiter ';' quote off
select * from words;
set markup csv off
set timing on
select * from nothing;
timing start first
timing start second
timing show
timing
timing stop
timing stop
timing stop
