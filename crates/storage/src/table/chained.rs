//! Rows that are not whole in their first block: migrated rows and chained rows.

use common::sync::Arc;
use common::{BlockClass, Result, Rowid};
use format::heap::{self, RowAddress};
use waits::Statistic;

use super::HeapTable;
use super::is_block_of;
use crate::txn::Worker;

/// Figures from a look at every block of a table, which a look at its rows does not give.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct BlockFigures {
    /// Rows that have migrated or are chained.
    pub chained_rows: u64,
    /// Formatted blocks.
    pub blocks: u64,
    /// Sum of the free bytes in them.
    pub free_bytes: u64,
}

/// Reads every block of a table and hands over the rowid of each row that has migrated or is chained. No block is
/// latched meanwhile.
///
/// # Errors
/// Errors of getting blocks, ORA-08103 when the segment is given up meanwhile, ORA-01013, and errors of `take`.
pub fn chained_rows(
    worker: &Arc<Worker>,
    table: &HeapTable,
    take: &mut dyn FnMut(Rowid) -> Result<()>,
) -> Result<BlockFigures> {
    let snapshot = worker.snapshot();
    let ranges = table.segment.scan_ranges_at(worker, snapshot.scn())?;
    let mut blocks = worker.scan_blocks(ranges, BlockClass::Data, true);
    let (mut figures, mut found) = (BlockFigures::default(), Vec::new());
    while let Some(block) =
        blocks.next_block().map_err(|error| table.segment.explained(worker, snapshot.scn(), error))?
    {
        worker.check_cancelled()?;
        worker.meter().count(Statistic::TableScanBlocksGotten, 1);
        let block = table.segment.as_seen(worker, block, &snapshot)?;
        if !is_block_of(table, &block) {
            return Err(table.segment.gone());
        }
        let address = block.address();
        figures.blocks += 1;
        figures.free_bytes += heap::free_bytes(&block) as u64;
        let object = format::transaction::header(&block).object_number();
        let elsewhere = heap::live_rows(&block, 0).filter(|(_, piece)| {
            piece.is_stub() || piece.starts_row() && piece.continues() && piece.head_address().is_none()
        });
        found.extend(elsewhere.map(|(slot, _)| RowAddress::new(address, slot).rowid(object)));
        drop(block);
        figures.chained_rows += found.len() as u64;
        found.drain(..).try_for_each(&mut *take)?;
    }
    Ok(figures)
}
