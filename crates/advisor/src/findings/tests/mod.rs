//! The findings over made-up reports: findings that must be there, claims that must never be made, and silence as a
//! result.

mod catalogue;
pub(super) mod made_up;
mod never;
mod redo;
mod robust;
mod space;
mod sums;
