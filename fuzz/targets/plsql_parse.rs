//! PL/SQL programs: each is read or refused, with errors that can be shown.

#![no_main]

use highwater_fuzz::Input;
use libfuzzer_sys::fuzz_target;
use plsql::ast::{Block, Statement, StatementKind, UnitKind};
use plsql::kind::program_kind;
use plsql::parser::{parse_expression, parse_name_at, parse_unit};

/// What means something to the parser, so that random bytes reach its corners.
const PIECES: &[&str] = &[
    "begin",
    "end",
    ";",
    "declare",
    "exception",
    "when",
    "others",
    "then",
    "if",
    "elsif",
    "else",
    "end if",
    "loop",
    "end loop",
    "while",
    "for",
    "i",
    "in",
    "reverse",
    "1",
    "..",
    "10",
    "case",
    "end case",
    "exit",
    "continue",
    "goto",
    "<<",
    ">>",
    "raise",
    "return",
    "null",
    "procedure",
    "function",
    "package",
    "body",
    "is",
    "as",
    "p",
    "(",
    ")",
    ",",
    ":=",
    "=>",
    "=",
    "<",
    ">=",
    "!=",
    "+",
    "-",
    "*",
    "/",
    "**",
    "||",
    ".",
    "%",
    "%type",
    "%rowtype",
    "%found",
    "sql",
    "%rowcount",
    "%bulk_exceptions",
    "number",
    "varchar2(10 char)",
    "date",
    "timestamp",
    "with",
    "time zone",
    "'x'",
    "'it''s'",
    "q'[x]'",
    "'",
    "\"",
    "\"q\"",
    ":b",
    ":new",
    "x",
    "t(1)",
    "1.5e3",
    "1d",
    "type",
    "record",
    "table of",
    "index by",
    "varray",
    "ref cursor",
    "subtype",
    "range",
    "not null",
    "default",
    "constant",
    "pragma",
    "exception_init",
    "autonomous_transaction",
    "cursor",
    "select",
    "from",
    "into",
    "bulk collect into",
    "where",
    "current of",
    "insert into",
    "values",
    "update",
    "set",
    "row",
    "delete",
    "merge",
    "returning",
    "commit",
    "rollback",
    "savepoint",
    "lock table",
    "open",
    "fetch",
    "close",
    "limit",
    "forall",
    "indices of",
    "values of",
    "save exceptions",
    "execute immediate",
    "using",
    "out",
    "nocopy",
    "and",
    "or",
    "not",
    "between",
    "like",
    "escape",
    "is null",
    "cast",
    "extract",
    "trim",
    "leading",
    "create or replace",
    "trigger",
    "before",
    "after",
    "on",
    "referencing",
    "old",
    "for each row",
    "call",
    "/*",
    "*/",
    "--",
    "\n",
    "/*+ hint */",
    "@",
    "$",
    "?",
    "é",
    "prior",
];

fn from_pieces(mut input: Input<'_>) -> String {
    let mut text = String::new();
    while !input.is_empty() {
        let choice = usize::from(input.byte());
        text.push_str(PIECES.get(choice % (PIECES.len() + 8)).unwrap_or(&""));
        text.push(' ');
    }
    text
}

/// The places of SQL statements are places of the source with the same letters.
fn check_statements(source: &str, statements: &[Statement]) {
    for statement in statements {
        match &statement.kind {
            StatementKind::Sql(sql) => {
                for (offset, at) in &sql.places {
                    assert_eq!(sql.text.as_bytes()[*offset as usize], source.as_bytes()[*at as usize]);
                }
                for cut in [sql.record.as_ref().map(|cut| cut.offset), sql.current_of.as_ref().map(|cut| cut.offset)] {
                    assert!(cut.is_none_or(|offset| sql.text.is_char_boundary(offset as usize)));
                }
            }
            StatementKind::Block(block) => check_block(source, block),
            StatementKind::Loop(body) | StatementKind::While { body, .. } | StatementKind::For { body, .. } => {
                check_statements(source, body);
            }
            _ => {}
        }
    }
}

fn check_block(source: &str, block: &Block) {
    check_statements(source, &block.statements);
}

fn check(text: &str) {
    match parse_unit(text) {
        Ok(unit) => {
            assert!(unit.at as usize <= text.len());
            match &unit.kind {
                UnitKind::Block(statement) => check_statements(text, std::slice::from_ref(statement)),
                UnitKind::Subprogram(program) => check_block(text, program.body.as_ref().expect("a body")),
                _ => {}
            }
        }
        Err(errors) => {
            assert!((1..=20).contains(&errors.len()));
            assert!(errors.is_sorted_by(|a, b| a.at < b.at));
            for error in &errors {
                assert!(text.is_char_boundary(error.at as usize) && error.line > 0 && error.column > 0);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let text = if data.first().is_some_and(|first| (0x80..0xC0).contains(first)) {
        input.byte();
        from_pieces(input)
    } else {
        String::from_utf8_lossy(input.rest()).into_owned()
    };
    let _ = program_kind(&text);
    check(&text);
    check(&format!("begin {text} end;"));
    check(&format!("declare {text} begin null; end;"));
    let _ = parse_expression(&text);
    let _ = parse_name_at(&text, text.len() / 2);
});
