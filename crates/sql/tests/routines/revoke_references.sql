# REVOKE of REFERENCES: the foreign keys that depend on it keep it, or go with CASCADE CONSTRAINTS.
create user ann identified by ann
/
CREATE USER

create user bob identified by bob
/
CREATE USER

grant connect, resource to ann, bob
/
GRANT

connect ann
create table parent (id number primary key)
/
CREATE TABLE

insert into parent values (1)
/
INSERT: 1 rows

commit
/
COMMIT

grant select, references on parent to bob
/
GRANT

connect bob
create table child (id number constraint child_parent references ann.parent)
/
CREATE TABLE

insert into child values (2)
/
ORA-02291: integrity constraint (BOB.CHILD_PARENT) violated - parent key not found

connect ann
revoke references on parent from bob
/
ORA-01981: CASCADE CONSTRAINTS must be specified to perform this revoke: BOB.CHILD_PARENT depends on it

# The statement failed as a whole, and the privilege is still there. Others are revoked without a word.
select privilege from user_tab_privs where grantee = 'BOB' and table_name = 'PARENT' order by 1
/
PRIVILEGE
REFERENCES
SELECT

revoke select on parent from bob
/
REVOKE

connect bob
insert into child values (2)
/
ORA-02291: integrity constraint (BOB.CHILD_PARENT) violated - parent key not found

rollback
/
ROLLBACK

connect ann
revoke references on parent from bob cascade constraints
/
REVOKE

connect bob
select count(*) from user_constraints where constraint_name = 'CHILD_PARENT'
/
COUNT(*)
0

insert into child values (2)
/
INSERT: 1 rows

commit
/
COMMIT

# What PUBLIC may as well is kept.
connect ann
grant references on parent to public, bob
/
GRANT

connect bob
delete from child
/
DELETE: 1 rows

commit
/
COMMIT

alter table child add constraint child_parent foreign key (id) references ann.parent
/
ALTER TABLE

connect ann
revoke references on parent from bob
/
REVOKE

revoke references on parent from public
/
ORA-01981: CASCADE CONSTRAINTS must be specified to perform this revoke: BOB.CHILD_PARENT depends on it

revoke all on parent from public cascade constraints
/
REVOKE

connect bob
select count(*) from user_constraints where constraint_name = 'CHILD_PARENT'
/
COUNT(*)
0
