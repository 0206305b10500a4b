//! Statements as text: words, positions, headings, and the kind of a statement.

pub(crate) mod dialect;
pub(crate) mod headings;
pub(crate) mod merge;
mod names;
pub(crate) mod parse;
pub(crate) mod position;
mod reserved;
pub(crate) mod spelling;
mod syntax;
mod tokens;
pub(crate) mod words;
