-- variables, arithmetic, loops
declare
  x number := 0;
  s varchar2(20);
begin
  for i in 1..10 loop
    x := x + i * 2;
  end loop;
  dbms_output.put_line('x = ' || x);
  s := 'abc' || x / 3;
  dbms_output.put_line(s);
  if x > 100 and s is not null then
    dbms_output.put_line('big');
  elsif x > 50 then
    dbms_output.put_line('small');
  else
    dbms_output.put_line('tiny');
  end if;
end;
/
-- exceptions
declare
  n number := 0;
begin
  n := 1 / n;
exception
  when zero_divide then
    dbms_output.put_line(sqlcode || ' ' || sqlerrm);
end;
/
-- uncaught
declare
  n number := 0;
begin
  n := 1 / n;
end;
/
