-- associative arrays
declare
  type t is table of varchar2(20) index by pls_integer;
  type h is table of number index by varchar2(30);
  a t; m h; k varchar2(30); i pls_integer;
begin
  a(5) := 'five'; a(-2) := 'minus two'; a(9) := 'nine';
  i := a.first;
  while i is not null loop
    dbms_output.put_line(i || ' ' || a(i));
    i := a.next(i);
  end loop;
  dbms_output.put_line(a.count || ' ' || a.last || ' ' || a.prior(9));
  a.delete(5);
  if not a.exists(5) then dbms_output.put_line('gone'); end if;
  begin dbms_output.put_line(a(5)); exception when no_data_found then dbms_output.put_line(sqlerrm); end;
  m('b') := 2; m('a') := 1; m('c') := m('a') + m('b');
  k := m.first;
  while k is not null loop dbms_output.put_line(k || '=' || m(k)); k := m.next(k); end loop;
  m.delete('a', 'b');
  dbms_output.put_line(m.count);
  a.delete;
  dbms_output.put_line(a.count || nvl(to_char(a.first), ' none'));
end;
/
-- nested tables and varrays
declare
  type nt is table of number;
  type va is varray(3) of varchar2(5);
  n nt := nt(10, 20, 30); e nt; v va := va('a'); x nt := nt();
  procedure attempt(what number) is
  begin
    case what
      when 1 then dbms_output.put_line(e.count);
      when 2 then n(7) := 1;
      when 3 then n(0) := 1;
      when 4 then v.extend(5);
      when 5 then dbms_output.put_line(n(2));
      when 6 then v(1) := 'abcdef';
      when 7 then n.trim(10);
    end case;
  exception when others then dbms_output.put_line(what || ' ' || sqlerrm);
  end;
begin
  n.extend; n(4) := 40; n.extend(2, 1);
  n.delete(2);
  for i in 1..n.last loop
    if n.exists(i) then dbms_output.put_line(i || ': ' || n(i)); end if;
  end loop;
  dbms_output.put_line(n.count || ' ' || v.limit || ' ' || v.count);
  for i in 1..7 loop attempt(i); end loop;
  x := n; x(1) := 99;
  dbms_output.put_line(n(1) || ' ' || x(1));
  if nt(1, 2, 3) = nt(3, 1, 2) and e is null then dbms_output.put_line('same'); end if;
  n.trim; dbms_output.put_line(n.count);
end;
/
-- records, nested in each other and in collections
declare
  type point is record (x number := 1, y number default 2);
  type line is record (a point, b point, name varchar2(10));
  type lines is table of line index by pls_integer;
  type names is table of varchar2(10) index by pls_integer;
  type matrix is table of names index by pls_integer;
  l line; m line; ll lines; t matrix;
begin
  l.b.x := 10; l.name := 'first';
  m := l; m.b.y := 20;
  dbms_output.put_line(l.a.x || ' ' || l.b.x || ' ' || l.b.y || ' ' || m.b.y || ' ' || m.name);
  ll(3).a.x := 7;
  ll(3).name := 'third';
  ll(4) := m;
  dbms_output.put_line(ll(3).a.x || ll(3).a.y || ll(3).name || ' ' || ll(4).b.y || ' ' || ll.count);
  t(1)(2) := 'one-two'; t(1)(3) := 'x'; t(2)(1) := 'y';
  dbms_output.put_line(t(1)(2) || ' ' || t(1).count || ' ' || t.count);
end;
/
-- %TYPE and %ROWTYPE
declare
  e emp%rowtype; n emp.ename%type; s e.sal%type := 12.345;
begin
  e.empno := 1; n := 'abcdefghij';
  dbms_output.put_line(e.empno || n || s);
  n := n || 'k';
end;
/
-- subtypes
declare
  subtype small is pls_integer range 1..10;
  subtype name is varchar2(3) not null;
  s small := 5; n name := 'abc';
begin
  begin s := 11; exception when value_error then dbms_output.put_line('range'); end;
  begin n := null; exception when value_error then dbms_output.put_line('not null'); end;
  dbms_output.put_line(s || n);
end;
/
-- numbers are exact
declare
  n number := 9223372036854775807; i simple_integer := 2147483647; x number;
begin
  dbms_output.put_line(n + 1); dbms_output.put_line(n * n); dbms_output.put_line(-n - 2);
  dbms_output.put_line(1 / 3); dbms_output.put_line(10 / 4); dbms_output.put_line(2 ** 10); dbms_output.put_line(0.1 + 0.2);
  i := i + 1; dbms_output.put_line(i);
  dbms_output.put_line(mod(-7, 3) || ' ' || mod(7, 0) || ' ' || round(2.5) || ' ' || trunc(-2.7) || ' ' || power(2, 0.5));
  x := null; dbms_output.put_line('null is ' || nvl(to_char(x + 1), 'nothing'));
end;
/
-- char, dates, raw, boolean
declare
  c char(5) := 'ab'; v varchar2(5) := 'ab'; d date := date '2024-02-28'; r raw(2) := hextoraw('0aff'); b boolean; t timestamp(3);
begin
  dbms_output.put_line('[' || c || ']' || length(c));
  if c = 'ab' then dbms_output.put_line('padded'); end if;
  if c <> v then dbms_output.put_line('not padded'); end if;
  d := d + 2; dbms_output.put_line(to_char(d, 'yyyy-mm-dd') || ' ' || (d - date '2024-01-01'));
  dbms_output.put_line(r || ' ' || d);
  if b is null then dbms_output.put_line('unknown'); end if;
  b := not b or 1 = 1;
  if b then dbms_output.put_line('true'); end if;
  t := timestamp '2024-02-28 10:00:00.1239'; dbms_output.put_line(to_char(t, 'hh24:mi:ss.ff3'));
  dbms_output.put_line(extract(year from d) || ' ' || trim(both 'x' from 'xxaxx') || ' ' || cast('12' as number));
end;
/
-- three-valued logic, LIKE, IN, BETWEEN, CASE
declare
  n number; s varchar2(10) := 'a_c';
begin
  if n = 1 or n <> 1 then dbms_output.put_line('wrong'); else dbms_output.put_line('unknown'); end if;
  if not (n = 1) then dbms_output.put_line('wrong'); end if;
  if s like 'a\_%' escape '\' and s not like 'b%' then dbms_output.put_line('like'); end if;
  if 3 in (1, 2, 3) and 4 not in (1, 2) and 5 between 1 and 10 and 11 not between 1 and 10 then dbms_output.put_line('in'); end if;
  dbms_output.put_line(case s when 'x' then 1 when 'a_c' then 2 end || case when n is null then 'null' else 'no' end);
  dbms_output.put_line(coalesce(n, 5) || greatest(1, 3, 2) || nullif(1, 1) || upper('x') || substr('hello', 2, 3) || instr('hello', 'l'));
  if regexp_like('abc', '^a.c$') then dbms_output.put_line('regexp'); end if;
end;
/
-- a CASE whose last branch is converted
declare n number := 3; s varchar2(20);
begin
  for i in 1..10 loop
    n := case i when 1 then 10 when 2 then 20 when 3 then 30 when 4 then 40 when 5 then 50 when 6 then 60 when 7 then 70 when 8 then 80 else '99' end;
    s := s || n || ' ';
    exit when i = 6;
  end loop;
  dbms_output.put_line(s || case when n > 1 then 'x' else 'y' end);
end;
/
