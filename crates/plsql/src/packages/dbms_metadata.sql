package dbms_metadata as
  function get_ddl(object_type in varchar2, name in varchar2, schema in varchar2 default null) return varchar2;
end;
