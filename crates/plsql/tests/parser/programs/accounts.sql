create or replace package bank.accounts authid definer as
  overdrawn exception;
  type account_list is table of accounts%rowtype;
  type account_cursor is ref cursor return accounts%rowtype;
  g_default_rate constant number(3, 1) := 2.5;
  function balance_of (p_id in accounts.id%type) return number deterministic;
  procedure transfer (p_from number, p_to number, p_amount in out nocopy number, p_done out boolean);
  procedure interest (p_rate pls_integer);
end accounts;
