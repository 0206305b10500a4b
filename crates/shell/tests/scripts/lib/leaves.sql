whenever sqlerror exit sql.sqlcode
select * from
  nosuch
/
prompt never reached
