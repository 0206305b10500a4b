//! Oracle syntax that differs from the parser's for queries and DML: translated, or refused by name.
//!
//! The translation works on tokens, before parsing. Each token keeps its position in the text, so later errors still
//! point there.

use common::{Error, Result};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::names::names;
use super::spelling::edits;
use super::tokens::{CLAUSES, Tokens};

impl Tokens<'_> {
    /// Commas between the values of a list of literals.
    fn values(&self, open: usize) -> Result<()> {
        let mut at = open;
        while self.is(at, &Token::LParen) || self.is(at, &Token::Comma) {
            at += 1;
            if !self.is_literal(at) {
                return Ok(());
            }
            at += 1;
        }
        if at > open && (at == self.len() || self.is_literal(at) || self.is_name(at)) {
            return Err(self.error(at, Error::user(917, "missing comma")));
        }
        Ok(())
    }

    /// Past a dotted name of a table, or ORA-00903.
    fn table_name(&self, mut at: usize, behind: &[&str]) -> Result<usize> {
        if !self.is_name(at) || self.is_word(at, behind) {
            return Err(self.error(at, Error::user(903, "invalid table name")));
        }
        at += 1;
        while self.is(at, &Token::Period) && self.is_name(at + 1) {
            at += 2;
        }
        Ok(at)
    }

    /// Refuses unsupported constructs, by name and position, before the parser calls them errors.
    fn unsupported(&self) -> Result<()> {
        let changes = self.is_word(0, &["INSERT", "UPDATE", "DELETE"]);
        let mut depth = 0usize;
        for at in 0..self.len() {
            match self.get(at).map(|token| &token.token) {
                Some(Token::LParen) => depth += 1,
                Some(Token::RParen) => depth = depth.saturating_sub(1),
                _ => {}
            }
            let word = |ahead: usize, words: &[&str]| self.is_word(at + ahead, words);
            let opens = |ahead: usize| self.is(at + ahead, &Token::LParen);
            let behind_operand = at > 0 && self.ends_operand(at - 1);
            let what = if word(0, &["KEEP"]) && opens(1) && at > 0 && self.is(at - 1, &Token::RParen) {
                "KEEP (DENSE_RANK …)"
            } else if word(0, &["CURSOR"]) && opens(1) && word(2, &["SELECT", "WITH"]) {
                "CURSOR (…)"
            } else if word(0, &["FOR"]) && word(1, &["UPDATE"]) {
                // The cycle clause of a whole query has been removed by now.
                return Err(
                    self.error(at, Error::user(933, "SQL command not properly ended: FOR UPDATE ends a query alone"))
                );
            } else if changes
                && depth == 0
                && at > 2
                && behind_operand
                && word(0, &["RETURNING", "RETURN"])
                && (at + 2..self.len()).any(|at| self.is_word(at, &["INTO"]))
            {
                "RETURNING"
            } else if changes && depth == 0 && behind_operand && word(0, &["LOG"]) && word(1, &["ERRORS"]) {
                "LOG ERRORS"
            } else if behind_operand
                && ((word(0, &["AS"]) && word(1, &["OF"]) && word(2, &["SCN", "TIMESTAMP"]))
                    || (word(0, &["VERSIONS"]) && word(1, &["BETWEEN"]) && word(2, &["SCN", "TIMESTAMP"])))
            {
                "flashback query"
            } else if behind_operand && word(0, &["SAMPLE"]) && (opens(1) || word(1, &["BLOCK"])) {
                "SAMPLE"
            } else if behind_operand && word(0, &["PARTITION", "SUBPARTITION"]) && (opens(1) || word(1, &["FOR"])) {
                "partitions"
            } else if behind_operand
                && word(0, &["PIVOT", "UNPIVOT"])
                && (opens(1) || word(1, &["XML", "INCLUDE", "EXCLUDE"]))
            {
                "PIVOT and UNPIVOT"
            } else if behind_operand
                && word(0, &["MODEL"])
                && word(1, &["PARTITION", "DIMENSION", "IGNORE", "KEEP", "UNIQUE", "RETURN", "MAIN", "REFERENCE"])
            {
                "MODEL"
            } else if word(0, &["WITH"])
                && word(1, &["FUNCTION", "PROCEDURE"])
                && self.is_name(at + 2)
                && !word(2, &["AS"])
            {
                "PL/SQL in WITH"
            } else if at > 0
                && self.is(at - 1, &Token::RParen)
                && ((word(0, &["SEARCH"]) && word(1, &["DEPTH", "BREADTH"]) && word(2, &["FIRST"]))
                    || (word(0, &["CYCLE"]) && self.is_cycle_clause(at)))
            {
                "recursive WITH"
            } else if at > 0
                && self.is(at - 1, &Token::LParen)
                && word(0, &["GROUPING"])
                && word(1, &["SETS"])
                && opens(2)
            {
                "GROUPING SETS in GROUPING SETS"
            } else if word(0, &["CONNECT_BY_ROOT"]) {
                "CONNECT_BY_ROOT (CONNECT BY over rows)"
            } else {
                continue;
            };
            return Err(self.error(at, Error::unsupported(what)));
        }
        Ok(())
    }

    /// `CYCLE a, b SET …` behind a recursive query of WITH; elsewhere CYCLE is a name.
    fn is_cycle_clause(&self, cycle: usize) -> bool {
        let mut at = cycle + 1;
        while self.is_free_name(at) && self.is(at + 1, &Token::Comma) {
            at += 2;
        }
        self.is_free_name(at) && self.is_word(at + 1, &["SET"])
    }

    /// Reports a missing part in front of a reserved word, which the parser would take for a name.
    fn reserved_words(&self) -> Result<()> {
        for at in 1..=self.len() {
            let before = |words: &[&str]| self.is_word(at - 1, words);
            if before(&["GROUP"]) && !self.is_word(at, &["BY"]) && !(at > 1 && self.is_word(at - 2, &["WITHIN"])) {
                return Err(self.error(at, Error::user(924, "missing BY keyword")));
            }
            if before(&["ORDER"]) && !self.is_word(at, &["BY", "SIBLINGS"]) {
                return Err(self.error(at, Error::user(924, "missing BY keyword")));
            }
            if !self.is_word(at, CLAUSES) {
                continue;
            }
            let (number, text) = if before(&["FROM", "JOIN"]) {
                (903, "invalid table name")
            } else if self.is(at - 1, &Token::Period) {
                (1747, "invalid column specification")
            } else if self.is(at - 1, &Token::Comma) && self.is_word(at, &["FROM"])
                || before(&["SELECT", "DISTINCT", "WHERE", "AND", "OR", "HAVING", "BY", "WHEN", "LIKE", "BETWEEN"])
                || self.get(at - 1).is_some_and(|token| {
                    matches!(
                        token.token,
                        Token::Eq
                            | Token::Neq
                            | Token::Lt
                            | Token::LtEq
                            | Token::Gt
                            | Token::GtEq
                            | Token::Plus
                            | Token::Minus
                            | Token::Div
                            | Token::StringConcat
                    )
                })
            {
                (936, "missing expression")
            } else {
                continue;
            };
            return Err(self.error(at, Error::user(number, text)));
        }
        Ok(())
    }

    /// Checks the keywords of INSERT and UPDATE.
    fn key_words(&self) -> Result<()> {
        if self.is_word(0, &["INSERT"]) {
            if !self.is_word(1, &["INTO"]) {
                return Err(self.error(1, Error::user(925, "missing INTO keyword")));
            }
            if self.is(2, &Token::LParen) {
                return Ok(());
            }
            let mut at = self.table_name(2, &["VALUES", "SELECT", "WITH"])?;
            if self.is_name(at) && !self.is_word(at, &["VALUES", "SELECT", "WITH", "SET", "DEFAULT"]) {
                at += 1;
            }
            // A list of columns, or a query in parentheses.
            if self.is(at, &Token::LParen)
                && !self.is_word(at + 1, &["SELECT", "WITH"])
                && !self.is(at + 1, &Token::LParen)
            {
                if !self.is_name(at + 1) {
                    return Err(self.error(at + 1, Error::user(928, "missing SELECT keyword")));
                }
                let Some((behind, _)) = self.parentheses(at) else {
                    return Err(self.error(self.len(), Error::user(917, "missing comma")));
                };
                at = behind;
            }
            if self.is_word(at, &["VALUES"]) {
                self.values(at + 1)?;
                if !self.is(at + 1, &Token::LParen) && !self.is_name(at + 1) {
                    return Err(self.error(at + 1, Error::user(906, "missing left parenthesis")));
                }
            } else if !self.is_word(at, &["SELECT", "WITH", "SET"]) && !self.is(at, &Token::LParen) {
                return Err(self.error(at, Error::user(926, "missing VALUES keyword")));
            }
        }
        if self.is_word(0, &["UPDATE"]) && !self.is(1, &Token::LParen) && !self.is_word(1, &["ONLY"]) {
            let mut at = self.table_name(1, &["SET"])?;
            if self.is_name(at) && !self.is_word(at, &["SET"]) {
                at += 1;
            }
            if !self.is_word(at, &["SET"]) {
                return Err(self.error(at, Error::user(971, "missing SET keyword")));
            }
        }
        if self.is_word(0, &["DELETE"]) {
            let at = if self.is_word(1, &["FROM"]) { 2 } else { 1 };
            if !self.is(at, &Token::LParen) {
                self.table_name(at, &["WHERE", "FROM"])?;
            }
        }
        Ok(())
    }
}

/// The tokens in the parser's syntax.
///
/// # Errors
/// HW-0001 for unsupported syntax; the errors for missing keywords, names and expressions.
pub(crate) fn adapt(text: &str, mut tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>> {
    let found = Tokens::new(text, &tokens);
    let named = names(&found);
    let places: Vec<usize> = named.found.iter().map(|at| found.places[*at]).collect();
    for place in places {
        if let Token::Word(word) = &tokens[place].token {
            tokens[place].token = Token::make_word(&word.value.to_uppercase(), Some('"'));
        }
    }
    let found = Tokens::new(text, &tokens);
    found.unsupported()?;
    found.key_words()?;
    found.reserved_words()?;
    if let Some(missing) = named.missing {
        return Err(missing);
    }
    let edits = edits(&found);
    Ok(edits.carried_out(tokens))
}
