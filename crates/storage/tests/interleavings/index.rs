//! A unique index whose leaf splits while others read it and put in keys.
//!
//! A scan finds each key that was committed before it began, once and in order, whatever splits meanwhile. Of two
//! sessions that put in one key one has it: the other waits, and gets ORA-00001, or the key where the first one gives
//! it back.

use std::ops::Bound;

use common::sync::atomic::{AtomicU8, Ordering};
use common::sync::{Arc, explore, spawn};
use common::{BlockAddress, FileNumber, Rowid};
use storage::control::SpaceManagement;
use storage::index::{IndexDef, IndexScan, Key, insert_batch, lookup, verify};
use storage::txn::{CommitWrite, Worker};

use super::database::{Database, TABLE};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten};

/// So long that a leaf has four.
const KEY_BYTES: usize = 400;
/// Committed at first: in three leaves.
const FIRST: [u8; 10] = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20];
/// Put in by two sessions, into different leaves, which split.
const LATER: [[u8; 2]; 2] = [[5, 7], [13, 15]];
const SCANS: usize = 2;

fn key(number: u8) -> Key {
    Key::new([Some(&vec![number; KEY_BYTES][..])])
}

fn rowid(number: u8) -> Rowid {
    Rowid { data_object: TABLE, block: BlockAddress::new(FileNumber(1), 100), slot: u16::from(number) }
}

fn put(s: &Worker, index: &IndexDef, number: u8) -> common::Result<()> {
    insert_batch(s, index, std::iter::once((key(number).image(), rowid(number))))
}

/// The numbers that a statement sees which begins now.
fn numbers(s: &Arc<Worker>, index: &Arc<IndexDef>, descending: bool) -> Vec<u8> {
    let _statement = s.enter(s.begin_snapshot());
    let mut scan = IndexScan::new(s, index, Bound::Unbounded, Bound::Unbounded, descending).unwrap();
    let mut numbers = Vec::new();
    while let Some((key, row)) = scan.next().unwrap() {
        let number = key.columns().next().unwrap().unwrap()[0];
        assert_eq!(row, rowid(number), "an entry has its own row");
        numbers.push(number);
    }
    numbers
}

fn with_index() -> (Arc<Database>, Arc<Worker>, Arc<IndexDef>) {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    let table = database.table(&s);
    let index = database.unique_index(&s, &table);
    for number in FIRST {
        put(&s, &index, number).unwrap();
    }
    s.commit(CommitWrite::default()).unwrap();
    (database, s, index)
}

fn splits_beside_scans() {
    let (database, s, index) = with_index();
    // How far a session's commit is: 0 not begun, 1 begun, 2 returned.
    let commits: Arc<[AtomicU8; 2]> = Arc::default();
    let mut threads = Vec::new();
    for (session, keys) in LATER.into_iter().enumerate() {
        let (s, index, commits) = (database.session(), index.clone(), commits.clone());
        let run = move || {
            keys.into_iter().for_each(|key| put(&s, &index, key).unwrap());
            commits[session].store(1, Ordering::SeqCst);
            s.commit(CommitWrite::default()).unwrap();
            commits[session].store(2, Ordering::SeqCst);
        };
        threads.push(spawn("session", run).unwrap());
    }
    {
        let (s, index) = (database.session(), index.clone());
        let run = move || {
            for scan in 0..SCANS {
                let descending = scan % 2 == 0;
                let before = commits.each_ref().map(|commit| commit.load(Ordering::SeqCst));
                let mut seen = numbers(&s, &index, descending);
                let after = commits.each_ref().map(|commit| commit.load(Ordering::SeqCst));
                if descending {
                    seen.reverse();
                }
                assert!(seen.is_sorted_by(|a, b| a < b), "keys are in order, each once: {seen:?}");
                assert!(FIRST.iter().all(|key| seen.contains(key)), "a key is missed: {seen:?}");
                for (session, keys) in LATER.into_iter().enumerate() {
                    let found = keys.iter().filter(|key| seen.contains(key)).count();
                    assert!(found == 0 || found == 2, "a transaction is seen by half: {seen:?}");
                    assert!(found == 2 || before[session] < 2, "what was committed before is missed: {seen:?}");
                    assert!(found == 0 || after[session] > 0, "what is not committed is seen: {seen:?}");
                }
            }
        };
        threads.push(spawn("reader", run).unwrap());
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let mut wanted: Vec<u8> = FIRST.into_iter().chain(LATER.concat()).collect();
    wanted.sort_unstable();
    assert_eq!(numbers(&s, &index, false), wanted);
    let mut problems = verify(&s, &index, None).unwrap();
    // The rows are made up.
    problems.retain(|problem| !problem.text.contains("is not one of table"));
    assert!(problems.is_empty(), "{problems:?}");
    database.close();
}

/// Two sessions want one key; the first gives it back or keeps it.
fn one_key(keeps: bool) {
    let (database, s, index) = with_index();
    put(&s, &index, 5).unwrap();
    let other = {
        let (s, index) = (database.session(), index.clone());
        let run = move || {
            let mark = s.mark();
            let put = put(&s, &index, 5);
            match &put {
                Ok(()) => s.commit(CommitWrite::default()).unwrap(),
                Err(error) => {
                    assert!(error.is_ora(1), "{error}");
                    s.rollback_to_mark(mark).unwrap();
                }
            }
            put.is_ok()
        };
        spawn("other", run).unwrap()
    };
    if keeps {
        s.commit(CommitWrite::default()).unwrap();
    } else {
        s.rollback().unwrap();
    }
    assert_eq!(other.join().unwrap(), !keeps, "one session has the key");
    let found = {
        let _statement = s.enter(s.begin_snapshot());
        lookup(&s, &index, &key(5)).unwrap()
    };
    assert_eq!(found, Some(rowid(5)));
    assert_eq!(numbers(&s, &index, false).len(), FIRST.len() + 1);
    database.close();
}

#[test]
fn scans_miss_no_key_of_a_leaf_that_splits() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), splits_beside_scans);
}

#[test]
fn a_key_that_is_kept_is_one_sessions() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE / 2), || one_key(true));
}

#[test]
fn a_key_that_is_given_back_is_the_next_ones() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE / 2), || one_key(false));
}
