//! The figures of a scan, before any comparison.

use serde::Serialize;

use crate::experiment::measured;

/// One scan. Times are the model's where nothing else is said: seconds of the devices' own time.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Run {
    pub repetition: u32,
    pub elapsed_s: f64,
    /// The same by the machine's clock.
    pub real_s: f64,
    /// Processor time of the session, by the machine's clock.
    pub session_cpu_s: f64,
    /// Processor time of the rest of the process: the cells', and that of the models.
    pub cell_cpu_s: f64,
    pub rows: u64,
    /// Bytes of the segment below its high-water mark.
    pub segment_bytes: u64,
    /// V$SQL's IO_CELL_OFFLOAD_ELIGIBLE_BYTES, IO_INTERCONNECT_BYTES and IO_CELL_OFFLOAD_RETURNED_BYTES.
    pub eligible_bytes: u64,
    pub interconnect_bytes: u64,
    pub returned_bytes: u64,
    /// Requests to the cells for runs of blocks.
    pub scan_requests: u64,
    /// Reads of the disks.
    pub reads: u64,
    /// Sums over all disks.
    pub seek_s: f64,
    pub rotation_s: f64,
    pub transfer_s: f64,
    /// Time of the disks that is none of these: waiting for requests, or for the bus.
    pub idle_s: f64,
    /// Reads that the arm was positioned for, and those that met a head which was reading on, or the memory.
    pub positioned: u64,
    pub streamed: u64,
}

impl Run {
    /// Percent of the eligible bytes that did not cross the interconnect.
    #[must_use]
    pub fn pct_saved(&self) -> f64 {
        100.0 * (self.eligible_bytes as f64 - self.interconnect_bytes as f64) / self.eligible_bytes as f64
    }

    /// Percent of the eligible bytes that came back as rows.
    #[must_use]
    pub fn pct_kept(&self) -> f64 {
        100.0 * self.returned_bytes as f64 / self.eligible_bytes as f64
    }

    /// Megabytes a second of the model's time.
    #[must_use]
    pub fn mb_per_s(&self) -> f64 {
        self.segment_bytes as f64 / 1e6 / self.elapsed_s.max(1e-9)
    }
}

pub type Arm = measured::Arm<Run>;

/// What a disk of the model reads by itself, in its own time: megabytes a second, blocks in order, 1 MB at a time.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize)]
pub struct Rest {
    pub outer_mb_per_s: f64,
    pub inner_mb_per_s: f64,
    pub disks: u32,
}

impl Rest {
    /// How much slower the inner place is, by the model alone.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        self.outer_mb_per_s / self.inner_mb_per_s
    }
}
