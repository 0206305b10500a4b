//! Program text as the syntax tree of [`crate::ast`]: recursive descent, one file a construct.
//!
//! A fault ends the statement or declaration that it is found in; the parser goes on behind its semicolon (`recover`), so that one compilation shows
//! several errors. What the tree cannot express is refused by name (HW-0001), never passed over.
//!
//! Only what text alone can tell is checked here: syntax, and names behind END. What names mean and which types fit is the compiler's.

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

/// How deep statements, blocks, subprograms and expressions may stand in each other.
pub const MAX_NESTING: usize = 250;

/// How high the tree of one expression may be: `a + b + c` is 3 high.
pub const MAX_HEIGHT: usize = 500;

/// So many errors of one program are shown.
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
    /// CASE expressions that have not met their END yet.
    open_cases: usize,
    /// What the blocks that are open may repeat behind their END.
    open_names: Vec<Box<str>>,
    faults: Vec<Fault>,
    /// Where the parser went on behind a fault last.
    recovered: usize,
}

/// An anonymous block, a CREATE statement of a stored program (also without its CREATE, as the dictionary keeps it), or CALL.
///
/// # Errors
/// Up to twenty, in the order of their places.
pub fn parse_unit(text: &str) -> Result<Unit, Vec<CompileError>> {
    parse(text, Parser::unit)
}

/// What CREATE TRIGGER says before the trigger's body, which may be anything; whether it says OR REPLACE; where TRIGGER stands.
///
/// # Errors
/// One.
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
/// One.
pub fn parse_expression(text: &str) -> Result<Expr, Vec<CompileError>> {
    parse(text, |parser| {
        let expression = parser.expression()?;
        parser.expect_end()?;
        Ok(expression)
    })
}

/// The variable, field, element or call whose name begins at `from` in a text, as in a SQL statement `T(I).NAME`, and the byte offset behind it.
///
/// # Errors
/// One.
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
