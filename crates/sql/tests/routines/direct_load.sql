# INSERT /*+ APPEND */ and NOLOGGING: which statements are direct loads, what they write, and what comes of constraints.
create table src as select level n, 'row ' || lpad(level, 30, '-') v from dual connect by level <= 20000
/

create table t (n number not null, v varchar2(60) check (v <> 'no'))
/

explain plan for insert /*+ append */ into t select n, v from src
/

select operation, object_name from plan_table order by id
/

delete from plan_table
/

explain plan for insert into t select n, v from src
/

select operation, object_name from plan_table order by id
/

create or replace package figures as
  function direct_writes return number;
  function redo return number;
end;
/

create or replace package body figures as
  function figure(which varchar2) return number is
    found number;
  begin
    select value into found from v$mystat m, v$statname n where m.statistic# = n.statistic# and n.name = which;
    return found;
  end;
  function direct_writes return number is begin return figure('physical writes direct'); end;
  function redo return number is begin return figure('redo size'); end;
end;
/

declare
  writes number := figures.direct_writes;
  bytes number := figures.redo;
  conventional number;
  logged number;
  procedure take(what varchar2) is
  begin
    dbms_output.put_line(what || ': ' || sql%rowcount || ' rows, direct writes: ' ||
      case when figures.direct_writes - writes > 50 then 'many' when figures.direct_writes > writes then 'few' else 'none' end);
  end;
begin
  insert into t select n, v from src;
  take('conventional');
  conventional := figures.redo - bytes;
  commit;
  writes := figures.direct_writes; bytes := figures.redo;
  insert /*+ APPEND */ into t select n, v from src;
  take('append');
  logged := figures.redo - bytes;
  commit;
  execute immediate 'alter table t nologging';
  writes := figures.direct_writes; bytes := figures.redo;
  insert /*+ append */ into t select n, v from src;
  take('append, nologging');
  dbms_output.put_line('redo: ' || case when figures.redo - bytes < logged / 20 then 'next to none' else to_char(figures.redo - bytes) end);
  dbms_output.put_line('logged: ' || case when logged > 800000 then 'images' else to_char(logged) end);
  commit;
  bytes := figures.redo;
  insert into t select n, v from src;
  dbms_output.put_line('conventional, nologging: ' || case when figures.redo - bytes > conventional / 2 then 'as ever' else 'less' end);
  rollback;
end;
/

select count(*), count(distinct n) from t
/

select table_name, logging from user_tables where table_name in ('SRC', 'T') order by 1
/

# The constraints hold for each row, and what fails leaves nothing.
insert /*+ append */ into t select null, v from src
/

insert /*+ append */ into t select n, case n when 19000 then 'no' else v end from src
/

insert /*+ append */ into t select n, rpad(v, n, 'x') from src
/

insert /*+ append */ into t select n / (n - 15000), v from src
/

select count(*) from t
/

# Rows of VALUES, tables with triggers and with foreign keys are inserted as ever: they can be read at once.
insert /*+ append */ into t values (1, 'x')
/

insert /*+ append_values */ into t values (1, 'x')
/

select count(*) from t
/

rollback
/

create table child (n number, p number)
/

alter table src add constraint src_pk primary key (n)
/

alter table child add constraint child_fk foreign key (p) references src
/

insert /*+ append */ into child select n, n from src where n < 100
/

select count(*) from child
/

insert /*+ append */ into child select n, n + 19950 from src where n < 100
/

alter table child disable constraint child_fk
/

create or replace trigger child_t before insert on child for each row begin :new.n := -:new.n; end;
/

insert /*+ append */ into child select n, n from src where n < 100
/

select count(*), sum(n) from child
/

drop trigger child_t
/

insert /*+ append */ into child select n, n from src where n < 100
/

select count(*), sum(n) from child
/

commit
/

select count(*), sum(n) from child
/

# A parent may be loaded, and a key whose index is not unique holds.
insert /*+ append */ into src select n + 20000, v from src where n < 100
/

commit
/

create index child_n on child (p)
/

alter table child add constraint child_u unique (p) using index child_n deferrable
/

delete from child where n < 0
/

delete from child
/

alter table child add constraint child_u unique (p) using index child_n
/

insert /*+ append */ into child select n, n from src where n < 100
/

commit
/

insert /*+ append */ into child select n, case n when 199 then 5 else n end from src where n between 100 and 199
/

select count(*) from child
/

# Indexes are kept up.
create index t_v on t (v, n)
/

insert /*+ append */ into t select n + 100000, 'loaded ' || n from src where n <= 5000
/

commit
/

select n from t where v = 'loaded 4321'
/

# A table that is being read is loaded as well, also when it is its own source.
insert /*+ append */ into t select n + 500000, v from t where v like 'loaded%'
/

commit
/

select count(*) from t where n > 600000
/

# CREATE TABLE AS SELECT, attributes.
create table u nologging as select * from src where n <= 10
/

select logging from user_tables where table_name = 'U'
/

alter table u logging
/

select logging from user_tables where table_name = 'U'
/

alter table u move nologging
/

select logging, (select count(*) from u) n from user_tables where table_name = 'U'
/

create table w (n number) nologging
/

select logging from user_tables where table_name = 'W'
/

alter tablespace users force logging
/

alter database force logging
/

create tablespace forced datafile 'forced.dbf' size 2M force logging
/
