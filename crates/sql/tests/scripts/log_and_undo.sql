# The redo log and undo: their files, and the views of them.

select "GROUP#", "THREAD#", "SEQUENCE#", blocksize, members, archived, status from v$log order by 1;
select "GROUP#", status, type, member from v$logfile order by 1, 4;
---
GROUP# | THREAD# | SEQUENCE# | BLOCKSIZE | MEMBERS | ARCHIVED | STATUS
1 | 1 | 1 | 512 | 1 | NO | CURRENT
2 | 1 | 0 | 512 | 1 | NO | UNUSED
3 | 1 | 0 | 512 | 1 | NO | UNUSED
GROUP# | STATUS | TYPE | MEMBER
1 | - | ONLINE | /database/redo01.log
2 | - | ONLINE | /database/redo02.log
3 | - | ONLINE | /database/redo03.log

alter system switch logfile;
alter system checkpoint;
alter system switch logfile;
alter system checkpoint;
select "GROUP#", "SEQUENCE#", status from v$log order by 1;
select count(*) from v$log a, v$log b where b."SEQUENCE#" = a."SEQUENCE#" + 1 and a."NEXT_CHANGE#" = b."FIRST_CHANGE#";
---
ALTER SYSTEM
ALTER SYSTEM
ALTER SYSTEM
ALTER SYSTEM
GROUP# | SEQUENCE# | STATUS
1 | 1 | INACTIVE
2 | 2 | INACTIVE
3 | 3 | CURRENT
COUNT(*)
2

alter database add logfile group 5 ('five.log', 'five_b.log') size 2m, ('four.log') size 3m;
alter database add logfile;
alter database add logfile group 6;
alter database add logfile member 'four_b.log' to group 4;
alter database add logfile member 'six_b.log' to ('redo06.log');
alter database add logfile member 'five_c.log' to ('five_b.log', 'five.log');
select "GROUP#", "SEQUENCE#", bytes, members, status from v$log where "GROUP#" > 3 order by 1;
select "GROUP#", status, member from v$logfile where "GROUP#" > 3 order by 1, 3;
---
ALTER DATABASE
ORA-02236: a name of a file is expected, because neither DB_CREATE_FILE_DEST nor DB_CREATE_ONLINE_LOG_DEST_1 is set
ALTER DATABASE
ALTER DATABASE
ALTER DATABASE
ALTER DATABASE
GROUP# | SEQUENCE# | BYTES | MEMBERS | STATUS
4 | 0 | 3145728 | 2 | UNUSED
5 | 0 | 2097152 | 3 | UNUSED
6 | 0 | 104857600 | 2 | UNUSED
GROUP# | STATUS | MEMBER
4 | - | /database/four.log
4 | INVALID | /database/four_b.log
5 | - | /database/five.log
5 | - | /database/five_b.log
5 | INVALID | /database/five_c.log
6 | - | /database/redo06.log
6 | INVALID | /database/six_b.log

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
---
ORA-01184: logfile group 5 already exists
ALTER DATABASE
ALTER DATABASE
ORA-17610: file 'seven.log' does not exist and no size specified
ALTER DATABASE
ORA-00336: log file size 2 blocks is less than minimum 512 blocks
ORA-01577: cannot add log file 'redo01.log' - file already part of database
ORA-01577: cannot add log file 'users01.dbf' - file already part of database
ORA-01577: cannot add log file 'control01.ctl' - file already part of database
ORA-01577: cannot add log file 'five_c.log' - file already part of database
ORA-00359: logfile group 9 does not exist
ALTER DATABASE
ORA-00361: cannot remove last log member five_b.log for group 5
ORA-00360: not a logfile member: nosuch.log
ALTER DATABASE
ORA-01514: error in log specification: no such log ('redo06.log')
ALTER DATABASE
ORA-01623: log 3 is current log for instance - cannot drop
GROUP# | MEMBERS
1 | 1
2 | 1
3 | 1

select segment_name, owner, tablespace_name, segment_id, file_id, status from dba_rollback_segs order by segment_id fetch first 2 rows only;
select count(*), count(distinct segment_name) from dba_rollback_segs where tablespace_name = 'UNDOTBS1';
select count(*) from v$rollstat r, v$rollname n, dba_rollback_segs d where r.usn = n.usn and d.segment_id = r.usn and d.segment_name = n.name and r.status = 'ONLINE' and r.xacts = 0 and r.rssize > 0 and r.extents > 0;
select count(*) from dba_rollback_segs d where (select sum(blocks) from dba_undo_extents e where e.segment_name = d.segment_name) * 8192 = (select rssize from v$rollstat r where r.usn = d.segment_id);
select distinct status from dba_undo_extents where status = 'ACTIVE';
---
SEGMENT_NAME | OWNER | TABLESPACE_NAME | SEGMENT_ID | FILE_ID | STATUS
_SYSSMU1$ | PUBLIC | UNDOTBS1 | 1 | 3 | ONLINE
_SYSSMU2$ | PUBLIC | UNDOTBS1 | 2 | 3 | ONLINE
COUNT(*) | COUNT(DISTINCTSEGMENT_NAME)
10 | 10
COUNT(*)
10
COUNT(*)
10
STATUS

# Undo segments are segments: what they have and what is free is all that the files have.

select owner, segment_type, tablespace_name, extents, bytes, min_extents from dba_segments where segment_name = '_SYSSMU1$';
select count(*) from dba_segments d where segment_type = 'TYPE2 UNDO' and bytes = (select sum(bytes) from dba_extents e where e.segment_name = d.segment_name and e.owner = 'SYS') and header_block = (select block_id from dba_rollback_segs r where r.segment_name = d.segment_name);
select f.user_bytes - (select sum(bytes) from dba_extents e where e.file_id = f.file_id) - (select sum(bytes) from dba_free_space s where s.file_id = f.file_id) unaccounted from dba_data_files f where f.tablespace_name = 'UNDOTBS1';
select count(*) from v$bh b, dba_rollback_segs r where b."FILE#" = r.file_id and b."BLOCK#" = r.block_id and b."CLASS#" = 15 + 2 * r.segment_id;
select count(*) from v$bh b, dba_undo_extents e, dba_rollback_segs r where r.segment_name = e.segment_name and b."FILE#" = e.file_id and b."BLOCK#" between e.block_id and e.block_id + e.blocks - 1 and b."CLASS#" not in (15 + 2 * r.segment_id, 16 + 2 * r.segment_id);
select usn, shrinks, aveshrink, optsize, hwmsize - rssize from v$rollstat where usn = 1;
---
OWNER | SEGMENT_TYPE | TABLESPACE_NAME | EXTENTS | BYTES | MIN_EXTENTS
SYS | TYPE2 UNDO | UNDOTBS1 | 2 | 131072 | 2
COUNT(*)
10
UNACCOUNTED
0
COUNT(*)
10
COUNT(*)
0
USN | SHRINKS | AVESHRINK | OPTSIZE | HWMSIZE-RSSIZE
1 | 0 | 0 | - | 0

alter system set undo_retention = 500;
select tuned_undoretention, nospaceerrcnt, expblkrelcnt from v$undostat fetch first 1 rows only;
select count(*) from v$undostat where activeblks + unexpiredblks + expiredblks = (select sum(blocks) from dba_undo_extents) and maxquerylen >= 0;
alter tablespace undotbs1 retention guarantee;
select tablespace_name, retention from dba_tablespaces order by 1;
alter tablespace undotbs1 retention noguarantee;
alter tablespace users retention guarantee;
alter tablespace undotbs1 retention;
alter tablespace undotbs1 retention of nothing;
create undo tablespace undo3 datafile 'undo3.dbf' size 4m retention guarantee;
select tablespace_name, retention from dba_tablespaces order by 1;
drop tablespace undo3 including contents and datafiles;
select count(*) from v$session_longops;
select count(*) from v$recovery_progress;
---
ALTER SYSTEM
TUNED_UNDORETENTION | NOSPACEERRCNT | EXPBLKRELCNT
500 | 0 | 0
COUNT(*)
1
ALTER TABLESPACE
TABLESPACE_NAME | RETENTION
SYSTEM | NOT APPLY
UNDOTBS1 | GUARANTEE
USERS | NOT APPLY
ALTER TABLESPACE
ORA-30044: 'Retention' can only be specified for undo tablespace
ORA-00905: missing keyword: NOGUARANTEE expected [35]
ORA-00905: missing keyword: NOGUARANTEE expected [36]
CREATE TABLESPACE
TABLESPACE_NAME | RETENTION
SYSTEM | NOT APPLY
UNDO3 | GUARANTEE
UNDOTBS1 | NOGUARANTEE
USERS | NOT APPLY
DROP TABLESPACE
COUNT(*)
0
COUNT(*)
0

create undo tablespace undo2 datafile 'undo2.dbf' size 4m;
select tablespace_name, contents, retention, status from dba_tablespaces where contents = 'UNDO' order by 1;
select distinct status from dba_rollback_segs where tablespace_name = 'UNDO2';
alter system set undo_tablespace = undo2;
select value from v$parameter where name = 'undo_tablespace';
select distinct tablespace_name, status from dba_rollback_segs order by 1;
alter system set undo_tablespace = users;
alter system set undo_tablespace = nosuch scope = spfile;
drop tablespace undo2;
---
CREATE TABLESPACE
TABLESPACE_NAME | CONTENTS | RETENTION | STATUS
UNDO2 | UNDO | NOGUARANTEE | ONLINE
UNDOTBS1 | UNDO | NOGUARANTEE | ONLINE
STATUS
OFFLINE
ALTER SYSTEM
VALUE
undo2
TABLESPACE_NAME | STATUS
UNDO2 | ONLINE
UNDOTBS1 | OFFLINE
ORA-30012: undo tablespace 'users' does not exist or of wrong type
ORA-30012: undo tablespace 'nosuch' does not exist or of wrong type
ORA-30013: undo tablespace 'UNDO2' is currently in use

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
---
CREATE TABLE
INSERT: 1 rows
COUNT(*)
1
TYPE | LMODE | REQUEST | BLOCK
TM | 3 | 0 | 0
TX | 6 | 0 | 0
OBJECT_NAME | LOCKED_MODE
T | 3
SUM(XACTS)
1
TABLESPACE_NAME | STATUS
UNDO2 | ACTIVE
COUNT(*)
1
COMMIT
COUNT(*)
0
COUNT(*)
0
COUNT(*)
0

alter system set undo_tablespace = undotbs1;
select count(*) from v$rollname;
drop tablespace undo2 including contents and datafiles;
select count(*) from dba_rollback_segs where tablespace_name = 'UNDO2';
select count(*) from v$instance_recovery where target_redo_blks > 0 and actual_redo_blks >= 0 and recovery_estimated_ios >= 0;
select count(*) from v$database where current_scn > 0;
---
ALTER SYSTEM
COUNT(*)
10
DROP TABLESPACE
COUNT(*)
0
COUNT(*)
1
COUNT(*)
1
