insert into one values (1);
insert into many values (1);
update t set a = 1;
delete from t where a = ';';
delete from t where a = q'[it's; here
and there;]';
commit;
commit work -- with a comment; at the end
;
commit; -- trailing
commit /* and ; inside */ ;
/* a comment of its own */
/* before */ commit;
-- a remark;
rem a remark; too
alter session set events '10046 trace name context forever, level 8';
alter system flush buffer_cache;
create or replace procedure p as
begin

  null; -- with a ;
end;
/
show errors
create or replace package body bad as
  x nope;
end;
/
show errors
show errors package body bad
create table t (
  a number
)

create table t (
a number);
set sqlblanklines on
create table t (

a number);
create type t as object (a number);
/
declare
  x int;
begin null; end;
.
/
begin null; end;
/
exec null;
execute -
  dbms_output.put_line('continued')
variable n number
variable s varchar2(20)
variable c char
variable
variable x refcursor
variable x nonsense
begin :n:=42; :s:='text'; end;
/
print
print :n
print s
set autoprint on
begin :n:=43; end;
/
begin :nosuch:=1; end;
/
set autocommit on
insert into one values (1);
truncate table t;
drop table t;
grant select on t to scott;
set role all;
set transaction read only;
(select * from dual);
with x as (select 1 from dual) select * from dual;
