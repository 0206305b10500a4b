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

alter diskgroup data add template fine1 attributes (unprotected fine), three attributes (high);
alter diskgroup data alter template tempfile attributes (fine);
alter diskgroup fra add template t attributes (mirror);
alter diskgroup data add template three attributes (fine);
alter diskgroup data drop template datafile;
alter diskgroup data drop template nothing;
create tablespace f datafile '+DATA(fine1)' size 2m, '+DATA/yours/three.dbf(three)' size 2m;
create table u tablespace f as select level n, rpad('x', 100, 'x') c from dual connect by level <= 20000;
select count(*), sum(n) from u;
select f.file_number, f.redundancy, f.striped, f.space from v$asm_file f order by 1;
select name, redundancy, stripe from v$asm_template where group_number = 1 and (system = 'N' or name = 'TEMPFILE') order by entry_number;
alter diskgroup data drop template fine1;
alter diskgroup data offline disk data_0000;
---

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
