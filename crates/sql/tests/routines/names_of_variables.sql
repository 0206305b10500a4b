# A name is a column where a table of its block, or of one around it, has such a column; elsewhere it is a variable.
create table t (id number primary key, v varchar2(10))
/
CREATE TABLE

insert into t values (1, 'one')
/
INSERT: 1 rows

create or replace procedure up(id number, v varchar2) is
begin
  merge into t using (select id k, v w from dual) s on (t.id = s.k)
    when matched then update set t.v = s.w when not matched then insert (id, v) values (s.k, s.w);
end;
/
CREATE PROCEDURE

begin up(1, 'z'); up(2, 'new'); end;
/
PL/SQL

declare
  a number := 1;
begin
  merge into t using (select a a from dual) s on (t.id = s.a) when matched then update set v = 'x' || v;
end;
/
PL/SQL

declare
  v varchar2(9) := 'q';
  id number := 1;
begin
  insert into t (id, v) select id + 10, v from dual;
  insert into t (id, v) values (id + 20, (select v || id from dual));
  insert into t (id, v) select id + 30, max(v) from t where id = 1 group by id;
end;
/
PL/SQL

select id, v from t order by id
/
ID | V
1 | xz
2 | new
11 | q
21 | q1
31 | xz

declare
  id number := 1;
  c number := 5;
  n number;
begin
  select count(*) into n from dual where exists (select 1 from t where t.id = 1) and id = 1;
  dbms_output.put_line(n);
  select c + 1 c into n from dual;
  dbms_output.put_line(n);
  select max(k) into n from (select id + c k from t where id < 3) where k > c;
  dbms_output.put_line(n);
  select sum(id) into n from (select id from t where id > c);
  dbms_output.put_line(n);
  select sum(id) into n from (select 7 from t where id > c);
  dbms_output.put_line(n);
  with q as (select id + 1 k from t where v like 'x%'), w (id) as (select k * 10 from q)
    select sum(id) into n from w where id > c;
  dbms_output.put_line(n);
  select count(*) into n from t x where exists (select 1 from dual where id = x.id);
  dbms_output.put_line(n);
  select count(*) into n from (select v id from t where v = 'q' union select 'r' from dual where c = 5) where id in ('q', 'r');
  dbms_output.put_line(n);
exception when others then dbms_output.put_line(sqlerrm);
end;
/
1
6
7
63
3
340
5
2
PL/SQL

declare
  k number := 1;
begin
  for r in (select t.id * 2 k, v from t where id < 3 order by k desc, v) loop dbms_output.put_line(r.k || r.v); end loop;
  for r in (select id from t where id = k union all select k from dual order by id) loop
    dbms_output.put_line(r.id);
  end loop;
  update t set v = (select 'u' || k from dual) where id in (select k from dual);
  delete from t where id in (select id from t where id > k + 1 and exists (select 1 from t i where i.id = t.id and id > k));
  dbms_output.put_line(sql%rowcount);
end;
/
4new
2xz
1
1
3
PL/SQL

select id, v from t order by id
/
ID | V
1 | u1
2 | new
