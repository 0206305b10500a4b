-- nested procedures see the variables around them
declare
  total number := 0;
  procedure add(n in number default 1, times pls_integer := 2) is
    procedure once is begin total := total + n; end;
  begin
    for i in 1..times loop once; end loop;
  end;
  function twice(n number) return number is begin return n * 2; end;
begin
  add;
  add(10);
  add(times => 3, n => 100);
  dbms_output.put_line(total || ' ' || twice(twice(5)));
end;
/
-- forward declaration and mutual recursion
declare
  function odd(n pls_integer) return boolean;
  function even(n pls_integer) return boolean is
  begin
    if n = 0 then return true; end if;
    return odd(n - 1);
  end;
  function odd(n pls_integer) return boolean is
  begin
    if n = 0 then return false; end if;
    return even(n - 1);
  end;
begin
  if even(1000) and not odd(1000) then dbms_output.put_line('even'); end if;
end;
/
-- overloading by type, number and names of arguments
declare
  procedure p(a number) is begin dbms_output.put_line('number ' || a); end;
  procedure p(a varchar2) is begin dbms_output.put_line('varchar2 ' || a); end;
  procedure p(a date) is begin dbms_output.put_line('date ' || to_char(a, 'yyyy')); end;
  procedure p(a number, b number) is begin dbms_output.put_line('two ' || a || ',' || b); end;
  procedure p(x boolean) is begin dbms_output.put_line('boolean'); end;
begin
  p(1); p('x'); p(date '2020-01-01'); p(1, 2); p(x => true); p(b => 3, a => 4); p(1.5);
end;
/
-- OUT and IN OUT are copied back, but not when an exception leaves
declare
  a number := 1;
  b number := 2;
  procedure p(x out number, y in out number, fail boolean) is
  begin
    dbms_output.put_line('x is ' || nvl(to_char(x), 'null') || ', y is ' || y);
    x := 10; y := 20;
    if fail then raise no_data_found; end if;
  end;
begin
  begin p(a, b, true); exception when no_data_found then dbms_output.put_line('failed'); end;
  dbms_output.put_line(a || ' ' || b);
  p(a, b, false);
  dbms_output.put_line(a || ' ' || b);
end;
/
-- recursion
declare
  function fib(n number) return number is
  begin
    if n < 2 then return n; end if;
    return fib(n - 1) + fib(n - 2);
  end;
  function fact(n number) return number is
  begin
    return case when n <= 1 then 1 else n * fact(n - 1) end;
  end;
begin
  dbms_output.put_line(fib(15) || ' ' || fact(25));
end;
/
-- runaway recursion ends
declare
  procedure p is begin p; end;
begin
  p;
exception
  when storage_error then dbms_output.put_line(sqlerrm);
end;
/
-- a function without RETURN
declare
  function f return number is begin null; end;
begin
  dbms_output.put_line(f);
end;
/
create or replace procedure greet(who varchar2 default 'world', times number := 1) as
begin
  for i in 1..times loop
    dbms_output.put_line('hello, ' || who);
  end loop;
end;
/
create or replace function area(r number) return number is
begin
  if r < 0 then
    raise_application_error(-20001, 'negative: ' || r);
  end if;
  return r * r;
end area;
/
begin greet; greet('you', 2); scott.greet(times => 1); dbms_output.put_line(area(3)); end;
/
-- where an exception came from
begin
  dbms_output.put_line(area(-1));
end;
/
create or replace procedure broken as
begin
  nosuch(1);
  x := 5;
end;
/
begin broken; end;
/
-- labels qualify
<<outer>>
declare
  n number := 1;
begin
  <<inner>>
  declare
    n number := 2;
  begin
    dbms_output.put_line(outer.n || ' ' || inner.n || ' ' || n);
    outer.n := 5;
  end;
  dbms_output.put_line(n);
end;
/
