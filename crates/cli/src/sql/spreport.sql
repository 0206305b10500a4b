-- The report of two Statspack snapshots, on the screen and in a file.
-- Without anybody to ask, begin_snap, end_snap and report_name are taken as they are defined; undefined: the last two snapshots, sp_<begin>_<end>.
set echo off verify off feedback off heading off termout off
column begin_snap new_value begin_snap
column end_snap new_value end_snap
column report_name new_value report_name
select null begin_snap, null end_snap, null report_name from dual where 1 = 2;
variable hw_begin number
variable hw_end number
set termout on
-- ask
begin
  :hw_begin := to_number('&begin_snap');
  :hw_end := to_number('&end_snap');
  perfstat.statspack.choose(:hw_begin, :hw_end);
end;
/
set termout off
-- Without snapshots there is nothing to keep.
select nvl2(:hw_begin, nvl('&report_name', 'sp_' || :hw_begin || '_' || :hw_end), '/dev/null') report_name from dual;
set termout on trimspool on linesize 80 pagesize 0 serveroutput on size unlimited format wrapped
spool &report_name
exec perfstat.statspack.report(:hw_begin, :hw_end)
spool off
column begin_snap clear
column end_snap clear
column report_name clear
undefine begin_snap
undefine end_snap
undefine report_name
set serveroutput off linesize 80 pagesize 14 heading on feedback 6 verify on
