-- DBMS_OUTPUT
declare
  line varchar2(100); status integer; lines dbms_output.chararr; n integer := 10;
begin
  dbms_output.put_line('one'); dbms_output.put('tw'); dbms_output.put('o'); dbms_output.new_line; dbms_output.put_line(3);
  dbms_output.get_line(line, status);
  dbms_output.get_lines(lines, n);
  dbms_output.put_line(line || status || ' ' || n || lines(1) || lines(2));
  sys.dbms_output.put_line(date '2024-01-02');
  dbms_output.enable(2000);
  for i in 1..3 loop dbms_output.put_line(rpad('x', 900, 'x')); end loop;
exception
  when others then
    dbms_output.disable; dbms_output.enable(null); dbms_output.put_line(sqlerrm);
end;
/
-- what the host carries out
declare
  j number; r number;
begin
  dbms_lock.sleep(1.5);
  dbms_job.submit(j, 'do_insert;');
  dbms_output.put_line('job ' || j);
  dbms_job.broken(j, true, date '2024-01-02');
  perfstat.statspack.snap;
  r := perfstat.statspack.snap(i_snap_level => 7);
  dbms_output.put_line(r || ' ' || dbms_utility.get_time);
  dbms_random.seed(42);
  if dbms_random.value between 0 and 1 and dbms_random.value(5, 6) >= 5 and length(dbms_random.string('u', 4)) = 4 then dbms_output.put_line('random'); end if;
  dbms_stats.gather_table_stats(user, 'EMP', cascade => true);
  dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'begin null; end;', enabled => true);
end;
/
begin statspack.snap; end;
/
begin dbms_nosuch.p; end;
/
