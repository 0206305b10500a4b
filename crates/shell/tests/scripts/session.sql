show user
show release
show sqlcode
show spool
show pagesize linesize feedback
show nosuch
show parameter db_
show parameters nls
show parameter nosuch
describe emp
desc nosuch
desc
set linesize 50
desc emp;
set linesize 80
spool
spool one
prompt in the file
select * from dual;
show spool
spool
spool one append
prompt appended
spool off
spool off
spool one create
spool two rep
set trimspool on trimout off
select * from emp;
spool off
set trimout on
spool nosuch/directory/x
spool out
disconnect
select * from dual;
desc emp
show user
show parameter x
disconnect
connect scott@orcl
connect / as sysdba
connect scott as nonsense
connect scott/wrong
whenever sqlerror continue rollback
connect scott
select * from nosuch;
whenever sqlerror exit 7 commit
whenever nonsense exit
whenever oserror exit 300
clear screen
clear buffer
/
clear nonsense
pause for a line
ttitle off
ttitle 'x'
@nosuch
prompt not reached
