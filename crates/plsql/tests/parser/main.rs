//! The parser through its public functions: syntax trees of texts, and errors.

mod declarations;
mod errors;
mod expressions;
mod mutated;
mod names;
mod nesting;
mod papers;
mod refused;
mod show;
mod sql_text;
mod statements;
mod triggers;
mod units;

use plsql::ast::{Block, Expr, Statement, StatementKind, Unit, UnitKind};
use plsql::parser::{parse_expression, parse_unit};

pub(crate) fn unit(text: &str) -> Unit {
    match parse_unit(text) {
        Ok(unit) => unit,
        Err(errors) => panic!("{text}\n{}", show::errors(&errors)),
    }
}

/// The errors, one a line: `line/column number: text`.
pub(crate) fn faults(text: &str) -> String {
    match parse_unit(text) {
        Ok(_) => panic!("no error in\n{text}"),
        Err(errors) => show::errors(&errors),
    }
}

pub(crate) fn expression(text: &str) -> Expr {
    parse_expression(text).unwrap_or_else(|errors| panic!("{text}\n{}", show::errors(&errors)))
}

pub(crate) fn block(text: &str) -> Block {
    match unit(text).kind {
        UnitKind::Block(Statement { kind: StatementKind::Block(block), .. }) => block,
        other => panic!("{other:?}"),
    }
}

/// The only statement of a block.
pub(crate) fn statement(text: &str) -> Statement {
    let mut block = block(&format!("begin {text} end;"));
    assert_eq!(block.statements.len(), 1, "{text}");
    block.statements.remove(0)
}
