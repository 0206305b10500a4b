//! Failing programs, jobs and crowds of sessions: each gets its error, and nothing hangs.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use common::SystemClock;
use common::sync::spawn_with_stack;
use device::MemoryFileSystem;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

fn run(connection: &mut Connection, text: &str) -> String {
    support::run(connection, text)
}

fn rows(connection: &mut Connection, query: &str) -> String {
    let text = run(connection, query);
    text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
}

fn with_stack(work: impl FnOnce() + Send + 'static) {
    if let Err(panic) = spawn_with_stack("test", 16 << 20, work).unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

fn until(connection: &mut Connection, query: &str, expected: &str) {
    let mut last = String::new();
    for _ in 0..1200 {
        last = rows(connection, query);
        if last == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{query}: {last}, not {expected}");
}

#[test]
fn what_does_not_compile_is_kept_with_its_errors() {
    with_stack(|| {
        let mut c = support::connect();
        for (kind, text) in [
            ("PROCEDURE", "create procedure p1 as begin nowhere := 1; end;"),
            ("FUNCTION", "create function p1 return number as begin return missing; end;"),
            ("PACKAGE", "create package p1 as x nope; end;"),
        ] {
            let cursor = c.parse(text).unwrap();
            assert!(c.execute(cursor).unwrap().compilation_errors, "{text}");
            c.close(cursor);
            assert_eq!(c.last_compiled(), Some((kind.to_owned(), "P1".to_owned())));
            let errors = c.program_errors(None).unwrap();
            assert!(errors[0].text.starts_with("PLS-00201"), "{errors:?}");
            assert_eq!(c.program_errors(Some((kind, "p1"))).unwrap(), errors);
            assert_eq!(rows(&mut c, "select status from user_objects where object_name = 'P1'"), "INVALID");
            c.run(&format!("drop {kind} p1")).unwrap();
        }
        c.run("create procedure p2 as begin nowhere; end;").unwrap();
        let said = run(&mut c, "begin p2; end;");
        assert!(said.starts_with("ORA-04063") || said.contains("PLS-00905"), "{said}");
        assert!(run(&mut c, "begin dbms_nosuch.p; end;").contains("PLS-00201"));
    });
}

#[test]
fn what_is_not_supported_is_said_and_never_skipped() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table t (n number)").unwrap();
        for text in [
            "begin insert into t values (1); $if true $then null; $end end;",
            "declare x clob; begin insert into t values (1); end;",
            "declare x interval day to second; begin insert into t values (1); end;",
            "declare x binary_double; begin insert into t values (1); end;",
            "declare pragma serially_reusable; begin insert into t values (1); end;",
        ] {
            let said = run(&mut c, text);
            assert!(said.contains("HW-0001"), "{text}: {said}");
        }
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
    });
}

#[test]
fn a_job_that_raises_breaks_after_sixteen_failures() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("alter system set job_queue_processes = 0").unwrap();
        c.run("begin dbms_job.isubmit(7, 'raise_application_error(-20001, ''no'');', sysdate, 'sysdate + 1'); commit; end;")
            .unwrap();
        for failures in 1..=16 {
            let said = run(&mut c, "begin dbms_job.run(7); end;");
            assert!(said.starts_with("ORA-12011") && said.contains("ORA-20001: no"), "{said}");
            let broken = if failures == 16 { "Y" } else { "N" };
            assert_eq!(rows(&mut c, "select failures, broken from user_jobs"), format!("{failures} | {broken}"));
        }
        assert_eq!(rows(&mut c, "select to_char(next_date, 'YYYY') from user_jobs"), "4000");
    });
}

#[test]
fn a_job_that_never_ends_is_killed_and_does_not_begin_again_at_once() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table t (n number)").unwrap();
        c.run("begin dbms_job.isubmit(7, 'insert into t values (1); loop null; end loop;', sysdate, 'sysdate'); commit; end;")
            .unwrap();
        until(&mut c, "select count(*) from dba_jobs_running", "1");
        let id =
            rows(&mut c, "select r.sid || ',' || s.serial# from dba_jobs_running r, v$session s where s.sid = r.sid");
        let said = run(&mut c, &format!("alter system kill session '{id}' immediate"));
        assert!(said == "ALTER SYSTEM" || said.starts_with("ORA-00031"), "{said}");
        until(&mut c, "select failures, broken, this_date from user_jobs", "1 | N | -");
        until(&mut c, "select count(*) from dba_jobs_running", "0");
        // Retried in a minute, then two, four … and never after the sixteenth failure; its changes are rolled back.
        let soon = "select case when next_date <= sysdate + 61/86400 and next_date > sysdate - 1/24 then 'soon' end from user_jobs";
        assert_eq!(rows(&mut c, soon), "soon");
        std::thread::sleep(Duration::from_millis(1500));
        assert_eq!(rows(&mut c, "select count(*) from dba_jobs_running"), "0");
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
        // A scheduler job that runs once has run.
        c.run("begin dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'loop null; end loop;', enabled => true); end;")
            .unwrap();
        until(&mut c, "select count(*) from user_scheduler_running_jobs", "1");
        let of = "select r.session_id || ',' || s.serial# from user_scheduler_running_jobs r, v$session s where s.sid = r.session_id";
        let id = rows(&mut c, of);
        run(&mut c, &format!("alter system kill session '{id}' immediate"));
        until(&mut c, "select status, error# from user_scheduler_job_run_details", "FAILED | 28");
        assert_eq!(rows(&mut c, "select count(*) from user_scheduler_jobs"), "0");
    });
}

#[test]
fn bad_intervals_are_refused_or_counted_as_failures() {
    with_stack(|| {
        let mut c = support::connect();
        let submit = |interval: &str| format!("begin dbms_job.isubmit(7, 'null;', sysdate, '{interval}'); end;");
        assert!(run(&mut c, &submit("no date")).starts_with("ORA-23319"));
        assert!(run(&mut c, &submit("sysdate - 1")).starts_with("ORA-23420"));
        assert!(run(&mut c, &submit("''a''")).starts_with("ORA-23319"));
        assert_eq!(rows(&mut c, "select count(*) from user_jobs"), "0");
        // An interval that is valid at the submission, and in the past when the job runs.
        c.run("create table t (n number)").unwrap();
        let soon = "to_date(''' || to_char(sysdate + 6/86400, 'YYYYMMDDHH24MISS') || ''', ''YYYYMMDDHH24MISS'')";
        c.run(&format!(
            "begin dbms_job.isubmit(7, 'insert into t values (1);', sysdate + 8/86400, '{soon}'); commit; end;"
        ))
        .unwrap();
        until(&mut c, "select failures from user_jobs", "1");
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
    });
}

#[test]
fn runaway_recursion_ends_with_an_error() {
    with_stack(|| {
        let mut c = support::connect();
        let down = "declare procedure down(n number) is begin down(n + 1); end; begin down(1); end;";
        let said = run(&mut c, down);
        assert!(said.starts_with("ORA-06500"), "{said}");
        // With something large in each call.
        let large = "declare procedure down(n number) is v varchar2(32767) := rpad('x', 4000); begin v := v || v || v || v || v || v || v; \
                     down(n + 1); end; begin down(1); end;";
        let said = run(&mut c, large);
        assert!(said.starts_with("ORA-06500"), "{said}");
        // Through SQL: by dynamic SQL, by a trigger.
        c.run("create procedure again as begin execute immediate 'begin again; end;'; end;").unwrap();
        let said = run(&mut c, "begin again; end;");
        assert!(said.starts_with("ORA-00036"), "{said}");
        c.run("create table t (n number)").unwrap();
        c.run("create trigger more after insert on t begin insert into t values (1); end;").unwrap();
        let said = run(&mut c, "insert into t values (1)");
        assert!(said.starts_with("ORA-00036"), "{said}");
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
        // The session goes on.
        assert_eq!(run(&mut c, "begin null; end;"), "PL/SQL");
    });
}

#[test]
fn a_report_of_snapshots_that_are_not_there_is_refused() {
    with_stack(|| {
        let mut c = support::connect();
        let report = |c: &mut Connection, text: &str| run(c, &format!("begin perfstat.statspack.{text}; end;"));
        let said = report(&mut c, "report(1, 2)");
        assert!(said.starts_with("ORA-20200"), "{said}");
        c.run("begin perfstat.statspack.snap; perfstat.statspack.snap; end;").unwrap();
        let said = report(&mut c, "report(1, 99)");
        assert!(said.starts_with("ORA-20200") && said.contains("99"), "{said}");
        c.enable_output(None);
        assert_eq!(report(&mut c, "report(1, 2)"), "PL/SQL");
    });
}

/// A cache of 100 blocks cannot hold what 200 sessions want at a time: each statement either succeeds or is refused,
/// and no row of a successful one is lost.
#[test]
fn two_hundred_sessions_share_a_cache_of_a_hundred_blocks() {
    const SESSIONS: u64 = 200;
    const ROWS: u64 = 10;
    let parameters =
        [("db_cache_size", "800K"), ("processes", "260")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    let options = CreateOptions { parameters: parameters.to_vec(), ..CreateOptions::default() };
    let files = Arc::new(MemoryFileSystem::default());
    let clock = Arc::new(SystemClock::default());
    let database = Database::new(Instance::create(files, Path::new("/database"), clock, None, &options).unwrap());
    let mut c = database.connect("system", None).unwrap();
    assert_eq!(rows(&mut c, "select value from v$parameter where name = 'db_cache_size'"), "819200");
    c.run("create table t (s number, n number, filler char(500))").unwrap();
    let work = move |database: &Arc<Database>, session: u64| {
        let mut done = 0;
        let mut refused = Vec::new();
        let mut connection = match database.connect("system", None) {
            Ok(connection) => connection,
            Err(error) => return (0, vec![error.to_string()]),
        };
        for n in 0..ROWS {
            let worked = connection
                .run(&format!("insert into t values ({session}, {n}, 'x')"))
                .and_then(|_| connection.query(&format!("select count(*) from t where s = {session}")))
                .and_then(|_| connection.run("commit"));
            match worked {
                Ok(_) => done += 1,
                Err(error) => {
                    refused.push(error.to_string());
                    connection.run("rollback").unwrap();
                }
            }
        }
        (done, refused)
    };
    let threads: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let database = Arc::clone(&database);
            spawn_with_stack("crowd", 4 << 20, move || work(&database, session)).unwrap()
        })
        .collect();
    let results: Vec<(u64, Vec<String>)> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let done: u64 = results.iter().map(|(done, _)| done).sum();
    for error in results.iter().flat_map(|(_, refused)| refused) {
        assert!(["ORA-00379", "ORA-00020", "ORA-04031"].iter().any(|clear| error.starts_with(clear)), "{error}");
    }
    assert!(done > 0);
    assert_eq!(rows(&mut c, "select count(*), count(distinct s || ' ' || n) from t"), format!("{done} | {done}"));
    drop(c);
    database.instance().shutdown().unwrap();
}

#[test]
fn autonomous_triggers_without_end_are_an_error() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table t (n number)").unwrap();
        c.run(
            "create trigger t_again after insert on t declare pragma autonomous_transaction;
             begin insert into t values (1); commit; end;",
        )
        .unwrap();
        let said = run(&mut c, "insert into t values (0)");
        assert!(said.starts_with("ORA-00036"), "{said}");
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
    });
}
