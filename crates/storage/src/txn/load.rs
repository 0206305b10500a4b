//! Blocks that a transaction loads past the cache, without undo of their rows: one undo record says which they are.

use common::{BlockRange, Error, ObjectNumber, Result, Uba};
use format::undo::{Previous, UndoRecord};

use super::Worker;
use super::operation;
use super::worker::Load;

impl Worker {
    /// Makes room for the undo record of [`Worker::note_load`]. No block may be latched.
    pub(crate) fn prepare_load(&self, ranges: &[BlockRange]) -> Result<()> {
        self.prepare(operation::blocks(ranges).len()).map(drop)
    }

    /// Writes the undo record of blocks that the transaction under way has loaded, of the table `table` and its
    /// segment's `data_object`. In one mini-transaction with what makes them the table's: undoing empties the blocks,
    /// which nobody else has by then.
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
        let mut state = self.state.lock();
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
        let stopped = |error: Error| self.store().health().stop(&error);
        let uba = transaction.undo.append_to(self, block, &record).map_err(stopped)?;
        transaction.identity.note(uba);
        debug_assert!(ranges.iter().all(|range| range.blocks > 0), "a load without blocks: {ranges:?}");
        debug_assert!(transaction.loads.iter().all(|load| load.uba != uba), "a load is noted twice: {uba}");
        transaction.loads.push(Load { table, uba });
        Ok(())
    }

    /// The load of this record has been taken back.
    pub fn forget_load(&self, uba: Uba) {
        self.with_transaction(|transaction| transaction.loads.retain(|load| load.uba != uba));
    }

    /// Refuses a table that the transaction under way has loaded: nobody reads or changes it before the transaction
    /// ends, since there is no undo by which a statement could tell what was there before.
    ///
    /// # Errors
    /// ORA-12838.
    pub fn check_not_loaded(&self, table: ObjectNumber) -> Result<()> {
        let loaded = |load: &Load| load.table == table;
        match self.with_transaction(|transaction| transaction.loads.iter().any(loaded)) {
            Some(true) => Err(Error::user(12838, "cannot read/modify an object after modifying it in parallel")),
            _ => Ok(()),
        }
    }
}
