//! DBMS_JOB and DBMS_SCHEDULER: the commits of a run, its user and rights, and its thread's limits.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::time::Duration;

use common::sync::spawn_with_stack;
use sql::Connection;

fn run(connection: &mut Connection, text: &str) -> String {
    support::run(connection, text)
}

fn rows(connection: &mut Connection, query: &str) -> String {
    let text = run(connection, query);
    text.split_once('\n').map_or(String::new(), |(_, rows)| rows.to_owned())
}

fn call(connection: &mut Connection, text: &str) -> String {
    run(connection, &format!("begin {text}; end;"))
}

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

/// A session in whose database no job runs by itself.
fn without_queue() -> Connection {
    let mut c = support::connect();
    c.run("alter system set job_queue_processes = 0").unwrap();
    c
}

#[test]
fn a_run_that_leaves_a_deferred_constraint_violated_has_failed() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table p (n number primary key)").unwrap();
        c.run("create table c (n number references p deferrable initially deferred)").unwrap();
        let submit = "dbms_job.isubmit(7, 'insert into c values (1);', sysdate, 'sysdate + 1'); commit";
        assert_eq!(call(&mut c, submit), "PL/SQL");
        until(&mut c, "select failures, this_date from user_jobs", "1 | -");
        assert_eq!(rows(&mut c, "select count(*) from c"), "0");
        let said = call(&mut c, "dbms_job.run(7)");
        for part in ["ORA-12011", "ORA-02091", "ORA-02291"] {
            assert!(said.contains(part), "{said}");
        }
        assert_eq!(rows(&mut c, "select count(*) from c"), "0");
        assert_eq!(rows(&mut c, "select failures from user_jobs"), "2");
        let create = "dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'insert into c values (1);', auto_drop => false)";
        assert_eq!(call(&mut c, create), "PL/SQL");
        let said = call(&mut c, "dbms_scheduler.run_job('J')");
        assert!(said.starts_with("ORA-02091"), "{said}");
        assert_eq!(call(&mut c, "dbms_scheduler.run_job('J', false)"), "PL/SQL");
        let log = "select status, error# from user_scheduler_job_run_details order by log_id";
        until(&mut c, log, "FAILED | 2091\nFAILED | 2091");
        assert_eq!(rows(&mut c, "select count(*) from c"), "0");
        // Deferred constraints of the caller are checked before the run.
        c.run("insert into c values (5)").unwrap();
        let said = call(&mut c, "dbms_job.run(7)");
        assert!(said.starts_with("ORA-02091"), "{said}");
        assert_eq!(rows(&mut c, "select failures from user_jobs"), "2");
        // A corrected one commits.
        c.run("insert into p values (1)").and_then(|_| c.run("commit")).unwrap();
        assert_eq!(call(&mut c, "dbms_job.run(7)"), "PL/SQL");
        c.run("rollback").unwrap();
        assert_eq!(rows(&mut c, "select count(*) from c"), "1");
    });
}

#[test]
fn a_run_within_a_statement_is_refused_as_its_commit_is() {
    with_stack(|| {
        let mut c = without_queue();
        c.run("create table t (n number)").unwrap();
        c.run("create table log (n number)").unwrap();
        call(&mut c, "dbms_job.isubmit(7, 'insert into log values (1);', sysdate, 'sysdate + 1'); commit");
        c.run("create trigger t_run after insert on t begin dbms_job.run(7); end;").unwrap();
        c.run("create function f return number as begin dbms_job.run(7); return 1; end;").unwrap();
        c.run("insert into log values (0)").unwrap();
        let said = run(&mut c, "insert into t values (1)");
        assert!(said.starts_with("ORA-04092"), "{said}");
        c.run("drop trigger t_run").unwrap();
        c.run("insert into t values (1)").and_then(|_| c.run("commit")).unwrap();
        c.run("insert into log values (0)").unwrap();
        for text in ["select f from dual", "update t set n = f"] {
            let said = run(&mut c, text);
            assert!(said.starts_with("ORA-14552"), "{text}: {said}");
        }
        // The outer transaction goes on.
        c.run("rollback").unwrap();
        assert_eq!(rows(&mut c, "select count(*) from log"), "1");
        assert_eq!(rows(&mut c, "select failures, last_date from user_jobs"), "- | -");
    });
}

#[test]
fn a_job_is_run_by_its_user_with_its_names() {
    with_stack(|| {
        let mut c = without_queue();
        c.run("create user u identified by u").unwrap();
        c.run("grant connect, resource to u").unwrap();
        c.run("create table t (n number)").unwrap();
        call(&mut c, "dbms_job.isubmit(7, 'insert into t values (7);', sysdate, 'sysdate + 1'); commit");
        let mut u = c.database().connect("u", Some("u")).unwrap();
        u.run("create table t (n number)").unwrap();
        u.run("insert into t values (1)").unwrap();
        let said = call(&mut u, "dbms_job.run(7)");
        assert!(said.starts_with("ORA-23421"), "{said}");
        // Nothing was committed.
        u.run("rollback").unwrap();
        assert_eq!(rows(&mut u, "select count(*) from t"), "0");
        c.run("alter session set current_schema = u").unwrap();
        assert_eq!(call(&mut c, "dbms_job.run(7)"), "PL/SQL");
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
        assert_eq!(rows(&mut c, "select n from system.t"), "7");
        // SYS may run all jobs, but not with its own rights.
        call(&mut u, "dbms_job.isubmit(8, 'insert into t values (8);', sysdate, 'sysdate + 1'); commit");
        call(&mut u, "dbms_job.isubmit(9, 'delete from system.t;', sysdate, 'sysdate + 1', true); commit");
        let mut sys = c.database().connect("sys", None).unwrap();
        assert_eq!(call(&mut sys, "dbms_job.run(8)"), "PL/SQL");
        assert_eq!(rows(&mut u, "select n from t"), "8");
        let said = call(&mut sys, "dbms_job.run(9)");
        assert!(said.starts_with("ORA-12011") && said.contains("ORA-00942"), "{said}");
        assert_eq!(rows(&mut sys, "select n from system.t"), "7");
    });
}

#[test]
fn an_interval_that_cannot_be_evaluated_is_a_failure_of_the_run() {
    with_stack(|| {
        let mut c = without_queue();
        c.run("create table t (n number)").unwrap();
        c.run("create function later return date as begin return sysdate + 1; end;").unwrap();
        call(&mut c, "dbms_job.isubmit(7, 'insert into t values (7);', sysdate, 'later'); commit");
        c.run("drop function later").unwrap();
        let said = call(&mut c, "dbms_job.run(7)");
        assert!(said.starts_with("ORA-12011") && said.contains("ORA-23319"), "{said}");
        assert_eq!(rows(&mut c, "select failures, this_date from user_jobs"), "1 | -");
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
        assert_eq!(rows(&mut c, "select count(*) from dba_jobs_running"), "0");
    });
}

#[test]
fn a_job_may_nest_as_deep_as_a_session() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table t (n number)").unwrap();
        c.run("create trigger more after insert on t begin insert into t values (1); end;").unwrap();
        c.run("create procedure again as begin execute immediate 'begin again; end;'; end;").unwrap();
        let long = "declare n number; begin execute immediate ''select '' || rpad(''1'', 1201, ''+1'') || '' from dual'' into n; end;";
        for (name, text, ends) in [
            (
                "DOWN",
                "declare procedure down(n number) is begin down(n + 1); end; begin down(1); end;",
                "FAILED | 6500",
            ),
            ("SQL", "again;", "FAILED | 36"),
            ("TRIGGER", "insert into t values (1);", "FAILED | 36"),
            ("LONG", long, "SUCCEEDED | 0"),
        ] {
            let create = format!("dbms_scheduler.create_job('\"{name}\"', 'PLSQL_BLOCK', '{text}', enabled => true)");
            assert_eq!(call(&mut c, &create), "PL/SQL", "{name}");
            let log = format!("select status, error# from user_scheduler_job_run_details where job_name = '{name}'");
            until(&mut c, &log, ends);
        }
        assert_eq!(rows(&mut c, "select count(*) from t"), "0");
    });
}

#[test]
fn a_job_runs_with_the_settings_that_it_was_submitted_with() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table v (v varchar2(20))").unwrap();
        c.run("alter session set nls_date_format = 'YYYY/MM/DD'").unwrap();
        let submit = |number: u32, next: &str| {
            format!("dbms_job.isubmit({number}, 'insert into v values (date ''2024-02-03'');', {next})")
        };
        call(&mut c, &format!("{}; {}; commit", submit(7, "sysdate"), submit(8, "sysdate + 1")));
        c.run("alter session set nls_date_format = 'DD-MON-RR'").unwrap();
        until(&mut c, "select v from v", "2024/02/03");
        assert_eq!(call(&mut c, "dbms_job.run(8)"), "PL/SQL");
        assert_eq!(rows(&mut c, "select count(*) from v where v = '2024/02/03'"), "2");
        assert_eq!(rows(&mut c, "select to_char(date '2024-02-03') from dual"), "03-FEB-24");
        assert_eq!(rows(&mut c, "select count(*) from user_jobs"), "0");
        let said = run(&mut c, "declare j number; begin dbms_job.submit(j, 'null;', instance => 2); end;");
        assert!(said.starts_with("ORA-23428"), "{said}");
        let text =
            "declare j number; begin dbms_job.submit(j, 'null;', sysdate + 1, instance => 0, force => true); end;";
        assert_eq!(run(&mut c, text), "PL/SQL");
    });
}

#[test]
fn an_attribute_that_is_no_schedule_leaves_the_next_run_alone() {
    with_stack(|| {
        let mut c = support::connect();
        c.run("create table t (n number)").unwrap();
        let create = "dbms_scheduler.create_job('J', 'PLSQL_BLOCK', 'insert into t values (1);', \
                      repeat_interval => 'sysdate + 1', enabled => true)";
        assert_eq!(call(&mut c, create), "PL/SQL");
        let state = "select run_count, case when next_run_date > sysdate + 1/2 then 'later' else 'soon' end from user_scheduler_jobs";
        until(&mut c, state, "1 | later");
        for attribute in ["'comments', 'once a day'", "'max_runs', 9", "'end_date', sysdate + 3", "'auto_drop', false"]
        {
            assert_eq!(call(&mut c, &format!("dbms_scheduler.set_attribute('J', {attribute})")), "PL/SQL");
        }
        assert_eq!(rows(&mut c, state), "1 | later");
        let said = call(&mut c, "dbms_scheduler.set_attribute('J', 'end_date', sysdate + 1/2)");
        assert!(said.starts_with("ORA-27483"), "{said}");
        // A schedule begins anew.
        assert_eq!(call(&mut c, "dbms_scheduler.set_attribute('J', 'repeat_interval', 'sysdate + 2')"), "PL/SQL");
        until(&mut c, state, "2 | later");
        assert_eq!(rows(&mut c, "select count(*) from t"), "2");
    });
}
