//! Snapshots of this engine, kept in tables, and the report that two of them make.
//!
//! ```text
//! engine ── fills ──> Snapshot ── to_rows ──> STATS$ tables ── from_rows ──> Snapshot
//!
//! Snapshot ───────────────┐
//!                         ├─ difference ──> model::Report ── write::statspack ──> text
//! the snapshot before it ─┘
//! ```
//!
//! - [`choose`] chooses the two snapshots of a report, before their rows are read.
//! - [`TABLES`] defines the tables; the code that stores them creates, fills and reads them without knowing their
//!   content.
//! - A snapshot holds the views' figures unchanged, and every figure of a report can be computed again from two of
//!   them.
//! - A snapshot read from its rows equals the original, with its lists in the order of their keys.

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
