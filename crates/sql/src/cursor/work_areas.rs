//! Work areas: memory of sorts, hash joins and groupings of all sessions. V$PGASTAT shows it.
//!
//! Memory is counted where the operators allocate it. Beyond PGA_AGGREGATE_LIMIT an operator gets none, and its
//! statement fails with ORA-04030: there are no temporary files to spill to. The same happens near the end of the
//! process's address space (`address_space.rs`).

use std::fmt;
use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryLimit, MemoryPool, MemoryReservation};
use engine::instance::Instance;
use storage::parameters::Parameter;

use super::address_space;
use crate::error::to_datafusion;

/// Counts bytes, and grants them up to the limit.
#[derive(Debug)]
pub(crate) struct WorkAreas {
    instance: Arc<Instance>,
    in_use: AtomicU64,
    most: AtomicU64,
    taken: AtomicU64,
}

impl WorkAreas {
    pub(crate) fn new(instance: Arc<Instance>) -> Self {
        Self { instance, in_use: AtomicU64::new(0), most: AtomicU64::new(0), taken: AtomicU64::new(0) }
    }

    /// PGA_AGGREGATE_LIMIT now; ALTER SYSTEM may have set it to 0, for none.
    fn limit(&self) -> u64 {
        match u64::try_from(self.instance.parameters().integer(Parameter::PgaAggregateLimit)) {
            Ok(0) | Err(_) => u64::MAX,
            Ok(limit) => limit,
        }
    }

    /// Bytes held now.
    pub(crate) fn in_use(&self) -> u64 {
        self.in_use.load(Ordering::Relaxed)
    }

    /// The maximum held since the instance was opened.
    pub(crate) fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }

    /// All bytes ever allocated: the data that operators have processed.
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Also beyond the limit, for operators that allocate without asking.
    fn take(&self, bytes: u64) {
        let now = self.in_use.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.count(now, bytes);
    }

    fn count(&self, now: u64, bytes: u64) {
        self.most.fetch_max(now, Ordering::Relaxed);
        self.taken.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Allocates if the limit allows it.
    fn take_within(&self, bytes: u64, limit: u64) -> std::result::Result<(), u64> {
        let more = |now: u64| now.checked_add(bytes).filter(|sum| *sum <= limit);
        let before = self.in_use.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more)?;
        self.count(before + bytes, bytes);
        Ok(())
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

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        // An operator that converts its data, to sort it or into a larger table, holds both forms for a while.
        address_space::check((additional + reservation.size()) as u64).map_err(to_datafusion)?;
        let limit = self.limit();
        self.take_within(additional as u64, limit).map_err(|held| {
            let operator = reservation.consumer().name();
            DataFusionError::ResourcesExhausted(format!(
                "{additional} bytes for {operator}; all work areas hold {held}, pga_aggregate_limit is {limit}"
            ))
        })
    }

    fn reserved(&self) -> usize {
        self.in_use() as usize
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(usize::try_from(self.limit()).unwrap_or(usize::MAX))
    }
}
