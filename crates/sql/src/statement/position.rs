//! Places in a statement's text.

use common::Error;
use datafusion::sql::sqlparser::tokenizer::{Location, Span};

/// The byte offset of a line and column as the tokenizer counts them, both from 1; None for "nowhere".
pub(crate) fn offset(text: &str, location: Location) -> Option<usize> {
    if location.line == 0 || location.column == 0 {
        return None;
    }
    let mut start = 0;
    for _ in 1..location.line {
        start += text[start..].find('\n')? + 1;
    }
    let line = &text[start..];
    let column = usize::try_from(location.column).ok()? - 1;
    Some(start + line.char_indices().nth(column).map_or(line.len(), |(at, _)| at))
}

/// The error at the beginning of `span`, unless it has a place or the span has none.
pub(crate) fn at(error: Error, text: &str, span: Span) -> Error {
    match offset(text, span.start) {
        Some(place) => error.at(place),
        None => error,
    }
}

/// The place that a parser error names in its text: `… at Line: 2, Column: 7`.
pub(crate) fn from_message(text: &str, message: &str) -> Option<usize> {
    let at = message.rfind("Line: ")?;
    let mut numbers = message[at..].split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    let line = numbers.next()?.parse().ok()?;
    let column = numbers.next()?.parse().ok()?;
    offset(text, Location { line, column })
}
