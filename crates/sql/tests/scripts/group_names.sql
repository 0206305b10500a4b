# Names, templates and attributes of disk groups.
# disks 4 24 east_*
# disks 2 24 alone_*

create diskgroup data disk 'east_*' attribute 'au_size' = '1M', 'compatible.rdbms' = '12.1', 'compatible.asm' = '19.0';
create diskgroup fra external redundancy disk 'alone_*';
select group_number, name, value, read_only from v$asm_attribute order by 1, 2;
select entry_number, name, redundancy, stripe, system from v$asm_template where group_number = 1 order by 1;
select distinct redundancy from v$asm_template where group_number = 2;
select group_number, instance_name, db_name, status, compatible_version from v$asm_client order by 1;
---
CREATE DISKGROUP
CREATE DISKGROUP
GROUP_NUMBER | NAME | VALUE | READ_ONLY
1 | au_size | 1048576 | Y
1 | cell.smart_scan_capable | FALSE | N
1 | compatible.asm | 19.0.0.0.0 | N
1 | compatible.rdbms | 12.1.0.0.0 | N
1 | disk_repair_time | 3.6h | N
2 | au_size | 1048576 | Y
2 | cell.smart_scan_capable | FALSE | N
2 | compatible.asm | 11.2.0.2.0 | N
2 | compatible.rdbms | 11.2.0.0.0 | N
2 | disk_repair_time | 3.6h | N
ENTRY_NUMBER | NAME | REDUNDANCY | STRIPE | SYSTEM
0 | PARAMETERFILE | MIRROR | COARSE | Y
1 | DUMPSET | MIRROR | COARSE | Y
2 | CONTROLFILE | HIGH | FINE | Y
3 | ARCHIVELOG | MIRROR | COARSE | Y
4 | ONLINELOG | MIRROR | COARSE | Y
5 | DATAFILE | MIRROR | COARSE | Y
6 | TEMPFILE | MIRROR | COARSE | Y
7 | BACKUPSET | MIRROR | COARSE | Y
8 | AUTOBACKUP | MIRROR | COARSE | Y
9 | XTRANSPORT | MIRROR | COARSE | Y
10 | CHANGETRACKING | MIRROR | COARSE | Y
11 | FLASHBACK | MIRROR | COARSE | Y
12 | DATAGUARDCONFIG | MIRROR | COARSE | Y
REDUNDANCY
UNPROT
GROUP_NUMBER | INSTANCE_NAME | DB_NAME | STATUS | COMPATIBLE_VERSION
1 | highwater | HIGHWATE | CONNECTED | 12.1.0.0.0
2 | highwater | HIGHWATE | CONNECTED | 11.2.0.0.0

alter diskgroup data add directory '+DATA/mine', '+DATA/mine/Sub';
create tablespace named datafile '+DATA/mine/sub/Users.dbf' size 2m;
create tablespace plain datafile '+DATA' size 2m;
alter tablespace plain add datafile '+data/HIGHWATE/datafile/second.dbf' size 2m;
alter diskgroup data add alias '+DATA/plain.dbf' for '+DATA/HIGHWATE/DATAFILE/plain.257.2';
select tablespace_name, file_name from dba_data_files where file_name like '+%' order by 1, 2;
select file_number, block_size, blocks, type, redundancy, striped from v$asm_file order by 1;
select name, file_number, file_incarnation, alias_index, parent_index, reference_index, alias_directory, system_created from v$asm_alias order by alias_index;
select concat('+' || gname, sys_connect_by_path(aname, '/')) full_alias_path, system_created, alias_directory, file_type
from (select b.name gname, a.parent_index pindex, a.name aname, a.reference_index rindex, a.system_created, a.alias_directory, c.type file_type
from v$asm_alias a, v$asm_diskgroup b, v$asm_file c
where a.group_number = b.group_number and a.group_number = c.group_number(+) and a.file_number = c.file_number(+) and a.file_incarnation = c.incarnation(+))
start with (mod(pindex, power(2, 24))) = 0 connect by prior rindex = pindex
order by 1;
---
ALTER DISKGROUP
CREATE TABLESPACE
CREATE TABLESPACE
ALTER TABLESPACE
ALTER DISKGROUP
TABLESPACE_NAME | FILE_NAME
NAMED | +DATA/mine/sub/Users.dbf
PLAIN | +DATA/HIGHWATE/DATAFILE/plain.257.2
PLAIN | +data/HIGHWATE/datafile/second.dbf
FILE_NUMBER | BLOCK_SIZE | BLOCKS | TYPE | REDUNDANCY | STRIPED
256 | 8192 | 256 | DATAFILE | MIRROR | COARSE
257 | 8192 | 256 | DATAFILE | MIRROR | COARSE
258 | 8192 | 256 | DATAFILE | MIRROR | COARSE
NAME | FILE_NUMBER | FILE_INCARNATION | ALIAS_INDEX | PARENT_INDEX | REFERENCE_INDEX | ALIAS_DIRECTORY | SYSTEM_CREATED
HIGHWATE | 4294967295 | 4294967295 | 0 | 16777216 | 16777217 | Y | Y
DATAFILE | 4294967295 | 4294967295 | 1 | 16777217 | 16777218 | Y | Y
named.256.1 | 256 | 1 | 2 | 16777218 | 33554431 | N | Y
plain.257.2 | 257 | 2 | 3 | 16777218 | 33554431 | N | Y
plain.258.3 | 258 | 3 | 4 | 16777218 | 33554431 | N | Y
second.dbf | 258 | 3 | 5 | 16777218 | 33554431 | N | N
mine | 4294967295 | 4294967295 | 6 | 16777216 | 16777219 | Y | N
Sub | 4294967295 | 4294967295 | 7 | 16777219 | 16777220 | Y | N
Users.dbf | 256 | 1 | 8 | 16777220 | 33554431 | N | N
plain.dbf | 257 | 2 | 9 | 16777216 | 33554431 | N | N
HW-0001: not supported: CONNECT BY other than CONNECT BY LEVEL <= n on DUAL

alter database datafile '+data/MINE/sub/users.DBF' resize 3m;
alter database datafile '+DATA/HIGHWATE/DATAFILE/named.256.1' autoextend on next 1m;
alter database datafile '+DATA/plain.dbf' resize 3m;
select tablespace_name, bytes, autoextensible from dba_data_files where file_name like '+%' order by 1, 2;
alter diskgroup data rename directory '+DATA/mine' to '+DATA/Yours';
alter diskgroup data rename alias '+DATA/plain.dbf' to '+DATA/yours/p.dbf';
select tablespace_name, file_name from dba_data_files where file_name like '+%' order by 1, 2;
select name from v$asm_alias where system_created = 'N' order by alias_index;
alter diskgroup data drop alias '+DATA/HIGHWATE/DATAFILE/second.dbf';
select tablespace_name, file_name from dba_data_files where file_name like '+%' order by 1, 2;
create table t tablespace plain as select level n, rpad('x', 100, 'x') c from dual connect by level <= 10000;
select count(*) from t;
---
ALTER DATABASE
ALTER DATABASE
ALTER DATABASE
TABLESPACE_NAME | BYTES | AUTOEXTENSIBLE
NAMED | 3145728 | YES
PLAIN | 2097152 | NO
PLAIN | 3145728 | NO
ALTER DISKGROUP
ALTER DISKGROUP
TABLESPACE_NAME | FILE_NAME
NAMED | +DATA/HIGHWATE/DATAFILE/named.256.1
PLAIN | +DATA/HIGHWATE/DATAFILE/plain.257.2
PLAIN | +data/HIGHWATE/datafile/second.dbf
NAME
second.dbf
Yours
p.dbf
Sub
Users.dbf
ALTER DISKGROUP
TABLESPACE_NAME | FILE_NAME
NAMED | +DATA/HIGHWATE/DATAFILE/named.256.1
PLAIN | +DATA/HIGHWATE/DATAFILE/plain.257.2
PLAIN | +DATA/HIGHWATE/DATAFILE/plain.258.3
CREATE TABLE: 10000 rows
COUNT(*)
10000

create tablespace none datafile '+DATA/none/x.dbf' size 2m;
create tablespace none datafile '+DATA/yours/p.dbf' size 2m;
create tablespace none datafile '+DATA/yours/p.dbf' size 2m reuse;
create tablespace none datafile '+DATA/yours' size 2m;
create tablespace none datafile '+DATA/HIGHWATE/DATAFILE/none.300.9' size 2m;
create tablespace none datafile '+DATA(nothing)' size 2m;
create tablespace none datafile '+DATA()' size 2m;
create tablespace none datafile '+DATA/x(y)z' size 2m;
create tablespace none datafile '+DATA/x' size 2m, '+DATA/X' size 2m;
alter diskgroup data add directory '+DATA/yours';
alter diskgroup data add directory '+FRA/x';
alter diskgroup data add directory '+DATA/x/y';
alter diskgroup data drop directory '+DATA/yours';
alter diskgroup data drop directory '+DATA/HIGHWATE' force;
alter diskgroup data rename directory '+DATA/yours' to '+DATA/yours/sub/x';
alter diskgroup data add alias '+DATA/x' for '+DATA/HIGHWATE/DATAFILE/plain.257.2';
alter diskgroup data add alias '+DATA/x' for '+DATA/HIGHWATE/DATAFILE/plain.299.2';
alter diskgroup data drop alias '+DATA/HIGHWATE/DATAFILE/plain.257.2';
alter diskgroup data drop alias '+DATA/nothing';
alter diskgroup data drop file '+DATA/yours/p.dbf';
select count(*) from v$asm_file;
---
ORA-15173: entry 'none' does not exist in directory '/'
ORA-01537: cannot add file '+DATA/yours/p.dbf': it is already part of the database
ORA-01537: cannot add file '+DATA/yours/p.dbf': it is already part of the database
ORA-15005: name "yours" is already used by an existing alias
ORA-15046: ASM file name '+DATA/HIGHWATE/DATAFILE/none.300.9' is not in single-file creation form
ORA-15060: template "NOTHING" does not exist
ORA-15125: ASM file name '+DATA()' contains an invalid template name
ORA-15124: ASM file name '+DATA/x(y)z' contains an invalid alias name
ORA-15005: name "X" is already used by an existing alias
ORA-15005: name "yours" is already used by an existing alias
ORA-15052: ASM file name '+FRA/x' is not in diskgroup "DATA"
ORA-15173: entry 'x' does not exist in directory '/'
ORA-15178: directory 'yours' is not empty; cannot drop this directory
ORA-15177: cannot operate on system aliases: 'HIGHWATE' is one
ORA-15169: destination 'yours/sub/x' is a subdirectory of 'yours'
ORA-15176: file '+DATA/HIGHWATE/DATAFILE/plain.257.2' already has an alias associated with it
ORA-15012: ASM file "+DATA/HIGHWATE/DATAFILE/plain.299.2" does not exist
ORA-15177: cannot operate on system aliases: '+DATA/HIGHWATE/DATAFILE/plain.257.2' is one
ORA-15173: entry 'nothing' does not exist in directory '/'
ORA-15028: ASM file "+DATA/yours/p.dbf" not dropped; currently being accessed
COUNT(*)
3

alter diskgroup data add template fine1 attributes (unprotected fine), three attributes (high);
alter diskgroup data alter template tempfile attributes (fine);
alter diskgroup fra add template t attributes (mirror);
alter diskgroup data add template three attributes (fine);
alter diskgroup data drop template datafile;
alter diskgroup data drop template nothing;
create tablespace f datafile '+DATA(fine1)' size 2m, '+DATA/yours/three.dbf(three)' size 2m;
create table u tablespace f as select level n, rpad('x', 100, 'x') c from dual connect by level <= 6000;
select count(*), sum(n) from u;
select f.file_number, f.redundancy, f.striped, f.space from v$asm_file f order by 1;
select name, redundancy, stripe from v$asm_template where group_number = 1 and (system = 'N' or name = 'TEMPFILE') order by entry_number;
alter diskgroup data drop template fine1;
alter diskgroup data offline disk data_0000;
---
ALTER DISKGROUP
ALTER DISKGROUP
ORA-15067: MIRROR of template "T" is incompatible with a diskgroup of EXTERN redundancy
ORA-15007: name "THREE" is already used by an existing template
ORA-15008: system template "DATAFILE" cannot be dropped
ORA-15060: template "NOTHING" does not exist
CREATE TABLESPACE
CREATE TABLE: 6000 rows
COUNT(*) | SUM(N)
6000 | 18003000
FILE_NUMBER | REDUNDANCY | STRIPED | SPACE
256 | MIRROR | COARSE | 6291456
257 | MIRROR | COARSE | 6291456
258 | MIRROR | COARSE | 4194304
259 | UNPROT | FINE | 8388608
260 | HIGH | COARSE | 6291456
NAME | REDUNDANCY | STRIPE
TEMPFILE | MIRROR | FINE
FINE1 | UNPROT | FINE
THREE | HIGH | COARSE
ALTER DISKGROUP
ORA-15066: offlining disk "DATA_0000" in group "DATA" may result in a data loss

drop tablespace f including contents;
drop tablespace named including contents keep datafiles;
drop tablespace plain including contents;
select file_number, block_size from v$asm_file order by 1;
create tablespace again datafile '+DATA/Yours/Sub/users.dbf' size 2m;
create tablespace again datafile '+DATA/Yours/Sub/users.dbf' size 2m reuse;
drop tablespace again including contents and datafiles;
select name, alias_directory from v$asm_alias where group_number = 1 order by alias_index;
alter diskgroup data drop file '+DATA/yours/three.dbf';
alter diskgroup data drop file '+DATA/yours/sub/users.dbf';
alter diskgroup data drop directory '+DATA/yours/sub', '+DATA/yours' force;
select count(*) from v$asm_alias where group_number = 1;
---
DROP TABLESPACE
DROP TABLESPACE
DROP TABLESPACE
FILE_NUMBER | BLOCK_SIZE
260 | -
CREATE TABLESPACE
ORA-01543: tablespace 'AGAIN' already exists
DROP TABLESPACE
NAME | ALIAS_DIRECTORY
HIGHWATE | Y
DATAFILE | Y
f.260.6 | N
Yours | Y
Sub | Y
three.dbf | N
ALTER DISKGROUP
ORA-15012: ASM file "+DATA/yours/sub/users.dbf" does not exist
ALTER DISKGROUP
COUNT(*)
0

create tablespace mirrored datafile '+DATA' size 2m;
alter diskgroup data set attribute 'disk_repair_time' = '90m';
alter diskgroup data set attribute 'disk_repair_time' = 'soon';
alter diskgroup data set attribute 'compatible.rdbms' = '11.2';
alter diskgroup data set attribute 'compatible.rdbms' = '21.0';
alter diskgroup data set attribute 'au_size' = '4M';
alter diskgroup data set attribute 'content.type' = 'data';
alter diskgroup data set attribute 'colour' = 'red';
select value from v$asm_attribute where group_number = 1 and name = 'disk_repair_time';
alter diskgroup data offline disk data_0001;
alter diskgroup data offline disk data_0003 drop after 5 h;
select name, mode_status, ceil(repair_timer / 60) minutes from v$asm_disk where group_number = 1 order by 1;
alter diskgroup data online all;
select name, mode_status, repair_timer from v$asm_disk where group_number = 1 order by 1;
drop tablespace mirrored including contents;
drop diskgroup data;
---
CREATE TABLESPACE
ALTER DISKGROUP
ORA-15238: soon is not a valid value for attribute disk_repair_time: it is a number of minutes (m) or hours (h)
ORA-15244: new compatibility setting less than current [12.1.0.0.0]
ORA-15234: target RDBMS compatibility (21.0) exceeds ASM compatibility (19.0.0.0.0)
ORA-15241: attribute au_size is read only
HW-0001: not supported: the disk group attribute 'content.type'
ORA-15240: attribute name colour is invalid
VALUE
90m
ALTER DISKGROUP
ORA-15066: offlining disk "DATA_0003" in group "DATA" may result in a data loss
NAME | MODE_STATUS | MINUTES
DATA_0000 | ONLINE | 0
DATA_0001 | OFFLINE | 90
DATA_0002 | ONLINE | 0
DATA_0003 | ONLINE | 0
ALTER DISKGROUP
NAME | MODE_STATUS | REPAIR_TIMER
DATA_0000 | ONLINE | 0
DATA_0001 | ONLINE | 0
DATA_0002 | ONLINE | 0
DATA_0003 | ONLINE | 0
DROP TABLESPACE
DROP DISKGROUP
