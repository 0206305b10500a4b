set heading on pagesize 1000
column snap_level format 99999
column snapshot_taken format a20
column ucomment format a30
select snap_id, to_char(snap_time, 'dd Mon YYYY HH24:MI:SS') snapshot_taken, snap_level, ucomment
  from perfstat.stats$snapshot order by snap_id;
set heading off
prompt The last two are taken where nothing is entered.
accept begin_snap prompt 'Enter value for begin_snap: '
accept end_snap prompt 'Enter value for end_snap: '
accept report_name prompt 'Enter value for report_name: '
