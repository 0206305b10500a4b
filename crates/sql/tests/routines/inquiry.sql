# What the compiler knows of the place.
create or replace procedure where_am_i is
  here varchar2(100);
begin
  dbms_output.put_line($$plsql_unit || ' of ' || $$plsql_unit_owner || ', line ' || $$plsql_line);
  select $$plsql_unit || ':' || $$plsql_line into here from dual;
  dbms_output.put_line(here);
end;
/
CREATE

begin
  where_am_i;
  dbms_output.put_line(nvl($$plsql_unit, 'no unit') || ' ' || $$plsql_line);
end;
/
WHERE_AM_I of SYSTEM, line 4
WHERE_AM_I:5
no unit 3
PL/SQL

begin
  dbms_output.put_line($$my_flag);
end;
/
ORA-06550: line 2, column 24:
HW-0001: not supported: the inquiry directive $$MY_FLAG
ORA-06550: line 2, column 3:
PL/SQL: Statement ignored
