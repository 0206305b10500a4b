use std::io;
use std::path::Path;

use cell::{Cell as _, LocalCell};
use common::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use common::sync::{Arc, spawn};
use device::{Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, OsFileSystem};
use proptest::prelude::*;

use crate::power::PowerFileSystem;

const SECTOR: usize = 512;
const SECTORS: usize = 48;
const DISKS: [&str; 2] = ["one", "two"];
const LOG: &str = "/c/flash_log";

/// A disk as it should be: for each sector what it has durably, and what may be there instead after a crash.
#[derive(Clone)]
struct Model {
    now: Vec<u8>,
    may_be: Vec<Vec<u8>>,
}

impl Model {
    fn new() -> Self {
        Self { now: vec![0; SECTORS], may_be: vec![vec![0]; SECTORS] }
    }

    fn write(&mut self, at: usize, count: usize, value: u8, durable: bool, acknowledged: bool) {
        for sector in at..at + count {
            if acknowledged {
                self.now[sector] = value;
            }
            if durable && acknowledged {
                self.may_be[sector].clear();
            }
            self.may_be[sector].push(value);
        }
    }

    fn sync(&mut self) {
        for (now, may_be) in self.now.iter().zip(&mut self.may_be) {
            *may_be = vec![*now];
        }
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Write {
        disk: usize,
        at: usize,
        count: usize,
        durable: bool,
    },
    Sync(usize),
    Read(usize),
    /// The power goes off after so many further writes of devices.
    Cut(u64),
    Close,
}

fn operation() -> impl Strategy<Value = Operation> {
    let range = || (0..SECTORS, 1..20_usize).prop_map(|(at, count)| (at, count.min(SECTORS - at)));
    prop_oneof![
        6 => (0..2_usize, range(), any::<u8>()).prop_map(|(disk, (at, count), kind)| Operation::Write {
            disk,
            at,
            count,
            durable: kind % 4 > 0
        }),
        1 => (0..2_usize).prop_map(Operation::Sync),
        1 => (0..2_usize).prop_map(Operation::Read),
        1 => (1..8_u64).prop_map(Operation::Cut),
        1 => Just(Operation::Close),
    ]
}

type Opened = (LocalCell, Vec<Arc<dyn Device>>);

/// Opens a cell, with the power back. It may go off again meanwhile.
fn open(files: &mut PowerFileSystem, arrives: &mut impl Iterator<Item = bool>) -> Opened {
    loop {
        if files.is_off() {
            *files = files.after(|| arrives.next().unwrap());
        }
        let cell = LocalCell::new(Arc::new(files.clone()), Path::new("/c"), true);
        let disks: io::Result<Vec<_>> = DISKS.iter().map(|disk| cell.open(disk)).collect();
        match disks {
            Ok(disks) if !files.is_off() => return (cell, disks),
            Ok(_) => {}
            Err(error) => assert!(files.is_off(), "{error}"),
        }
        std::mem::forget(cell);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    /// Over many lives: what was acknowledged as durable is there, and nothing older comes back.
    #[test]
    fn acknowledged_writes_are_there_after_each_crash(
        operations in proptest::collection::vec(operation(), 1..80),
        log_blocks in 3..14_usize,
        arrives in proptest::collection::vec(any::<bool>(), 64),
    ) {
        let bytes = SECTORS * SECTOR;
        let mut files = PowerFileSystem::new(&[(LOG, log_blocks * 4096), ("/c/one", bytes), ("/c/two", bytes)]);
        let mut models = [Model::new(), Model::new()];
        let mut arrives = arrives.into_iter().cycle();
        let (mut cell, mut disks) = open(&mut files, &mut arrives);
        let mut value = 0_u8;
        for operation in operations {
            match operation {
                Operation::Write { disk, at, count, durable } => {
                    value = value % 250 + 1;
                    let (offset, content) = ((at * SECTOR) as u64, vec![value; count * SECTOR]);
                    let written = match durable {
                        true => disks[disk].write_durable(offset, &[&content]),
                        false => disks[disk].write_at(offset, &[&content]),
                    };
                    models[disk].write(at, count, value, durable, written.is_ok());
                    prop_assert!(written.is_ok() || files.is_off(), "{written:?}");
                }
                Operation::Sync(disk) => {
                    if disks[disk].sync().is_ok() {
                        models[disk].sync();
                    }
                }
                Operation::Read(disk) => {
                    let mut found = vec![0; bytes];
                    if disks[disk].read_at(0, &mut [&mut found]).is_ok() {
                        let found: Vec<u8> = found.chunks(SECTOR).map(|sector| sector[0]).collect();
                        prop_assert_eq!(&found, &models[disk].now);
                    }
                }
                Operation::Cut(writes) => files.cut_after(writes),
                Operation::Close => {
                    drop((std::mem::take(&mut disks), cell));
                    // As the disks have lost nothing, their content is as it was.
                    (cell, disks) = open(&mut files, &mut arrives);
                    files.cut_after(0);
                }
            }
            if files.is_off() {
                // Without a last word of the cell that goes.
                std::mem::forget((std::mem::take(&mut disks), cell));
                (cell, disks) = open(&mut files, &mut arrives);
                for (name, model) in DISKS.iter().zip(&mut models) {
                    let found = files.bytes(&format!("/c/{name}"));
                    for (sector, content) in found.chunks(SECTOR).enumerate() {
                        prop_assert!(
                            content.iter().all(|byte| *byte == content[0]) && model.may_be[sector].contains(&content[0]),
                            "{name}, sector {sector}: {} and not one of {:?}", content[0], model.may_be[sector]
                        );
                        model.now[sector] = content[0];
                    }
                    // What the start has found and written again is durable.
                    model.sync();
                }
            }
        }
    }
}

fn cell_in(files: &Arc<dyn FileSystem>, log_bytes: u64) {
    files.create_directory(Path::new("/c")).unwrap();
    files.write_whole(Path::new("/c/cell.toml"), b"").unwrap();
    for (name, bytes) in [("flash_log", log_bytes), ("one", 1 << 20), ("two", 1 << 20)] {
        files.create(&Path::new("/c").join(name), bytes).unwrap();
    }
}

fn copy(from: &dyn FileSystem) -> Arc<dyn FileSystem> {
    let to = MemoryFileSystem::new();
    to.create_directory(Path::new("/c")).unwrap();
    // What the log has when it is copied, the disks need not have; what it has given up they have.
    for name in ["flash_log", "one", "two", "cell.toml"] {
        let path = Path::new("/c").join(name);
        to.write_whole(&path, &from.read_whole(&path).unwrap()).unwrap();
    }
    Arc::new(to)
}

fn filled(value: u8) -> Vec<u8> {
    vec![value; 4096]
}

fn content(disk: &dyn Device, offset: u64) -> u8 {
    let mut bytes = filled(0);
    disk.read_at(offset, &mut [&mut bytes]).unwrap();
    bytes[0]
}

#[test]
fn a_disk_that_hangs_keeps_no_writer_waiting() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 1 << 20);
    let faulty = Arc::new(FaultyFileSystem::new(Arc::clone(&memory)));
    let files = Arc::clone(&faulty) as Arc<dyn FileSystem>;
    let cell = LocalCell::new(files, Path::new("/c"), false);
    let disk = cell.open("one").unwrap();
    disk.write_durable(0, &[&filled(1)]).unwrap();
    disk.sync().unwrap();
    faulty.hang(Path::new("/c/one"));
    let before = cell.flash().unwrap().log.flash_first;
    for (place, value) in [(0_u64, 2), (1, 3)] {
        disk.write_durable(place * 4096, &[&filled(value)]).unwrap();
    }
    assert_eq!(cell.flash().unwrap().log.flash_first - before, 2);
    // The cell dies now; another one has its files.
    let other = copy(&*memory);
    let cell = LocalCell::new(Arc::clone(&other), Path::new("/c"), false);
    let disk = cell.open("one").unwrap();
    assert_eq!([content(&*disk, 0), content(&*disk, 4096)], [2, 3]);
    drop((disk, cell));
    // They were not written once more at the next start.
    let file = other.open(Path::new("/c/one")).unwrap();
    file.write_at(0, &[&filled(9)]).unwrap();
    let cell = LocalCell::new(other, Path::new("/c"), false);
    assert_eq!(content(&*cell.open("one").unwrap(), 0), 9);
    faulty.heal();
}

#[test]
fn threads_that_write_through_a_log_lose_nothing() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 64 << 10);
    let cell = LocalCell::new(Arc::clone(&memory), Path::new("/c"), false);
    let told: Arc<[AtomicU64; 4]> = Arc::default();
    let writers: Vec<_> = (0..4_u64)
        .map(|writer| {
            let (disk, told) = (cell.open(DISKS[writer as usize % 2]).unwrap(), Arc::clone(&told));
            spawn("writer", move || {
                for value in 1..=120_u8 {
                    disk.write_durable(writer * 8192, &[&filled(value), &filled(value)]).unwrap();
                    told[writer as usize].store(value.into(), Ordering::SeqCst);
                    assert_eq!(content(&*disk, writer * 8192 + 4096), value);
                }
            })
            .unwrap()
        })
        .collect();
    for _ in 0..30 {
        let before: Vec<u64> = told.iter().map(|told| told.load(Ordering::SeqCst)).collect();
        let image = copy(&*memory);
        let cell = LocalCell::new(image, Path::new("/c"), true);
        for (writer, told) in (0..4_u64).zip(before) {
            let disk = cell.open(DISKS[writer as usize % 2]).unwrap();
            let found = u64::from(content(&*disk, writer * 8192));
            assert!(found >= told, "{found}, and {told} had been acknowledged");
        }
    }
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let log = cell.flash().unwrap().log;
    assert_eq!(log.flash_first + log.disk_first + log.full, 480);
    drop(cell);
    let cell = LocalCell::new(copy(&*memory), Path::new("/c"), true);
    for writer in 0..4_u64 {
        assert_eq!(content(&*cell.open(DISKS[writer as usize % 2]).unwrap(), writer * 8192), 120);
    }
}

/// The disk has refused a write that was acknowledged: nothing of it is given any more, and the log keeps the write,
/// whatever other disks do.
#[test]
fn what_a_disk_refuses_stays_in_the_log() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 128 << 10);
    // As if a life had ended between the log and the disk.
    {
        let faulty = Arc::new(FaultyFileSystem::new(Arc::clone(&memory)));
        let cell = LocalCell::new(Arc::clone(&faulty) as Arc<dyn FileSystem>, Path::new("/c"), true);
        let disk = cell.open("one").unwrap();
        faulty.fail(2, Fault::Write);
        disk.write_durable(4096, &[&filled(5)]).unwrap_err();
        std::mem::forget((disk, cell));
    }
    // The disk is away at the next start, and the other one is used, over the whole of the log.
    memory.rename(Path::new("/c/one"), Path::new("/away")).unwrap();
    for _ in 0..2 {
        let cell = LocalCell::new(Arc::clone(&memory), Path::new("/c"), true);
        let error = cell.open("one").unwrap_err().to_string();
        assert!(!error.is_empty());
        let disk = cell.open("two").unwrap();
        for value in 0..40 {
            disk.write_durable(u64::from(value) * 4096, &[&filled(value)]).unwrap();
            disk.write_at(u64::from(value) * 4096, &[&filled(value + 1)]).unwrap();
        }
        std::mem::forget((disk, cell));
    }
    memory.rename(Path::new("/away"), Path::new("/c/one")).unwrap();
    let cell = LocalCell::new(Arc::clone(&memory), Path::new("/c"), true);
    assert_eq!(content(&*cell.open("one").unwrap(), 4096), 5);
    for value in 0..40 {
        assert_eq!(content(&*cell.open("two").unwrap(), u64::from(value) * 4096), value + 1);
    }
}

/// The log has an older write of the place: a later one that the disk has first is not acknowledged before the log has
/// it, because a start would put the older one over it.
#[test]
fn a_later_write_is_not_acknowledged_by_the_disk_alone() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 1 << 20);
    let faulty = Arc::new(FaultyFileSystem::new(Arc::clone(&memory)));
    let cell = LocalCell::new(Arc::clone(&faulty) as Arc<dyn FileSystem>, Path::new("/c"), false);
    let disk = cell.open("one").unwrap();
    // Both devices have it, whichever was first.
    while faulty.writes() < 3 {
        disk.write_durable(0, &[&filled(1)]).unwrap();
        disk.sync().unwrap();
    }
    faulty.hang(Path::new(LOG));
    let (other, done) = (Arc::clone(&disk), Arc::new(AtomicBool::new(false)));
    let is_done = Arc::clone(&done);
    let writer = spawn("writer", move || {
        other.write_durable(0, &[&filled(2)]).unwrap();
        is_done.store(true, Ordering::SeqCst);
    })
    .unwrap();
    while content(&*memory.open(Path::new("/c/one")).unwrap(), 0) != 2 {
        std::thread::yield_now();
    }
    std::thread::sleep(std::time::Duration::from_millis(50));
    let was_told = done.load(Ordering::SeqCst);
    let found = {
        let cell = LocalCell::new(copy(&*memory), Path::new("/c"), true);
        content(&*cell.open("one").unwrap(), 0)
    };
    assert!(!was_told || found == 2, "it was acknowledged, and {found} is there");
    // A place of its own needs the disk alone.
    disk.write_durable(65536, &[&filled(3)]).unwrap();
    faulty.release(Path::new(LOG));
    writer.join().unwrap();
    let cell = LocalCell::new(copy(&*memory), Path::new("/c"), true);
    let disk = cell.open("one").unwrap();
    assert_eq!([content(&*disk, 0), content(&*disk, 65536)], [2, 3]);
}

/// A disk that refuses what was acknowledged fails until it is opened anew, and has lost nothing then.
#[test]
fn a_disk_that_is_opened_anew_gets_what_it_has_refused() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 1 << 20);
    let faulty = Arc::new(FaultyFileSystem::new(Arc::clone(&memory)));
    let cell = LocalCell::new(Arc::clone(&faulty) as Arc<dyn FileSystem>, Path::new("/c"), false);
    let disk = cell.open("one").unwrap();
    disk.write_durable(0, &[&filled(1)]).unwrap();
    disk.sync().unwrap();
    faulty.hang(Path::new("/c/one"));
    disk.write_durable(0, &[&filled(2)]).unwrap();
    // It was waiting; now it is refused.
    faulty.lose(Path::new("/c/one"));
    faulty.release(Path::new("/c/one"));
    disk.sync().unwrap_err();
    disk.write_durable(8192, &[&filled(3)]).unwrap_err();
    disk.read_at(8192, &mut [&mut filled(0)]).unwrap_err();
    drop(disk);
    faulty.heal();
    let disk = cell.open("one").unwrap();
    assert_eq!([content(&*disk, 0), content(&*disk, 8192)], [2, 0]);
    disk.write_durable(0, &[&filled(4)]).unwrap();
    drop((disk, cell));
    let cell = LocalCell::new(copy(&*memory), Path::new("/c"), true);
    assert_eq!(content(&*cell.open("one").unwrap(), 0), 4);
}

/// A file in the place of a disk gets nothing that was for that.
#[test]
fn another_file_in_the_place_of_a_disk_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, files) = (folder.path().join("c"), Arc::new(OsFileSystem::new()) as Arc<dyn FileSystem>);
    files.create_directory(&folder).unwrap();
    files.write_whole(&folder.join("cell.toml"), b"").unwrap();
    for (name, bytes) in [("flash_log", 128 << 10), ("one", 1 << 20), ("two", 1 << 20)] {
        files.create(&folder.join(name), bytes).unwrap();
    }
    let cell = LocalCell::new(Arc::clone(&files), &folder, true);
    for disk in DISKS {
        cell.open(disk).unwrap().write_durable(0, &[&filled(5)]).unwrap();
    }
    // It dies without a last word, and a restored file takes the place of one disk.
    std::mem::forget(cell);
    let restored = files.create(&folder.join("restored"), 1 << 20).unwrap();
    restored.write_at(0, &[&filled(4)]).unwrap();
    files.rename(&folder.join("restored"), &folder.join("one")).unwrap();
    files.open(&folder.join("two")).unwrap().write_at(0, &[&filled(4)]).unwrap();
    let cell = LocalCell::new(Arc::clone(&files), &folder, true);
    let error = cell.open("one").unwrap().read_at(0, &mut [&mut filled(0)]).unwrap_err().to_string();
    assert!(error.contains("1 writes that disk one has not: another file is in its place"), "{error}");
    assert_eq!(content(&*cell.open("two").unwrap(), 0), 5);
    drop(cell);
    // Without the log the new file is what it is.
    files.remove(&folder.join("flash_log")).unwrap();
    let cell = LocalCell::new(Arc::clone(&files), &folder, true);
    assert_eq!(content(&*cell.open("one").unwrap(), 0), 4);
}

#[test]
fn a_log_that_fails_is_given_up() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 128 << 10);
    let faulty = Arc::new(FaultyFileSystem::new(Arc::clone(&memory)));
    let cell = LocalCell::new(Arc::clone(&faulty) as Arc<dyn FileSystem>, Path::new("/c"), true);
    let disk = cell.open("one").unwrap();
    disk.write_durable(0, &[&filled(1)]).unwrap();
    faulty.fail(1, Fault::Write);
    disk.write_durable(4096, &[&filled(2)]).unwrap();
    disk.write_durable(0, &[&filled(3)]).unwrap();
    assert!(!memory.exists(Path::new(LOG)).unwrap() && memory.exists(Path::new("/c/flash_log.failed")).unwrap());
    drop((disk, cell));
    let cell = LocalCell::new(Arc::clone(&memory), Path::new("/c"), true);
    let disk = cell.open("one").unwrap();
    assert_eq!([content(&*disk, 0), content(&*disk, 4096)], [3, 2]);
    cell.open("flash_log.failed").unwrap_err();
}

#[test]
fn what_is_no_log_is_refused() {
    let memory: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    cell_in(&memory, 128 << 10);
    memory.open(Path::new(LOG)).unwrap().write_at(7, &[b"x"]).unwrap();
    let error = LocalCell::new(Arc::clone(&memory), Path::new("/c"), true).open("one").unwrap_err().to_string();
    assert_eq!(error, "flash_log: it is no flash log, or a damaged one");
}
