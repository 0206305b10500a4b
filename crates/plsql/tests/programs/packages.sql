create or replace package counter as
  step constant number := 2;
  current_value number := 10;
  too_big exception;
  type history is table of number index by pls_integer;
  cursor c(d number) return emp%rowtype;
  procedure advance(n number default step);
  function get return number;
  function past return history;
end counter;
/
create or replace package body counter as
  seen history;
  limit_value number;
  cursor c(d number) return emp%rowtype is select * from emp where deptno = d;
  procedure remember is
  begin
    seen(seen.count + 1) := current_value;
  end;
  procedure advance(n number default step) is
  begin
    current_value := current_value + n;
    remember;
    if current_value > limit_value then raise too_big; end if;
  end;
  function get return number is begin return current_value; end;
  function past return history is begin return seen; end;
begin
  limit_value := 100;
  dbms_output.put_line('initialized');
end counter;
/
begin
  counter.advance;
  counter.advance(5);
  dbms_output.put_line(counter.get || ' ' || counter.current_value || ' ' || counter.step);
end;
/
-- state stays from call to call
declare
  h counter.history;
begin
  scott.counter.current_value := 90;
  begin counter.advance(20); exception when counter.too_big then dbms_output.put_line('too big'); end;
  h := counter.past;
  for i in 1..h.count loop dbms_output.put_line(h(i)); end loop;
  dbms_output.put_line(counter.past()(1));
  for r in counter.c(20) loop dbms_output.put_line(r.ename); end loop;
  insert into log (id) values (counter.current_value);
  rollback;
end;
/
begin counter.nosuch; end;
/
begin counter.limit_value := 1; end;
/
-- a new body: the state is lost, and said to be
create or replace package body counter as
  cursor c(d number) return emp%rowtype is select * from emp where deptno = d;
  procedure advance(n number default step) is begin current_value := 0; end;
  function get return number is begin return current_value; end;
  function past return history is h history; begin return h; end;
end counter;
/
begin counter.advance; end;
/
begin dbms_output.put_line(counter.get); end;
/
create or replace package half as procedure p; procedure q; end;
/
create or replace package body half as procedure p is begin null; end; end;
/
create or replace package nobody as procedure p; end;
/
begin nobody.p; end;
/
-- procedures that call each other
create or replace procedure ping(n number) as begin null; end;
/
create or replace procedure pong(n number) as begin if n > 0 then ping(n - 1); end if; dbms_output.put_line('pong ' || n); end;
/
create or replace procedure ping(n number) as begin if n > 0 then pong(n - 1); end if; dbms_output.put_line('ping ' || n); end;
/
begin ping(3); end;
/
