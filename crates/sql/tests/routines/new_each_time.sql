# A condition that has a new value with each evaluation is asked of the rows that stand below it, one by one: of groups, of rows that are numbered, of joined rows.

create table g (k number, n number)
/
CREATE TABLE

insert into g select mod(level,3), level from dual connect by level <= 3000
/
INSERT: 3000 rows

create package calls is function next return number; function count_of (k number) return number; function taken return number; end;
/
CREATE PACKAGE

create package body calls is n number := 0; function next return number is begin n := n + 1; return n; end; function count_of (k number) return number is begin n := n + 1; return n; end; function taken return number is m number := n; begin n := 0; return m; end; end;
/
CREATE PACKAGE BODY

select k, count(*) from g group by k having count(*) = 1000 and dbms_random.value < 2 order by k
/
K | COUNT(*)
0 | 1000
1 | 1000
2 | 1000

select count(*) c from (select k, count(*) n from g group by k) where n = 1000 and dbms_random.value(0, 10) >= 0
/
C
3

select count(*) c from (select k, count(*) n from g group by k having calls.next > 1)
/
C
2

select calls.taken from dual
/
TAKEN
3

select count(*) c from (select k, count(*) n from g group by k) where calls.next > 0 and n = 1000
/
C
3

select calls.taken from dual
/
TAKEN
3

select count(*) c from (select k, count(*) n from g group by k) where calls.count_of(k) > 0 and n = 1000
/
C
3

select calls.taken from dual
/
TAKEN
3

select count(*) c from (select k, count(*) n from g group by rollup(k)) where calls.next > 0
/
C
4

select calls.taken from dual
/
TAKEN
4

# DISTINCT and set operations.

select count(*) c from (select distinct k from g) where calls.next > 1
/
C
2

select calls.taken from dual
/
TAKEN
3

select count(*) c from (select distinct k from g) where calls.count_of(k) > 0
/
C
3

select calls.taken from dual
/
TAKEN
3

select count(*) c from (select k from g union select n from g where n <= 4) where calls.next > 0
/
C
5

select calls.taken from dual
/
TAKEN
5

select count(*) c from (select k from g intersect select n from g) where calls.next > 0
/
C
2

select calls.taken from dual
/
TAKEN
2

select count(*) c from (select n from g where n <= 2 union all select n from g where n <= 3) where calls.next > 0
/
C
5

select calls.taken from dual
/
TAKEN
5

# ROWNUM and windows: rows are numbered before they are asked about.

select r, n from (select rownum r, n from (select n from g where n <= 4 order by n)) where calls.next > 1 order by n
/
R | N
2 | 2
3 | 3
4 | 4

select calls.taken from dual
/
TAKEN
4

select n, c from (select n, count(*) over () c from g where n <= 4) where calls.next > 2 order by n
/
N | C
3 | 4
4 | 4

select calls.taken from dual
/
TAKEN
4

select n, c from (select n, k, count(*) over (partition by k) c from g where n <= 6) where calls.count_of(k) > 4 order by n
/
N | C
2 | 2
5 | 2

select calls.taken from dual
/
TAKEN
6

select n from (select n from g where n <= 4 order by n fetch first 2 rows only) where calls.next > 1
/
N
2

select calls.taken from dual
/
TAKEN
2

# Pairs of rows.

select count(*) c from g a, g b where a.n <= 3 and b.n <= 2 and calls.next > 1
/
C
5

select calls.taken from dual
/
TAKEN
6

select count(*) c from g a join g b on a.n = b.n and calls.next > 0 where a.n <= 3
/
C
3

select calls.taken from dual
/
TAKEN
3

select count(*) c from g a left join g b on b.n <= 2 and calls.next > 1 where a.n <= 3
/
C
5

select calls.taken from dual
/
TAKEN
6

select count(*) c from g a, g b where a.n = b.n and a.n <= 3 and calls.count_of(a.n + b.n) > 0
/
C
3

select calls.taken from dual
/
TAKEN
3
