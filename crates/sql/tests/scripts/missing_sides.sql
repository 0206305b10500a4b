# Columns of the side of an outer join that may be missing are nullable, though their tables declare them NOT NULL.

create table a (id number not null, x number not null);
create table b (id number not null, y number not null);
create table c (id number not null, z number not null);
insert into a values (1, 10);
insert into a values (2, 20);
insert into b values (2, 200);
insert into b values (3, 300);
insert into c values (3, 3000);
---
CREATE TABLE
CREATE TABLE
CREATE TABLE
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows
INSERT: 1 rows

create table l as select a.id, a.x, b.id bid, b.y from a left join b on a.id = b.id;
create table r as select a.id aid, a.x, b.id, b.y from a right join b on a.id = b.id;
create table f as select a.id, a.x, b.id bid, b.y from a full join b on a.id = b.id;
create table p as select a.id, a.x, b.id bid, b.y from a, b where a.id = b.id(+);
create table q as select a.id aid, a.x, b.id, b.y from b, a where a.id(+) = b.id and a.x(+) > 0;
create table n as select a.id, b.y, c.z from a left join (b join c on b.id = c.id) on a.id = b.id;
create table o as select a.id, b.y, c.z from (a left join b on a.id = b.id) right join c on c.id = b.id;
create table i as select a.id, b.y from a join b on a.id = b.id;
create table u as select id, x, y, z from a left join b using (id) left join c using (id);
create table w as select id, x, y from a right join b using (id);
create table s as select a.id, v.y from a, (select id, y from b) v where v.id(+) = a.id;
create table chain as select a.id, b.y, c.z from a, b, c where b.id(+) = a.id and c.id(+) = b.id;
---
CREATE TABLE: 2 rows
CREATE TABLE: 2 rows
CREATE TABLE: 3 rows
CREATE TABLE: 2 rows
CREATE TABLE: 2 rows
CREATE TABLE: 2 rows
CREATE TABLE: 1 rows
CREATE TABLE: 1 rows
CREATE TABLE: 2 rows
CREATE TABLE: 2 rows
CREATE TABLE: 2 rows
CREATE TABLE: 2 rows

select table_name, column_name, nullable from user_tab_columns where table_name in ('L', 'R', 'F', 'P', 'Q', 'N', 'O', 'I', 'U', 'W', 'S', 'CHAIN') order by table_name, column_id;
---
TABLE_NAME | COLUMN_NAME | NULLABLE
CHAIN | ID | N
CHAIN | Y | Y
CHAIN | Z | Y
F | ID | Y
F | X | Y
F | BID | Y
F | Y | Y
I | ID | N
I | Y | N
L | ID | N
L | X | N
L | BID | Y
L | Y | Y
N | ID | N
N | Y | Y
N | Z | Y
O | ID | Y
O | Y | Y
O | Z | N
P | ID | N
P | X | N
P | BID | Y
P | Y | Y
Q | AID | Y
Q | X | Y
Q | ID | N
Q | Y | N
R | AID | Y
R | X | Y
R | ID | N
R | Y | N
S | ID | N
S | Y | Y
U | ID | N
U | X | N
U | Y | Y
U | Z | Y
W | ID | N
W | X | Y
W | Y | N

select * from l order by id;
select * from r order by id;
select * from f order by id, bid;
select * from p order by id;
select * from q order by id;
select * from n order by id;
select * from o;
select * from u order by id;
select * from w order by id;
select * from s order by id;
select * from chain order by id;
---
ID | X | BID | Y
1 | 10 | - | -
2 | 20 | 2 | 200
AID | X | ID | Y
2 | 20 | 2 | 200
- | - | 3 | 300
ID | X | BID | Y
1 | 10 | - | -
2 | 20 | 2 | 200
- | - | 3 | 300
ID | X | BID | Y
1 | 10 | - | -
2 | 20 | 2 | 200
AID | X | ID | Y
2 | 20 | 2 | 200
- | - | 3 | 300
ID | Y | Z
1 | - | -
2 | - | -
ID | Y | Z
- | - | 3000
ID | X | Y | Z
1 | 10 | - | -
2 | 20 | 200 | -
ID | X | Y
2 | 20 | 200
3 | - | 300
ID | Y
1 | -
2 | 200
ID | Y | Z
1 | - | -
2 | 200 | -

insert into l values (9, 90, null, null);
insert into l values (null, 90, null, null);
---
INSERT: 1 rows
ORA-01400: cannot insert NULL into ("SYSTEM"."L"."ID")

# Views over them, and queries in FROM and WITH.

create view lv as select a.id, b.y from a left join b on a.id = b.id;
create table lt as select * from lv;
create table wt as with j as (select a.id, b.y from a, b where a.id = b.id(+)) select id, y from j where y is null;
create table ut as select id from a union select b.id from a left join b on a.id = b.id;
select table_name, column_name, nullable from user_tab_columns where table_name in ('LV', 'LT', 'WT', 'UT') order by table_name, column_id;
select * from lt order by id;
select * from wt order by id;
select * from ut order by id;
---
CREATE VIEW
CREATE TABLE: 2 rows
CREATE TABLE: 1 rows
CREATE TABLE: 3 rows
TABLE_NAME | COLUMN_NAME | NULLABLE
LT | ID | N
LT | Y | Y
LV | ID | N
LV | Y | Y
UT | ID | Y
WT | ID | N
WT | Y | Y
ID | Y
1 | -
2 | 200
ID | Y
1 | -
ID
1
2
-

# Into a table that refuses NULL, and with other values in their place.

create table strict (id number not null, y number not null);
insert into strict select a.id, b.y from a left join b on a.id = b.id;
insert into strict select a.id, nvl(b.y, 0) from a left join b on a.id = b.id;
select * from strict order by id;
---
CREATE TABLE
ORA-01400: cannot insert NULL into ("SYSTEM"."STRICT"."Y")
INSERT: 2 rows
ID | Y
1 | 0
2 | 200
