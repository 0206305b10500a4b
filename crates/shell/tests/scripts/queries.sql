-- headings, widths, row counts, pages
select * from dual;
select * from emp;
select * from nothing;
select * from numbers
/
select n
  from many;
set pagesize 0 feedback off
select * from emp;
select * from numbers;
select * from nothing;
