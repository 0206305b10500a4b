//! Which commits a snapshot sees.
//!
//! A statement that begins after a commit has returned sees all of the transaction. One that begins before sees all of
//! it or nothing, and sees the same however long it looks, while the rows are changed, their blocks cleaned out and
//! other transactions come.

use common::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use common::sync::{Arc, explore, spawn};
use storage::control::SpaceManagement;
use storage::table::{fetch_row, update};
use storage::txn::CommitWrite;

use super::database::{Database, insert, row, scan};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten, with_time_outs};

/// So large that a block has one.
const LARGE: usize = 1200;
const COMMITTERS: usize = 2;
const READERS: usize = 1;
const LOOKS: usize = 3;

/// One session changes two rows in two blocks to the same number, again and again; others compare them.
fn two_rows_change_together() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    let table = database.table(&s);
    let rows = [0, 1].map(|_| insert(&s, &table, &row(0, LARGE)));
    assert_ne!(rows[0].block, rows[1].block);
    s.commit(CommitWrite::default()).unwrap();
    let committed = Arc::new(AtomicU8::new(0));
    let mut threads = Vec::new();
    {
        let (s, table, committed) = (database.session(), table.clone(), committed.clone());
        let run = move || {
            for number in 1..=2 {
                for rowid in rows {
                    assert!(update(&s, &table, rowid, &[Some(&row(number, LARGE))]).unwrap());
                }
                s.commit(CommitWrite::default()).unwrap();
                committed.store(number, Ordering::SeqCst);
            }
        };
        threads.push(spawn("committer", run).unwrap());
    }
    for _ in 0..READERS {
        let (s, table, committed) = (database.session(), table.clone(), committed.clone());
        let run = move || {
            for _ in 0..LOOKS {
                let least = committed.load(Ordering::SeqCst);
                let _statement = s.enter(s.begin_snapshot());
                let look = |at: usize| fetch_row(&s, &table, rows[at]).unwrap().unwrap().column(0).unwrap()[0];
                let seen = [look(0), look(1), look(0)];
                assert!(seen[0] == seen[1] && seen[0] == seen[2], "a statement sees one state: {seen:?}");
                assert!(seen[0] >= least, "a statement sees what was committed before: {} of {least}", seen[0]);
            }
        };
        threads.push(spawn("reader", run).unwrap());
    }
    for thread in threads {
        thread.join().unwrap();
    }
    database.close();
}

/// Several sessions put in two rows each and commit, at the same time; another counts.
fn commits_at_the_same_time() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    let table = database.table(&s);
    let committed: Arc<[AtomicBool; COMMITTERS]> = Arc::default();
    let mut threads = Vec::new();
    for number in 0..COMMITTERS {
        let (s, table, committed) = (database.session(), table.clone(), committed.clone());
        let run = move || {
            for _ in 0..2 {
                insert(&s, &table, &row(number as u8, LARGE));
            }
            s.commit(CommitWrite::default()).unwrap();
            committed[number].store(true, Ordering::SeqCst);
        };
        threads.push(spawn("committer", run).unwrap());
    }
    for _ in 0..LOOKS {
        let before = committed.each_ref().map(|committed| committed.load(Ordering::SeqCst));
        let seen = scan(&s, &table);
        for (number, before) in before.into_iter().enumerate() {
            let rows = seen.iter().filter(|seen| usize::from(**seen) == number).count();
            assert!(rows == 2 || (rows == 0 && !before), "{rows} rows of transaction {number}, committed: {before}");
        }
    }
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(scan(&s, &table), [0, 0, 1, 1]);
    database.close();
}

#[test]
fn a_statement_sees_a_transaction_whole_or_not_at_all() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), two_rows_change_together);
}

#[test]
fn commits_of_several_sessions_are_seen_one_after_another() {
    explore(with_time_outs(SCHEDULES_OF_DATABASE), commits_at_the_same_time);
}
