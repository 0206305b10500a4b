# What the instance counts: processes, latches, enqueues, segments, statements. Figures that depend on the machine are compared, not shown.

select sid, program, type, status, username from v$session order by sid;
select pid, pname, background from v$process order by pid;
---
SID | PROGRAM | TYPE | STATUS | USERNAME
2 | dbw0 | BACKGROUND | ACTIVE | -
3 | smon | BACKGROUND | ACTIVE | -
4 | lgwr | BACKGROUND | ACTIVE | -
5 | mmnl | BACKGROUND | ACTIVE | -
6 | cjq0 | BACKGROUND | ACTIVE | -
10 | highwater | USER | ACTIVE | SYSTEM
PID | PNAME | BACKGROUND
2 | DBW0 | 1
3 | SMON | 1
4 | LGWR | 1
5 | MMNL | 1
6 | CJQ0 | 1
10 | - | -

create table t (n number);
insert into t values (1);
insert into t values (2);
commit;
select count(*) from t;
select statistic_name, value from v$segment_statistics where object_name = 'T' and statistic_name in ('segment scans', 'space allocated', 'row lock waits') order by 1;
select count(*) from v$segment_statistics where object_name = 'T' and statistic_name in ('logical reads', 'db block changes') and value > 3;
select count(*) from v$segstat s, v$segment_statistics t where s."DATAOBJ#" = t."DATAOBJ#" and s."STATISTIC#" = t."STATISTIC#" and t.object_name = 'T';
truncate table t;
select count(*) from v$segment_statistics where object_name = 'T' and statistic_name = 'segment scans' and value > 0;
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
COMMIT
COUNT(*)
2
STATISTIC_NAME | VALUE
row lock waits | 0
segment scans | 1
space allocated | 65536
COUNT(*)
2
COUNT(*)
13
TRUNCATE TABLE
COUNT(*)
0

select count(*) from v$latch where misses <> spin_gets + sleeps or misses > gets;
select name from v$latch where gets > 0 and name in ('redo allocation', 'enqueue hash chains', 'shared pool') order by name;
select count(*) - (select count(*) from v$latch) n from v$latch l, v$latchname n where l."LATCH#" = n."LATCH#" and l.name = n.name and l.hash = n.hash;
select count(*) from v$enqueue_stat where "TOTAL_REQ#" <> "SUCC_REQ#" + "FAILED_REQ#";
select eq_type from v$enqueue_stat where "SUCC_REQ#" > 0 and eq_type in ('TX', 'TM', 'UL') order by eq_type;
select count(*) from v$enqueue_stat s, (select eq_type, sum("TOTAL_REQ#") n from v$enqueue_statistics group by eq_type) r where r.eq_type = s.eq_type and r.n <> s."TOTAL_REQ#";
select name from v$lock_type where type = 'TX';
---
COUNT(*)
0
NAME
enqueue hash chains
redo allocation
shared pool
N
0
COUNT(*)
0
EQ_TYPE
TM
TX
COUNT(*)
0
NAME
Transaction

# Sessions that cannot be killed.

alter system kill session '777,1';
alter system kill session '2,1';
alter system kill session '10';
alter system kill session 10, 1;
alter system kill session;
alter system kill session 'a,b' immediate;
alter system kill session '777, 1' immediate;
alter system kill session '777,1' now;
---
ORA-00030: user session ID does not exist: there is no session 777,1
ORA-00029: session 2,1 is not a user session but dbw0
ORA-00026: missing or invalid session ID: 'sid, serial#' is expected [26]
ORA-00026: missing or invalid session ID: 'sid, serial#' is expected [26]
ORA-00026: missing or invalid session ID: 'sid, serial#' is expected [25]
ORA-00026: missing or invalid session ID: 'sid, serial#' is expected [26]
ORA-00030: user session ID does not exist: there is no session 777,1
ORA-00933: SQL command not properly ended [34]
