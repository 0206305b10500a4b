//! V$LOCK and V$SESSION while sessions wait for each other.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::sync::Arc;
use std::time::Duration;

use common::{Clock, SystemClock};
use device::OsFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

/// The rows of a query once they are `expected`; after a while the last ones.
fn until(connection: &mut Connection, query: &str, expected: &str) -> String {
    let clock = SystemClock::default();
    let since = clock.monotonic_us();
    loop {
        let got = support::run(connection, query);
        if got == expected || clock.monotonic_us() - since > 30_000_000 {
            return got;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn who_waits_for_whom_is_shown() {
    let database = support::database();
    let mut looker = database.connect("system", None).unwrap();
    for statement in [
        "create table t (n number)",
        "create table u (n number)",
        "insert into t values (1)",
        "insert into t values (2)",
        "commit",
    ] {
        looker.run(statement).unwrap();
    }
    let (mut first, second) = (database.connect("system", None).unwrap(), database.connect("system", None).unwrap());
    let (one, two) = (first.session().sid(), second.session().sid());
    first.run("lock table u in share mode").unwrap();
    first.run("update t set n = 3 where n = 1").unwrap();

    let locks = format!("select sid - {one} s, type, lmode, request, block from v$lock order by 1, 2, 3");
    let blocked = format!(
        "select blocking_session_status, blocking_session, final_blocking_session, event, state \
         from v$session where sid = {two}"
    );
    let waiting = "select waiting_session, holding_session, lock_type, mode_held, mode_requested from dba_waiters";
    let waits = |connection: Connection, statement: &'static str| {
        common::sync::spawn_with_stack("waiter", 16 << 20, move || {
            let mut connection = connection;
            let done = connection.run(statement).map(drop);
            connection.run("rollback").unwrap();
            (connection, done)
        })
        .unwrap()
    };
    let difference = two - one;
    let row_lock = waits(second, "update t set n = n + 1");
    let expected = format!(
        "BLOCKING_SESSION_STATUS | BLOCKING_SESSION | FINAL_BLOCKING_SESSION | EVENT | STATE\n\
         VALID | {one} | {one} | enq: TX - row lock contention | WAITING"
    );
    assert_eq!(until(&mut looker, &blocked, &expected), expected);
    let held = "S | TYPE | LMODE | REQUEST | BLOCK\n0 | TM | 3 | 0 | 0\n0 | TM | 4 | 0 | 0\n0 | TX | 6 | 0 | 1";
    let got = support::run(&mut looker, &locks);
    // The waiting transaction may have a slot of its own by then.
    assert!(got.starts_with(held), "{got}");
    assert!(got.contains(&format!("\n{difference} | TX | 0 | 6 | 0")), "{got}");
    assert!(got.contains(&format!("\n{difference} | TM | 3 | 0 | 0")), "{got}");
    assert_eq!(
        support::run(&mut looker, waiting),
        format!(
            "WAITING_SESSION | HOLDING_SESSION | LOCK_TYPE | MODE_HELD | MODE_REQUESTED\n\
             {two} | {one} | Transaction | Exclusive | Exclusive"
        )
    );
    let blockers = "select * from dba_blockers";
    assert_eq!(support::run(&mut looker, blockers), format!("HOLDING_SESSION\n{one}"));
    // Every lock has its age.
    let aged = "select count(*) from v$lock where ctime is null or ctime not between 0 and 600";
    assert_eq!(support::run(&mut looker, aged), "COUNT(*)\n0");
    first.run("rollback").unwrap();
    let (second, done) = row_lock.join().unwrap();
    done.unwrap();

    first.run("lock table u in share mode").unwrap();
    let table_lock = waits(second, "lock table u in exclusive mode");
    let expected = format!(
        "BLOCKING_SESSION_STATUS | BLOCKING_SESSION | FINAL_BLOCKING_SESSION | EVENT | STATE\n\
         VALID | {one} | {one} | enq: TM - contention | WAITING"
    );
    assert_eq!(until(&mut looker, &blocked, &expected), expected);
    assert_eq!(
        support::run(&mut looker, &locks),
        format!(
            "S | TYPE | LMODE | REQUEST | BLOCK\n0 | TM | 4 | 0 | 1\n0 | TX | 6 | 0 | 0\n\
             {difference} | TM | 0 | 6 | 0\n{difference} | TX | 6 | 0 | 0"
        )
    );
    assert_eq!(
        support::run(&mut looker, waiting),
        format!(
            "WAITING_SESSION | HOLDING_SESSION | LOCK_TYPE | MODE_HELD | MODE_REQUESTED\n\
             {two} | {one} | DML | Share | Exclusive"
        )
    );
    first.run("commit").unwrap();
    let (second, done) = table_lock.join().unwrap();
    done.unwrap();
    assert_eq!(support::run(&mut looker, &locks), "S | TYPE | LMODE | REQUEST | BLOCK");
    assert_eq!(support::run(&mut looker, blockers), "HOLDING_SESSION");
    let nobody = "select blocking_session_status, blocking_session from v$session where sid = ";
    assert_eq!(
        support::run(&mut looker, &format!("{nobody}{two}")),
        "BLOCKING_SESSION_STATUS | BLOCKING_SESSION\nNOT IN WAIT | -"
    );
    drop((first, second));
}

/// The session that gets a deadlock error writes the graph into its trace file, traced or not.
#[test]
fn a_deadlock_is_described_in_the_trace_file() {
    let directory = tempfile::tempdir().unwrap();
    let files = Arc::new(OsFileSystem::new());
    let clock = Arc::new(SystemClock::default());
    let data = directory.path().join("data");
    let database = Database::new(Instance::create(files, &data, clock, None, &CreateOptions::default()).unwrap());
    let mut one = database.connect("system", None).unwrap();
    for statement in
        ["create table t (id number, v number)", "insert into t select level, 0 from dual connect by level <= 2"]
    {
        one.run(statement).unwrap();
    }
    one.run("commit").unwrap();
    let mut two = database.connect("system", None).unwrap();
    one.run("update t set v = 1 where id = 1").unwrap();
    two.run("update t set v = 2 where id = 2").unwrap();
    let sid = one.session().sid();
    let thread = common::sync::spawn_with_stack("waiter", 16 << 20, move || {
        let done = one.run("update t set v = 1 where id = 2").map(drop);
        one.run("rollback").unwrap();
        done
    })
    .unwrap();
    until(&mut two, &format!("select count(*) n from v$session where sid = {sid} and state = 'WAITING'"), "N\n1");
    assert!(two.run("update t set v = 2 where id = 1").unwrap_err().is_ora(60));
    let named = support::run(&mut two, "select value from v$diag_info where name = 'Default Trace File'");
    let text = std::fs::read_to_string(named.lines().nth(1).unwrap()).unwrap();
    for part in [
        "*** DEADLOCK DETECTED (ORA-00060)",
        "Deadlock graph:",
        "Rows waited on:",
        "update t set v = 1 where id = 2",
        "update t set v = 2 where id = 1",
    ] {
        assert_eq!(text.matches(part).count(), 1, "{part} in\n{text}");
    }
    two.run("rollback").unwrap();
    thread.join().unwrap().unwrap();
}
