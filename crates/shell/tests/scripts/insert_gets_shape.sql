set echo on
set timing on

spool run_one

create tablespace mssm_tbs
datafile 'mssm01.dbf' size 1000M
extent management local;

undefine sid
col mysid new_value sid
select distinct sid mysid from sessions ;

insert /* first */ into t select * from emp;
commit;
select '&sid' from dual;

spool off
set termout off
prompt not seen
set termout on
spool run_two
prompt again
spool off
exit
