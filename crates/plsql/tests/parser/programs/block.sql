<<outer_block>>
declare
  type names is varray(5) of varchar2(30 char);
  type numbers is table of number not null;
  l_names names := names('a', 'b', null);
  l_numbers numbers := numbers();
  l_cursor sys_refcursor;
  l_row emp%rowtype;
  l_text varchar2(4000) default 'it''s ' || nq'{a "text"}';
  l_when timestamp(3) with time zone := timestamp '2026-01-31 10:00:00';
  l_day date := date '2026-01-31' + 1/24;
  cursor c (p number) is
    with ranked as (select e.*, rank() over (partition by dept order by sal) r from emp e)
    select case when r = 1 then 'first' else 'not' end k, name from ranked where r <= p for update of name nowait;
begin
  for i in 1..l_names.count loop
    continue when l_names(i) is null;
    l_numbers.extend(2, 1);
    l_numbers(l_numbers.last) := case l_names(i) when 'a' then 1 when 'b' then -2 ** 2 else mod(i, 3) end;
  end loop;
  <<rows>>
  loop
    fetch l_cursor bulk collect into l_numbers limit 100;
    exit rows when l_numbers.count = 0 or l_cursor%notfound;
    <<each>>
    for j in l_numbers.first .. l_numbers.last loop
      if l_numbers(j) not in (1, 2, 3) and l_text not like 'x!%%' escape '!' then
        goto done;
      end if;
    end loop each;
    while l_row.sal is not null and not (l_row.sal > 10) loop
      l_row.sal := l_row.sal + 1;
    end loop;
  end loop rows;
  <<done>>
  open c(3);
  fetch c into l_text, l_row.name;
  update emp set name = upper(name), sal = (select max(sal) from emp) where current of c;
  update emp set row = l_row where id = l_row.id;
  delete from emp where current of c;
  close c;
  open l_cursor for select * from emp where dept in (select id from dept where loc = l_text);
  open l_cursor for 'select name from emp where sal > :1' || l_text using 100, out l_day;
  for r in (select d.name, (select count(*) from emp e where e.dept = d.id) n from dept d) loop
    execute immediate 'insert into t values (:a, :b) returning c into :c'
      using r.name, in out r.n returning bulk collect into l_numbers;
    execute immediate 'select count(*) from t' into l_row.sal;
  end loop;
  merge into emp e using (select 1 id, 'x' name from dual) s on (e.id = s.id)
    when matched then update set e.name = s.name
    when not matched then insert (id, name) values (s.id, s.name);
  insert all when id > 1 then into a (x) values (id) else into b (y) values (name) select id, name from emp;
  lock table emp in exclusive mode nowait;
  set transaction read only name 'x';
  case
    when extract(year from l_day) = 2026 then :result := trim(leading '0' from l_text);
    when l_day > sysdate then declare x number; begin x := cast('1' as number); end;
    else rollback work;
  end case;
  commit;
exception
  when dup_val_on_index or outer_block.mine then
    null;
  when others then
    dbms_output.put_line(dbms_utility.format_error_backtrace || sqlcode);
    raise_application_error(-20000, 'x', true);
end outer_block;
