# Values and operators.

select 1/2 from dual;
---
1/2
.5

select 'a' || null, '' from dual;
---
'A'||NULL | ''
a | -

select 1 from dual where '' is null;
---
1
1

select 1+2*3, -5, +4, 10/4, 7-10 from dual;
---
1+2*3 | -5 | +4 | 10/4 | 7-10
7 | -5 | 4 | 2.5 | -3

select '2' + '3', 1 || 2 from dual;
---
'2'+'3' | 1||2
5 | 12

select 0.1+0.2, 1e3, .5, 12345678901234567890123456789012345678 from dual;
---
0.1+0.2 | 1E3 | .5 | 12345678901234567890123456789012345678
.3 | 1000 | .5 | 12345678901234567890123456789012345678

select 1/0 from dual;
---
ORA-01476: divisor is equal to zero

select nvl(null, 'x'), nvl(1, 2), nvl2(null, 1, 2), coalesce(null, null, 3), nullif(1, 1) from dual;
---
NVL(NULL,'X') | NVL(1,2) | NVL2(NULL,1,2) | COALESCE(NULL,NULL,3) | NULLIF(1,1)
x | 1 | 2 | 3 | -

select decode(1, 1, 'one', 2, 'two', 'many'), decode(null, null, 'null', 'other'), decode(9, 1, 'a') from dual;
---
DECODE(1,1,'ONE',2,'TWO','MANY') | DECODE(NULL,NULL,'NULL','OTHER') | DECODE(9,1,'A')
one | null | -

select case when 1 = 1 then 'y' else 'n' end, case 2 when 1 then 'a' when 2 then 'b' end from dual;
---
CASEWHEN1=1THEN'Y'ELSE'N'END | CASE2WHEN1THEN'A'WHEN2THEN'B'END
y | b

select substr('abcdef', 2, 3), instr('hello', 'l'), rpad('x', 3, '*') , mod(7, 3), upper('a') from dual;
---
SUBSTR('ABCDEF',2,3) | INSTR('HELLO','L') | RPAD('X',3,'*') | MOD(7,3) | UPPER('A')
bcd | 3 | x** | 1 | A

select to_char(1234.5, '9,999.99'), to_number('12.5') + 1 from dual;
---
TO_CHAR(1234.5,'9,999.99') | TO_NUMBER('12.5')+1
 1,234.50 | 13.5

select to_char(date '2024-02-29', 'YYYY-MM-DD'), date '2024-03-01' - date '2024-02-01' from dual;
---
TO_CHAR(DATE'2024-02-29','YYYY-MM-DD') | DATE'2024-03-01'-DATE'2024-02-01'
2024-02-29 | 29

select to_date('2024-01-31', 'YYYY-MM-DD') + 1 from dual;
---
TO_DATE('2024-01-31','YYYY-MM-DD')+1
01-FEB-24

select 1 a from dual where 'a' = 'a ';
---
A
1

select dummy from dual d where d.dummy like '_' and dummy not like 'Y%';
---
DUMMY
X

select 1 from dual where 1 in (1, 2) and 3 not in (1, 2) and 2 between 1 and 3;
---
1
1

select level, rownum from dual connect by level <= 3;
---
LEVEL | ROWNUM
1 | 1
2 | 2
3 | 3

select nosuch from dual;
---
ORA-00904: "NOSUCH": invalid identifier [7]

select * from nosuch;
---
ORA-00942: table or view does not exist: nosuch [14]

select count(*), sum(level), avg(level), min(level), max(level) from dual connect by level <= 10;
---
COUNT(*) | SUM(LEVEL) | AVG(LEVEL) | MIN(LEVEL) | MAX(LEVEL)
10 | 55 | 5.5 | 1 | 10

# Calls that need more than values.

select coalesce(1) from dual;
---
ORA-00938: not enough arguments for function COALESCE [7]

select nullif(1) from dual;
---
ORA-00938: not enough arguments for function NULLIF [7]

select negate(5) from dual;
---
ORA-00904: "NEGATE": invalid identifier [7]

select lag(1) from dual;
---
ORA-30484: missing window specification for this function: LAG [7]

select stats_mode(1) from dual;
---
HW-0001: not supported: function STATS_MODE [7]

select dbtimezone from dual;
---
HW-0001: not supported: function DBTIMEZONE [7]

select sessiontimezone from dual;
---
HW-0001: not supported: function SESSIONTIMEZONE [7]

select unistr('a') from dual;
---
HW-0001: not supported: function UNISTR [7]

create table made (a number, b varchar2(30), c date, d varchar2(40));
---
CREATE TABLE

insert into made values (greatest(1, '7'), regexp_replace('abc', 'b', 'x'), next_day(date '2024-02-29', 'FRIDAY'), soundex('Robert'));
---
INSERT: 1 rows

insert into made values (bitand(6, 3), translate('abc', 'ab', 'xy'), to_date('2024-03-01', 'YYYY-MM-DD'), substrb('abcd', 2, 2));
---
INSERT: 1 rows

insert into made values (nvl(null, 5), nullif('a', 'b'), coalesce(null, date '2024-03-02'), decode(1, 1, 'one', 'other'));
---
INSERT: 1 rows

insert into made values (least(1, 'x'), null, null, null);
---
ORA-01722: invalid number

insert into made values (1, vsize('abc'), null, dump('abc'));
---
INSERT: 1 rows

insert into made values (abs(1) within group (order by 1), null, null, null);
---
HW-0001: not supported: abs(1) WITHIN GROUP (ORDER BY 1) [25]

select * from made;
---
A | B | C | D
7 | axc | 01-MAR-24 | R163
2 | xyc | 01-MAR-24 | bc
5 | a | 02-MAR-24 | one
1 | 3 | - | Typ=96 Len=3: 97,98,99

create table as_made as select upper(b) u, substr(d, 1, 3) s, lpad(b, 7) l, to_char(a) t, rtrim(d) r, a || b c, user w from made;
---
CREATE TABLE: 4 rows

select column_name, data_length from user_tab_columns where table_name = 'AS_MADE' order by column_id;
---
COLUMN_NAME | DATA_LENGTH
U | 30
S | 3
L | 7
T | 40
R | 40
C | 70
W | 128
