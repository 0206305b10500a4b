//! I/O by tablespace, file, function and file type; buffer pools.

use serde::Serialize;

use crate::figure::Figure;

/// A tablespace or a file.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct FileIo {
    pub tablespace: String,
    /// None for the line of a tablespace.
    pub file: Option<String>,
    pub reads: Option<Figure>,
    pub reads_per_s: Option<f64>,
    pub read_ms: Option<Figure>,
    pub blocks_per_read: Option<f64>,
    /// One-block reads, where the release tells them apart.
    pub single_reads_per_s: Option<f64>,
    pub single_read_ms: Option<Figure>,
    pub writes: Option<Figure>,
    pub writes_per_s: Option<f64>,
    pub write_ms: Option<Figure>,
    pub buffer_waits: Option<f64>,
    pub buffer_wait_ms: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct IoByFunction {
    pub name: String,
    /// The file type, where the report breaks functions down by it.
    pub file_type: Option<String>,
    pub read_bytes: Option<Figure>,
    pub reads_per_s: Option<f64>,
    pub write_bytes: Option<Figure>,
    pub writes_per_s: Option<f64>,
    pub waits: Option<Figure>,
    pub wait_ms: Option<Figure>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct IoByFile {
    pub name: String,
    pub read_bytes: Option<Figure>,
    pub reads_per_s: Option<f64>,
    pub write_bytes: Option<Figure>,
    pub writes_per_s: Option<f64>,
    pub small_read_ms: Option<Figure>,
    pub large_read_ms: Option<Figure>,
}

/// One-block reads of a file by how long they took.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct FileHistogram {
    pub tablespace: String,
    pub file: String,
    /// Reads in 0 to 2 ms, 2 to 4, 4 to 8, 8 to 16, 16 to 32, and 32 or more.
    pub reads: [Option<f64>; 6],
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct BufferPool {
    /// "D", "K", "R", or a block size ("16k").
    pub name: String,
    pub buffers: Option<f64>,
    pub hit_percent: Option<f64>,
    pub gets: Option<f64>,
    pub reads: Option<f64>,
    pub writes: Option<f64>,
    pub free_buffer_waits: Option<f64>,
    pub write_complete_waits: Option<f64>,
    pub buffer_busy_waits: Option<f64>,
}
