# Functions of PL/SQL in SQL statements.

create table emp (id number primary key, name varchar2(10), pay number, hired date)
/
CREATE TABLE

insert into emp select level, 'emp' || level, level * 100, date '2026-01-01' + level from dual connect by level <= 5
/
INSERT: 5 rows

commit
/
COMMIT

create function twice(x number) return number deterministic is begin return 2 * x; end;
/
CREATE FUNCTION

create function greet(who varchar2 default 'you', how varchar2 default 'hello', mark varchar2 default '!') return varchar2 is
begin return how || ' ' || who || mark; end;
/
CREATE FUNCTION

create function the_answer return number is begin return 42; end;
/
CREATE FUNCTION

create package p as
  calls number := 0;
  function count_calls(x number) return number;
  function pick(x number) return varchar2;
  function pick(x varchar2) return varchar2;
  function pick(x date) return varchar2;
  function day_after(d date) return date;
  function moment(t timestamp) return timestamp;
  function bytes(r raw) return raw;
  function padded(c char) return char;
  function flag(x number) return boolean;
  function of_flag(b boolean) return number;
  function with_out(x out number) return number;
  procedure proc(x number);
end;
/
CREATE PACKAGE

create package body p as
  function count_calls(x number) return number is begin calls := calls + 1; return x; end;
  function pick(x number) return varchar2 is begin return 'number ' || x; end;
  function pick(x varchar2) return varchar2 is begin return 'text ' || x; end;
  function pick(x date) return varchar2 is begin return 'date ' || to_char(x, 'YYYY-MM-DD'); end;
  function day_after(d date) return date is begin return d + 1; end;
  function moment(t timestamp) return timestamp is begin return t; end;
  function bytes(r raw) return raw is begin return r; end;
  function padded(c char) return char is begin return c; end;
  function flag(x number) return boolean is begin return x > 0; end;
  function of_flag(b boolean) return number is begin return 1; end;
  function with_out(x out number) return number is begin x := 1; return 1; end;
  procedure proc(x number) is begin null; end;
end;
/
CREATE PACKAGE BODY

select line, text from user_errors where name = 'P' order by sequence
/
LINE | TEXT

# In a select list, WHERE, ORDER BY, GROUP BY, nested, beside columns.
select id, twice(id), twice(twice(id)) + 1 x from emp where twice(id) > 4 order by twice(id) desc
/
ID | TWICE(ID) | X
5 | 10 | 21
4 | 8 | 17
3 | 6 | 13

select twice(mod(id, 2)) k, count(*), sum(twice(pay)) from emp group by twice(mod(id, 2)) order by 1
/
K | COUNT(*) | SUM(TWICE(PAY))
0 | 2 | 1200
2 | 3 | 1800

select max(twice(pay)), twice(max(pay)) from emp having twice(count(*)) = 10
/
MAX(TWICE(PAY)) | TWICE(MAX(PAY))
1000 | 1000

select the_answer, the_answer(), p.count_calls(1), "SYSTEM"."P"."PICK"('a') q from dual
/
THE_ANSWER | THE_ANSWER() | P.COUNT_CALLS(1) | Q
42 | 42 | 1 | text a

select system.twice(4), system.p.pick(4) from dual
/
SYSTEM.TWICE(4) | SYSTEM.P.PICK(4)
8 | number 4

# Positional and named notation, defaults.
select greet, greet('ann'), greet(how => 'hi'), greet('bob', mark => '?'), greet(mark => '.', who => 'cid') from dual
/
GREET | GREET('ANN') | GREET(HOW=>'HI') | GREET('BOB',MARK=>'?') | GREET(MARK=>'.',WHO=>'CID')
hello you! | hello ann! | hi you! | hello bob? | hello cid.

select greet(null), greet(who => null, how => 'x') from dual
/
GREET(NULL) | GREET(WHO=>NULL,HOW=>'X')
hello ! | x !

# One of several by the types of the arguments, and other types than NUMBER.
select p.pick(1), p.pick('a'), p.pick(hired), p.pick(null || 'x') from emp where id = 1
/
P.PICK(1) | P.PICK('A') | P.PICK(HIRED) | P.PICK(NULL||'X')
number 1 | text a | date 2026-01-02 | text x

select to_char(p.day_after(hired), 'YYYY-MM-DD') d, p.moment(timestamp '2026-01-02 03:04:05.678') m, p.bytes(hextoraw('0AFF')) r, p.padded('ab  ') || '|' c from emp where id = 2
/
D | M | R | C
2026-01-04 | 02-JAN-26 03.04.05.678000 AM | 0AFF | ab  |

select twice('21') from dual
/
TWICE('21')
42

# Once a row; in a scalar subquery once.
select p.count_calls(id) from emp where id <= 3
/
P.COUNT_CALLS(ID)
1
2
3

begin dbms_output.put_line(p.calls); p.calls := 0; end;
/
4
PL/SQL

select id, (select p.count_calls(7) from dual) once from emp
/
ID | ONCE
1 | 7
2 | 7
3 | 7
4 | 7
5 | 7

begin dbms_output.put_line(p.calls); p.calls := 0; end;
/
1
PL/SQL

select count(*) from emp where p.count_calls(1) = 1
/
COUNT(*)
5

begin dbms_output.put_line(p.calls); p.calls := 0; end;
/
5
PL/SQL

select id from emp where id = 2 and p.count_calls(id) = 2
/
ID
2

begin dbms_output.put_line(p.calls); p.calls := 0; end;
/
1
PL/SQL

select case when id > 3 then p.count_calls(id) end c from emp order by id
/
C
-
-
-
4
5

begin dbms_output.put_line(p.calls); p.calls := 0; end;
/
2
PL/SQL

# In joins, set operations, subqueries, views.
select a.id, b.id from emp a, emp b where b.id = twice(a.id) order by 1
/
ID | ID
1 | 2
2 | 4

select twice(id) from emp where id < 3 union all select the_answer from dual
/
TWICE(ID)
2
4
42

select name from emp where id in (select twice(id) from emp) order by 1
/
NAME
emp2
emp4

create view v as select id, twice(pay) double_pay from emp
/
CREATE VIEW

select * from v where double_pay >= 800 order by id
/
ID | DOUBLE_PAY
4 | 800
5 | 1000

# In DML.
insert into emp values (twice(50), greet('x'), the_answer, p.day_after(date '2026-02-01'))
/
INSERT: 1 rows

insert into emp (id, pay) select twice(id) + 1000, twice(pay) from emp where id <= 2
/
INSERT: 2 rows

update emp set pay = twice(pay), name = p.pick(id) where twice(id) = 6
/
UPDATE: 1 rows

delete from emp where twice(id) = 2004
/
DELETE: 1 rows

merge into emp e using (select 1 id from dual) s on (e.id = s.id) when matched then update set pay = twice(7)
/
MERGE: 1 rows

select id, name, pay from emp order by id
/
ID | NAME | PAY
1 | emp1 | 14
2 | emp2 | 200
3 | number 3 | 600
4 | emp4 | 400
5 | emp5 | 500
100 | hello x! | 42
1004 | - | 400

rollback
/
ROLLBACK

create table made as select id, twice(pay) double_pay, greet(name) hello from emp where id <= 2
/
CREATE TABLE: 2 rows

select * from made order by id
/
ID | DOUBLE_PAY | HELLO
1 | 200 | hello emp1!
2 | 400 | hello emp2!

# In SQL of programs.
create procedure in_program(p_by number) is
  l number;
  l_text varchar2(30);
  cursor c is select twice(id) double_id from emp where twice(id) <= p_by order by 1;
begin
  select sum(twice(pay)) into l from emp where id <= p_by;
  dbms_output.put_line('sum ' || l);
  select the_answer into l from dual;
  dbms_output.put_line('answer ' || l);
  select greet(how => 'hey', who => name) into l_text from emp where id = 1;
  dbms_output.put_line(l_text);
  for r in c loop dbms_output.put_line('row ' || r.double_id || ' ' || twice(r.double_id)); end loop;
  update emp set pay = twice(p_by) where id = 1 returning pay into l;
  dbms_output.put_line('pay ' || l);
  execute immediate 'select twice(:x) from dual' into l using 8;
  dbms_output.put_line('dynamic ' || l);
  rollback;
end;
/
CREATE PROCEDURE

begin in_program(4); end;
/
sum 2000
answer 42
hey emp1!
row 2 4
row 4 8
pay 8
dynamic 16
PL/SQL

# A package's SQL calls the package's own function.
create package own as
  function f(x number) return number;
  procedure q;
end;
/
CREATE PACKAGE

create package body own as
  function f(x number) return number is begin return x + 1; end;
  procedure q is l number; begin select sum(f(id)) into l from emp; dbms_output.put_line(l); end;
end;
/
CREATE PACKAGE BODY

begin own.q; end;
/
20
PL/SQL

# SQL in functions: each statement of theirs sees what is committed, and what the session has done.
create function pay_of(p_id number) return number is
  l number;
begin
  select pay into l from emp where id = p_id;
  return l;
end;
/
CREATE FUNCTION

select id, pay_of(id) from emp order by id
/
ID | PAY_OF(ID)
1 | 100
2 | 200
3 | 300
4 | 400
5 | 500

create table grown (n number)
/
CREATE TABLE

create procedure grow_by_one is pragma autonomous_transaction; begin insert into grown values (1); commit; end;
/
CREATE PROCEDURE

create function grow return number is l number; begin grow_by_one; select count(*) into l from grown; return l; end;
/
CREATE FUNCTION

select id, grow from emp order by id
/
ID | GROW
1 | 1
2 | 2
3 | 3
4 | 4
5 | 5

select count(*), max(grow) from grown
/
COUNT(*) | MAX(GROW)
5 | 10

# NO_DATA_FOUND is NULL; what else goes wrong is the statement's error.
select pay_of(99) from dual
/
PAY_OF(99)
-

create function fails(x number) return number is
begin
  if x = 3 then
    raise_application_error(-20001, 'not ' || x);
  end if;
  return 10 / (x - 2);
end;
/
CREATE FUNCTION

select id, fails(id) from emp where id = 3
/
ORA-20001: not 3
ORA-06512: at "SYSTEM.FAILS", line 4

select id, fails(id) from emp where id <= 2
/
ORA-01476: divisor is equal to zero
ORA-06512: at "SYSTEM.FAILS", line 6

update emp set pay = fails(id)
/
ORA-01476: divisor is equal to zero
ORA-06512: at "SYSTEM.FAILS", line 6

select sum(pay) from emp
/
SUM(PAY)
1500

create function no_return(x number) return number is begin if x = 1 then return 1; end if; end;
/
CREATE FUNCTION

select no_return(2) from dual
/
ORA-06503: PL/SQL: Function returned without value
ORA-06512: at "SYSTEM.NO_RETURN", line 1

create function nested(x number) return number is l number; begin select fails(x) into l from dual; return l; end;
/
CREATE FUNCTION

select nested(3) from dual
/
ORA-20001: not 3
ORA-06512: at "SYSTEM.FAILS", line 4
ORA-06512: at "SYSTEM.NESTED", line 1

begin
  for r in (select fails(id) f from emp order by id) loop dbms_output.put_line(r.f); end loop;
exception when others then dbms_output.put_line(sqlerrm);
end;
/
ORA-01476: divisor is equal to zero
ORA-06512: at "SYSTEM.FAILS", line 6
PL/SQL

# Recursion through SQL.
create function fact(n number) return number is l number; begin if n <= 1 then return 1; end if; select n * fact(n - 1) into l from dual; return l; end;
/
CREATE FUNCTION

select fact(5) from dual
/
FACT(5)
120

select fact(100) from dual
/
ORA-00036: maximum number of recursive SQL levels (32) exceeded
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1
ORA-06512: at "SYSTEM.FACT", line 1

# What a function in a query may not do.
create table log (text varchar2(20))
/
CREATE TABLE

create function writes return number is begin insert into log values ('x'); return 1; end;
/
CREATE FUNCTION

create function commits return number is begin commit; return 1; end;
/
CREATE FUNCTION

create function ddl return number is begin execute immediate 'create table x (a number)'; return 1; end;
/
CREATE FUNCTION

create function locks return number is l number; begin select id into l from emp where id = 1 for update; return l; end;
/
CREATE FUNCTION

create function autonomous return number is
  pragma autonomous_transaction;
begin
  insert into log values ('autonomous');
  commit;
  return 1;
end;
/
CREATE FUNCTION

create function nested_write return number is l number; begin l := writes; return l; end;
/
CREATE FUNCTION

select writes from dual
/
ORA-14551: cannot perform a DML operation inside a query
ORA-06512: at "SYSTEM.WRITES", line 1

select nested_write from dual
/
ORA-14551: cannot perform a DML operation inside a query
ORA-06512: at "SYSTEM.WRITES", line 1
ORA-06512: at "SYSTEM.NESTED_WRITE", line 1

select commits from dual
/
ORA-14552: cannot perform a DDL, commit or rollback inside a query or DML
ORA-06512: at "SYSTEM.COMMITS", line 1

select ddl from dual
/
ORA-14552: cannot perform a DDL, commit or rollback inside a query or DML
ORA-06512: at "SYSTEM.DDL", line 1

select locks from dual
/
ORA-14551: cannot perform a DML operation inside a query
ORA-06512: at "SYSTEM.LOCKS", line 1

select autonomous from dual
/
AUTONOMOUS
1

select text from log
/
TEXT
autonomous

# In a statement that changes rows it may change others, and not end the transaction.
insert into made values (writes, 0, 'x')
/
INSERT: 1 rows

insert into made values (commits, 0, 'x')
/
ORA-14552: cannot perform a DDL, commit or rollback inside a query or DML
ORA-06512: at "SYSTEM.COMMITS", line 1

select text from log order by 1
/
TEXT
autonomous
x

update made set double_pay = writes where id = 1
/
UPDATE: 2 rows

rollback
/
ROLLBACK

select count(*) from log
/
COUNT(*)
1

begin dbms_output.put_line(writes); rollback; end;
/
1
PL/SQL

# What cannot be called.
select nosuch(1) from dual
/
ORA-00904: "NOSUCH": invalid identifier [7]

select p.nosuch(1) from dual
/
ORA-00904: "P"."NOSUCH": invalid identifier [7]

select p.proc(1) from dual
/
ORA-00904: "P"."PROC": invalid identifier [7]

select in_program(1) from dual
/
ORA-00904: "IN_PROGRAM": invalid identifier [7]

select twice from dual
/
ORA-06553: PLS-306: wrong number or types of arguments in call to 'TWICE' [7]

select twice(1, 2) from dual
/
ORA-06553: PLS-306: wrong number or types of arguments in call to 'TWICE' [7]

select twice(y => 1) from dual
/
ORA-06553: PLS-306: wrong number or types of arguments in call to 'TWICE' [7]

select twice(date '2026-01-01') from dual
/
ORA-06553: PLS-306: wrong number or types of arguments in call to 'TWICE' [7]

select p.with_out(1) from dual
/
ORA-06572: Function WITH_OUT has out arguments [7]

select p.flag(1) from dual
/
ORA-06552: PL/SQL: Statement ignored
ORA-06553: PLS-382: expression is of wrong type [7]

select p.of_flag(1) from dual
/
ORA-06553: PLS-306: wrong number or types of arguments in call to 'OF_FLAG' [7]

select id from emp where p.flag(id)
/
ORA-00920: invalid relational operator: p.flag(id) is a value, not a condition [25]

select nvl(x => 1) from dual
/
HW-0001: not supported: argument x => 1 in NVL [7]

create function broken return number is begin return nosuch; end;
/
CREATE FUNCTION

select broken from dual
/
ORA-06575: Package or function BROKEN is in an invalid state [7]

create package half as function f return number; end;
/
CREATE PACKAGE

select half.f from dual
/
ORA-04067: not executed, package body "SYSTEM.HALF" does not exist

create package body half as function f return number is begin return nosuch; end; end;
/
CREATE PACKAGE BODY

select half.f from dual
/
ORA-04063: package body "SYSTEM.HALF" has errors

drop function twice
/
DROP FUNCTION

select twice(1) from dual
/
ORA-00904: "TWICE": invalid identifier [7]

select * from v
/
ORA-04063: view "SYSTEM.V" has errors: ORA-00904: "TWICE": invalid identifier [14]

# A function of another schema.
create user ann identified by ann
/
CREATE USER

grant connect, resource to ann
/
GRANT

create user bob identified by bob
/
CREATE USER

grant create session to bob
/
GRANT

connect ann
create table secret (n number)
/
CREATE TABLE

insert into secret values (7)
/
INSERT: 1 rows

commit
/
COMMIT

create function total return number is l number; begin select sum(n) into l from secret; return l; end;
/
CREATE FUNCTION

create function whose return varchar2 authid current_user is begin return sys_context('USERENV', 'CURRENT_USER'); end;
/
CREATE FUNCTION

create function whose_own return varchar2 is begin return sys_context('USERENV', 'CURRENT_USER') || ' for ' || user; end;
/
CREATE FUNCTION

grant execute on whose to public
/
GRANT

grant execute on whose_own to public
/
GRANT

connect bob
select ann.total from dual
/
ORA-00904: "ANN"."TOTAL": invalid identifier [7]

select ann.total() from dual
/
ORA-00904: "ANN"."TOTAL": invalid identifier [7]

connect ann
grant execute on total to bob
/
GRANT

connect bob
select ann.total, ann.total() + 1 x, ann.whose, ann.whose_own from dual
/
TOTAL | X | WHOSE | WHOSE_OWN
7 | 8 | BOB | ANN for BOB

select n from ann.secret
/
ORA-00942: there is no table or view ANN.SECRET [14]

begin for r in (select ann.total t, ann.whose w from dual) loop dbms_output.put_line(r.t || ' ' || r.w); end loop; end;
/
7 BOB
PL/SQL

# What another condition rules out is not called for.
connect system
select id from emp where mod(id, 2) = 0 and p.count_calls(id) > 0 order by id
/
ID
2
4

begin dbms_output.put_line(p.calls); p.calls := 0; end;
/
2
PL/SQL

select id from emp where fails(id) > 0 and id not in (2, 3) order by id
/
ID
4
5

select id from emp where id not in (2, 3) and length(name) = 4 and fails(id) > 0 order by id
/
ID
4
5

select id from emp where mod(id, 3) <> 2 and mod(id, 2) = 0 and not (fails(id + 1) > 5) order by id
/
ID
4

# Not in what the dictionary keeps for later rows.
create table kept (a number default the_answer)
/
ORA-04044: procedure, function, package, or type is not allowed here: THE_ANSWER

create table kept (a number check (the_answer > a))
/
ORA-04044: procedure, function, package, or type is not allowed here: THE_ANSWER [35]

create table kept (a number default p.count_calls(1))
/
ORA-04044: procedure, function, package, or type is not allowed here: P.COUNT_CALLS

# The same seed, the same numbers; in queries too.
declare
  a number; b number; c number;
begin
  dbms_random.seed(7); a := dbms_random.value; dbms_random.seed(7); b := dbms_random.value;
  dbms_random.seed('seven'); c := dbms_random.value;
  dbms_output.put_line(case when a = b and a <> c then 'alike' else 'not alike' end);
  dbms_random.seed(0);
end;
/
alike
PL/SQL

select min(length(n)) least, max(length(n)) most, count(distinct n) different
from (select trunc(dbms_random.value(10000000, 100000000)) n from dual connect by level <= 1000)
/
LEAST | MOST | DIFFERENT
8 | 8 | 1000

# Calls that look alike are two calls, which ORDER BY tells apart by the names of their items.
create sequence calls
/
CREATE SEQUENCE

-- Odd calls rise, even ones fall.
create function next_call return number is n number;
begin select calls.nextval into n from dual; return case when mod(n, 2) = 1 then n else -n end; end;
/
CREATE FUNCTION

begin
  for r in (select next_call x, next_call y from emp order by y * 1) loop dbms_output.put_line(sign(r.x) || sign(r.y)); end loop;
end;
/
1-1
1-1
-11
-11
-11
PL/SQL

select calls.currval from dual
/
CURRVAL
10

# A function gets the rows in the order of an inline view, above the joins that subqueries become.
create package counted is n number := 0; function next (a number) return number; end;
/
CREATE PACKAGE

create package body counted is function next (a number) return number is begin n := n + 1; return n * 100 + a; end; end;
/
CREATE PACKAGE BODY

create table ordered_rows as select level a, mod(level * 7, 11) b from dual connect by level <= 10
/
CREATE TABLE: 10 rows

select b from (select counted.next(b) b from (select a, b from ordered_rows order by b desc) where a in (select level from dual connect by level <= 3)) order by b
/
B
110
207
303

select b from (select counted.next(b) b, (select max(r.a) from ordered_rows r where r.a = v.a) c from (select a, b from ordered_rows order by b desc) v) where c <= 3 order by b
/
B
410
507
603

select b, m from (select counted.next(b) b, (select max(r.a) from ordered_rows r where r.a = v.a) c, max((select max(r.b) from ordered_rows r where r.a = v.a)) over () m from (select a, b from ordered_rows order by b desc) v) where c <= 2 order by b
/
B | M
707 | 10
803 | 10

select b from (select counted.next(b) b from (select a, b from ordered_rows order by dbms_random.value) v where exists (select 1 from ordered_rows r where r.a = v.a) and rownum <= 2) where b is null
/
B
