# Mirrored disk groups: disks that go offline, come back, join and leave.
# disks 2 24 east_*
# disks 2 24 west_*
# disks 1 24 more_*

create diskgroup data failgroup east disk 'east_*' failgroup west disk 'west_01' name w1, 'west_02' name w2 size 20m;
select name, type, total_mb, free_mb, required_mirror_free_mb, usable_file_mb, offline_disks from v$asm_diskgroup;
select disk_number, name, failgroup, mode_status, state, total_mb, free_mb, path from v$asm_disk order by 1;
create tablespace mirrored datafile '+DATA' size 6m autoextend on next 1m;
create table t (n number primary key, c varchar2(100)) tablespace mirrored;
insert into t select level, rpad(level, 90, 'x') from dual connect by level <= 5000;
commit;
select type, redundancy, striped, bytes, space from v$asm_file;
---
CREATE DISKGROUP
NAME | TYPE | TOTAL_MB | FREE_MB | REQUIRED_MIRROR_FREE_MB | USABLE_FILE_MB | OFFLINE_DISKS
DATA | NORMAL | 92 | 80 | 48 | 16 | 0
DISK_NUMBER | NAME | FAILGROUP | MODE_STATUS | STATE | TOTAL_MB | FREE_MB | PATH
0 | DATA_0000 | EAST | ONLINE | NORMAL | 24 | 21 | /database/east_01
1 | DATA_0001 | EAST | ONLINE | NORMAL | 24 | 21 | /database/east_02
2 | W1 | WEST | ONLINE | NORMAL | 24 | 21 | /database/west_01
3 | W2 | WEST | ONLINE | NORMAL | 20 | 17 | /database/west_02
CREATE TABLESPACE
CREATE TABLE
INSERT: 5000 rows
COMMIT
TYPE | REDUNDANCY | STRIPED | BYTES | SPACE
DATAFILE | MIRROR | COARSE | 6291456 | 12582912

alter diskgroup data offline disk w1;
alter diskgroup data offline disk data_0000;
alter diskgroup data offline disks in failgroup nowhere;
update t set c = rpad(n, 95, 'y') where n > 2500;
commit;
alter system checkpoint;
select name, mode_status from v$asm_disk order by 1;
select offline_disks from v$asm_diskgroup;
select count(*), sum(n), min(substr(c, -1)), max(substr(c, -1)) from t;
alter diskgroup data online disk w1;
select name, mode_status from v$asm_disk order by 1;
---
ALTER DISKGROUP
ORA-15066: offlining disk "DATA_0000" in group "DATA" may result in a data loss
ORA-15054: failure group "NOWHERE" does not exist in diskgroup "DATA"
UPDATE: 2500 rows
COMMIT
ALTER SYSTEM
NAME | MODE_STATUS
DATA_0000 | ONLINE
DATA_0001 | ONLINE
W1 | OFFLINE
W2 | ONLINE
OFFLINE_DISKS
1
COUNT(*) | SUM(N) | MIN(SUBSTR(C,-1)) | MAX(SUBSTR(C,-1))
5000 | 12502500 | x | y
ALTER DISKGROUP
NAME | MODE_STATUS
DATA_0000 | ONLINE
DATA_0001 | ONLINE
W1 | ONLINE
W2 | ONLINE

alter diskgroup data add failgroup east disk 'more_*' name extra rebalance power 4 wait;
select count(*) from v$asm_operation;
select name, failgroup, state from v$asm_disk where total_mb - 3 > free_mb order by 1;
alter diskgroup data drop disk data_0000, data_0001 rebalance power 2 wait;
select name, failgroup, state from v$asm_disk order by 1;
alter diskgroup data drop disk extra;
alter diskgroup data resize disk w2 size 24m rebalance wait;
alter diskgroup data resize disk w2 size 25m;
select name, total_mb from v$asm_disk order by 1;
alter diskgroup data undrop disks;
select count(*), sum(n) from t;
drop tablespace mirrored including contents and datafiles;
drop diskgroup data;
select path, header_status from v$asm_disk;
create diskgroup data high redundancy disk 'east_01', 'west_01', 'more_01';
create diskgroup again disk 'east_02', 'east_01' force;
select name, type from v$asm_diskgroup;
---
ALTER DISKGROUP
COUNT(*)
0
NAME | FAILGROUP | STATE
DATA_0000 | EAST | NORMAL
DATA_0001 | EAST | NORMAL
EXTRA | EAST | NORMAL
W1 | WEST | NORMAL
W2 | WEST | NORMAL
ALTER DISKGROUP
NAME | FAILGROUP | STATE
EXTRA | EAST | NORMAL
W1 | WEST | NORMAL
W2 | WEST | NORMAL
ORA-15072: command requires at least 2 failure groups for diskgroup "DATA" of NORMAL redundancy, discovered only 1
ALTER DISKGROUP
ORA-15036: disk "W2" is truncated: it has 25165824 bytes, and is to have 26214400
NAME | TOTAL_MB
EXTRA | 24
W1 | 24
W2 | 24
ALTER DISKGROUP
COUNT(*) | SUM(N)
5000 | 12502500
DROP TABLESPACE
DROP DISKGROUP
PATH | HEADER_STATUS
CREATE DISKGROUP
ORA-15029: disk "east_01" is already mounted by diskgroup "DATA"
NAME | TYPE
DATA | HIGH
