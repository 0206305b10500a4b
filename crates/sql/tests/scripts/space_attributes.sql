# Under automatic space management nothing depends on PCTUSED, so PCTFREE has its whole range.

create table t (a number) pctfree 99;
---
CREATE TABLE

create table u (a number) pctfree 100;
---
ORA-02211: PCTFREE 100 is not from 0 to 99

create table w (a number) pctfree 99 pctused 2;
---
ORA-04000: PCTFREE and PCTUSED together are 101, more than 100

alter table t pctfree 61;
---
ALTER TABLE

alter table t pctused 40;
---
ORA-04000: PCTFREE and PCTUSED together are 101, more than 100

create index i on t (a) pctfree 99;
---
CREATE INDEX

select table_name, pct_free from user_tables where table_name in ('T', 'U', 'W') order by 1;
---
TABLE_NAME | PCT_FREE
T | 61

# Freelists depend on PCTUSED: what a MOVE to them does not give, and is too much beside PCTFREE, is lowered.

create tablespace lists datafile 'lists01.dbf' size 10M segment space management manual;
create table full_blocks (a number) pctfree 90;
alter table full_blocks move tablespace lists;
select pct_free, pct_used from user_tables where table_name = 'FULL_BLOCKS';
alter table full_blocks move tablespace lists pctfree 91;
alter table full_blocks move tablespace lists pctfree 91 pctused 9;
alter table full_blocks move tablespace users;
alter table full_blocks move tablespace lists pctfree 92;
select pct_free from user_tables where table_name = 'FULL_BLOCKS';
---
CREATE TABLESPACE
CREATE TABLE
ALTER TABLE
PCT_FREE | PCT_USED
90 | 10
ORA-04000: PCTFREE and PCTUSED together are 101, more than 100
ALTER TABLE
ALTER TABLE
ORA-04000: PCTFREE and PCTUSED together are 101, more than 100
PCT_FREE
91
