# MERGE, INSERT ALL, INSERT FIRST, RETURNING.

create table t (id number primary key, v number(5,1), note varchar2(10) default 'none');
create table s (id number, v number);
insert into t (id, v) values (1, 10);
insert into t (id, v) values (2, 20);
insert into t (id, v) values (3, 30);
insert into s values (2, 200);
insert into s values (3, 0);
insert into s values (4, 400);
merge into t using s on (t.id = s.id) when matched then update set t.v = s.v + 0.06, note = 'upd' delete where t.v < 1 when not matched then insert (id, v) values (s.id, s.v);
select * from t order by id;
merge into t d using (select level id, level * 5 v from dual connect by level <= 6) q on (d.id = q.id) when matched then update set v = case when q.v > 8 then q.v else d.v end where q.id > 1 when not matched then insert values (q.id, q.v, default) where q.v <> 15;
select * from t order by id;
merge into t using s on (t.id = s.id) when not matched then insert (id, v) values (s.id, s.v);
merge into t using s on (t.id = s.id) when matched then update set v = default;
select * from t order by id;
---
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
MERGE: 3 rows
ID | V | NOTE
1 | 10 | none
2 | 200.1 | upd
4 | 400 | none
MERGE: 4 rows
ID | V | NOTE
1 | 10 | none
2 | 10 | upd
4 | 20 | none
5 | 25 | none
6 | 30 | none
MERGE: 1 rows
MERGE: 3 rows
ID | V | NOTE
1 | 10 | none
2 | - | upd
3 | - | none
4 | - | none
5 | 25 | none
6 | 30 | none

insert into s values (4, 401);
merge into t using s on (t.id = s.id) when matched then update set v = s.v;
merge into t using s on (t.id = s.id) when matched then update set v = s.v where s.v <> 401;
merge into t using s on (t.id = s.id) when matched then update set id = 9;
merge into t using s on (t.id = s.id) when matched then update set nosuch = 9;
merge into t using nosuch on (t.id = s.id) when matched then update set v = 9;
merge into t using s on (t.id = x.id) when matched then update set v = 9;
merge into t using s on (t.id = s.id) when not matched then insert (id) values (1, 2);
merge into t using s on (t.id = s.id) when not matched then insert (id) values (t.id);
merge into t using (select 9 id, 99999 v from dual) s on (t.id = s.id) when not matched then insert (id, v) values (s.id, s.v);
merge into t using (select 9 id, 1 v from dual) s on (1 = 2) when not matched then insert (id, v) values (1, s.v);
merge into t using (select 9 id from dual) s on (t.id = s.id) when not matched then insert (v) values (1);
---
INSERT: 1 rows
ORA-30926: unable to get a stable set of rows in the source tables
MERGE: 3 rows
ORA-38104: columns referenced in the ON Clause cannot be updated: ID [67]
ORA-00904: "NOSUCH": invalid identifier [67]
ORA-00942: table or view does not exist: nosuch [19]
ORA-00904: "X"."ID": invalid identifier [32]
ORA-00913: too many values
ORA-00904: "T"."ID": invalid identifier [80]
ORA-01438: value larger than specified precision allowed for this column ("SYSTEM"."T"."V")
ORA-00001: unique constraint (SYSTEM.SYS_C001000) violated
ORA-01400: cannot insert NULL into ("SYSTEM"."T"."ID")

create table odd (n number, what varchar2(5));
create table big (n number);
insert all into odd values (n, 'all') into big (n) values (n * 10) select level n from dual connect by level <= 2;
insert all when mod(n, 2) = 1 then into odd (n) values (n) when n > 2 then into big into odd values (n, 'big') else into odd values (-n, 'else') select level n from dual connect by level <= 4;
insert first when n = 0 then into big values (0) when 6 / n > 2 then into big values (6 / n) else into odd (n, what) values (n, case when n > 2 then 'x' else 'y' end) select level - 1 n from dual connect by level <= 4;
select * from odd order by n, what;
select * from big order by n;
insert all into odd values (n) select level n from dual connect by level <= 2;
insert all into nosuch values (n) select level n from dual connect by level <= 2;
insert all into odd (n, x) values (n, 1) select level n from dual connect by level <= 2;
insert all into odd values (m, 1) select level n from dual connect by level <= 2;
insert all into odd (n) values (n) into big values (n) select n from big where n > 10;
---
CREATE TABLE
CREATE TABLE
INSERT: 4 rows
INSERT: 7 rows
INSERT: 4 rows
N | WHAT
-2 | else
1 | all
1 | -
2 | all
3 | big
3 | x
3 | -
4 | big
N
0
3
3
4
6
10
20
ORA-00947: not enough values
ORA-00942: table or view does not exist: NOSUCH
ORA-00904: "X": invalid identifier [24]
ORA-00904: "M": invalid identifier [28]
INSERT: 2 rows

insert into t values (100, 1.26, upper('new')) returning id, v * 2, note into :a, :b, :c;
update t set v = v + 1 where id = 100 return v into :x;
update t set v = v + 1 where id = 101 returning v into :x;
update t set v = v + 1 returning v into :x;
delete from t where id = 100 returning note || id, v into :n, :v;
delete from t returning id into :x;
select count(*) from t where id = 100;
update (select t.v from t, s where t.id = s.id) set v = 1;
---
INSERT: 1 rows, A = 100, B = 2.6, C = NEW
UPDATE: 1 rows, X = 2.3
UPDATE: 0 rows
ORA-01422: exact fetch returns more than requested number of rows: RETURNING is for one row
DELETE: 1 rows, N = NEW100, V = 2.3
ORA-01422: exact fetch returns more than requested number of rows: RETURNING is for one row
COUNT(*)
0
HW-0001: not supported: DML on (SELECT t.v FROM t, s WHERE t.id = s.id)

# WHERE is asked of the rows that its WHEN is about, and of no others.

create table w (a number, b number);
insert into w values (1, 10);
insert into w values (2, 20);
create table x (x number);
insert into x values (1);
insert into x values (3);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows

merge into w using x on (w.a = x.x) when not matched then insert (a, b) values (x, 0) where 10/(x.x-1) > 0;
merge into w using x on (w.a = x.x) when not matched then insert (a, b) values (x, 5) where 10/(x.x-3) < 0 and exists (select 1 from w);
merge into w using (select x + 1 x from x) x on (w.a = x.x) when not matched then insert (a, b) values (x, 1) where x in (select w.a + 2 from w) and 10/(x-2) > 0 and exists (select 1 from w where w.b = x.x - 4);
insert into x values (7);
merge into w using x on (w.a = x.x + 1) when matched then update set b = 30 where 10/(x.x-7) < 0;
merge into w using x on (w.a = x.x + 1) when matched then update set b = b + 1 where 10/(w.a-1) > 0 and w.a in (select x + 1 from x) when not matched then insert (a) values (x + 100) where 1/(x.x-1) > 0;
merge into w using x on (w.a = x.x + 1) when matched then update set b = -1 where rownum <= 1 delete where 10/(w.a-3) < 0;
select a, b from w order by a;
---
MERGE: 1 rows
MERGE: 0 rows
MERGE: 1 rows
INSERT: 1 rows
MERGE: 2 rows
MERGE: 3 rows
MERGE: 1 rows
A | B
1 | 10
3 | 0
4 | 31
107 | -

# One row.

create table one (id number primary key, b varchar2(10) default 'dflt', c number not null);
merge into one using dual on (one.id = 1) when matched then update set c = c + 1 when not matched then insert (id, c) values (1, 0);
merge into one using dual on (one.id = 1) when matched then update set c = c + 1 when not matched then insert (id, c) values (1, 0);
merge into one o using (select 2 k, 'two' v from dual) s on (o.id = s.k) when matched then update set b = s.v when not matched then insert (id, b, c) values (s.k, upper(s.v), length(s.v)) where s.v <> 'two';
merge into one o using (select 2 k, 'two' v from dual) s on (o.id = s.k) when not matched then insert (id, b, c) values (s.k, default, s.k * 10);
merge into one o using (select 2 k, 'two' v from dual) s on (o.id = s.k) when not matched then insert (id, b, c) values (s.k, default, s.k * 10);
merge into one o using (select 2 k, 'two' v from dual) s on (o.id <= s.k) when matched then update set b = s.v || o.c, c = default;
merge into one o using (select 2 k, 'two' v from dual) s on (o.id <= s.k) when matched then update set b = s.v || o.c, c = c + s.k;
merge into one o using (select 3 k, cast(null as number) c from dual) s on (o.id = s.k) when not matched then insert values (s.k, 'x', s.c);
merge into one o using (select 3 k, 'eleven long' v from dual) s on (o.id = s.k) when not matched then insert values (s.k, s.v, 1);
merge into one o using (select cast(null as number) k from dual) s on (o.id = s.k) when not matched then insert (id, c) values (9, 9);
merge into one o using (select 9 k from dual) s on (o.id = s.k) when matched then update set id = 10 when not matched then insert (id, c) values (9, 9);
merge into one o using (select dbms_random.value(20, 20) k from dual) s on (o.id = s.k) when not matched then insert (id, c) values (s.k, s.k);
merge into one o using (select max(3) k from dual) s on (o.id = s.k) when not matched then insert (id, c) values (s.k, s.k);
merge into one o using (select 4 k from dual where 1 = 0) s on (o.id = s.k) when not matched then insert (id, c) values (s.k, s.k);
merge into one o using (select 4 k from dual union all select 5 from dual) s on (o.id = s.k) when not matched then insert (id, c) values (s.k, s.k);
merge into one o using (select dummy k from dual) s on (o.b = s.k) when not matched then insert (id, b, c) values (6, s.k, 6);
select id, b, c from one order by id;
---
CREATE TABLE
MERGE: 1 rows
MERGE: 1 rows
MERGE: 0 rows
MERGE: 1 rows
MERGE: 0 rows
ORA-01407: cannot update ("SYSTEM"."ONE"."C") to NULL
MERGE: 2 rows
ORA-01400: cannot insert NULL into ("SYSTEM"."ONE"."C")
ORA-12899: value too large for column "SYSTEM"."ONE"."B" (actual: 11, maximum: 10)
MERGE: 1 rows
ORA-38104: columns referenced in the ON Clause cannot be updated: ID [93]
MERGE: 1 rows
MERGE: 1 rows
MERGE: 0 rows
MERGE: 2 rows
MERGE: 1 rows
ID | B | C
1 | two1 | 3
2 | two20 | 22
3 | dflt | 3
4 | dflt | 4
5 | dflt | 5
6 | X | 6
9 | dflt | 9
20 | dflt | 20

create sequence merged;
merge into one o using (select id + 100 k, c from one where id < 4) s on (o.id = s.k) when not matched then insert (id, c) values (s.k, merged.nextval);
merge into one o using (select id + 100 k from one where id < 5) s on (o.id = s.k) when matched then update set c = merged.nextval when not matched then insert (id, c) values (s.k, merged.nextval) where s.k > 0;
merge into one using dual on (id = 201) when not matched then insert (id, c) values (201, merged.nextval * 10 + merged.currval);
merge into one using (select merged.nextval k from dual) s on (id = s.k) when not matched then insert (id, c) values (s.k, 1);
select id, c from one where id > 100 order by id;
---
CREATE SEQUENCE
MERGE: 3 rows
MERGE: 4 rows
MERGE: 1 rows
ORA-02287: sequence number not allowed here [29]
ID | C
101 | 4
102 | 5
103 | 6
104 | 7
201 | 88
