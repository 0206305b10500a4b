//! DBMS_SCHEDULER, DBMS_APPLICATION_INFO, DBMS_SESSION and DBMS_MONITOR.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::SystemClock;
use common::sync::spawn_with_stack;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

fn run(connection: &mut Connection, text: &str) -> String {
    support::run(connection, text)
}

/// The rows of a query, without the heading.
fn rows(connection: &mut Connection, query: &str) -> String {
    let text = run(connection, query);
    text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
}

fn call(connection: &mut Connection, text: &str) -> String {
    run(connection, &format!("begin {text}; end;"))
}

/// Programs in debug builds need more stack than a test's thread has.
fn with_stack(work: impl FnOnce() + Send + 'static) {
    if let Err(panic) = spawn_with_stack("test", 16 << 20, work).unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

/// Repeats a query until it returns `expected`, for a minute.
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

fn on_disk(directory: &Path) -> (Arc<Database>, PathBuf) {
    let data = directory.join("data");
    let files = Arc::new(device::OsFileSystem::new());
    let options = CreateOptions::default();
    let instance = Instance::create(files, &data, Arc::new(SystemClock::default()), None, &options).unwrap();
    (Database::new(instance), data)
}

const STATE: &str = "select state, enabled, run_count, failure_count from user_scheduler_jobs where job_name = 'J'";

#[test]
fn a_job_runs_at_once_and_again_and_its_runs_are_logged() {
    with_stack(|| {
        let database = support::database();
        let mut c = database.connect("system", None).unwrap();
        c.run("create table t (n number)").unwrap();
        c.run("create procedure p as begin insert into t values (1); end;").unwrap();
        // Runs once, and is dropped.
        assert_eq!(call(&mut c, "dbms_scheduler.create_job('j', 'stored_procedure', 'p', enabled => true)"), "PL/SQL");
        until(&mut c, "select count(*) from t", "1");
        until(&mut c, "select count(*) from user_scheduler_jobs", "0");
        let log = "select job_name, status, error#, owner from user_scheduler_job_run_details order by log_id";
        assert_eq!(rows(&mut c, log), "J | SUCCEEDED | 0 | SYSTEM");
        // Every second, three times.
        let text = "dbms_scheduler.create_job(job_name => 'J', job_type => 'PLSQL_BLOCK', \
                    job_action => 'insert into t values (2); commit;', repeat_interval => 'FREQ=SECONDLY', \
                    auto_drop => false); dbms_scheduler.set_attribute('J', 'max_runs', 3); dbms_scheduler.enable('J')";
        assert_eq!(call(&mut c, text), "PL/SQL");
        until(&mut c, STATE, "COMPLETED | FALSE | 3 | 0");
        assert_eq!(rows(&mut c, "select count(*) from t where n = 2"), "3");
        // In the requesting session, and in one of its own; only the second counts for the schedule.
        assert_eq!(
            call(&mut c, "dbms_scheduler.set_attribute_null('J', 'max_runs'); dbms_scheduler.run_job('J')"),
            "PL/SQL"
        );
        assert_eq!(rows(&mut c, STATE), "COMPLETED | FALSE | 3 | 0");
        assert_eq!(call(&mut c, "dbms_scheduler.run_job('J', use_current_session => false)"), "PL/SQL");
        until(&mut c, STATE, "DISABLED | FALSE | 4 | 0");
        assert_eq!(rows(&mut c, "select count(*) from t where n = 2"), "5");
        // By an expression.
        let text = "dbms_scheduler.set_attribute('j', 'repeat_interval', 'sysdate + 1/86400'); \
                    dbms_scheduler.enable('system.j')";
        assert_eq!(call(&mut c, text), "PL/SQL");
        until(&mut c, "select sign(run_count - 5) from user_scheduler_jobs", "1");
        assert_eq!(rows(&mut c, "select schedule_type from user_scheduler_jobs"), "PLSQL");
        assert_eq!(call(&mut c, "dbms_scheduler.disable('j', true); dbms_scheduler.drop_job('j', true)"), "PL/SQL");
        assert_eq!(rows(&mut c, "select count(*) from dba_scheduler_jobs"), "0");
    });
}

#[test]
fn a_procedure_gets_its_arguments() {
    with_stack(|| {
        let database = support::database();
        let mut c = database.connect("system", None).unwrap();
        c.run("create table t (n number, v varchar2(20))").unwrap();
        c.run("create procedure p(n in number, v in varchar2) as begin insert into t values (n, v); end;").unwrap();
        let text = "dbms_scheduler.create_job('J', 'STORED_PROCEDURE', 'system.p', 2); \
                    dbms_scheduler.set_job_argument_value('J', 1, '7'); \
                    dbms_scheduler.set_job_argument_value('J', 2, 'it''s'); dbms_scheduler.enable('J')";
        assert_eq!(call(&mut c, text), "PL/SQL");
        let log = "select status, additional_info from user_scheduler_job_run_details";
        until(&mut c, log, "SUCCEEDED | -");
        assert_eq!(rows(&mut c, "select * from t"), "7 | it's");
        let early = "dbms_scheduler.create_job('K', 'STORED_PROCEDURE', 'p', 2, enabled => true)";
        assert!(call(&mut c, early).starts_with("ORA-27457"));
    });
}

#[test]
fn mistakes_are_said() {
    with_stack(|| {
        let mut c = support::connect();
        let create = |rest: &str| format!("dbms_scheduler.create_job({rest})");
        assert_eq!(call(&mut c, &create("'J', 'PLSQL_BLOCK', 'null;'")), "PL/SQL");
        for (text, number) in [
            (create("'J', 'PLSQL_BLOCK', 'null;'"), "ORA-27477"),
            (create("'1 bad', 'PLSQL_BLOCK', 'null;'"), "ORA-27452"),
            (create("'A', 'STORED_PROCEDURE', 'p; drop'"), "ORA-27452"),
            (create("null, 'PLSQL_BLOCK', 'null;'"), "ORA-27451"),
            (create("'A', 'FOO', 'null;'"), "ORA-27465"),
            (create("'A', 'EXECUTABLE', '/bin/true'"), "HW-0001"),
            (create("'A', 'PLSQL_BLOCK', 'null;', job_class => 'FAST'"), "ORA-27476"),
            (create("'A', 'PLSQL_BLOCK', 'null;', end_date => sysdate - 1"), "ORA-27483"),
            (create("'A', 'PLSQL_BLOCK', 'null;', repeat_interval => 'FREQ=DAILY;BYFOO=1'"), "ORA-27412"),
            (create("'A', 'PLSQL_BLOCK', 'null;', repeat_interval => 'FREQ=DAILY;BYSETPOS=1'"), "HW-0001"),
            (create("'A', 'PLSQL_BLOCK', 'null;', repeat_interval => 'now and then'"), "ORA-27412"),
            (create("'A', 'PLSQL_BLOCK', 'null;', repeat_interval => 'sysdate - 1'"), "ORA-23420"),
            ("dbms_scheduler.run_job('NONE')".to_owned(), "ORA-27475"),
            ("dbms_scheduler.run_job('NONE', false)".to_owned(), "ORA-27475"),
            ("dbms_scheduler.enable('J,NONE')".to_owned(), "ORA-27475"),
            ("dbms_scheduler.drop_job('NONE', true)".to_owned(), "ORA-27475"),
            ("dbms_scheduler.stop_job('NONE')".to_owned(), "ORA-27475"),
            // J has been enabled, and is dropped once it has run.
            (create("'K', 'PLSQL_BLOCK', 'null;', repeat_interval => 'FREQ=DAILY'"), "PL/SQL"),
            ("dbms_scheduler.set_attribute('K', 'colour', 'red')".to_owned(), "ORA-27469"),
            ("dbms_scheduler.set_attribute('K', 'job_priority', 1)".to_owned(), "HW-0001"),
            ("dbms_scheduler.drop_job('K')".to_owned(), "PL/SQL"),
        ] {
            let said = call(&mut c, &text);
            assert!(said.starts_with(number), "{text}: {said}");
        }
        let said = call(&mut c, &create("'A', 'PLSQL_BLOCK', 'null;', repeat_interval => 'FREQ=DAILY;BYSETPOS=1'"));
        assert!(said.contains("BYSETPOS"), "{said}");
        until(&mut c, "select count(*) from user_scheduler_jobs", "0");
        c.run("create user u identified by u").unwrap();
        c.run("grant create session to u").unwrap();
        let mut u = c.database().connect("u", Some("u")).unwrap();
        let said = call(&mut u, &create("'J', 'PLSQL_BLOCK', 'null;'"));
        assert!(said.starts_with("ORA-27486"), "{said}");
    });
}

#[test]
fn a_job_that_fails_breaks_when_it_is_to_and_one_that_does_not_end_is_stopped() {
    with_stack(|| {
        let database = support::database();
        let mut c = database.connect("system", None).unwrap();
        let text = "dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'raise_application_error(-20001, ''no'');', \
                    repeat_interval => 'FREQ=SECONDLY'); dbms_scheduler.set_attribute('J', 'max_failures', 2); \
                    dbms_scheduler.enable('J')";
        assert_eq!(call(&mut c, text), "PL/SQL");
        until(&mut c, STATE, "BROKEN | FALSE | 2 | 2");
        let log = "select distinct status, error#, substr(additional_info, 1, 13) from dba_scheduler_job_run_details";
        assert_eq!(rows(&mut c, log), "FAILED | 20001 | ORA-20001: no");
        assert_eq!(call(&mut c, "dbms_scheduler.drop_job('J')"), "PL/SQL");
        for force in ["false", "true"] {
            let text = "dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'loop null; end loop;', enabled => true)";
            assert_eq!(call(&mut c, text), "PL/SQL");
            until(&mut c, "select job_name from user_scheduler_running_jobs", "J");
            assert!(call(&mut c, "dbms_scheduler.drop_job('J')").starts_with("ORA-27478"));
            assert!(call(&mut c, "dbms_scheduler.run_job('J')").starts_with("ORA-27478"));
            assert_eq!(call(&mut c, &format!("dbms_scheduler.stop_job('J', {force})")), "PL/SQL");
            assert_eq!(rows(&mut c, "select count(*) from user_scheduler_running_jobs"), "0");
            assert_eq!(rows(&mut c, STATE), "STOPPED | FALSE | 1 | 0");
            assert!(call(&mut c, "dbms_scheduler.stop_job('J')").starts_with("ORA-27366"));
            let last = "select status, additional_info from user_scheduler_job_run_details order by log_id desc";
            let said = rows(&mut c, last);
            assert_eq!(said.lines().next(), Some("STOPPED | REASON=\"Stop job called by user: 'SYSTEM'\""));
            assert_eq!(call(&mut c, "dbms_scheduler.drop_job('J', force => true)"), "PL/SQL");
        }
    });
}

#[test]
fn jobs_and_their_log_survive_a_crash() {
    with_stack(|| {
        let directory = tempfile::tempdir().unwrap();
        let (database, data) = on_disk(directory.path());
        let mut c = database.connect("system", None).unwrap();
        c.run("create table t (n number)").unwrap();
        c.run("alter system set job_queue_processes = 0").unwrap();
        let text = "dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'insert into t values (1);', \
                    repeat_interval => 'FREQ=SECONDLY', enabled => true, comments => 'ticks'); \
                    dbms_scheduler.create_job('LATER', 'PLSQL_BLOCK', 'null;', start_date => sysdate + 1, enabled => true); \
                    dbms_scheduler.create_job('L', 'PLSQL_BLOCK', 'null;'); dbms_scheduler.run_job('L')";
        assert_eq!(call(&mut c, text), "PL/SQL");
        // None of them may run as yet.
        std::thread::sleep(Duration::from_millis(1200));
        assert_eq!(rows(&mut c, STATE), "SCHEDULED | TRUE | 0 | 0");
        database.instance().abort();
        drop(c);
        drop(database);
        let files = Arc::new(device::OsFileSystem::new());
        let instance = Instance::open(files, &data, Arc::new(SystemClock::default()), None).unwrap();
        let database = Database::new(instance);
        let mut c = database.connect("system", None).unwrap();
        assert_eq!(
            rows(&mut c, "select job_name, state, comments from user_scheduler_jobs order by 1"),
            "J | SCHEDULED | ticks\nL | DISABLED | -\nLATER | SCHEDULED | -"
        );
        assert_eq!(rows(&mut c, "select job_name, status from user_scheduler_job_run_details"), "L | SUCCEEDED");
        c.run("alter system set job_queue_processes = 4").unwrap();
        until(&mut c, "select sign(count(*) - 1) from t", "1");
        assert_eq!(call(&mut c, "dbms_scheduler.drop_job('J', true)"), "PL/SQL");
        drop(c);
        database.instance().shutdown().unwrap();
    });
}

#[test]
fn calendar_strings_are_evaluated() {
    with_stack(|| {
        let mut c = support::connect();
        c.enable_output(None);
        let text = "declare d timestamp; begin \
                    dbms_scheduler.evaluate_calendar_string('FREQ=MONTHLY;BYDAY=-1FRI;BYHOUR=18;BYMINUTE=0;BYSECOND=0', \
                    date '2024-01-01', date '2024-02-01', d); \
                    dbms_output.put_line(to_char(d, 'YYYY-MM-DD HH24:MI:SS')); end;";
        assert_eq!(run(&mut c, text), "PL/SQL");
        assert_eq!(c.take_output(), ["2024-02-23 18:00:00"]);
    });
}

#[test]
fn a_session_says_what_it_does() {
    with_stack(|| {
        let directory = tempfile::tempdir().unwrap();
        let (database, data) = on_disk(directory.path());
        let mut c = database.connect("system", None).unwrap();
        let sid = c.session().sid();
        c.enable_output(None);
        c.run("alter session set tracefile_identifier = 'said'").unwrap();
        let text = "dbms_application_info.set_module('first', 'one'); dbms_session.session_trace_enable(true, true); \
                    dbms_application_info.set_module('orders', 'load'); dbms_application_info.set_client_info('host 7'); \
                    dbms_session.set_identifier('me')";
        assert_eq!(call(&mut c, text), "PL/SQL");
        let own = format!("select module, action, client_info, client_identifier from v$session where sid = {sid}");
        assert_eq!(rows(&mut c, &own), "orders | load | host 7 | me");
        assert_eq!(
            rows(&mut c, "select distinct module, action from v$sql where sql_text like 'select module%client_info%'"),
            "orders | load"
        );
        assert_eq!(call(&mut c, "dbms_application_info.set_action('store'); dbms_session.clear_identifier"), "PL/SQL");
        let text = "declare m varchar2(48); a varchar2(32); i varchar2(64); begin \
                    dbms_application_info.read_module(m, a); dbms_application_info.read_client_info(i); \
                    dbms_output.put_line(m || ' ' || a || ' ' || i); end;";
        assert_eq!(run(&mut c, text), "PL/SQL");
        assert_eq!(c.take_output(), ["orders store host 7"]);
        c.run("declare n number; begin select count(*) into n from dual where 1 = n; end;").unwrap();
        assert_eq!(call(&mut c, "dbms_session.session_trace_disable"), "PL/SQL");
        let long = "x".repeat(60);
        assert_eq!(call(&mut c, &format!("dbms_application_info.set_module('{long}', null)")), "PL/SQL");
        assert_eq!(rows(&mut c, &format!("select length(module), action from v$session where sid = {sid}")), "48 | -");
        let file = std::fs::read_dir(data.join("trace")).unwrap();
        let file =
            file.map(|entry| entry.unwrap().path()).find(|path| path.to_string_lossy().contains("said")).unwrap();
        let trace = std::fs::read_to_string(file).unwrap();
        for line in [
            "*** MODULE NAME:(first)",
            "*** ACTION NAME:(one)",
            "*** MODULE NAME:(orders)",
            "*** ACTION NAME:(load)",
            "*** ACTION NAME:(store)",
            "*** CLIENT ID:(me)",
            "*** CLIENT ID:()",
        ] {
            assert!(trace.lines().any(|found| found.starts_with(line)), "{line}: {trace}");
        }
        assert!(trace.contains("\nBINDS #") && trace.contains("\nEXEC #"), "{trace}");
        // The trace's report has the program's statement under the recursive ones, and its time is not counted twice.
        let report = report::tkprof::summarise(trace.as_bytes(), &report::tkprof::Options::default()).unwrap();
        let of = |start: &str| {
            let found = report
                .statements
                .iter()
                .find(|statement| statement.sql.as_deref().is_some_and(|sql| sql.starts_with(start)));
            found.unwrap_or_else(|| panic!("{start}: {trace}"))
        };
        let (block, inner) = (of("declare n number"), of("SELECT COUNT"));
        assert_eq!((block.depth, inner.depth), (0, 1));
        assert_eq!((report.recursive.execute.count, report.recursive.fetch.count), (1, inner.fetch.count));
        assert!(report.non_recursive.total().count > 0);
        drop(c);
        database.instance().shutdown().unwrap();
    });
}

#[test]
fn sessions_are_traced_and_set_by_packages() {
    with_stack(|| {
        let directory = tempfile::tempdir().unwrap();
        let (database, _) = on_disk(directory.path());
        let (mut c, mut other) = (database.connect("system", None).unwrap(), database.connect("system", None).unwrap());
        let (sid, serial) = other.session().identity();
        assert_eq!(
            call(&mut c, &format!("dbms_monitor.session_trace_enable({sid}, {serial}, binds => true)")),
            "PL/SQL"
        );
        assert_eq!(other.session().meter().trace_level(), 13);
        assert_eq!(call(&mut c, &format!("dbms_monitor.session_trace_disable({sid}, {serial})")), "PL/SQL");
        assert_eq!(other.session().meter().trace_level(), 0);
        assert!(
            call(&mut c, &format!("dbms_monitor.session_trace_enable({sid}, {})", serial + 99))
                .starts_with("ORA-00030")
        );
        assert_eq!(call(&mut c, "dbms_session.set_sql_trace(true)"), "PL/SQL");
        assert_eq!(c.session().meter().trace_level(), 1);
        assert_eq!(call(&mut c, "dbms_monitor.session_trace_enable"), "PL/SQL");
        assert_eq!(c.session().meter().trace_level(), 9);
        assert_eq!(call(&mut c, "dbms_session.set_sql_trace(false)"), "PL/SQL");
        assert_eq!(c.session().meter().trace_level(), 0);
        c.enable_output(None);
        let text = "dbms_session.set_nls('nls_date_format', '''YYYY/MM/DD'''); \
                    dbms_output.put_line(date '2024-02-03'); \
                    dbms_output.put_line(length(dbms_session.unique_session_id))";
        assert_eq!(call(&mut c, text), "PL/SQL");
        assert_eq!(c.take_output(), ["2024/02/03", "12"]);
        assert!(call(&mut c, "dbms_session.set_nls('sql_trace', 'true')").starts_with("ORA-00922"));
        c.run("create package counted as n number := 0; end;").unwrap();
        let count = "counted.n := counted.n + 1; dbms_output.put_line(counted.n)";
        assert_eq!(call(&mut c, count), "PL/SQL");
        assert_eq!(call(&mut c, &format!("dbms_session.reset_package; {count}")), "PL/SQL");
        assert_eq!(call(&mut c, count), "PL/SQL");
        assert_eq!(c.take_output(), ["1", "2", "1"]);
        c.run("create user u identified by u").unwrap();
        c.run("grant connect, resource to u").unwrap();
        let mut u = database.connect("u", Some("u")).unwrap();
        u.enable_output(None);
        let text = "if dbms_session.is_role_enabled('resource') and not dbms_session.is_role_enabled('DBA') then \
                    dbms_output.put_line('yes'); end if";
        assert_eq!(call(&mut u, text), "PL/SQL");
        assert_eq!(u.take_output(), ["yes"]);
        let said = call(&mut u, &format!("dbms_monitor.session_trace_enable({sid}, {serial})"));
        assert!(said.starts_with("ORA-01031"), "{said}");
        let text = "declare i binary_integer := dbms_application_info.set_session_longops_nohint; s binary_integer; begin \
                    dbms_application_info.set_session_longops(i, s, 'load', sofar => 1, totalwork => 4, target_desc => 'T', units => 'rows'); \
                    dbms_application_info.set_session_longops(i, s, 'load', sofar => 3, totalwork => 4, target_desc => 'T', units => 'rows'); end;";
        assert_eq!(run(&mut other, text), "PL/SQL");
        let shown = format!("select opname, sofar, totalwork, message from v$session_longops where sid = {sid}");
        assert_eq!(rows(&mut c, &shown), "load | 3 | 4 | load: T : 3 out of 4 rows done");
        drop((c, other, u));
        database.instance().shutdown().unwrap();
    });
}
