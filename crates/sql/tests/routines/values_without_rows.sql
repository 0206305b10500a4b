# A value that cannot be had is no error where no row needs it, in nested loops neither.
create table a (id number, k number)
/
CREATE TABLE

create table b (id number, d date, y number)
/
CREATE TABLE

insert into a select level, level from dual connect by level <= 5
/
INSERT: 5 rows

insert into b select level, date '2024-01-01', level from dual connect by level <= 3000
/
INSERT: 3000 rows

create index b_id on b (id)
/
CREATE INDEX

declare
  n number := 3;
  c number;
begin
  for i in 1 .. 3 loop
    select /*+ leading(a) use_nl(b) */ count(*) into c from a join b on b.id = a.id
      where b.y = -1 and b.d = date '2020-01-01' + n and a.k = 3;
    dbms_output.put_line(c);
    n := 1e20;
  end loop;
end;
/
0
0
0
PL/SQL
