//! Index entries under transactions: what undo records of an index say, and taking changes back.

use common::{Error, Result};

use crate::instance::Session;
use crate::undo::Record;

/// Takes a change back in the index, wherever its entries are by now: for rollback.
///
/// # Errors
/// Those of getting blocks.
pub(crate) fn undo(_: &Session, record: &Record) -> Result<()> {
    Err(Error::bug(format!("undo record {} of an index", record.uba)))
}

/// Takes a change back in a copy of a leaf, as far as its entries are there: for consistent reads. False when the record is none of an index.
pub(crate) fn undo_in_leaf(_: &mut [u8], _: &Record) -> bool {
    false
}
