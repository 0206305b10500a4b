//! Values of sequences, taken by sessions. [`crate::dictionary`] has the cache.

use std::sync::Arc;

use common::{Error, ErrorKind, Result};
use waits::Enqueue;

use super::session::Session;
use crate::dictionary::SequenceDef;
use crate::dictionary::access::{equal, select, update_row};
use crate::dictionary::field::damaged;
use crate::dictionary::privilege::no_sequence;
use crate::dictionary::rows::{DictionaryRow, SequenceRow};
use crate::dictionary::sequence::SequenceCache;
use storage::txn::CommitWrite;

/// Mode in which the values of a sequence are taken.
const EXCLUSIVE: u16 = 6;

impl Session {
    /// Takes `count` values of a sequence, in order. The caller checks the privilege.
    ///
    /// # Errors
    /// ORA-08004 at the sequence's end, ORA-02289 when it was dropped meanwhile; those of changing the dictionary.
    /// Values given before stay given.
    pub fn sequence_values(
        self: &Arc<Self>,
        sequence: &SequenceDef,
        count: usize,
        mut give: impl FnMut(i128),
    ) -> Result<()> {
        let object = sequence.object.0;
        let (at, lock) = ([u64::from(object), 0], &sequence.state.lock_of_values());
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
            debug_assert!(live.settings.contains(live.next), "{} is no value: {:?}", live.next, live.settings);
            give(live.next);
            live.next += live.settings.increment;
            live.left -= 1;
        }
        Ok(())
    }

    /// Moves the next values from the dictionary to the cache.
    fn refill(self: &Arc<Self>, sequence: &SequenceDef, live: &mut SequenceCache) -> Result<()> {
        let settings = live.settings;
        let mut start = live.highwater;
        if !settings.contains(start) {
            if !settings.cycle {
                return Err(exhausted(sequence, settings.increment > 0));
            }
            start = settings.first();
        }
        let count = settings.values_from(start).min(u128::from(settings.cache.max(1)));
        debug_assert!(count > 0 && settings.contains(start), "{count} values from {start}: {settings:?}");
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
        // A transaction of its own, independent of the caller's. A later durable commit has it before it in the log, so
        // there is no need to wait: no value that a commit keeps is given again.
        let own = self.instance().connect_recursive()?;
        loop {
            let rows = select::<SequenceRow>(&own, &table, &equal("OBJ#", sequence.object.0)?)?;
            let Some((rowid, row)) = rows.into_iter().next() else {
                return Err(no_sequence(&sequence.owner, &sequence.name));
            };
            match update_row(&own, &table, rowid, &SequenceRow { highwater, ..row }.encode()?) {
                Ok(()) => break,
                // ALTER SEQUENCE has changed the row meanwhile: it is read again.
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
