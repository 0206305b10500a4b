set serveroutput on
create table t (id number primary key, v number, n varchar2(10));
insert into t select level, level * 10, 'n' || level from dual connect by level <= 5;
commit;
declare
  type numbers is table of number;
  type names is table of t.n%type index by pls_integer;
  l_ids numbers;
  l_vs numbers;
  l_names names;
  l_v number;
  l_rowid varchar2(30);
  l_some numbers := numbers(1, 3, 99, 5);
begin
  update t set v = v + 1 where id > 2 returning id, v, upper(n) bulk collect into l_ids, l_vs, l_names;
  for i in 1 .. l_ids.count loop
    dbms_output.put_line(l_ids(i) || ' ' || l_vs(i) || ' ' || l_names(i));
  end loop;
  update t set v = 0 where id = 77 returning id bulk collect into l_ids;
  dbms_output.put_line('none: ' || l_ids.count || ', ' || sql%rowcount);
  -- Too many for one variable: nothing is changed.
  begin
    update t set v = 0 returning v into l_v;
  exception
    when too_many_rows then dbms_output.put_line(sqlerrm);
  end;
  begin
    delete from t returning v into l_v;
  exception
    when too_many_rows then dbms_output.put_line(sqlerrm);
  end;
  select count(*), min(v) into l_v, l_rowid from t;
  dbms_output.put_line(l_v || ' ' || l_rowid);
  forall i in 1 .. l_some.count
    update t set v = v * 2 where id = l_some(i) returning id, v bulk collect into l_ids, l_vs;
  for i in 1 .. l_ids.count loop
    dbms_output.put_line(l_ids(i) || ' ' || l_vs(i));
  end loop;
  delete from t where id in (2, 4) returning n, id bulk collect into l_names, l_ids;
  dbms_output.put_line(l_names(1) || l_names(2) || l_ids(1) || l_ids(2));
  forall i in 1 .. l_some.count
    insert into t values (l_some(i) + 1000, i, 'new') returning id bulk collect into l_ids;
  dbms_output.put_line(l_ids.count || ' ' || l_ids(4));
  insert into t values (500, 1, null) returning rowid, v + 1 into l_rowid, l_v;
  update t set v = 2 where rowid = l_rowid;
  dbms_output.put_line(sql%rowcount || ' ' || l_v);
  execute immediate 'delete from t where id > :1 returning id into :2' using 600 returning bulk collect into l_ids;
  dbms_output.put_line('dynamic ' || l_ids.count);
  begin
    execute immediate 'delete from t returning id into :1' returning into l_v;
  exception
    when too_many_rows then dbms_output.put_line('too many');
  end;
  rollback;
end;
/
select count(*), sum(v) from t;
-- Values that triggers have given.
create sequence s start with 100;
create or replace trigger t_id before insert or update on t for each row
begin
  :new.id := nvl(:new.id, s.nextval);
  :new.n := 'from here';
end;
/
declare
  l_id number;
  l_n varchar2(10);
begin
  insert into t (v) values (1) returning id, n into l_id, l_n;
  dbms_output.put_line(l_id || ' ' || l_n);
  update t set v = 3 where id = l_id returning n into l_n;
  dbms_output.put_line(l_n);
  delete from t where id = l_id returning n || v into l_n;
  dbms_output.put_line(l_n);
end;
/
