# ALTER TABLE … SHRINK SPACE: who may, what moves, what is given back.
create table s (n number, pad varchar2(400), constraint s_pk primary key (n))
/
CREATE TABLE

alter table s shrink space
/
ORA-10636: ROW MOVEMENT is not enabled

alter table s enable row movement
/
ALTER TABLE

select row_movement from user_tables where table_name = 'S'
/
ROW_MOVEMENT
ENABLED

insert into s select level, rpad('x', 400, 'x') from dual connect by level <= 6000
/
INSERT: 6000 rows

commit
/
COMMIT

select blocks, extents from user_segments where segment_name = 'S'
/
BLOCKS | EXTENTS
384 | 18

delete from s where mod(n, 4) <> 0
/
DELETE: 4500 rows

commit
/
COMMIT

# Nothing but rows moves.
alter table s shrink space compact
/
ALTER TABLE

select blocks, extents from user_segments where segment_name = 'S'
/
BLOCKS | EXTENTS
384 | 18

select count(*), sum(n), min(n), max(n) from s
/
COUNT(*) | SUM(N) | MIN(N) | MAX(N)
1500 | 4503000 | 4 | 6000

select /*+ index(s s_pk) */ n from s where n between 3990 and 4010 order by n
/
N
3992
3996
4000
4004
4008

# What is free behind them goes back.
alter table s shrink space
/
ALTER TABLE

select blocks, extents from user_segments where segment_name = 'S'
/
BLOCKS | EXTENTS
104 | 13

begin dbms_stats.gather_table_stats(user, 'S'); end;
/
PL/SQL

select num_rows, blocks from user_tables where table_name = 'S'
/
NUM_ROWS | BLOCKS
1500 | 95

select count(*), sum(n) from s
/
COUNT(*) | SUM(N)
1500 | 4503000

select n from s where n = 5000
/
N
5000

insert into s values (4, 'twice')
/
ORA-00001: unique constraint (SYSTEM.S_PK) violated

select extents from user_segments where segment_name = 'S_PK'
/
EXTENTS
2

alter table s shrink space cascade
/
ALTER TABLE

select extents from user_segments where segment_name = 'S_PK'
/
EXTENTS
1

select count(*) from s where n > 0
/
COUNT(*)
1500

# Migrated rows are whole again where they go.
create table g (n number, pad varchar2(1000)) pctfree 0 enable row movement
/
CREATE TABLE

insert into g select level, rpad('x', 100, 'x') from dual connect by level <= 2000
/
INSERT: 2000 rows

commit
/
COMMIT

update g set pad = rpad('y', 300, 'y') where mod(n, 2) = 0
/
UPDATE: 1000 rows

commit
/
COMMIT

analyze table g compute statistics
/
ANALYZE TABLE

select sign(chain_cnt) from user_tables where table_name = 'G'
/
SIGN(CHAIN_CNT)
1

delete from g where mod(n, 2) = 1
/
DELETE: 1000 rows

commit
/
COMMIT

alter table g shrink space
/
ALTER TABLE

select count(*), sum(n), sum(length(pad)) from g
/
COUNT(*) | SUM(N) | SUM(LENGTH(PAD))
1000 | 1001000 | 300000

alter table g disable row movement
/
ALTER TABLE

alter table g shrink space
/
ORA-10636: ROW MOVEMENT is not enabled

select dbms_metadata.get_ddl('TABLE', 'S') from dual
/
DBMS_METADATA.GET_DDL('TABLE','S')
CREATE TABLE "SYSTEM"."S" (
  "N" NUMBER,
  "PAD" VARCHAR2(400),
  CONSTRAINT "S_PK" PRIMARY KEY ("N")
  USING INDEX PCTFREE 10 INITRANS 2 MAXTRANS 255 STORAGE(FREELISTS 1 FREELIST GROUPS 1) TABLESPACE "USERS" ENABLE
) PCTFREE 10 INITRANS 1 MAXTRANS 255
  STORAGE(FREELISTS 1 FREELIST GROUPS 1) TABLESPACE "USERS" ENABLE ROW MOVEMENT

drop table g purge
/
DROP TABLE

drop table s purge
/
DROP TABLE
