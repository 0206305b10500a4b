create or replace trigger bank.t_accounts
  before insert or update of balance, owner or delete on bank.accounts
  referencing old as was new as becomes
  for each row
  when (becomes.balance < 0 or was.balance is null)
declare
  l_name varchar2(30);
begin
  if inserting then
    :becomes.id := ids.nextval;
  elsif updating('BALANCE') and :was.balance <> :becomes.balance then
    insert into changes (id, was, becomes) values (:was.id, :was.balance, :becomes.balance);
  elsif deleting then
    delete from moves where id in (:was.id);
  end if;
  select name into l_name from owners where id = nvl(:becomes.owner, :was.owner);
exception
  when no_data_found then :becomes.owner := null;
end t_accounts;
