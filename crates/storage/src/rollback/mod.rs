//! Rollback in the blocks: takes back the changes of rows, loads and index entries that undo records describe.
//!
//! See README.md in this folder.

use common::sync::Arc;
use common::{BlockAddress, BlockClass, Error, ObjectNumber, Result};
use format::block::{self, BlockType};
use format::itl;
use format::transaction::Owner;
use waits::Statistic;

use crate::index::{self, IndexDef};
use crate::segment::Segment;
use crate::txn::{Worker, is_newest, not_unloaded, operation, undo_change};
use crate::undo::{OwnedPrevious, Record};

/// Most blocks that are read ahead of the work.
const BLOCKS_AHEAD: usize = 16;

/// The current definitions of tables and indexes, for a rollback.
pub trait Segments {
    /// The segment of the table with this data object. None for one that the dictionary does not know (yet): the
    /// rollback then leaves its space management alone.
    fn table(&self, data_object: ObjectNumber) -> Option<Arc<Segment>>;

    /// The index with this data object; None when it has been dropped.
    ///
    /// # Errors
    /// The error of reading an index that may be this one.
    fn index(&self, data_object: ObjectNumber) -> Result<Option<Arc<IndexDef>>>;
}

/// Takes changes back in their blocks; the records are in the order of a rollback. All index entries go first: for each
/// row that is the order anyway, since its entries were made after it. Rows keep the given order: a row may have pieces
/// in several blocks, and must not be free in one of them while it is not in another.
///
/// # Errors
/// Errors of getting blocks. Entries of an index that cannot be read do not count as taken back.
pub fn undo(s: &Worker, segments: &dyn Segments, records: &[Record]) -> Result<()> {
    let (entries, rows): (Vec<_>, Vec<_>) = records.iter().partition(|record| operation::is_of_index(record.operation));
    debug_assert!(records.windows(2).all(|pair| pair[0].xid == pair[1].xid), "records of several transactions");
    debug_assert!(records.windows(2).all(|pair| pair[0].uba != pair[1].uba), "a record is taken back twice");
    index::undo(s, &entries, |object| segments.index(object))?;
    let is_load = |record: &Record| record.operation == operation::LOAD_BLOCKS;
    let same = |a: &&Record, b: &&Record| a.block == b.block && a.object == b.object && !is_load(a) && !is_load(b);
    let runs: Vec<_> = rows.chunk_by(same).collect();
    let mut sent = 0;
    for (at, run) in runs.iter().enumerate() {
        while sent < runs.len() && sent <= at + BLOCKS_AHEAD {
            // The get of the block meets an error of this read.
            let _ = s.store().cache().read_ahead(s.meter(), runs[sent][0].block, 1, BlockClass::Data);
            sent += 1;
        }
        let segment = segments.table(run[0].object);
        if is_load(run[0]) { undo_load(s, run[0], segment.as_deref())? } else { undo_rows(s, run, segment.as_deref())? }
    }
    Ok(())
}

/// Empties the blocks that still hold the load. After a crash the record may be met again, if it was not yet noted as
/// undone, and the blocks may have other content by then.
fn undo_load(s: &Worker, record: &Record, segment: Option<&Segment>) -> Result<()> {
    let blocks = operation::read_blocks(&record.payload);
    let mut ahead = operation::read_blocks(&record.payload).skip(1);
    let mut sent = 0;
    for address in blocks {
        while sent < BLOCKS_AHEAD
            && let Some(next) = ahead.next()
        {
            // The get of the block meets an error of this read.
            let _ = s.store().cache().read_ahead(s.meter(), next, 1, BlockClass::Data);
            sent += 1;
        }
        sent = sent.saturating_sub(1);
        unload(s, address, record, segment)?;
    }
    s.forget_load(record.uba);
    Ok(())
}

fn unload(s: &Worker, address: BlockAddress, record: &Record, segment: Option<&Segment>) -> Result<()> {
    s.mini(|| {
        let mut block = s.current_mut(address, BlockClass::Data)?;
        let held = is_of(&block, record.object)
            && itl::slot(&block, 1)
                .is_some_and(|slot| slot.is_loaded() && slot.is_active() && slot.xid() == record.xid);
        if !held {
            return Ok(());
        }
        if let Some(segment) = segment {
            segment.watch(&mut block);
        }
        let mut bytes = block.to_vec();
        if !itl::unload(&mut bytes, 1) {
            return Err(not_unloaded(address));
        }
        s.change(&mut block, |block| block.copy_from_slice(&bytes));
        match segment {
            Some(segment) => segment.emptied(s, block),
            None => Ok(()),
        }
    })
}

/// Takes back the changes of one block's rows, with one get and one change.
fn undo_rows(s: &Worker, records: &[&Record], segment: Option<&Segment>) -> Result<()> {
    let address = records[0].block;
    debug_assert!(records.iter().all(|record| record.block == address), "{address}: records of other blocks");
    s.mini(|| {
        let mut block = s.current_mut(address, BlockClass::Data)?;
        let rows = is_of(&block, records[0].object);
        // A record may be met again after a crash, if it was not yet noted as undone.
        if !rows || !records.iter().any(|record| is_newest(&block, record)) {
            return Ok(());
        }
        if let Some(segment) = segment {
            segment.watch(&mut block);
        }
        let mut undone = 0;
        s.change(&mut block, |bytes| {
            for record in records {
                if !is_newest(bytes, record) {
                    continue;
                }
                undo_change(bytes, record, address)?;
                match &record.previous {
                    OwnedPrevious::Itl(before) => itl::restore(bytes, record.itl, before),
                    OwnedPrevious::Uba(previous) => itl::set_uba(bytes, record.itl, *previous),
                }
                undone += 1;
            }
            Ok(())
        })
        .map_err(|error: Error| s.store().health().stop(&error))?;
        s.meter().count(Statistic::RollbackChangesUndoRecordsApplied, undone);
        match segment {
            Some(segment) => segment.restored(s, block),
            None => Ok(()),
        }
    })
}

/// True: the block has rows of the table with this data object.
fn is_of(block: &[u8], object: ObjectNumber) -> bool {
    block::kind(block) == Some(BlockType::Data)
        && format::transaction::header(block).owner == Owner::Table as u8
        && format::transaction::header(block).object_number() == object
}
