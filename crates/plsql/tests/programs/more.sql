-- collections as parameters and results, copied when they are changed
declare
  type t is table of number index by pls_integer;
  a t;
  procedure fill(x in out t, n number) is begin for i in 1..n loop x(i) := i * i; end loop; end;
  function total(x t) return number is s number := 0; begin for i in 1..x.count loop s := s + x(i); end loop; return s; end;
  function make(n number) return t is x t; begin fill(x, n); return x; end;
begin
  fill(a, 4);
  dbms_output.put_line(total(a) || ' ' || total(make(3)) || ' ' || make(5)(5));
end;
/
-- defaults that are computed, in the place of the declaration
declare
  base number := 5;
  procedure p(a number := base * 2, b varchar2 default to_char(base)) is begin dbms_output.put_line(a || ' ' || b); end;
begin
  p; base := 7; p; p(b => 'x');
end;
/
-- a record of a cursor fits a table's row
declare
  cursor c is select * from emp where empno = 7369;
  r emp%rowtype; x c%rowtype;
  type pair is record (a number, b varchar2(10)); p pair;
begin
  open c; fetch c into x; close c;
  r := x; r.ename := lower(r.ename);
  dbms_output.put_line(r.ename || x.ename);
  select empno, ename into p from emp where empno = 7499;
  dbms_output.put_line(p.a || p.b);
  r := null;
  dbms_output.put_line('[' || r.ename || ']');
end;
/
-- elements of collections and records in SQL
declare
  type t is table of emp%rowtype index by pls_integer;
  e t; n varchar2(10); type nums is table of number; k nums := nums(7369, 7499);
begin
  e(1).empno := 7566;
  select ename into n from emp where empno = e(1).empno;
  dbms_output.put_line(n);
  for i in 1..k.count loop
    select ename into n from emp where empno = k(i);
    dbms_output.put_line(n);
  end loop;
end;
/
-- an exception inside a cursor loop closes the cursor, as RETURN and GOTO do
declare
  procedure p is begin for r in (select n from many) loop if r.n = 5 then return; end if; end loop; end;
begin
  p;
  begin
    for r in (select n from many) loop raise program_error; end loop;
  exception when program_error then dbms_output.put_line('left');
  end;
  for r in (select n from many) loop goto away; end loop;
  <<away>>
  dbms_output.put_line('away');
end;
/
-- exceptions of different places
declare
  e exception;
  procedure p is e exception; begin raise e; end;
begin
  p;
exception
  when e then dbms_output.put_line('wrong');
  when others then dbms_output.put_line('other e ' || sqlcode);
end;
/
-- an exception in a handler goes outward
begin
  begin
    raise no_data_found;
  exception
    when no_data_found then raise too_many_rows;
    when too_many_rows then dbms_output.put_line('wrong');
  end;
exception
  when too_many_rows then dbms_output.put_line('right');
end;
/
-- SQLCODE of the handler that calls
declare
  procedure note is begin dbms_output.put_line(sqlcode || ' ' || sqlerrm); end;
begin
  note;
  begin raise value_error; exception when others then note; end;
  note;
end;
/
-- nothing is evaluated that does not matter
declare
  function boom return boolean is begin dbms_output.put_line('boom'); return true; end;
begin
  if false and boom then null; end if;
  if true or boom then dbms_output.put_line('short'); end if;
  if 1 = 1 and boom then dbms_output.put_line('both'); end if;
end;
/
-- numbers and texts beside each other
declare n number := 5; s varchar2(5) := '10'; d date := date '2024-01-31';
begin
  if n < s then dbms_output.put_line('as numbers'); end if;
  dbms_output.put_line(s + 1 || ' ' || (s * '2') || ' ' || -s);
  dbms_output.put_line(add_months(d, 1) || ' ' || to_char(d, 'Day') || '|' || last_day(d) || ' ' || trunc(d, 'yyyy'));
  if d > '01-JAN-24' then dbms_output.put_line('as dates'); end if;
  dbms_output.put_line(nvl(s, n) || nvl(null, 'x') || length(s || null));
  dbms_output.put_line(1e3 || ' ' || .5 || ' ' || 1.50 || ' ' || 123456789012345678901234567890);
  dbms_output.put_line(q'[it's]' || chr(65) || initcap('hello world'));
end;
/
-- INTO a variable that is too small changes nothing
declare n number(3) := 1;
begin
  select sal into n from emp where empno = 7566;
exception when value_error then dbms_output.put_line(n);
end;
/
-- an assignment that fails changes nothing
declare n number(3) := 1; i pls_integer := 2;
begin
  begin n := i * 5000; exception when value_error then dbms_output.put_line(n); end;
  begin i := 4000000000 / i * 2; exception when others then dbms_output.put_line(i || sqlerrm); end;
end;
/
create or replace procedure outer_proc(n number) as
  procedure inner_proc(m number) is
  begin
    if m = 0 then raise zero_divide; end if;
    inner_proc(m - 1);
  end;
begin
  inner_proc(n);
exception
  when zero_divide then
    dbms_output.put(dbms_utility.format_call_stack);
    dbms_output.new_line;
    raise;
end;
/
begin
  outer_proc(2);
end;
/
-- an autonomous block
declare
  pragma autonomous_transaction;
  n number;
begin
  insert into keyed (id) values (1);
  commit;
end;
/
-- FORALL ends at the first failure without SAVE EXCEPTIONS; VALUES OF
declare
  type nums is table of pls_integer; n nums := nums(2, 1, 3); v nums := nums(3, 1); c number;
begin
  begin
    forall i in 1..3 insert into keyed (id) values (n(i));
  exception when dup_val_on_index then dbms_output.put_line(sql%rowcount); end;
  select count(*) into c from keyed;
  dbms_output.put_line(c);
  forall i in values of v delete from keyed where id = n(i);
  dbms_output.put_line(sql%bulk_rowcount(3) || sql%bulk_rowcount(1));
  rollback;
end;
/
-- RETURN from a block, and NULL statements
begin
  if 1 = 1 then return; end if;
  dbms_output.put_line('never');
end;
/
-- sequences and the user
declare n number;
begin
  n := seq.nextval;
  dbms_output.put_line(n || seq.currval || user);
end;
/
