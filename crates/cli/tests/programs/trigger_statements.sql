set serveroutput on
create table a (id number primary key, v number, n varchar2(10) default 'dflt' not null);
create table b (id number primary key, v number);
create or replace trigger a_all before insert or update or delete on a for each row
begin
  if inserting then
    dbms_output.put_line('a: insert ' || :new.id || ' ' || :new.n);
    :new.v := nvl(:new.v, 0) + 1;
  elsif updating then
    dbms_output.put_line('a: update ' || :old.id || ': ' || :old.v || ' -> ' || :new.v);
  else
    dbms_output.put_line('a: delete ' || :old.id);
  end if;
end;
/
create or replace trigger b_st after insert or update or delete on b
begin
  dbms_output.put_line('b: statement');
end;
/
-- The bytes of another table's rows.
insert into b select level, level * 10 from dual connect by level <= 4;
insert into a (id, v) select * from b where id <= 2;
insert all into a (id, v) values (id + 10, v) into b values (id + 200, v) select * from b where id > 2;
insert all when id = 1 then into a (id, v) values (id + 500, v) into b values (id + 100, v) when id = 2 then into b values (id + 100, v) select * from b;
merge into a using b on (a.id = b.id)
  when matched then update set v = a.v + b.v delete where a.v > 40
  when not matched then insert (id, v) values (b.id, b.v);
select * from a order by id;
select * from b order by id;
-- Blocks, FORALL, bind variables: what is parsed once.
begin
  for i in 201 .. 203 loop
    insert into a (id) values (i);
  end loop;
end;
/
declare
  type numbers is table of number;
  l numbers := numbers(301, 302);
begin
  forall i in 1 .. l.count insert into a (id, v) values (l(i), i);
  forall i in 1 .. l.count update a set v = v * 2 where id = l(i);
  forall i in 1 .. l.count delete from a where id = l(i);
end;
/
select id, v from a where id > 200 order by id;
-- A trigger that comes between two executions of one statement.
create table late (id number);
declare
  procedure put is
  begin
    insert into late values (1);
  end;
begin
  put;
  execute immediate 'create or replace trigger late_tr before insert on late for each row begin :new.id := :new.id + 1; end;';
  put;
  execute immediate 'drop trigger late_tr';
  put;
end;
/
select * from late;
create table made as select * from a where id < 3;
select count(*) from made;
-- ON DELETE CASCADE and SET NULL fire the triggers of the children.
create table parent (id number primary key);
create table kid (id number primary key, p number references parent on delete cascade);
create table toy (id number, k number references kid on delete set null);
create or replace trigger kid_d after delete on kid for each row begin dbms_output.put_line('kid ' || :old.id || ' goes'); end;
/
create or replace trigger kid_s before delete on kid begin dbms_output.put_line('kids go'); end;
/
create or replace trigger toy_u before update of k on toy for each row begin dbms_output.put_line('toy ' || :old.id || ': ' || :old.k || ' -> ' || nvl(to_char(:new.k), 'null')); end;
/
insert into parent select level from dual connect by level <= 3;
insert into kid select level, ceil(level / 2) from dual connect by level <= 4;
insert into toy select level, level from dual connect by level <= 4;
delete from parent where id = 1;
create or replace trigger parent_d before delete on parent for each row begin dbms_output.put_line('parent ' || :old.id || ' goes'); end;
/
delete from parent where id = 2;
select * from toy order by id;
-- Row triggers that put a foreign key right before it is looked at.
create table boss (id number primary key, name varchar2(10));
create table worker (id number, boss number references boss);
create or replace trigger boss_u after update of id on boss for each row
begin
  update worker set boss = :new.id where boss = :old.id;
end;
/
create or replace trigger boss_d before delete on boss for each row
begin
  delete from worker where boss = :old.id;
  dbms_output.put_line(sql%rowcount || ' workers go');
end;
/
insert into boss select level, 'b' || level from dual connect by level <= 3;
insert into worker select level, mod(level, 3) + 1 from dual connect by level <= 9;
update boss set id = id + 1;
select boss, count(*) from worker group by boss order by boss;
delete from boss where id < 4;
select count(*) from worker;
drop trigger boss_u;
update boss set id = 99 where id = 4;
-- Rows of the same table that refer to each other.
create table tree (id number primary key, up number references tree);
create or replace trigger tree_t after insert or update or delete on tree for each row begin dbms_output.put_line('tree ' || nvl(:new.id, :old.id)); end;
/
insert into tree select level, nullif(level - 1, 0) from dual connect by level <= 3;
update tree set id = id + 10, up = up + 10;
delete from tree where id = 11;
delete from tree;
-- A statement's own snapshot: what a BEFORE statement trigger does it sees.
create table todo (id number);
create or replace trigger todo_s before update on todo begin insert into todo values (2); end;
/
insert into todo values (1);
update todo set id = id * 10;
select * from todo order by id;
