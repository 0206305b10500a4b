# Session settings, implicit conversion, CHAR, users.

alter session set nls_date_format = 'YYYY-MM-DD HH24:MI:SS';
select to_date('2024-02-29 13:14:15'), date '2024-02-29' || '' from dual;
select count(*) from dual where date '2024-02-29' = '2024-02-29 00:00:00';
---
ALTER SESSION
TO_DATE('2024-02-2913:14:15') | DATE'2024-02-29'||''
2024-02-29 13:14:15 | 2024-02-29 00:00:00
COUNT(*)
1

alter session set nls_date_format = 'DD.MM.YYYY';
select date '2024-02-29' from dual;
select 1 from dual where to_char(date '2024-02-29') = '29.02.2024';
---
ALTER SESSION
DATE'2024-02-29'
29.02.2024
1
1

create table v (n number, s varchar2(10), c char(5), d date);
insert into v values ('12', 34, 'ab', '31.12.2023');
insert into v values (5, '5', 'x    ', '01.01.2024');
select * from v order by n;
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
N | S | C | D
5 | 5 | x     | 01.01.2024
12 | 34 | ab    | 31.12.2023

select n from v where n = '12';
select n from v where s = 34;
select n from v where s = 5 and c = 'x';
select n from v where c = s;
select n from v where d > '31.12.2023';
select n from v where d between '01.12.2023' and '31.12.2023';
select n from v where n in ('12', 99);
select n from v where s = 'abc';
---
N
12
N
12
N
5
N
N
5
N
12
N
12
N

insert into v (s) values ('abc');
select n from v where s = 5;
select n from v where n = 'abc';
select n + s from v where n = 5;
select n || s || c from v where n = 5;
---
INSERT: 1 rows
ORA-01722: invalid number
ORA-01722: invalid number
N+S
10
N||S||C
55x    

select count(*), count(n), sum(n), max(d) from v;
---
COUNT(*) | COUNT(N) | SUM(N) | MAX(D)
3 | 2 | 17 | 01.01.2024

select nvl(n, 0), nvl(s, 'none'), nvl(to_char(n), 'null') from v order by 1;
---
NVL(N,0) | NVL(S,'NONE') | NVL(TO_CHAR(N),'NULL')
0 | abc | null
5 | 5 | 5
12 | 34 | 12

select decode(s, 'abc', 'letters', '5', 'five', 'else') x, case when n > 10 then n end y from v order by s;
---
X | Y
else | 12
five | -
letters | -

update v set s = null where s = 'abc';
select count(*) from v where s is null;
select count(*) from v where s = '';
select count(*) from v where s <> 'x';
---
UPDATE: 1 rows
COUNT(*)
1
COUNT(*)
0
COUNT(*)
2

create user u identified by secret default tablespace users quota unlimited on users;
grant create session, create table to u;
grant select on v to u;
select username from all_users where username = 'U';
revoke select on v from u;
drop user u cascade;
---
CREATE USER
GRANT
GRANT
USERNAME
U
REVOKE
DROP USER

alter session set nosuch = 1;
alter session set db_file_multiblock_read_count = 16;
select value from v$parameter where name = 'db_file_multiblock_read_count';
alter system flush buffer_cache;
alter system checkpoint;
---
ORA-02248: there is no parameter nosuch
ALTER SESSION
VALUE
16
ALTER SYSTEM
ALTER SYSTEM

create table k (a number primary key, b varchar2(5) not null, c number unique, constraint k_bc unique (b, c));
select index_name from user_indexes where table_name = 'K' and index_name = 'K_BC';
insert into k values (1, 'x', 1);
insert into k values (1, 'y', 2);
insert into k values (2, 'x', 1);
alter table k add (d date default date '2024-01-01');
select a, d from k;
alter table k modify (b varchar2(20));
alter table k rename column d to e;
alter table k rename to k2;
select column_name, data_type, data_length from user_tab_columns where table_name = 'K2' order by column_id;
rename k2 to k3;
drop table k3 purge;
drop index nosuch;
---
CREATE TABLE
INDEX_NAME
K_BC
INSERT: 1 rows
ORA-00001: unique constraint (SYSTEM.SYS_C001001) violated
ORA-00001: unique constraint (SYSTEM.SYS_C001002) violated
ALTER TABLE
A | D
1 | 01.01.2024
ALTER TABLE
ALTER TABLE
ALTER TABLE
COLUMN_NAME | DATA_TYPE | DATA_LENGTH
A | NUMBER | 22
B | VARCHAR2 | 20
C | NUMBER | 22
E | DATE | 7
RENAME
DROP TABLE
ORA-01418: there is no index SYSTEM.NOSUCH

select length('héllo'), q'[it's]', 'a''b', N'x' from dual;
---
LENGTH('HÉLLO') | Q'[IT'S]' | 'A''B' | N'X'
5 | it's | a'b | x

select "DUMMY" "quoted", dummy as plain from dual;
---
quoted | PLAIN
X | X

select 'x' from dual where 1 = 1 and (2 > 3 or not 4 < 3) and dummy is not null;
---
'X'
x

create tablespace bad datafile 'b.dbf' size 1M blocksize 3k;
create table x (a number) tablespace nosuch;
create table v (a number);
create table y (a number, a date);
create table y (a varchar2(5000));
create table y (a number(40));
select sysdate - sysdate, trunc(sysdate) - trunc(sysdate) from dual;
---
ORA-25157: block size 3072 is none of 2K, 4K, 8K, 16K, 32K [59]
ORA-00959: tablespace 'NOSUCH' does not exist
ORA-00955: the name SYSTEM.V is used by another object
ORA-00957: column name A appears twice
ORA-00910: specified length too long for its datatype: VARCHAR2 has 4000 at most [18]
ORA-01727: numeric precision is out of range (1 to 38) [18]
SYSDATE-SYSDATE | TRUNC(SYSDATE)-TRUNC(SYSDATE)
0 | 0
