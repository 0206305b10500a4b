//! Oracle's data types as Arrow types, and the conversion of values.
//!
//! The Arrow type alone determines a column's Oracle type:
//!
//! | Oracle | Arrow | why |
//! | --- | --- | --- |
//! | NUMBER | Binary | Oracle's own bytes: their memcmp order is the numeric order, so comparison, sort, join, grouping and MIN/MAX need no code of ours |
//! | RAW | LargeBinary | |
//! | VARCHAR2, ROWID | Utf8 | |
//! | CHAR | LargeUtf8 | comparisons with it are blank-padded |
//! | DATE | Timestamp(Second) | since 1970-01-01, without zone |
//! | TIMESTAMP | Timestamp(Microsecond) | |
//!
//! No Arrow integer, float or boolean ever leaves a query.

pub(crate) mod arrow;
pub(crate) mod column;
pub(crate) mod literal;

pub(crate) use arrow::{ArrowForm, of_arrow};
