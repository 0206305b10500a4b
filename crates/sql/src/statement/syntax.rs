//! Syntax errors: Oracle's number for a statement that the parser refuses, and the position.

use common::Error;
use sqlparser::ast;
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::parse::parser_of;
use super::position;
use super::tokens::Tokens;

/// The error for tokens behind a whole query or statement: `number`, unless the query has no FROM, which is missing
/// then.
pub(super) fn leftover(text: &str, query: Option<&ast::Query>, next: &TokenWithSpan, number: u32) -> Error {
    let without_from =
        query.is_some_and(|query| matches!(&*query.body, ast::SetExpr::Select(select) if select.from.is_empty()));
    let place = position::offset(text, next.span.start).unwrap_or(text.len());
    let next = &next.token;
    if without_from {
        return Error::user(923, format!("FROM keyword not found where expected: {next}")).at(place);
    }
    let what = if number == 907 { "missing right parenthesis" } else { "SQL command not properly ended" };
    Error::user(number, format!("{what}: {next}")).at(place)
}

/// The error in a query in parentheses, at any depth; None when all are right or the error at `outer` comes before
/// them.
pub(super) fn in_queries(text: &str, all: &[TokenWithSpan], outer: usize) -> Option<Error> {
    let tokens = Tokens::new(text, all);
    let place = |at: usize| tokens.get(at).and_then(|token| position::offset(text, token.span.start));
    let mut at = 0;
    while at < tokens.len() {
        if !tokens.is(at, &Token::LParen) || !tokens.is_word(at + 1, &["SELECT", "WITH"]) {
            at += 1;
            continue;
        }
        if place(at).is_none_or(|place| place > outer) {
            return None;
        }
        let behind = tokens.parentheses(at).map(|(behind, _)| behind);
        let end = behind.map_or(all.len(), |behind| tokens.places[behind - 1]);
        let end_place = behind.and_then(|behind| place(behind - 1)).unwrap_or(text.len());
        let query = &all[tokens.places[at] + 1..end];
        if let Some(error) = of_query(text, query, end_place, behind.is_some()) {
            let inner = in_queries(text, query, error.position.unwrap_or(end_place));
            return Some(inner.unwrap_or(error));
        }
        at = behind?;
    }
    None
}

/// The error in the query of these tokens, which end at `end`, before their parenthesis or, if that is missing, with
/// the text.
fn of_query(text: &str, tokens: &[TokenWithSpan], end: usize, closed: bool) -> Option<Error> {
    let mut parser = parser_of(tokens.to_vec());
    match parser.parse_query() {
        Err(error) => {
            let mut error = syntax_error(text, error, end);
            if closed {
                error.text = error.text.replace("found: EOF", "found: )");
            }
            Some(error)
        }
        Ok(query) => {
            let next = parser.peek_token();
            if next.token != Token::EOF {
                return Some(leftover(text, Some(&*query), &next, 907));
            }
            (!closed).then(|| Error::user(907, "missing right parenthesis").at(end))
        }
    }
}

/// Oracle's number for the token that the parser expected.
const EXPECTED: &[(&str, u32)] = &[
    ("FROM", 923),
    ("an expression", 936),
    (")", 907),
    ("(", 906),
    ("BY", 924),
    ("joined table", 907),
    ("SELECT", 928),
    ("SET", 971),
    ("VALUES", 926),
    ("INTO", 925),
    ("=", 927),
    ("[NOT] NULL", 908),
    ("identifier", 903),
    ("AND", 905),
    ("AS", 905),
    ("THEN", 905),
    ("WHEN", 905),
    ("END", 905),
    ("ON", 905),
    ("a data type name", 902),
    ("OUTER", 905),
    ("JOIN", 905),
];

/// The error for a statement nested deeper than the parser's limit.
pub(super) fn too_deep() -> Error {
    Error::user(913, "the statement is nested too deeply")
}

/// The parser's error with Oracle's number; `end` is the end of the parsed text.
pub(super) fn syntax_error(text: &str, error: ParserError, end: usize) -> Error {
    let message = match error {
        ParserError::TokenizerError(message) | ParserError::ParserError(message) => message,
        ParserError::RecursionLimitExceeded => {
            return too_deep();
        }
    };
    let place = position::from_message(text, &message).unwrap_or(end);
    let said = message.split(" at Line:").next().unwrap_or(&message).to_owned();
    if said.starts_with("Expected: joined table, found: )") {
        return Error::unsupported("parentheses of their own around a table").at(place);
    }
    let expected = said.split("Expected: ").nth(1).map(|rest| rest.split(", found").next().unwrap_or(rest));
    if said.contains("after LEFT") || said.contains("after RIGHT") || said.contains("after FULL") {
        return Error::user(933, format!("SQL command not properly ended: {said}")).at(place);
    }
    if said.starts_with("No infix parser") {
        return Error::user(920, format!("invalid relational operator: {said}")).at(place);
    }
    let number = expected
        .and_then(|expected| EXPECTED.iter().find(|(start, _)| expected.starts_with(start)))
        .map_or(900, |(_, number)| *number);
    Error::user(number, format!("syntax error: {said}")).at(place)
}
