//! SQL statements as text: the parts cut out, and their positions.

use plsql::ast::{DeclarationKind, SqlKind, SqlText, StatementKind};

use crate::{block, faults, show, statement};

fn sql(text: &str) -> SqlText {
    match statement(text).kind {
        StatementKind::Sql(sql) => sql,
        other => panic!("{other:?}"),
    }
}

/// The text and the INTO clause.
fn parts(text: &str) -> (String, String) {
    let sql = sql(text);
    (sql.text.to_string(), sql.into.as_ref().map(show::into).unwrap_or_default())
}

fn pair(text: &str, into: &str) -> (String, String) {
    (text.to_owned(), into.to_owned())
}

#[test]
fn a_querys_into_is_cut_out() {
    assert_eq!(
        parts("select count(*) into l_left from user_jobs where what = 'do_insert;' and nvl(failures, 0) = 0;"),
        pair("select count(*) from user_jobs where what = 'do_insert;' and nvl(failures, 0) = 0", "L_LEFT")
    );
    assert_eq!(parts("SELECT a, b\n  INTO r.x,\n t(i).y FROM t;"), pair("SELECT a, b\n  FROM t", "R.X, T(I).Y"));
    assert_eq!(parts("select a bulk collect into l from t order by 1;"), pair("select a from t order by 1", "bulk L"));
    assert_eq!(parts("select a into :new.id from dual;"), pair("select a from dual", ":NEW.ID"));
}

#[test]
fn the_into_of_a_query_is_its_own() {
    assert_eq!(
        parts("with x as (select 1 a from dual) select a into b from x;"),
        pair("with x as (select 1 a from dual) select a from x", "B")
    );
    assert_eq!(
        parts("select (select max(a) from u), extract(year from d) into x, y from (select * from t) group by (a);"),
        pair("select (select max(a) from u), extract(year from d) from (select * from t) group by (a)", "X, Y")
    );
    assert_eq!(
        parts("select case when a = 1 then 'into' else \"INTO\" end into x from t for update of a;"),
        pair("select case when a = 1 then 'into' else \"INTO\" end from t for update of a", "X")
    );
    assert_eq!(parts("select t.case, t.end into x from t;"), pair("select t.case, t.end from t", "X"));
}

#[test]
fn the_into_of_returning_is_cut_out() {
    assert_eq!(
        parts("insert into test (x) values (sysdate) returning x into l_date;"),
        pair("insert into test (x) values (sysdate) returning x", "L_DATE")
    );
    assert_eq!(
        parts("update t set a = a + 1 where b = c return a, b bulk collect into x, y;"),
        pair("update t set a = a + 1 where b = c return a, b", "bulk X, Y")
    );
    assert_eq!(parts("delete from t returning a\n into x;"), pair("delete from t returning a", "X"));
    assert_eq!(parts("delete t;"), pair("delete t", ""));
    assert_eq!(
        parts("update t set returning = 1, a = t.returning returning returning into x;"),
        pair("update t set returning = 1, a = t.returning returning returning", "X")
    );
}

#[test]
fn other_intos_stay() {
    let all = "insert all into a (x) values (y) into b values (z) select y, z from c";
    assert_eq!(parts(&format!("{all};")), pair(all, ""));
    let insert = "insert /*+ append */ into t select a, b from u";
    assert_eq!(parts(&format!("{insert};")), pair(insert, ""));
    let merge = "merge into t using (select 1 a from dual) u on (t.a = u.a) when matched then update set b = 1 \
                 when not matched then insert (a) values (u.a)";
    assert_eq!(parts(&format!("{merge};")), pair(merge, ""));
    assert_eq!(sql(&format!("{merge};")).kind, SqlKind::Merge);
}

#[test]
fn comments_go_and_hints_stay() {
    assert_eq!(
        parts("select /*+ full(t) */ a -- the column\n  /* where to */ into b from t /* all; */;"),
        pair("select /*+ full(t) */ a \n  from t", "B")
    );
    assert_eq!(parts("delete/**/from t;"), pair("delete from t", ""));
}

#[test]
fn where_current_of_is_cut_out() {
    let update = sql("update t set a = 1 where current of p.c;");
    let current = update.current_of.expect("a cursor");
    assert_eq!(show::path(&current.what), "P.C");
    assert_eq!(&*update.text, "update t set a = 1");
    assert_eq!(current.offset as usize, update.text.len());

    let delete = sql("delete from t where current of c returning a into x;");
    let current = delete.current_of.expect("a cursor");
    assert_eq!(&*delete.text, "delete from t returning a");
    assert_eq!(&delete.text[..current.offset as usize], "delete from t ");
    assert_eq!(delete.into.as_ref().map(show::into).as_deref(), Some("X"));
}

#[test]
fn records_are_cut_out() {
    let insert = sql("insert into dup_lineitem values get_records_rec;");
    let record = insert.record.expect("a record");
    assert_eq!(show::expr(&record.what), "GET_RECORDS_REC");
    assert_eq!((&*insert.text, record.offset), ("insert into dup_lineitem values", 31));

    let insert = sql("insert into t values rows(i).r returning id into x;");
    let record = insert.record.expect("a record");
    assert_eq!(show::expr(&record.what), "ROWS(I).R");
    let at = record.offset as usize;
    assert_eq!((&insert.text[..at], &insert.text[at..]), ("insert into t values ", "returning id"));
    assert_eq!(insert.into.as_ref().map(show::into).as_deref(), Some("X"));

    let update = sql("update t set row = r where current of c;");
    let (record, current) = (update.record.expect("a record"), update.current_of.expect("a cursor"));
    assert_eq!(&*update.text, "update t set row =");
    assert_eq!((record.offset, current.offset), (18, 18));

    let update = sql("update t set row = rs(i) where id = 5;");
    let at = update.record.as_ref().expect("a record").offset as usize;
    assert_eq!((&update.text[..at], &update.text[at..]), ("update t set row = ", "where id = 5"));

    assert!(sql("insert into t values (r);").record.is_none());
    assert!(sql("update t set row_count = r;").record.is_none());
}

#[test]
fn statements_of_transactions() {
    for text in [
        "commit",
        "commit work write nowait",
        "rollback",
        "rollback to savepoint a",
        "savepoint a",
        "set transaction read only",
        "lock table t in exclusive mode nowait",
    ] {
        let sql = sql(&format!("{text};"));
        assert_eq!((sql.kind, &*sql.text), (SqlKind::Transaction, text));
    }
}

#[test]
fn kinds() {
    for (text, kind) in [
        ("select a into b from t;", SqlKind::Query),
        ("insert into t values (1);", SqlKind::Insert),
        ("update t set a = 1;", SqlKind::Update),
        ("delete t;", SqlKind::Delete),
        ("delete (select * from t);", SqlKind::Delete),
    ] {
        assert_eq!(sql(text).kind, kind, "{text}");
    }
}

#[test]
fn places_lead_back_to_the_source() {
    let source = "begin select a /* x */ into b\n from t, zz; end;";
    let StatementKind::Sql(sql) = &block(source).statements[0].kind else { panic!() };
    assert_eq!(&*sql.text, "select a from t, zz");
    for (offset, word) in [(0, "select"), (7, "a "), (9, "from"), (14, "t,"), (17, "zz")] {
        let at = sql.place(offset) as usize;
        assert!(source[at..].starts_with(word), "{offset} is {:?}", &source[at..]);
    }
    assert_eq!(sql.at, 6);
}

#[test]
fn cursors_have_a_query_without_into() {
    let block = block("declare cursor c (a number) is select x from t where y = a for update nowait; begin null; end;");
    let DeclarationKind::Cursor(cursor) = &block.declarations[0].kind else { panic!() };
    assert_eq!(&*cursor.query.as_ref().expect("a query").text, "select x from t where y = a for update nowait");
    assert_eq!(
        faults("declare cursor c is select x into y from t; begin null; end;"),
        "1/30 PLS-00103: Encountered the symbol \"INTO\" when expecting one of the following: , from"
    );
}

#[test]
fn faults_of_sql_statements() {
    for (text, fault) in [
        ("select a from t;", "1/7 PLS-00428: an INTO clause is expected in this SELECT statement"),
        ("select a into b;", "1/22 PL/SQL: ORA-00923: FROM keyword not found where expected"),
        (
            "select a from t into b;",
            "1/23 PL/SQL: ORA-00933: SQL command not properly ended: INTO stands in front of FROM",
        ),
        ("select (a into b from t;", "1/30 PL/SQL: ORA-00907: missing right parenthesis"),
        (
            "select a) into b from t;",
            "1/15 PLS-00103: Encountered the symbol \")\" when expecting one of the following: ;",
        ),
        ("delete t returning a;", "1/27 PL/SQL: ORA-00925: missing INTO keyword behind RETURNING"),
        (
            "select a into b, from t;",
            "1/24 PLS-00103: Encountered the symbol \"FROM\" when expecting one of the following: <an expression>",
        ),
        (
            "delete t returning a into b c;",
            "1/35 PLS-00103: Encountered the symbol \"C\" when expecting one of the following: , ( . ;",
        ),
        (
            "insert into t values r, s;",
            "1/29 PLS-00103: Encountered the symbol \",\" when expecting one of the following: returning where ;",
        ),
    ] {
        assert_eq!(faults(&format!("begin {text} end;")), fault, "{text}");
    }
}

#[test]
fn a_missing_semicolon_does_not_cost_the_block_its_end() {
    assert_eq!(faults("begin\n  delete from t\nend;"), "3/1 PL/SQL: ORA-00933: SQL command not properly ended");
}
