//! Sequences at work: values from a cache in memory, refilled from the dictionary.
//!
//! ```text
//! SEQ$.HIGHWATER = 41      values up to 40 are given out or in the cache
//! cache: next 23, left 18  23 … 40
//! ```
//!
//! Invariants:
//!
//! 1. A value is given once: under the sequence's lock, from a cache whose values lie behind HIGHWATER. A refill moves
//!    HIGHWATER first.
//! 2. The refill is a change of its own: it stands whether the requesting statement or transaction commits or not.
//! 3. After a restart the cache is empty and values go on at HIGHWATER: cached values are lost, none comes twice.
//!
//! Locking: DDL latch -> sequence -> what the buffer cache takes. Taking values never takes the DDL latch.

use std::fmt;
use std::sync::Arc;

use common::ObjectNumber;
use common::sync::{Mutex, MutexGuard};

/// Settings of a sequence; every value has at most 28 digits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SequenceSettings {
    /// Never 0.
    pub increment: i128,
    pub minimum: i128,
    pub maximum: i128,
    pub cycle: bool,
    /// Kept for the dictionary: one instance gives values in order anyway.
    pub order: bool,
    /// Values a refill; 0 for NOCACHE.
    pub cache: u64,
}

impl SequenceSettings {
    /// First value of a run of values.
    pub(crate) fn first(&self) -> i128 {
        if self.increment > 0 { self.minimum } else { self.maximum }
    }

    pub(crate) fn contains(&self, value: i128) -> bool {
        (self.minimum..=self.maximum).contains(&value)
    }

    /// Values from `start` to the end of the run.
    pub(crate) fn values_from(&self, start: i128) -> u128 {
        let last = if self.increment > 0 { self.maximum } else { self.minimum };
        last.abs_diff(start) / self.increment.unsigned_abs() + 1
    }
}

/// A sequence.
#[derive(Clone)]
pub struct SequenceDef {
    pub object: ObjectNumber,
    pub owner: String,
    pub name: String,
    pub settings: SequenceSettings,
    /// Wall time, microseconds since 1970.
    pub created_us: u64,
    pub changed_us: u64,
    pub(crate) state: Arc<SequenceState>,
}

impl SequenceDef {
    /// The first value that the dictionary has not handed to a cache.
    #[must_use]
    pub fn last_number(&self) -> i128 {
        self.state.live.lock().highwater
    }

    /// `OWNER.NAME`, for messages.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}.{}", self.owner, self.name)
    }
}

impl fmt::Debug for SequenceDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SequenceDef")
            .field("object", &self.object)
            .field("owner", &self.owner)
            .field("name", &self.name)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// The cache of one sequence; all definitions of the sequence share it.
pub(crate) struct SequenceState {
    live: Mutex<SequenceCache>,
}

/// The part of a sequence under its lock.
pub(crate) struct SequenceCache {
    pub(crate) settings: SequenceSettings,
    /// The next value, while cached values are left.
    pub(crate) next: i128,
    pub(crate) left: u128,
    /// HIGHWATER in SEQ$.
    pub(crate) highwater: i128,
    pub(crate) ended: bool,
}

impl SequenceCache {
    /// The next value, cached or not.
    pub(crate) fn upcoming(&self) -> i128 {
        if self.left > 0 { self.next } else { self.highwater }
    }

    /// Drops the cached values; the next is `highwater`, which SEQ$ has already.
    pub(crate) fn reset(&mut self, settings: SequenceSettings, highwater: i128) {
        *self = Self { settings, next: highwater, left: 0, highwater, ended: self.ended };
    }
}

impl SequenceState {
    pub(crate) fn new(settings: SequenceSettings, highwater: i128) -> Arc<Self> {
        let live = SequenceCache { settings, next: highwater, left: 0, highwater, ended: false };
        Arc::new(Self { live: Mutex::new(live) })
    }

    /// The lock under which values are taken.
    pub(crate) fn lock_of_values(&self) -> &Mutex<SequenceCache> {
        &self.live
    }

    /// Keeps sessions from taking values.
    pub(crate) fn hold(&self) -> MutexGuard<'_, SequenceCache> {
        self.live.lock()
    }

    /// The sequence was dropped.
    pub(crate) fn end(&self) {
        self.live.lock().ended = true;
    }
}
