# Disk groups: statements, views and errors.
# disks 4 24 group1_*
# disks 2 12 small_*
# disks 1 3 tiny_*

select "GROUP_NUMBER", name, state from v$asm_diskgroup;
create diskgroup group1 external redundancy disk 'group1_*' attribute 'au_size' = '1M';
select "GROUP_NUMBER", name, block_size, allocation_unit_size, state, type, total_mb, free_mb, offline_disks from v$asm_diskgroup;
select group_number, disk_number, mount_status, header_status, state, os_mb, total_mb, free_mb, name, path from v$asm_disk order by 2;
---
GROUP_NUMBER | NAME | STATE
CREATE DISKGROUP
GROUP_NUMBER | NAME | BLOCK_SIZE | ALLOCATION_UNIT_SIZE | STATE | TYPE | TOTAL_MB | FREE_MB | OFFLINE_DISKS
1 | GROUP1 | 4096 | 1048576 | MOUNTED | EXTERN | 96 | 84 | 0
GROUP_NUMBER | DISK_NUMBER | MOUNT_STATUS | HEADER_STATUS | STATE | OS_MB | TOTAL_MB | FREE_MB | NAME | PATH
1 | 0 | CACHED | MEMBER | NORMAL | 24 | 24 | 21 | GROUP1_0000 | /database/group1_01
1 | 1 | CACHED | MEMBER | NORMAL | 24 | 24 | 21 | GROUP1_0001 | /database/group1_02
1 | 2 | CACHED | MEMBER | NORMAL | 24 | 24 | 21 | GROUP1_0002 | /database/group1_03
1 | 3 | CACHED | MEMBER | NORMAL | 24 | 24 | 21 | GROUP1_0003 | /database/group1_04

create diskgroup group1 external redundancy disk 'small_*';
create diskgroup other external redundancy disk 'nothing_*';
create diskgroup other external redundancy disk 'small_*', 'nothing_*';
create diskgroup other external redundancy disk 'group1_01';
create diskgroup other external redundancy disk 'small_01', 'group1_02';
create diskgroup other external redundancy disk 'tiny_*';
create diskgroup other external redundancy disk 'system01.dbf';
create diskgroup other external redundancy disk 'doublewrite.dbf';
create diskgroup other external redundancy disk 'small_*' attribute 'au_size' = '3M';
create diskgroup other external redundancy disk 'small_*' attribute 'au_size' = 'x';
create diskgroup other external redundancy disk 'small_*' attribute 'compatible.rdbms' = '19.0';
create diskgroup other flex redundancy disk 'small_*';
create diskgroup other high redundancy disk 'small_*';
create diskgroup other failgroup one disk 'small_*';
create diskgroup other external redundancy failgroup f1 disk 'small_*';
create diskgroup other external redundancy;
alter diskgroup group1 add volume v size 1m;
alter diskgroup group1 rebalance power 1025;
alter diskgroup group1 drop disk nothing;
alter diskgroup group1 offline disk group1_0001;
alter diskgroup other mount;
alter diskgroup other dismount;
drop diskgroup other;
select name, state from v$asm_diskgroup;
---
ORA-15030: diskgroup name "GROUP1" is in use by another diskgroup
ORA-15031: disk specification "nothing_*" matches no disks
ORA-15031: disk specification "nothing_*" matches no disks
ORA-15033: disk "group1_01" belongs to diskgroup "GROUP1" as "GROUP1_0000"
ORA-15033: disk "group1_02" belongs to diskgroup "GROUP1" as "GROUP1_0001"
ORA-15037: disk "tiny_01" of 3145728 bytes is smaller than minimum of 5242880 bytes
HW-0073: disk "system01.dbf" holds something else: it is a file of this database
HW-0073: disk "doublewrite.dbf" holds something else: it is a file of this database
ORA-15238: 3145728 is not a valid value for attribute au_size: it is 1, 2, 4, 8, 16, 32 or 64 MB
ORA-15238: x is not a valid value for attribute au_size [68]
ORA-15234: target RDBMS compatibility (19.0) exceeds ASM compatibility (11.2.0.2.0)
HW-0001: not supported: a disk group with flex [23]
ORA-15072: command requires at least 3 failure groups for diskgroup "OTHER" of HIGH redundancy, discovered only 2
ORA-15072: command requires at least 2 failure groups for diskgroup "OTHER" of NORMAL redundancy, discovered only 1
ORA-15067: FAILGROUP is incompatible with EXTERNAL REDUNDANCY [70]
ORA-00905: missing keyword: DISK expected [42]
HW-0001: not supported: ALTER DISKGROUP … ADD volume [27]
ORA-15102: invalid POWER expression: it is 0 to 1024 [39]
ORA-15054: disk "NOTHING" does not exist in diskgroup "GROUP1"
ORA-15066: offlining disk "GROUP1_0001" in group "GROUP1" may result in a data loss
ORA-15001: diskgroup "OTHER" does not exist or is not mounted
ORA-15001: diskgroup "OTHER" does not exist or is not mounted
ORA-15001: diskgroup "OTHER" does not exist or is not mounted
NAME | STATE
GROUP1 | MOUNTED

create tablespace tpcds_2k datafile '+GROUP1' size 10m blocksize 2k;
create tablespace tpcds_8k datafile '+group1' size 10m autoextend on next 1m maxsize 100m;
select tablespace_name, file_name, bytes, autoextensible from dba_data_files where file_name like '+%' order by 1;
select name, bytes, block_size from v$datafile where name like '+%' order by 1;
select group_number, file_number, incarnation, block_size, blocks, bytes, space, type, redundancy, striped from v$asm_file order by 2;
select name, file_number, file_incarnation, alias_directory, system_created from v$asm_alias order by 2, 1;
select total_mb, free_mb from v$asm_diskgroup;
select disk_number, free_mb from v$asm_disk order by 1;
---
CREATE TABLESPACE
CREATE TABLESPACE
TABLESPACE_NAME | FILE_NAME | BYTES | AUTOEXTENSIBLE
TPCDS_2K | +GROUP1/HIGHWATE/DATAFILE/tpcds_2k.256.1 | 10485760 | NO
TPCDS_8K | +GROUP1/HIGHWATE/DATAFILE/tpcds_8k.257.2 | 10485760 | YES
NAME | BYTES | BLOCK_SIZE
+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.256.1 | 10485760 | 2048
+GROUP1/HIGHWATE/DATAFILE/tpcds_8k.257.2 | 10485760 | 8192
GROUP_NUMBER | FILE_NUMBER | INCARNATION | BLOCK_SIZE | BLOCKS | BYTES | SPACE | TYPE | REDUNDANCY | STRIPED
1 | 256 | 1 | 2048 | 5120 | 10485760 | 10485760 | DATAFILE | UNPROT | COARSE
1 | 257 | 2 | 8192 | 1280 | 10485760 | 10485760 | DATAFILE | UNPROT | COARSE
NAME | FILE_NUMBER | FILE_INCARNATION | ALIAS_DIRECTORY | SYSTEM_CREATED
tpcds_2k.256.1 | 256 | 1 | N | Y
tpcds_8k.257.2 | 257 | 2 | N | Y
DATAFILE | 4294967295 | 4294967295 | Y | Y
HIGHWATE | 4294967295 | 4294967295 | Y | Y
TOTAL_MB | FREE_MB
96 | 64
DISK_NUMBER | FREE_MB
0 | 16
1 | 16
2 | 16
3 | 16

create tablespace none datafile '+GROUP2' size 10m;
create tablespace none datafile '+' size 10m;
create tablespace none datafile '+GROUP1/mine/own.dbf' size 10m;
create tablespace none datafile '+GROUP1' size 1000m;
create tablespace none datafile '+GROUP1' size 4m, '+GROUP1' size 1000m;
create tablespace none datafile '+GROUP1';
create tablespace none datafile 'group1_01' size 10m reuse;
alter database add logfile '+GROUP2' size 10m;
select tablespace_name from dba_tablespaces where tablespace_name = 'NONE';
select total_mb, free_mb from v$asm_diskgroup;
select count(*) from v$asm_file;
---
ORA-15001: diskgroup "GROUP2" does not exist or is not mounted
ORA-15001: '+' names no diskgroup
ORA-15173: entry 'mine' does not exist in directory '/'
ORA-15041: diskgroup "GROUP1" space exhausted: 1000 allocation units of 1 MB are wanted, 64 are free (GROUP1_0000: 16, GROUP1_0001: 16, GROUP1_0002: 16, GROUP1_0003: 16)
ORA-15041: diskgroup "GROUP1" space exhausted: 1000 allocation units of 1 MB are wanted, 60 are free (GROUP1_0000: 15, GROUP1_0001: 15, GROUP1_0002: 15, GROUP1_0003: 15)
ORA-15041: diskgroup "GROUP1" space exhausted: 100 allocation units of 1 MB are wanted, 64 are free (GROUP1_0000: 16, GROUP1_0001: 16, GROUP1_0002: 16, GROUP1_0003: 16)
ORA-01537: cannot add file 'group1_01': it is already part of the database
ORA-15001: diskgroup "GROUP2" does not exist or is not mounted
TABLESPACE_NAME
TOTAL_MB | FREE_MB
96 | 64
COUNT(*)
2

create table t tablespace tpcds_2k as select level n, rpad('x', 100, 'x') c from dual connect by level <= 20000;
create table u tablespace tpcds_8k as select level n, rpad('x', 500, 'x') c from dual connect by level <= 20000;
select count(*), sum(n) from t;
select count(*), sum(n) from u;
select bytes from dba_data_files where tablespace_name = 'TPCDS_8K';
alter tablespace tpcds_2k add datafile '+GROUP1' size 2m;
alter database datafile '+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.258.4' resize 5m;
alter database datafile '+group1/highwate/datafile/TPCDS_2K.258.4' resize 900m;
alter database datafile '+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.259.3' resize 5m;
select file_name, bytes from dba_data_files where tablespace_name = 'TPCDS_2K' order by 1;
select file_number, bytes from v$asm_file order by 1;
alter tablespace tpcds_2k drop datafile '+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.258.4';
select file_number, bytes from v$asm_file order by 1;
---
CREATE TABLE: 20000 rows
CREATE TABLE: 20000 rows
COUNT(*) | SUM(N)
20000 | 200010000
COUNT(*) | SUM(N)
20000 | 200010000
BYTES
13631488
ALTER TABLESPACE
ALTER DATABASE
ORA-01237: cannot extend datafile 6: ORA-15041: diskgroup "GROUP1" space exhausted: 895 allocation units of 1 MB are wanted, 56 are free (GROUP1_0000: 14, GROUP1_0001: 14, GROUP1_0002: 14, GROUP1_0003: 14) ('+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.258.4')
ORA-01516: nonexistent data file '+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.259.3'
FILE_NAME | BYTES
+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.256.1 | 10485760
+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.258.4 | 5242880
FILE_NUMBER | BYTES
256 | 10485760
257 | 13631488
258 | 5242880
ALTER TABLESPACE
FILE_NUMBER | BYTES
256 | 10485760
257 | 13631488

drop diskgroup group1;
drop diskgroup group1 including contents;
alter diskgroup group1 dismount;
alter diskgroup group1 mount;
alter diskgroup group1 drop file '+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.256.1';
alter diskgroup group1 drop file '+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.299.1';
alter diskgroup group1 drop file 'users01.dbf';
drop tablespace tpcds_2k including contents keep datafiles;
drop tablespace tpcds_2k;
drop tablespace tpcds_2k including contents;
drop tablespace tpcds_8k including contents and datafiles;
select count(*) from v$asm_file;
select total_mb, free_mb from v$asm_diskgroup;
---
ORA-15053: diskgroup "GROUP1" contains existing files: 2
ORA-15027: active use of diskgroup "GROUP1" precludes its dismount: 2 files are open, among them +GROUP1/DATAFILE/tpcds_2k.256.1, +GROUP1/DATAFILE/tpcds_8k.257.2
ORA-15027: active use of diskgroup "GROUP1" precludes its dismount: 2 files are open, among them +GROUP1/DATAFILE/tpcds_2k.256.1, +GROUP1/DATAFILE/tpcds_8k.257.2
ORA-15013: diskgroup "GROUP1" is already mounted
ORA-15028: ASM file "+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.256.1" not dropped; currently being accessed
ORA-15012: ASM file "+GROUP1/HIGHWATE/DATAFILE/tpcds_2k.299.1" does not exist
ORA-15012: ASM file "users01.dbf" does not exist
HW-0001: not supported: KEEP DATAFILES of a tablespace that has files which the database has named, as in a disk group
ORA-01549: tablespace TPCDS_2K is not empty (it holds SYSTEM.T): INCLUDING CONTENTS drops what is in it
DROP TABLESPACE
DROP TABLESPACE
COUNT(*)
0
TOTAL_MB | FREE_MB
96 | 84

alter diskgroup group1 dismount;
select group_number, name, state, total_mb from v$asm_diskgroup;
select group_number, disk_number, mount_status, header_status, os_mb, name, path from v$asm_disk order by 2;
create tablespace none datafile '+GROUP1' size 10m;
alter diskgroup group1 dismount;
drop diskgroup group1;
alter diskgroup group1 mount;
select group_number, name, state from v$asm_diskgroup;
drop diskgroup group1;
select count(*) from v$asm_diskgroup;
create diskgroup group1 external redundancy disk 'group1_01', 'group1_03' attribute 'AU_SIZE' = '2m';
create diskgroup group2 external redundancy disk 'group1_02' disk 'group1_04';
select group_number, name, allocation_unit_size from v$asm_diskgroup order by 1;
select group_number, name, path from v$asm_disk order by 1, 2;
---
ALTER DISKGROUP
GROUP_NUMBER | NAME | STATE | TOTAL_MB
0 | GROUP1 | DISMOUNTED | -
GROUP_NUMBER | DISK_NUMBER | MOUNT_STATUS | HEADER_STATUS | OS_MB | NAME | PATH
0 | 0 | CLOSED | MEMBER | 24 | GROUP1_0000 | /database/group1_01
0 | 1 | CLOSED | MEMBER | 24 | GROUP1_0001 | /database/group1_02
0 | 2 | CLOSED | MEMBER | 24 | GROUP1_0002 | /database/group1_03
0 | 3 | CLOSED | MEMBER | 24 | GROUP1_0003 | /database/group1_04
ORA-15001: diskgroup "GROUP1" does not exist or is not mounted
ORA-15001: diskgroup "GROUP1" does not exist or is not mounted
ORA-15001: diskgroup "GROUP1" does not exist or is not mounted
ALTER DISKGROUP
GROUP_NUMBER | NAME | STATE
1 | GROUP1 | MOUNTED
DROP DISKGROUP
COUNT(*)
0
CREATE DISKGROUP
CREATE DISKGROUP
GROUP_NUMBER | NAME | ALLOCATION_UNIT_SIZE
1 | GROUP1 | 2097152
2 | GROUP2 | 1048576
GROUP_NUMBER | NAME | PATH
1 | GROUP1_0000 | /database/group1_01
1 | GROUP1_0001 | /database/group1_03
2 | GROUP2_0000 | /database/group1_02
2 | GROUP2_0001 | /database/group1_04

drop diskgroup group2 excluding contents;
select name from v$asm_disk where writes > 0 and bytes_written >= writes * 512 and read_errs = 0 and write_errs = 0 order by 1;
---
DROP DISKGROUP
NAME
GROUP1_0000
GROUP1_0001
