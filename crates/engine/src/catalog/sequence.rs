//! Sequences at work: values from a cache in memory, refilled from the dictionary.
//!
//! ```text
//! SEQ$.HIGHWATER = 41      values up to 40 are given out or in the cache
//! cache: next 23, left 18  23 … 40
//! ```
//!
//! Invariants:
//!
//! 1. A value is given once: under the sequence's lock, from a cache whose values lie behind HIGHWATER. A refill moves HIGHWATER first.
//! 2. The refill is a change of its own: it stands whatever becomes of the statement or transaction that wanted the value.
//! 3. After a restart the cache is empty and values go on at HIGHWATER: what was in the cache is lost, nothing comes twice.
//!
//! Locking: DDL latch -> sequence -> what the buffer cache takes. Taking values never takes the DDL latch.

use std::fmt;
use std::sync::Arc;

use common::sync::{Mutex, MutexGuard};
use common::{Error, ErrorKind, ObjectNumber, Result};
use waits::Enqueue;

use super::dictionary::{equal, select, update_row};
use super::field::damaged;
use super::privilege::no_sequence;
use super::rows::{DictionaryRow, SequenceRow};
use crate::instance::Session;
use storage::txn::CommitWrite;

/// Mode in which the values of a sequence are taken.
const EXCLUSIVE: u16 = 6;

/// What a sequence does; every value has at most 28 digits.
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
    /// Where a run of values begins.
    pub(super) fn first(&self) -> i128 {
        if self.increment > 0 { self.minimum } else { self.maximum }
    }

    pub(super) fn contains(&self, value: i128) -> bool {
        (self.minimum..=self.maximum).contains(&value)
    }

    /// Values from `start` to the end of the run.
    pub(super) fn values_from(&self, start: i128) -> u128 {
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
    pub(super) state: Arc<SequenceState>,
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
pub(super) struct SequenceState {
    live: Mutex<Live>,
}

/// What is behind a sequence's lock.
pub(super) struct Live {
    pub(super) settings: SequenceSettings,
    /// The value that comes next, while some are left.
    pub(super) next: i128,
    pub(super) left: u128,
    /// As SEQ$ has it.
    pub(super) highwater: i128,
    ended: bool,
}

impl Live {
    /// The value that comes next, whether it is cached or not.
    pub(super) fn upcoming(&self) -> i128 {
        if self.left > 0 { self.next } else { self.highwater }
    }

    /// The cache's values are given up; values go on at `highwater`, which SEQ$ has already.
    pub(super) fn reset(&mut self, settings: SequenceSettings, highwater: i128) {
        *self = Self { settings, next: highwater, left: 0, highwater, ended: self.ended };
    }
}

impl SequenceState {
    pub(super) fn new(settings: SequenceSettings, highwater: i128) -> Arc<Self> {
        let live = Live { settings, next: highwater, left: 0, highwater, ended: false };
        Arc::new(Self { live: Mutex::new(live) })
    }

    /// Keeps sessions from taking values.
    pub(super) fn hold(&self) -> MutexGuard<'_, Live> {
        self.live.lock()
    }

    /// The sequence was dropped.
    pub(super) fn end(&self) {
        self.live.lock().ended = true;
    }
}

impl Session {
    /// Takes `count` values of a sequence, in order. Whether the user may is the caller's to check.
    ///
    /// # Errors
    /// ORA-08004 at the sequence's end, ORA-02289 when it was dropped meanwhile; those of changing the dictionary. Values that were given before
    /// stay given.
    pub fn sequence_values(
        self: &Arc<Self>,
        sequence: &SequenceDef,
        count: usize,
        mut give: impl FnMut(i128),
    ) -> Result<()> {
        let object = sequence.object.0;
        let (at, lock) = ([u64::from(object), 0], &sequence.state.live);
        let (try_take, take) = (|| lock.try_lock(), || lock.lock());
        let mut live =
            self.meter().take_enqueue(Enqueue::SqContention, EXCLUSIVE, at, i64::from(object), try_take, take);
        for _ in 0..count {
            if live.ended {
                return Err(no_sequence(&sequence.owner, &sequence.name));
            }
            if live.left == 0 {
                self.refill(sequence, &mut live)?;
            }
            give(live.next);
            live.next += live.settings.increment;
            live.left -= 1;
        }
        Ok(())
    }

    /// Hands the next values from the dictionary to the cache.
    fn refill(self: &Arc<Self>, sequence: &SequenceDef, live: &mut Live) -> Result<()> {
        let settings = live.settings;
        let mut start = live.highwater;
        if !settings.contains(start) {
            if !settings.cycle {
                return Err(exhausted(sequence, settings.increment > 0));
            }
            start = settings.first();
        }
        let count = settings.values_from(start).min(u128::from(settings.cache.max(1)));
        let span = i128::try_from(count).map_err(|_| Error::bug("a sequence's cache is too large"))?;
        let highwater = start + span * settings.increment;
        self.move_highwater(sequence, highwater)?;
        (live.next, live.left, live.highwater) = (start, count, highwater);
        Ok(())
    }

    /// Invariant 2: a row change that belongs to no statement.
    fn move_highwater(self: &Arc<Self>, sequence: &SequenceDef, highwater: i128) -> Result<()> {
        let table = self
            .catalog()
            .table_by_number(SequenceRow::TABLE.object)
            .cloned()
            .ok_or_else(|| damaged("a table of its own is missing"))?;
        // A transaction of its own: it stands whatever becomes of the caller's. A commit that is durable has it before it in the log, so there is no
        // need to wait: no value that anybody keeps is given again.
        let own = self.instance().connect_recursive()?;
        loop {
            let rows = select::<SequenceRow>(&own, &table, &equal("OBJ#", sequence.object.0)?)?;
            let Some((rowid, row)) = rows.into_iter().next() else {
                return Err(no_sequence(&sequence.owner, &sequence.name));
            };
            match update_row(&own, &table, rowid, &SequenceRow { highwater, ..row }.encode()?) {
                Ok(()) => break,
                // ALTER SEQUENCE has changed the row meanwhile: what it wrote is read again.
                Err(error) if error.kind == ErrorKind::Retry => own.rollback()?,
                Err(error) => return Err(error),
            }
        }
        own.commit(CommitWrite { no_wait: true, batch: true })
    }
}

fn exhausted(sequence: &SequenceDef, ascending: bool) -> Error {
    let how = if ascending { "exceeds MAXVALUE" } else { "goes below MINVALUE" };
    Error::user(8004, format!("sequence {}.NEXTVAL {how} and cannot be instantiated", sequence.name))
}
