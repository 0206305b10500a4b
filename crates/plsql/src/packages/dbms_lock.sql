package dbms_lock as
  procedure sleep(seconds in number);
end;
