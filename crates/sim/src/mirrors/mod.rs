//! A mirrored disk group alone: files are written while disks fail, hang, come back, join and leave, over several
//! lives, each of which a loss of power ends.
//!
//! The promise: as long as one copy of each extent is good, nothing is lost that was acknowledged, no request fails,
//! and what was read once is read again, from whichever copy.

mod life;
mod model;
mod whole;

pub use life::{Tally, run};
pub(crate) use whole::is_sound;
