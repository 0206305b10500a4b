package dbms_utility as
  function get_time return number;
  function get_cpu_time return number;
  function format_error_stack return varchar2;
  function format_error_backtrace return varchar2;
  function format_call_stack return varchar2;
end;
