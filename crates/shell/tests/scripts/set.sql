set scan off
select * from '&x';
set scan on showmode on linesize 90
set showmode off appinfo on escchar @ document off lines 80
set sqlcase upper
select '&1' from dual where x = 'y';
set sqlcase mixed
set sqlformat ansiconsole
