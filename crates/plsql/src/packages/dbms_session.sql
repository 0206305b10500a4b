package dbms_session as
  procedure sleep(seconds in number);
  procedure set_sql_trace(sql_trace in boolean);
  procedure set_identifier(client_id in varchar2);
  procedure clear_identifier;
  procedure session_trace_enable(waits in boolean default true, binds in boolean default false, plan_stat in varchar2 default null);
  procedure session_trace_disable;
  procedure set_nls(param in varchar2, value in varchar2);
  function unique_session_id return varchar2;
  procedure reset_package;
  function is_role_enabled(rolename in varchar2) return boolean;
end;
