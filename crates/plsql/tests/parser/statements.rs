//! Statements and blocks.

use plsql::ast::{ForAllBounds, ForSource, Mode, Open, StatementKind, TypeName};

use crate::{block, show, statement};

fn outline(text: &str) -> String {
    show::outline(&block(&format!("begin {text} end;")).statements)
}

#[test]
fn simple_statements() {
    assert_eq!(
        outline(
            "null; x := 1; a.b(1).c := d; p; pk.q(1, a => 2); t.delete; c.delete(1); :n := :m; return; return 1 + 2;"
        ),
        "null; X := 1; A.B(1).C := D; P; PK.Q(1, A=>2); T.DELETE; C.DELETE(1); :N := :M; return ; return (+ 1 2)"
    );
    assert_eq!(outline("raise; raise a.b; goto l; return (1) * 2;"), "raise ; raise A.B; goto L; return (* 1 2)");
    assert_eq!(outline("pragma inline(f, 'YES'); x := f;"), "null; X := F");
}

#[test]
fn if_with_all_its_branches() {
    assert_eq!(outline("if a then b; end if;"), "if[B]");
    assert_eq!(outline("if a then b; c; elsif d then e; elsif f then g; else h; end if;"), "if[B; C | E | G | else H]");
    assert_eq!(outline("if a then if b then c; else d; end if; end if;"), "if[if[C | else D]]");
}

#[test]
fn case_statements() {
    assert_eq!(outline("case a when 1 then b; when 2 then c; else d; end case;"), "case[B | C | else D]");
    assert_eq!(outline("<<l>> case when a > 1 then b; end case l;"), "<<L>>case[B]");
    let StatementKind::Case { value, branches, otherwise } = statement("case when a then b; end case;").kind else {
        panic!()
    };
    assert!(value.is_none() && otherwise.is_none());
    assert_eq!(show::expr(&branches[0].condition), "A");
    // CASE in an expression ends with END alone.
    assert_eq!(outline("x := case a when 1 then 2 end; y;"), "X := (case A 1: 2); Y");
}

#[test]
fn loops_and_labels() {
    assert_eq!(outline("loop a; exit; end loop;"), "loop[A; exit]");
    assert_eq!(outline("<<a>> <<b>> while (x < 1) loop continue; end loop b;"), "<<A>><<B>>while[continue]");
    assert_eq!(outline("for i in 1..10 loop a(i); end loop; b;"), "for I[A(I)]; B");
}

#[test]
fn exit_and_continue_with_label_and_condition() {
    let StatementKind::Exit { label, when } = statement("exit outer when a > 1;").kind else { panic!() };
    assert_eq!(&*label.expect("a label").name, "OUTER");
    assert_eq!(show::expr(&when.expect("a condition")), "(> A 1)");
    let StatementKind::Continue { label, when } = statement("continue when c%notfound;").kind else { panic!() };
    assert!(label.is_none());
    assert_eq!(show::expr(&when.expect("a condition")), "C%notfound");
}

fn source(text: &str) -> ForSource {
    let StatementKind::For { source, .. } = statement(&format!("for i in {text} loop null; end loop;")).kind else {
        panic!("{text}")
    };
    source
}

#[test]
fn ranges_of_for_loops() {
    let ForSource::Range { reverse, low, high } = source("reverse a + 1 .. 2 * b") else { panic!() };
    assert!(reverse);
    assert_eq!((show::expr(&low), show::expr(&high)), ("(+ A 1)".to_owned(), "(* 2 B)".to_owned()));
    assert!(matches!(source("1..5"), ForSource::Range { reverse: false, .. }));
    assert!(matches!(source("(a) .. (b)"), ForSource::Range { .. }));
    let ForSource::Cursor(cursor) = source("pk.c(1, b => 2)") else { panic!() };
    assert_eq!(show::expr(&cursor), "PK.C(1, B=>2)");
    let ForSource::Query(query) = source("(select a, (select 1 from dual) b from t where x in (1, 2))") else {
        panic!()
    };
    assert_eq!(&*query.text, "select a, (select 1 from dual) b from t where x in (1, 2)");
    let ForSource::Query(query) = source("((select 1 a from dual) union all (select 2 from dual))") else { panic!() };
    assert_eq!(&*query.text, "(select 1 a from dual) union all (select 2 from dual)");
    let ForSource::Query(query) = source("(with x as (select 1 a from dual) select a from x)") else { panic!() };
    assert_eq!(&*query.text, "with x as (select 1 a from dual) select a from x");
}

fn bounds(text: &str) -> (ForAllBounds, bool, String) {
    let text = format!("forall i in {text};");
    let StatementKind::ForAll { bounds, save_exceptions, statement, .. } = statement(&text).kind else {
        panic!("{text}")
    };
    (bounds, save_exceptions, show::outline(&[*statement]))
}

#[test]
fn forall_over_ranges_and_collections() {
    let (range, save, dml) = bounds("1 .. t.count save exceptions insert into x values (t(i))");
    assert!(matches!(range, ForAllBounds::Range { .. }) && save);
    assert_eq!(dml, "insert into x values (t(i))");
    let (indices, save, dml) = bounds("indices of t between 1 and 10 delete from x where a = t(i)");
    let ForAllBounds::IndicesOf { collection, between } = indices else { panic!() };
    assert_eq!(show::path(&collection), "T");
    assert!(between.is_some() && !save);
    assert_eq!(dml, "delete from x where a = t(i)");
    let (values, _, dml) = bounds("values of p.t execute immediate 'x' using t(i)");
    assert!(matches!(values, ForAllBounds::ValuesOf(path) if show::path(&path) == "P.T"));
    assert_eq!(dml, "execute 'x'");
}

#[test]
fn nested_blocks_and_handlers() {
    assert_eq!(
        outline("declare x number; begin a; exception when b or p.c then d; when others then raise; end;"),
        "block[A when B or P.C: D when : raise ]"
    );
    assert_eq!(outline("<<l>> begin null; end l;"), "<<L>>block[null]");
    let inner = block("<<o>> declare x number; begin declare y date; begin z; end; end o;");
    assert_eq!(inner.declarations.len(), 1);
    assert_eq!(inner.at, 6);
}

#[test]
fn execute_immediate_with_its_clauses() {
    let text = "execute immediate 'a' || b into x, r.y using in 1, out p, in out q returning bulk collect into t;";
    let StatementKind::ExecuteImmediate { text, into, using, returning } = statement(text).kind else { panic!() };
    assert_eq!(show::expr(&text), "(|| 'a' B)");
    assert_eq!(show::into(&into.expect("into")), "X, R.Y");
    let modes: Vec<Mode> = using.iter().map(|using| using.mode).collect();
    assert_eq!(modes, [Mode::In, Mode::Out, Mode::InOut]);
    assert_eq!(show::into(&returning.expect("returning")), "bulk T");
    let StatementKind::ExecuteImmediate { into, using, returning, .. } = statement("execute immediate s;").kind else {
        panic!()
    };
    assert!(into.is_none() && using.is_empty() && returning.is_none());
}

#[test]
fn cursors_are_opened_fetched_and_closed() {
    assert!(matches!(statement("open c;").kind, StatementKind::Open { open: Open::Declared, .. }));
    let StatementKind::Open { cursor, .. } = statement("open p.c(1, x => 2);").kind else { panic!() };
    assert_eq!(show::expr(&cursor), "P.C(1, X=>2)");
    let StatementKind::Open { open: Open::ForQuery(query), .. } =
        statement("open :r for select a from t for update;").kind
    else {
        panic!()
    };
    assert_eq!(&*query.text, "select a from t for update");
    let StatementKind::Open { open: Open::ForText { text, using }, .. } =
        statement("open r for s || 'x' using 1, b;").kind
    else {
        panic!()
    };
    assert_eq!((show::expr(&text), using.len()), ("(|| S 'x')".to_owned(), 2));

    let StatementKind::Fetch { cursor, into, limit } = statement("fetch c into a, t(1).b;").kind else { panic!() };
    assert_eq!((show::expr(&cursor), show::into(&into)), ("C".to_owned(), "A, T(1).B".to_owned()));
    assert!(limit.is_none());
    let StatementKind::Fetch { into, limit, .. } = statement("fetch c bulk collect into a limit n * 2;").kind else {
        panic!()
    };
    assert_eq!(show::into(&into), "bulk A");
    assert_eq!(show::expr(&limit.expect("a limit")), "(* N 2)");
    assert_eq!(outline("close c; close :x;"), "close C; close :X");
}

#[test]
fn statements_know_where_they_begin() {
    let block = block("begin\n  a;\n  <<l>> b;\nend;");
    let places: Vec<u32> = block.statements.iter().map(|statement| statement.at).collect();
    assert_eq!(places, [8, 19]);
}

#[test]
fn named_types_in_declarations_of_nested_blocks() {
    let block = block("declare r emp%rowtype; begin null; end;");
    let plsql::ast::DeclarationKind::Variable { data_type, .. } = &block.declarations[0].kind else { panic!() };
    assert!(matches!(data_type, TypeName::RowTypeOf(_)));
}
