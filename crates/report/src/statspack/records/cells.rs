//! Storage cells.

use super::super::record::record;
use super::super::value::ColumnType::{Number, Varchar2};

record! {
    /// Messages between the instance and a storage cell since the instance has known it. The table is our own.
    CellTraffic in "STATS$CELL_TRAFFIC" {
        /// The cell's name.
        cell: String => "CELL_NAME" Varchar2(128),
        |
        /// Requests for blocks.
        reads: u64 => "READ_REQUESTS" Number,
        /// Requests that bring blocks.
        writes: u64 => "WRITE_REQUESTS" Number,
        /// Requests for scans.
        scans: u64 => "SCAN_REQUESTS" Number,
        /// Bytes of all requests.
        bytes_sent: u64 => "BYTES_SENT" Number,
        /// Bytes of all answers.
        bytes_received: u64 => "BYTES_RECEIVED" Number,
    }
}
