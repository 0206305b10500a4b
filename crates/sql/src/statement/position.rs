//! Positions in a statement's text.

use common::Error;
use sqlparser::tokenizer::{Location, Span};

/// The byte offset of a line and column as the tokenizer counts them, both from 1; None for "nowhere".
pub(crate) fn offset(text: &str, location: Location) -> Option<usize> {
    Places::new(text).offset(location)
}

/// Positions of one text in ascending order: each search begins where the last one ended.
pub(crate) struct Places<'t> {
    text: &'t str,
    line: u64,
    column: u64,
    at: usize,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, line: 1, column: 1, at: 0 }
    }

    /// The byte offset of a line and column; None for "nowhere".
    pub(crate) fn offset(&mut self, Location { line, column }: Location) -> Option<usize> {
        if line == 0 || column == 0 {
            return None;
        }
        if (line, column) < (self.line, self.column) {
            (self.line, self.column, self.at) = (1, 1, 0);
        }
        while self.line < line {
            self.at += self.text[self.at..].find('\n')? + 1;
            self.line += 1;
            self.column = 1;
        }
        let rest = &self.text[self.at..];
        let ahead = usize::try_from(column - self.column).ok()?;
        // Nearly all text is ASCII, of which a character is a byte.
        let bytes = match rest.as_bytes().get(..ahead) {
            Some(bytes) if bytes.is_ascii() => ahead,
            _ => rest.char_indices().nth(ahead).map_or(rest.len(), |(at, _)| at),
        };
        (self.column, self.at) = (column, self.at + bytes);
        Some(self.at)
    }
}

/// The error at the beginning of `span`, unless it has a position or the span has none.
pub(crate) fn at(error: Error, text: &str, span: Span) -> Error {
    match offset(text, span.start) {
        Some(place) => error.at(place),
        None => error,
    }
}

/// The position in a parser error's text: `… at Line: 2, Column: 7`.
pub(crate) fn from_message(text: &str, message: &str) -> Option<usize> {
    let at = message.rfind("Line: ")?;
    let mut numbers = message[at..].split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let line = numbers.next()?.parse().ok()?;
    let column = numbers.next()?.parse().ok()?;
    offset(text, Location { line, column })
}
