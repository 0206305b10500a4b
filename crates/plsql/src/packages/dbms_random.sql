package dbms_random as
  procedure initialize(val in binary_integer);
  procedure seed(val in binary_integer);
  procedure seed(val in varchar2);
  procedure terminate;
  function value return number;
  function value(low in number, high in number) return number;
  function normal return number;
  function random return binary_integer;
  function string(opt in char, len in number) return varchar2;
end;
