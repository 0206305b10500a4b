//! Undo segments, and what went through them in intervals of ten minutes.

use super::super::record::record;
use super::super::time::LocalTime;
use super::super::value::ColumnType::{Date, Number, Varchar2};

record! {
    /// An interval of V$UNDOSTAT.
    UndoStatistics in "STATS$UNDOSTAT" {
        /// The interval's begin.
        begin: LocalTime => "BEGIN_TIME" Date,
        |
        /// The interval's end, or the snapshot's time in the last.
        end: LocalTime => "END_TIME" Date,
        /// Number of the undo tablespace.
        tablespace: u64 => "UNDOTSN" Number,
        /// Undo blocks used.
        blocks: u64 => "UNDOBLKS" Number,
        /// Transactions.
        transactions: u64 => "TXNCOUNT" Number,
        /// Seconds of the longest query.
        longest_query_s: u64 => "MAXQUERYLEN" Number,
        /// Its statement.
        longest_query: String => "MAXQUERYSQLID" Varchar2(13),
        /// Most transactions at one time.
        concurrent_transactions: u64 => "MAXCONCURRENCY" Number,
        /// Times that unexpired extents were taken from another segment.
        unexpired_stolen: u64 => "UNXPSTEALCNT" Number,
        /// Unexpired blocks taken from a segment for others.
        unexpired_released: u64 => "UNXPBLKRELCNT" Number,
        /// Unexpired blocks used again.
        unexpired_reused: u64 => "UNXPBLKREUCNT" Number,
        /// Times that expired extents were taken from another segment.
        expired_stolen: u64 => "EXPSTEALCNT" Number,
        /// Expired blocks taken from a segment for others.
        expired_released: u64 => "EXPBLKRELCNT" Number,
        /// Expired blocks used again by the same segment.
        expired_reused: u64 => "EXPBLKREUCNT" Number,
        /// Errors ORA-01555.
        snapshot_too_old: u64 => "SSOLDERRCNT" Number,
        /// Errors ORA-30036.
        out_of_space: u64 => "NOSPACEERRCNT" Number,
        /// Seconds that undo is kept.
        tuned_retention_s: u64 => "TUNED_UNDORETENTION" Number,
    }
}

record! {
    /// An undo segment (V$ROLLSTAT) since the instance was started. The report does not list them, as Statspack's does
    /// not under automatic undo.
    RollbackSegment in "STATS$ROLLSTAT" {
        /// The segment's number.
        number: u64 => "USN" Number,
        |
        /// Extents.
        extents: u64 => "EXTENTS" Number,
        /// Bytes.
        bytes: u64 => "RSSIZE" Number,
        /// Bytes of undo written.
        written: u64 => "WRITES" Number,
        /// Transactions active.
        transactions: u64 => "XACTS" Number,
        /// Gets of its header.
        gets: u64 => "GETS" Number,
        /// Gets that waited.
        waits: u64 => "WAITS" Number,
        /// Most bytes it ever had.
        bytes_max: u64 => "HWMSIZE" Number,
        /// Times it was made smaller.
        shrinks: u64 => "SHRINKS" Number,
        /// Times it went on in another extent.
        wraps: u64 => "WRAPS" Number,
        /// Times an extent was added.
        extends: u64 => "EXTENDS" Number,
    }
}
