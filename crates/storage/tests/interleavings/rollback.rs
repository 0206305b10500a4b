//! Rollback beside readers and beside a session that waits for the rows.
//!
//! A statement sees the rows as they were, however far the rollback has come. The session that waits gets them when
//! all of them are back.

use common::sync::{Arc, explore, spawn};
use storage::control::SpaceManagement;
use storage::table::{HeapTable, fetch_row, update};
use storage::txn::{CommitWrite, Worker};

use super::database::{Database, insert, row};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten};

/// So large that a block has one.
const LARGE: usize = 1200;
const BEFORE: u8 = 1;
const ROLLED_BACK: u8 = 2;
const AFTER: u8 = 3;

fn rollback_beside_others() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    let table = database.table(&s);
    let rows = [0, 1].map(|_| insert(&s, &table, &row(BEFORE, LARGE)));
    assert_ne!(rows[0].block, rows[1].block);
    s.commit(CommitWrite::default()).unwrap();
    for rowid in rows {
        assert!(update(&s, &table, rowid, &[Some(&row(ROLLED_BACK, LARGE))]).unwrap());
    }
    let look = move |s: &Arc<Worker>, table: &Arc<HeapTable>| {
        let _statement = s.enter(s.begin_snapshot());
        rows.map(|rowid| fetch_row(s, table, rowid).unwrap().unwrap().column(0).unwrap()[0])
    };
    let reader = {
        let (s, table) = (database.session(), table.clone());
        let run = move || {
            for _ in 0..2 {
                let seen = look(&s, &table);
                assert!(seen == [BEFORE; 2] || seen == [AFTER; 2], "a statement sees what is rolled back: {seen:?}");
            }
        };
        spawn("reader", run).unwrap()
    };
    let next = {
        let (s, table) = (database.session(), table.clone());
        let run = move || {
            for rowid in rows {
                assert!(update(&s, &table, rowid, &[Some(&row(AFTER, LARGE))]).unwrap());
            }
            s.commit(CommitWrite::default()).unwrap();
        };
        spawn("next", run).unwrap()
    };
    s.rollback().unwrap();
    reader.join().unwrap();
    next.join().unwrap();
    assert_eq!(look(&s, &table), [AFTER; 2]);
    database.close();
}

#[test]
fn what_is_rolled_back_is_seen_by_nobody() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), rollback_beside_others);
}
