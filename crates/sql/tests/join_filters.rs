//! Joins and indexes on cells: filters of the first side's keys, and scans of indexes, change what cells send, and no
//! result.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::sync::Arc;

use device::{FileSystem as _, MemoryFileSystem};
use sql::Connection;

fn connection() -> Connection {
    let files = Arc::new(MemoryFileSystem::new());
    let cell = Path::new(support::DIRECTORY).join("cell01");
    files.create_directory(&cell).unwrap();
    files.create(&cell.join("cell.toml"), 0).unwrap();
    for number in 0..2 {
        files.create(&cell.join(format!("DISK{number}")), 64 << 20).unwrap();
    }
    let database = support::database_on(files);
    let mut connection = database.connect("system", None).unwrap();
    for statement in [
        "create diskgroup cells external redundancy disk 'cell01/DISK*' attribute 'cell.smart_scan_capable' = 'TRUE'",
        "create tablespace on_cells datafile '+CELLS' size 32m",
        "create table f (k number, s varchar2(20), l number, v number, pad varchar2(60)) tablespace on_cells",
        "create table d (k number, s varchar2(20), name varchar2(20)) tablespace on_cells",
        "create table e (l number, word varchar2(20)) tablespace on_cells",
        "insert into f select mod(level, 200), 'S' || mod(level, 150), mod(level, 7), level, rpad('p', 50, 'p') from dual
           connect by level <= 20000",
        "insert into f select null, null, null, level, 'null' from dual connect by level <= 50",
        "insert into d select level, 'S' || level, 'n' || mod(level, 20) from dual connect by level <= 190",
        "insert into d values (null, null, 'n3')",
        "insert into e select level, 'w' || level from dual connect by level <= 4",
        "commit",
        "alter session set \"_serial_direct_read\" = always",
    ] {
        connection.run(statement).unwrap();
    }
    connection
}

const QUERIES: &[&str] = &[
    "select count(*), sum(f.v) from d, f where d.k = f.k and d.name = 'n3'",
    "select count(*), sum(f.v) from d, f where d.s = f.s and d.name = 'n3' and f.v > 100",
    "select count(*), sum(f.v) from d, f where d.k = f.k and d.s = f.s and d.name in ('n1', 'n4')",
    "select count(*), sum(f.v) from d, e, f where d.k = f.k and e.l = f.l and d.name = 'n3' and e.word = 'w2'",
    "select count(*), sum(v) from f where k in (select k from d where name = 'n5')",
    "select count(*), sum(v) from f where exists (select 1 from d where d.k = f.k and d.name = 'n5')",
    "select count(*), sum(v) from f where not exists (select 1 from d where d.k = f.k and d.name = 'n5')",
    "select count(*), sum(v) from f where k not in (select k from d where name = 'n5')",
    "select count(*), sum(v) from f where k not in (select k from d where name = 'n3')",
    "select d.k, count(f.v) from d left join f on d.k = f.k where d.name = 'n7' group by d.k order by 1",
    "select d.k, count(f.v) from d left join f on d.k = f.k and f.v < 50 group by d.k order by 1",
    "select count(d.k), sum(f.v) from d right join f on d.k = f.k and d.name = 'n7'",
    "select count(d.k), sum(f.v) from d full join f on d.k = f.k and d.name = 'n7'",
    "select count(*) from d where not exists (select 1 from f where f.k = d.k)",
    "select count(*), sum(f.v) from d, f where d.k = f.k and d.name = 'none'",
    "select count(*), sum(f.v) from (select k, v + 1 v from f where v > 9) f, (select k from d where name = 'n2') d
       where f.k = d.k",
    "select count(*), sum(f.v) from (select k, v from f where rownum <= 100) f, d where f.k = d.k and d.name = 'n2'",
    "select count(*) from f f1, f f2 where f1.v = f2.v and f1.k = 77",
    "select min(v), max(v), min(s), max(k) from f",
    "select min(v), max(k), min(pad) from f where v > 777 and s <> 'S3'",
    "select min(k), max(s) from f where k is null",
    "select min(v) from f where v < 0",
    "select min(v), count(*) from f",
    "select min(v + 1), max(v) from f",
    "select k, min(v), max(v) from f where k < 5 group by k order by 1",
    "select max(v) from (select v from f where rownum < 50)",
    "select min(distinct v), max(case when k > 3 then v end) from f",
];

/// With indexes.
const INDEX_QUERIES: &[&str] = &[
    "select /*+ index_ffs(f f_kv) */ count(*), sum(v), min(v) from f where k > 150 and v <> 777",
    "select /*+ index_ffs(f f_kv) */ k, count(*) from f where k in (3, 5, 77) and v > 777 group by k order by k",
    "select /*+ index_ffs(f f_kv) */ count(*), max(rowid) from f where k is not null and mod(v, 3) = 1",
    "select /*+ index_ffs(d d_ks) */ s, k from d where k between 17 and 29 and s > 'S2' order by k",
    "select /*+ index_ffs(d d_ks) index_ffs(f f_kv) */ count(*), sum(f.v) from d, f where d.k = f.k and d.k < 20",
    "select /*+ index_ffs(f f_kv) */ k, v from f where k > 190 and rownum <= 0",
];

fn indexed() -> Connection {
    let mut connection = connection();
    for statement in [
        "create index f_kv on f (k, v) tablespace on_cells",
        "create unique index d_ks on d (k, s) tablespace on_cells",
    ] {
        connection.run(statement).unwrap();
    }
    connection
}

fn with_offload(connection: &mut Connection, on: bool, query: &str) -> String {
    connection.run(&format!("alter session set cell_offload_processing = {on}")).unwrap();
    support::run(connection, query)
}

fn compare(connection: &mut Connection, queries: &[&str]) {
    for query in queries {
        let without = with_offload(connection, false, query);
        assert!(!without.contains("ORA-") && !without.contains("HW-"), "{query}: {without}");
        // The second time it is a kept plan.
        for _ in 0..2 {
            assert_eq!(with_offload(connection, true, query), without, "{query}");
        }
    }
}

#[test]
fn joins_have_the_results_that_they_have_without() {
    let mut connection = connection();
    compare(&mut connection, QUERIES);
    compare(&mut indexed(), INDEX_QUERIES);
    // Values of another execution.
    for name in ["n3", "n9", "n3"] {
        let query = format!("select count(*), sum(f.v) from d, f where d.k = f.k and d.name = '{name}'");
        assert_eq!(with_offload(&mut connection, true, &query), with_offload(&mut connection, false, &query));
    }
}

fn returned(connection: &mut Connection) -> f64 {
    let query = "select value from v$mystat join v$statname using (statistic#)
                 where name = 'cell physical IO interconnect bytes returned by smart scan'";
    support::run(connection, query).lines().last().unwrap().parse().unwrap()
}

#[test]
fn cells_send_the_rows_that_have_a_partner() {
    let mut connection = connection();
    let mut bytes_of = |query: &str| {
        let before = returned(&mut connection);
        support::run(&mut connection, query);
        returned(&mut connection) - before
    };
    let all = bytes_of("select /*+ no_merge */ count(pad), sum(v), max(k) from f");
    let joined = bytes_of("select count(f.pad), sum(f.v) from d, f where d.k = f.k and d.name = 'n3'");
    let least = bytes_of("select min(v), max(v), max(pad) from f where v > 5");
    assert!(least < all / 50.0, "{least} of {all} bytes");
    // Ten keys of 200, and what answers have beside rows.
    assert!(joined < all / 8.0, "{joined} of {all} bytes");
    let plan = support::run(
        &mut connection,
        "explain plan for select count(f.pad), sum(f.v) from d, f where d.k = f.k and d.name = 'n3'",
    );
    assert!(!plan.contains("ORA-"), "{plan}");
    let plan = support::run(&mut connection, "select plan_table_output from table(dbms_xplan.display)");
    for part in ["JOIN FILTER CREATE", "JOIN FILTER USE", ":BF0000", "SYS_OP_BLOOM_FILTER(:BF0000,\"F\".\"K\")"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

#[test]
fn indexes_are_scanned_by_cells() {
    let mut connection = indexed();
    let all = "select /*+ index_ffs(f f_kv) */ count(*), sum(v) from f where k is not null";
    let few = "select /*+ index_ffs(f f_kv) */ count(*), sum(v) from f where k = 7 and v > 9000";
    let mut bytes_of = |query: &str| {
        let before = returned(&mut connection);
        support::run(&mut connection, query);
        returned(&mut connection) - before
    };
    let (all, some) = (bytes_of(all), bytes_of(few));
    assert!(some > 0.0 && some < all / 100.0, "{some} of {all} bytes");
    support::run(&mut connection, &format!("explain plan for {few}"));
    let plan = support::run(&mut connection, "select plan_table_output from table(dbms_xplan.display)");
    for part in ["INDEX STORAGE FAST FULL SCAN", "storage(\"K\"=7 AND \"V\">9000)", "filter(\"K\"=7 AND \"V\">9000)"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    let waits = support::run(
        &mut connection,
        "select count(*) from v$session_event where event = 'cell smart index scan' and total_waits > 0",
    );
    assert_eq!(waits.lines().last(), Some("1"), "{waits}");
}
