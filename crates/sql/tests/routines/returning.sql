# RETURNING: expressions over variables and collections, and aggregates of all rows that were changed.
create table t (a number, b number)
/
CREATE TABLE

begin
  insert into t select level, level * 10 from dual connect by level <= 4;
end;
/
PL/SQL

declare
  type numbers is table of number index by pls_integer;
  type names is table of number;
  factors numbers;
  made names;
  base number := 100;
  one number;
begin
  factors(1) := 2;
  factors(2) := 3;
  update t set b = b + 1 where a = 1 returning b * factors(2) + base into one;
  dbms_output.put_line(one);
  update t set b = b + 1 where a <= 3 returning a + base + factors(1) bulk collect into made;
  for i in 1 .. made.count loop dbms_output.put_line(made(i)); end loop;
  forall i in 1 .. 2 update t set b = 0 where a = i returning a * 7 bulk collect into made;
  for i in 1 .. made.count loop dbms_output.put_line(made(i)); end loop;
end;
/
133
103
104
105
7
14
PL/SQL

declare
  total number;
  least_of number;
  average number;
  many number;
begin
  update t set b = a * 5 returning sum(b), min(a), avg(b) + 1, count(*) into total, least_of, average, many;
  dbms_output.put_line(total || ' ' || least_of || ' ' || average || ' ' || many);
  update t set b = 0 where a > 99 returning sum(b), count(*) into total, many;
  dbms_output.put_line('none: ' || total || ' ' || many);
  delete from t where a > 2 returning max(a), count(b) into total, many;
  dbms_output.put_line(total || ' ' || many);
end;
/
50 1 13.5 4
none:  0
4 2
PL/SQL

declare
  x number;
  y number;
begin
  update t set b = 1 returning sum(b), a into x, y;
end;
/
ORA-06550: line 5, column 18:
PL/SQL: ORA-00937: not a single-group group function: column A
ORA-06550: line 5, column 3:
PL/SQL: SQL Statement ignored

select a, b from t order by a
/
A | B
1 | 5
2 | 10
