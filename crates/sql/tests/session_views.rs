//! Views of working sessions and of statements' costs; ALTER SYSTEM KILL SESSION.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{JoinHandle, spawn_with_stack};
use sql::{Connection, Database};
use std::sync::Arc;

fn run(connection: &mut Connection, text: &str) -> String {
    support::run(connection, text)
}

/// The first row of a query.
fn row(connection: &mut Connection, query: &str) -> String {
    run(connection, query).lines().nth(1).unwrap_or_default().to_owned()
}

fn id(connection: &Connection) -> String {
    format!("{},{}", connection.session().sid(), connection.session().meter().serial())
}

/// A table with a row that `owner` has changed, and the thread of a session that waits for it, with an earlier change
/// of its own.
fn waiter(database: &Arc<Database>, owner: &mut Connection) -> (String, u32, JoinHandle<(Connection, String)>) {
    for statement in ["create table t (id number)", "insert into t values (1)", "insert into t values (2)", "commit"] {
        owner.run(statement).unwrap();
    }
    owner.run("update t set id = 10 where id = 1").unwrap();
    let mut connection = database.connect("system", None).unwrap();
    let (id, sid) = (id(&connection), connection.session().sid());
    connection.run("update t set id = 20 where id = 2").unwrap();
    let work = move || {
        let said = run(&mut connection, "update t set id = 30 where id in (1, 10)");
        (connection, said)
    };
    let thread = spawn_with_stack("waiter", 16 << 20, work).unwrap();
    let waiting =
        format!("select count(*) from v$session where sid = {sid} and event like 'enq: TX%' and state = 'WAITING'");
    while row(owner, &waiting) != "1" {
        std::thread::yield_now();
    }
    (id, sid, thread)
}

#[test]
fn a_session_that_waits_shows_its_statement_and_samples_have_it() {
    let database = support::database();
    let mut owner = database.connect("system", None).unwrap();
    let (_, sid, thread) = waiter(&database, &mut owner);
    let sql_id = waits::sql_id("update t set id = 30 where id in (1, 10)");
    let of = format!("where sid = {sid}");
    assert_eq!(
        row(&mut owner, &format!("select status, program, type, sql_id, blocking_session from v$session {of}")),
        format!("ACTIVE | highwater | USER | {sql_id} | {}", owner.session().sid())
    );
    let own = format!("select sql_id, module from v$session where sid = {}", owner.session().sid());
    owner.session().change_work(|work| work.module = Some("looker".into()));
    assert_eq!(row(&mut owner, &own), format!("{} | looker", waits::sql_id(&own)));
    database.instance().sample_sessions();
    assert_eq!(
        row(
            &mut owner,
            &format!(
                "select distinct session_type, session_state, event, sql_id, blocking_session from v$active_session_history \
                 where session_id = {sid} and event like 'enq:%'"
            )
        ),
        format!("FOREGROUND | WAITING | enq: TX - row lock contention | {sql_id} | {}", owner.session().sid())
    );
    owner.run("commit").unwrap();
    let (mut waiter, said) = thread.join().unwrap();
    assert_eq!(said, "UPDATE: 1 rows");
    // A finished wait is the last wait.
    let over =
        format!("select count(event) from v$session_wait {of} and state like 'WAITED%' and wait_time_micro >= 0");
    assert_eq!(row(&mut owner, &over), "1");
    let counted = row(
        &mut owner,
        "select \"TOTAL_WAIT#\", \"FAILED_REQ#\" from v$enqueue_statistics \
                                   where eq_type = 'TX' and req_reason = 'row lock contention'",
    );
    assert_eq!(counted, "1 | 0");
    let on_the_table =
        "select value from v$segment_statistics where object_name = 'T' and statistic_name = 'row lock waits'";
    assert_eq!(row(&mut owner, on_the_table), "1");
    waiter.run("rollback").unwrap();
}

#[test]
fn a_session_that_waits_is_killed_and_what_it_had_changed_is_undone() {
    let database = support::database();
    let mut owner = database.connect("system", None).unwrap();
    let (id, sid, thread) = waiter(&database, &mut owner);
    assert_eq!(run(&mut owner, &format!("alter system kill session '{id}'")), "ALTER SYSTEM");
    let (mut victim, said) = thread.join().unwrap();
    assert!(said.starts_with("ORA-00028"), "{said}");
    assert_eq!(row(&mut owner, &format!("select status from v$session where sid = {sid}")), "KILLED");
    assert!(run(&mut victim, "select 1 from dual").starts_with("ORA-01012"));
    owner.run("update t set id = id + 1").unwrap();
    assert_eq!(row(&mut owner, "select sum(id) from t"), "14");
    assert_eq!(run(&mut owner, &format!("alter system kill session '{id}' immediate")), "ALTER SYSTEM");
    drop(victim);
    assert_eq!(row(&mut owner, &format!("select count(*) from v$session where sid = {sid}")), "0");
    assert!(run(&mut owner, &format!("alter system kill session '{id}'")).starts_with("ORA-00030"));
}

#[test]
fn a_session_that_does_nothing_is_killed_at_once_and_one_that_goes_on_working_is_marked() {
    let database = support::database();
    let mut owner = database.connect("system", None).unwrap();
    owner.run("create table t (id number)").unwrap();
    let mut idle = database.connect("system", None).unwrap();
    idle.run("lock table t in exclusive mode").unwrap();
    assert_eq!(run(&mut owner, &format!("alter system kill session '{}'", id(&idle))), "ALTER SYSTEM");
    owner.run("lock table t in exclusive mode nowait").unwrap();
    assert!(run(&mut idle, "commit").starts_with("ORA-00028"));
    assert!(run(&mut idle, "commit").starts_with("ORA-01012"));

    let mut busy = database.connect("system", None).unwrap();
    let call = busy.session().call().unwrap();
    let kill = format!("alter system kill session '{}' immediate", id(&busy));
    assert!(run(&mut owner, &kill).starts_with("ORA-00031"));
    drop(call);
    assert_eq!(run(&mut owner, &kill), "ALTER SYSTEM");
    assert!(run(&mut busy, "commit").starts_with("ORA-00028"));
    let suicide = format!("alter system kill session '{}'", id(&owner));
    assert!(run(&mut owner, &suicide).starts_with("ORA-00027"));

    owner.run("create user scott identified by tiger").unwrap();
    owner.run("grant create session to scott").unwrap();
    let mut scott = database.connect("scott", Some("tiger")).unwrap();
    assert!(run(&mut scott, &kill).starts_with("ORA-01031"));
}

#[test]
fn statements_have_what_their_calls_took() {
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    connection.run("create table t (id number)").unwrap();
    for _ in 0..3 {
        connection.run("insert into t select level from dual connect by level <= 5").unwrap();
    }
    assert_eq!(connection.query("select id from t").unwrap().len(), 15);
    let of = |like: &str, columns: &str| format!("select {columns} from v$sql where sql_text like '{like}%'");
    assert_eq!(
        row(&mut connection, &of("insert into t", "executions, parse_calls, rows_processed, fetches, command_type")),
        "3 | 3 | 15 | 0 | 2"
    );
    assert_eq!(
        row(&mut connection, &of("select id from t", "executions, parse_calls, rows_processed, command_type, sql_id")),
        format!("1 | 1 | 15 | 3 | {}", waits::sql_id("select id from t"))
    );
    assert_eq!(
        row(
            &mut connection,
            &of("select id from t", "count(case when buffer_gets > 0 and elapsed_time > 0 then 1 end)")
        ),
        "1"
    );
    assert_eq!(row(&mut connection, &of("select id from t", "parsing_schema_name")), "SYSTEM");
    connection.run("alter system flush shared_pool").unwrap();
    assert_eq!(row(&mut connection, &of("insert into t", "count(*)")), "0");
    // Parsing a view's text is no call of it.
    connection.run("create view w as select id from t where id > 3").unwrap();
    connection.query("select * from w").unwrap();
    assert_eq!(row(&mut connection, &of("select id from t where", "count(*)")), "0");
}

#[test]
fn a_histogram_has_all_waits_of_an_event() {
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    connection.run("create table t (id number)").unwrap();
    connection.run("alter system flush buffer_cache").unwrap();
    connection.query("select * from t").unwrap();
    let read = "event = 'db file sequential read'";
    let histogram = row(&mut connection, &format!("select sum(wait_count) from v$event_histogram_micro where {read}"));
    // No read happens between the two.
    assert_eq!(row(&mut connection, &format!("select total_waits from v$system_event where {read}")), histogram);
    assert_ne!(histogram, "-");
}

#[test]
fn the_library_cache_counts_what_was_found_and_what_a_change_made_useless() {
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    for statement in ["create table t (id number)", "create function f return number as begin return 1; end;"] {
        connection.run(statement).unwrap();
    }
    let of = |connection: &mut Connection, namespace: &str, columns: &str| -> Vec<u64> {
        let query = format!("select {columns} from v$librarycache where namespace = '{namespace}'");
        row(connection, &query).split(" | ").map(|value| value.parse().unwrap()).collect()
    };
    let columns = "gets, gethits, pins, pinhits, reloads, invalidations";
    let call = "declare n number; begin n := f; end;";
    // The query about the cache is counted with the rest: it is found from the second time on.
    of(&mut connection, "SQL AREA", columns);
    let before = of(&mut connection, "SQL AREA", columns);
    for _ in 0..3 {
        run(&mut connection, "select count(*) from t");
    }
    let after = of(&mut connection, "SQL AREA", columns);
    let grown: Vec<u64> = after.iter().zip(&before).map(|(after, before)| after - before).collect();
    // The first execution of the new statement found nothing cached.
    assert_eq!(grown, [4, 3, 4, 3, 0, 0]);
    // After any change all cursors are parsed anew.
    connection.run("create table u (id number)").unwrap();
    run(&mut connection, "select count(*) from t");
    let changed = of(&mut connection, "SQL AREA", "reloads, invalidations");
    assert_eq!(changed, [after[4] + 1, after[5] + 1]);
    connection.run(call).unwrap();
    let gets = of(&mut connection, "TABLE/PROCEDURE", "gets");
    connection.run("create or replace function f return number as begin return 2; end;").unwrap();
    connection.run(call).unwrap();
    assert!(of(&mut connection, "TABLE/PROCEDURE", "gets") > gets);
    assert_eq!(of(&mut connection, "TABLE/PROCEDURE", "invalidations"), [1]);
    assert_eq!(of(&mut connection, "TRIGGER", "gets"), [0]);
}

#[test]
fn work_areas_are_counted_while_they_are_held_and_given_back() {
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    connection
        .run("create table t as select level id, rpad('x', 100) pad from dual connect by level <= 20000")
        .unwrap();
    let value = |connection: &mut Connection, name: &str| -> u64 {
        row(connection, &format!("select value from v$pgastat where name = '{name}'")).parse().unwrap()
    };
    let (processed, most) = ("bytes processed", "maximum PGA allocated");
    let before = value(&mut connection, processed);
    let cursor = connection.parse("select id, pad from t order by pad, id desc").unwrap();
    connection.execute(cursor).unwrap();
    connection.fetch(cursor, 10).unwrap();
    // The sort holds its rows: two megabytes and more.
    let mut other = database.connect("system", None).unwrap();
    assert!(value(&mut other, "total PGA inuse") > 2 << 20);
    connection.close(cursor);
    assert!(value(&mut other, "total PGA inuse") < 1 << 20);
    assert!(value(&mut other, processed) - before > 2 << 20);
    assert!(value(&mut other, most) > 2 << 20);
}

/// An autonomous transaction is part of its call: its time is counted with the call's, and its locks are the call's.
#[test]
fn autonomous_transactions_are_part_of_their_call() {
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    for statement in [
        "create table t (id number)",
        "insert into t values (1)",
        "commit",
        "create procedure p(which number) as pragma autonomous_transaction; begin \
           update t set id = id where id = which; insert into t values (2); commit; end;",
    ] {
        connection.run(statement).unwrap();
    }
    let time = |connection: &mut Connection| -> u64 {
        row(connection, "select value from v$sys_time_model where stat_name = 'DB time'").parse().unwrap()
    };
    let clock = Arc::clone(connection.session().meter().clock());
    let (before, from) = (time(&mut connection), clock.monotonic_us());
    connection.run("begin for i in 1 .. 200 loop p(0); end loop; end;").unwrap();
    let (took, counted) = (clock.monotonic_us() - from, time(&mut connection) - before);
    assert!(counted <= took + took / 4, "{counted} us of DB time in {took} us");
    assert_eq!(row(&mut connection, "select count(*) from t"), "201");
    // It wants a row that its caller has changed.
    connection.run("update t set id = 1 where id = 1").unwrap();
    let error = connection.run("begin p(1); end;").unwrap_err();
    assert!(error.is_ora(60), "{error}");
    connection.run("rollback").unwrap();
    // Its caller is killed while it waits for another session.
    let mut other = database.connect("system", None).unwrap();
    other.run("update t set id = 1 where id = 1").unwrap();
    let (own, sid) = (id(&connection), connection.session().sid());
    let work = move || connection.run("begin p(1); end;").map(drop);
    let thread = spawn_with_stack("caller", 16 << 20, work).unwrap();
    while row(&mut other, "select count(*) from v$session where type = 'RECURSIVE' and event like 'enq: TX%'") != "1" {
        std::thread::yield_now();
    }
    // It waits, and its caller does nothing else.
    database.instance().sample_sessions();
    let last = "sample_id = (select max(sample_id) from v$active_session_history)";
    let of_caller = format!("select count(*) from v$active_session_history where session_id = {sid} and {last}");
    assert_eq!(row(&mut other, &of_caller), "0");
    let waits = format!("select count(*) from v$active_session_history where event like 'enq: TX%' and {last}");
    assert_eq!(row(&mut other, &waits), "1");
    other.run(&format!("alter system kill session '{own}'")).unwrap();
    assert!(thread.join().unwrap().unwrap_err().is_ora(28));
    assert_eq!(row(&mut other, &format!("select count(*) from v$session where sid = {sid}")), "0");
    other.run("rollback").unwrap();
    assert_eq!(row(&mut other, "select count(*) from t"), "201");
}

#[test]
fn the_stack_of_a_session_that_waits_shows_where() {
    let database = support::database();
    let mut owner = database.connect("system", None).unwrap();
    let (_, sid, thread) = waiter(&database, &mut owner);
    let stack = |connection: &mut Connection, sid: u32| {
        row(connection, &format!("select stack from v$hw_short_stack where sid = {sid}"))
    };
    // Repeated requests do not end its wait.
    for _ in 0..50 {
        let found = stack(&mut owner, sid);
        assert!(found.contains("storage::") && found.contains("()<-"), "{found}");
    }
    let session = owner.session().clone();
    let own = stack(&mut owner, session.sid());
    assert!(own.contains("short_stacks"), "{own}");
    assert!(!own.contains("stacks::signal"), "{own}");
    let stid = row(&mut owner, &format!("select stid from v$process where pid = {sid}"));
    assert_eq!(row(&mut owner, &format!("select stid from v$hw_short_stack where sid = {sid}")), stid);
    owner.run("commit").unwrap();
    let (waiter, said) = thread.join().unwrap();
    assert_eq!(said, "UPDATE: 1 rows");
    // Between calls there is none.
    assert_eq!(stack(&mut owner, sid), "");
    assert!(sql::short_stack(waiter.session()).unwrap_err().is_own(9));
}

#[test]
fn sleeping_reading_and_writing_sessions_are_asked_and_do_what_they_did() {
    let database = support::database();
    let mut owner = database.connect("system", None).unwrap();
    let mut worker = database.connect("system", None).unwrap();
    let asked = worker.session().clone();
    let asking = Arc::new(AtomicBool::new(true));
    let goes_on = Arc::clone(&asking);
    let work = move || {
        run(&mut worker, "create table w (id number, pad varchar2(200))");
        run(&mut worker, "insert into w select level, rpad('x', 200, 'x') from dual connect by level <= 5000");
        run(&mut worker, "commit");
        run(&mut worker, "begin dbms_session.sleep(0.3); end;");
        run(&mut worker, "create index w_id on w(id)");
        loop {
            let read = run(&mut worker, "select count(*), sum(length(pad)), count(distinct id) from w");
            if !goes_on.load(Ordering::Relaxed) {
                return read;
            }
        }
    };
    let thread = spawn_with_stack("worker", 16 << 20, work).unwrap();
    let mut found = 0;
    // The first answer takes long: it reads the data for unwinding stacks.
    while found <= 20 && !thread.is_finished() {
        found += usize::from(sql::short_stack(&asked).is_ok());
    }
    asking.store(false, Ordering::Relaxed);
    assert!(found > 20, "{found}");
    assert!(thread.join().unwrap().contains("5000 | 1000000 | 5000"));
    assert_eq!(row(&mut owner, "select count(*) from w where id > 0"), "5000");
}
