package dbms_job as
  any_instance constant binary_integer := 0;
  procedure submit(job out binary_integer, what in varchar2, next_date in date default sysdate, interval in varchar2 default null,
                   no_parse in boolean default false, instance in binary_integer default 0, force in boolean default false);
  procedure isubmit(job in binary_integer, what in varchar2, next_date in date, interval in varchar2 default null, no_parse in boolean default false);
  procedure remove(job in binary_integer);
  procedure change(job in binary_integer, what in varchar2, next_date in date, interval in varchar2);
  procedure what(job in binary_integer, what in varchar2);
  procedure next_date(job in binary_integer, next_date in date);
  procedure interval(job in binary_integer, interval in varchar2);
  procedure broken(job in binary_integer, broken in boolean, next_date in date default sysdate);
  procedure run(job in binary_integer, force in boolean default false);
end;
