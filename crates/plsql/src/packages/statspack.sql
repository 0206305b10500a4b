package statspack as
  procedure snap(i_snap_level in number default 5, i_ucomment in varchar2 default null);
  function snap(i_snap_level in number default 5, i_ucomment in varchar2 default null) return integer;
end;
