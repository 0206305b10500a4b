//! Statements as text: words, places, headings, and what kind of statement it is.

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
