//! Pins and latches of the buffer cache.
//!
//! Sessions change two blocks, while others write them and take them out of the cache, so that they are read again
//! into other buffers. No change may get lost, as it would if a block had two buffers, or if a buffer were reused
//! between a session's look for it and its latch; and at the end nothing is pinned.

use common::sync::{Arc, explore, spawn};
use common::{BlockAddress, BlockClass, FileNumber};
use format::block::{self, BlockType};
use format::file;
use storage::control::SpaceManagement;
use storage::txn::Worker;

use super::database::{Database, SIZE};
use super::{SCHEDULES_OF_DATABASE, nobody_forgotten, with_time_outs};

const WRITERS: u32 = 2;
const CHANGES: u32 = 2;
/// Of each of two that write and evict.
const ROUNDS: u32 = 2;
/// Where in a block the count is.
const COUNT: usize = 200;

fn address(n: u32) -> BlockAddress {
    BlockAddress::new(FileNumber(1), file::header_area_blocks(SIZE) + 100 + n)
}

fn count(block: &[u8]) -> u8 {
    block[COUNT]
}

fn add_one(s: &Worker, n: u32) {
    let mut block = s.current_mut(address(n), BlockClass::Data).unwrap();
    assert_eq!(s.store().cache().buffers_for_test(s.meter(), address(n)), 1, "a block has one buffer");
    assert_eq!(block::header(&block).address(), address(n), "a session has the block that it wanted");
    s.change(&mut block, |bytes| bytes[COUNT] += 1);
}

fn changes_and_evictions() {
    let database = Arc::new(Database::new(SpaceManagement::Auto));
    let s = database.session();
    for n in 0..2 {
        let mut block = s.new_block(address(n), BlockClass::Data).unwrap();
        s.change(&mut block, |bytes| block::format(bytes, BlockType::Data, address(n)));
    }
    database.store.cache().flush(s.meter()).unwrap();
    let mut threads = Vec::new();
    for _ in 0..WRITERS {
        let s = database.session();
        let run = move || (0..CHANGES).for_each(|_| (0..2).for_each(|n| add_one(&s, n)));
        threads.push(spawn("writer", run).unwrap());
    }
    for _ in 0..2 {
        let s = database.session();
        let run = move || {
            for _ in 0..ROUNDS {
                s.store().cache().flush(s.meter()).unwrap();
            }
        };
        threads.push(spawn("flush", run).unwrap());
    }
    {
        let s = database.session();
        let run = move || {
            let mut before = 0;
            for _ in 0..ROUNDS {
                let block = s.current(address(0), BlockClass::Data).unwrap();
                assert!(count(&block) >= before, "a session sees a change, and then no more");
                before = count(&block);
            }
        };
        threads.push(spawn("reader", run).unwrap());
    }
    for thread in threads {
        thread.join().unwrap();
    }
    let wanted = (WRITERS * CHANGES) as u8;
    let read = |n| count(&s.current(address(n), BlockClass::Data).unwrap());
    assert_eq!([read(0), read(1)], [wanted; 2], "no change is lost");
    // Nor on the way to the disk and back.
    database.store.cache().flush(s.meter()).unwrap();
    assert!(database.store.cache().buffers().is_empty(), "nothing keeps a buffer");
    assert_eq!([read(0), read(1)], [wanted; 2], "no change is lost");
    database.close();
}

#[test]
fn no_change_is_lost_when_blocks_are_written_and_evicted() {
    explore(nobody_forgotten(SCHEDULES_OF_DATABASE), changes_and_evictions);
    explore(with_time_outs(SCHEDULES_OF_DATABASE), changes_and_evictions);
}
