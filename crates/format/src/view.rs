//! Typed views of a part of a block.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// The structure of type `T` at `offset`.
///
/// # Panics
/// When the block is too short: block sizes are fixed and every offset is a constant, so that is a bug.
pub(crate) fn at<T: FromBytes + Immutable + KnownLayout>(block: &[u8], offset: usize) -> &T {
    match T::ref_from_prefix(&block[offset..]) {
        Ok((view, _)) => view,
        Err(_) => unreachable!("structure reaches past the end of the block"),
    }
}

/// As [`at`], to change.
pub(crate) fn at_mut<T: FromBytes + IntoBytes + Immutable + KnownLayout>(block: &mut [u8], offset: usize) -> &mut T {
    match T::mut_from_prefix(&mut block[offset..]) {
        Ok((view, _)) => view,
        Err(_) => unreachable!("structure reaches past the end of the block"),
    }
}
