//! The first screen for a person: the database and window, its load, the sums of DB time, the findings and their
//! savings.
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
