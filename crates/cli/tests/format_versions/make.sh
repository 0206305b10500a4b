#!/usr/bin/env bash
# Makes vN-clean and vN-crashed with a binary that writes version N: make.sh HIGHWATER N
set -euo pipefail
program=$(realpath "$1")
version=$2
here=$(cd "$(dirname "$0")" && pwd)
[ ! -e "$here/v$version-clean" ] || { echo "v$version-clean is there already"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > clean.sql <<'SQL'
whenever sqlerror exit failure
alter database add logfile group 4 ('redo04.log') size 1M;
alter database add logfile group 5 ('redo05.log') size 1M;
alter database drop logfile group 2;
alter database drop logfile group 3;
alter system switch logfile;
alter system checkpoint;
alter database drop logfile group 1;
create tablespace data datafile 'data01.dbf' size 2M extent management local segment space management auto;
create table emp (empno number(4) primary key, ename varchar2(20), hired date, note varchar2(200)) tablespace data;
insert into emp select level, 'NAME' || level, date '2020-01-01' + level, rpad('x', mod(level, 150), 'y') from dual connect by level <= 1000;
commit;
create index emp_name on emp(ename) tablespace data;
create view v_emp as select ename from emp where empno <= 10;
create sequence s start with 100;
create or replace procedure raise_all as begin update emp set note = 'raised' where empno <= 500; end;
/
exec raise_all
commit;
exit
SQL
cat > crashed.sql <<'SQL'
whenever sqlerror exit failure
insert into emp select 1000 + level, 'LATER' || level, date '2021-01-01', 'after' from dual connect by level <= 200;
delete from emp where empno <= 100;
commit;
update emp set note = 'never committed' where empno between 600 and 700;
shutdown abort
exit
SQL
"$program" sql -S --data clean @clean.sql
rm clean/redo01.log clean/redo02.log clean/redo03.log
cp -r clean crashed
"$program" sql -S --data crashed @crashed.sql
for kind in clean crashed; do
    mkdir "$here/v$version-$kind"
    for file in "$kind"/*; do
        [ "$(basename "$file")" = lock ] || xz -9e -c "$file" > "$here/v$version-$kind/$(basename "$file").xz"
    done
done
