# EXECUTE IMMEDIATE describes its statement before it opens it: what changes between two statements of one text counts.

create table shown (v varchar2(30))
/
CREATE TABLE

declare x varchar2(30); y varchar2(30); c number;
begin
  begin
    execute immediate 'select to_char(date ''2020-01-02'') from dual' into x, y;
  exception when others then c := sqlcode; insert into shown values (c);
  end;
  dbms_session.set_nls('nls_date_format', '''YYYY''');
  for i in 1..3 loop
    execute immediate 'select to_char(date ''2020-01-02'') from dual' into x;
    insert into shown values (x);
  end loop;
end;
/
PL/SQL

select v, count(*) n from shown group by v order by v
/
V | N
-1007 | 1
2020 | 3
