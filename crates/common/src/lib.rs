//! Ids, units, limits, error kinds and the seams to the outside world.
//!
//! Every other crate uses this one, so it depends on none of ours.

pub mod address;
pub mod block;
pub mod clock;
pub mod error;
pub mod interconnect;
pub mod limits;
pub mod seeded;
pub mod sync;
pub mod text;
pub mod transaction;
pub mod types;

pub use address::{BlockAddress, BlockRange, FileNumber, ObjectNumber, ProcessNumber, Rowid, Scn, TablespaceNumber};
pub use block::{BlockClass, BlockSize};
pub use clock::{Clock, Random, SystemClock};
pub use error::{Error, ErrorKind, Number, Result};
pub use seeded::Seeded;
pub use transaction::{Uba, Xid};
pub use types::DataType;
