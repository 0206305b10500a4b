//! For any input the shell shows an answer and goes on to the end of its input.

mod mock;

use std::sync::Arc;

use mock::{Mock, Scripted, StepClock};
use proptest::prelude::*;

/// Pieces that mean something to the shell, so that random lines reach its corners.
const PIECES: &[&str] = &[
    "select * from emp",
    "select",
    "from words",
    "insert into t values (",
    "begin",
    "end;",
    "declare",
    "create or replace",
    "procedure p as",
    ";",
    "/",
    ".",
    "-",
    "--",
    "/*",
    "*/",
    "'",
    "''",
    "q'[",
    "]'",
    "\"",
    "&",
    "&&",
    "&x",
    "&1.",
    ":n",
    "(",
    ")",
    "=",
    "@",
    "@@",
    "?/",
    "set",
    "show",
    "column",
    "col",
    "format",
    "a10",
    "999.99",
    "a0",
    "heading",
    "'H|2'",
    "new_value",
    "noprint",
    "clear",
    "wrapped",
    "define",
    "undefine",
    "accept",
    "prompt",
    "exec",
    "desc",
    "whenever sqlerror",
    "continue",
    "variable",
    "number",
    "varchar2(",
    "print",
    "list",
    "run",
    "change",
    "/a/b/",
    "del",
    "last",
    "*",
    "append",
    "input",
    "timing",
    "start",
    "stop",
    "pagesize",
    "linesize",
    "0",
    "1",
    "80",
    "100000",
    "on",
    "off",
    "echo",
    "feedback",
    "colsep",
    "null",
    "underline",
    "recsep",
    "each",
    "newpage",
    "none",
    "markup csv",
    "numwidth",
    "numformat",
    "long",
    "arraysize",
    "serveroutput",
    "connect",
    "disconnect",
    "help",
    "rem",
    "\t",
    "é",
    "\u{1F600}",
];

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(PIECES), 0..7).prop_map(|pieces| pieces.join(" ")),
        1 => prop::collection::vec(prop::sample::select(PIECES), 0..7).prop_map(|pieces| pieces.concat()),
        1 => "\\PC{0,30}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_lines_are_survived(lines in prop::collection::vec(line(), 0..25)) {
        // No input here may write files of its own.
        let lines: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.contains("spool") && !line.contains("sav")).collect();
        let (console, written) = Scripted::new(&lines);
        let server = Mock::default();
        let calls = std::rc::Rc::clone(&server.calls);
        let options = shell::Options { silent: false, logon: shell::Logon::Machine, script: None };
        let code = shell::run(Box::new(server), Box::new(console), Arc::new(StepClock::default()), options);
        prop_assert!(code <= 2);
        prop_assert!(written.borrow().starts_with("\nHighwater"));
        prop_assert!(calls.borrow().last().unwrap() == "disconnect" || written.borrow().contains("no longer connected"));
    }
}
