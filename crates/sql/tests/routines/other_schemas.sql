# Programs of another schema: EXECUTE, definer's and invoker's rights, synonyms.

create user ann identified by ann
/
CREATE USER

create user bob identified by bob
/
CREATE USER

grant connect, resource, create synonym to ann, bob
/
GRANT

grant create public synonym to ann
/
GRANT

connect ann
create table t (who varchar2(10))
/
CREATE TABLE

insert into t values ('ann')
/
INSERT: 1 rows

commit
/
COMMIT

create procedure show is
  l_who t.who%type;
begin
  select who into l_who from t;
  dbms_output.put_line(l_who || ' ' || user || ' ' || sys_context('USERENV', 'CURRENT_USER') || ' '
    || sys_context('USERENV', 'CURRENT_SCHEMA'));
  execute immediate 'select who from t' into l_who;
  dbms_output.put_line('dynamic ' || l_who);
  execute immediate 'begin select who into :x from t; end;' using out l_who;
  dbms_output.put_line('block ' || l_who);
end;
/
CREATE PROCEDURE

create procedure show_mine authid current_user is
  l_who varchar2(10);
begin
  select who into l_who from t;
  dbms_output.put_line(l_who || ' ' || sys_context('USERENV', 'CURRENT_USER'));
end;
/
CREATE PROCEDURE

create procedure both is
begin
  show_mine;
end;
/
CREATE PROCEDURE

create package counter as
  n number := 0;
  procedure bump(by_how number default 1);
  function twice(x number) return number;
end;
/
CREATE PACKAGE

create package body counter as
  procedure bump(by_how number default 1) is begin n := n + by_how; end;
  function twice(x number) return number is begin return 2 * x; end;
end;
/
CREATE PACKAGE BODY

# Without the privilege there is no such program.
connect bob
begin ann.show; end;
/
ORA-06550: line 1, column 7:
PLS-00201: identifier 'ANN.SHOW' must be declared
ORA-06550: line 1, column 7:
PL/SQL: Statement ignored

begin ann.counter.bump; end;
/
ORA-06550: line 1, column 7:
PLS-00201: identifier 'ANN.COUNTER.BUMP' must be declared
ORA-06550: line 1, column 7:
PL/SQL: Statement ignored

call ann.show()
/
ORA-06550: line 1, column 6:
PLS-00201: identifier 'ANN.SHOW' must be declared
ORA-06550: line 1, column 1:
PL/SQL: Statement ignored

create procedure mine is begin ann.show; end;
/
CREATE PROCEDURE

select name, line, text from user_errors order by sequence
/
NAME | LINE | TEXT
MINE | 1 | PLS-00201: identifier 'ANN.SHOW' must be declared
MINE | 1 | PL/SQL: Statement ignored

connect ann
grant execute on show to bob
/
GRANT

grant execute on show_mine to public
/
GRANT

grant execute on counter to resource
/
GRANT

grant execute on both to bob with grant option
/
GRANT

grant select on show to bob
/
ORA-02225: only EXECUTE is a privilege on procedures, not SELECT

select grantee, table_name, privilege, grantable, type from user_tab_privs order by 1, 2
/
GRANTEE | TABLE_NAME | PRIVILEGE | GRANTABLE | TYPE
BOB | BOTH | EXECUTE | YES | PROCEDURE
BOB | SHOW | EXECUTE | NO | PROCEDURE
PUBLIC | SHOW_MINE | EXECUTE | NO | PROCEDURE
RESOURCE | COUNTER | EXECUTE | NO | PACKAGE

connect bob
select owner, table_name, privilege, grantable, type from user_tab_privs order by 1, 2
/
OWNER | TABLE_NAME | PRIVILEGE | GRANTABLE | TYPE
ANN | BOTH | EXECUTE | YES | PROCEDURE
ANN | SHOW | EXECUTE | NO | PROCEDURE

select owner, object_name, object_type from all_objects where owner = 'ANN' order by 2, 3
/
OWNER | OBJECT_NAME | OBJECT_TYPE
ANN | BOTH | PROCEDURE
ANN | COUNTER | PACKAGE
ANN | SHOW | PROCEDURE
ANN | SHOW_MINE | PROCEDURE

begin ann.show; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

call ann.show()
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

# What was missing is there: the program that did not compile is compiled again.
begin mine; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

# The caller's table is not there yet.
begin ann.show_mine; end;
/
ORA-00942: table or view does not exist: T
ORA-06512: at "ANN.SHOW_MINE", line 4
ORA-06512: at line 1

create table t (who varchar2(10))
/
CREATE TABLE

insert into t values ('bob')
/
INSERT: 1 rows

begin ann.show_mine; end;
/
bob BOB
PL/SQL

# Called by a program with its owner's rights, it is that owner who calls.
begin ann.both; end;
/
ann ANN
PL/SQL

begin ann.show; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

# What a role may do counts in blocks, and not in stored programs.
begin ann.counter.bump(by_how => 5); ann.counter.bump; dbms_output.put_line(ann.counter.n || ' ' || ann.counter.twice(4)); end;
/
6 8
PL/SQL

create procedure by_role is begin ann.counter.bump; end;
/
CREATE PROCEDURE

select text from user_errors where name = 'BY_ROLE' order by sequence
/
TEXT
PLS-00201: identifier 'ANN.COUNTER.BUMP' must be declared
PL/SQL: Statement ignored

create or replace procedure by_role authid current_user is begin execute immediate 'begin ann.counter.bump; end;'; dbms_output.put_line('bumped'); end;
/
CREATE PROCEDURE

begin by_role; end;
/
bumped
PL/SQL

create or replace procedure by_owner is begin execute immediate 'begin ann.counter.bump; end;'; end;
/
CREATE PROCEDURE

begin by_owner; end;
/
ORA-06550: line 1, column 7:
PLS-00201: identifier 'ANN.COUNTER.BUMP' must be declared
ORA-06550: line 1, column 7:
PL/SQL: Statement ignored
ORA-06512: at "BOB.BY_OWNER", line 1
ORA-06512: at line 1

# The table behind it stays out of reach.
select * from ann.t
/
ORA-00942: there is no table or view ANN.T [14]

begin insert into ann.t values ('x'); end;
/
ORA-06550: line 1, column 19:
PL/SQL: ORA-00942: table or view does not exist: ann.t
ORA-06550: line 1, column 7:
PL/SQL: SQL Statement ignored

# Synonyms, private and public.
create synonym look for ann.show
/
CREATE SYNONYM

begin look; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

create procedure through_synonym is begin look; end;
/
CREATE PROCEDURE

begin through_synonym; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

connect ann
create public synonym glance for ann.show_mine
/
CREATE SYNONYM

create public synonym tally for ann.counter
/
CREATE SYNONYM

connect bob
begin glance; tally.bump; end;
/
bob BOB
PL/SQL

# A name of one's own is nearer than a public synonym.
create procedure glance is begin dbms_output.put_line('own'); end;
/
CREATE PROCEDURE

begin glance; tally.bump; end;
/
own
PL/SQL

drop procedure glance
/
DROP PROCEDURE

begin glance; tally.bump; end;
/
bob BOB
PL/SQL

# A synonym that means something else now.
connect ann
create procedure other is begin dbms_output.put_line('other'); end;
/
CREATE PROCEDURE

grant execute on other to bob
/
GRANT

connect bob
create or replace synonym look for ann.other
/
CREATE SYNONYM

begin look; end;
/
other
PL/SQL

begin through_synonym; end;
/
other
PL/SQL

# REVOKE takes effect at the next call.
connect ann
revoke execute on show from bob
/
REVOKE

connect bob
begin ann.show; end;
/
ORA-06550: line 1, column 7:
PLS-00201: identifier 'ANN.SHOW' must be declared
ORA-06550: line 1, column 7:
PL/SQL: Statement ignored

begin mine; end;
/
ORA-04063: program "BOB.MINE" has errors
ORA-06512: at line 1

select object_name, status from user_objects where object_type = 'PROCEDURE' order by 1
/
OBJECT_NAME | STATUS
BY_OWNER | VALID
BY_ROLE | VALID
MINE | INVALID
THROUGH_SYNONYM | INVALID

connect ann
revoke execute on show from bob
/
ORA-01927: EXECUTE on ANN.SHOW was not granted to BOB

connect system
grant execute any procedure to bob
/
GRANT

connect bob
begin ann.show; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

begin mine; end;
/
ann BOB ANN ANN
dynamic ann
block ann
PL/SQL

# Whoever may execute it may not change it.
drop procedure ann.show
/
ORA-01031: insufficient privileges: BOB lacks DROP ANY PROCEDURE

create or replace procedure ann.show is begin null; end;
/
ORA-01031: insufficient privileges: BOB lacks CREATE ANY PROCEDURE

# WITH GRANT OPTION.
connect system
create user cid identified by cid
/
CREATE USER

grant create session to cid
/
GRANT

connect bob
grant execute on ann.both to cid
/
GRANT

grant execute on ann.counter to cid
/
ORA-01031: insufficient privileges: BOB holds no GRANT OPTION on ANN.COUNTER

connect cid
begin ann.both; end;
/
ann ANN
PL/SQL

begin ann.counter.bump; end;
/
ORA-06550: line 1, column 7:
PLS-00201: identifier 'ANN.COUNTER.BUMP' must be declared
ORA-06550: line 1, column 7:
PL/SQL: Statement ignored

# DML and DDL of a program with its owner's rights are the owner's.
connect system
grant create table to ann
/
GRANT

connect ann
create procedure fill(p_who varchar2) is
begin
  insert into t values (p_who);
  execute immediate 'create table made_by_program (a number)';
end;
/
CREATE PROCEDURE

grant execute on fill to cid
/
GRANT

connect cid
begin ann.fill('cid'); end;
/
PL/SQL

connect ann
select who from t order by 1
/
WHO
ann
cid

select table_name from user_tables order by 1
/
TABLE_NAME
MADE_BY_PROGRAM
T

# What fails in another schema's program says where.
create procedure fails is
  l number;
begin
  l := 1 / 0;
end;
/
CREATE PROCEDURE

grant execute on fails to cid
/
GRANT

connect cid
begin
  ann.fails;
end;
/
ORA-01476: divisor is equal to zero
ORA-06512: at "ANN.FAILS", line 4
ORA-06512: at line 2

begin
  begin
    ann.fails;
  exception when zero_divide then dbms_output.put_line(sys_context('USERENV', 'CURRENT_USER') || ' ' || sys_context('USERENV', 'CURRENT_SCHEMA'));
  end;
end;
/
CID CID
PL/SQL

# An autonomous program of another schema.
connect ann
create procedure note_it is
  pragma autonomous_transaction;
begin
  insert into t values (sys_context('USERENV', 'CURRENT_USER'));
  commit;
end;
/
CREATE PROCEDURE

grant execute on note_it to cid
/
GRANT

connect cid
begin ann.note_it; end;
/
PL/SQL

connect ann
select who from t order by 1
/
WHO
ANN
ann
cid
