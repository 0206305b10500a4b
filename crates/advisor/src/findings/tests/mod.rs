//! The findings over made-up reports: what must be found, what must never be claimed, and that silence is a result.

mod catalogue;
pub(super) mod made_up;
mod never;
mod redo;
mod robust;
mod space;
mod sums;
