//! Program text as the syntax tree of [`crate::ast`]: recursive descent, one file a construct.
//!
//! A fault ends the statement or declaration that it is found in; the parser goes on behind its semicolon (`recover`),
//! so that one compilation reports several errors. Constructs that the tree cannot express are refused by name
//! (HW-0001), never skipped.
//!
//! The parser checks only what text alone can tell: syntax, and names behind END. The compiler resolves names and
//! checks types.

mod block;
mod control;
mod cursor;
mod cut;
mod declaration;
mod dynamic;
mod expression;
mod loops;
mod name;
mod primary;
mod recover;
mod reserved;
mod special;
mod sql;
mod statement;
mod subprogram;
mod tokens;
mod trigger;
mod types;
mod unit;

use crate::ast::{At, Expr, Trigger, Unit};
use crate::error::{CompileError, Fault};
use crate::lexer::{self, Token};
use crate::position::Lines;

/// Nesting depth of statements, blocks, subprograms and expressions.
pub const MAX_NESTING: usize = 250;

/// Height of the tree of one expression: `a + b + c` is 3 high.
pub const MAX_HEIGHT: usize = 500;

/// Errors shown of one program.
const MAX_FAULTS: usize = 20;

type Parsed<T> = Result<T, Fault>;

struct Parser<'t> {
    text: &'t str,
    /// [`lexer::TokenKind::End`] is the last.
    tokens: Vec<Token>,
    /// The next token.
    place: usize,
    /// Where line 1 begins: see [`Lines`].
    base: At,
    nesting: usize,
    /// Of the expression parsed last.
    height: usize,
    /// CASE expressions without their END so far.
    open_cases: usize,
    /// Names that the open blocks may repeat behind their END.
    open_names: Vec<Box<str>>,
    faults: Vec<Fault>,
    /// Position where the parser last went on behind a fault.
    recovered: usize,
}

/// An anonymous block, a CREATE statement of a stored program (also without its CREATE, as the dictionary keeps it), or
/// CALL.
///
/// # Errors
/// Up to twenty, in the order of their places.
pub fn parse_unit(text: &str) -> Result<Unit, Vec<CompileError>> {
    parse(text, Parser::unit)
}

/// The heading of a CREATE TRIGGER, before its body, which may be anything; true with OR REPLACE; the position of
/// TRIGGER.
///
/// # Errors
/// A single error.
pub fn parse_trigger_heading(text: &str) -> Result<(Trigger, bool, At), Vec<CompileError>> {
    parse(text, |parser| {
        parser.take_word("CREATE");
        let or_replace = parser.take_words(&["OR", "REPLACE"]);
        if !parser.take_word("EDITIONABLE") {
            parser.take_word("NONEDITIONABLE");
        }
        let at = parser.at();
        if !parser.is_word("TRIGGER") {
            return Err(parser.unexpected(&["trigger"]));
        }
        Ok((parser.trigger_heading()?, or_replace, at))
    })
}

/// An expression alone.
///
/// # Errors
/// A single error.
pub fn parse_expression(text: &str) -> Result<Expr, Vec<CompileError>> {
    parse(text, |parser| {
        let expression = parser.expression()?;
        parser.expect_end()?;
        Ok(expression)
    })
}

/// The variable, field, element or call whose name begins at `from` in a text, as in a SQL statement `T(I).NAME`, and
/// the byte offset behind it.
///
/// # Errors
/// A single error.
pub fn parse_name_at(text: &str, from: usize) -> Result<(Expr, usize), Vec<CompileError>> {
    parse(text, |parser| {
        parser.place = parser.tokens.partition_point(|token| (token.start as usize) < from);
        let name = parser.variable()?;
        Ok((name, parser.end_of_last() as usize))
    })
}

fn parse<'t, T>(text: &'t str, rule: impl FnOnce(&mut Parser<'t>) -> Parsed<T>) -> Result<T, Vec<CompileError>> {
    let tokens = match lexer::tokens(text) {
        Ok(tokens) => tokens,
        Err(fault) => return Err(vec![fault.place(&Lines::new(text, 0))]),
    };
    let mut parser = Parser {
        text,
        tokens,
        place: 0,
        base: 0,
        nesting: 0,
        height: 0,
        open_cases: 0,
        open_names: Vec::new(),
        faults: Vec::new(),
        recovered: usize::MAX,
    };
    let parsed = rule(&mut parser).map_err(|fault| parser.report(fault));
    let Parser { mut faults, base, .. } = parser;
    match parsed {
        Ok(parsed) if faults.is_empty() => Ok(parsed),
        _ => {
            faults.sort_by_key(|fault| fault.at);
            faults.truncate(MAX_FAULTS);
            let lines = Lines::new(text, base);
            Err(faults.into_iter().map(|fault| fault.place(&lines)).collect())
        }
    }
}
