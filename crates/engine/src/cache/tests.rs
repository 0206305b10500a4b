//! What readers of cached blocks wait for, and what becomes of buffers whose pool has gone.

use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use common::sync::{Arc, spawn};
use common::{BlockClass, SystemClock};
use device::MemoryFileSystem;
use waits::{Event, GetMode};

use crate::instance::{CreateOptions, Instance};

fn instance() -> Arc<Instance> {
    let options =
        CreateOptions { parameters: vec![("db_cache_size".to_owned(), "4M".to_owned())], ..CreateOptions::default() };
    let files = Arc::new(MemoryFileSystem::new());
    Instance::create(files, Path::new("/database"), Arc::new(SystemClock::default()), None, &options).unwrap()
}

/// A consistent get of a block that is in the cache takes no lock that those need who bring blocks in, throw them out or keep clones; and it waits for
/// nothing while nobody changes the block.
#[test]
fn a_cached_block_is_got_while_its_chain_and_the_replacement_list_are_locked() {
    let instance = instance();
    let cache = instance.cache();
    let buffer = cache.buffers().into_iter().find(|b| b.class == BlockClass::Data as u8).unwrap();
    let address = buffer.address;
    let pool = cache.pool(address).unwrap();
    let (chain, list) = (pool.chains.bucket(address).lock(), pool.replacement.lock());
    // Another reader has it already.
    let frame = pool.find_valid(address).unwrap();
    let other = frame.latch.read();
    let (said, heard) = mpsc::channel();
    let reader = {
        let instance = instance.clone();
        let work = move || {
            let (meter, cache) =
                (waits::Meter::new(instance.system_meter(), Arc::new(SystemClock::default()), 99, 1), instance.cache());
            assert!(cache.pool(address).unwrap().holds(address));
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
    drop((chain, list, other));
    frame.unpin();
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
    let frame = instance.cache().pool(address).unwrap().find_valid(address).unwrap();
    // Whether the reader is at the latch yet when the change ends cannot be seen, so there is more than one try.
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
        while frame.pins() < 3 {
            std::thread::yield_now();
        }
        session.change(&mut block, |bytes| bytes[at..at + 8].copy_from_slice(&before));
        drop(block);
        assert_eq!(reading.join().unwrap(), before);
        if reader.meter().event(Event::BufferBusyWaits).waits > 0 {
            break;
        }
    }
    frame.unpin();
    assert_eq!(reader.meter().event(Event::BufferBusyWaits).waits, 1);
    assert_eq!(instance.system_meter().snapshot().buffer_waits(BlockClass::Data).waits, 1);
    drop((session, reader));
    instance.shutdown().unwrap();
}

/// Buffers outlive their pool and are used by the next; a block that somebody still holds stays what it is.
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
    // On a thread of its own: to this one a block of that address is latched.
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
