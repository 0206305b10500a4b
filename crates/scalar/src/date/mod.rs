//! Dates and timestamps: arithmetic, and their formats.

pub mod arithmetic;
pub mod format;
pub mod names;
pub mod parse;
pub mod unit;
pub mod write;
