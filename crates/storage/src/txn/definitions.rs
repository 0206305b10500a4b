//! What transactions ask of the layers above them, which know tables and indexes.

use std::fmt;

use common::{ObjectNumber, Result};

use super::Worker;
use crate::undo::Record;

/// The definitions as a worker sees them.
pub trait Definitions: fmt::Debug + Send + Sync {
    /// Takes changes back in the blocks that they are in by now; the records are of one transaction, the newest first.
    ///
    /// # Errors
    /// Those of getting blocks.
    fn undo(&self, worker: &Worker, records: &[Record]) -> Result<()>;

    /// The data object number of a table, which the rowids in its indexes have; None for one that is not known.
    fn data_object(&self, table: ObjectNumber) -> Option<ObjectNumber>;
}
