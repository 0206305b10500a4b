//! Deadlocks: the session that gets the error, and waits that are no deadlock. Waits count for locks held at the
//! moment, and for all holders.

use common::sync::{Arc, Condvar, JoinHandle, Mutex, spawn};
use common::{BlockSize, Number, Result, Rowid};
use waits::Statistic;

use super::fixture::{Columns, Database, borrow};
use engine::dictionary::TableDef;
use engine::instance::Session;
use storage::control::SpaceManagement;
use storage::table::{RESTART, update};
use storage::txn::{CommitWrite, LockWait, TableLock, WOKEN, Waited};

/// Time after which a wait ends on its own when no session gets ORA-00060.
const SECONDS: u64 = 20;

/// Holds a thread up until it is opened.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
    }

    fn open(&self) {
        *self.open.lock() = true;
        self.opened.notify_all();
    }
}

struct Stage {
    database: Database,
    table: Arc<TableDef>,
    rowids: Vec<Rowid>,
}

fn row(n: u8) -> Columns {
    vec![Some(vec![n]), Some(vec![n; 20])]
}

fn commit(session: &Arc<Session>) {
    session.commit(CommitWrite::default()).unwrap();
}

impl Stage {
    fn new() -> Self {
        let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
        let table = database.table("T", 2, 10);
        database.insert(&table, &(0..8).map(row).collect::<Vec<_>>());
        commit(&database.session);
        let rowids = database.scan(&table).into_keys().collect();
        Self { database, table, rowids }
    }

    fn change(&self, session: &Arc<Session>, n: usize) {
        assert!(update(session, &self.table, self.rowids[n], &borrow(&row(77))).unwrap());
    }

    /// Starts work of a session that may have to wait, and returns once it waits or has ended.
    fn at_work<R: Send + 'static>(
        &self,
        session: &Arc<Session>,
        work: impl FnOnce(&Arc<Session>) -> Result<R> + Send + 'static,
    ) -> JoinHandle<Result<R>> {
        let (locks, sid, own) = (self.database.instance.locks(), session.sid(), session.clone());
        let thread = spawn("at work", move || work(&own)).unwrap();
        while !thread.is_finished() && locks.waiters().iter().all(|waiter| waiter.sid != sid) {
            std::thread::yield_now();
        }
        thread
    }

    fn changing(&self, session: &Arc<Session>, n: usize) -> JoinHandle<Result<bool>> {
        let (table, rowid) = (self.table.clone(), self.rowids[n]);
        self.at_work(session, move |session| update(session, &table, rowid, &borrow(&row(99))))
    }
}

/// A session whose awaited transaction has ended, and that has not run since, waits for nobody: the session of that
/// transaction may want a row of it.
#[test]
fn a_wait_that_is_over_is_no_part_of_a_deadlock() {
    for commits in [false, true] {
        let stage = Stage::new();
        let (x, y) = (stage.database.connect(), stage.database.connect());
        stage.change(&y, 1);
        stage.change(&x, 2);
        let gate = Arc::new(Gate::default());
        let held = gate.clone();
        let (table, rowid) = (stage.table.clone(), stage.rowids[1]);
        let waiter = stage.at_work(&x, move |x| {
            WOKEN.set(Some(Box::new(move || held.pass())));
            update(x, &table, rowid, &borrow(&row(99)))
        });
        assert!(!waiter.is_finished());
        if commits {
            y.commit(CommitWrite { no_wait: true, batch: false }).unwrap();
        } else {
            y.rollback().unwrap();
        }
        let wants = stage.changing(&y, 2);
        gate.open();
        let waited = waiter.join().unwrap();
        match waited {
            Ok(found) => assert!(found && !commits),
            // The statement's snapshot does not have the row's present version.
            Err(error) => assert!(commits && error.number == Number::Hw(RESTART), "{error}"),
        }
        x.rollback().unwrap();
        assert!(wants.join().unwrap().unwrap(), "the row was wanted by one session alone");
        assert_eq!(y.meter().value(Statistic::EnqueueDeadlocks), 0);
        y.rollback().unwrap();
    }
}

/// A session waits for a table that two others have locked in share mode; the second of them wants a row that it has
/// changed. The last to wait gets the error.
#[test]
fn a_deadlock_with_any_holder_of_a_table_is_told() {
    for row_first in [false, true] {
        let stage = Stage::new();
        let other = stage.database.table("U", 1, 10);
        let sessions: Vec<_> = (0..3).map(|_| stage.database.connect()).collect();
        let [a, b, c] = &sessions[..] else { unreachable!() };
        stage.change(a, 0);
        for session in [b, c] {
            session.lock_table(other.object, TableLock::Share, LockWait::NoWait).unwrap();
        }
        let lock = {
            let other = other.clone();
            move |a: &Arc<Session>| {
                a.lock_table(other.object, TableLock::RowExclusive, LockWait::Seconds(SECONDS)).map(|()| true)
            }
        };
        let row = {
            let (table, rowid) = (stage.table.clone(), stage.rowids[0]);
            move |c: &Arc<Session>| {
                let snapshot = c.snapshot();
                storage::table::lock_row(c, &table, rowid, &snapshot, LockWait::Seconds(SECONDS))
            }
        };
        let (first, last, victim, survivor) = if row_first {
            let first = stage.at_work(c, row);
            (first, stage.at_work(a, lock), a, c)
        } else {
            let first = stage.at_work(a, lock);
            (first, stage.at_work(c, row), c, a)
        };
        let error = last.join().unwrap().unwrap_err();
        assert!(error.is_ora(60), "{error}");
        let deadlock = victim.take_deadlock().unwrap();
        let [told, waits] = &deadlock.sessions[..] else { panic!("{deadlock:?}") };
        assert_eq!((told.sid, told.holder), (victim.sid(), survivor.sid()));
        assert_eq!((waits.sid, waits.holder), (survivor.sid(), victim.sid()));
        let on_table = if row_first { told } else { waits };
        assert_eq!(on_table.waited, Waited::Table(other.object));
        victim.rollback().unwrap();
        b.rollback().unwrap();
        assert!(first.join().unwrap().unwrap());
        survivor.rollback().unwrap();
    }
}

/// Locks of a session for which another one works are released only after that one's work.
#[test]
fn a_recursive_session_is_part_of_its_callers_deadlocks() {
    let stage = Stage::new();
    let (a, b) = (stage.database.connect(), stage.database.connect());
    stage.change(&a, 0);
    stage.change(&b, 1);
    {
        let own = a.connect_for("SYSTEM").unwrap();
        // An autonomous transaction that wants a row of its caller.
        let error = stage.changing(&own, 0).join().unwrap().unwrap_err();
        assert!(error.is_ora(60), "{error}");
        let deadlock = own.take_deadlock().unwrap();
        assert_eq!(deadlock.sessions.len(), 1);
        // A session waits for another, which then wants a row of the first one's caller.
        let waits = stage.changing(&own, 1);
        let error = stage.changing(&b, 0).join().unwrap().unwrap_err();
        assert!(error.is_ora(60), "{error}");
        b.rollback().unwrap();
        let went_on = waits.join().unwrap();
        assert!(went_on.is_ok() || went_on.is_err_and(|error| error.number == Number::Hw(RESTART)));
        own.rollback().unwrap();
    }
    // A session that has ended its work blocks no other.
    stage.change(&b, 1);
    let waits = stage.changing(&b, 0);
    assert!(!waits.is_finished());
    a.rollback().unwrap();
    assert!(waits.join().unwrap().is_ok());
    b.rollback().unwrap();
}

#[test]
fn a_cancel_or_kill_ends_the_recursive_sessions_call() {
    let stage = Stage::new();
    let (a, b, killer) = (stage.database.connect(), stage.database.connect(), stage.database.connect());
    stage.change(&b, 1);
    let call = a.call().unwrap();
    let own = a.connect_for("SYSTEM").unwrap();
    let (sid, serial) = (own.sid(), own.meter().serial());
    assert!(killer.kill(sid, serial).unwrap_err().is_ora(29));
    let waits = stage.changing(&own, 1);
    a.cancel_handle().store(true, common::sync::atomic::Ordering::Release);
    assert!(waits.join().unwrap().unwrap_err().is_ora(1013));
    let waits = stage.changing(&own, 1);
    killer.kill(a.sid(), a.meter().serial()).unwrap();
    assert!(waits.join().unwrap().unwrap_err().is_ora(28));
    own.rollback().unwrap();
    drop((own, call));
    assert!(a.call().unwrap_err().is_ora(1012) || a.is_killed());
    b.rollback().unwrap();
}
