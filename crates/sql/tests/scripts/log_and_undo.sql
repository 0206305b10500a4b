# The redo log and undo: their files, and the views of them.

select "GROUP#", "THREAD#", "SEQUENCE#", bytes, blocksize, members, archived, status from v$log order by 1;
select "GROUP#", status, type, member from v$logfile order by 1, 4;

alter system switch logfile;
alter system checkpoint;
alter system switch logfile;
alter system checkpoint;
select "GROUP#", "SEQUENCE#", status from v$log order by 1;
select count(*) from v$log a, v$log b where b."SEQUENCE#" = a."SEQUENCE#" + 1 and a."NEXT_CHANGE#" = b."FIRST_CHANGE#";

alter database add logfile group 5 ('five.log', 'five_b.log') size 2m, ('four.log') size 3m;
alter database add logfile;
alter database add logfile group 6;
alter database add logfile member 'four_b.log' to group 4;
alter database add logfile member 'six_b.log' to ('redo06.log');
alter database add logfile member 'five_c.log' to ('five_b.log', 'five.log');
select "GROUP#", "SEQUENCE#", bytes, members, status from v$log order by 1;
select "GROUP#", status, member from v$logfile where "GROUP#" > 3 order by 1, 3;

# All of a statement or nothing.

alter database add logfile group 7 'seven.log' size 2m, group 5 'again.log' size 2m;
alter database add logfile group 7 'seven.log' size 2m;
alter database drop logfile group 7;
alter database add logfile group 7 'seven.log';
alter database add logfile group 7 'seven.log' reuse;
alter database add logfile group 8 'eight.log' size 1k;
alter database add logfile group 8 'redo01.log' size 2m reuse;
alter database add logfile group 8 'users01.dbf' size 2m reuse;
alter database add logfile group 8 'control01.ctl' size 2m reuse;
alter database add logfile member 'five_c.log' to group 5;
alter database add logfile member 'x.log' to group 9;
alter database drop logfile member 'five.log', 'five_c.log';
alter database drop logfile member 'five_b.log';
alter database drop logfile member 'nosuch.log';
alter database drop logfile 'five_b.log', group 7;
alter database drop logfile group 4, ('redo06.log');
alter database drop logfile ('redo06.log', 'six_b.log');
alter database drop logfile group 3;
select "GROUP#", members from v$log order by 1;

select segment_name, owner, tablespace_name, segment_id, file_id, status from dba_rollback_segs order by segment_id fetch first 2 rows only;
select count(*), count(distinct segment_name) from dba_rollback_segs where tablespace_name = 'UNDOTBS1';
select count(*) from v$rollstat r, v$rollname n, dba_rollback_segs d where r.usn = n.usn and d.segment_id = r.usn and d.segment_name = n.name and r.status = 'ONLINE' and r.xacts = 0 and r.rssize > 0 and r.extents > 0;
select count(*) from dba_rollback_segs d where (select sum(blocks) from dba_undo_extents e where e.segment_name = d.segment_name) * 8192 = (select rssize from v$rollstat r where r.usn = d.segment_id);
select distinct status from dba_undo_extents where status = 'ACTIVE';

create undo tablespace undo2 datafile 'undo2.dbf' size 4m;
select tablespace_name, contents, retention, status from dba_tablespaces where contents = 'UNDO' order by 1;
select distinct status from dba_rollback_segs where tablespace_name = 'UNDO2';
alter system set undo_tablespace = undo2;
select value from v$parameter where name = 'undo_tablespace';
select distinct tablespace_name, status from dba_rollback_segs order by 1;
alter system set undo_tablespace = users;
alter system set undo_tablespace = nosuch scope = spfile;
drop tablespace undo2;

create table t (n number);
insert into t values (1);
select count(*) from v$transaction t, v$session s, v$rollname n where t.addr = s.taddr and t.ses_addr = s.saddr and n.usn = t.xidusn and t.status = 'ACTIVE' and t.used_urec > 0 and t.start_date <= sysdate;
select l.type, l.lmode, l.request, l.block from v$lock l, v$session s where l.sid = s.sid order by 1;
select o.object_name, l.locked_mode from v$locked_object l, user_objects o where o.object_id = l.object_id;
select sum(xacts) from v$rollstat;
select distinct e.tablespace_name, e.status from dba_undo_extents e where e.status = 'ACTIVE';
select count(*) from v$undostat where txncount > 0 and undoblks > 0 and maxconcurrency > 0 and ssolderrcnt = 0 and nospaceerrcnt = 0;
commit;
select count(*) from v$transaction;
select count(*) from v$lock;
select count(*) from v$fast_start_transactions;

alter system set undo_tablespace = undotbs1;
select count(*) from v$rollname;
drop tablespace undo2 including contents and datafiles;
select count(*) from dba_rollback_segs where tablespace_name = 'UNDO2';
select count(*) from v$instance_recovery where target_redo_blks > 0 and actual_redo_blks >= 0 and recovery_estimated_ios >= 0;
select count(*) from v$database where current_scn > 0;
