# NOT NULL that may be violated until the transaction ends: a check as any other, and no property of the column.

create table t (id number, a number constraint nn_a not null deferrable initially deferred, b number not null deferrable);
select column_name, nullable from user_tab_columns where table_name = 'T' order by 1;
select constraint_type, search_condition, deferrable, deferred from user_constraints where table_name = 'T' order by deferred;
insert into t values (1, null, 1);
insert into t values (2, 2, null);
commit;
select count(*) from t;
insert into t values (1, null, 1);
update t set a = 5;
commit;
set constraints all deferred;
insert into t values (2, 2, null);
set constraints all immediate;
update t set b = 2 where b is null;
set constraints all immediate;
commit;
select * from t order by id;
alter table t modify id constraint nn_id not null deferrable;
insert into t values (null, 1, 1);
alter table t drop constraint nn_id;
insert into t values (null, 1, 1);
alter table t modify id constraint nn_id not null initially deferred deferrable;
commit;
---
CREATE TABLE
COLUMN_NAME | NULLABLE
A | Y
B | Y
ID | Y
CONSTRAINT_TYPE | SEARCH_CONDITION | DEFERRABLE | DEFERRED
C | "A" IS NOT NULL | DEFERRABLE | DEFERRED
C | "B" IS NOT NULL | DEFERRABLE | IMMEDIATE
INSERT: 1 rows
ORA-02290: check constraint (SYSTEM.SYS_C001001) violated
ORA-02091: transaction rolled back: ORA-02290: check constraint (SYSTEM.NN_A) violated
COUNT(*)
0
INSERT: 1 rows
UPDATE: 1 rows
COMMIT
SET CONSTRAINT
INSERT: 1 rows
ORA-02290: check constraint (SYSTEM.SYS_C001001) violated
UPDATE: 1 rows
SET CONSTRAINT
COMMIT
ID | A | B
1 | 5 | 1
2 | 2 | 2
ALTER TABLE
ORA-02290: check constraint (SYSTEM.NN_ID) violated
ALTER TABLE
INSERT: 1 rows
ORA-02293: cannot validate (SYSTEM.NN_ID) - check constraint violated
COMMIT

# USING INDEX with a CREATE INDEX of its own.

create table p (id number primary key using index (create unique index i_p on p (id) pctfree 5), code number, parent number references p, constraint u_code unique (code) using index (create index i_code on p (code, id)));
select index_name, uniqueness, pct_free from user_indexes where table_name = 'P' order by 1;
select constraint_type, index_name from user_constraints where table_name = 'P' and constraint_type <> 'C' order by 1;
insert into p values (1, 10, null);
insert into p values (2, 10, 1);
insert into p values (1, 11, 1);
insert into p values (3, 12, 4);
create table q (a number, b number);
insert into q values (1, 1);
insert into q values (1, 2);
alter table q add constraint u_a unique (a) using index (create index i_a on q (a));
select count(*) from user_indexes where table_name = 'Q';
alter table q add constraint u_b unique (b) using index (create index i_b on p (parent));
select count(*) from user_indexes where index_name = 'I_B';
alter table q add constraint u_b unique (b) using index (create index i_b on q (b, a));
alter table q disable constraint u_b keep index;
alter table q drop constraint u_b drop index;
alter table q add constraint u_b unique (b) disable;
alter table q enable constraint u_b using index (create index i_b2 on q (b));
select constraint_name, status, index_name from user_constraints where table_name = 'Q';
create table r (a number unique using index (create index i_r on q (a)));
select count(*) from user_tables where table_name = 'R';
alter table q add constraint u_x unique (a) using index (create bitmap index i_x on q (a));
alter table q add constraint u_x unique (a) using index (create index i_x on q (a);
---
CREATE TABLE
INDEX_NAME | UNIQUENESS | PCT_FREE
I_CODE | NONUNIQUE | 10
I_P | UNIQUE | 5
CONSTRAINT_TYPE | INDEX_NAME
P | I_P
R | -
U | I_CODE
INSERT: 1 rows
ORA-00001: unique constraint (SYSTEM.U_CODE) violated
ORA-00001: unique constraint (SYSTEM.SYS_C001003) violated
ORA-02291: integrity constraint (SYSTEM.SYS_C001005) violated - parent key not found
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
ORA-02299: cannot validate (SYSTEM.U_A) - duplicate keys found
COUNT(*)
0
ORA-14196: index SYSTEM.I_B cannot enforce the key
COUNT(*)
0
ALTER TABLE
ALTER TABLE
ALTER TABLE
ALTER TABLE
ALTER TABLE
CONSTRAINT_NAME | STATUS | INDEX_NAME
U_B | ENABLED | I_B2
ORA-14196: index SYSTEM.I_R cannot enforce the key
COUNT(*)
0
ORA-00905: missing keyword: INDEX expected [64]
ORA-00907: missing right parenthesis [82]
