//! Programs nested too deeply are refused; the others fit the stack.

use plsql::parser::{MAX_HEIGHT, MAX_NESTING, parse_expression, parse_unit};

use crate::{faults, show};

fn nested(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
}

/// Each opens at least one level; all of these are read to their limit.
const SHAPES: &[(&str, &str, &str)] = &[
    ("begin ", "null; ", "end; "),
    ("declare x number; begin ", "null; ", "end; "),
    ("if a then ", "null; ", "end if; "),
    ("if a then null; else ", "null; ", "end if; "),
    ("loop ", "null; ", "end loop; "),
    ("for i in 1 .. 2 loop ", "null; ", "end loop; "),
    ("while a loop ", "null; ", "end loop; "),
    ("case a when 1 then ", "null; ", "end case; "),
    ("begin null; exception when others then ", "null; ", "end; "),
    ("declare procedure p is begin ", "null; ", "end; begin p; end; "),
];

#[test]
fn statements_may_be_deep_to_a_limit() {
    for (open, inner, close) in SHAPES {
        let text = |levels| format!("begin {}end;", nested(open, inner, close, levels));
        let fitting = MAX_NESTING / 3;
        assert!(parse_unit(&text(fitting)).is_ok(), "{open}");
        for levels in [MAX_NESTING + 1, 5_000] {
            let errors = parse_unit(&text(levels)).expect_err(open);
            assert_eq!(errors.len(), 1, "{open}: {}", show::errors(&errors));
            assert!(show::errors(&errors).contains("PLS-00123: program too large"), "{open}");
        }
    }
}

#[test]
fn expressions_may_be_deep_to_a_limit() {
    for (open, inner, close) in [
        ("(", "a", ")"),
        ("f(", "a", ")"),
        ("- ", "a", ""),
        ("not ", "a", ""),
        ("a + (", "b", ")"),
        ("2 ** -", "a", ""),
        ("case when a then ", "b", " end"),
        ("a in (", "b", ")"),
        ("t(", "1", ").x"),
        ("cast(", "1", " as number)"),
        ("trim('x' from ", "a", ")"),
    ] {
        assert!(parse_expression(&nested(open, inner, close, MAX_NESTING / 3)).is_ok(), "{open}");
        for levels in [MAX_NESTING + 1, 5_000] {
            let errors = parse_expression(&nested(open, inner, close, levels)).expect_err(open);
            assert!(show::errors(&errors).contains("PLS-00123"), "{open}: {}", show::errors(&errors));
        }
    }
}

#[test]
fn chains_may_be_long() {
    for operator in ["||", "and", "or"] {
        let chain = vec!["a"; 20_000].join(&format!(" {operator} "));
        assert!(parse_expression(&chain).is_ok(), "{operator}");
    }
    for operator in ["+", "-", "*", "/", "**"] {
        let chain = |length| vec!["a"; length].join(&format!(" {operator} "));
        assert!(parse_expression(&chain(MAX_HEIGHT - 1)).is_ok(), "{operator}");
        let errors = parse_expression(&chain(20_000)).expect_err(operator);
        assert!(show::errors(&errors).contains("PLS-00123"), "{operator}");
    }
    let fields = format!("t(1){}", ".x".repeat(20_000));
    assert!(show::errors(&parse_expression(&fields).expect_err("fields")).contains("PLS-00123"));
}

#[test]
fn lists_may_be_long() {
    let list = vec!["a + 1"; 5_000].join(", ");
    assert!(parse_expression(&format!("f({list})")).is_ok());
    assert!(parse_expression(&format!("x in ({list})")).is_ok());
    let branches = "elsif a then b; ".repeat(5_000);
    assert!(parse_unit(&format!("begin if a then b; {branches} end if; end;")).is_ok());
}

#[test]
fn nothing_is_said_behind_a_program_that_is_too_large() {
    let text = format!("begin {} x = 1; end;", nested("if a then ", "null;", " end if;", 300));
    assert_eq!(faults(&text).lines().count(), 1);
}
