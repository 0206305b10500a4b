set serveroutput on
create table t (id number(4) primary key, name varchar2(10) not null, v number default 7, changed varchar2(30));
create sequence ids;
create or replace trigger t_bs before insert or update or delete on t
begin
  dbms_output.put_line('before statement' || case when inserting then ' I' when updating then ' U' when deleting then ' D' end);
end;
/
create or replace trigger t_br before insert or update or delete on t for each row
begin
  dbms_output.put_line('  before row ' || :old.id || ' -> ' || :new.id);
  if inserting then
    if :new.id is null then
      :new.id := ids.nextval;
    end if;
    :new.name := nvl(:new.name, 'nobody');
  end if;
  if not deleting then
    :new.changed := 'by ' || user;
  end if;
end;
/
create or replace trigger t_ar after insert or update or delete on t for each row
begin
  dbms_output.put_line('  after row ' || :old.id || ' -> ' || :new.id || ' ' || :new.name);
end;
/
create or replace trigger t_as after insert or update or delete on t
declare
  n number;
begin
  select count(*) into n from t;
  dbms_output.put_line('after statement, ' || n || ' rows');
end;
/
insert into t (v) values (1);
insert into t (id, name) values (10, 'ten');
insert into t (id) select level + 20 from dual connect by level <= 2;
insert into t values (30, null, null, 'x');
update t set v = v + 1 where id > 20;
update t set id = id + 1;
delete from t where id in (2, 11);
select * from t order by id;
-- No rows: only the statement's.
update t set v = 0 where id = 1000;
rollback;
-- WHEN, UPDATE OF, UPDATING('C'), other names for the rows; order of several triggers.
drop trigger t_bs;
drop trigger t_br;
drop trigger t_ar;
drop trigger t_as;
create trigger t_when before update of v, name on t referencing old as before new as after for each row
  when (after.v > before.v or before.v is null)
begin
  dbms_output.put_line('v ' || :before.v || ' -> ' || :after.v
    || case when updating('V') then ' v' end || case when updating('name') then ' name' end);
end;
/
insert into t (id, name, v) values (1, 'one', 5);
update t set v = 6;
update t set v = 5;
update t set v = 9, name = 'uno';
update t set changed = 'now';
alter trigger t_when disable;
update t set v = 100;
select trigger_name, trigger_type, triggering_event, table_name, column_name, status, when_clause from user_triggers;
alter table t enable all triggers;
update t set v = 200;
alter table t disable all triggers;
update t set v = 300;
select status from user_triggers;
create or replace trigger t_when after update on t disable begin dbms_output.put_line('not shown'); end;
/
update t set v = 400;
select description, trigger_body, status from user_triggers;
-- The table's name changes, the trigger stays; it goes with the table.
alter table t enable all triggers;
create or replace trigger t_when after update on t for each row begin dbms_output.put_line('followed ' || :new.v); end;
/
alter table t rename to u;
update u set v = 500;
alter table u add more number;
update u set more = 1;
alter trigger t_when compile;
select table_name, status from user_triggers;
select object_name, object_type, status from user_objects where object_type = 'TRIGGER';
select line, text from user_source where name = 'T_WHEN';
drop table u;
select count(*) from user_triggers;
-- An audit, by a transaction of its own: it stays when the change is taken back.
create table pay (id number primary key, amount number check (amount < 1000));
create table audit_log (id number, what varchar2(40));
create or replace package counter as n number := 0; end;
/
create or replace procedure note(p_id number, p_what varchar2) is
  pragma autonomous_transaction;
begin
  counter.n := counter.n + 1;
  insert into audit_log values (p_id, p_what);
  commit;
end;
/
create or replace trigger pay_audit after insert or update or delete on pay for each row
begin
  note(nvl(:new.id, :old.id), :old.amount || ' -> ' || :new.amount);
end;
/
insert into pay values (1, 100);
update pay set amount = amount * 2;
delete from pay;
rollback;
select * from audit_log;
select count(*) from pay;
exec dbms_output.put_line('noted ' || counter.n);
-- Autonomous itself.
create or replace trigger pay_audit before update on pay
declare
  pragma autonomous_transaction;
begin
  insert into audit_log values (0, 'somebody updates');
  commit;
end;
/
update pay set amount = 0;
rollback;
select * from audit_log where id = 0;
-- Children of a row that has just been put in; a trigger's own statements fire triggers.
create table child (id number, pay_id number references pay, note varchar2(20));
create or replace trigger pay_audit after insert on pay for each row
begin
  insert into child values (:new.id * 10, :new.id, null);
end;
/
create or replace trigger child_note before insert on child for each row
declare
  n number;
begin
  select amount into n from pay where id = :new.pay_id;
  :new.note := 'amount ' || n;
exception
  when others then :new.note := substr(sqlerrm, 1, 9);
end;
/
insert into pay values (5, 50);
insert into child values (1, 5, null);
select * from child order by id;
