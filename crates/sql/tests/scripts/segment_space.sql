# How full segments are, under freelists and under bitmaps.

create tablespace man datafile 'man01.dbf' size 4M extent management local uniform size 64k segment space management manual;
create tablespace aut datafile 'aut01.dbf' size 4M extent management local uniform size 64k segment space management auto;
create table m (a number, b varchar2(2000)) tablespace man;
create table u (a number, b varchar2(2000)) tablespace aut;
create index m_a on m (a) tablespace man;
---
CREATE TABLESPACE
CREATE TABLESPACE
CREATE TABLE
CREATE TABLE
CREATE INDEX

insert into m select level, rpad('x', 1500, 'x') from dual connect by level <= 100;
insert into u select level, rpad('x', 1500, 'x') from dual connect by level <= 100;
---
INSERT: 100 rows
INSERT: 100 rows

# The totals are those of the segments, and what is used ends in the extent named.

select segment_name, segment_type, tablespace_name, segment_space_management, total_blocks, unused_blocks, last_used_block from user_segment_space where tablespace_name in ('MAN', 'AUT') order by 1;
select p.segment_name, p.total_blocks - s.blocks, p.total_bytes - s.bytes from dba_segment_space p, dba_segments s where p.owner = s.owner and p.segment_name = s.segment_name and p.tablespace_name in ('MAN', 'AUT') order by 1;
select p.segment_name, count(*) extents, sum(e.blocks) - max(p.total_blocks) missing, sum(case when (e.extent_id < l.extent_id) then e.blocks else 0 end) + max(p.last_used_block) + max(p.unused_blocks) - max(p.total_blocks) beyond from dba_segment_space p, dba_extents e, dba_extents l where p.tablespace_name in ('MAN', 'AUT') and e.owner = p.owner and e.segment_name = p.segment_name and l.file_id = p.last_used_extent_file_id and l.block_id = p.last_used_extent_block_id group by p.segment_name order by 1;
select count(*) from (select owner, segment_name from dba_segments where segment_type <> 'TYPE2 UNDO' minus select owner, segment_name from dba_segment_space);
---
SEGMENT_NAME | SEGMENT_TYPE | TABLESPACE_NAME | SEGMENT_SPACE_MANAGEMENT | TOTAL_BLOCKS | UNUSED_BLOCKS | LAST_USED_BLOCK
M | TABLE | MAN | MANUAL | 32 | 3 | 5
M_A | INDEX | MAN | MANUAL | 8 | 6 | 2
U | TABLE | AUT | AUTO | 32 | 0 | 8
SEGMENT_NAME | P.TOTAL_BLOCKS-S.BLOCKS | P.TOTAL_BYTES-S.BYTES
M | 0 | 0
M_A | 0 | 0
U | 0 | 0
SEGMENT_NAME | EXTENTS | MISSING | BEYOND
M | 4 | 0 | 0
M_A | 1 | 0 | 0
U | 4 | 0 | 0
COUNT(*)
0

select segment_name, free_list_blocks, unformatted_blocks, fs1_blocks, fs2_blocks, fs3_blocks, fs4_blocks, full_blocks, full_bytes from user_segment_space where tablespace_name in ('MAN', 'AUT') order by 1;
---
SEGMENT_NAME | FREE_LIST_BLOCKS | UNFORMATTED_BLOCKS | FS1_BLOCKS | FS2_BLOCKS | FS3_BLOCKS | FS4_BLOCKS | FULL_BLOCKS | FULL_BYTES
M | 4 | - | - | - | - | - | - | -
M_A | 0 | - | - | - | - | - | - | -
U | - | 0 | 25 | 0 | 0 | 3 | 0 | 0

# Blocks that deletes have emptied are found again: on the freelist, or by their quarter.

delete from m where a <= 50;
delete from u where a <= 50;
select segment_name, free_list_blocks, unformatted_blocks, fs1_blocks, fs2_blocks, fs3_blocks, fs4_blocks, full_blocks from user_segment_space where tablespace_name in ('MAN', 'AUT') order by 1;
select segment_name, (full_bytes + fs1_bytes + fs2_bytes + fs3_bytes + fs4_bytes + unformatted_bytes) / 8192 data_blocks, total_blocks - unused_blocks used_blocks from user_segment_space where segment_name = 'U';
select count(distinct dbms_rowid.rowid_block_number(rowid)) from u;
---
DELETE: 50 rows
DELETE: 50 rows
SEGMENT_NAME | FREE_LIST_BLOCKS | UNFORMATTED_BLOCKS | FS1_BLOCKS | FS2_BLOCKS | FS3_BLOCKS | FS4_BLOCKS | FULL_BLOCKS
M | 17 | - | - | - | - | - | -
M_A | 0 | - | - | - | - | - | -
U | - | 0 | 12 | 0 | 1 | 15 | 0
SEGMENT_NAME | DATA_BLOCKS | USED_BLOCKS
U | 28 | 32
COUNT(DISTINCTDBMS_ROWID.ROWID_BLOCK_NUMBER(ROWID))
13

drop tablespace man including contents and datafiles;
drop tablespace aut including contents and datafiles;
select count(*) from dba_segment_space where tablespace_name in ('MAN', 'AUT');
---
DROP TABLESPACE
DROP TABLESPACE
COUNT(*)
0
