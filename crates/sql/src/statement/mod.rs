//! Statements as text.

pub(crate) mod position;
