//! The analysis of a report or a trace: the sums, the findings, the comparison of several, and their output.
//!
//! ```text
//! report::model::Report ─┐
//! trace profile ─────────┼─> sums/ (with inputs) ─> findings/ (one file an id) ─> Analysis ─> screen, JSON, page
//! TKPROF ────────────────┘
//! ```

pub mod analysis;
mod compare;
pub mod experiment;
pub mod files;
pub mod findings;
mod json;
mod judge;
mod mask;
mod page;
pub mod reference;
pub mod screen;
mod sums;
mod timeline;
mod traces;

pub use findings::{Options, examine, examine_tkprof, examine_trace, examine_with};
