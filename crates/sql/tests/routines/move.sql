# ALTER TABLE … MOVE: migrated rows come home, PCTFREE and tablespace change, indexes follow.
create tablespace other4 datafile 'other4.dbf' size 12M autoextend on blocksize 4k segment space management manual
/

create table t1 (n1 number constraint t1_pk primary key, n2 number, c varchar2(30))
/

insert into t1 (n1, c) select level, 'row ' || level from dual connect by level <= 20000
/

create index t1_c on t1 (c)
/

update t1 set n2 = n1, c = c || ' made longer'
/

commit
/

analyze table t1 compute statistics
/

select blocks, chain_cnt, num_rows, pct_free from user_tables where table_name = 'T1'
/

alter table t1 move pctfree 0
/

analyze table t1 compute statistics
/

select blocks, chain_cnt, num_rows, pct_free, tablespace_name from user_tables where table_name = 'T1'
/

select c from t1 where n1 = 12345
/

select n1 from t1 where c = 'row 777 made longer'
/

insert into t1 (n1) values (5)
/

alter table t1 move tablespace other4 storage (freelists 3)
/

analyze table t1 compute statistics
/

select blocks, chain_cnt, num_rows, pct_free, tablespace_name, freelists from user_tables where table_name = 'T1'
/

select count(*), count(n2), min(c) from t1
/

select status, tablespace_name from user_indexes where table_name = 'T1' order by index_name
/

delete from t1 where n1 <= 19990
/

select n1 from t1 where c like 'row 1999%' order by n1
/

rollback
/

alter table t1 move tablespace nowhere
/

alter table t1 move online
/

alter table t1 move pctfree 100
/

select count(*) from t1
/
