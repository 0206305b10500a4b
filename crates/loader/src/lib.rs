//! Flat files as rows, for external tables and `highwater load`.
//!
//! ```text
//! files -> records.rs | csv.rs -> fields.rs -> convert.rs -> a row of stored columns
//!          bytes of a record      where the    a field as its column
//!          and its number         fields are   stores it
//!                                     \            /
//!                                      reject.rs: bad file, log, limit
//! ```
//!
//! No value is allocated by itself: a row is bytes and ranges in them, reused for the next. See README.md.

pub mod access;
mod convert;
mod csv;
mod error;
mod fields;
mod number;
mod records;
mod reject;
mod row;
mod scan;
mod spec;

pub use convert::Column;
pub use reject::{Outputs, Rejected};
pub use row::RowBytes;
pub use scan::{Input, Layout, Scan, Setup, header};
pub use spec::{
    Access, Characters, ComparedWith, DatetimeMask, Enclosure, Extent, FIELD_BYTES, FieldRule, Fields, NullIf, Origin,
    Output, Position, RECORD_BYTES, RecordFormat, Records, Terminator, Trim,
};
