//! The first screen for a person: which database and window, how busy, where DB time went, what is wrong and what it is worth.
//!
//! ```text
//! terminal.rs  width, colours         number.rs  numbers with their units
//! bar.rs       one bar of DB time     report.rs  the screen of one report or trace
//! ```

pub(crate) mod bar;
pub mod number;
mod report;
mod terminal;

pub(crate) use report::{OVERLAP, cannot_tell, confidence, database, none_found, one, short, weight, window};
pub use terminal::Terminal;
pub(crate) use terminal::wrapped;
