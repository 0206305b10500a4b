# Names that are spelled like keywords, and Oracle's spellings that are put into the parser's words.

create table sample (a number, b number);
create table pivot (a number, b number);
create table partition (a number, b number);
insert into sample (a, b) values (1, 2);
insert into pivot (a, b) values (3, 4);
insert into partition (a, b) values (5, 6);
insert into sample (select a + 10, b from pivot);
insert into pivot (a) with partition (a) as (select 7 from dual) select a from partition;
insert into partition ((select 8, 9 from dual));
insert into partition (a, b) (((select 9, 9 from dual) union all (select 10, 10 from dual)));
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 2 rows

select * from sample block where a = 1;
---
A | B
1 | 2

select block.a, s.b from sample block, sample s where block.a = s.a order by 1;
---
A | B
1 | 2
13 | 4

with pivot (a) as (select a from sample), partition (a) as (select a from pivot) select pivot.a from pivot join partition on pivot.a = partition.a order by 1;
---
A
1
13

select * from partition where a in (select a from sample union select a from pivot union select 5 from dual);
---
A | B
5 | 6

update partition set b = 0 where a = 5;
delete from pivot where a = 7;
delete sample where a = 11;
select count(*) sample from partition pivot where pivot.b = 0;
---
UPDATE: 1 rows
DELETE: 1 rows
DELETE: 0 rows
SAMPLE
1

select * from sample sample (10);
---
HW-0001: not supported: SAMPLE [21]

select * from sample partition (p);
---
HW-0001: not supported: partitions [21]

select * from (select a from sample) pivot (sum(a) for a in (1));
---
HW-0001: not supported: PIVOT and UNPIVOT [37]

select count(*) cycle from sample;
---
CYCLE
2

select (1) cycle from dual;
---
CYCLE
1

select cycle from (select a cycle from sample) cycle where cycle = 1;
---
CYCLE
1

select cycle.a, s.b from (select a from sample) cycle join sample s on s.a = cycle.a;
---
A | B
1 | 2
13 | 4

select count(*) search from dual;
---
SEARCH
1

with r (n) as (select 1 from dual) cycle n set c to 'y' default 'n' select n from r;
---
HW-0001: not supported: recursive WITH [35]

with r (n) as (select 1 from dual) search depth first by n set o select n from r;
---
HW-0001: not supported: recursive WITH [35]

select case case n'a' when n'a' then 1 end when 1 then 'yes' end c from dual;
---
C
yes

select case case q'[a]' when 'a' then 1 end when 1 then 'yes' end c from dual;
---
C
yes

select case case +1 when 1 then 1 end when 1 then 'yes' end c from dual;
---
C
yes

select case -1 when -1 then case (2) when 2 then 'two' end end c from dual;
---
C
two

create table e (end number, when number, case number);
insert into e (end, when, case) values (1, 2, 3);
insert into e values (4, 5, 6);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows

select end, when, case from e where end = 1 and when = 2 and case = 3;
---
END | WHEN | CASE
1 | 2 | 3

select case when e.end = 1 then 'one' else 'more' end c from e order by e.end;
---
C
one
more

select case when end = 1 then end else when end c from e order by e.end;
---
C
1
5

select case e.when when 2 then e.case else e.end end x, sum(end) over (order by when) s from e order by e.when;
---
X | S
3 | 1
4 | 5

select case when case = 3 then case when when = 2 then 'both' end end end from e order by e.case;
---
END
both
-

select case end when 1 then 'one' end from e order by e.end;
---
CASEENDWHEN1THEN'ONE'END
one
-

select case c from (select 9 case from dual);
---
C
9

select max(case), min(when), e.end end from e group by e.end having sum(case) > 3;
---
MAX(CASE) | MIN(WHEN) | END
6 | 5 | 4

update e set end = 10, case = 20 where when = 5;
select e.end + e.when + e.case total from e order by 1;
---
UPDATE: 1 rows
TOTAL
6
35

select case sal end from dual;
---
ORA-00905: missing keyword in CASE [16]

select case when 1 = 1 then end from dual;
---
ORA-00905: missing keyword in CASE [32]

select case 1 then 2 end from dual;
---
ORA-00905: missing keyword in CASE [14]

select a end from sample;
---
END
1
13

select a returning, b limit, a + b offset from sample window where a = 1;
---
RETURNING | LIMIT | OFFSET
1 | 2 | 3

select end.a from sample end, pivot returning where end.a < returning.a;
---
A
1

select id from (select a id from sample) returning order by 1;
---
ID
1
13

select 1 log from dual log where exists (select 1 from dual errors);
---
LOG
1

insert into sample (a) select log errors from (select 21 log from dual);
---
INSERT: 1 rows

insert into sample (a) select log.a from (select 22 a from dual) log, (select log errors from (select 1 log from dual)) x;
---
INSERT: 1 rows

create table log (a number);
insert into log values (1);
update log errors set a = 2;
delete from log errors where a = 2;
---
CREATE TABLE
INSERT: 1 rows
UPDATE: 1 rows
DELETE: 1 rows

insert into log values (1) log errors;
---
HW-0001: not supported: LOG ERRORS [27]

update log set a = 1 where a = 2 log errors into err ('x') reject limit 5;
---
HW-0001: not supported: LOG ERRORS [33]

insert into log select a from sample log errors reject limit unlimited;
---
HW-0001: not supported: LOG ERRORS [37]

select '[' || trim(leading from ' a ') || ']' l, '[' || trim(trailing from ' a ') || ']' t, '[' || trim(both from ' a ') || ']' b from dual;
---
L | T | B
[a ] | [ a] | [a]

select trim(leading 'x' from 'xax') l, trim(both 'x' from 'xax') b, trim(' a ') t from dual;
---
L | B | T
ax | a | a

create table g (a number, b number, c number);
insert into g values (1, 1, 5);
insert into g values (1, 2, 6);
insert into g values (2, 1, 7);
---
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

select a, b, sum(c) s from g group by grouping sets (rollup(a), (b)) order by 1, 2;
---
A | B | S
1 | - | 11
2 | - | 7
- | 1 | 12
- | 2 | 6
- | - | 18

select a, b, sum(c) s from g group by grouping sets (rollup(a, b)) order by 1, 2;
---
A | B | S
1 | 1 | 5
1 | 2 | 6
1 | - | 11
2 | 1 | 7
2 | - | 7
- | - | 18

select a, b, sum(c) s from g group by grouping sets (cube(a, b), a) order by 1, 2;
---
A | B | S
1 | 1 | 5
1 | 2 | 6
1 | - | 11
1 | - | 11
2 | 1 | 7
2 | - | 7
2 | - | 7
- | 1 | 12
- | 2 | 6
- | - | 18

select a, b, sum(c) s from g group by grouping sets (rollup((a, b)), ()) order by 1, 2;
---
A | B | S
1 | 1 | 5
1 | 2 | 6
2 | 1 | 7
- | - | 18
- | - | 18

select a, b, sum(c) s from g group by (a, b) order by 1, 2;
---
A | B | S
1 | 1 | 5
1 | 2 | 6
2 | 1 | 7

select a, b, sum(c) s from g group by (a), (b) order by 1, 2;
---
A | B | S
1 | 1 | 5
1 | 2 | 6
2 | 1 | 7

select a, b, c from g group by a, (b, c) order by 1, 2;
---
A | B | C
1 | 1 | 5
1 | 2 | 6
2 | 1 | 7

select a from g group by grouping sets (grouping sets (a, b));
---
HW-0001: not supported: GROUPING SETS in GROUPING SETS [40]

select a, b from g where a in 1 and b not in 1;
---
A | B
1 | 2

select a, b from g where a in 1 + 1 or b in (2) order by 1;
---
A | B
1 | 2
2 | 1

select a from g where 'a' in n'a' and not a in 1;
---
A
2

select count(*) from (g);
---
COUNT(*)
3

select x.a, y.a from (g) x, (g y), ((sample)) where x.a = y.b and sample.a = x.c - 4 order by 1, 2;
---
A | A
1 | 1
1 | 2

select x.a from g x join (sample s) on s.a = x.a order by 1;
---
A
1
1

select (a), (b) from (g) where c = 7;
---
(A) | (B)
2 | 1

delete from (log) where a = 5;
---
DELETE: 0 rows

select a from ((select a from g) x);
---
HW-0001: not supported: parentheses of their own around a table [34]

create table s as select ('abc') x, (('d')) y from dual;
create table s2 as select x, y || '' y from (select 'abc' x, 'd' y from dual);
create table s3 as with w as (select 'abc' x from dual) select x, upper(x) u from w;
select table_name, column_name, data_type, data_length from user_tab_columns where table_name in ('S', 'S2', 'S3') order by 1, 2;
---
CREATE TABLE: 1 rows
CREATE TABLE: 1 rows
CREATE TABLE: 1 rows
TABLE_NAME | COLUMN_NAME | DATA_TYPE | DATA_LENGTH
S | X | CHAR | 3
S | Y | CHAR | 1
S2 | X | CHAR | 3
S2 | Y | VARCHAR2 | 1
S3 | U | VARCHAR2 | 3
S3 | X | CHAR | 3

select count(*) from s where x = ('abc  ') and x in (('abc '));
---
COUNT(*)
1

select count(*) from (select 'abc' x from dual) where x = 'abc  ';
---
COUNT(*)
1

select count(*) from (select 'abc' x from dual) q, s where q.x = s.x and q.x || '' = s.x;
---
COUNT(*)
1

create table dl (a date default date '2020-13-01');
---
ORA-01843: not a valid month

create table dl (a timestamp default timestamp '2020-01-01 25:00:00');
---
ORA-01850: hour must be between 0 and 23

create table dl (a date default to_date('2020-13-01', 'yyyy-mm-dd'), b number default 1/0, c date default date '2020-01-13' + 1);
---
CREATE TABLE

create table r3 (a number, constraint number);
---
ORA-00905: missing keyword: behind CONSTRAINT and its name, the kind of constraint is expected [44]

create table r3 (a number constraint c);
---
ORA-00905: missing keyword: behind CONSTRAINT and its name, the kind of constraint is expected [38]

create table r3 (a number, constraint c check (a > 1));
---
CREATE TABLE

create table r3 (a number references g);
---
ORA-00955: the name SYSTEM.R3 is used by another object

# What is wrong with a query in parentheses.

select * from (select a from g where);
---
ORA-00936: syntax error: Expected: an expression, found: ) [36]

select * from (select a from g where a = ) x where 1 = 1;
---
ORA-00936: syntax error: Expected: an expression, found: ) [41]

select * from (select a from);
---
ORA-00903: syntax error: Expected: identifier, found: ) [28]

select * from (select from g);
---
ORA-00936: missing expression [22]

select * from (select a b c from g);
---
ORA-00923: FROM keyword not found where expected: c [26]

select * from (select a from g foo bar);
---
ORA-00907: missing right parenthesis: bar [35]

select * from (select a from g;
---
ORA-00907: missing right parenthesis [30]

select * from (select a from g where a = (1);
---
ORA-00907: missing right parenthesis [44]

select a from g where a in (select a from g where);
---
ORA-00936: syntax error: Expected: an expression, found: ) [49]

select a from g where a in (select a from g group a);
---
ORA-00924: missing BY keyword [50]

select a from g where a in (select a from g limit 1);
---
ORA-00933: SQL command not properly ended: LIMIT is written FETCH FIRST n ROWS ONLY [22]

select a from g where a in (select a from g;
---
ORA-00907: missing right parenthesis [43]

select a from g where exists (select 1 from g where a between 1);
---
ORA-00905: syntax error: Expected: AND, found: ) [63]

select * frm (select a from g where);
---
ORA-00923: FROM keyword not found where expected: frm [9]

select * from (select a from (select a from g where a = 1 2) where a = 1);
---
ORA-00907: missing right parenthesis: 2 [58]

select * from (g where a = 1);
---
ORA-00907: syntax error: Expected: joined table, found: where [17]

insert into log (select a from g where);
---
ORA-00936: syntax error: Expected: an expression, found: ) [38]

create table s4 as select * from (select a from g where);
---
ORA-00936: syntax error: Expected: an expression, found: ) [55]

select * from (select a b c from (select a from g where));
---
ORA-00923: FROM keyword not found where expected: c [26]

select * from (select a from (select a from g) where a = 1) where;
---
ORA-00936: syntax error: Expected: an expression, found: EOF [65]

select (select max(a) from g where) from g;
---
ORA-00936: syntax error: Expected: an expression, found: ) [34]

select case when 1 = 1 then 1 then 2 end from dual;
---
ORA-00905: missing keyword in CASE [30]

select extract(year from case when 1 = 1 then sysdate end) - extract(year from (sysdate)) d from dual;
---
D
0

select a from g where (a, b) in ((1, 2)) or a = any (5, 6);
---
A
1
