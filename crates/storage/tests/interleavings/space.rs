//! The search for room in a segment.
//!
//! Sessions put rows into one segment at the same time, from its first block on. Each row is there once, none in the
//! place of another, and at the end the segment offers every block that has room.

use common::sync::{Arc, explore, spawn};
use format::bitmap::BlockState;
use storage::control::SpaceManagement;
use storage::segment::BlockUse;
use storage::txn::CommitWrite;

use super::database::{Database, insert, row, scan};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten};

const SESSIONS: u8 = 3;
const ROWS: u8 = 2;
const ROWS_OF_A_BLOCK: usize = 2;
/// So large that a block has so many.
const BYTES: usize = 800;

fn rows_of_several_sessions(space: SpaceManagement) {
    let database = Arc::new(Database::new(space));
    let s = database.session();
    let table = database.table(&s);
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let (s, table) = (database.session(), table.clone());
            let run = move || {
                let mut rowids = Vec::new();
                for n in 0..ROWS {
                    rowids.push(insert(&s, &table, &row(session * 10 + n, BYTES)));
                }
                s.commit(CommitWrite::default()).unwrap();
                rowids
            };
            spawn("session", run).unwrap()
        })
        .collect();
    let mut rowids: Vec<_> = sessions.into_iter().flat_map(|session| session.join().unwrap()).collect();
    let wanted: Vec<u8> = (0..SESSIONS).flat_map(|session| (0..ROWS).map(move |n| session * 10 + n)).collect();
    assert_eq!(scan(&s, &table), wanted);
    rowids.sort_unstable();
    rowids.dedup();
    assert_eq!(rowids.len(), wanted.len(), "no two rows have one place");
    let blocks: Vec<_> = table.segment.block_map(&s).unwrap().extents.concat();
    let mut found = 0;
    for block in &blocks {
        let BlockUse::Rows(rows) = block.holds else { continue };
        found += usize::from(rows.rows);
        let offered = match space {
            SpaceManagement::Manual => block.freelist.is_some(),
            SpaceManagement::Auto => block.state != Some(BlockState::Full),
        };
        assert!(offered || usize::from(rows.rows) >= ROWS_OF_A_BLOCK, "room that nobody finds again: {block:?}");
    }
    assert_eq!(found, wanted.len(), "the blocks have the rows, and no others");
    // What comes back from the disk is checked more closely.
    database.store.cache().flush(s.meter()).unwrap();
    assert_eq!(scan(&s, &table), wanted);
    database.close();
}

#[test]
fn sessions_find_room_with_bitmaps() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), || rows_of_several_sessions(SpaceManagement::Auto));
}

#[test]
fn sessions_find_room_with_freelists() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), || rows_of_several_sessions(SpaceManagement::Manual));
}
