//! Where sessions that insert at the same time put their rows under bitmaps.

use std::collections::{BTreeMap, BTreeSet};

use common::sync::Arc;
use common::{BlockAddress, BlockSize};

use super::fixture::{Columns, Database, borrow};
use crate::catalog::TableDef;
use crate::instance::{Session, SpaceManagement};
use crate::table::Inserter;
use crate::txn::CommitWrite;

fn row(session: usize, n: usize) -> Columns {
    vec![Some(vec![session as u8 + 1, (n / 256) as u8, n as u8]), Some(vec![7; 250])]
}

fn insert(session: &Arc<Session>, table: &Arc<TableDef>, row: &Columns) {
    let mut inserter = Inserter::new(session.clone(), table.clone()).unwrap();
    inserter.push(&borrow(row)).unwrap();
    inserter.finish().unwrap();
}

/// Rows that a session inserts in one transaction.
const TOGETHER: usize = 50;

/// The sessions that have put rows into each block, by the round of transactions in which they did.
fn writers(database: &Database, table: &Arc<TableDef>) -> BTreeMap<BlockAddress, BTreeMap<usize, BTreeSet<u8>>> {
    let mut writers: BTreeMap<BlockAddress, BTreeMap<usize, BTreeSet<u8>>> = BTreeMap::new();
    for (rowid, row) in database.scan(table) {
        let key = row[0].as_ref().unwrap();
        let round = (usize::from(key[1]) * 256 + usize::from(key[2])) / TOGETHER;
        writers.entry(rowid.block).or_default().entry(round).or_default().insert(key[0]);
    }
    writers
}

/// Each takes rows in turn and keeps its transaction for a while: nobody puts a row into a block in which another one has a transaction, and what they have
/// filled all is full but for the last few.
#[test]
fn sessions_at_work_have_blocks_of_their_own() {
    const ROWS: usize = 300;
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = database.table("T", 2, 10);
    let sessions: Vec<_> = (0..5).map(|_| database.connect()).collect();
    for n in 0..ROWS {
        for (number, session) in sessions.iter().enumerate() {
            insert(session, &table, &row(number, n));
        }
        if (n + 1) % TOGETHER == 0 {
            sessions.iter().for_each(|session| session.commit(CommitWrite::default()).unwrap());
        }
    }
    let writers = writers(&database, &table);
    let shared = writers.values().flat_map(BTreeMap::values).filter(|sessions| sessions.len() > 1).count();
    assert_eq!(shared, 0, "{writers:?}");
    // 27 rows to a block, and each session's last one.
    let rows = ROWS * sessions.len();
    assert!(writers.len() <= rows.div_ceil(26) + 2 * sessions.len(), "{} blocks", writers.len());
}

/// One after the other, each with a transaction that has ended: the blocks that the first has begun take the rows of the others once their own are full.
#[test]
fn what_one_has_left_the_others_fill() {
    let database = Database::new(BlockSize::K8, SpaceManagement::Auto);
    let table = database.table("T", 2, 10);
    let sessions: Vec<_> = (0..5).map(|_| database.connect()).collect();
    for (number, session) in sessions.iter().enumerate() {
        for n in 0..200 {
            insert(session, &table, &row(number, n));
            session.commit(CommitWrite::default()).unwrap();
        }
    }
    let blocks = writers(&database, &table).len();
    assert!(blocks <= 1000_usize.div_ceil(26) + 5, "{blocks} blocks");
}
