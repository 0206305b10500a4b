-- loops, labels, EXIT, CONTINUE, GOTO
declare
  n number := 0;
begin
  <<outer>>
  for i in 1..5 loop
    for j in reverse 1..5 loop
      continue when mod(j, 2) = 0;
      continue outer when j < i;
      exit outer when i = 4;
      n := n + 1;
      dbms_output.put_line(i || ',' || j);
    end loop;
  end loop;
  loop
    n := n - 1;
    exit when n <= 0;
  end loop;
  while n < 3 loop n := n + 1; end loop;
  <<again>>
  n := n + 1;
  if n < 6 then goto again; end if;
  dbms_output.put_line(n);
  for i in 5..1 loop dbms_output.put_line('never'); end loop;
  for i in 1.4..2.6 loop dbms_output.put_line('rounded ' || i); end loop;
  goto done;
  dbms_output.put_line('skipped');
  <<done>>
  null;
end;
/
-- a loop bound that is NULL
declare n number; begin for i in 1..n loop null; end loop; end;
/
-- CASE without ELSE
begin case 3 when 1 then null; end case; end;
/
-- GOTO into a block
begin
  goto inside;
  begin
    <<inside>>
    null;
  end;
end;
/
-- a final word: cancel is no exception that a program may keep
declare n number := 0; begin
  loop
    begin n := n + 1; exit when n > 10; exception when others then null; end;
  end loop;
  dbms_output.put_line(n);
end;
/
