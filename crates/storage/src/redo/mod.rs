//! The redo log: what changed, made durable before anything else. See README.md here and docs/formats/redo-log.md.
//!
//! Records are opaque: bytes whose first four are their little-endian total length.

mod admin;
mod buffer;
mod core;
mod files;
mod group;
mod group_commit;
mod instance;
mod layout;
mod log;
mod log_writer;
mod member_reader;
mod members;
mod one_copy;
mod reader;
mod sleeper;
mod space;
mod switch;
#[cfg(test)]
mod tests;

use common::{Error, ErrorKind, Number};

pub use files::BLOCKS_MIN;
pub(crate) use group::check_groups;
pub use group::{LogGroupRecord, LogGroupSpec, LogGroupState, LogGroupStatus, Lsn, Rba};
pub use instance::LogInstance;
pub use layout::{BLOCK, FIRST_BLOCK, RECORD_HEADER, version_of_block};
pub use log::{LogOptions, RedoLog};
pub use reader::{EndReason, ReadEnd, RedoReader};
pub use space::{NoRoom, Reserved};

/// Writer threads, and writes in flight at the most.
const WRITERS: usize = 4;

fn not_complete() -> Error {
    Error::new(
        ErrorKind::OutOfResource,
        Number::Ora(350),
        "cannot allocate new log: every log group is needed for crash recovery (checkpoint not complete)",
    )
}
