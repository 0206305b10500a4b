//! Snapshots of this engine, kept in tables, and the report that two of them make.
//!
//! ```text
//! engine ── fills ──> Snapshot ── to_rows ──> STATS$ tables ── from_rows ──> Snapshot ─┐
//!                                                                                      ├─ difference ──> model::Report ── write::statspack ──> text
//!                                                       the snapshot before it ────────┘
//! ```
//!
//! - [`choose`] says which two snapshots a report is of, before their rows are read.
//! - [`TABLES`] says what the tables are; whoever keeps them creates, fills and reads them without knowing what they hold.
//! - Nothing is reckoned in a snapshot: it holds what the views show, and every figure of a report can be made again from two of them.
//! - A snapshot out of its rows is the one that was made rows, its lists in the order of their keys.

mod choice;
mod difference;
mod metered;
mod record;
pub mod records;
mod snapshot;
mod statements;
mod time;
mod value;

pub use choice::{Taken, choose, list};
pub use difference::difference;
pub use snapshot::{Snapshot, TABLES, TableRows};
pub use time::{LocalTime, Parts};
pub use value::{Column, ColumnType, KEY_COLUMNS, Table, Value};
