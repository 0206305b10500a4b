set serveroutput on
begin
  dbms_output.put_line('hello');
end;
/
create table emp (id number primary key, name varchar2(20), pay number(8,2));
insert into emp values (1, 'ann', 100);
insert into emp values (2, 'bob', 200.5);
insert into emp values (3, 'cid', null);
commit;
create or replace package payroll as
  g_runs number := 0;
  type names is table of emp.name%type index by pls_integer;
  no_such_person exception;
  function total return number;
  procedure raise_pay(p_id in emp.id%type, p_by in number default 10);
  procedure list(p_names out names);
end;
/
create or replace package body payroll as
  cursor c_all(p_least number) is select * from emp where nvl(pay, 0) >= p_least order by id;
  function total return number is
    l_sum number := 0;
  begin
    for r in c_all(0) loop
      l_sum := l_sum + nvl(r.pay, 0);
    end loop;
    return l_sum;
  end;
  procedure raise_pay(p_id in emp.id%type, p_by in number default 10) is
    l_new emp.pay%type;
  begin
    update emp set pay = nvl(pay, 0) + p_by where id = p_id returning pay into l_new;
    if sql%rowcount = 0 then
      raise no_such_person;
    end if;
    g_runs := g_runs + 1;
    dbms_output.put_line('now ' || l_new);
  end;
  procedure list(p_names out names) is
  begin
    select name bulk collect into p_names from emp order by id desc;
  end;
end;
/
declare
  l_names payroll.names;
begin
  payroll.raise_pay(1);
  payroll.raise_pay(p_by => 0.25, p_id => 3);
  dbms_output.put_line('total ' || payroll.total || ' after ' || payroll.g_runs);
  payroll.list(l_names);
  for i in 1 .. l_names.count loop
    dbms_output.put(l_names(i) || ' ');
  end loop;
  dbms_output.new_line;
  begin
    payroll.raise_pay(99);
  exception
    when payroll.no_such_person then dbms_output.put_line('nobody');
  end;
  insert into emp values (1, 'dup', 0);
exception
  when dup_val_on_index then
    dbms_output.put_line(sqlcode || ' ' || substr(sqlerrm, 1, 9));
    rollback;
end;
/
select id, pay from emp order by id;
declare
  type ids is table of number;
  l_ids ids := ids(10, 11, 12);
  l_row emp%rowtype;
  c sys_refcursor;
begin
  forall i in l_ids.first .. l_ids.last
    insert into emp values (l_ids(i), 'new' || l_ids(i), i);
  dbms_output.put_line('inserted ' || sql%rowcount);
  open c for 'select * from emp where id > :1 order by id' using 10;
  loop
    fetch c into l_row;
    exit when c%notfound;
    dbms_output.put_line(l_row.name || ' ' || l_row.pay);
  end loop;
  close c;
  execute immediate 'delete from emp where id >= :a' using 10;
  commit;
  select * into l_row from emp where id = 10;
exception
  when no_data_found then dbms_output.put_line('gone');
end;
/
-- What goes wrong is said, with its place, and what the block has done is undone.
begin
  update emp set pay = 1;
  raise_application_error(-20099, 'refused');
end;
/
select sum(pay) from emp;
begin
  nothing.there;
  l_x := 1;
end;
/
-- A variable may be named as a column that it is inserted into; in a subquery the name is the column.
declare
  id number := 90; name varchar2(20) := 'var';
begin
  insert into emp (id, name) values (id, name);
  insert into emp (id, name) values (id + 1, (select max(name) from emp where id = 1));
  for r in (select e.id, e.name from emp e where e.id >= 90 order by e.id) loop
    dbms_output.put_line(r.id || ' ' || r.name);
  end loop;
  rollback;
end;
/
create or replace function broken return number as
begin
  return missing_function(1);
end;
/
show errors
show errors function broken
show errors procedure nothing_there
select broken from dual;
-- A dependent becomes invalid, and is compiled again when it is used.
create or replace procedure uses_emp as
  l emp%rowtype;
begin
  select * into l from emp where id = 1;
  dbms_output.put_line(l.name);
end;
/
alter table emp add (extra number);
select object_name, status from user_objects where object_name = 'USES_EMP';
exec uses_emp
select object_name, status from user_objects where object_name = 'USES_EMP';
drop procedure uses_emp;
exec uses_emp
select dbms_metadata.get_ddl('TABLE', 'EMP') from dual;
declare
  procedure down(n number) is begin down(n + 1); end;
begin
  down(1);
end;
/
exit
