set serveroutput on
-- Five jobs insert and commit; the procedure below waits until they are gone.
create table t (x date, y char(255) default 'x', n number);
create or replace procedure fill(rounds in number) as
  l_date date;
begin
  for i in 1 .. rounds loop
    insert into t (x, n) values (sysdate, i) returning x into l_date;
    commit;
  end loop;
end;
/
create or replace procedure wait_for_jobs as
  l_left number;
begin
  for look in 1 .. 1200 loop
    select count(*) into l_left from user_jobs where what like 'fill(%' and nvl(failures, 0) = 0;
    exit when l_left = 0;
    dbms_lock.sleep(0.05);
  end loop;
  dbms_output.put_line('left: ' || l_left);
end;
/
declare
  l_job number;
begin
  for i in 1 .. 5 loop
    dbms_job.submit(l_job, 'fill(20);');
    dbms_output.put_line('job ' || l_job);
  end loop;
  commit;
end;
/
exec wait_for_jobs
select count(*), min(n), max(n) from t;
-- One that raises counts its failures and stays.
declare
  l_job number;
begin
  dbms_job.submit(l_job, 'raise_application_error(-20001, ''no'');');
  commit;
end;
/
declare
  l_failures number;
begin
  for look in 1 .. 1200 loop
    select nvl(max(failures), 0) into l_failures from user_jobs;
    exit when l_failures > 0;
    dbms_lock.sleep(0.05);
  end loop;
end;
/
select what, failures, broken from dba_jobs;
-- What does not compile, and an interval that is none, are refused.
variable j number
exec dbms_job.submit(:j, 'nothing_there;')
exec dbms_job.submit(:j, 'null;', sysdate, 'no date')
-- A job that is rolled back never was.
exec dbms_job.submit(:j, 'fill(1);'); rollback
select count(*) from user_jobs where what like 'fill%';
exit
