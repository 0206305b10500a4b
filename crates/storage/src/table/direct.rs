//! The choice whether a full scan of a query reads past the cache.
//!
//! | table | reads |
//! |---|---|
//! | CACHE, or not larger than `_small_table_threshold` (2 % of the buffers of its block size) | through the cache |
//! | more than half of its blocks cached, or more than a quarter of them dirty | through the cache |
//! | five times as large as the cache | directly, whatever is cached |
//! | any other | directly |
//!
//! `_serial_direct_read` says always or never instead.

use common::BlockRange;
use common::sync::Arc;

use super::HeapTable;
use crate::parameters::Parameter;
use crate::txn::Worker;

/// Most of the buffers, in percent, that a small table takes.
const SMALL_PERCENT: u64 = 2;
/// Shares of the table's blocks, in percent, above which it is read through the cache.
const CACHED_PERCENT: u64 = 50;
const DIRTY_PERCENT: u64 = 25;
/// A table so many times as large as the cache is always read directly.
const VERY_LARGE: u64 = 5;

pub(super) fn is_worth(worker: &Arc<Worker>, table: &HeapTable, ranges: &[BlockRange]) -> bool {
    let blocks: u64 = ranges.iter().map(|range| u64::from(range.blocks)).sum();
    match &*worker.parameters().text(Parameter::SerialDirectRead) {
        _ if blocks == 0 => return false,
        "NEVER" => return false,
        "ALWAYS" => return true,
        _ => {}
    }
    let cache = worker.store().cache();
    let pool = cache.pool_of(table.segment.block_size());
    let buffers = pool.capacity() as u64;
    let threshold = match worker.parameters().unsigned(Parameter::SmallTableThreshold) {
        set if worker.parameters().is_set(Parameter::SmallTableThreshold) && set > 0 => set,
        _ => buffers * SMALL_PERCENT / 100,
    };
    if table.cache || table.is_dictionary() || blocks <= threshold {
        return false;
    }
    if blocks > buffers * VERY_LARGE {
        return true;
    }
    let (cached, dirty) = cache.presence(table.segment.block_size(), ranges);
    cached * 100 <= blocks * CACHED_PERCENT && dirty * 100 <= blocks * DIRTY_PERCENT
}
