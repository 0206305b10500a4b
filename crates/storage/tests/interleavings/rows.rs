//! Row locks and table locks.
//!
//! A row that a transaction has changed waits for its end, and then for nobody: the next session is woken. Of two that
//! wait for each other one is told so. A table lock that excludes others is one session's.

use std::sync::Arc as PlainArc;
use std::sync::atomic::AtomicUsize;

use common::sync::atomic::{AtomicU8, Ordering};
use common::sync::{Arc, explore, spawn};
use common::{Result, Rowid};
use storage::control::SpaceManagement;
use storage::table::{HeapTable, RESTART, fetch_row, update};
use storage::txn::{CommitWrite, LockWait, TableLock, Worker};

use super::database::{Database, TABLE, insert, row};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten};

const BYTES: usize = 100;

fn number(s: &Arc<Worker>, table: &Arc<HeapTable>, rowid: Rowid) -> u8 {
    let _statement = s.enter(s.begin_snapshot());
    fetch_row(s, table, rowid).unwrap().unwrap().column(0).unwrap()[0]
}

/// Changes the rows one after the other, to one number.
fn change(s: &Arc<Worker>, table: &Arc<HeapTable>, rows: [Rowid; 2], to: u8) -> Result<()> {
    for rowid in rows {
        loop {
            let mark = s.mark();
            match update(s, table, rowid, &[Some(&row(to, BYTES))]) {
                // Another session has changed the row meanwhile: the statement starts again, as statements do.
                Err(error) if error.is_own(RESTART) => s.rollback_to_mark(mark)?,
                updated => break assert!(updated?),
            }
        }
    }
    assert_eq!(rows.map(|rowid| number(s, table, rowid)), [to; 2], "a row that is locked is nobody else's");
    Ok(())
}

/// Sessions that change the same two rows; `against`: the second in the other order. Returns how many were told of a
/// deadlock.
fn two_sessions(against: bool) -> usize {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    let table = database.table(&s);
    let rows = [1, 2].map(|number| insert(&s, &table, &row(number, BYTES)));
    s.commit(CommitWrite::default()).unwrap();
    let sessions: Vec<_> = (1..=2)
        .map(|session| {
            let (s, table) = (database.session(), table.clone());
            let rows = if against && session == 2 { [rows[1], rows[0]] } else { rows };
            let run = move || {
                let changed = change(&s, &table, rows, 10 * session);
                if let Err(error) = &changed {
                    assert!(error.is_ora(60), "{error}");
                    s.rollback().unwrap();
                } else {
                    s.commit(CommitWrite::default()).unwrap();
                }
                changed.is_ok()
            };
            spawn("session", run).unwrap()
        })
        .collect();
    let done: Vec<bool> = sessions.into_iter().map(|session| session.join().unwrap()).collect();
    let numbers = rows.map(|rowid| number(&s, &table, rowid));
    assert!(numbers == [10; 2] || numbers == [20; 2], "one session came last: {numbers:?}");
    assert!(done[usize::from(numbers[0]) / 10 - 1], "what was rolled back is gone: {numbers:?}, {done:?}");
    database.close();
    done.iter().filter(|done| !**done).count()
}

/// Sessions that lock the table so that no other may.
fn table_locks() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    let table = database.table(&s);
    insert(&s, &table, &row(0, BYTES));
    s.commit(CommitWrite::default()).unwrap();
    let holders = Arc::new(AtomicU8::new(0));
    let sessions: Vec<_> = (0..3)
        .map(|_| {
            let (s, holders) = (database.session(), holders.clone());
            let run = move || {
                s.lock_table(TABLE, TableLock::Exclusive, LockWait::Forever).unwrap();
                assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0, "two sessions hold the table");
                assert_eq!(holders.fetch_sub(1, Ordering::SeqCst), 1, "two sessions hold the table");
                s.commit(CommitWrite::default()).unwrap();
            };
            spawn("session", run).unwrap()
        })
        .collect();
    for session in sessions {
        session.join().unwrap();
    }
    database.close();
}

#[test]
fn a_locked_row_is_waited_for() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), || assert_eq!(two_sessions(false), 0, "there is no deadlock"));
}

#[test]
fn one_of_two_that_wait_for_each_other_is_told() {
    let deadlocks = PlainArc::new(AtomicUsize::new(0));
    let found = deadlocks.clone();
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), move || {
        let told = two_sessions(true);
        assert!(told <= 1, "one has to go on");
        found.fetch_add(told, Ordering::Relaxed);
    });
    assert!(deadlocks.load(Ordering::Relaxed) > 0, "no schedule had a deadlock");
}

#[test]
fn a_table_is_locked_by_one_session() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), table_locks);
}
