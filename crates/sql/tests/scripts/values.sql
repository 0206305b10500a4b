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
