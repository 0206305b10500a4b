create table kept (n number) storage (initial 64k cell_flash_cache keep);
create table plain (n number);
create table without (n number) storage (cell_flash_cache none flash_cache default);
create index kept_n on kept (n) storage (cell_flash_cache keep)
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
CREATE INDEX

select table_name, flash_cache, cell_flash_cache from user_tables order by 1;
select index_name, cell_flash_cache from user_indexes order by 1;
select segment_name, cell_flash_cache from user_segments order by 1
---
TABLE_NAME | FLASH_CACHE | CELL_FLASH_CACHE
KEPT | DEFAULT | KEEP
PLAIN | DEFAULT | DEFAULT
WITHOUT | DEFAULT | NONE
INDEX_NAME | CELL_FLASH_CACHE
KEPT_N | KEEP
SEGMENT_NAME | CELL_FLASH_CACHE
KEPT | KEEP
KEPT_N | KEEP
PLAIN | DEFAULT
WITHOUT | NONE

alter table plain storage (cell_flash_cache keep);
alter table kept storage (cell_flash_cache default);
alter index kept_n storage (cell_flash_cache none);
select table_name, cell_flash_cache from user_tables order by 1;
select index_name, cell_flash_cache from user_indexes order by 1
---
ALTER TABLE
ALTER TABLE
ALTER INDEX
TABLE_NAME | CELL_FLASH_CACHE
KEPT | DEFAULT
PLAIN | KEEP
WITHOUT | NONE
INDEX_NAME | CELL_FLASH_CACHE
KEPT_N | NONE

# It stays when the rows go, and when they move.

truncate table plain;
select cell_flash_cache from user_tables where table_name = 'PLAIN';
alter table plain move;
select cell_flash_cache from user_tables where table_name = 'PLAIN';
alter table plain move storage (initial 1m);
select cell_flash_cache from user_tables where table_name = 'PLAIN'
---
TRUNCATE TABLE
CELL_FLASH_CACHE
KEEP
ALTER TABLE
CELL_FLASH_CACHE
KEEP
ALTER TABLE
CELL_FLASH_CACHE
KEEP

select case when dbms_metadata.get_ddl('TABLE', 'PLAIN') like '%CELL_FLASH_CACHE KEEP%' then 'KEEP' end shown from dual
---
SHOWN
KEEP

# What there is not.

create table other (n number) storage (cell_flash_cache always);
create table other (n number) storage (flash_cache keep);
alter table plain storage (cell_flash_cache);
alter index kept_n storage (freelists 2)
---
ORA-02143: CELL_FLASH_CACHE is KEEP, NONE or DEFAULT [56]
HW-0001: not supported: FLASH_CACHE keep [51]
ORA-02143: CELL_FLASH_CACHE is KEEP, NONE or DEFAULT [43]
HW-0001: not supported: ALTER INDEX [40]
