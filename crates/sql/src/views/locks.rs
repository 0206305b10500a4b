//! Enqueues: V$LOCK, and the waits of sessions for one.

use engine::instance::Instance;
use storage::txn::Waiter;

use super::transactions::live;
use super::view::{Column, Table, View, ViewContext, maybe, n, number, s, text};

/// The mode in which a transaction holds its own enqueue.
const EXCLUSIVE: u64 = 6;

const LOCKS: &[Column<Lock>] = &[
    number("SID", |lock| n(lock.sid)),
    text("TYPE", 2, |lock| s(String::from_iter(lock.name.map(char::from)))),
    number("ID1", |lock| n(lock.id.0)),
    number("ID2", |lock| n(lock.id.1)),
    number("LMODE", |lock| n(lock.held)),
    number("REQUEST", |lock| n(lock.wanted)),
    number("CTIME", |lock| n(lock.seconds)),
    number("BLOCK", |lock| n(u8::from(lock.blocks))),
];

/// A session that waits for a lock, its holder, and the mode that the holder has.
struct Waiting {
    waiter: Waiter,
    lock: Lock,
    held: u64,
}

const WAITERS: &[Column<Waiting>] = &[
    number("WAITING_SESSION", |row| n(row.waiter.sid)),
    number("HOLDING_SESSION", |row| maybe((row.waiter.holder > 0).then_some(row.waiter.holder), n)),
    text("LOCK_TYPE", 26, |row| s(if row.lock.name == *b"TX" { "Transaction" } else { "DML" })),
    text("MODE_HELD", 40, |row| s(mode_name(row.held))),
    text("MODE_REQUESTED", 40, |row| s(mode_name(row.lock.wanted))),
    number("LOCK_ID1", |row| n(row.lock.id.0)),
    number("LOCK_ID2", |row| n(row.lock.id.1)),
];

const BLOCKERS: &[Column<u32>] = &[number("HOLDING_SESSION", |holder| n(*holder))];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$LOCK", &[LOCKS], |cx, each| {
        let (mut locks, _) = held_and_wanted(cx);
        locks.sort_by_key(|lock| (lock.sid, lock.name, lock.id));
        locks.into_iter().try_for_each(each)
    }),
    &Table::new("DBA_WAITERS", &[WAITERS], |cx, each| {
        let (locks, waiters) = held_and_wanted(cx);
        for lock in locks.iter().filter(|lock| lock.wanted > 0) {
            let Some(waiter) = waiters.of(lock.sid) else { continue };
            let same = |held: &&Lock| (held.sid, held.name, held.id) == (waiter.holder, lock.name, lock.id);
            // A transaction left by a crash holds its enqueue too; it has no session to show.
            let held = locks.iter().find(same).map_or(EXCLUSIVE, |held| held.held);
            each(Waiting { waiter: *waiter, lock: *lock, held })?;
        }
        Ok(())
    }),
    &Table::new("DBA_BLOCKERS", &[BLOCKERS], |cx, each| {
        // Sessions that block others and wait for none.
        let waiters = Waiters::now(cx.session.instance());
        let mut holders: Vec<_> = waiters.0.iter().map(|waiter| waiter.holder).collect();
        holders.retain(|holder| *holder > 0 && waiters.of(*holder).is_none());
        holders.sort_unstable();
        holders.dedup();
        holders.into_iter().try_for_each(each)
    }),
];

/// Lock modes as catalog views spell them.
fn mode_name(mode: u64) -> &'static str {
    match mode {
        1 => "Null",
        2 => "Row-S (SS)",
        3 => "Row-X (SX)",
        4 => "Share",
        5 => "S/Row-X (SSX)",
        6 => "Exclusive",
        _ => "None",
    }
}

/// A lock of a session.
#[derive(Clone, Copy)]
struct Lock {
    sid: u32,
    name: [u8; 2],
    id: (u64, u64),
    /// Modes; 0 for none.
    held: u64,
    wanted: u64,
    /// Since the held mode was acquired, or since the wait for another one began.
    seconds: u64,
    blocks: bool,
}

fn held_and_wanted(cx: &ViewContext) -> (Vec<Lock>, Waiters) {
    let (instance, clock) = (cx.session.instance(), cx.session.meter().clock());
    let lock = |sid, name: &[u8; 2], id, held, (now_us, since_us): (u64, u64)| {
        let seconds = now_us.saturating_sub(since_us) / 1_000_000;
        Lock { sid, name: *name, id, held, wanted: 0, seconds, blocks: false }
    };
    // Waiters are read first: their holder has a lock then, unless it has ended since.
    let waiters = Waiters::now(instance);
    let mut locks: Vec<_> = live(instance)
        .iter()
        .map(|transaction| {
            let xid = transaction.xid;
            let id = (u64::from(xid.segment) << 16 | u64::from(xid.slot), u64::from(xid.sequence));
            lock(transaction.sid, b"TX", id, EXCLUSIVE, (clock.wall_us(), transaction.begun_us))
        })
        .collect();
    locks.extend(instance.locks().tables().iter().map(|table| {
        let id = (u64::from(table.table.0), 0);
        lock(table.sid, b"TM", id, table.mode as u64, (clock.monotonic_us(), table.since_us))
    }));
    for meter in instance.meters() {
        let (Some(waiter), Some(wait)) = (waiters.of(meter.sid()), meter.current_wait()) else { continue };
        // The first parameter of a wait for an enqueue.
        let [name_and_mode, first, second] = wait.parameters;
        let name = [(name_and_mode >> 24) as u8, (name_and_mode >> 16) as u8];
        let (id, wanted) = ((first, second), name_and_mode & 0xffff);
        let of = |locks: &[Lock], sid| locks.iter().position(|l| (l.sid, l.name, l.id) == (sid, name, id));
        if let Some(holder) = of(&locks, waiter.holder) {
            locks[holder].blocks = true;
        }
        let own = match of(&locks, waiter.sid) {
            Some(own) => own,
            None => {
                locks.push(lock(waiter.sid, &name, id, 0, (0, 0)));
                locks.len() - 1
            }
        };
        locks[own].wanted = wanted;
        locks[own].seconds = clock.monotonic_us().saturating_sub(wait.since_us) / 1_000_000;
    }
    (locks, waiters)
}

/// The graph of waits at one moment.
pub(super) struct Waiters(Vec<Waiter>);

impl Waiters {
    pub(super) fn now(instance: &Instance) -> Self {
        Self(instance.locks().waiters())
    }

    pub(super) fn of(&self, sid: u32) -> Option<&Waiter> {
        self.0.iter().find(|waiter| waiter.sid == sid)
    }

    /// The end of the chain: a session that waits for none.
    pub(super) fn last_holder(&self, sid: u32) -> Option<u32> {
        let mut at = self.of(sid)?.holder;
        for _ in 0..self.0.len() {
            match self.of(at) {
                Some(next) => at = next.holder,
                None => break,
            }
        }
        Some(at)
    }
}
