oradebug setmypid
oradebug short_stack
ORADEBUG SETORAPID 12;
oradebug setospid 4711
oradebug setorapid 99
oradebug setorapid
oradebug setospid x
oradebug setmypid 1
oradebug
oradebug hanganalyze 3
whenever sqlerror exit 3
oradebug setorapid 99
prompt not reached
