select *
  from dual,
       (select * from nosuch);
select * from broken;
select * from brokenatonce;
bad luck
begin raise; end;
/
exec raise
rollback;
nosuch command here
show sqlcode
select 'open from dual;
select * from dual;
select 'open
from dual

select "open from dual;
list
select 1 from dual
.
/
@nosuch_script
@?/rdbms/admin/spreport.sql
@?/rdbms/admin/known.sql
host ls
edit
!ls
history
set pause on
set nosuch 5
set echo maybe
undefine nosuch
print nosuch
select * from slow;
select * from dual;
select unfinished
