//! Autonomous transactions: another transaction, in the user's view in the same session.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::sync::Arc;

use common::SystemClock;
use common::sync::spawn_with_stack;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use sql::{Connection, Database};

fn rows(connection: &mut Connection, query: &str) -> String {
    let text = support::run(connection, query);
    text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
}

fn with_stack(work: impl FnOnce() + Send + 'static) {
    if let Err(panic) = spawn_with_stack("test", 16 << 20, work).unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

/// The output of the block in an autonomous transaction.
fn apart(connection: &mut Connection, text: &str) -> Vec<String> {
    connection.enable_output(None);
    let block =
        format!("declare procedure p is pragma autonomous_transaction; begin {text} commit; end; begin p; end;");
    assert_eq!(support::run(connection, &block), "PL/SQL", "{text}");
    connection.take_output()
}

#[test]
fn values_of_sequences_are_the_sessions() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create sequence s").unwrap();
        c.run("create table t (n number)").unwrap();
        apart(&mut c, "insert into t values (s.nextval);");
        assert_eq!(rows(&mut c, "select s.currval from dual"), "1");
        assert_eq!(rows(&mut c, "select s.nextval from dual"), "2");
        assert_eq!(apart(&mut c, "dbms_output.put_line(s.currval);"), ["2"]);
    });
}

#[test]
fn settings_go_in_and_come_back() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("alter session set nls_date_format = 'YYYY/MM/DD'").unwrap();
        c.run("begin dbms_application_info.set_module('orders', 'load'); end;").unwrap();
        let say = "declare m varchar2(48); a varchar2(32); begin dbms_application_info.read_module(m, a); \
                   dbms_output.put_line(date '2024-02-03' || ' ' || m || ' ' || a); end;";
        assert_eq!(apart(&mut c, say), ["2024/02/03 orders load"]);
        let change = "execute immediate 'alter session set nls_date_format = ''DD.MM.YYYY'''; \
                      dbms_application_info.set_action('store');";
        apart(&mut c, change);
        assert_eq!(rows(&mut c, "select to_char(date '2024-02-03') from dual"), "03.02.2024");
        let sid = c.session().sid();
        assert_eq!(rows(&mut c, &format!("select module, action from v$session where sid = {sid}")), "orders | store");
        // Also those that decide how a transaction works.
        c.run("create table t (n number)").unwrap();
        c.run("alter session set isolation_level = serializable").unwrap();
        let meanwhile = "insert into t values (1);";
        apart(&mut c, meanwhile);
        c.run("alter session set isolation_level = read committed").unwrap();
        assert_eq!(rows(&mut c, "select count(*) from t"), "1");
    });
}

#[test]
fn what_it_does_is_in_the_sessions_trace() {
    with_stack(|| {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        let (files, clock) = (Arc::new(device::OsFileSystem::new()), Arc::new(SystemClock::default()));
        let instance = Instance::create(files, &data, clock, None, &CreateOptions::default()).unwrap();
        let database = Database::new(instance);
        let mut c = database.connect("system", None).unwrap();
        c.run("create table t (n number)").unwrap();
        c.run("alter session set events '10046 trace name context forever, level 12'").unwrap();
        apart(&mut c, "insert into t values (4711);");
        c.run("insert into t values (4712)").unwrap();
        c.run("commit").unwrap();
        c.run("alter session set events '10046 trace name context off'").unwrap();
        let files: Vec<_> = std::fs::read_dir(data.join("trace")).unwrap().map(|file| file.unwrap().path()).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        let trace = std::fs::read_to_string(&files[0]).unwrap();
        for part in ["INSERT INTO T VALUES (4711)", "insert into t values (4712)"] {
            assert!(trace.to_uppercase().contains(&part.to_uppercase()), "{part}: {trace}");
        }
        let report = report::tkprof::summarise(trace.as_bytes(), &report::tkprof::Options::default()).unwrap();
        let of = |number: &str| {
            let found = report.statements.iter().find(|one| one.sql.as_deref().is_some_and(|sql| sql.contains(number)));
            found.unwrap_or_else(|| panic!("{number}: {trace}")).execute.count
        };
        assert_eq!((of("values (4712)"), report.statements.len() > 2), (1, true));
        drop(c);
        database.instance().shutdown().unwrap();
    });
}

#[test]
fn commits_of_a_program_are_written_together_when_its_call_ends() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table t (a number)").unwrap();
        let writes = |c: &mut Connection| {
            rows(c, "select value from v$sysstat where name = 'redo writes'").parse::<u64>().unwrap()
        };
        let looped = |c: &mut Connection, commit: &str| {
            let before = writes(c);
            let block = format!("begin for i in 1 .. 500 loop insert into t values (i); {commit} end loop; end;");
            assert_eq!(support::run(c, &block), "PL/SQL");
            writes(c) - before
        };
        // No commit is waited for before the call ends. The log writer itself looks every three seconds.
        let together = looped(&mut c, "commit;");
        assert!((1..50).contains(&together), "{together} writes");
        // COMMIT WRITE WAIT is written at once.
        let waited = looped(&mut c, "commit write wait;");
        assert!(waited >= 400, "{waited} writes");
        assert_eq!(rows(&mut c, "select count(*) from t"), "1000");
        // With COMMIT_LOGGING = IMMEDIATE the log writer is posted: it has written some of them before the call's end.
        c.run("alter session set commit_logging = immediate").unwrap();
        let posted = looped(&mut c, "commit;");
        assert!(posted > together, "{posted} writes, {together} before");
    });
}
