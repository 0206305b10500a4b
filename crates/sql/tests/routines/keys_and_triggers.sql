# What triggers do while foreign keys are seen to.

create table p (id number primary key, n number)
/
CREATE TABLE

create table c (id number, p number references p on delete set null)
/
CREATE TABLE

create table log (text varchar2(40))
/
CREATE TABLE

create trigger c_row before update on c for each row begin insert into log values ('child ' || :old.id); end;
/
CREATE TRIGGER

create trigger p_row before delete on p for each row
declare
    pragma autonomous_transaction;
    there number;
begin
    select count(*) into there from c;
    if there = 0 then
        insert into c values (1, :old.id);
        commit;
    end if;
end;
/
CREATE TRIGGER

insert into p values (1, 0)
/
INSERT: 1 rows

commit
/
COMMIT

# The child has come after the statement began.
delete from p
/
DELETE: 1 rows

select c.id, c.p, (select count(*) from p) parents, (select count(*) from log) fired from c
/
ID | P | PARENTS | FIRED
1 | - | 0 | 1

rollback
/
ROLLBACK

drop table c
/
DROP TABLE

drop table p
/
DROP TABLE

# Children that triggers make of rows that are on their way out.
create table p (id number primary key, n number)
/
CREATE TABLE

create table c1 (p number references p on delete cascade)
/
CREATE TABLE

create table c2 (p number references p on delete cascade)
/
CREATE TABLE

create table c3 (p number references p)
/
CREATE TABLE

create trigger c1_row after delete on c1 for each row begin insert into c2 values (:old.p); end;
/
CREATE TRIGGER

insert into p values (1, 0)
/
INSERT: 1 rows

insert into c1 values (1)
/
INSERT: 1 rows

commit
/
COMMIT

delete from p
/
ORA-02292: integrity constraint (SYSTEM.SYS_C001004) violated - child record found

select (select count(*) from p) p, (select count(*) from c1) c1, (select count(*) from c2) c2 from dual
/
P | C1 | C2
1 | 1 | 0

create or replace trigger c1_row after delete on c1 for each row begin insert into c3 values (:old.p); end;
/
CREATE TRIGGER

delete from p
/
ORA-02292: integrity constraint (SYSTEM.SYS_C001005) violated - child record found

create trigger p_end after delete on p begin null; end;
/
CREATE TRIGGER

delete from p
/
ORA-02292: integrity constraint (SYSTEM.SYS_C001005) violated - child record found

create or replace trigger p_end after delete on p for each row begin null; end;
/
CREATE TRIGGER

delete from p
/
ORA-02292: integrity constraint (SYSTEM.SYS_C001005) violated - child record found

drop trigger p_end
/
DROP TRIGGER

drop trigger c1_row
/
DROP TRIGGER

# Of a MERGE: the update of one row makes a child of another one that goes.
create trigger p_more after update on p for each row when (new.id = 1) begin insert into c2 values (2); end;
/
CREATE TRIGGER

insert into p values (2, 0)
/
INSERT: 1 rows

merge into p using (select 1 id from dual union all select 2 from dual) s on (p.id = s.id)
when matched then update set n = n + 1 delete where p.id = 2
/
MERGE: 2 rows

select (select count(*) from p) p, (select count(*) from c1) c1, (select count(*) from c2) c2 from dual
/
P | C1 | C2
1 | 1 | 0

rollback
/
ROLLBACK

create or replace trigger p_more after update on p for each row when (new.id = 1) begin insert into c3 values (2); end;
/
CREATE TRIGGER

insert into p values (2, 0)
/
INSERT: 1 rows

merge into p using (select 1 id from dual union all select 2 from dual) s on (p.id = s.id)
when matched then update set n = n + 1 delete where p.id = 2
/
ORA-02292: integrity constraint (SYSTEM.SYS_C001005) violated - child record found

select (select count(*) from p) p, (select count(*) from c1) c1, (select count(*) from c3) c3 from dual
/
P | C1 | C3
2 | 1 | 0

# A table that came to nothing is not there for who was compiled with it.
create or replace function g return number as n number; begin execute immediate 'select 1 from dual' into n; select count(*) into n from x; return n; end;
/
CREATE FUNCTION

create table x as select g() a, 1 / (2 - level) b from dual connect by level <= 2
/
ORA-06575: Package or function G is in an invalid state [25]

create table y (n number)
/
CREATE TABLE

select g() from dual
/
ORA-06575: Package or function G is in an invalid state [7]

# The dictionary is not to be changed by what a CREATE TABLE calls.
create or replace function h return number as
    pragma autonomous_transaction;
begin
    execute immediate 'create table z (n number)';
    return 1;
end;
/
CREATE FUNCTION

create table x as select h() a from dual
/
ORA-14552: cannot perform a DDL, commit or rollback inside a query or DML
ORA-06512: at "SYSTEM.H", line 4

select h() a from dual
/
A
1

create table x as select h() a from dual
/
ORA-14552: cannot perform a DDL, commit or rollback inside a query or DML
ORA-06512: at "SYSTEM.H", line 4
