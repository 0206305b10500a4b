//! Counts by segment and by file, beside the session's own counters. A block's bytes name its segment.

use common::{BlockAddress, BlockClass};
use format::object::data_object;
use waits::{Meter, SegmentStatistic};

use super::Cache;

/// Counts `n` for the segment that the block belongs to, if it belongs to one.
#[inline]
pub(super) fn segment(meter: &Meter, block: &[u8], statistic: SegmentStatistic, n: u64) {
    if let Some(object) = data_object(block) {
        meter.segment(object, statistic, n);
    }
}

/// The object of a wait for a block: its data object; -1 for none.
pub(super) fn object_of(block: &[u8]) -> i64 {
    data_object(block).map_or(-1, |object| i64::from(object.0))
}

/// P1 to P3 of waits for a buffer: file, block and `class#`, which names the undo segment for blocks of one.
pub(super) fn place(address: BlockAddress, class: BlockClass, block: &[u8]) -> [u64; 3] {
    let number = class.number(format::undo::segment_of(block).unwrap_or(1));
    [u64::from(address.file.0), u64::from(address.block), u64::from(number)]
}

impl Cache {
    /// Counts a wait for a buffer by class and by file, for V$WAITSTAT and for the files' figures.
    pub(super) fn count_buffer_wait(&self, meter: &Meter, address: BlockAddress, class: BlockClass, micros: u64) {
        meter.buffer_wait(class, micros);
        if let Ok(file) = self.file(address.file) {
            file.count_buffer_wait(micros);
        }
    }
}
