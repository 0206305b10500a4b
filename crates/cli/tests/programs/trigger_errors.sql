set serveroutput on
create table t (id number primary key, v number not null, n varchar2(5));
insert into t values (1, 10, 'one');
insert into t values (2, 20, 'two');
insert into t values (3, 30, 'three');
commit;
-- An error takes the statement back, not what was before it.
create or replace trigger t_r before insert or update on t for each row
begin
  if :new.v > 100 then
    raise_application_error(-20001, 'too much: ' || :new.v);
  end if;
end;
/
update t set n = 'x' where id = 1;
update t set v = v * 4;
select * from t order by id;
insert into t select level + 10, level * 60, null from dual connect by level <= 2;
begin
  update t set v = 1000;
exception
  when others then dbms_output.put_line(sqlcode || ': ' || sqlerrm);
end;
/
rollback;
-- What a trigger gives is checked as if the statement had given it.
create or replace trigger t_r before insert or update on t for each row
begin
  :new.v := case :new.id when 50 then null when 51 then 1 end;
  if :new.id = 52 then
    :new.n := 'far too long';
  end if;
end;
/
insert into t values (50, 1, null);
insert into t values (51, null, null);
insert into t values (52, 1, null);
update t set n = 'y' where id = 1;
rollback;
-- A table whose rows change.
create or replace trigger t_r after update on t for each row
declare
  l number;
begin
  select count(*) into l from t;
end;
/
update t set v = 1;
create or replace trigger t_r before update on t for each row
begin
  delete from t where id = :new.id + 1;
end;
/
update t set v = 1;
create or replace trigger t_r before insert on t for each row
begin
  select nvl(max(id), 0) + 1 into :new.id from t;
end;
/
insert into t values (null, 5, 'next');
insert into t select null, 6, 'no' from dual;
create or replace trigger t_r after insert on t for each row
begin
  update t set v = 0 where id = :new.id;
end;
/
insert into t values (70, 5, 'no');
rollback;
-- Statement triggers may look; when they change, they fire again, without end.
create or replace trigger t_r after update on t
begin
  update t set v = v + 1;
end;
/
update t set v = 1;
select * from t order by id;
-- Not in a trigger.
create or replace trigger t_r after update on t
begin
  commit;
end;
/
update t set v = 1;
create or replace trigger t_r after update on t
begin
  rollback;
end;
/
update t set v = 1;
create or replace trigger t_r after update on t
begin
  savepoint s;
end;
/
update t set v = 1;
create or replace trigger t_r after update on t
begin
  execute immediate 'create table no_such (a number)';
end;
/
update t set v = 1;
select count(*) from user_tables where table_name = 'NO_SUCH';
-- One that does not compile.
create or replace trigger t_r before insert on t for each row
begin
  :new.nothing := 1;
  no_such_procedure;
end;
/
show errors trigger t_r
insert into t values (80, 1, null);
delete from t where id = 1;
rollback;
create or replace trigger t_r before insert on t for each row
begin
  if then
end;
/
show errors
insert into t values (80, 1, null);
select object_type, status from user_objects where object_name = 'T_R';
select name, type, line from user_errors order by 1, 2, 3;
-- What it depends on changes.
create or replace procedure helper is begin dbms_output.put_line('helped'); end;
/
create or replace trigger t_r before insert on t begin helper; end;
/
drop procedure helper;
select status from user_objects where object_name = 'T_R';
insert into t values (80, 1, null);
create or replace procedure helper is begin dbms_output.put_line('helped again'); end;
/
insert into t values (80, 1, null);
select status from user_objects where object_name = 'T_R';
drop trigger t_r;
drop trigger t_r;
-- What there is not.
create trigger x instead of insert on t begin null; end;
/
create trigger x for insert on t compound trigger before statement is begin null; end before statement; end;
/
create trigger x after logon on database begin null; end;
/
create trigger x before insert on nothing begin null; end;
/
create trigger x before insert on dual begin null; end;
/
create trigger x before update of nothing on t begin null; end;
/
create trigger x before insert or insert on t begin null; end;
/
create trigger x before insert on t begin :new.v := 1; end;
/
create or replace trigger x after insert on t for each row begin :new.v := 1; end;
/
show errors
drop trigger x;
create trigger x before insert on t when (1 = 1) begin null; end;
/
show errors
alter trigger y enable;
create trigger x2 before insert on t begin null; end;
/
create trigger x2 before insert on t begin null; end;
/
create or replace trigger x2 before insert on a begin null; end;
/
-- Another user's table: the trigger has its owner's names and rights.
create user ann identified by ann;
grant create session, create table, create trigger, create procedure, unlimited tablespace to ann;
create user bob identified by bob;
grant create session, create trigger to bob;
connect ann/ann
set serveroutput on
create table orders (id number, who varchar2(10));
create table log (what varchar2(40));
create or replace trigger orders_log after insert on orders for each row begin insert into log values (:new.id || ' by ' || user); end;
/
show errors
grant insert on orders to bob;
connect bob/bob
insert into ann.orders values (1, 'bob');
commit;
select * from ann.log;
create trigger mine before insert on ann.orders begin null; end;
/
drop trigger ann.orders_log;
connect ann/ann
select * from log;
