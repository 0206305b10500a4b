# Grants on views, sequences and synonyms.

create user scott identified by tiger;
grant connect, resource, create view, create synonym to scott;
create table scott.t (a number);
create sequence q;
create view v as select level n from dual connect by level <= 2;
create synonym s for v;
grant select on s to scott;
grant select, alter on q to scott;
grant insert on q to scott;
grant alter on v to scott;
grant all on v to scott with grant option;
select grantee, table_name, privilege, grantable, type from dba_tab_privs where owner = 'SYSTEM' order by 2, 3;
grant select on nosuch to scott;
grant create any view, drop any sequence, select any sequence to scott;
revoke drop any sequence from scott;
revoke insert, update on v from scott;
revoke insert on v from scott;
revoke select on q from connect;
revoke all on q from scott;
revoke all on q from scott;
select privilege from dba_sys_privs where grantee = 'SCOTT' order by 1;
drop user scott;
create sequence scott.s2;
create view scott.v2 as select a from t;
create synonym scott.s3 for system.v;
select owner, object_name, object_type, status from dba_objects where owner = 'SCOTT' order by 2;
select sequence_owner, sequence_name from dba_sequences order by 2;
select owner, view_name from dba_views order by 2;
drop user scott cascade;
select count(*) from dba_objects where owner = 'SCOTT';
select s3.nextval from dual;
---
CREATE USER
GRANT
CREATE TABLE
CREATE SEQUENCE
CREATE VIEW
CREATE SYNONYM
GRANT
GRANT
ORA-02205: only SELECT and ALTER are privileges on sequences, not INSERT
ORA-02204: ALTER is no privilege on views
GRANT
GRANTEE | TABLE_NAME | PRIVILEGE | GRANTABLE | TYPE
SCOTT | Q | ALTER | NO | SEQUENCE
SCOTT | Q | SELECT | NO | SEQUENCE
SCOTT | V | DELETE | YES | VIEW
SCOTT | V | INSERT | YES | VIEW
SCOTT | V | REFERENCES | YES | VIEW
SCOTT | V | SELECT | YES | VIEW
SCOTT | V | UPDATE | YES | VIEW
ORA-00942: there is no table or view SYSTEM.NOSUCH
GRANT
REVOKE
REVOKE
ORA-01927: INSERT on SYSTEM.V was not granted to SCOTT
ORA-01927: SELECT on SYSTEM.Q was not granted to CONNECT
REVOKE
ORA-01927: ALTER on SYSTEM.Q was not granted to SCOTT
PRIVILEGE
CREATE ANY VIEW
CREATE SYNONYM
CREATE VIEW
SELECT ANY SEQUENCE
ORA-01922: SCOTT owns objects: CASCADE drops them too
CREATE SEQUENCE
CREATE VIEW
CREATE SYNONYM
OWNER | OBJECT_NAME | OBJECT_TYPE | STATUS
SCOTT | S2 | SEQUENCE | VALID
SCOTT | S3 | SYNONYM | VALID
SCOTT | T | TABLE | VALID
SCOTT | V2 | VIEW | VALID
SEQUENCE_OWNER | SEQUENCE_NAME
SYS | JOBSEQ
SYSTEM | Q
SCOTT | S2
SYS | SCHEDULER$_LOGSEQ
OWNER | VIEW_NAME
SYSTEM | V
SCOTT | V2
DROP USER
COUNT(*)
0
ORA-02289: sequence does not exist: S3 [7]
