ttitle
ttitle 'Staff|of all departments'
show ttitle
set linesize 60
select * from staff;
ttitle off
select * from dual;
ttitle on
btitle 'confidential'
set pagesize 10
select * from staff;
column deptno new_value department old_value last_department noprint
break on deptno skip page
ttitle left 'Department ' department center sql.user right 'Page' format 999 sql.pno skip 2
btitle left 'so far to ' last_department tab 5 sql.pno
repheader left 'Begin' skip 1
repfooter page center 'End'
set pagesize 12
select * from staff;
set pagesize 0
select * from staff;
set pagesize 12
select * from nothing;
ttitle off
btitle off
repheader off
repfooter off
show btitle repheader
ttitle left -
'continued' col 20 'here' skip -
center bold ====
select * from dual;
ttitle left format nonsense x
