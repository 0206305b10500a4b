//! Long or deep statements: their cost grows with their length. Nothing is timed here. The sizes are such that
//! quadratic work, or work that doubles with each level, would not end, or would overflow a session's stack.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use sql::Connection;
use support::run;

/// Levels of CASE, DECODE and their like, each about a column of its own.
const LEVELS: usize = 60;

/// The result of `work` on a stack as large as a session's.
fn in_a_session(work: fn(&mut Connection)) {
    let worker = common::sync::spawn_with_stack("session", common::limits::SESSION_STACK_BYTES, move || {
        let mut connection = support::connect();
        assert_eq!(run(&mut connection, "create table t (a number, b number, c varchar2(10))"), "CREATE TABLE");
        assert_eq!(run(&mut connection, "insert into t values (1, 2, 'x')"), "INSERT: 1 rows");
        assert_eq!(run(&mut connection, "insert into t values (3, 4, 'y')"), "INSERT: 1 rows");
        work(&mut connection);
    });
    if let Err(panic) = worker.unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

/// The items that `item` makes of 0, 1, … with `between` between them.
fn row(count: usize, between: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(between)
}

/// The rows of a query, without its headings.
fn rows(connection: &mut Connection, query: &str) -> Vec<String> {
    let result = run(connection, query);
    assert!(!result.starts_with("ORA-") && !result.starts_with("HW-"), "{}…: {result}", &query[..query.len().min(80)]);
    result.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn rows_of_operators_may_be_long() {
    in_a_session(|c| {
        assert_eq!(rows(c, &format!("select {} from dual", row(4_001, " + ", |_| "1".to_owned()))), ["4001"]);
        assert_eq!(
            rows(c, &format!("select {} from t order by 1", row(4_001, "+", |_| "a".to_owned()))),
            ["4001", "12003"]
        );
        // 10 - 0 - 1 - … - 20 * 2 / 4 …: from the left, and products first.
        let mixed = row(30, " - ", |at| format!("{at} * a / 2"));
        assert_eq!(rows(c, &format!("select 10 - {mixed} from t where a = 1")), ["-207.5"]);
        assert_eq!(
            rows(c, &format!("select length({}) from t where a = 1", row(4_000, "||", |_| "c".to_owned()))),
            ["4000"]
        );
        let too_long = run(c, &format!("select length({}) from t", row(4_001, "||", |_| "c".to_owned())));
        assert!(too_long.starts_with("ORA-01489"), "{too_long}");
        // The kind of the first operands carries on, and so do NULL, errors and their positions.
        let day = format!(
            "select to_char(date '2024-02-01' + {}, 'YYYY-MM-DD') from dual",
            row(28, " + ", |_| "1".to_owned())
        );
        assert_eq!(rows(c, &day), ["2024-02-29"]);
        assert_eq!(rows(c, &format!("select {} + null from t", row(20, " + ", |_| "a".to_owned()))), ["-", "-"]);
        assert_eq!(
            rows(c, &format!("select {} || null || a from t where a = 1", row(20, "||", |_| "c".to_owned()))),
            [format!("{}1", "x".repeat(20))]
        );
        let divided = run(c, &format!("select {} / (a - 1) from t", row(20, " * ", |_| "a".to_owned())));
        assert!(divided.starts_with("ORA-01476"), "{divided}");
        let dates = run(
            c,
            &format!("select {} + date '2024-01-01' + date '2024-01-02' from t", row(20, " + ", |_| "a".to_owned())),
        );
        assert!(dates.starts_with("ORA-00975"), "{dates}");
        let unknown = run(c, &format!("select {} + d from t", row(20, "+", |_| "a".to_owned())));
        assert_eq!(unknown, "ORA-00904: \"D\": invalid identifier [49]");
        assert_eq!(
            run(c, &format!("update t set b = {} where a = 1", row(4_001, "+", |_| "b".to_owned()))),
            "UPDATE: 1 rows"
        );
        assert_eq!(rows(c, "select b from t where a = 1"), ["8002"]);
        let group = row(20, " + ", |_| "a".to_owned());
        assert_eq!(
            rows(c, &format!("select {group}, count(*) from t group by {group} order by 1")),
            ["20 | 1", "60 | 1"]
        );
        let beyond = run(c, &format!("select {} from dual", row(5_002, "+", |_| "1".to_owned())));
        assert!(beyond.starts_with("HW-0001"), "{beyond}");
    });
}

#[test]
fn rows_of_conditions_may_be_long() {
    in_a_session(|c| {
        let all = row(2_500, " and ", |at| format!("a <> {}", at + 10));
        assert_eq!(rows(c, &format!("select a from t where {all} order by a")), ["1", "3"]);
        assert_eq!(rows(c, &format!("select a from t where {all} and a + b > 5")), ["3"]);
        assert_eq!(rows(c, &format!("select case when {all} then 'all' end from t where a = 1")), ["all"]);
        let any = row(2_500, " or ", |at| format!("{} = {at}", if at % 2 == 0 { "a" } else { "b + 1" }));
        assert_eq!(rows(c, &format!("select a from t where {any} order by a")), ["1", "3"]);
        let pairs = row(1_000, " or ", |at| format!("(a = {at} and b = {})", at + 1));
        assert_eq!(rows(c, &format!("select a from t where {pairs} order by a")), ["1", "3"]);
        let like = row(1_000, " or ", |at| format!("c like '{at}%'"));
        assert_eq!(rows(c, &format!("select count(*) from t where {like}")), ["0"]);
        // Unknown stays unknown, however the chain is split.
        assert_eq!(rows(c, &format!("select count(*) from t where not ({all} and a = null)")), ["0"]);
        assert_eq!(rows(c, &format!("select count(*) from t where {like} or a = null or a = 1")), ["1"]);
        assert_eq!(
            rows(c, &format!("select a from t where a in ({})", row(10_000, ",", |at| (at + 3).to_string()))),
            ["3"]
        );
        assert_eq!(
            rows(c, &format!("select a from t where a in ({})", row(900, ",", |at| format!("b + {at}")))).len(),
            0
        );
    });
}

#[test]
fn chains_of_unions_may_be_long() {
    in_a_session(|c| {
        let all = row(400, " union all ", |at| format!("select {at} n, 'x' c from dual"));
        assert_eq!(rows(c, &format!("select count(*), sum(n) from ({all})")), ["400 | 79800"]);
        let distinct = row(200, " union ", |at| format!("select {} n from dual", at % 7));
        assert_eq!(rows(c, &format!("{distinct} order by n")).len(), 7);
        // UNION ALL behind UNION.
        assert_eq!(rows(c, "select 1 n from dual union select 1 from dual union all select 1 from dual").len(), 2);
        assert_eq!(rows(c, "select 1 n from dual union all select 1 from dual union select 1 from dual").len(), 1);
        assert_eq!(rows(c, "select 1 n from dual union all select 1 from dual minus select 2 from dual").len(), 1);
        assert_eq!(rows(c, "select 1 n from dual union all select 2 from dual intersect select 2 from dual").len(), 1);
        // A column's kind is the common one.
        let kinds =
            "select null n, 'ab' c from dual union all select null, null from dual union all select 5, 'abc' from dual";
        assert_eq!(run(c, &format!("create table k as {kinds}")), "CREATE TABLE: 3 rows");
        assert_eq!(
            rows(
                c,
                "select column_name, data_type, data_length from user_tab_columns where table_name = 'K' order by 1"
            ),
            ["C | VARCHAR2 | 3", "N | NUMBER | 22"]
        );
        let wrong = run(c, "select 1 n from dual union all select 2 from dual union all select 'a' from dual");
        assert!(wrong.starts_with("ORA-01790"), "{wrong}");
        let wrong = run(c, "select 1 n from dual union all select 2 from dual union all select 3, 4 from dual");
        assert!(wrong.starts_with("ORA-01789"), "{wrong}");
    });
}

#[test]
fn an_insert_may_have_many_targets() {
    in_a_session(|c| {
        let into = row(400, "\n", |at| format!("into t values ({at}, a, c)"));
        assert_eq!(run(c, &format!("insert all\n{into}\nselect a, c from t where a = 1")), "INSERT: 400 rows");
        let when = row(300, "\n", |at| format!("when a > {at} then into t values ({at}, a, c)"));
        assert_eq!(run(c, &format!("insert all\n{when}\nselect a, c from t where a = 3 and b = 4")), "INSERT: 3 rows");
        // Errors keep their positions: in the second line and behind it.
        assert_eq!(
            run(c, "insert all\ninto t values (1, 2, 'x')\ninto t values (d, 2, 'x')\nselect 1 from dual"),
            "ORA-00904: \"D\": invalid identifier [52]"
        );
        assert_eq!(
            run(c, "insert all\ninto t values (1,\n2 +, 'x')\nselect 1 from dual"),
            "ORA-00936: syntax error: Expected: an expression, found: EOF [32]"
        );
        assert_eq!(
            run(c, "insert all into t values (1, 2, 'x')\n  select nosuch from dual"),
            "ORA-00904: \"NOSUCH\": invalid identifier [46]"
        );
    });
}

/// A table of one row and as many columns, A0 to the last, each with its own number.
fn wide(connection: &mut Connection) {
    let columns = row(LEVELS, ", ", |at| format!("a{at} number"));
    assert_eq!(run(connection, &format!("create table w ({columns})")), "CREATE TABLE");
    let values = row(LEVELS, ", ", |at| at.to_string());
    assert_eq!(run(connection, &format!("insert into w values ({values})")), "INSERT: 1 rows");
    assert_eq!(
        run(connection, &format!("insert into w values ({})", row(LEVELS, ", ", |_| "null".to_owned()))),
        "INSERT: 1 rows"
    );
}

/// Text nested around `inner`, the first level outermost.
fn nested(open: impl Fn(usize) -> String, inner: &str, close: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    (0..LEVELS).for_each(|at| text.push_str(&open(at)));
    text.push_str(inner);
    (0..LEVELS).rev().for_each(|at| text.push_str(&close(at)));
    text
}

#[test]
fn cases_may_be_deep_with_a_column_a_level() {
    in_a_session(|c| {
        wide(c);
        let sum: usize = (0..LEVELS).sum();
        // (the expression, its value over numbers, its value over NULLs)
        let found = [
            (
                nested(|at| format!("case when a{at} > {at} then {at} else "), "-1", |_| " end".to_owned()),
                "-1".to_owned(),
                "-1",
            ),
            (
                nested(|at| format!("case when a{at} >= {at} then a{at} + "), "0", |_| " else -9 end".to_owned()),
                sum.to_string(),
                "-9",
            ),
            (nested(|at| format!("decode(a{at}, {}, {at}, ", at + 1), "-1", |_| ")".to_owned()), "-1".to_owned(), "-1"),
            (
                nested(|at| format!("decode(a{at}, null, 'none', {at}, to_char("), "a5", |_| "), 'other')".to_owned()),
                "5".to_owned(),
                "none",
            ),
            (nested(|at| format!("nvl2(a{at}, a{at} + "), "0", |_| ", -7)".to_owned()), sum.to_string(), "-7"),
            (nested(|at| format!("coalesce(nullif(a{at}, {at}), "), "-3", |_| ")".to_owned()), "-3".to_owned(), "-3"),
        ];
        for (expression, numbers, nulls) in &found {
            let shown = &expression[..60];
            assert_eq!(
                rows(c, &format!("select {expression} from w where a1 = 1")),
                std::slice::from_ref(numbers),
                "{shown}"
            );
            assert_eq!(
                rows(c, &format!("select {expression} from w where a1 is null")),
                [(*nulls).to_owned()],
                "{shown}"
            );
            assert_eq!(rows(c, &format!("select count(*) from w where {expression} = {expression}")), ["2"], "{shown}");
            assert_eq!(
                rows(c, &format!("select count(*) from (select {expression} x from w group by {expression})")).len(),
                1
            );
            assert_eq!(
                rows(c, &format!("select count(*), max({expression}) from w"))[0].split(" | ").next(),
                Some("2"),
                "{shown}"
            );
        }
        // A branch that is not taken is not evaluated, however deep it stands.
        let failing =
            nested(|at| format!("case when a{at} = {at} then "), "1", |at| format!(" else 1 / (a{at} - {at}) end"));
        assert_eq!(rows(c, &format!("select {failing} from w where a1 = 1")), ["1"]);
        // One value a row, though it names no column.
        let random =
            nested(|_| "case when dbms_random.value < 2 then ".to_owned(), "dbms_random.value", |_| " end".to_owned());
        assert_eq!(rows(c, &format!("select count(distinct {random}) from w")), ["2"]);
        // In the new values of rows, and in the condition of a check.
        let deep = nested(|at| format!("case when a{at} > {at} then {at} else "), "-1", |_| " end".to_owned());
        assert_eq!(run(c, &format!("update w set a1 = {deep} where a1 = 1")), "UPDATE: 1 rows");
        assert_eq!(rows(c, "select a1 from w where a2 = 2"), ["-1"]);
        assert_eq!(run(c, &format!("alter table w add constraint w_deep check ({deep} < 5)")), "ALTER TABLE");
        assert!(run(c, "insert into w (a7) values (8)").starts_with("ORA-02290"));
        assert_eq!(run(c, "insert into w (a3) values (8)"), "INSERT: 1 rows");
    });
}

/// When the parser meets its own limit within parentheses it tries each level's other readings.
#[test]
fn parentheses_may_be_deep() {
    in_a_session(|c| {
        for levels in [98, 100, 110, 114, 120, 199] {
            let condition = format!("{}a = 1{}", "not (".repeat(levels), ")".repeat(levels));
            let expected = "1";
            assert_eq!(rows(c, &format!("select count(*) from t where {condition}")), [expected], "{levels}");
            let sum = format!("{}a{}", "-(".repeat(levels), ")".repeat(levels));
            assert_eq!(rows(c, &format!("select count(*) from t where {sum} in (1, -1)")), ["1"], "{levels}");
        }
        let deep = format!("{}a = 1{}", "not (".repeat(201), ")".repeat(201));
        let refused = run(c, &format!("select count(*) from t where {deep}"));
        assert!(refused.starts_with("ORA-00913"), "{refused}");
        let made =
            run(c, &format!("create table d (a number check ({}a = 1{}))", "not (".repeat(120), ")".repeat(120)));
        assert_eq!(made, "CREATE TABLE");
        assert_eq!(run(c, "insert into d values (1)"), "INSERT: 1 rows");
    });
}

#[test]
fn subqueries_may_stand_deep_in_each_other() {
    in_a_session(|c| {
        const DEEP: usize = 30;
        let (members, ends) = ("(select a from t where a in ".repeat(DEEP), ")".repeat(DEEP));
        assert_eq!(rows(c, &format!("select a from t where a in {members}(1, 2){ends}")), ["1"]);
        assert_eq!(rows(c, &format!("select a from t where a not in {members}(1, 2){ends}")), ["3"]);
        let others = "(select a from t where a not in ".repeat(DEEP);
        assert_eq!(rows(c, &format!("select a from t where a in {others}(1, 2){ends}")), ["1"]);
        let values = "(select max(a) from t where a <> ".repeat(DEEP);
        assert_eq!(rows(c, &format!("select a from t where a = {values}-1{ends}")), ["1"]);
        let values = "(select max(a) + ".repeat(DEEP);
        let from = " from t)".repeat(DEEP);
        assert_eq!(rows(c, &format!("select {values}1{from} from dual")), ["91"]);
        // Each correlated with the enclosing one.
        let exists =
            row(DEEP, "", |at| format!("(select 1 from t t{} where t{}.a = t{at}.a and exists ", at + 1, at + 1));
        let query = format!("select a from t t0 where exists {exists}(select 1 from t where t.b = t0.b + 2){ends}");
        assert_eq!(rows(c, &query), ["1"]);
        let lists = row(DEEP, "", |at| format!("(select a from t t{} where t{}.b = t{at}.b and a in ", at + 1, at + 1));
        assert_eq!(rows(c, &format!("select a from t t0 where a in {lists}(1, 2){ends}")), ["1"]);
        assert_eq!(run(c, &format!("delete from t where a in {members}(1, 2){ends}")), "DELETE: 1 rows");
        assert_eq!(rows(c, "select a from t"), ["3"]);
    });
}
