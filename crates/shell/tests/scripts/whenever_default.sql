whenever sqlerror exit
select * from nosuch;
prompt not reached
