//! Files and buffer pools.

use super::super::record::record;
use super::super::value::ColumnType::{Number, Varchar2};

record! {
    /// A file since the instance was started; temporary files too, which Oracle has in STATS$TEMPSTATXS.
    FileStatistics in "STATS$FILESTATXS" {
        /// The tablespace's name.
        tablespace: String => "TSNAME" Varchar2(128),
        /// The file's path.
        file: String => "FILENAME" Varchar2(513),
        |
        /// Read requests.
        reads: u64 => "PHYRDS" Number,
        /// Write requests.
        writes: u64 => "PHYWRTS" Number,
        /// Centiseconds of reading, with a fraction.
        read_centiseconds: f64 => "READTIM" Number,
        /// Centiseconds of writing, with a fraction.
        write_centiseconds: f64 => "WRITETIM" Number,
        /// Blocks read.
        blocks_read: u64 => "PHYBLKRD" Number,
        /// Blocks written.
        blocks_written: u64 => "PHYBLKWRT" Number,
        /// Waits for buffers of the file's blocks.
        buffer_waits: u64 => "WAIT_COUNT" Number,
        /// Centiseconds of them, with a fraction.
        buffer_wait_centiseconds: f64 => "TIME" Number,
    }
}

record! {
    /// Distribution of single-block reads of a file by duration, since the instance was started.
    FileHistogram in "STATS$FILE_HISTOGRAM" {
        /// The tablespace's name.
        tablespace: String => "TSNAME" Varchar2(128),
        /// The file's path.
        file: String => "FILENAME" Varchar2(513),
        /// Reads of the bucket took less than this, and no less than the next smaller power of two.
        below_ms: u64 => "SINGLEBLKRDTIM_MILLI" Number,
        |
        /// Reads.
        reads: u64 => "SINGLEBLKRDS" Number,
    }
}

record! {
    /// A buffer pool since the instance was started.
    BufferPool in "STATS$BUFFER_POOL_STATISTICS" {
        /// `DEFAULT`, `KEEP`, `RECYCLE`.
        name: String => "NAME" Varchar2(20),
        /// Of its blocks, in bytes.
        block_size: u64 => "BLOCK_SIZE" Number,
        |
        /// Buffers.
        buffers: u64 => "SET_MSIZE" Number,
        /// Waits for a free one.
        free_buffer_waits: u64 => "FREE_BUFFER_WAIT" Number,
        /// Waits for one to be written.
        write_complete_waits: u64 => "WRITE_COMPLETE_WAIT" Number,
        /// Waits for one that another session uses or reads.
        buffer_busy_waits: u64 => "BUFFER_BUSY_WAIT" Number,
        /// Current gets.
        current_gets: u64 => "DB_BLOCK_GETS" Number,
        /// Consistent gets.
        consistent_gets: u64 => "CONSISTENT_GETS" Number,
        /// Blocks read.
        reads: u64 => "PHYSICAL_READS" Number,
        /// Blocks written.
        writes: u64 => "PHYSICAL_WRITES" Number,
    }
}
