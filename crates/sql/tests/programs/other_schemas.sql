# Programs of another schema: EXECUTE, definer's and invoker's rights, synonyms.

create user ann identified by ann
/

create user bob identified by bob
/

create role clerks
/

grant connect, resource, create synonym to ann, bob
/

grant create public synonym to ann
/

connect ann
create table t (who varchar2(10))
/

insert into t values ('ann')
/

commit
/

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

create procedure show_mine authid current_user is
  l_who varchar2(10);
begin
  select who into l_who from t;
  dbms_output.put_line(l_who || ' ' || sys_context('USERENV', 'CURRENT_USER'));
end;
/

create procedure both is
begin
  show_mine;
end;
/

create package counter as
  n number := 0;
  procedure bump(by_how number default 1);
  function twice(x number) return number;
end;
/

create package body counter as
  procedure bump(by_how number default 1) is begin n := n + by_how; end;
  function twice(x number) return number is begin return 2 * x; end;
end;
/

# Without the privilege there is no such program.
connect bob
begin ann.show; end;
/

begin ann.counter.bump; end;
/

call ann.show()
/

create procedure mine is begin ann.show; end;
/

select name, line, text from user_errors order by sequence
/

connect ann
grant execute on show to bob
/

grant execute on show_mine to public
/

grant execute on counter to clerks
/

grant clerks to bob
/

grant execute on both to bob with grant option
/

grant select on show to bob
/

select grantee, table_name, privilege, grantable, type from user_tab_privs order by 1, 2
/

connect bob
select owner, table_name, privilege, grantable, type from user_tab_privs order by 1, 2
/

select owner, object_name, object_type from all_objects where owner = 'ANN' order by 2, 3
/

begin ann.show; end;
/

call ann.show()
/

# What was missing is there: the program that did not compile is compiled again.
begin mine; end;
/

# The caller's table is not there yet.
begin ann.show_mine; end;
/

create table t (who varchar2(10))
/

insert into t values ('bob')
/

begin ann.show_mine; end;
/

# Called by a program with its owner's rights, it is that owner who calls.
begin ann.both; end;
/

begin ann.show; end;
/

# What a role may do counts in blocks, and not in stored programs.
begin ann.counter.bump(by_how => 5); ann.counter.bump; dbms_output.put_line(ann.counter.n || ' ' || ann.counter.twice(4)); end;
/

create procedure by_role is begin ann.counter.bump; end;
/

select text from user_errors where name = 'BY_ROLE' order by sequence
/

create procedure by_role authid current_user is begin execute immediate 'begin ann.counter.bump; end;'; dbms_output.put_line('bumped'); end;
/

create or replace procedure by_role authid current_user is begin execute immediate 'begin ann.counter.bump; end;'; dbms_output.put_line('bumped'); end;
/

begin by_role; end;
/

create or replace procedure by_owner is begin execute immediate 'begin ann.counter.bump; end;'; end;
/

begin by_owner; end;
/

# The table behind it stays out of reach.
select * from ann.t
/

begin insert into ann.t values ('x'); end;
/

# Synonyms, private and public.
create synonym look for ann.show
/

begin look; end;
/

create procedure through_synonym is begin look; end;
/

begin through_synonym; end;
/

connect ann
create public synonym glance for ann.show_mine
/

create public synonym tally for ann.counter
/

connect bob
begin glance; tally.bump; end;
/

# A name of one's own is nearer than a public synonym.
create procedure glance is begin dbms_output.put_line('own'); end;
/

begin glance; tally.bump; end;
/

drop procedure glance
/

begin glance; tally.bump; end;
/

# A synonym that means something else now.
connect ann
create procedure other is begin dbms_output.put_line('other'); end;
/

grant execute on other to bob
/

connect bob
create or replace synonym look for ann.other
/

begin look; end;
/

begin through_synonym; end;
/

# REVOKE takes effect at the next call.
connect ann
revoke execute on show from bob
/

connect bob
begin ann.show; end;
/

begin mine; end;
/

select object_name, status from user_objects where object_type = 'PROCEDURE' order by 1
/

connect ann
revoke execute on show from bob
/

connect system
grant execute any procedure to bob
/

connect bob
begin ann.show; end;
/

begin mine; end;
/

# Whoever may execute it may not change it.
drop procedure ann.show
/

create or replace procedure ann.show is begin null; end;
/

# WITH GRANT OPTION.
connect system
create user cid identified by cid
/

grant create session to cid
/

connect bob
grant execute on ann.both to cid
/

grant execute on ann.counter to cid
/

connect cid
begin ann.both; end;
/

begin ann.counter.bump; end;
/

# DML and DDL of a program with its owner's rights are the owner's.
connect ann
create procedure fill(p_who varchar2) is
begin
  insert into t values (p_who);
  execute immediate 'create table made_by_program (a number)';
end;
/

grant execute on fill to cid
/

grant create table to ann
/

connect cid
begin ann.fill('cid'); end;
/

connect ann
select who from t order by 1
/

select table_name from user_tables order by 1
/

# What fails in another schema's program says where.
create procedure fails is
  l number;
begin
  l := 1 / 0;
end;
/

grant execute on fails to cid
/

connect cid
begin
  ann.fails;
end;
/

begin
  begin
    ann.fails;
  exception when zero_divide then dbms_output.put_line(sys_context('USERENV', 'CURRENT_USER') || ' ' || sys_context('USERENV', 'CURRENT_SCHEMA'));
  end;
end;
/

# An autonomous program of another schema.
connect ann
create procedure note_it is
  pragma autonomous_transaction;
begin
  insert into t values (sys_context('USERENV', 'CURRENT_USER'));
  commit;
end;
/

grant execute on note_it to cid
/

connect cid
begin ann.note_it; end;
/

connect ann
select who from t order by 1
/
