# The levels of Statspack: kept, and what does not exist is refused.
begin perfstat.statspack.snap; end;
/
PL/SQL

begin perfstat.statspack.snap(null); end;
/
PL/SQL

begin perfstat.statspack.snap(i_snap_level => 7); end;
/
PL/SQL
notice: I_SNAP_LEVEL 7 is kept, but what is collected is the same at every level

declare n integer; begin n := perfstat.statspack.snap(0); dbms_output.put_line('snapshot ' || n); end;
/
snapshot 4
PL/SQL
notice: I_SNAP_LEVEL 0 is kept, but what is collected is the same at every level

begin perfstat.statspack.snap(6); perfstat.statspack.snap(10); end;
/
PL/SQL
notice: I_SNAP_LEVEL 6 is kept, but what is collected is the same at every level
notice: I_SNAP_LEVEL 10 is kept, but what is collected is the same at every level

begin perfstat.statspack.snap(i_snap_level => 8); end;
/
ORA-20100: there is no snapshot level 8: levels are 0, 5, 6, 7 and 10
ORA-06512: at line 1

begin perfstat.statspack.snap(i_snap_level => -1); end;
/
ORA-20100: there is no snapshot level -1: levels are 0, 5, 6, 7 and 10
ORA-06512: at line 1

begin perfstat.statspack.snap(i_snap_level => 5.5); end;
/
ORA-20100: there is no snapshot level 5.5: levels are 0, 5, 6, 7 and 10
ORA-06512: at line 1

select snap_id, snap_level from perfstat.stats$snapshot order by 1
/
SNAP_ID | SNAP_LEVEL
1 | 5
2 | 5
3 | 7
4 | 0
5 | 6
6 | 10

# Every level lists statements and segments, as level 0 of Statspack does not.
select p.snap_level, sign((select count(*) from perfstat.stats$sql_summary q where q.snap_id = p.snap_id)) statements,
       sign((select count(*) from perfstat.stats$seg_stat g where g.snap_id = p.snap_id)) segments
  from perfstat.stats$snapshot p order by p.snap_level
/
SNAP_LEVEL | STATEMENTS | SEGMENTS
0 | 1 | 1
5 | 1 | 1
5 | 1 | 1
6 | 1 | 1
7 | 1 | 1
10 | 1 | 1
