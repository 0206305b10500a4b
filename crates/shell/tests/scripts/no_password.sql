show user
connect nobody
show user
select 1 from dual;
