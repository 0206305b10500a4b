//! Enqueues: V$LOCK, and the waits of sessions for one.

use engine::instance::Instance;
use storage::txn::Waiter;

use super::transactions::live;
use super::view::{View, ViewContext, maybe, n, number, s, text};

/// The mode in which a transaction holds its own enqueue.
const EXCLUSIVE: u64 = 6;

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$LOCK",
        columns: &[
            number("SID"),
            text("TYPE", 2),
            number("ID1"),
            number("ID2"),
            number("LMODE"),
            number("REQUEST"),
            number("CTIME"),
            number("BLOCK"),
        ],
        rows: |cx, rows| {
            let (mut locks, _) = held_and_wanted(cx);
            locks.sort_by_key(|lock| (lock.sid, lock.name, lock.id));
            locks.iter().try_for_each(|lock| {
                let [first, second] = lock.name;
                rows.add(&[
                    n(lock.sid),
                    s(String::from_iter([char::from(first), char::from(second)])),
                    n(lock.id.0),
                    n(lock.id.1),
                    n(lock.held),
                    n(lock.wanted),
                    n(lock.seconds),
                    n(u8::from(lock.blocks)),
                ])
            })
        },
    },
    View {
        name: "DBA_WAITERS",
        columns: &[
            number("WAITING_SESSION"),
            number("HOLDING_SESSION"),
            text("LOCK_TYPE", 26),
            text("MODE_HELD", 40),
            text("MODE_REQUESTED", 40),
            number("LOCK_ID1"),
            number("LOCK_ID2"),
        ],
        rows: |cx, rows| {
            let (locks, waiters) = held_and_wanted(cx);
            for lock in locks.iter().filter(|lock| lock.wanted > 0) {
                let Some(waiter) = waiters.of(lock.sid) else { continue };
                let same = |held: &&Lock| (held.sid, held.name, held.id) == (waiter.holder, lock.name, lock.id);
                // A transaction left by a crash holds its enqueue too; it has no session to show.
                let held = locks.iter().find(same).map_or(EXCLUSIVE, |held| held.held);
                rows.add(&[
                    n(waiter.sid),
                    maybe((waiter.holder > 0).then_some(waiter.holder), n),
                    s(if lock.name == *b"TX" { "Transaction" } else { "DML" }),
                    s(mode_name(held)),
                    s(mode_name(lock.wanted)),
                    n(lock.id.0),
                    n(lock.id.1),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "DBA_BLOCKERS",
        columns: &[number("HOLDING_SESSION")],
        rows: |cx, rows| {
            // Sessions that block others and wait for none.
            let waiters = Waiters::now(cx.session.instance());
            let mut holders: Vec<_> = waiters.0.iter().map(|waiter| waiter.holder).collect();
            holders.retain(|holder| *holder > 0 && waiters.of(*holder).is_none());
            holders.sort_unstable();
            holders.dedup();
            holders.iter().try_for_each(|holder| rows.add(&[n(*holder)]))
        },
    },
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

/// A row of V$LOCK.
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
