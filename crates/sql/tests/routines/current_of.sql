# WHERE CURRENT OF: the row that the program has, whatever has been fetched behind it.
create table t (id number not null, a number)
/
CREATE TABLE

insert into t select level, mod(level, 5) from dual connect by level <= 230
/
INSERT: 230 rows

declare
  cursor c is select id, a from t where a >= 3 order by id for update;
begin
  for r in c loop
    update t set a = 1000 + r.id where current of c;
  end loop;
end;
/
PL/SQL

select count(*), sum(case when a = 1000 + id then 1 else 0 end) changed from t where a >= 3
/
COUNT(*) | CHANGED
92 | 92

declare
  cursor c (least number) is select id from t where a > least for update;
  many number := 0;
begin
  for r in c(1100) loop
    if mod(r.id, 2) = 0 then
      delete from t where current of c;
      many := many + sql%rowcount;
    end if;
  end loop;
  dbms_output.put_line(many);
end;
/
26
PL/SQL

select count(*), min(id), max(id) from t where a > 1100 and mod(id, 2) = 0
/
COUNT(*) | MIN(ID) | MAX(ID)
0 | - | -

declare
  cursor c is select id from t where id <= 3 for update;
  n number;
begin
  open c;
  begin
    update t set a = 0 where current of c;
  exception when others then dbms_output.put_line(sqlerrm);
  end;
  fetch c into n;
  fetch c into n;
  update t set a = -n where current of c;
  close c;
end;
/
ORA-01410: invalid ROWID: the cursor is on no row, or locks none
PL/SQL

select id, a from t where a < 0
/
ID | A
2 | -2

# Past the last row it stands on none. Of a query that locks, a loop fetches one row at a time: behind a COMMIT none.
declare
  cursor c is select id from t where id <= 3 for update;
  type numbers is table of number;
  some numbers;
begin
  open c;
  fetch c bulk collect into some limit 2;
  update t set a = -10 where current of c;
  fetch c bulk collect into some limit 5;
  fetch c bulk collect into some limit 5;
  dbms_output.put_line(some.count);
  update t set a = -20 where current of c;
end;
/
0
ORA-01410: invalid ROWID: the cursor is on no row, or locks none
ORA-06512: at line 12

select id, a from t where a in (-10, -20)
/
ID | A

declare
  cursor c is select id from t where id <= 3 for update;
begin
  for r in c loop
    update t set a = -30 where current of c;
    commit;
  end loop;
end;
/
ORA-01002: fetch out of sequence
ORA-06512: at line 4

select id, a from t where a = -30
/
ID | A
1 | -30
