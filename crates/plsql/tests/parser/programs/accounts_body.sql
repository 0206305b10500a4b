create or replace package body bank.accounts as
  -- Money moves between accounts; every move is written down.
  type amounts is table of number(12, 2) index by pls_integer;
  type move is record (id moves.id%type, cents pls_integer not null := 0, made date default sysdate);
  subtype percentage is pls_integer range 0 .. 100;
  overdrawn exception;
  pragma exception_init(overdrawn, -20010);
  g_moves pls_integer := 0;
  c_limit constant number := -500;
  cursor c_rich (p_least number default 1e6) return accounts%rowtype is
    select * from accounts where balance >= p_least order by balance desc;

  procedure note (p_text in varchar2, p_level in pls_integer default 1);

  function balance_of (p_id in accounts.id%type) return number deterministic is
    l_balance accounts.balance%type;
  begin
    select /*+ index(a) */ balance -- one row
      into l_balance
      from accounts a
     where id = p_id;
    return l_balance;
  exception
    when no_data_found then
      return null;
    when too_many_rows or value_error then
      note('twice: ' || p_id, p_level => 3);
      raise;
  end balance_of;

  procedure note (p_text in varchar2, p_level in pls_integer default 1) is
    pragma autonomous_transaction;
  begin
    insert into notes (text, lvl, at) values (p_text, p_level, sysdate);
    commit;
  end note;

  procedure transfer (p_from number, p_to number, p_amount in out nocopy number, p_done out boolean) is
    l_left number;
    l_move move;
    procedure check_one (p_id number) is
      l_count pls_integer;
    begin
      select count(*) into l_count from accounts where id = p_id;
      if l_count = 0 then
        raise_application_error(-20001, 'no account ' || p_id);
      end if;
    end;
  begin
    savepoint before_transfer;
    check_one(p_from);
    check_one(p_id => p_to);
    p_amount := round(p_amount, 2);
    update accounts set balance = balance - p_amount
     where id = p_from
    returning balance, balance * 100 into l_left, l_move.cents;
    if sql%rowcount <> 1 or l_left < c_limit then
      rollback to savepoint before_transfer;
      p_done := false;
      raise overdrawn;
    elsif l_left between c_limit and 0 then
      note(q'[that's red]');
    else
      null;
    end if;
    update accounts set balance = balance + p_amount where id = p_to;
    insert into moves values l_move;
    g_moves := g_moves + 1;
    p_done := not sql%notfound;
  end transfer;

  procedure interest (p_rate percentage) is
    l_ids amounts;
    l_rates amounts;
  begin
    for r in c_rich(p_least => 10 ** 3) loop
      l_ids(l_ids.count + 1) := r.id;
      l_rates(l_ids.count) := r.balance * p_rate / 100;
      exit when l_ids.count >= 1000;
    end loop;
    forall i in indices of l_ids between 1 and l_ids.last save exceptions
      update accounts set balance = balance + l_rates(i) where id = l_ids(i);
    dbms_output.put_line(sql%bulk_rowcount(1));
  exception
    when others then
      for i in reverse 1 .. sql%bulk_exceptions.count loop
        dbms_output.put_line(sql%bulk_exceptions(i).error_index || ': ' || sqlerrm(-sql%bulk_exceptions(i).error_code));
      end loop;
      raise;
  end;
begin
  select nvl(max(id), 0) into g_moves from moves;
exception
  when others then g_moves := 0;
end accounts;
