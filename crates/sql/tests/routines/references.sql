# A key of the table itself may stand behind the foreign key that refers to it.
create table employee (id number, boss number references employee, constraint employee_key primary key (id))
/
CREATE TABLE

create table part (id number, whole number, constraint part_whole foreign key (whole) references part (id), constraint part_key unique (id))
/
CREATE TABLE

create table lone (id number, whole number references lone)
/
ORA-02268: SYSTEM.LONE has no primary key

insert into employee values (1, 1)
/
INSERT: 1 rows

insert into employee values (2, 3)
/
ORA-02291: integrity constraint (SYSTEM.SYS_C001001) violated - parent key not found

# The owner of the child must hold REFERENCES on the parent, whoever makes the foreign key.
create user boss identified by boss default tablespace users quota unlimited on users
/
CREATE USER

create user clerk identified by clerk default tablespace users quota unlimited on users
/
CREATE USER

create table boss.p (id number primary key)
/
CREATE TABLE

create table clerk.c (id number references boss.p)
/
ORA-00942: there is no table or view BOSS.P

create table clerk.c (id number)
/
CREATE TABLE

alter table clerk.c add constraint c_p foreign key (id) references boss.p
/
ORA-00942: there is no table or view BOSS.P

grant references on boss.p to clerk
/
GRANT

alter table clerk.c add constraint c_p foreign key (id) references boss.p
/
ALTER TABLE

create table clerk.d (id number references boss.p)
/
CREATE TABLE

insert into clerk.c values (1)
/
ORA-02291: integrity constraint (CLERK.C_P) violated - parent key not found

create table boss.q (id number references boss.p (id))
/
CREATE TABLE

insert into boss.q values (1)
/
ORA-02291: integrity constraint (BOSS.SYS_C001007) violated - parent key not found
