//! Snapshots: the view of a statement or a transaction.

use std::collections::BTreeMap;
use std::fmt;

use common::sync::{Arc, Mutex, MutexGuard};
use common::{BlockAddress, Clock, Result, Scn, Uba, Xid};
use waits::{LatchName, Meter};

/// A place among a transaction's undo records, in the order in which they were written; (0, 0) is before the first.
pub(crate) type Place = (u32, u8);

/// A transaction, and the order of its undo blocks, which gives the order of its records.
#[derive(Debug)]
pub(crate) struct Identity {
    pub(crate) xid: Xid,
    blocks: Mutex<Vec<BlockAddress>>,
}

impl Identity {
    pub(crate) fn new(xid: Xid) -> Arc<Self> {
        Arc::new(Self { xid, blocks: Mutex::default() })
    }

    /// Notes a record that was just written.
    pub(crate) fn note(&self, uba: Uba) -> Place {
        let mut blocks = self.blocks.lock();
        if blocks.last() != Some(&uba.block) {
            blocks.push(uba.block);
        }
        debug_assert!(uba.record < u8::MAX && !uba.is_none(), "{uba} is no record of {}", self.xid);
        (blocks.len() as u32, uba.record + 1)
    }

    /// Place of a record; (0, 0) for none.
    pub(crate) fn place(&self, uba: Uba) -> Place {
        if uba.is_none() {
            return (0, 0);
        }
        let blocks = self.blocks.lock();
        let at = blocks.iter().rposition(|block| *block == uba.block).map_or(0, |at| at + 1);
        (at as u32, uba.record + 1)
    }
}

/// The snapshots in use, by SCN. Undo of commits before the oldest of them is not needed.
#[derive(Debug)]
pub(crate) struct Snapshots {
    in_use: Mutex<InUse>,
    clock: Arc<dyn Clock>,
}

#[derive(Default, Debug)]
struct InUse {
    by_scn: BTreeMap<u64, usize>,
    /// Number of statements by their begin, in microseconds of the monotonic clock.
    by_begin: BTreeMap<u64, usize>,
    /// Longest statement that has ended since this was last read.
    longest_us: u64,
}

impl Snapshots {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { in_use: Mutex::default(), clock }
    }

    fn in_use(&self, meter: &Meter) -> MutexGuard<'_, InUse> {
        meter.latch(LatchName::ActiveSnapshots, &self.in_use)
    }

    /// Checks that no count of snapshots in use is 0, and that statements are not more than snapshots.
    ///
    /// # Errors
    /// ORA-00600 with the registry.
    pub(crate) fn check_invariants(&self) -> Result<()> {
        let in_use = self.in_use.lock();
        let none = in_use.by_scn.values().chain(in_use.by_begin.values()).any(|count| *count == 0);
        let (all, statements): (usize, usize) = (in_use.by_scn.values().sum(), in_use.by_begin.values().sum());
        invariant!(!none, "snapshots: nobody has one that is in use: {in_use:?}");
        invariant!(statements <= all, "snapshots: {statements} statements have {all}: {in_use:?}");
        Ok(())
    }

    /// The SCN of the oldest snapshot in use.
    pub(crate) fn oldest(&self, meter: &Meter) -> Option<Scn> {
        self.in_use(meter).by_scn.keys().next().copied().map(Scn)
    }

    /// Two times in microseconds: the running time so far of the oldest statement, and the running time of the longest
    /// statement that has ended since the last call.
    pub(crate) fn longest_us(&self, meter: &Meter) -> (u64, u64) {
        let now = self.clock.monotonic_us();
        let mut in_use = self.in_use(meter);
        let running = in_use.by_begin.keys().next().map_or(0, |begun| now.saturating_sub(*begun));
        (running, std::mem::take(&mut in_use.longest_us))
    }
}

fn forget(map: &mut BTreeMap<u64, usize>, key: u64) {
    debug_assert!(map.contains_key(&key), "{key} is not in use: {map:?}");
    if let Some(count) = map.get_mut(&key) {
        debug_assert!(*count > 0, "{key} is in use by nobody: {map:?}");
        *count -= 1;
        if *count == 0 {
            map.remove(&key);
        }
    }
}

/// A view of the database: everything committed at an SCN, and the changes that the own transaction had made by then.
pub struct Snapshot {
    scn: Scn,
    own: Option<(Arc<Identity>, Place)>,
    /// Begin of the statement, in microseconds of the monotonic clock; None for a transaction's snapshot.
    begun_us: Option<u64>,
    all: Arc<Snapshots>,
    /// The session's counters.
    meter: Arc<Meter>,
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Snapshot({})", self.scn.0)
    }
}

impl Snapshot {
    /// Calls `scn` while the registry is locked, so that no other session finds that SCN unneeded meanwhile.
    pub(crate) fn new(
        all: &Arc<Snapshots>,
        meter: &Arc<Meter>,
        scn: &dyn Fn() -> Scn,
        own: Option<(Arc<Identity>, Place)>,
    ) -> Arc<Self> {
        Self::begun(all, meter, scn, own, None)
    }

    /// As [`Snapshot::new`], for a statement that begins.
    pub(crate) fn of_statement(
        all: &Arc<Snapshots>,
        meter: &Arc<Meter>,
        scn: &dyn Fn() -> Scn,
        own: Option<(Arc<Identity>, Place)>,
    ) -> Arc<Self> {
        Self::begun(all, meter, scn, own, Some(all.clock.monotonic_us()))
    }

    fn begun(
        all: &Arc<Snapshots>,
        meter: &Arc<Meter>,
        scn: &dyn Fn() -> Scn,
        own: Option<(Arc<Identity>, Place)>,
        begun_us: Option<u64>,
    ) -> Arc<Self> {
        let mut in_use = all.in_use(meter);
        let scn = scn();
        debug_assert!(own.as_ref().is_none_or(|(_, place)| *place == (0, 0) || place.1 > 0), "a place within no block");
        *in_use.by_scn.entry(scn.0).or_default() += 1;
        if let Some(begun) = begun_us {
            *in_use.by_begin.entry(begun).or_default() += 1;
        }
        Arc::new(Self { scn, own, begun_us, all: all.clone(), meter: meter.clone() })
    }

    #[must_use]
    pub fn scn(&self) -> Scn {
        self.scn
    }

    /// The own transaction: the session's transaction when the snapshot was taken.
    pub(crate) fn own(&self) -> Option<Xid> {
        self.own.as_ref().map(|(identity, _)| identity.xid)
    }

    /// True: the snapshot sees the change of this undo record of its own transaction. None for another transaction.
    pub(crate) fn sees_own(&self, xid: Xid, uba: Uba) -> Option<bool> {
        let (identity, limit) = self.own.as_ref()?;
        (identity.xid == xid).then(|| identity.place(uba) <= *limit)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        let ended_us = self.begun_us.map_or(0, |begun| self.all.clock.monotonic_us().saturating_sub(begun));
        let mut in_use = self.all.in_use(&self.meter);
        forget(&mut in_use.by_scn, self.scn.0);
        if let Some(begun) = self.begun_us {
            forget(&mut in_use.by_begin, begun);
            in_use.longest_us = in_use.longest_us.max(ended_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use common::SystemClock;

    use super::*;

    #[test]
    fn a_broken_registry_is_seen() {
        let all = Snapshots::new(Arc::new(SystemClock::default()));
        all.in_use.lock().by_scn.insert(7, 1);
        all.check_invariants().unwrap();
        all.in_use.lock().by_begin.insert(3, 2);
        assert!(all.check_invariants().unwrap_err().text.contains("2 statements have 1"));
        all.in_use.lock().by_begin.insert(3, 0);
        assert!(all.check_invariants().unwrap_err().text.contains("nobody has one"));
    }
}
