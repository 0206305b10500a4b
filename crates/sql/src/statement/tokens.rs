//! The tokens of a statement without blanks and comments, and tests that several passes share.

use common::Error;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::position;
use super::reserved::is_reserved;

/// Words behind which an expression or a table begins, although names may be spelled like them.
const BEFORE_OPERAND: &[&str] = &["CASE", "WHEN", "JOIN", "ESCAPE"];

/// Reserved words that are values.
const VALUES: &[&str] = &["NULL", "SYSDATE", "ROWNUM", "ROWID", "LEVEL", "UID", "USER"];

/// Reserved words that begin a clause: no name and no expression begins with them.
pub(super) const CLAUSES: &[&str] = &[
    "FROM",
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "UNION",
    "MINUS",
    "INTERSECT",
    "CONNECT",
    "START",
    "THEN",
    "ELSE",
    "ON",
    "SET",
];

/// The tokens of a statement without blanks and comments, with the index of each among all of them.
pub(super) struct Tokens<'t> {
    text: &'t str,
    all: &'t [TokenWithSpan],
    /// For each token, its index in `all`.
    pub(super) places: Vec<usize>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str, all: &'t [TokenWithSpan]) -> Self {
        let places = (0..all.len()).filter(|at| !matches!(all[*at].token, Token::Whitespace(_) | Token::EOF)).collect();
        Self { text, all, places }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn get(&self, at: usize) -> Option<&TokenWithSpan> {
        self.places.get(at).map(|place| &self.all[*place])
    }

    pub(super) fn is(&self, at: usize, token: &Token) -> bool {
        self.get(at).is_some_and(|found| found.token == *token)
    }

    /// True: the token is one of these words, unquoted.
    pub(super) fn is_word(&self, at: usize, words: &[&str]) -> bool {
        matches!(self.get(at), Some(TokenWithSpan { token: Token::Word(word), .. })
            if word.quote_style.is_none() && words.iter().any(|wanted| word.value.eq_ignore_ascii_case(wanted)))
    }

    /// True: the token is a word, reserved or not.
    pub(super) fn is_name(&self, at: usize) -> bool {
        matches!(self.get(at), Some(TokenWithSpan { token: Token::Word(_), .. }))
    }

    /// True: the token may be a name: quoted, or not reserved.
    pub(super) fn is_free_name(&self, at: usize) -> bool {
        matches!(self.get(at), Some(TokenWithSpan { token: Token::Word(word), .. })
            if word.quote_style.is_some() || !is_reserved(&word.value.to_uppercase()))
    }

    pub(super) fn is_literal(&self, at: usize) -> bool {
        self.get(at).is_some_and(|found| {
            matches!(
                found.token,
                Token::Number(..)
                    | Token::SingleQuotedString(_)
                    | Token::NationalStringLiteral(_)
                    | Token::QuoteDelimitedStringLiteral(_)
                    | Token::NationalQuoteDelimitedStringLiteral(_)
            )
        })
    }

    pub(super) fn is_behind_period(&self, at: usize) -> bool {
        at > 0 && self.is(at - 1, &Token::Period)
    }

    /// True: the token ends a table or an expression, so the next word begins a clause or is an alias.
    pub(super) fn ends_operand(&self, at: usize) -> bool {
        self.is(at, &Token::RParen)
            || self.is_literal(at)
            || matches!(self.get(at), Some(TokenWithSpan { token: Token::Placeholder(_), .. }))
            || self.is_word(at, VALUES)
            || (self.is_free_name(at) && (self.is_behind_period(at) || !self.is_word(at, BEFORE_OPERAND)))
    }

    /// True: an expression can begin with the token.
    pub(super) fn begins_operand(&self, at: usize) -> bool {
        self.is_literal(at)
            || self.is_free_name(at)
            || self.is_word(at, VALUES)
            || self.is_word(at, &["DATE", "PRIOR"])
            || self.get(at).is_some_and(|found| {
                matches!(found.token, Token::LParen | Token::Plus | Token::Minus | Token::Colon | Token::Placeholder(_))
            })
    }

    /// The index past the parenthesis that closes the one at `open`, and true when a comma stands between them at their
    /// own level.
    pub(super) fn parentheses(&self, open: usize) -> Option<(usize, bool)> {
        let (mut depth, mut comma) = (0usize, false);
        for at in open..self.len() {
            match self.get(at)?.token {
                Token::LParen => depth += 1,
                Token::RParen if depth == 1 => return Some((at + 1, comma)),
                Token::RParen => depth = depth.checked_sub(1)?,
                Token::Comma => comma |= depth == 1,
                _ => {}
            }
        }
        None
    }

    /// The error at the token, or at the end of the text.
    pub(super) fn error(&self, at: usize, error: Error) -> Error {
        match self.get(at).and_then(|token| position::offset(self.text, token.span.start)) {
            Some(place) => error.at(place),
            None => error.at(self.text.len()),
        }
    }
}
