//! Sequences, views and synonyms with several users and sessions.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use sql::{Connection, Database, Datum};
use support::run;

/// Runs statements that must succeed.
fn all(connection: &mut Connection, statements: &[&str]) {
    for statement in statements {
        let done = run(connection, statement);
        assert!(!done.starts_with("ORA-") && !done.starts_with("HW-"), "{statement}: {done}");
    }
}

/// SYSTEM's session, and those of the users ANN and BOB.
fn users() -> (Arc<Database>, Connection, Connection, Connection) {
    let database = support::database();
    let mut system = database.connect("system", None).unwrap();
    for user in ["ann", "bob"] {
        all(
            &mut system,
            &[
                &format!("create user {user} identified by x"),
                &format!("grant connect, resource, create view, create synonym to {user}"),
            ],
        );
    }
    let ann = database.connect("ann", Some("x")).unwrap();
    let bob = database.connect("bob", Some("x")).unwrap();
    (database, system, ann, bob)
}

#[test]
fn a_view_has_its_owners_names_and_privileges() {
    let (_database, mut system, mut ann, mut bob) = users();
    all(
        &mut ann,
        &[
            "create table t (a number, secret number)",
            "insert into t values (1, 2)",
            "create view v as select a, user who from t",
            "grant select on v to bob",
        ],
    );
    all(&mut bob, &["create table t (x number)"]);
    // T is Ann's in her view, and USER is the querying user.
    assert_eq!(run(&mut bob, "select * from ann.v"), "A | WHO\n1 | BOB");
    assert!(run(&mut bob, "select * from ann.t").starts_with("ORA-00942"));
    assert!(run(&mut bob, "select * from v").starts_with("ORA-00942"));
    assert!(run(&mut bob, "delete from ann.v").starts_with("ORA-01031"));
    assert!(run(&mut bob, "drop view ann.v").starts_with("ORA-01031"));
    assert!(run(&mut bob, "create view ann.w as select 1 x from dual").starts_with("ORA-01031"));
    // A view does not show rows that its owner may not read.
    all(&mut ann, &["grant select on t to bob"]);
    all(&mut bob, &["create view through as select secret from ann.t"]);
    assert_eq!(run(&mut bob, "select * from through"), "SECRET\n2");
    all(&mut ann, &["revoke select on t from bob"]);
    assert!(run(&mut bob, "select * from through").starts_with("ORA-04063"));
    assert!(run(&mut system, "select * from bob.through").starts_with("ORA-04063"));
    assert_eq!(
        run(&mut bob, "select object_name, status from user_objects where object_type = 'VIEW'"),
        "OBJECT_NAME | STATUS\nTHROUGH | INVALID"
    );
    let described = bob.describe_object("ann.v").unwrap();
    assert_eq!(described.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(), ["A", "WHO"]);
    assert!(bob.describe_object("through").unwrap_err().is_ora(4063));
    assert_eq!(
        run(&mut bob, "select owner, view_name from all_views order by 1"),
        "OWNER | VIEW_NAME\nANN | V\nBOB | THROUGH"
    );
}

#[test]
fn sequences_need_a_privilege_and_currval_is_the_sessions() {
    let (database, _system, mut ann, mut bob) = users();
    all(&mut ann, &["create sequence s"]);
    assert!(run(&mut bob, "select ann.s.nextval from dual").starts_with("ORA-02289"));
    all(&mut ann, &["grant select on s to bob"]);
    assert_eq!(run(&mut bob, "select ann.s.nextval from dual"), "NEXTVAL\n1");
    assert!(run(&mut ann, "select s.currval from dual").starts_with("ORA-08002"));
    assert_eq!(run(&mut ann, "select s.nextval from dual"), "NEXTVAL\n2");
    assert_eq!(run(&mut bob, "select ann.s.currval from dual"), "CURRVAL\n1");
    let mut second = database.connect("bob", Some("x")).unwrap();
    assert!(run(&mut second, "select ann.s.currval from dual").starts_with("ORA-08002"));
    assert!(run(&mut bob, "alter sequence ann.s nocache").starts_with("ORA-01031"));
    assert!(run(&mut bob, "drop sequence ann.s").starts_with("ORA-01031"));
    all(&mut ann, &["grant alter on s to bob"]);
    all(&mut bob, &["alter sequence ann.s nocache", "create synonym s for ann.s"]);
    assert_eq!(run(&mut bob, "select s.nextval from dual"), "NEXTVAL\n3");
    assert_eq!(
        run(&mut bob, "select sequence_owner, last_number from all_sequences"),
        "SEQUENCE_OWNER | LAST_NUMBER\nANN | 4"
    );
}

#[test]
fn a_synonym_gives_no_privilege() {
    let (_database, mut system, mut ann, mut bob) = users();
    all(&mut ann, &["create table t (a number)", "create synonym mine for t"]);
    all(&mut system, &["create public synonym anns for ann.t"]);
    assert!(run(&mut bob, "select * from anns").starts_with("ORA-00942"));
    assert!(run(&mut bob, "select * from ann.mine").starts_with("ORA-00942"));
    assert!(run(&mut bob, "create public synonym x for t").starts_with("ORA-01031"));
    assert!(run(&mut bob, "drop public synonym anns").starts_with("ORA-01031"));
    assert!(run(&mut bob, "drop synonym ann.mine").starts_with("ORA-01031"));
    all(&mut ann, &["grant select, insert on mine to bob"]);
    all(&mut bob, &["insert into anns values (1)", "insert into ann.mine values (2)"]);
    assert_eq!(run(&mut bob, "select sum(a) from anns"), "SUM(A)\n3");
    assert!(run(&mut bob, "delete from anns").starts_with("ORA-01031"));
    assert_eq!(
        run(&mut bob, "select owner, synonym_name from all_synonyms order by 1"),
        "OWNER | SYNONYM_NAME\nANN | MINE\nPUBLIC | ANNS"
    );
}

#[test]
fn many_sessions_insert_with_one_sequence() {
    const SESSIONS: usize = 4;
    const ROWS: usize = 100;
    let database = support::database();
    let mut system = database.connect("system", None).unwrap();
    all(&mut system, &["create table t (id number, n number)", "create sequence s cache 5"]);
    let threads: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let database = Arc::clone(&database);
            common::sync::spawn_with_stack(&format!("session {session}"), 16 << 20, move || {
                let mut connection = database.connect("system", None).unwrap();
                for _ in 0..ROWS {
                    connection.run("insert into t values (s.nextval, s.currval)").unwrap();
                }
                let many = format!("insert into t select s.nextval, s.currval from dual connect by level <= {ROWS}");
                connection.run(&many).and_then(|_| connection.run("commit"))
            })
            .unwrap()
        })
        .collect();
    for thread in threads {
        thread.join().unwrap().unwrap();
    }
    let rows = system.query("select id, n from t").unwrap();
    assert!(rows.iter().all(|row| row[0] == row[1]));
    let ids: BTreeSet<String> = rows.iter().map(|row| system.text(&row[0]).unwrap()).collect();
    assert_eq!(ids.len(), SESSIONS * ROWS * 2);
    let most = system.query("select max(id) from t").unwrap();
    assert_eq!(most[0][0], Datum::integer((SESSIONS * ROWS * 2) as i64));
}

#[test]
fn a_view_made_by_force_says_so() {
    let mut connection = support::connect();
    assert!(connection.run("create or replace force view v as select a from later").unwrap().compilation_errors);
    connection.run("create table later (a number)").unwrap();
    assert!(!connection.run("create or replace force view v as select a from later").unwrap().compilation_errors);
    // FORCE does not allow a syntax error.
    assert!(connection.run("create or replace force view v as select a frm later").is_err());
}

#[test]
fn a_query_under_way_never_sees_rows_of_the_new_form() {
    let (_database, mut system, mut ann, _bob) = users();
    all(
        &mut ann,
        &[
            "create table t (a number, b varchar2(200), c number)",
            "insert into t select level, rpad('x', 200), 2 * level from dual connect by level <= 3000",
            "commit",
        ],
    );
    let query = ann.parse("select a, c from t").unwrap();
    ann.execute(query).unwrap();
    let mut rows = ann.fetch(query, 10).unwrap().rows;
    all(
        &mut system,
        &[
            "alter table ann.t drop column a",
            // Space of the old segment is reused.
            "create table u (a number, b varchar2(200), c number)",
            "insert into u select 1, rpad('y', 200), 1 from dual connect by level <= 3000",
        ],
    );
    loop {
        match ann.fetch(query, 500) {
            Ok(fetched) => {
                rows.extend(fetched.rows);
                if fetched.end {
                    break;
                }
            }
            Err(error) => {
                assert!(error.is_ora(8103), "{error}");
                break;
            }
        }
    }
    // Reused blocks have no rows of this query; its rows are of the old form.
    assert!(rows.len() >= 10);
    for row in &rows {
        let [Datum::Number(a), Datum::Number(c)] = row.as_slice() else { panic!("{row:?}") };
        let (a, c) = (format::number::decode_i64(a).unwrap(), format::number::decode_i64(c).unwrap());
        assert!((1..=3000).contains(&a) && c == 2 * a, "{a} {c}");
    }
    assert_eq!(run(&mut ann, "select count(*), sum(c) from t"), "COUNT(*) | SUM(C)\n3000 | 9003000");
}

#[test]
fn bind_variables_beside_sequences() {
    let mut connection = support::connect();
    all(&mut connection, &["create table t (id number, n number)", "create sequence s"]);
    let insert = connection.parse("insert into t values (s.nextval + :a, :a)").unwrap();
    for a in [10, 20] {
        connection.bind(insert, "a", Datum::integer(a)).unwrap();
        connection.execute(insert).unwrap();
    }
    connection.close(insert);
    assert_eq!(run(&mut connection, "select * from t order by 1"), "ID | N\n11 | 10\n22 | 20");
    // Executed again, a query takes new values.
    let query = connection.parse("select s.nextval from dual").unwrap();
    for expected in [3, 4] {
        connection.execute(query).unwrap();
        assert_eq!(connection.fetch(query, 1).unwrap().rows, [[Datum::integer(expected)]]);
    }
}
