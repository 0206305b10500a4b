//! Precedence, names, literals, calls.

use plsql::parser::{parse_expression, parse_name_at};

use crate::{expression, show};

fn shown(text: &str) -> String {
    show::expr(&expression(text))
}

fn fault(text: &str) -> String {
    show::errors(&parse_expression(text).expect_err(text))
}

#[test]
fn operators_bind_in_oracles_order() {
    for (text, tree) in [
        ("a + b * c", "(+ A (* B C))"),
        ("a * b + c", "(+ (* A B) C)"),
        ("a - b - c", "(- (- A B) C)"),
        ("a / b * c", "(* (/ A B) C)"),
        ("a || b + c || d", "(|| (+ (|| A B) C) D)"),
        ("-a ** b", "(- (** A B))"),
        ("a ** -b * c", "(* (** A (- B)) C)"),
        ("2 ** 3 ** 2", "(** (** 2 3) 2)"),
        ("-a * b", "(* (- A) B)"),
        ("a + b mod -c * d", "(+ A (* MOD(B, (- C)) D))"),
        ("a * b mod c mod d", "MOD(MOD((* A B), C), D)"),
        ("mod(a, b) mod mod", "MOD(MOD(A, B), MOD)"),
        ("a * -b", "(* A (- B))"),
        ("+a - -b", "(- (+ A) (- B))"),
        ("not a = b", "(not (= A B))"),
        ("not a and b or not c", "(or (and (not A) B) (not C))"),
        ("a or b and c", "(or A (and B C))"),
        ("a + 1 > b and c <= d", "(and (> (+ A 1) B) (<= C D))"),
        ("a <> b or a != b or a ^= b or a ~= b", "(or (or (or (<> A B) (<> A B)) (<> A B)) (<> A B))"),
        ("(a + b) * c", "(* (+ A B) C)"),
        ("((a))", "A"),
    ] {
        assert_eq!(shown(text), tree, "{text}");
    }
}

#[test]
fn conditions_without_signs() {
    for (text, tree) in [
        ("a is null", "(null A)"),
        ("a + b is not null", "(not null (+ A B))"),
        ("not a is null", "(not (null A))"),
        ("a like 'x%'", "(like A 'x%')"),
        ("a not like b || '%' escape '!'", "(not like A (|| B '%') escape '!')"),
        ("a between 1 and 2 and b", "(and (between A 1 2) B)"),
        ("a not between b - 1 and b + 1", "(not between A (- B 1) (+ B 1))"),
        ("a in (1, b or c, 'x')", "(in A [1 (or B C) 'x'])"),
        ("a not in (1)", "(not in A [1])"),
    ] {
        assert_eq!(shown(text), tree, "{text}");
    }
}

#[test]
fn comparisons_do_not_chain() {
    assert_eq!(
        fault("a = b = c"),
        "1/7 PLS-00103: Encountered the symbol \"=\" when expecting one of the following: and or ;"
    );
    assert!(fault("a is null is null").starts_with("1/11 PLS-00103"));
    assert_eq!(shown("(a = b) = (c > d)"), "(= (= A B) (> C D))");
}

#[test]
fn literals() {
    for (text, tree) in [
        ("null", "null"),
        ("TRUE", "true"),
        ("false", "false"),
        ("1.50", "1.50"),
        (".5e-3", ".5e-3"),
        ("'it''s'", "'it's'"),
        ("q'{a'b}'", "'a'b'"),
        ("date '2026-01-31'", "date'2026-01-31'"),
        ("timestamp'2026-01-31 10:00:00'", "timestamp'2026-01-31 10:00:00'"),
        (":x", ":X"),
        (":1 + :\"b\"", "(+ :1 :b)"),
    ] {
        assert_eq!(shown(text), tree, "{text}");
    }
}

#[test]
fn names_and_what_follows_them() {
    for (text, tree) in [
        ("a.b.c", "A.B.C"),
        ("\"a\".\"B c\"", "a.B c"),
        ("f()", "F()"),
        ("f(1, b => 2)", "F(1, B=>2)"),
        ("t(1).name", "T(1).NAME"),
        ("t(1).a.b(2)", "T(1).A.B(2)"),
        ("t(1)(2)", "T(1)(2)"),
        ("p.f(x).g", "P.F(X).G"),
        ("t.count", "T.COUNT"),
        ("t.exists(t.first)", "T.EXISTS(T.FIRST)"),
        ("seq.nextval", "SEQ.NEXTVAL"),
        (":new.x", ":NEW.X"),
        ("c%found", "C%found"),
        ("p.c%rowcount + 1", "(+ P.C%rowcount 1)"),
        (":c%isopen", ":C%isopen"),
        ("sql%notfound", "SQL%notfound"),
        ("sql%rowcount", "SQL%rowcount"),
        ("sql%bulk_rowcount(i)", "bulk rowcount[I]"),
        ("sql%bulk_exceptions.count", "bulk error_count[]"),
        ("sql%bulk_exceptions(i + 1).error_index", "bulk error_index[(+ I 1)]"),
        ("sql%bulk_exceptions(1).error_code", "bulk error_code[1]"),
    ] {
        assert_eq!(shown(text), tree, "{text}");
    }
}

#[test]
fn case_with_and_without_a_value() {
    assert_eq!(shown("case a when 1 then 'x' when 2 then 'y' else 'z' end"), "(case A 1: 'x' 2: 'y' else 'z')");
    assert_eq!(shown("case when a > 1 then case b when c then d end end || e"), "(|| (case (> A 1): (case B C: D)) E)");
    assert!(fault("case a end").contains("\"END\" when expecting one of the following: when"));
    assert!(fault("case when a then b").contains("end-of-file"));
}

#[test]
fn functions_with_words_between_their_arguments() {
    for (text, tree) in [
        ("extract(year from d + 1)", "EXTRACT('YEAR', (+ D 1))"),
        ("extract(a, b)", "EXTRACT(A, B)"),
        ("trim(a)", "TRIM(A)"),
        ("trim('x' from a)", "TRIM(A, 'x')"),
        ("trim(both 'x' from a)", "TRIM(A, 'x')"),
        ("trim(leading 'x' from a)", "LTRIM(A, 'x')"),
        ("trim(trailing from a)", "RTRIM(A)"),
        ("trim(trim('x' from a))", "TRIM(TRIM(A, 'x'))"),
        ("trim(leading)", "TRIM(LEADING)"),
        ("c.trim(2)", "C.TRIM(2)"),
        ("cast(a as varchar2(10 char))", "cast(A as VARCHAR2(10) char)"),
        ("cast('1' as number)", "cast('1' as NUMBER)"),
    ] {
        assert_eq!(shown(text), tree, "{text}");
    }
}

#[test]
fn subqueries_are_refused_with_oracles_number() {
    let refused = "PLS-00405: subquery not allowed in this context";
    assert_eq!(fault("a = (select 1 from dual)"), format!("1/6 {refused}"));
    assert_eq!(fault("a in (select 1 from dual)"), format!("1/7 {refused}"));
    assert_eq!(fault("f((with x as (select 1 from dual) select * from x))"), format!("1/4 {refused}"));
    assert!(fault("exists (select 1 from dual)").starts_with("1/1 PLS-00204"));
}

#[test]
fn every_node_knows_where_it_begins() {
    let tree = expression("  a + f(b)");
    assert_eq!(tree.at, 2);
    let plsql::ast::ExprKind::Binary(_, _, right) = tree.kind else { panic!() };
    assert_eq!(right.at, 6);
    let plsql::ast::ExprKind::Call { arguments, .. } = right.kind else { panic!() };
    assert_eq!(arguments[0].value.at, 8);
}

#[test]
fn an_expression_ends_with_the_text() {
    assert!(fault("a b").contains("\"B\" when expecting one of the following: end-of-file"));
    assert!(fault("").starts_with("1/1 PLS-00103: Encountered the symbol \"end-of-file\""));
    assert!(fault("a +").starts_with("1/4"));
    assert!(fault("f(1").contains("\"end-of-file\" when expecting one of the following: )"));
}

#[test]
fn a_name_in_the_middle_of_a_text() {
    let text = "insert into t values (ids(i + 1).x, 2)";
    let (name, end) = parse_name_at(text, 22).expect("a name");
    assert_eq!(show::expr(&name), "IDS((+ I 1)).X");
    assert_eq!(&text[22..end], "ids(i + 1).x");
    assert!(parse_name_at(text, 21).is_err());
}

#[test]
fn long_chains_stay_in_order() {
    let text: Vec<String> = (0..100).map(|n| format!("a{n}")).collect();
    let tree = shown(&text.join(" || "));
    let names: Vec<&str> = tree.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let expected: Vec<String> = (0..100).map(|n| format!("A{n}")).collect();
    assert_eq!(names, expected);
}
