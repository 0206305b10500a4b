//! Reading a 10046 trace ("extended SQL trace") of any release from 8i to 23ai, Highwater's own included.
//!
//! ```text
//! bytes -> encoding.rs   UTF-8 or UTF-16; a binary, packed or empty file is refused here
//!       -> lines.rs      lines of bounded length as text
//!       -> parse.rs      one line -> one Record (fields.rs finds key=value; operation.rs, mark.rs, binds.rs the finer
//!                        parts)
//!       -> reader.rs     what spans lines: header, statement text, bind blocks; faults are counted here
//!       -> the visitor
//! ```
//!
//! Rules:
//!
//! 1. What a line does not hold is `None`, never zero: releases differ in what they print.
//! 2. A line that is not understood is counted, the first few are kept word for word, and reading goes on.
//! 3. A line glued from two, or cut short, is not half believed: it counts as not understood.
//! 4. Memory does not grow with the file: only the longest line, statement and bind block are held, each with a limit.
//! 5. Figures stay as printed. What a unit of time is depends on the release and the platform: [`Header::time_unit`].
//!
//! The layout, release by release, is in docs/formats/trace.md.

mod binds;
pub(crate) mod encoding;
mod fields;
mod header;
mod lines;
mod mark;
mod operation;
mod parse;
mod reader;
mod record;

pub use binds::{Bind, Binds};
pub use encoding::Encoding;
pub use header::{Header, Release, TimeUnit};
pub use mark::{Mark, Named};
pub use operation::{Operation, RowSourceFigures};
pub use reader::{KEPT_FAULTS, MisreadLine, Reading, Truncation, read};
pub use record::{
    Application, Call, CallError, CallKind, LobCall, ParseError, Parsing, Record, Stat, TransactionEnd, Wait,
    WaitParameter,
};
