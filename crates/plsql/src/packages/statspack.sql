package statspack as
  procedure snap(i_snap_level in number default 5, i_ucomment in varchar2 default null);
  function snap(i_snap_level in number default 5, i_ucomment in varchar2 default null) return integer;
  -- Highwater's own: the report of two snapshots as lines of DBMS_OUTPUT. Null stands for the last one, and the one before it.
  procedure choose(begin_snap in out number, end_snap in out number);
  procedure report(begin_snap in number default null, end_snap in number default null);
end;
