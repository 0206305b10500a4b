create or replace trigger log_biu before insert or update or delete on log for each row when (nvl(new.id, 0) >= 0 or old.id is not null)
declare
  procedure say(t varchar2) is begin dbms_output.put_line(t || ' ' || :old.text || '->' || :new.text); end;
begin
  if inserting then
    :new.id := nvl(:new.id, 100);
    :new.text := upper(:new.text);
    say('insert');
  elsif updating('TEXT') then
    say('update of text');
  elsif updating then
    say('update');
  else
    say('delete');
  end if;
  if :new.text = 'BAD' then raise_application_error(-20009, 'refused'); end if;
end;
/
declare n number; t varchar2(10);
begin
  insert into log (text) values ('first') returning id, text into n, t;
  dbms_output.put_line(n || t);
  update log set text = 'second';
  update log set id = 5;
  insert into log (id, text) values (-1, 'quiet');
  begin insert into log (text) values ('bad'); exception when others then dbms_output.put_line(sqlerrm); end;
  delete from log;
  rollback;
end;
/
create or replace trigger wrong after insert on log for each row begin :new.id := 1; end;
/
