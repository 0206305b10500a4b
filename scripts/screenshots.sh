#!/usr/bin/env bash
# Makes the pictures in docs/images: of the experiment `au-size` the page of a sweep; of `freelists` the page of a sweep, and the maps of a table that five jobs have filled under three
# settings; of `block-size` the page of a sweep over PCTFREE, and a flame graph; the map of two
# tables on the disks of a mirrored group. Takes the program (default: the release build), needs chromium. Eighteen minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
highwater="$(realpath "${1:-${CARGO_TARGET_DIR:-target}/release/highwater}")"
images="$PWD/docs/images"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

picture() {
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=5000 --window-size="$3" --screenshot="$images/$2" \
        "file://$work/$1" 2>/dev/null
}

"$highwater" reproduce freelists --freelists 1,2,3,5,8 --sessions 1,2,5,8,16 --minutes 0.05 --repetitions 3 --out sweep
picture "sweep/$(basename sweep/*.html)" freelists-sweep.png 1200,2080

# Few enough blocks that a picture shows each.
cat > fill.sql <<'SQL'
create tablespace assm_manual datafile 'assm_manual.dbf' size 50M autoextend on next 10M segment space management manual;
create tablespace assm_auto datafile 'assm_auto.dbf' size 50M autoextend on next 10M segment space management auto;
create table manual_1 (x date, y char(255) default 'x') storage (freelists 1) tablespace assm_manual;
create table manual_5 (x date, y char(255) default 'x') storage (freelists 5) tablespace assm_manual;
create table auto_1 (x date, y char(255) default 'x') tablespace assm_auto;
create or replace procedure fill(which varchar2) as
begin
  for i in 1 .. 3000 loop
    execute immediate 'insert into ' || which || ' (x) values (sysdate)';
    commit;
  end loop;
end;
/
declare
  job number;
begin
  for t in (select table_name from user_tables where table_name in ('MANUAL_1', 'MANUAL_5', 'AUTO_1')) loop
    for i in 1 .. 5 loop
      dbms_job.submit(job, 'fill(''' || t.table_name || ''');');
    end loop;
  end loop;
  commit;
end;
/
declare
  left number;
begin
  loop
    select count(*) into left from user_jobs;
    exit when left = 0;
    dbms_lock.sleep(1);
  end loop;
end;
/
exit
SQL
"$highwater" sql -S --data db @fill.sql
"$highwater" map --data db --html map.html SYSTEM.MANUAL_1 SYSTEM.MANUAL_5 SYSTEM.AUTO_1
picture map.html freelists-map.png 1200,1300

# Extents of two tables on the disks of two cells, which mirror each other.
"$highwater" cells --make 2 --disks 3 --model disk-15k-600gb --grid DATA:32M
cat > mirrored.sql <<'SQL'
create diskgroup data normal redundancy failgroup cell01 disk '../cell01/DATA*' failgroup cell02 disk '../cell02/DATA*';
create tablespace inside datafile '+DATA' size 60m extent management local uniform size 1m;
create table orders (n number, c varchar2(200)) tablespace inside;
create table lines (n number, c varchar2(200)) tablespace inside;
begin
  for i in 1 .. 10 loop
    insert into orders select level, rpad('x', 150, 'x') from dual connect by level <= 10000;
    insert into lines select level, rpad('x', 150, 'x') from dual connect by level <= 15000;
    commit;
  end loop;
end;
/
exit
SQL
"$highwater" sql -S --data mirrored @mirrored.sql
"$highwater" map --data mirrored --disks --html disks.html SYSTEM.ORDERS SYSTEM.LINES
picture disks.html disks-map.png 1200,1180

# Times mean something on a quiet machine only.
"$highwater" reproduce au-size --out units
picture units/sweep.html au-size-sweep.png 1200,2080
"$highwater" reproduce block-size --pctfree 0,5,10,15,20,25,30,35,40,45,50 --repetitions 3 --out growth
picture growth/sweep.html block-size-sweep.png 1200,2680
"$highwater" reproduce block-size --part pctfree --repetitions 1 --flamegraph "$images/legacy-search.svg"
cp "$images/legacy-search.svg" .
picture legacy-search.svg legacy-search.png 1220,900
