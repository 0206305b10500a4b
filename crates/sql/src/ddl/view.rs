//! CREATE VIEW.

use common::Result;
use sqlparser::tokenizer::Token;

use super::command::{Command, CreateView};
use crate::statement::words::Words;

/// Parses the clauses behind VIEW.
pub(crate) fn create(words: &mut Words<'_>, replace: bool, force: bool) -> Result<Command> {
    let name = words.new_name(Words::new_view)?;
    let mut columns = Vec::new();
    if words.take_sign(&Token::LParen) {
        loop {
            columns.push(words.new_column()?);
            for constraint in ["CONSTRAINT", "PRIMARY", "UNIQUE", "NOT", "INVISIBLE", "VISIBLE"] {
                if words.next_is(constraint) {
                    return Err(words.unsupported("for a column of a view:"));
                }
            }
            if !words.take_sign(&Token::Comma) {
                break;
            }
        }
        words.expect_sign(&Token::RParen)?;
    }
    if words.next_is("OF") {
        return Err(words.unsupported("object view:"));
    }
    words.expect("AS")?;
    let start = words.offset();
    let mut end = start;
    let mut depth = 0usize;
    let mut read_only = false;
    while let Some(word) = words.peek().cloned() {
        if depth == 0 && words.next_is("WITH CHECK OPTION") {
            return Err(words.unsupported("of a view: WITH CHECK OPTION, because rows are not changed through views:"));
        }
        if depth == 0 && words.take("WITH READ ONLY") {
            read_only = true;
            if words.take("CONSTRAINT") {
                words.identifier()?;
            }
            break;
        }
        match word.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        end = word.end;
        words.advance();
    }
    if start == end {
        return Err(words.error(928, "missing SELECT keyword"));
    }
    Ok(Command::CreateView(Box::new(CreateView { name, columns, query: start..end, read_only, replace, force })))
}
