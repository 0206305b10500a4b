//! Segments: whose they are, and what was done to them.

use super::super::record::record;
use super::super::value::ColumnType::{Number, Varchar2};

record! {
    /// A segment's counters (V$SEGSTAT) since the instance was started.
    SegmentStatistics in "STATS$SEG_STAT" {
        /// Number of the object.
        object: u64 => "OBJ#" Number,
        /// Number of the object's segment.
        data_object: u64 => "DATAOBJ#" Number,
        |
        /// Gets of its blocks.
        logical_reads: u64 => "LOGICAL_READS" Number,
        /// Blocks read.
        physical_reads: u64 => "PHYSICAL_READS" Number,
        /// Blocks written.
        physical_writes: u64 => "PHYSICAL_WRITES" Number,
        /// Changes of its blocks.
        block_changes: u64 => "DB_BLOCK_CHANGES" Number,
        /// Waits for its buffers.
        buffer_busy_waits: u64 => "BUFFER_BUSY_WAITS" Number,
        /// Waits for row locks.
        row_lock_waits: u64 => "ROW_LOCK_WAITS" Number,
        /// Waits for a slot of an interested transaction list.
        itl_waits: u64 => "ITL_WAITS" Number,
    }
}

record! {
    /// A segment's name. A row here for each in STATS$SEG_STAT.
    SegmentObject in "STATS$SEG_STAT_OBJ" {
        /// Number of the object.
        object: u64 => "OBJ#" Number,
        /// Number of the object's segment.
        data_object: u64 => "DATAOBJ#" Number,
        |
        /// The owner.
        owner: String => "OWNER" Varchar2(128),
        /// The table's, index's or cluster's name.
        name: String => "OBJECT_NAME" Varchar2(128),
        /// The partition's name.
        subobject: String => "SUBOBJECT_NAME" Varchar2(128),
        /// `TABLE`, `INDEX`, …
        kind: String => "OBJECT_TYPE" Varchar2(23),
        /// The tablespace's name.
        tablespace: String => "TABLESPACE_NAME" Varchar2(128),
    }
}
