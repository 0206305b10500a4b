//! Statements as text: words, places, headings, and what kind of statement it is.

pub(crate) mod headings;
pub(crate) mod parse;
pub(crate) mod position;
pub(crate) mod words;
