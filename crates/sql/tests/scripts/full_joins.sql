# FULL JOIN with USING and NATURAL: the common column is that of the side that is there.

create table l (k number, v varchar2(5));
create table r (k number, w varchar2(5));
create table m (k varchar2(5), z number);
insert into l values (1, 'l1');
insert into l values (2, 'l2');
insert into r values (2, 'r2');
insert into r values (3, 'r3');
insert into m values ('3', 30);
insert into m values ('4', 40);
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

select * from l full join r using (k) order by k;
---
K | V | W
1 | l1 | -
2 | l2 | r2
3 | - | r3

select k, v, w from l natural full join r order by k;
---
K | V | W
1 | l1 | -
2 | l2 | r2
3 | - | r3

select k, v, w from l full outer join r using (k) where k > 1 order by k desc;
---
K | V | W
3 | - | r3
2 | l2 | r2

select k, count(*) c from l full join r using (k) group by k order by k;
---
K | C
1 | 1
2 | 1
3 | 1

select l.k from l full join r using (k);
---
ORA-25154: column part of USING clause cannot have qualifier: L.K [7]

select k, v, w, z from l full join r using (k) full join m using (k) order by 1;
---
ORA-00932: inconsistent datatypes: expected NUMBER got CHAR [57]

select k, v, w, z from l full join r using (k) full join (select to_number(k) k, z from m) using (k) order by 1;
---
K | V | W | Z
1 | l1 | - | -
2 | l2 | r2 | -
3 | - | r3 | 30
4 | - | - | 40

select k, v, z from l left join r using (k) full join (select to_number(k) k, z from m) using (k) order by k;
---
K | V | Z
1 | l1 | -
2 | l2 | -
3 | - | 30
4 | - | 40

create table c as select * from l full join r using (k);
---
CREATE TABLE: 3 rows

select * from c order by k;
---
K | V | W
1 | l1 | -
2 | l2 | r2
3 | - | r3
