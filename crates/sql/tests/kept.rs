//! Statements that are kept and executed again while what they were made for changes: the next execution is right, or
//! says why.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use sql::{Connection, CursorNumber, Datum};

/// The rows of a cursor executed with these values for :1, :2 …, or the number of rows changed, or the error.
fn again(connection: &mut Connection, cursor: CursorNumber, values: &[Datum]) -> String {
    for (at, value) in values.iter().enumerate() {
        connection.bind(cursor, &(at + 1).to_string(), value.clone()).unwrap();
    }
    let executed = match connection.execute(cursor) {
        Ok(executed) => executed,
        Err(error) => return error.to_string(),
    };
    if !executed.is_query {
        return format!("{} rows", executed.rows.unwrap_or(0));
    }
    match connection.fetch(cursor, 100) {
        Ok(fetched) => {
            let shown = |value: &Datum| connection.text(value).unwrap();
            let row = |row: &Vec<Datum>| row.iter().map(shown).collect::<Vec<_>>().join(",");
            fetched.rows.iter().map(row).collect::<Vec<_>>().join(" ")
        }
        Err(error) => error.to_string(),
    }
}

fn n(value: i64) -> Datum {
    Datum::integer(value)
}

fn v(text: &str) -> Datum {
    Datum::varchar2(text)
}

fn filled() -> Connection {
    let mut connection = support::connect();
    for text in [
        "create table t (id number primary key, a number(4), b varchar2(10), c char(5), d date)",
        "insert into t select level, level * 2, 'b' || level, 'c' || level, date '2020-01-01' + level \
         from dual connect by level <= 50",
        "commit",
    ] {
        connection.run(text).unwrap();
    }
    connection
}

#[test]
fn binds_of_changing_types_and_lengths() {
    let mut connection = filled();
    let by_id = connection.parse("select a, b from t where id = :1").unwrap();
    let mut ask = |value| again(&mut connection, by_id, &[value]);
    assert_eq!(ask(n(7)), "14,b7");
    assert_eq!(ask(v("8")), "16,b8");
    assert_eq!(ask(Datum::Null), "");
    assert_eq!(ask(n(9)), "18,b9");
    assert_eq!(ask(Datum::character("10 ")), "20,b10");
    assert_eq!(ask(v("ten")), "ORA-01722: invalid number");
    assert_eq!(ask(Datum::date(&format::date::DateTime::midnight(2020, 1, 2))).split(':').next(), Some("ORA-00932"));
    assert_eq!(ask(n(11)), "22,b11");

    let by_char = connection.parse("select id from t where c = :1").unwrap();
    let mut ask = |value| again(&mut connection, by_char, &[value]);
    assert_eq!(ask(Datum::character("c12")), "12");
    assert_eq!(ask(Datum::character("c12      ")), "12");
    assert_eq!(ask(Datum::character("longer than the column")), "");
    assert_eq!(ask(Datum::character("c13")), "13");
    assert_eq!(ask(v("c13")), "");
    assert_eq!(ask(v("c13  ")), "13");

    let between = connection.parse("select count(*) from t where id >= :1 and id < :2").unwrap();
    let mut ask = |low, high| again(&mut connection, between, &[low, high]);
    assert_eq!(ask(n(10), n(20)), "10");
    assert_eq!(ask(n(10), Datum::Null), "0");
    assert_eq!(ask(Datum::Null, n(3)), "0");
    assert_eq!(ask(n(49), n(1000)), "2");
}

/// Aggregates of a bind variable read no column, and yet need its value.
#[test]
fn aggregates_of_bind_variables() {
    let mut connection = filled();
    let query = connection.parse("select count(:1), sum(:1), max(:1), count(*) from t where id < 4").unwrap();
    assert_eq!(again(&mut connection, query, &[n(5)]), "3,15,5,3");
    assert_eq!(again(&mut connection, query, &[n(7)]), "3,21,7,3");
    assert_eq!(again(&mut connection, query, &[Datum::Null]), "0,,,3");
}

#[test]
fn values_beyond_a_column() {
    let mut connection = filled();
    let update = connection.parse("update t set a = :1, b = :2 where id = :3").unwrap();
    let mut set = |a, b, id| again(&mut connection, update, &[a, b, id]);
    assert_eq!(set(n(1), v("one"), n(1)), "1 rows");
    assert!(set(n(123_456), v("one"), n(1)).starts_with("ORA-01438"));
    assert!(set(n(2), v("eleven chars"), n(1)).starts_with("ORA-12899"));
    assert_eq!(set(v("3"), n(33), n(1)), "1 rows");
    assert_eq!(set(Datum::Null, Datum::Null, n(1000)), "0 rows");
    assert_eq!(set(Datum::Null, v("x"), n(2)), "1 rows");
    let row = connection.parse("select a, b from t where id = :1").unwrap();
    assert_eq!(again(&mut connection, row, &[n(1)]), "3,33");
    assert_eq!(again(&mut connection, row, &[n(2)]), ",x");
}

#[test]
fn a_table_is_altered_dropped_and_made_anew() {
    let mut connection = filled();
    let query = connection.parse("select * from t where id = :1").unwrap();
    let delete = connection.parse("delete from t where a = :1").unwrap();
    let shown = |connection: &mut Connection| again(connection, query, &[n(5)]);
    assert_eq!(shown(&mut connection), "5,10,b5,c5   ,06-JAN-20");
    assert_eq!(again(&mut connection, delete, &[n(2)]), "1 rows");
    connection.run("alter table t drop column d").unwrap();
    assert_eq!(shown(&mut connection), "5,10,b5,c5   ");
    connection.run("create index t_a on t (a)").unwrap();
    assert_eq!(again(&mut connection, delete, &[n(4)]), "1 rows");
    connection.run("drop index t_a").unwrap();
    assert_eq!(again(&mut connection, delete, &[n(6)]), "1 rows");
    connection.run("truncate table t").unwrap();
    assert_eq!(shown(&mut connection), "");
    connection.run("insert into t values (5, 6, 'again', 'c')").unwrap();
    assert_eq!(shown(&mut connection), "5,6,again,c    ");
    connection.run("alter table t modify (a varchar2(5))").unwrap_err();
    connection.run("drop table t").unwrap();
    assert!(shown(&mut connection).starts_with("ORA-00942"));
    assert!(again(&mut connection, delete, &[n(6)]).starts_with("ORA-00942"));
    connection.run("create table t (id varchar2(5), a date)").unwrap();
    connection.run("insert into t values ('5', date '2024-02-29')").unwrap();
    assert_eq!(shown(&mut connection), "5,29-FEB-24");
    assert!(again(&mut connection, delete, &[n(6)]).starts_with("ORA-00932"));
    connection
        .run("create trigger t_gone after delete on t for each row begin raise_application_error(-20001, 'kept'); end;")
        .unwrap();
    let all = connection.parse("delete from t where id = :1").unwrap();
    assert!(again(&mut connection, all, &[v("5")]).starts_with("ORA-20001"));
    connection.run("drop trigger t_gone").unwrap();
    assert_eq!(again(&mut connection, all, &[v("5")]), "1 rows");
}

#[test]
fn privileges_come_and_go() {
    let mut connection = filled();
    connection.run("create user u identified by u").unwrap();
    connection.run("grant create session, select any dictionary to u").unwrap();
    connection.run("grant select, update on t to u").unwrap();
    let mut other = connection.database().connect("u", Some("u")).unwrap();
    let query = other.parse("select a from system.t where id = :1").unwrap();
    let update = other.parse("update system.t set a = a + 1 where id = :1").unwrap();
    assert_eq!(again(&mut other, query, &[n(3)]), "6");
    assert_eq!(again(&mut other, update, &[n(3)]), "1 rows");
    other.run("commit").unwrap();
    connection.run("revoke update on t from u").unwrap();
    assert_eq!(again(&mut other, query, &[n(3)]), "7");
    assert!(again(&mut other, update, &[n(3)]).starts_with("ORA-01031"));
    connection.run("revoke select on t from u").unwrap();
    assert!(again(&mut other, query, &[n(3)]).starts_with("ORA-00942"));
    connection.run("grant select on t to u").unwrap();
    assert_eq!(again(&mut other, query, &[n(3)]), "7");
}

/// Children by the types of binds, NLS settings and users; the texts of dates follow each session's settings.
#[test]
fn environments_have_children_of_their_own() {
    let mut connection = filled();
    let query = connection.parse("select to_char(d), 'x' || (a / 4) from t where id = :1").unwrap();
    assert_eq!(again(&mut connection, query, &[n(3)]), "04-JAN-20,x1.5");
    assert_eq!(again(&mut connection, query, &[v("3")]), "04-JAN-20,x1.5");
    connection.run("alter session set nls_date_format = 'YYYY/MM/DD' nls_numeric_characters = ',.'").unwrap();
    assert_eq!(again(&mut connection, query, &[n(3)]), "2020/01/04,x1,5");
    let mut other = connection.database().connect("system", None).unwrap();
    let same = other.parse("select to_char(d), 'x' || (a / 4) from t where id = :1").unwrap();
    assert_eq!(again(&mut other, same, &[n(3)]), "04-JAN-20,x1.5");
    let children = "select child_number, bind_mismatch, language_mismatch, auth_check_mismatch from v$sql_shared_cursor \
                    where sql_id = (select sql_id from v$sql where sql_text like 'select to_char(d)%') order by 1";
    assert_eq!(
        support::run(&mut other, children),
        "CHILD_NUMBER | BIND_MISMATCH | LANGUAGE_MISMATCH | AUTH_CHECK_MISMATCH\n\
         0 | N | N | N\n1 | Y | N | N\n2 | N | Y | N"
    );
}

/// A time without a date is of the present month, and SYSDATE of the execution.
#[test]
fn the_time_is_that_of_the_execution() {
    let mut connection = filled();
    let query =
        connection.parse("select case when sysdate - to_date('01', 'DD') < 31 then 'now' end from t where id = :1");
    let query = query.unwrap();
    assert_eq!(again(&mut connection, query, &[n(1)]), "now");
    assert_eq!(again(&mut connection, query, &[n(2)]), "now");
    let moment = connection.parse("select to_char(systimestamp, 'SSSSS.FF6') from t where id = :1").unwrap();
    let first = again(&mut connection, moment, &[n(1)]);
    std::thread::sleep(std::time::Duration::from_millis(3));
    assert_ne!(first, again(&mut connection, moment, &[n(1)]));
}

#[test]
fn different_literals_do_not_fill_the_library() {
    let mut connection = filled();
    for at in 0..6_000 {
        let rows = connection.query(&format!("select a from t where id = 1 and {at} = {at}")).unwrap();
        assert_eq!(rows.len(), 1);
    }
    let held = connection.query("select count(*) from v$sql_shared_cursor").unwrap();
    let held: i64 = connection.text(&held[0][0]).unwrap().parse().unwrap();
    assert!(held <= 2_000, "{held} child cursors are held");
}

/// Rows that migrate between the index's look and the table's.
#[test]
fn rows_that_have_moved_are_found() {
    let mut connection = support::connect();
    for text in [
        "create table m (id number primary key, a number, b varchar2(2000)) pctfree 0",
        "insert into m select level, mod(level, 5), 'short' from dual connect by level <= 600",
        "create index m_a on m (a)",
        "commit",
    ] {
        connection.run(text).unwrap();
    }
    let update = connection.parse("update m set b = rpad('long', 1500, 'x') where id = :1").unwrap();
    for id in (1..=600).step_by(7) {
        assert_eq!(again(&mut connection, update, &[n(id)]), "1 rows");
    }
    let query = connection.parse("select length(b), substr(b, 1, 5) from m where id = :1").unwrap();
    assert_eq!(again(&mut connection, query, &[n(8)]), "1500,longx");
    assert_eq!(again(&mut connection, query, &[n(9)]), "5,short");
    let count = connection.parse("select count(*), sum(length(b)) from m where a = :1").unwrap();
    assert_eq!(again(&mut connection, count, &[n(1)]), format!("120,{}", 18 * 1500 + 102 * 5));
}

/// The plans of INSERT … SELECT, and of UPDATE, DELETE and MERGE with other tables in them, are made at the second
/// execution.
#[test]
fn changes_by_the_planner_are_executed_again() {
    let mut connection = filled();
    connection.run("create table u as select id, a, b from t where id <= 20").unwrap();
    connection.run("create sequence s").unwrap();
    let insert = connection.parse("insert into u select id + 100, a, b from t where id between :1 and :2").unwrap();
    let update =
        connection.parse("update u set a = (select max(t.a) + :1 from t where t.id = u.id) where id = :2").unwrap();
    let delete = connection.parse("delete from u where id in (select t.id from t where t.a = :1)").unwrap();
    let numbered = connection.parse("insert into u (id, a) select 1000 + s.nextval, a from t where id <= :1").unwrap();
    let merge = connection
        .parse(
            "merge into u using (select id, a from t where id <= :1) x on (u.id = x.id) \
             when matched then update set b = 'm' || x.a when not matched then insert (id, a, b) values (x.id, x.a, 'n')",
        )
        .unwrap();
    for round in 0..4 {
        assert_eq!(again(&mut connection, insert, &[n(1 + round), n(2 + 2 * round)]), format!("{} rows", 2 + round));
        assert_eq!(again(&mut connection, insert, &[n(10), Datum::Null]), "0 rows");
        assert_eq!(again(&mut connection, update, &[n(round), n(5 + round)]), "1 rows");
        assert_eq!(again(&mut connection, delete, &[n(2 * (16 + round))]), "1 rows");
        assert_eq!(again(&mut connection, delete, &[v("none")]), "ORA-01722: invalid number");
        assert_eq!(again(&mut connection, numbered, &[n(round)]), format!("{round} rows"));
        assert_eq!(again(&mut connection, merge, &[n(21 + round)]), format!("{} rows", 21 + round));
    }
    let rows = connection.parse("select count(*), sum(id), sum(a), count(distinct id) from u where id > :1").unwrap();
    assert_eq!(again(&mut connection, rows, &[n(1000)]), "6,6021,20,6");
    assert_eq!(again(&mut connection, rows, &[n(100)]), "20,7481,140,14");
    let row = connection.parse("select a, b from u where id = :1").unwrap();
    assert_eq!(again(&mut connection, row, &[n(8)]), "19,m16");
    assert_eq!(again(&mut connection, row, &[n(16)]), "32,m32");
    // A column more, then another user's right.
    connection.run("alter table u add (z number default 7)").unwrap();
    assert!(again(&mut connection, insert, &[n(1), n(1)]).starts_with("ORA-00947"));
    connection.run("alter table u drop column z").unwrap();
    assert_eq!(again(&mut connection, insert, &[n(1), n(1)]), "1 rows");
    connection.run("create trigger u_row before insert on u for each row begin :new.b := 'trigger'; end;").unwrap();
    assert_eq!(again(&mut connection, insert, &[n(50), n(50)]), "1 rows");
    assert_eq!(again(&mut connection, row, &[n(150)]), "100,trigger");
}

/// A subquery that becomes no join is run by a plan of its own, which is kept, too: for other values of the outer
/// columns, and for other bind variables.
#[test]
fn subqueries_that_are_no_joins_are_executed_again() {
    let mut connection = filled();
    connection.run("create table u as select id, a, b from t where mod(id, 3) = 0").unwrap();
    let text = "select count(*) from t where id <= :1 and (a = :2 or exists (select 1 from u where u.id = t.id and \
                u.a < :3))";
    let exists = connection.parse(text).unwrap();
    let nested = "select count(*) from t where id <= :1 and (a = :2 or id = (select u.id from u where u.id = t.id and \
                  (u.a = :2 or u.a in (select x.a from t x where x.id = u.id and x.a <> t.id + :3))))";
    let nested = connection.parse(nested).unwrap();
    let any =
        connection.parse("select count(*) from t where id > any (select u.id + :1 from u where u.a < :2)").unwrap();
    for _ in 0..3 {
        assert_eq!(again(&mut connection, exists, &[n(50), n(2), n(1000)]), "17");
        assert_eq!(again(&mut connection, exists, &[n(50), n(6), n(1000)]), "16");
        assert_eq!(again(&mut connection, exists, &[n(50), n(6), n(40)]), "6");
        assert_eq!(again(&mut connection, exists, &[n(9), Datum::Null, n(1000)]), "3");
        assert_eq!(again(&mut connection, nested, &[n(50), n(2), n(9)]), "16");
        assert_eq!(again(&mut connection, nested, &[n(50), n(2), n(1000)]), "17");
        assert_eq!(again(&mut connection, nested, &[n(50), n(18), n(9)]), "16");
        assert_eq!(again(&mut connection, any, &[n(0), n(100)]), "47");
        assert_eq!(again(&mut connection, any, &[n(40), n(100)]), "7");
        assert_eq!(again(&mut connection, any, &[n(40), n(1)]), "0");
    }
    // Rows that have come since are seen.
    connection.run("insert into u values (1, 2, 'new')").unwrap();
    assert_eq!(again(&mut connection, exists, &[n(50), n(6), n(1000)]), "17");
}
