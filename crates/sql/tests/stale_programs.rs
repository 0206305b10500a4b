//! Programs whose dependencies change under them, in several sessions; and how calls by functions in SQL are counted.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::sync::{Arc, Barrier};

use sql::{Connection, Database};
use support::run;
use waits::Statistic;

const SESSIONS: usize = 4;

fn status(connection: &mut Connection, name: &str) -> String {
    let text = format!("select status from user_objects where object_name = '{name}' and object_type <> 'TABLE'");
    run(connection, &text).replace("STATUS\n", "")
}

/// Every session calls the program at once; returns the output of each.
fn call(connections: Vec<Connection>, text: &'static str) -> (Vec<Connection>, Vec<Vec<String>>) {
    let barrier = Arc::new(Barrier::new(connections.len()));
    let start = |mut connection: Connection| {
        let barrier = Arc::clone(&barrier);
        common::sync::spawn("session", move || {
            connection.enable_output(None);
            barrier.wait();
            let done = run(&mut connection, text);
            assert_eq!(done, "PL/SQL");
            let output = connection.take_output();
            (connection, output)
        })
        .unwrap()
    };
    let threads: Vec<_> = connections.into_iter().map(start).collect();
    threads.into_iter().map(|thread| thread.join().unwrap()).unzip()
}

fn sessions(database: &Arc<Database>) -> Vec<Connection> {
    (0..SESSIONS).map(|_| database.connect("system", None).unwrap()).collect()
}

#[test]
fn what_changed_is_compiled_again_by_whoever_comes_first() {
    let database = support::database();
    let mut own = database.connect("system", None).unwrap();
    for text in [
        "create table t (a number)",
        "insert into t values (1)",
        "commit",
        "create function low return number is l t.a%type; begin select max(a) into l from t; return l; end;",
        "create procedure show is begin dbms_output.put_line('t: ' || low); end;",
    ] {
        let done = run(&mut own, text);
        assert!(!done.starts_with("ORA-"), "{text}: {done}");
    }
    let mut connections = sessions(&database);
    for round in 0..3 {
        let output;
        (connections, output) = call(connections, "begin show; end;");
        assert!(output.iter().all(|lines| *lines == [format!("t: {}", round + 1)]), "{output:?}");
        assert_eq!(status(&mut own, "LOW"), "VALID");
        // LOW losing its errors has invalidated SHOW once more: it is compiled at its next use.
        (connections, _) = call(connections, "begin show; end;");
        assert_eq!((status(&mut own, "LOW"), status(&mut own, "SHOW")), ("VALID".into(), "VALID".into()));
        run(&mut own, "drop table t");
        assert_eq!(status(&mut own, "LOW"), "INVALID");
        assert!(run(&mut own, "begin show; end;").starts_with("ORA-04063"));
        run(&mut own, &format!("create table t (b number, a number{})", ["", "(5)", "(7, 2)"][round]));
        run(&mut own, &format!("insert into t (a) values ({})", round + 2));
        run(&mut own, "commit");
    }
    // A package's text is replaced in the midst of calls: each call sees one of the two.
    run(&mut own, "create or replace procedure show is begin dbms_output.put_line('new'); end;");
    let (_, output) = call(connections, "begin for i in 1 .. 50 loop show; end loop; end;");
    assert!(output.iter().all(|lines| lines.len() == 50 && lines.iter().all(|line| line == "new")), "{output:?}");
}

#[test]
fn a_synonym_and_a_privilege_are_looked_at_again() {
    let database = support::database();
    let mut own = database.connect("system", None).unwrap();
    for text in [
        "create user ann identified by ann",
        "grant connect to ann",
        "create procedure one is begin dbms_output.put_line('one'); end;",
        "create public synonym it for one",
        "grant execute on one to ann",
    ] {
        let done = run(&mut own, text);
        assert!(!done.starts_with("ORA-"), "{text}: {done}");
    }
    let mut ann = database.connect("ann", Some("ann")).unwrap();
    ann.enable_output(None);
    assert_eq!(run(&mut ann, "begin it; end;"), "PL/SQL");
    run(&mut own, "revoke execute on one from ann");
    assert!(run(&mut ann, "begin it; end;").contains("PLS-00201"));
    // Sessions with the same schema and other rights share nothing.
    run(&mut ann, "alter session set current_schema = system");
    assert!(run(&mut ann, "begin it; end;").contains("PLS-00201"));
    assert_eq!(run(&mut own, "begin it; end;"), "PL/SQL");
    assert!(run(&mut ann, "begin it; end;").contains("PLS-00201"));
    run(&mut own, "grant execute on one to public");
    assert_eq!(run(&mut ann, "begin it; end;"), "PL/SQL");
    assert_eq!(ann.take_output(), ["one", "one"]);
}

#[test]
fn the_sql_of_functions_is_recursive() {
    let database = support::database();
    let mut connection = database.connect("system", None).unwrap();
    run(&mut connection, "create table t as select level a from dual connect by level <= 20");
    let function = "create function up(x number) return number is l number; begin select a + 1 into l from t where a = x; return l; end;";
    assert_eq!(run(&mut connection, function), "CREATE FUNCTION");
    let meter = Arc::clone(connection.session().meter());
    let counts = |meter: &waits::Meter| (meter.value(Statistic::UserCalls), meter.value(Statistic::RecursiveCalls));
    let before = counts(&meter);
    assert_eq!(run(&mut connection, "select sum(up(a)) s from t"), "S\n230");
    let after = counts(&meter);
    assert_eq!(after.0 - before.0, 3, "parse, execute and fetch");
    assert!(after.1 - before.1 >= 40, "an execution and a fetch for each row: {before:?} {after:?}");
}
