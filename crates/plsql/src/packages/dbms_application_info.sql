package dbms_application_info as
  procedure set_module(module_name in varchar2, action_name in varchar2);
  procedure set_action(action_name in varchar2);
  procedure set_client_info(client_info in varchar2);
  procedure read_module(module_name out varchar2, action_name out varchar2);
  procedure read_client_info(client_info out varchar2);
end;
