select * from numbers where 1 = 1;
alter session set nls_numeric_characters = ',.';
select * from numbers;
column sal format 9G999D00
column commission_pct format 990.00
select * from emp;
column sal format 9,999.00
select * from emp;
column sal clear
set numformat 99G990D9
select * from emp;
set numformat '' markup csv on quote off
select * from emp;
set markup csv off
variable n number
exec :n:=-1.25
print n
column n new_value kept
select * from numbers;
define kept
break on report
compute avg of sal on report
select * from staff;
alter session set nls_numeric_characters = '. ';
column sal format 9G999D00
select * from staff;
