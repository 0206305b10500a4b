//! Enqueues of transactions: waits for other transactions (TX), table locks (TM), and deadlocks.
//!
//! Row locks are in the blocks. A session that meets one waits here for the end of the transaction that holds it.

use std::collections::HashMap;
use std::time::Duration;

use common::sync::{Condvar, Mutex, MutexGuard};
use common::{Error, ErrorKind, Number, ObjectNumber, Result, Rowid, Xid};
use waits::{Enqueue, Event, LatchName, Meter, SegmentStatistic, Statistic};

use super::Worker;
use super::deadlock::{DeadlockedSession, Waited};
use super::waiting::{Wait, Wanted};
use super::{LockWait, TableLock};

/// How long a waiter sleeps between two looks at whether its user has cancelled.
const LOOK_ROUND: Duration = Duration::from_millis(100);

#[cfg(any(test, feature = "testing"))]
common::sync::thread_local! {
    /// What a session of this thread does when it has been woken, before it looks again, for tests.
    pub static WOKEN: std::cell::Cell<Option<Box<dyn Fn()>>> = const { std::cell::Cell::new(None) };
}

#[cfg(any(test, feature = "testing"))]
fn woken(state: &mut MutexGuard<'_, LockTable>) {
    if let Some(work) = WOKEN.take() {
        MutexGuard::unlocked(state, work);
    }
}

/// A table lock that a session holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeldTableLock {
    pub sid: u32,
    pub table: ObjectNumber,
    pub mode: TableLock,
    /// When the session got this mode, on the monotonic clock.
    pub since_us: u64,
}

/// A session that waits for a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waiter {
    pub sid: u32,
    /// The session that it waits for; one of them where several are in its way.
    pub holder: u32,
}

/// What transactions hold to their ends that no block says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Resource {
    /// A row that new rows of other tables refer to: it may not go, nor its key change. Held by many at once.
    Parent(ObjectNumber, Rowid),
    /// A key, as stored, of a unique constraint whose index takes duplicates; by the index. Held by one.
    Key(ObjectNumber, Vec<u8>),
}

/// Mode of a wait for what is held in common (S).
const SHARE_MODE: u64 = 4;

#[derive(Default, Debug)]
pub(super) struct LockTable {
    /// Transactions under way, and their sessions; 0 for one that a crash has left.
    pub(super) active: HashMap<Xid, u32>,
    pub(super) tables: Vec<HeldTableLock>,
    pub(super) resources: HashMap<Resource, Vec<Xid>>,
    /// The resources of each transaction.
    held: HashMap<Xid, Vec<Resource>>,
    /// Sessions that act for others, which do nothing meanwhile: actor and caller.
    acting: Vec<(u32, u32)>,
    /// Each waiting session's wait. It may be over: a session that has been woken takes it out when it runs.
    pub(super) waits: HashMap<u32, Wait>,
}

/// All enqueues of an instance.
#[derive(Default, Debug)]
pub struct Locks {
    state: Mutex<LockTable>,
    released: Condvar,
}

/// What a session is about to wait for, how that is shown, in which mode, and for the sake of which row.
struct Waiting {
    wanted: Wanted,
    waited: Waited,
    mode: u64,
    row: Option<(ObjectNumber, Rowid)>,
    /// By data object: the segment that the row, or the slot, is wanted in.
    segment: Option<ObjectNumber>,
}

/// What a wait is counted as for its segment.
fn of_segment(enqueue: Enqueue) -> Option<SegmentStatistic> {
    match enqueue {
        Enqueue::TxRowLockContention => Some(SegmentStatistic::RowLockWaits),
        Enqueue::TxAllocateItlEntry => Some(SegmentStatistic::ItlWaits),
        _ => None,
    }
}

pub(super) fn compatible(a: TableLock, b: TableLock) -> bool {
    use TableLock::{Exclusive, RowExclusive, RowShare, Share, ShareRowExclusive};
    match (a, b) {
        (Exclusive, _) | (_, Exclusive) => false,
        (RowShare, _) | (_, RowShare) | (RowExclusive, RowExclusive) | (Share, Share) => true,
        (RowExclusive, Share | ShareRowExclusive)
        | (Share, RowExclusive | ShareRowExclusive)
        | (ShareRowExclusive, RowExclusive | Share | ShareRowExclusive) => false,
    }
}

impl TableLock {
    /// True: a session that holds this mode needs no lock in the other one.
    pub(super) fn covers(self, other: Self) -> bool {
        both(self, other) == self
    }
}

/// The mode that covers both.
fn both(a: TableLock, b: TableLock) -> TableLock {
    use TableLock::{RowExclusive, Share, ShareRowExclusive};
    match (a, b) {
        (RowExclusive, Share) | (Share, RowExclusive) => ShareRowExclusive,
        _ => a.max(b),
    }
}

impl LockTable {
    /// A slot has one transaction, and a session too. Resources and transactions name each other as held and holder;
    /// every holder is a transaction under way, and a key has one. Table locks held together are compatible, and a
    /// session has one of a table. Nobody waits for itself, or acts for itself.
    fn check_invariants(&self) -> Result<()> {
        let (mut slots, mut sessions) = (HashMap::new(), HashMap::new());
        for (xid, sid) in &self.active {
            let other = slots.insert((xid.segment, xid.slot), xid);
            invariant!(other.is_none(), "locks: transaction {xid} has its slot beside {other:?}");
            let other = sessions.insert(*sid, xid).filter(|_| *sid != 0);
            invariant!(other.is_none(), "locks: session {sid} has transaction {xid} beside {other:?}");
        }
        for (xid, held) in &self.held {
            invariant!(
                held.is_empty() || self.active.contains_key(xid),
                "locks: transaction {xid} holds something and is not under way"
            );
            let unknown = |resource: &&Resource| !self.resources.get(*resource).is_some_and(|all| all.contains(xid));
            let found = held.iter().find(unknown);
            invariant!(found.is_none(), "locks: transaction {xid} holds {found:?}, which does not know it");
        }
        for (resource, holders) in &self.resources {
            invariant!(!holders.is_empty(), "locks: {resource:?} is held by nobody");
            let unknown = |xid: &&Xid| !self.held.get(*xid).is_some_and(|held| held.contains(resource));
            let found = holders.iter().find(unknown);
            invariant!(found.is_none(), "locks: {resource:?} is held by {found:?}, which does not know it");
            invariant!(
                holders.len() == 1 || matches!(resource, Resource::Parent(..)),
                "locks: {resource:?} is held by several: {holders:?}"
            );
        }
        for (at, one) in self.tables.iter().enumerate() {
            let clashes = |other: &&HeldTableLock| {
                other.table == one.table && (other.sid == one.sid || !compatible(one.mode, other.mode))
            };
            let other = self.tables[..at].iter().find(clashes);
            invariant!(other.is_none(), "locks: {one:?} beside {other:?}");
        }
        for (sid, wait) in &self.waits {
            invariant!(*sid == wait.shown.sid, "locks: the wait of session {sid} is that of {}", wait.shown.sid);
            invariant!(
                !self.holders(*sid, &wait.wanted).contains(sid),
                "locks: session {sid} waits for itself: {wait:?}"
            );
        }
        let alone = self.acting.iter().find(|(actor, caller)| actor == caller);
        invariant!(alone.is_none(), "locks: a session acts for itself: {alone:?}");
        Ok(())
    }

    /// The session that acts for a session: itself, unless another one works for it now.
    pub(super) fn actor(&self, mut sid: u32) -> u32 {
        let mut steps = 0;
        while let Some((actor, _)) = self.acting.iter().rev().find(|(_, caller)| *caller == sid) {
            debug_assert!(steps < self.acting.len(), "sessions act for one another: {:?}", self.acting);
            steps += 1;
            sid = *actor;
        }
        sid
    }

    fn hold(&mut self, xid: Xid, resource: &Resource) -> bool {
        let holders = self.resources.entry(resource.clone()).or_default();
        if holders.contains(&xid) {
            return false;
        }
        debug_assert!(self.active.contains_key(&xid), "transaction {xid} is not under way, and takes {resource:?}");
        holders.push(xid);
        self.held.entry(xid).or_default().push(resource.clone());
        true
    }

    fn forget(&mut self, xid: Xid, resource: &Resource) {
        debug_assert!(self.resources.contains_key(resource), "{resource:?} is given up by {xid}, and nobody holds it");
        if let Some(holders) = self.resources.get_mut(resource) {
            debug_assert!(holders.contains(&xid), "{resource:?} is given up by {xid}, and held by {holders:?}");
            holders.retain(|holder| *holder != xid);
            if holders.is_empty() {
                self.resources.remove(resource);
            }
        }
    }

    /// A transaction other than `xid` that holds the resource.
    fn other_holder(&self, xid: Xid, resource: &Resource) -> Option<Xid> {
        self.resources.get(resource)?.iter().find(|holder| **holder != xid).copied()
    }

    fn mode_of(&self, sid: u32, table: ObjectNumber) -> Option<TableLock> {
        self.tables.iter().find(|held| held.sid == sid && held.table == table).map(|held| held.mode)
    }
}

fn busy() -> Error {
    Error::user(54, "resource busy and acquire with NOWAIT specified or timeout expired")
}

fn deadlock() -> Error {
    Error::new(ErrorKind::User, Number::Ora(60), "deadlock detected while waiting for resource")
}

impl Locks {
    fn state(&self, meter: &Meter) -> MutexGuard<'_, LockTable> {
        meter.latch(LatchName::EnqueueHashChains, &self.state)
    }

    /// From now on the session `actor` works for `caller`, which holds what it holds until that is done.
    pub fn acts_for(&self, actor: u32, caller: u32) {
        debug_assert!(actor != caller, "session {actor} acts for itself");
        let mut state = self.state.lock();
        debug_assert!(state.acting.iter().all(|(other, _)| *other != actor), "session {actor} acts for several");
        state.acting.push((actor, caller));
    }

    /// The session works for another one no more.
    pub fn acts_no_more(&self, actor: u32) {
        self.state.lock().acting.retain(|(other, _)| *other != actor);
    }

    pub fn began(&self, meter: &Meter, xid: Xid, sid: u32) {
        meter.enqueue(Enqueue::TxContention, true);
        let before = self.state(meter).active.insert(xid, sid);
        debug_assert!(before.is_none(), "transaction {xid} of session {sid} is that of {before:?} already");
    }

    /// A transaction has ended: sessions that wait for it look again.
    pub(crate) fn ended(&self, meter: &Meter, xid: Xid) {
        let mut state = self.state(meter);
        let session = state.active.remove(&xid);
        debug_assert!(session.is_some(), "transaction {xid} ends, and was not under way");
        meter.count(Statistic::EnqueueReleases, 1);
        for resource in state.held.remove(&xid).unwrap_or_default() {
            state.forget(xid, &resource);
        }
        if !state.waits.is_empty() {
            self.released.notify_all();
        }
    }

    /// Gives up the table locks of a session.
    pub(crate) fn release_tables(&self, meter: &Meter, sid: u32) {
        let mut state = self.state(meter);
        let before = state.tables.len();
        state.tables.retain(|held| held.sid != sid);
        let released = before - state.tables.len();
        meter.count(Statistic::EnqueueReleases, released as u64);
        if released > 0 && !state.waits.is_empty() {
            self.released.notify_all();
        }
    }

    /// Has waiting sessions look at once whether they can go on.
    pub fn wake(&self) {
        let _state = self.state.lock();
        self.released.notify_all();
    }

    /// Waits for the end of a transaction that has what this session wants.
    ///
    /// # Errors
    /// ORA-00054, ORA-30006 when it is not to be waited for (so long), ORA-00060 in a deadlock, ORA-01013 when the user
    /// cancels.
    pub fn wait_for(&self, s: &Worker, xid: Xid, wait: LockWait, event: Event, mode: u64) -> Result<()> {
        self.wait_for_end(s, xid, wait, (event, mode), None, None)
    }

    /// As [`Locks::wait_for`], for the sake of something in a segment, by its data object.
    pub(crate) fn wait_for_in(
        &self,
        s: &Worker,
        xid: Xid,
        segment: ObjectNumber,
        wait: LockWait,
        (event, mode): (Event, u64),
    ) -> Result<()> {
        self.wait_for_end(s, xid, wait, (event, mode), None, Some(segment))
    }

    /// As [`Locks::wait_for`]; `row` is the row, of an object, that is wanted.
    pub(crate) fn wait_for_row(
        &self,
        s: &Worker,
        xid: Xid,
        wait: LockWait,
        how: (Event, u64),
        row: (ObjectNumber, Rowid),
    ) -> Result<()> {
        self.wait_for_end(s, xid, wait, how, Some(row), Some(row.1.data_object))
    }

    fn wait_for_end(
        &self,
        s: &Worker,
        xid: Xid,
        wait: LockWait,
        (event, mode): (Event, u64),
        row: Option<(ObjectNumber, Rowid)>,
        segment: Option<ObjectNumber>,
    ) -> Result<()> {
        let enqueue = Enqueue::of(event).unwrap_or(Enqueue::TxContention);
        let at = [
            enqueue.name_mode(mode as u16),
            (u64::from(xid.segment) << 16) | u64::from(xid.slot),
            u64::from(xid.sequence),
        ];
        let waiting = Waiting { wanted: Wanted::End(xid), waited: Waited::Transaction(xid), mode, row, segment };
        self.wait(s, wait, (enqueue, at), &waiting).map(drop)
    }

    /// Holds a resource in common with others; false when the transaction has it already.
    pub fn share(&self, meter: &Meter, xid: Xid, resource: &Resource) -> bool {
        self.state(meter).hold(xid, resource)
    }

    /// Gives up what [`Locks::share`] took.
    pub fn unshare(&self, meter: &Meter, xid: Xid, resource: &Resource) {
        let mut state = self.state(meter);
        state.forget(xid, resource);
        if let Some(held) = state.held.get_mut(&xid)
            && let Some(at) = held.iter().rposition(|other| other == resource)
        {
            held.swap_remove(at);
            debug_assert!(!held.contains(resource), "transaction {xid} holds {resource:?} twice");
        }
        if !state.waits.is_empty() {
            self.released.notify_all();
        }
    }

    /// Waits until no other transaction holds the resource.
    ///
    /// # Errors
    /// ORA-00060 in a deadlock, ORA-01013 when the user cancels.
    pub fn wait_unheld(&self, s: &Worker, xid: Xid, resource: &Resource) -> Result<()> {
        let Some(other) = self.state(s.meter()).other_holder(xid, resource) else { return Ok(()) };
        let at = [
            Enqueue::TxRowLockContention.name_mode(SHARE_MODE as u16),
            (u64::from(other.segment) << 16) | u64::from(other.slot),
            u64::from(other.sequence),
        ];
        let wanted = Wanted::Unheld(xid, resource.clone());
        let waiting =
            Waiting { wanted, waited: Waited::Transaction(other), mode: SHARE_MODE, row: None, segment: None };
        self.wait(s, LockWait::Forever, (Enqueue::TxRowLockContention, at), &waiting).map(drop)
    }

    /// Holds a resource alone.
    ///
    /// # Errors
    /// As [`Locks::wait_unheld`].
    pub fn claim(&self, s: &Worker, xid: Xid, resource: &Resource) -> Result<()> {
        loop {
            {
                let mut state = self.state(s.meter());
                if state.other_holder(xid, resource).is_none() {
                    state.hold(xid, resource);
                    debug_assert!(state.other_holder(xid, resource).is_none(), "{resource:?} is held alone");
                    return Ok(());
                }
            }
            self.wait_unheld(s, xid, resource)?;
        }
    }

    /// Takes a table lock, or makes the one that is held stronger. Returns the mode that is held now.
    ///
    /// # Errors
    /// As [`Locks::wait_for`].
    pub(crate) fn lock_table(
        &self,
        s: &Worker,
        table: ObjectNumber,
        mode: TableLock,
        wait: LockWait,
    ) -> Result<TableLock> {
        let (sid, clock) = (s.sid(), s.meter().clock());
        let at = [Enqueue::TmContention.name_mode(mode as u16), u64::from(table.0), 0];
        let mut waited = false;
        loop {
            let wanted = {
                let mut state = self.state(s.meter());
                let held = state.mode_of(sid, table);
                let wanted = held.map_or(mode, |held| both(held, mode));
                debug_assert!(wanted >= mode && held.is_none_or(|held| wanted >= held), "{wanted:?} covers both");
                if held == Some(wanted) {
                    return Ok(wanted);
                }
                if state.holders(sid, &Wanted::Table(table, wanted)).is_empty() {
                    state.tables.retain(|lock| lock.sid != sid || lock.table != table);
                    let since_us = clock.monotonic_us();
                    debug_assert!(state.mode_of(sid, table).is_none(), "a session has one lock of a table");
                    state.tables.push(HeldTableLock { sid, table, mode: wanted, since_us });
                    match held {
                        Some(_) => s.meter().count(Statistic::EnqueueConversions, 1),
                        // One that had to wait was counted with its wait.
                        None if waited => {}
                        None => s.meter().enqueue(Enqueue::TmContention, true),
                    }
                    return Ok(wanted);
                }
                wanted
            };
            let mode = wanted as u64;
            let wanted = Wanted::Table(table, wanted);
            let waiting = Waiting { wanted, waited: Waited::Table(table), mode, row: None, segment: None };
            waited |= self.wait(s, wait, (Enqueue::TmContention, at), &waiting)?;
        }
    }

    /// Waits while there is a holder. Whether there was one; a request that was waited for, or given up, has then been
    /// counted.
    fn wait(
        &self,
        s: &Worker,
        wait: LockWait,
        (enqueue, at): (Enqueue, [u64; 3]),
        Waiting { wanted, waited, mode, row, segment }: &Waiting,
    ) -> Result<bool> {
        let (sid, clock) = (s.sid(), s.meter().clock().clone());
        let start = clock.monotonic_us();
        if self.state(s.meter()).holders(sid, wanted).is_empty() {
            return Ok(false);
        }
        if matches!(wait, LockWait::NoWait | LockWait::SkipLocked) {
            s.meter().enqueue(enqueue, false);
            return Err(busy());
        }
        if let (Some(segment), Some(statistic)) = (segment, of_segment(enqueue)) {
            s.meter().segment(*segment, statistic, 1);
        }
        let object = row.map_or(-1, |(object, _)| i64::from(object.0));
        let result = s.meter().wait(enqueue.event(), at, object, || {
            let mut state = self.state.lock();
            let result = loop {
                let Some(holder) = state.holders(sid, wanted).first().copied() else { break Ok(()) };
                debug_assert!(holder != sid, "session {sid} waits for itself: {wanted:?}");
                let left = match wait {
                    LockWait::Seconds(seconds) => {
                        let spent = clock.monotonic_us() - start;
                        Duration::from_micros(seconds.saturating_mul(1_000_000).saturating_sub(spent))
                    }
                    _ => LOOK_ROUND,
                };
                if left.is_zero() {
                    break Err(Error::user(30006, "resource busy; acquire with WAIT timeout expired"));
                }
                let shown = DeadlockedSession {
                    sid,
                    waited: *waited,
                    mode: *mode,
                    holder,
                    row: row.map(|(_, rowid)| rowid),
                    object: row.map(|(object, _)| object),
                    statement: s.client().statement(),
                };
                let this = Wait { wanted: wanted.clone(), shown };
                if let Some(circle) = state.circle(&this) {
                    s.meter().count(Statistic::EnqueueDeadlocks, 1);
                    s.note_deadlock(circle);
                    break Err(deadlock());
                }
                if s.store().redo().is_inline() {
                    // All sessions are this thread's: nobody could ever end the wait.
                    break Err(busy());
                }
                state.waits.insert(sid, this);
                self.released.wait_for(&mut state, left.min(LOOK_ROUND));
                #[cfg(any(test, feature = "testing"))]
                woken(&mut state);
                // Of an instance that has stopped no session gives its locks up.
                if let Err(error) = s.check_cancelled().and_then(|()| s.store().health().check()) {
                    break Err(error);
                }
            };
            let this = state.waits.remove(&sid);
            debug_assert!(
                this.is_none_or(|this| this.shown.sid == sid && this.wanted == *wanted),
                "another one's wait"
            );
            result
        });
        s.meter().enqueue(enqueue, result.is_ok());
        result.map(|()| true)
    }

    /// What is true of the locks at any moment: for tests and the simulator.
    ///
    /// # Errors
    /// ORA-00600 with what is not so.
    pub fn check_invariants(&self) -> Result<()> {
        self.state.lock().check_invariants()
    }

    /// Table locks that are held, for V$LOCK.
    #[must_use]
    pub fn tables(&self) -> Vec<HeldTableLock> {
        self.state.lock().tables.clone()
    }

    /// Sessions that wait, for V$LOCK and V$SESSION.
    #[must_use]
    pub fn waiters(&self) -> Vec<Waiter> {
        let state = self.state.lock();
        let waiter = |(sid, wait): (&u32, &Wait)| {
            let holder = state.holders(*sid, &wait.wanted).first().copied()?;
            Some(Waiter { sid: *sid, holder })
        };
        state.waits.iter().filter_map(waiter).collect()
    }

    /// Transactions under way and their sessions.
    #[must_use]
    pub fn transactions(&self) -> Vec<(Xid, u32)> {
        self.state.lock().active.iter().map(|(xid, sid)| (*xid, *sid)).collect()
    }
}

#[cfg(test)]
mod tests {
    use common::{BlockAddress, FileNumber};

    use super::*;

    const ONE: Xid = Xid { segment: 1, slot: 2, sequence: 3 };
    const TWO: Xid = Xid { segment: 1, slot: 5, sequence: 3 };

    /// Two transactions under way that hold a row together and a key each.
    fn sound() -> LockTable {
        let mut state = LockTable::default();
        state.active.extend([(ONE, 11), (TWO, 12)]);
        let row = Rowid { data_object: ObjectNumber(7), block: BlockAddress::new(FileNumber(3), 9), slot: 1 };
        for xid in [ONE, TWO] {
            assert!(state.hold(xid, &Resource::Parent(ObjectNumber(7), row)));
        }
        assert!(state.hold(ONE, &Resource::Key(ObjectNumber(8), vec![1])));
        let lock = |sid, mode| HeldTableLock { sid, table: ObjectNumber(7), mode, since_us: 0 };
        state.tables.extend([lock(11, TableLock::RowExclusive), lock(12, TableLock::RowExclusive)]);
        state.check_invariants().unwrap();
        state
    }

    fn broken(change: impl FnOnce(&mut LockTable)) -> String {
        let mut state = sound();
        change(&mut state);
        state.check_invariants().unwrap_err().text
    }

    #[test]
    fn broken_locks_are_seen() {
        let said = broken(|state| state.active.extend([(Xid { sequence: 4, ..ONE }, 13)]));
        assert!(said.contains("has its slot beside"), "{said}");
        let said = broken(|state| state.active.extend([(Xid { slot: 9, ..ONE }, 11)]));
        assert!(said.contains("session 11 has transaction"), "{said}");
        let said = broken(|state| state.active.retain(|xid, _| *xid != ONE));
        assert!(said.contains("and is not under way"), "{said}");
        let said = broken(|state| drop(state.held.remove(&ONE)));
        assert!(said.contains("which does not know it"), "{said}");
        let said = broken(|state| state.tables[1].mode = TableLock::Exclusive);
        assert!(said.contains("beside"), "{said}");
        let said = broken(|state| state.tables[1].sid = 11);
        assert!(said.contains("beside"), "{said}");
        let said = broken(|state| assert!(state.hold(TWO, &Resource::Key(ObjectNumber(8), vec![1]))));
        assert!(said.contains("is held by several"), "{said}");
        let said = broken(|state| state.acting.push((11, 11)));
        assert!(said.contains("acts for itself"), "{said}");
    }

    #[test]
    fn two_modes_are_compatible_both_ways_round() {
        use TableLock::{Exclusive, RowExclusive, RowShare, Share, ShareRowExclusive};
        let all = [RowShare, RowExclusive, Share, ShareRowExclusive, Exclusive];
        for a in all {
            for b in all {
                assert_eq!(compatible(a, b), compatible(b, a), "{a:?} {b:?}");
                // What covers both is in the way of all that one of them is in the way of.
                let covers = both(a, b);
                assert!(all.iter().all(|c| !compatible(covers, *c) || (compatible(a, *c) && compatible(b, *c))));
            }
        }
    }
}
