# Dictionary views: what storage holds, files and tablespaces.

create tablespace v datafile 'v01.dbf' size 2M autoextend on next 1M maxsize 4M extent management local uniform size 80k segment space management manual;
create table m (a number, b varchar2(10)) tablespace v storage (initial 100k freelists 3) pctfree 15 pctused 45;
create table d (a number primary key, b varchar2(10)) storage (initial 100k next 200k minextents 2 maxextents 50 pctincrease 0);
create index m_i on m (a) tablespace v;
insert into d select level, 'x' from dual connect by level <= 100;
---
CREATE TABLESPACE
CREATE TABLE
CREATE TABLE
notice: MAXEXTENTS 50 limits nothing: a segment has as many extents as its tablespace has room for
CREATE INDEX
INSERT: 100 rows

select tablespace_name, initial_extent, next_extent, min_extents, max_extents, pct_increase, min_extlen, allocation_type, segment_space_management from dba_tablespaces order by 1;
select status, contents, logging, force_logging, extent_management, plugged_in, def_tab_compression, retention, bigfile, encrypted from dba_tablespaces where tablespace_name = 'V';
select tablespace_name, bytes, blocks, autoextensible, maxbytes, maxblocks, increment_by, user_bytes, user_blocks, relative_fno, online_status from dba_data_files order by 1;
---
TABLESPACE_NAME | INITIAL_EXTENT | NEXT_EXTENT | MIN_EXTENTS | MAX_EXTENTS | PCT_INCREASE | MIN_EXTLEN | ALLOCATION_TYPE | SEGMENT_SPACE_MANAGEMENT
SYSTEM | 65536 | - | 1 | 2147483645 | - | 65536 | SYSTEM | MANUAL
UNDOTBS1 | 65536 | - | 1 | 2147483645 | - | 65536 | SYSTEM | MANUAL
USERS | 65536 | - | 1 | 2147483645 | - | 65536 | SYSTEM | AUTO
V | 81920 | 81920 | 1 | 2147483645 | 0 | 81920 | UNIFORM | MANUAL
STATUS | CONTENTS | LOGGING | FORCE_LOGGING | EXTENT_MANAGEMENT | PLUGGED_IN | DEF_TAB_COMPRESSION | RETENTION | BIGFILE | ENCRYPTED
ONLINE | PERMANENT | LOGGING | NO | LOCAL | NO | DISABLED | NOT APPLY | NO | NO
TABLESPACE_NAME | BYTES | BLOCKS | AUTOEXTENSIBLE | MAXBYTES | MAXBLOCKS | INCREMENT_BY | USER_BYTES | USER_BLOCKS | RELATIVE_FNO | ONLINE_STATUS
SYSTEM | 16777216 | 2048 | YES | 34359730176 | 4194303 | 2048 | 15728640 | 1920 | 1 | SYSTEM
UNDOTBS1 | 33554432 | 4096 | YES | 34359730176 | 4194303 | 4096 | 32505856 | 3968 | 3 | ONLINE
USERS | 33554432 | 4096 | YES | 34359730176 | 4194303 | 4096 | 32505856 | 3968 | 2 | ONLINE
V | 2097152 | 256 | YES | 4194304 | 512 | 128 | 983040 | 120 | 4 | ONLINE

# All that extents can have is either in segments or free.

select f.tablespace_name, f.user_blocks, f.user_blocks - nvl(e.blocks, 0) - nvl(s.blocks, 0) left_over from dba_data_files f left join (select file_id, sum(blocks) blocks from dba_extents group by file_id) e on e.file_id = f.file_id left join (select file_id, sum(blocks) blocks from dba_free_space group by file_id) s on s.file_id = f.file_id where f.tablespace_name = 'V';
---
TABLESPACE_NAME | USER_BLOCKS | LEFT_OVER
V | 120 | 0

select segment_name, initial_extent, next_extent, min_extents, max_extents, pct_increase, freelists, freelist_groups, buffer_pool from user_segments where segment_name in ('M', 'M_I', 'D') order by 1;
select table_name, cluster_name, iot_name, status, pct_free, pct_used, initial_extent, next_extent, min_extents, max_extents, pct_increase, freelists, freelist_groups from user_tables where table_name in ('M', 'D') order by 1;
select table_name, num_rows, sample_size, degree, cache, partitioned, iot_type, temporary, secondary, nested, buffer_pool, row_movement, dependencies, compression, compress_for, dropped, read_only, segment_created from user_tables where table_name in ('M', 'D') order by 1;
select index_name, uniqueness, compression, prefix_length, initial_extent, next_extent, min_extents, max_extents, pct_increase, freelists, freelist_groups, pct_free from user_indexes where index_name = 'M_I';
select num_rows, sample_size, degree, partitioned, temporary, secondary, buffer_pool, dropped, visibility, segment_created from user_indexes where index_name = 'M_I';
select count(*) from dba_tables a, all_tables b where a.owner = b.owner and a.table_name = b.table_name and a.table_name = 'M';
---
SEGMENT_NAME | INITIAL_EXTENT | NEXT_EXTENT | MIN_EXTENTS | MAX_EXTENTS | PCT_INCREASE | FREELISTS | FREELIST_GROUPS | BUFFER_POOL
D | 106496 | 204800 | 2 | 50 | 0 | - | - | DEFAULT
M | 106496 | 81920 | 1 | 2147483645 | 0 | 3 | 1 | DEFAULT
M_I | 81920 | 81920 | 1 | 2147483645 | 0 | 1 | 1 | DEFAULT
TABLE_NAME | CLUSTER_NAME | IOT_NAME | STATUS | PCT_FREE | PCT_USED | INITIAL_EXTENT | NEXT_EXTENT | MIN_EXTENTS | MAX_EXTENTS | PCT_INCREASE | FREELISTS | FREELIST_GROUPS
D | - | - | VALID | 10 | - | 106496 | 204800 | 2 | 50 | 0 | - | -
M | - | - | VALID | 15 | 45 | 106496 | 81920 | 1 | 2147483645 | 0 | 3 | 1
TABLE_NAME | NUM_ROWS | SAMPLE_SIZE | DEGREE | CACHE | PARTITIONED | IOT_TYPE | TEMPORARY | SECONDARY | NESTED | BUFFER_POOL | ROW_MOVEMENT | DEPENDENCIES | COMPRESSION | COMPRESS_FOR | DROPPED | READ_ONLY | SEGMENT_CREATED
D | - | - |          1 |     N | NO | - | N | N | NO | DEFAULT | DISABLED | DISABLED | DISABLED | - | NO | NO | YES
M | - | - |          1 |     N | NO | - | N | N | NO | DEFAULT | DISABLED | DISABLED | DISABLED | - | NO | NO | YES
INDEX_NAME | UNIQUENESS | COMPRESSION | PREFIX_LENGTH | INITIAL_EXTENT | NEXT_EXTENT | MIN_EXTENTS | MAX_EXTENTS | PCT_INCREASE | FREELISTS | FREELIST_GROUPS | PCT_FREE
M_I | NONUNIQUE | DISABLED | - | 81920 | 81920 | 1 | 2147483645 | 0 | 1 | 1 | 10
NUM_ROWS | SAMPLE_SIZE | DEGREE | PARTITIONED | TEMPORARY | SECONDARY | BUFFER_POOL | DROPPED | VISIBILITY | SEGMENT_CREATED
0 | 0 | 1 | NO | N | N | DEFAULT | NO | VISIBLE | YES
COUNT(*)
1

drop table d;
drop tablespace v including contents and datafiles;
---
DROP TABLE
DROP TABLESPACE
