# ALTER TABLE … MOVE: migrated rows come home, PCTFREE and tablespace change, indexes follow.
create tablespace other4 datafile 'other4.dbf' size 12M autoextend on blocksize 4k segment space management manual
/
CREATE TABLESPACE

create table t1 (n1 number constraint t1_pk primary key, n2 number, c varchar2(30))
/
CREATE TABLE

insert into t1 (n1, c) select level, 'row ' || level from dual connect by level <= 20000
/
INSERT: 20000 rows

create index t1_c on t1 (c)
/
CREATE INDEX

update t1 set n2 = n1, c = c || ' made longer'
/
UPDATE: 20000 rows

commit
/
COMMIT

analyze table t1 compute statistics
/
ANALYZE TABLE

select blocks, chain_cnt, num_rows, pct_free from user_tables where table_name = 'T1'
/
BLOCKS | CHAIN_CNT | NUM_ROWS | PCT_FREE
244 | 13475 | 20000 | 10

alter table t1 move pctfree 0
/
ALTER TABLE

analyze table t1 compute statistics
/
ANALYZE TABLE

select blocks, chain_cnt, num_rows, pct_free, tablespace_name from user_tables where table_name = 'T1'
/
BLOCKS | CHAIN_CNT | NUM_ROWS | PCT_FREE | TABLESPACE_NAME
89 | 0 | 20000 | 0 | USERS

select c from t1 where n1 = 12345
/
C
row 12345 made longer

select n1 from t1 where c = 'row 777 made longer'
/
N1
777

insert into t1 (n1) values (5)
/
ORA-00001: unique constraint (SYSTEM.T1_PK) violated

alter table t1 move tablespace other4 storage (freelists 3)
/
ALTER TABLE

analyze table t1 compute statistics
/
ANALYZE TABLE

select blocks, chain_cnt, num_rows, pct_free, tablespace_name, freelists from user_tables where table_name = 'T1'
/
BLOCKS | CHAIN_CNT | NUM_ROWS | PCT_FREE | TABLESPACE_NAME | FREELISTS
179 | 0 | 20000 | 0 | OTHER4 | 3

select count(*), count(n2), min(c) from t1
/
COUNT(*) | COUNT(N2) | MIN(C)
20000 | 20000 | row 1 made longer

select status, tablespace_name from user_indexes where table_name = 'T1' order by index_name
/
STATUS | TABLESPACE_NAME
VALID | USERS
VALID | USERS

delete from t1 where n1 <= 19990
/
DELETE: 19990 rows

select n1 from t1 where c like 'row 1999%' order by n1
/
N1
19991
19992
19993
19994
19995
19996
19997
19998
19999

rollback
/
ROLLBACK

alter table t1 move tablespace nowhere
/
ORA-00959: tablespace 'NOWHERE' does not exist

alter table t1 move online
/
HW-0001: not supported: ALTER TABLE MOVE ONLINE [26]

alter table t1 move pctfree 100
/
ORA-02211: PCTFREE 100 is not from 0 to 99

select count(*) from t1
/
COUNT(*)
20000
