prompt outer has &1
@@inner "quoted argument"
prompt back in outer with &1
@@lib/nosuch
