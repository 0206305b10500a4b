use std::path::Path;

use cell::{Cell as _, FlashRules, FlashUse, LocalCell};
use common::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use common::sync::{Arc, spawn};
use common::{BlockAddress, FileNumber, ObjectNumber, interconnect};
use device::{AlignedBuffer, Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, OsFileSystem};
use format::block::{self, BlockType};
use format::heap;
use format::transaction::{BlockOwner, Owner};
use proptest::prelude::*;

const BLOCK: usize = 8192;
const BLOCKS: usize = 64;

/// A cell with a disk of [`BLOCKS`] blocks, and a cache of so many lines.
fn cell(files: &Arc<dyn FileSystem>, lines: u64, inline: bool) -> (LocalCell, Arc<FlashRules>, Arc<dyn Device>) {
    cell_in(files, Path::new("/c"), lines, inline)
}

fn cell_in(
    files: &Arc<dyn FileSystem>,
    folder: &Path,
    lines: u64,
    inline: bool,
) -> (LocalCell, Arc<FlashRules>, Arc<dyn Device>) {
    files.create_directory(folder).unwrap();
    files.write_whole(&folder.join("cell.toml"), b"").unwrap();
    files.create(&folder.join("d"), (BLOCK * BLOCKS) as u64).unwrap();
    files.create(&folder.join("flash_cache"), lines * (32 << 10)).unwrap();
    let cell = LocalCell::new(Arc::clone(files), folder, inline);
    let rules = Arc::<FlashRules>::default();
    cell.use_flash_by(&rules);
    let disk = cell.open("d").unwrap();
    (cell, rules, disk)
}

fn memory() -> Arc<dyn FileSystem> {
    Arc::new(MemoryFileSystem::new())
}

fn read(disk: &dyn Device, block: usize, blocks: usize) -> Vec<u8> {
    let buffers = (0..blocks).map(|_| AlignedBuffer::zeroed(BLOCK)).collect();
    disk.submit_read((block * BLOCK) as u64, buffers).unwrap().wait().unwrap().iter().flat_map(|b| b.to_vec()).collect()
}

fn of_object(object: u32, fill: u8) -> Vec<u8> {
    let mut bytes = vec![0; BLOCK];
    block::format(&mut bytes, BlockType::Data, BlockAddress::new(FileNumber(1), 130));
    let object = ObjectNumber(object);
    heap::init(&mut bytes, BlockOwner { owner: Owner::Table, object, itl_slots: 2, bitmap: None });
    bytes[4000..4100].fill(fill);
    bytes
}

#[test]
fn what_is_read_again_comes_from_the_flash() {
    let (cell, _, disk) = cell(&memory(), 4, true);
    disk.write_at(0, &[&of_object(7, 1)]).unwrap();
    let hits = || cell.flash().unwrap().cache.hits;
    assert_eq!(read(&*disk, 0, 1), of_object(7, 1));
    assert_eq!(hits(), 0);
    interconnect::take();
    assert_eq!(read(&*disk, 0, 1), of_object(7, 1));
    assert_eq!((hits(), interconnect::take().flash_bytes), (1, BLOCK as u64));
    // A write goes to both.
    disk.write_at(0, &[&of_object(7, 2)]).unwrap();
    assert_eq!(read(&*disk, 0, 1), of_object(7, 2));
    assert_eq!(hits(), 2);
    let mut bytes = vec![0; BLOCK];
    disk.read_at(0, &mut [&mut bytes]).unwrap();
    assert_eq!((bytes, hits()), (of_object(7, 2), 3));
}

#[test]
fn segments_are_cached_as_they_want() {
    let (cell, rules, disk) = cell(&memory(), 4, true);
    rules.set(ObjectNumber(8), FlashUse::Keep);
    rules.set(ObjectNumber(9), FlashUse::None);
    // A line is four blocks.
    for (block, object) in [(0, 7), (4, 8), (8, 9)] {
        disk.write_at((block * BLOCK) as u64, &[&of_object(object, 1)]).unwrap();
    }
    let hit = |block, blocks| {
        let before = cell.flash().unwrap().cache.hits;
        read(&*disk, block, blocks);
        cell.flash().unwrap().cache.hits > before
    };
    let twice = |block, blocks| [hit(block, blocks), hit(block, blocks)];
    assert_eq!((twice(0, 1), twice(4, 1), twice(8, 1)), ([false, true], [false, true], [false, false]));
    // A scan of a segment without a wish reads past the cache, and one that is to be kept into it.
    assert_eq!(twice(16, 17), [false, false]);
    disk.write_at((40 * BLOCK) as u64, &[&of_object(8, 1)]).unwrap();
    // Four lines: what is to be kept drives all else out, and is driven out by its own kind alone.
    assert_eq!(twice(40, 16), [false, true]);
    assert_eq!((hit(0, 1), hit(0, 1)), (false, false));
    assert!(hit(40, 16));
}

#[test]
fn a_damaged_or_failed_flash_costs_no_data() {
    let faulty = Arc::new(FaultyFileSystem::new(memory()));
    let files = Arc::clone(&faulty) as Arc<dyn FileSystem>;
    let (cell, _, disk) = cell(&files, 4, true);
    disk.write_at(0, &[&of_object(7, 1)]).unwrap();
    read(&*disk, 0, 1);
    faulty.flip(Path::new("/c/flash_cache"), 4000).unwrap();
    assert_eq!(read(&*disk, 0, 1), of_object(7, 1));
    assert_eq!(cell.flash().unwrap().cache.hits, 0);
    // It is read from the disk and not written again, because the cache thinks that it has it.
    faulty.make_unreadable(Path::new("/c/flash_cache"), 0..BLOCK as u64);
    assert_eq!(read(&*disk, 0, 1), of_object(7, 1));
    faulty.heal();
    faulty.fail(1, Fault::Write);
    assert_eq!(read(&*disk, 4, 1), vec![0; BLOCK]);
    // The device has failed: nothing is cached any more.
    read(&*disk, 8, 1);
    read(&*disk, 8, 1);
    assert_eq!(cell.flash().unwrap().cache.hits, 0);
}

#[derive(Clone, Debug)]
enum Operation {
    Read {
        block: usize,
        blocks: usize,
        whole: bool,
    },
    Write {
        block: usize,
        blocks: usize,
        object: u32,
        fill: u8,
        durable: bool,
    },
    /// Bytes that are no whole blocks.
    Odd {
        offset: usize,
        bytes: usize,
        fill: u8,
    },
    Rule(u32, usize),
    Damage(u64),
}

fn operation() -> impl Strategy<Value = Operation> {
    let range = || (0..BLOCKS, 1..20_usize).prop_map(|(block, blocks)| (block, blocks.min(BLOCKS - block)));
    prop_oneof![
        4 => (range(), any::<bool>()).prop_map(|((block, blocks), whole)| Operation::Read { block, blocks, whole }),
        3 => (range(), 7..10_u32, any::<u8>(), any::<bool>()).prop_map(
            |((block, blocks), object, fill, durable)| Operation::Write { block, blocks, object, fill, durable }
        ),
        1 => (0..BLOCK * BLOCKS, 1..3 * BLOCK, any::<u8>()).prop_map(|(offset, bytes, fill)| Operation::Odd {
            offset,
            bytes: bytes.min(BLOCK * BLOCKS - offset),
            fill
        }),
        1 => (7..10_u32, 0..3_usize).prop_map(|(object, wanted)| Operation::Rule(object, wanted)),
        1 => (0..4 * (32_u64 << 10)).prop_map(Operation::Damage),
    ]
}

proptest! {
    /// Whatever is cached, reads see what was written last.
    #[test]
    fn reads_are_those_of_a_disk_without_a_cache(
        operations in proptest::collection::vec(operation(), 1..60),
        inline: bool,
    ) {
        let faulty = Arc::new(FaultyFileSystem::new(memory()));
        let files = Arc::clone(&faulty) as Arc<dyn FileSystem>;
        let (_cell, rules, disk) = cell(&files, 4, inline);
        let mut model = vec![0; BLOCK * BLOCKS];
        for operation in operations {
            match operation {
                Operation::Read { block, blocks, whole } => {
                    let found = if whole {
                        let mut bytes = vec![0; blocks * BLOCK];
                        let (first, rest) = bytes.split_at_mut(BLOCK);
                        disk.read_at((block * BLOCK) as u64, &mut [first, rest]).unwrap();
                        bytes
                    } else {
                        read(&*disk, block, blocks)
                    };
                    prop_assert!(found == model[block * BLOCK..(block + blocks) * BLOCK]);
                }
                Operation::Write { block, blocks, object, fill, durable } => {
                    let bytes = of_object(object, fill).repeat(blocks);
                    let at = block * BLOCK;
                    model[at..at + bytes.len()].copy_from_slice(&bytes);
                    let parts: Vec<&[u8]> = bytes.chunks(BLOCK).collect();
                    match durable {
                        true => disk.write_durable(at as u64, &parts).unwrap(),
                        false => disk.write_at(at as u64, &parts).unwrap(),
                    }
                }
                Operation::Odd { offset, bytes, fill } => {
                    model[offset..offset + bytes].fill(fill);
                    disk.write_at(offset as u64, &[&vec![fill; bytes]]).unwrap();
                }
                Operation::Rule(object, wanted) => rules.set(ObjectNumber(object), FlashUse::ALL[wanted]),
                Operation::Damage(at) => faulty.flip(Path::new("/c/flash_cache"), at).unwrap(),
            }
        }
    }
}

/// Sessions that read and write at once never see an older block than one that was written before their read began.
#[test]
fn a_reader_sees_no_older_block_than_the_last_one() {
    const SLOTS: usize = 6;
    let folder = tempfile::tempdir().unwrap();
    let files: Arc<dyn FileSystem> = Arc::new(OsFileSystem::new());
    let (_cell, _, disk) = cell_in(&files, &folder.path().join("c"), 2, false);
    let written: Arc<Vec<AtomicU64>> = Arc::new((0..SLOTS).map(|_| AtomicU64::new(0)).collect());
    let done = Arc::new(AtomicBool::new(false));
    let stamped = |value: u64| value.to_le_bytes().repeat(BLOCK / 8);
    // Blocks of three lines in a cache of two.
    let place = |slot: usize| (slot * 2 * BLOCK) as u64;
    let writers = (0..2).map(|writer| {
        let (disk, written) = (Arc::clone(&disk), Arc::clone(&written));
        spawn("writer", move || {
            for value in 1..400_u64 {
                for slot in (writer..SLOTS).step_by(2) {
                    disk.write_at(place(slot), &[&stamped(value)]).unwrap();
                    written[slot].store(value, Ordering::SeqCst);
                }
            }
        })
        .unwrap()
    });
    let readers = (0..3).map(|_| {
        let (disk, written, done) = (Arc::clone(&disk), Arc::clone(&written), Arc::clone(&done));
        spawn("reader", move || {
            while !done.load(Ordering::SeqCst) {
                for slot in 0..SLOTS {
                    let least = written[slot].load(Ordering::SeqCst);
                    let mut bytes = vec![0; BLOCK];
                    disk.read_at(place(slot), &mut [&mut bytes]).unwrap();
                    let found = u64::from_le_bytes(bytes[..8].try_into().unwrap());
                    assert!(found >= least, "slot {slot}: {found}, and {least} had been written");
                }
            }
        })
        .unwrap()
    });
    let (writers, readers): (Vec<_>, Vec<_>) = (writers.collect(), readers.collect());
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    done.store(true, Ordering::SeqCst);
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    for slot in 0..SLOTS {
        let mut bytes = vec![0; BLOCK];
        disk.read_at(place(slot), &mut [&mut bytes]).unwrap();
        assert_eq!(bytes, stamped(399));
    }
}

/// Writers of the same blocks: whichever the disk has, reads see.
#[test]
fn a_cache_has_what_the_disk_has_when_writers_meet() {
    const SLOTS: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let (folder, files) = (folder.path().join("c"), Arc::new(OsFileSystem::new()) as Arc<dyn FileSystem>);
    let (_cell, _, disk) = cell_in(&files, &folder, 4, false);
    let place = |slot: usize| (slot * 4 * BLOCK) as u64;
    let content = |disk: &dyn Device, slot| {
        let mut bytes = vec![0; BLOCK];
        disk.read_at(place(slot), &mut [&mut bytes]).unwrap();
        bytes
    };
    for round in 0..60_u8 {
        // The cache has them all, so that writes go to it, too.
        (0..SLOTS).for_each(|slot| drop(content(&*disk, slot)));
        let writers: Vec<_> = (0..3_u8)
            .map(|writer| {
                let disk = Arc::clone(&disk);
                let bytes = vec![round * 4 + writer; BLOCK];
                spawn("writer", move || (0..SLOTS).for_each(|slot| disk.write_at(place(slot), &[&bytes]).unwrap()))
                    .unwrap()
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        let file = files.open(&folder.join("d")).unwrap();
        for slot in 0..SLOTS {
            let found = content(&*file, slot);
            for _ in 0..3 {
                assert_eq!(content(&*disk, slot)[0], found[0], "slot {slot}, round {round}");
            }
        }
    }
}
