define x = 5
define y = "two words"
define z='it''s'
define file = report
define x
define nosuch
prompt [&x] [&y] [&z] [&file..lst] [&file.s]
select &x, '&y' from dual;
select '&asked', '&&kept', '&kept' from dual
 where dummy = '&x';
set verify off
select '&asked' from dual;
define asked_in_prompt
prompt asked: &prompted
set define ^
prompt &x ^x
set define off
prompt &x ^x
select '&x' from dual;
set define on
set escape \
prompt \&x &x
set escape off
set concat #
prompt &file#.lst
set concat .
accept name prompt 'Your name: ' default nobody
accept second default 'no second name'
accept n number prompt 'A number: '
accept secret prompt 'Password: ' hide
prompt [&name] [&second] [&n] [&secret]
define n
undefine x y
prompt &x
prompt &nobody_answers_this
prompt not stopped by that
-- prompt &comment
rem &remark
/* &block
   comment */
select 1 /* a & b */ from dual;
