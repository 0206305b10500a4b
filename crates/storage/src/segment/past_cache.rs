//! The choice whether a full scan of a query reads past the cache.
//!
//! | segment | reads |
//! |---|---|
//! | of a table with CACHE, or not larger than `_small_table_threshold` (2 % of the buffers of its block size) | through the cache |
//! | more than half of its blocks cached, or more than a quarter of them dirty | through the cache |
//! | five times as large as the cache | directly, whatever is cached |
//! | any other | directly |
//!
//! An index is read past the cache by cells alone.
//!
//! `_serial_direct_read` says always or never instead.

use common::BlockRange;

use super::Segment;
use crate::parameters::Parameter;
use crate::txn::Worker;

/// Most of the buffers, in percent, that a small segment takes.
const SMALL_PERCENT: u64 = 2;
/// Shares of the segment's blocks, in percent, above which it is read through the cache.
const CACHED_PERCENT: u64 = 50;
const DIRTY_PERCENT: u64 = 25;
/// A segment so many times as large as the cache is always read directly.
const VERY_LARGE: u64 = 5;

/// Is a scan of these ranges to go past the cache? `kept`: the cache is to have the segment's blocks.
pub(crate) fn is_worth(worker: &Worker, segment: &Segment, ranges: &[BlockRange], kept: bool) -> bool {
    let blocks: u64 = ranges.iter().map(|range| u64::from(range.blocks)).sum();
    match &*worker.parameters().text(Parameter::SerialDirectRead) {
        _ if blocks == 0 => return false,
        "NEVER" => return false,
        "ALWAYS" => return true,
        _ => {}
    }
    let cache = worker.store().cache();
    let pool = cache.pool_of(segment.block_size());
    let buffers = pool.capacity() as u64;
    let threshold = match worker.parameters().unsigned(Parameter::SmallTableThreshold) {
        set if worker.parameters().is_set(Parameter::SmallTableThreshold) && set > 0 => set,
        _ => buffers * SMALL_PERCENT / 100,
    };
    if kept || blocks <= threshold {
        return false;
    }
    if blocks > buffers * VERY_LARGE {
        return true;
    }
    let (cached, dirty) = cache.presence(segment.block_size(), ranges);
    cached * 100 <= blocks * CACHED_PERCENT && dirty * 100 <= blocks * DIRTY_PERCENT
}
