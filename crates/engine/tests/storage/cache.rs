//! Waits of readers of cached blocks, and buffers whose pool has gone.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use common::sync::{Arc, spawn};
use common::{BlockAddress, BlockClass, ObjectNumber, SystemClock};
use device::MemoryFileSystem;
use format::block::BlockType;
use format::transaction::{BlockOwner, Owner};
use waits::{Event, GetMode, Statistic};

use engine::instance::{Background, DatafileSpec, Instance, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::control::SpaceManagement;

fn instance() -> Arc<Instance> {
    let options =
        CreateOptions { parameters: vec![("db_cache_size".to_owned(), "4M".to_owned())], ..CreateOptions::default() };
    let files = Arc::new(MemoryFileSystem::new());
    Instance::create(files, Path::new("/database"), Arc::new(SystemClock::default()), None, &options).unwrap()
}

/// A consistent get of a cached block takes none of the locks that reads into the cache, replacement and clones need,
/// and does not wait while nobody changes the block.
#[test]
fn a_cached_block_is_got_while_its_chain_and_the_replacement_list_are_locked() {
    let instance = instance();
    let cache = instance.cache();
    let buffer = cache.buffers().into_iter().find(|b| b.class == BlockClass::Data as u8).unwrap();
    let address = buffer.address;
    let meter = instance.background_meter();
    // Another reader has it already.
    let pinned = cache.pin_for_test(meter, address).unwrap();
    let other = pinned.latch_shared();
    let lists = cache.lock_lists_for_test(meter, address).unwrap();
    let (said, heard) = mpsc::channel();
    let reader = {
        let instance = instance.clone();
        let work = move || {
            let (meter, cache) =
                (waits::Meter::new(instance.system_meter(), Arc::new(SystemClock::default()), 99, 1), instance.cache());
            assert!(cache.holds_for_test(&meter, address));
            for _ in 0..100 {
                let block = cache.get(&meter, address, BlockClass::Data, GetMode::Consistent).unwrap();
                assert_eq!(format::block::header(&block).address(), address);
            }
            assert_eq!(meter.gets(BlockClass::Data, GetMode::Consistent), 100);
            assert_eq!(meter.event(Event::BufferBusyWaits).waits, 0);
            said.send(()).unwrap();
        };
        spawn("reader", work).unwrap()
    };
    let got = heard.recv_timeout(Duration::from_secs(20));
    drop((lists, other));
    drop(pinned);
    reader.join().unwrap();
    assert!(got.is_ok(), "the reader waited for a lock");
    instance.shutdown().unwrap();
}

/// A reader that meets a change of the block it wants waits, which is counted, and sees the change whole.
#[test]
fn a_reader_waits_for_a_change_and_sees_it_whole() {
    let instance = instance();
    let (session, reader) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let address = instance.cache().buffers().into_iter().find(|b| b.class == BlockClass::Data as u8).unwrap().address;
    let pinned = instance.cache().pin_for_test(session.meter(), address).unwrap();
    // The test cannot see whether the reader is at the latch when the change ends, so it tries more than once.
    for _ in 0..100 {
        let mut block = session.current_mut(address, BlockClass::Data).unwrap();
        let at = block.len() / 2;
        let before = block[at..at + 8].to_vec();
        session.change(&mut block, |bytes| bytes[at..at + 8].fill(0xa5));
        let (reader_too, instance_too) = (reader.clone(), instance.clone());
        let work = move || {
            let (cache, meter) = (instance_too.cache(), reader_too.meter());
            cache.get(meter, address, BlockClass::Data, GetMode::Consistent).unwrap()[at..at + 8].to_vec()
        };
        let reading = spawn("reader", work).unwrap();
        while pinned.pins() < 3 {
            std::thread::yield_now();
        }
        session.change(&mut block, |bytes| bytes[at..at + 8].copy_from_slice(&before));
        drop(block);
        assert_eq!(reading.join().unwrap(), before);
        if reader.meter().event(Event::BufferBusyWaits).waits > 0 {
            break;
        }
    }
    drop(pinned);
    assert_eq!(reader.meter().event(Event::BufferBusyWaits).waits, 1);
    assert_eq!(instance.system_meter().snapshot().buffer_waits(BlockClass::Data).waits, 1);
    drop((session, reader));
    instance.shutdown().unwrap();
}

/// A wait for a buffer under write is counted by its pool.
#[test]
fn a_wait_for_a_write_is_counted() {
    let instance = instance();
    let session = instance.connect("SYSTEM").unwrap();
    let address = instance.cache().buffers().into_iter().find(|b| b.class == BlockClass::Data as u8).unwrap().address;
    let pinned = instance.cache().pin_for_test(session.meter(), address).unwrap();
    let waits = || instance.cache().figures().iter().map(|pool| pool.write_complete_waits).sum::<u64>();
    pinned.wait_written(session.meter());
    assert_eq!(waits(), 0, "nobody writes it");
    pinned.set_writing(true);
    std::thread::scope(|scope| {
        scope.spawn(|| pinned.wait_written(session.meter()));
        while waits() == 0 {
            std::thread::yield_now();
        }
        pinned.set_writing(false);
    });
    assert_eq!((waits(), session.meter().event(Event::WriteCompleteWaits).waits), (1, 1));
    drop(pinned);
    drop(session);
    instance.shutdown().unwrap();
}

/// Buffers outlive their pool and are used by the next; a pinned block stays as it is.
#[test]
fn a_block_outlives_its_instance() {
    let held = {
        let instance = instance();
        let session = instance.connect("SYSTEM").unwrap();
        let buffer = instance.cache().buffers().into_iter().find(|b| b.class == BlockClass::Data as u8).unwrap();
        let held = session.consistent(buffer.address, BlockClass::Data).unwrap();
        drop(session);
        instance.shutdown().unwrap();
        held
    };
    let before = held.to_vec();
    // On a thread of its own: this thread has a block of that address latched.
    let others = spawn("others", || {
        for _ in 0..2 {
            let next = instance();
            assert!(!next.cache().buffers().is_empty());
            next.shutdown().unwrap();
        }
    });
    others.unwrap().join().unwrap();
    assert_eq!(before, held.to_vec());
}

fn inline() -> Arc<Instance> {
    let files = Arc::new(MemoryFileSystem::new());
    let options = CreateOptions { log_bytes: 1 << 20, ..CreateOptions::default() };
    let clock = Arc::new(SystemClock::default());
    Instance::create_with(files, Path::new("/database"), clock, None, &options, Background::Inline).unwrap()
}

/// A tablespace of one file.
fn tablespace(bytes: u64) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: "T".to_owned(),
        files: vec![DatafileSpec { name: "t.dbf".to_owned(), bytes, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    }
}

/// The checkpoint does not wait for blocks of a removed file, also while a session reads or changes them.
#[test]
fn a_dirty_block_that_is_discarded_needs_no_redo() {
    let instance = inline();
    let session = instance.connect("SYSTEM").unwrap();
    let cache = instance.cache();
    let file = instance.create_tablespace(&session, &tablespace(4 << 20)).unwrap().files()[0];
    cache.checkpoint(session.meter()).unwrap();
    let first = cache.file(file).unwrap().blocks() - 5;
    let mut blocks: Vec<_> = (0..4)
        .map(|n| {
            let mut block = session.new_block(BlockAddress::new(file, first + n), BlockClass::Data).unwrap();
            session.change(&mut block, |bytes| bytes[100] = 1);
            block
        })
        .collect();
    let mut changed_after = blocks.pop().unwrap();
    drop(blocks);
    let held = session.consistent(BlockAddress::new(file, first), BlockClass::Data).unwrap();
    assert!(cache.oldest_redo().unwrap() < instance.redo().end());
    cache.remove_file(session.meter(), file);
    session.change(&mut changed_after, |bytes| bytes[100] = 2);
    drop(changed_after);
    cache.checkpoint(session.meter()).unwrap();
    assert_eq!(cache.oldest_redo().unwrap(), instance.redo().end());
    drop(held);
    assert_eq!(cache.oldest_redo().unwrap(), instance.redo().end());
    cache.flush(session.meter()).unwrap();
    assert_eq!(cache.oldest_redo().unwrap(), instance.redo().end());
}

/// Dirty buffers at the cold end of the list, which every search for a buffer passes, are cleaned once a session has
/// met many of them: before they are a large share of the pool, and before a session finds no buffer at all.
#[test]
fn a_search_that_passes_many_dirty_buffers_has_them_cleaned() {
    const DIRTY: u32 = 100;
    let files = Arc::new(MemoryFileSystem::new());
    let parameters = vec![("db_cache_size".to_owned(), "8M".to_owned())];
    let options = CreateOptions { parameters, ..CreateOptions::default() };
    let clock = Arc::new(SystemClock::default());
    let instance =
        Instance::create_with(files, Path::new("/database"), clock, None, &options, Background::Inline).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    let cache = instance.cache();
    let buffers = cache.figures().iter().map(|pool| pool.capacity).sum::<usize>();
    let (blocks, room) = (buffers as u32 + DIRTY, 1024);
    let bytes = u64::from(blocks + room) * 8192;
    let file = instance.create_tablespace(&session, &tablespace(bytes)).unwrap().files()[0];
    let first = cache.file(file).unwrap().blocks() - blocks;
    let address = |n: u32| BlockAddress::new(file, first + n);
    for n in 0..blocks {
        drop(session.new_block(address(n), BlockClass::Data).unwrap());
    }
    cache.flush(session.meter()).unwrap();
    let owner = BlockOwner { owner: Owner::Table, object: ObjectNumber(77), itl_slots: 2, bitmap: None };
    for n in 0..DIRTY {
        let mut block = session.current_mut(address(n), BlockClass::Data).unwrap();
        session.change(&mut block, |bytes| {
            format::block::format(bytes, BlockType::Data, address(n));
            format::heap::block::init(bytes, owner);
        });
    }
    let dirty = || cache.buffers().iter().filter(|buffer| buffer.dirty && buffer.address.file == file).count();
    cache.write_round(session.meter()).unwrap();
    assert_eq!(dirty(), DIRTY as usize, "nobody has asked for them, and they are no large share of {buffers} buffers");
    for n in DIRTY..blocks {
        cache.get(session.meter(), address(n), BlockClass::Data, GetMode::Consistent).unwrap();
    }
    assert!(session.meter().value(Statistic::DirtyBuffersInspected) >= 32);
    assert_eq!(cache.figures().iter().map(|pool| pool.free_buffer_waits).sum::<u64>(), 0);
    assert_eq!(dirty(), DIRTY as usize);
    cache.write_round(session.meter()).unwrap();
    assert_eq!(dirty(), 0);
    // Once: the next round has not been asked for.
    let scans = session.meter().value(Statistic::DbwrLruScans);
    assert!(scans > 0);
    cache.write_round(session.meter()).unwrap();
    assert_eq!(session.meter().value(Statistic::DbwrLruScans), scans);
    cache.check_invariants().unwrap();
}

/// The last part of a log file is kept for sessions that have latched blocks when no other file is free: a session
/// without latches waits, or does without.
#[test]
fn the_last_of_the_log_is_kept_for_latch_holders() {
    let files = Arc::new(MemoryFileSystem::new());
    let options = CreateOptions { log_bytes: 4 << 20, ..CreateOptions::default() };
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::create(files, Path::new("/database"), clock, None, &options).unwrap();
    let (session, other) = (instance.connect("SYSTEM").unwrap(), instance.connect("SYSTEM").unwrap());
    let cache = instance.cache();
    let buffers = cache.buffers().into_iter().filter(|b| b.class == BlockClass::Data as u8);
    let addresses: Vec<_> = buffers.map(|buffer| buffer.address).take(3).collect();
    // A block of the first redo in a log file cannot be written: the file does not become free again, and so there are
    // two others.
    instance.redo().switch(session.meter()).unwrap();
    cache.checkpoint(session.meter()).unwrap();
    let others_used = instance.redo().end().0 + 2 * options.log_bytes;
    let mut oldest = session.current_mut(addresses[0], BlockClass::Data).unwrap();
    let at = oldest.len() / 2;
    let byte = oldest[at];
    session.change(&mut oldest, |bytes| bytes[at] ^= 0xff);
    session.change(&mut oldest, |bytes| bytes[at] = byte);
    let mut block = session.current_mut(addresses[1], BlockClass::Data).unwrap();
    let before = block[at..at + 2000].to_vec();
    let redo = instance.redo();
    // Redo not yet written may need less than was reserved.
    let short = || !redo.has_room() && redo.flush(redo.end()).is_ok() && !redo.has_room();
    while redo.end().0 < others_used || !short() {
        session.change(&mut block, |bytes| bytes[at..at + 2000].iter_mut().for_each(|byte| *byte ^= 0xff));
    }
    session.change(&mut block, |bytes| bytes[at..at + 2000].copy_from_slice(&before));
    drop(block);
    // A cleanout can be postponed.
    assert!(cache.try_cached_mut(other.meter(), addresses[2], BlockClass::Data).unwrap().is_none());
    let (worker, address) = (other.clone(), addresses[2]);
    let work = move || worker.try_current_mut(address, BlockClass::Data).unwrap().is_some();
    let thread = spawn("searcher", work).unwrap();
    let waits =
        || other.meter().current_wait().is_some_and(|wait| wait.event == Event::LogFileSwitchCheckpointIncomplete);
    while !waits() {
        assert!(!thread.is_finished(), "it did not wait");
        std::thread::yield_now();
    }
    drop(oldest);
    assert!(thread.join().unwrap());
    assert!(cache.try_cached_mut(other.meter(), address, BlockClass::Data).unwrap().is_some());
    drop((session, other));
    instance.shutdown().unwrap();
}

/// DB_BLOCK_CHECKING keeps corrupt blocks from the disk, and is read at each write. LOW finds what a later read would
/// refuse, a row directory that reaches outside of its block, and no wrong figures of free space.
#[test]
fn a_block_that_is_not_sound_is_not_written_where_blocks_are_checked() {
    use storage::parameters::Scope;
    let (space, all) = (6..format::heap::DATA_HEADER_BYTES, 0..format::heap::DATA_HEADER_BYTES);
    for (value, spoilt, stops) in [
        ("false", &all, false),
        ("low", &space, false),
        ("low", &all, true),
        ("medium", &space, true),
        ("full", &space, true),
    ] {
        let instance = instance();
        let session = instance.connect("SYSTEM").unwrap();
        session.alter_system("db_block_checking", value, Scope::Memory).unwrap();
        instance.checkpoint(session.meter()).unwrap();
        let is_rows = |bytes: &[u8]| format::transaction::header(bytes).owner == Owner::Table as u8;
        let buffers = instance.cache().buffers();
        let mut data = buffers.iter().filter(|buffer| buffer.class == BlockClass::Data as u8);
        let address = data
            .find(|buffer| {
                is_rows(
                    &instance.cache().get(session.meter(), buffer.address, BlockClass::Data, GetMode::Current).unwrap(),
                )
            })
            .unwrap()
            .address;
        storage::cache::testing::spoil(|| {
            let mut block = session.current_mut(address, BlockClass::Data).unwrap();
            session.change(&mut block, |bytes| {
                let body = format::transaction::body_offset(bytes);
                bytes[body..][spoilt.clone()].fill(0xff);
            });
        });
        let written = instance.checkpoint(session.meter());
        assert_eq!(written.is_err(), stops, "{value}, bytes {spoilt:?}: {written:?}");
        assert_eq!(instance.health().check().is_err(), stops, "{value}, bytes {spoilt:?}");
    }
}
