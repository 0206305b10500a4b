//! A full buffer pool.
//!
//! Every buffer has a changed block, so sessions that want one more wait until the database writer has cleaned some.
//! None is forgotten, each gets a buffer of its own, and no changed block is lost.

use common::sync::{Arc, explore, spawn};
use common::{BlockAddress, BlockClass, FileNumber};
use format::block::{self, BlockType};
use format::file;
use storage::control::SpaceManagement;
use storage::txn::Worker;

use super::database::{Database, SIZE};
use super::nobody_forgotten;

/// Buffers of a pool at least.
const BUFFERS: u32 = 64;
/// The pool is filled anew each time, in steps that are the same in all of them.
const SCHEDULES: usize = 200;
const SESSIONS: u32 = 2;
const BLOCKS: u32 = 2;

fn address(n: u32) -> BlockAddress {
    BlockAddress::new(FileNumber(1), file::header_area_blocks(SIZE) + 100 + n)
}

fn fill(s: &Worker, n: u32) {
    let mut block = s.new_block(address(n), BlockClass::Data).unwrap();
    s.change(&mut block, |bytes| block::format(bytes, BlockType::Data, address(n)));
}

fn sessions_want_more() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    (0..BUFFERS).for_each(|n| fill(&s, n));
    assert_eq!(database.store.cache().buffers().iter().filter(|buffer| buffer.dirty).count(), BUFFERS as usize);
    let writer = database.start_writer();
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let s = database.session();
            let first = BUFFERS + session * BLOCKS;
            spawn("session", move || (first..first + BLOCKS).for_each(|n| fill(&s, n))).unwrap()
        })
        .collect();
    for session in sessions {
        session.join().unwrap();
    }
    database.end_writer(writer);
    assert!(database.store.cache().buffers().len() <= BUFFERS as usize, "a pool has no more buffers than it may");
    // What has left the pool comes back from the disk.
    database.store.cache().flush(s.meter()).unwrap();
    for n in 0..BUFFERS + SESSIONS * BLOCKS {
        let block = s.current(address(n), BlockClass::Data).unwrap();
        assert_eq!(block::header(&block).address(), address(n));
    }
    database.close();
}

#[test]
fn sessions_get_buffers_of_a_full_pool() {
    explore(nobody_forgotten(SCHEDULES), sessions_want_more);
}
