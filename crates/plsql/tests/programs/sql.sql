-- SELECT INTO
declare
  n emp.ename%type; s number; e emp%rowtype; k number := 7499;
begin
  select ename, sal into n, s from emp where empno = k;
  dbms_output.put_line(n || ' ' || s || ' ' || sql%rowcount);
  select * into e from emp where empno = 7369;
  dbms_output.put_line(e.ename || ' ' || e.hiredate);
  begin select ename into n from emp where empno = 1; exception when no_data_found then dbms_output.put_line(sqlerrm); end;
  begin select ename into n from emp; exception when too_many_rows then dbms_output.put_line(sqlerrm); end;
  select count(*) into s from emp;
  dbms_output.put_line(s);
end;
/
-- DML, RETURNING, attributes
declare
  id number; t varchar2(200); r emp%rowtype;
  type ids is table of number index by pls_integer; i ids;
begin
  insert into log (id, text) values (seq.nextval, 'a' || 'b') returning id, text into id, t;
  dbms_output.put_line(id || t || sql%rowcount);
  update emp set sal = sal * 2 where deptno = 30;
  dbms_output.put_line(sql%rowcount || case when sql%found then ' found' end);
  delete from emp where empno = 0;
  if sql%notfound then dbms_output.put_line('none'); end if;
  update emp set sal = sal + 1 where deptno = 20 returning sal bulk collect into i;
  for k in 1..i.count loop dbms_output.put_line(i(k)); end loop;
  begin
    insert into emp (empno) values (7369);
  exception
    when dup_val_on_index then dbms_output.put_line(sqlerrm);
  end;
  select * into r from emp where empno = 7369;
  r.empno := 1; r.ename := 'NEW';
  insert into emp values r;
  r.ename := 'NEWER';
  update emp set row = r where empno = 1;
  select ename into r.ename from emp where empno = 1;
  dbms_output.put_line(r.ename);
  rollback;
  select count(*) into id from emp;
  dbms_output.put_line(id);
end;
/
-- cursors
declare
  cursor c(d number, low number := 0) is select empno, ename from emp where deptno = d and sal > low;
  r c%rowtype; n number;
begin
  if not c%isopen then dbms_output.put_line('closed'); end if;
  open c(30);
  begin open c(20); exception when cursor_already_open then dbms_output.put_line(sqlerrm); end;
  loop
    fetch c into r;
    exit when c%notfound;
    dbms_output.put_line(c%rowcount || ' ' || r.empno || ' ' || r.ename);
  end loop;
  close c;
  begin fetch c into r; exception when invalid_cursor then dbms_output.put_line(sqlerrm); end;
  for x in c(20, 1000) loop dbms_output.put_line(x.ename || c%rowcount); end loop;
  for x in (select ename, sal + 1 more from emp where deptno = 30 order by ename desc) loop
    dbms_output.put_line(x.ename || ' ' || x.more);
    exit when x.ename = 'WARD';
  end loop;
  n := 0;
  for x in (select n from many) loop n := n + x.n; end loop;
  dbms_output.put_line(n);
end;
/
-- REF CURSORs
declare
  rc sys_refcursor; other sys_refcursor; n varchar2(10); s number;
  procedure give(c out sys_refcursor, d number) is begin open c for select ename from emp where deptno = d; end;
begin
  give(rc, 20);
  other := rc;
  fetch rc into n; dbms_output.put_line(n);
  fetch other into n; dbms_output.put_line(n || ' ' || rc%rowcount);
  fetch rc into n; if rc%notfound then dbms_output.put_line('end'); end if;
  close rc;
  open rc for 'select sal from emp where empno = :1' using 7369;
  fetch rc into s; dbms_output.put_line(s);
  begin fetch rc into n, s; exception when rowtype_mismatch then dbms_output.put_line(sqlerrm); end;
end;
/
-- BULK COLLECT and FORALL
declare
  type nums is table of number; type names is table of varchar2(10) index by pls_integer;
  type emps is table of emp%rowtype;
  n nums; m names; e emps; cursor c is select n from many;
  failed exception; pragma exception_init(failed, -24381);
begin
  select empno, ename bulk collect into n, m from emp;
  dbms_output.put_line(n.count || ' ' || m(1));
  select * bulk collect into e from emp where deptno = 20;
  dbms_output.put_line(e(2).ename || ' ' || e.count);
  open c;
  loop
    fetch c bulk collect into n limit 100;
    dbms_output.put_line(n.count || ' ' || case when c%notfound then 'end' else 'more' end);
    exit when c%notfound;
  end loop;
  close c;
  n := nums(1, 2, 3);
  forall i in 1..n.count insert into log (id, text) values (n(i), 'row ' || n(i));
  dbms_output.put_line(sql%rowcount || ' ' || sql%bulk_rowcount(2));
  forall i in 1..e.count update emp set sal = e(i).sal + 1 where empno = e(i).empno;
  dbms_output.put_line(sql%rowcount);
  n := nums(5, 6, 5, 7);
  begin
    forall i in 1..4 save exceptions insert into keyed (id) values (n(i));
  exception
    when failed then
      dbms_output.put_line(sql%bulk_exceptions.count || ' ' || sql%bulk_exceptions(1).error_index || ' ' || sql%bulk_exceptions(1).error_code);
  end;
  n.delete(2);
  forall i in indices of n delete from keyed where id = n(i);
  dbms_output.put_line(sql%rowcount);
  rollback;
end;
/
-- WHERE CURRENT OF
declare
  cursor c is select empno, sal from emp where deptno = 30 for update; s number;
begin
  for r in c loop
    null;
  end loop;
  open c;
  declare a number; b number;
  begin
    fetch c into a, b;
    update emp set sal = 1 where current of c;
  end;
  close c;
  select sum(sal) into s from emp where deptno = 30;
  dbms_output.put_line(s);
  for r in c loop
    update emp set sal = r.empno where current of c;
  end loop;
  for r in (select empno, sal from emp where deptno = 30 and empno <> sal) loop
    dbms_output.put_line('not changed: ' || r.empno);
  end loop;
  rollback;
end;
/
-- EXECUTE IMMEDIATE
declare
  n number; t varchar2(100); i number := 5; type names is table of varchar2(10); e names;
begin
  execute immediate 'select count(*) from emp' into n;
  dbms_output.put_line(n);
  execute immediate 'insert into log values (:a, :b)' using 1, 'dynamic';
  dbms_output.put_line(sql%rowcount);
  execute immediate 'update log set text = :1 where id = :2 returning text into :3' using 'changed', 1 returning into t;
  dbms_output.put_line(t);
  execute immediate 'begin :x := :x * 2; :y := ''out''; end;' using in out i, out t;
  dbms_output.put_line(i || t);
  execute immediate 'select ename from emp where deptno = :d' bulk collect into e using 30;
  dbms_output.put_line(e.count || e(2));
  begin execute immediate 'select count(*) from emp where empno = :x' into n; exception when others then dbms_output.put_line(sqlerrm); end;
  begin execute immediate 'begin nosuch; end;'; exception when others then dbms_output.put_line(sqlerrm); end;
  rollback;
end;
/
-- autonomous transactions
declare
  n number;
  procedure note(t varchar2) is
    pragma autonomous_transaction;
  begin
    insert into log (text) values (t);
    commit;
  end;
  procedure forgetful is
    pragma autonomous_transaction;
  begin
    insert into log (text) values ('x');
  end;
begin
  note('kept');
  rollback;
  select count(*) into n from log;
  dbms_output.put_line(n);
  forgetful;
end;
/
-- what a failing block has done is taken back
begin
  insert into log (text) values ('lost');
  raise program_error;
end;
/
declare n number; begin select count(*) into n from log; dbms_output.put_line(n); end;
/
create function twice(n number) return number is begin return n * 2; end;
/
declare s number; begin select twice(sal) into s from emp where empno = 7369; dbms_output.put_line(s); end;
/
