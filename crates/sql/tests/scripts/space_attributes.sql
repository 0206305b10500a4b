# Under automatic space management nothing depends on PCTUSED, so PCTFREE has its whole range.

create table t (a number) pctfree 99;
---
CREATE TABLE

create table u (a number) pctfree 100;
---
ORA-02211: PCTFREE 100 is not from 0 to 99

create table w (a number) pctfree 99 pctused 2;
---
ORA-04000: PCTFREE and PCTUSED together are 101, more than 100

alter table t pctfree 61;
---
ALTER TABLE

alter table t pctused 40;
---
ORA-04000: PCTFREE and PCTUSED together are 101, more than 100

create index i on t (a) pctfree 99;
---
CREATE INDEX

select table_name, pct_free from user_tables where table_name in ('T', 'U', 'W') order by 1;
---
TABLE_NAME | PCT_FREE
T | 61
