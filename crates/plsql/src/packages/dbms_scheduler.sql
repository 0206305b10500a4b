package dbms_scheduler as
  procedure create_job(job_name in varchar2, job_type in varchar2, job_action in varchar2, number_of_arguments in pls_integer default 0,
                       start_date in timestamp default null, repeat_interval in varchar2 default null, end_date in timestamp default null,
                       job_class in varchar2 default 'DEFAULT_JOB_CLASS', enabled in boolean default false, auto_drop in boolean default true,
                       comments in varchar2 default null);
  procedure run_job(job_name in varchar2, use_current_session in boolean default true);
  procedure stop_job(job_name in varchar2, force in boolean default false);
  procedure drop_job(job_name in varchar2, force in boolean default false);
  procedure enable(name in varchar2);
  procedure disable(name in varchar2, force in boolean default false);
  procedure set_attribute(name in varchar2, attribute in varchar2, value in boolean);
  procedure set_attribute(name in varchar2, attribute in varchar2, value in varchar2);
  procedure set_attribute(name in varchar2, attribute in varchar2, value in number);
  procedure set_attribute(name in varchar2, attribute in varchar2, value in timestamp);
  procedure set_attribute_null(name in varchar2, attribute in varchar2);
  procedure set_job_argument_value(job_name in varchar2, argument_position in pls_integer, argument_value in varchar2);
  procedure evaluate_calendar_string(calendar_string in varchar2, start_date in timestamp, return_date_after in timestamp,
                                     next_run_date out timestamp);
  function generate_job_name(prefix in varchar2 default 'JOB$_') return varchar2;
end;
