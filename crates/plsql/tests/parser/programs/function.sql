create function ackermann (m in pls_integer, n in pls_integer := 0) return pls_integer
  authid current_user deterministic
is
  function next (value number) return number;
  function next (value number) return number is begin return value + 1; end next;
begin
  return case when m = 0 then next(n) when n = 0 then ackermann(m - 1, 1) else ackermann(m - 1, n => ackermann(m, n - 1)) end;
end ackermann;
