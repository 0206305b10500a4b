//! Direct loads beside scans.
//!
//! A session loads rows past the cache while another scans the table, through the cache or past it, and a third puts a
//! row in. A scan sees the load whole or not at all, and whole once it has committed; nobody's row is lost.

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, explore, spawn};
use storage::control::SpaceManagement;
use storage::table::Appender;
use storage::txn::{CommitWrite, LockWait, TableLock};

use super::database::{Database, insert, row, scan};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten};

/// So large that a block has one.
const LARGE: usize = 1200;
const LOADED: usize = 3;
const LOOKS: usize = 2;
/// The numbers of the rows of each kind.
const OLD: u8 = 1;
const LOAD: u8 = 2;
const NEW: u8 = 3;

fn load_beside_scans(space: SpaceManagement, parameters: &str) {
    let database = Arc::new(Database::with_parameters(space, parameters));
    let s = database.session();
    let table = database.table(&s);
    insert(&s, &table, &row(OLD, LARGE));
    s.commit(CommitWrite::default()).unwrap();
    let committed = Arc::new(AtomicBool::new(false));
    let mut threads = Vec::new();
    {
        let (s, table, committed) = (database.session(), table.clone(), committed.clone());
        let run = move || {
            let mut appender = Appender::into_table(s.clone(), table).unwrap();
            for _ in 0..LOADED {
                appender.push(&[Some(&row(LOAD, LARGE))]).unwrap();
            }
            assert_eq!(appender.finish().unwrap(), LOADED as u64);
            s.commit(CommitWrite::default()).unwrap();
            committed.store(true, Ordering::SeqCst);
        };
        threads.push(spawn("loader", run).unwrap());
    }
    {
        let (s, table) = (database.session(), table.clone());
        let run = move || {
            s.lock_table(table.object, TableLock::RowExclusive, LockWait::Forever).unwrap();
            insert(&s, &table, &row(NEW, LARGE));
            s.commit(CommitWrite::default()).unwrap();
        };
        threads.push(spawn("inserter", run).unwrap());
    }
    for _ in 0..LOOKS {
        let before = committed.load(Ordering::SeqCst);
        let seen = scan(&s, &table);
        let rows = |number| seen.iter().filter(|seen| **seen == number).count();
        assert_eq!(rows(OLD), 1, "{seen:?}");
        assert!(rows(LOAD) == LOADED || (rows(LOAD) == 0 && !before), "{seen:?}, committed: {before}");
    }
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(scan(&s, &table), [OLD, LOAD, LOAD, LOAD, NEW]);
    database.store.cache().flush(s.meter()).unwrap();
    assert_eq!(scan(&s, &table), [OLD, LOAD, LOAD, LOAD, NEW]);
    database.close();
}

#[test]
fn scans_through_the_cache_see_a_load_whole_or_not_at_all() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), || load_beside_scans(SpaceManagement::Auto, ""));
}

#[test]
fn scans_past_the_cache_see_a_load_whole_or_not_at_all() {
    let always = "_serial_direct_read = ALWAYS";
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), move || load_beside_scans(SpaceManagement::Manual, always));
}
