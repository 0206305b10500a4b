package dbms_monitor as
  procedure session_trace_enable(session_id in binary_integer default null, serial_num in binary_integer default null,
                                 waits in boolean default true, binds in boolean default false, plan_stat in varchar2 default null);
  procedure session_trace_disable(session_id in binary_integer default null, serial_num in binary_integer default null);
end;
