column ename format a5 heading 'Employee|name' justify right
column sal format 99,990.00 heading SALARY
column commission_pct noprint
col empno for 09999
col
col sal
select * from emp;
column ename off
column sal clear
column empno clear
select * from emp;
column ename on
column ename clear
col text format a20
select * from words;
col text word_wrapped
select * from words;
col text truncated null '<none>'
select * from words;
col text clear
col id newline
select * from words;
set linesize 40
col id clear
set recsep off
select * from words;
set recsep each recsepchar '-'
select * from words;
set wrap off
select * from words;
set wrap on recsep wrapped recsepchar ' ' linesize 20
select * from emp;
set linesize 80 numwidth 5
select * from numbers;
set numwidth 10 numformat 999,999.99
select * from numbers;
set numformat ''
column n format nonsense
column n nonsense
column dummy alias d
column d heading DUMB justify sideways
clear columns
col
column nosuch clear
column program new_value program
column mysid new_value m noprint
select * from sessions;
define m
define program
column program like mysid
select * from sessions;
