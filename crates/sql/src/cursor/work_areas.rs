//! The memory of work areas: what sorts, hash joins and groupings of all sessions hold. V$PGASTAT shows it.
//!
//! It is counted where the operators take it. There is no limit, so no operator writes to temporary files.

use std::fmt;

use common::sync::atomic::{AtomicU64, Ordering};
use datafusion::common::Result;
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};

/// Counts bytes; takes as many as are asked for.
#[derive(Debug, Default)]
pub(crate) struct WorkAreas {
    in_use: AtomicU64,
    most: AtomicU64,
    taken: AtomicU64,
}

impl WorkAreas {
    /// Bytes held now.
    pub(crate) fn in_use(&self) -> u64 {
        self.in_use.load(Ordering::Relaxed)
    }

    /// The most that were held at a time since the instance was opened.
    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// All bytes that were ever taken: what the operators have worked on.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: u64) {
        let now = self.in_use.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.most.fetch_max(now, Ordering::Relaxed);
        self.taken.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl fmt::Display for WorkAreas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of work areas", self.in_use())
    }
}

impl MemoryPool for WorkAreas {
    fn name(&self) -> &'static str {
        "work areas"
    }

    fn grow(&self, _reservation: &MemoryReservation, additional: usize) {
        self.take(additional as u64);
    }

    fn shrink(&self, _reservation: &MemoryReservation, shrink: usize) {
        self.in_use.fetch_sub(shrink as u64, Ordering::Relaxed);
    }

    fn try_grow(&self, _reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.take(additional as u64);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.in_use() as usize
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Infinite
    }
}
