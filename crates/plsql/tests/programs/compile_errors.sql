begin x := 1; y(2); dbms_output.nosuch(3); end;
/
declare
  n number;
  c constant number := 1;
  b boolean;
  procedure p(a number) is begin a := 1; end;
begin
  c := 2;
  p(1, 2);
  p(z => 1);
  n := b;
  b := 1;
  if n then null; end if;
  emp.x := 1;
end;
/
declare
  a nosuchtype;
  b emp.nosuch%type;
  c nosuch%rowtype;
  d varchar2(40000);
  e clob;
  f binary_double;
  n number;
  n number;
begin
  a := 1;
end;
/
begin
  select nosuch into :x from emp;
end;
/
declare
  n number;
begin
  select empno, ename into n from emp;
  insert into nosuch values (1);
  update emp set sal = sall;
  exit;
  raise;
  return 1;
end;
/
declare
  n number;
  function f return number is begin return; end;
  procedure declared_only;
begin
  raise nosuch;
  goto nowhere;
  n := decode(1, 2, 3);
end;
/
begin
  null
end;
/
begin
  select * from emp;
end;
/
-- what is not supported says so
declare
  type ft is table of number index by date;
  i interval day to second;
  t timestamp with time zone;
begin null; end;
/
-- wrong use of things
declare
  n number; type t is table of number; a t; cursor c is select ename from emp; r c%rowtype; rc sys_refcursor;
  function f(x number) return number is begin return x; end;
  procedure p is begin null; end;
begin
  f(1);
  n := p;
  n := a;
  a(1, 2) := 1;
  n.x := 1;
  r.nosuch := 1;
  n := f;
  open n;
  fetch c into n, n;
  for x in nosuch loop null; end loop;
  c := 1;
  n := t;
  if a = n then null; end if;
  n := sqlcode + 'x' + date '2020-01-01' * 2;
  insert into log values (f(1), 'x');
  execute immediate 'x' using true;
  forall i in 1..2 insert into log (id) values (a(i)) returning id into n;
  n := 1 || true;
  exit when n;
end;
/
begin
  dbms_output.put_line(dbms_rowid.rowid_object('AAAAAAAAAAAAAAAAAA'));
  dbms_output.put_line(dbms_random.value(1, 2));
end;
/
