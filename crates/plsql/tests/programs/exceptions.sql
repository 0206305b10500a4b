-- user-defined, with and without a number
declare
  mine exception;
  numbered exception;
  pragma exception_init(numbered, -20777);
begin
  begin raise mine; exception when mine then dbms_output.put_line(sqlcode || ' ' || sqlerrm); end;
  begin raise numbered; exception when numbered then dbms_output.put_line(sqlcode || ' ' || sqlerrm); end;
  begin
    raise_application_error(-20777, 'by number');
  exception
    when numbered then dbms_output.put_line(sqlcode || ' ' || sqlerrm);
  end;
  dbms_output.put_line(sqlcode || ' ' || sqlerrm);
end;
/
-- unhandled user-defined
declare mine exception; begin raise mine; end;
/
-- an exception in declarations goes to the enclosing block
begin
  declare
    n number(2) := 1000;
  begin
    null;
  exception
    when others then dbms_output.put_line('not here');
  end;
exception
  when value_error then dbms_output.put_line('here: ' || sqlerrm);
end;
/
-- raised again
begin
  begin
    raise no_data_found;
  exception
    when no_data_found then
      dbms_output.put_line('once');
      raise;
  end;
exception
  when others then dbms_output.put_line('twice ' || sqlcode);
end;
/
-- raised again and not handled: both lines
begin
  raise zero_divide;
exception
  when others then
    raise;
end;
/
-- another one out of a handler tells what was being handled
begin
  raise no_data_found;
exception
  when others then
    raise_application_error(-20001, 'kept', true);
end;
/
begin
  raise no_data_found;
exception
  when others then
    raise_application_error(-20001, 'alone');
end;
/
-- the number must be in range
begin raise_application_error(-1, 'x'); end;
/
-- several in one handler, the other one passes
declare
  procedure t(n number) is
  begin
    begin
      case n when 1 then raise no_data_found; when 2 then raise too_many_rows; when 3 then raise dup_val_on_index; end case;
    exception
      when no_data_found or too_many_rows then dbms_output.put_line('either');
    end;
  exception
    when case_not_found then dbms_output.put_line('case: ' || sqlerrm);
    when others then dbms_output.put_line('others: ' || sqlerrm);
  end;
begin
  t(1); t(2); t(3); t(4);
end;
/
-- SQLERRM of numbers
begin
  dbms_output.put_line(sqlerrm(0));
  dbms_output.put_line(sqlerrm(100));
  dbms_output.put_line(sqlerrm(1));
  dbms_output.put_line(sqlerrm(-1476));
  dbms_output.put_line(sqlerrm(-20005));
  dbms_output.put_line(sqlerrm(5));
end;
/
-- the stack, as text
declare
  procedure inner is begin raise zero_divide; end;
begin
  inner;
exception
  when others then
    dbms_output.put(dbms_utility.format_error_stack);
    dbms_output.put(dbms_utility.format_error_backtrace);
    dbms_output.new_line;
end;
/
-- EXIT and GOTO out of a handler
begin
  for i in 1..3 loop
    begin
      raise no_data_found;
    exception
      when others then
        dbms_output.put_line('turn ' || i || ' ' || sqlcode);
        exit when i = 2;
    end;
  end loop;
  dbms_output.put_line('after ' || sqlcode);
end;
/
-- conversions
declare
  n number; d date; v varchar2(3); i pls_integer; p positive; b binary_integer := 2147483647; nn number not null := 1;
  procedure attempt(what number) is
  begin
    case what
      when 1 then n := 'abc';
      when 2 then v := 'abcd';
      when 3 then i := 3000000000;
      when 4 then p := 0;
      when 5 then b := b + 1;
      when 6 then nn := null;
      when 7 then d := 'nonsense';
      when 8 then n := to_number('1x');
      when 9 then i := '12.6';
    end case;
    dbms_output.put_line(what || ': i = ' || i);
  exception
    when others then dbms_output.put_line(what || ': ' || sqlerrm);
  end;
begin
  for k in 1..9 loop attempt(k); end loop;
end;
/
