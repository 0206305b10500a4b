//! Blocks that a transaction loads past the cache, without undo of their rows: one undo record says which they are.

use common::{Error, ObjectNumber, Result, Uba};
use format::undo::{Previous, UndoRecord};

use super::operation;
use super::session::Load;
use crate::catalog::TableDef;
use crate::instance::Session;
use crate::segment::BlockRange;

impl Session {
    /// Makes room for the undo record of [`Session::note_load`]. No block may be latched.
    pub(crate) fn prepare_load(&self, ranges: &[BlockRange]) -> Result<()> {
        self.prepare(operation::blocks(ranges).len()).map(drop)
    }

    /// Writes the undo record of blocks that the transaction under way has loaded, of the table `table` and its segment's `data_object`. In one group with what
    /// makes them the table's: undoing empties the blocks, which nobody else has by then.
    ///
    /// # Errors
    /// Those of getting the undo block; nothing is changed then.
    pub(crate) fn note_load(
        &self,
        table: ObjectNumber,
        data_object: ObjectNumber,
        ranges: &[BlockRange],
    ) -> Result<()> {
        let Some(first) = ranges.first() else { return Ok(()) };
        let mut state = self.transactions().0.lock();
        let Some(transaction) = &mut state.transaction else {
            return Err(Error::bug("a load without a transaction"));
        };
        let payload = operation::blocks(ranges);
        let block = transaction.undo.latch(self)?;
        let record = UndoRecord {
            object: data_object,
            block: first.start,
            operation: operation::LOAD_BLOCKS,
            itl: 1,
            previous: Previous::Uba(Uba::NONE),
            payload: &payload,
        };
        let stopped = |error: Error| self.instance().health().stop(&error);
        let uba = transaction.undo.append_to(self, block, &record).map_err(stopped)?;
        transaction.identity.note(uba);
        transaction.loads.push(Load { table, uba });
        Ok(())
    }

    /// Refuses a table that the transaction under way has loaded: nobody reads or changes it before the transaction ends, since there is no undo by which a
    /// statement could tell what was there before.
    ///
    /// # Errors
    /// ORA-12838.
    pub fn check_not_loaded(&self, table: &TableDef) -> Result<()> {
        let loaded = |load: &Load| load.table == table.object;
        match self.with_transaction(|transaction| transaction.loads.iter().any(loaded)) {
            Some(true) => Err(Error::user(12838, "cannot read/modify an object after modifying it in parallel")),
            _ => Ok(()),
        }
    }
}
