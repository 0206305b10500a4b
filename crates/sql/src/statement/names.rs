//! Words that are a name in one place and a keyword in another: CASE, WHEN and END, and words reserved by the parser
//! alone.
//!
//! None of them is reserved in Oracle, so tables, columns and aliases may have these names. Words found to be names
//! here are quoted before the parser sees them. Two cases are ambiguous, and the keyword is taken: `case when` begins a
//! searched CASE, and END or WHEN behind a whole expression inside a CASE continues that CASE.

use common::Error;
use sqlparser::tokenizer::Token;

use super::tokens::{CLAUSES, Tokens};

/// Words that Oracle allows as an alias and the parser does not.
const NO_ALIAS: &[&str] = &[
    "ANALYZE",
    "ANTI",
    "ARRAY",
    "ASOF",
    "CYCLE",
    "DISTRIBUTE",
    "EXCEPT",
    "EXCLUDE",
    "EXPLAIN",
    "FETCH",
    "FORMAT",
    "GLOBAL",
    "LATERAL",
    "LIMIT",
    "MATCH_CONDITION",
    "MATCH_RECOGNIZE",
    "OFFSET",
    "OPEN",
    "OUTPUT",
    "PARTITION",
    "PIVOT",
    "PREWHERE",
    "QUALIFY",
    "RETURNING",
    "SAMPLE",
    "SEMI",
    "SETTINGS",
    "SORT",
    "TABLESAMPLE",
    "TOP",
    "UNPIVOT",
    "WINDOW",
];

/// Words other than a clause behind the name or alias of a table.
const JOINS: &[&str] = &["JOIN", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL"];

/// The tokens that are names, and the errors of incomplete CASEs.
pub(super) struct Names {
    pub(super) found: Vec<usize>,
    pub(super) missing: Option<Error>,
}

/// An open CASE.
struct Case {
    /// Depth of parentheses around it.
    depth: usize,
    branches: usize,
    /// Its last WHEN has no THEN yet.
    waits: bool,
}

pub(super) fn names(tokens: &Tokens<'_>) -> Names {
    let mut found = Vec::new();
    let mut open: Vec<Case> = Vec::new();
    let mut depth = 0usize;
    // True: the token before the current one ends an expression; is a CASE.
    let (mut behind_operand, mut behind_case) = (false, false);
    let missing = |at: usize| Some(tokens.error(at, Error::user(905, "missing keyword in CASE")));
    for at in 0..tokens.len() {
        match tokens.get(at).map(|token| &token.token) {
            Some(Token::LParen) => depth += 1,
            Some(Token::RParen) => {
                depth = depth.saturating_sub(1);
                if open.last().is_some_and(|case| case.depth > depth) {
                    return Names { found, missing: missing(at) };
                }
            }
            _ => {}
        }
        let period = tokens.is_behind_period(at);
        let (mut name, mut opens) = (false, false);
        let inside = open.last_mut().filter(|case| case.depth == depth && !period);
        if tokens.is_word(at, &["CASE"]) {
            opens = !period && !behind_operand && opens_case(tokens, at);
            name = !opens;
        } else if tokens.is_word(at, &["WHEN"]) {
            match inside {
                Some(case) if behind_operand || behind_case => {
                    if case.waits {
                        return Names { found, missing: missing(at) };
                    }
                    case.waits = true;
                    case.branches += 1;
                }
                _ => name = true,
            }
        } else if tokens.is_word(at, &["END"]) {
            match inside {
                Some(case) if behind_operand => {
                    if case.waits || case.branches == 0 {
                        return Names { found, missing: missing(at) };
                    }
                    open.pop();
                }
                _ => name = true,
            }
        } else if tokens.is_word(at, &["THEN"]) {
            if let Some(case) = inside {
                if !case.waits {
                    return Names { found, missing: missing(at) };
                }
                case.waits = false;
            }
        } else if tokens.is_word(at, &["FROM"]) && inside.is_some() {
            return Names { found, missing: missing(at) };
        } else if tokens.is_word(at, NO_ALIAS) {
            name = period || (behind_operand && ends_list_item(tokens, at + 1));
        }
        if opens {
            open.push(Case { depth, branches: 0, waits: false });
        }
        if name {
            found.push(at);
        }
        behind_case = opens;
        behind_operand = name || tokens.is_word(at, &["END"]) || tokens.ends_operand(at);
    }
    let missing = if open.is_empty() { None } else { missing(tokens.len()) };
    Names { found, missing }
}

/// True: a column or a table in its list ends before this token.
fn ends_list_item(tokens: &Tokens<'_>, at: usize) -> bool {
    at >= tokens.len()
        || tokens.is(at, &Token::Comma)
        || tokens.is(at, &Token::RParen)
        || tokens.is_word(at, CLAUSES)
        || tokens.is_word(at, JOINS)
}

/// True: the word CASE at the beginning of an expression or a table is the keyword.
fn opens_case(tokens: &Tokens<'_>, at: usize) -> bool {
    if at > 0 && tokens.is_word(at - 1, &["INTO", "UPDATE", "JOIN"]) {
        return false;
    }
    if tokens.is_word(at + 1, &["WHEN"]) {
        return !ends_list_item(tokens, at + 2) || at + 2 >= tokens.len();
    }
    if !tokens.begins_operand(at + 1) {
        return false;
    }
    // A column of this name with an alias, or an expression without its WHEN.
    has_when(tokens, at + 1) || !(tokens.is_name(at + 1) && ends_list_item(tokens, at + 2))
}

/// True: WHEN follows in the expression that begins at `start`.
fn has_when(tokens: &Tokens<'_>, start: usize) -> bool {
    let mut at = start;
    while at < tokens.len() {
        if tokens.is(at, &Token::LParen) {
            match tokens.parentheses(at) {
                Some((behind, _)) => at = behind,
                None => return false,
            }
            continue;
        }
        if tokens.is_word(at, &["WHEN"]) && !tokens.is_behind_period(at) {
            return true;
        }
        if ends_list_item(tokens, at) && !tokens.is_word(at, JOINS) {
            return false;
        }
        at += 1;
    }
    false
}
