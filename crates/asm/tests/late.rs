//! What reaches a disk late, or comes between: writes that were given up, files that are dropped under a check, a
//! rebalance that is wanted anew during a move.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod support;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use asm::{
    DiskGroup, Environment, FileKind, Judge, JudgedFile, Lanes, NewDisk, NewGroup, Notes, Redundancy, Step, make_disks,
};
use common::sync::{Arc, Condvar, JoinHandle, Mutex, spawn};
use device::{
    AlignedBuffer, Claim, Device, Fault, FaultyFileSystem, FileIdentity, FileSystem, MemoryFileSystem, PendingRead,
};
use support::{MB, read};

const SLOW: &str = "/d/disk02";
const PATTERN: &str = "/d/disk*";

#[derive(Default, Debug)]
struct GateState {
    /// The next write of data is held.
    armed: bool,
    held: bool,
    done: bool,
}

#[derive(Default, Debug)]
struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

impl Gate {
    fn arm(&self) {
        self.state.lock().armed = true;
    }

    fn wait_held(&self) {
        let mut state = self.state.lock();
        while !state.held {
            self.changed.wait(&mut state);
        }
    }

    /// The write goes on, and has reached the disk when this returns.
    fn release(&self) {
        let mut state = self.state.lock();
        state.held = false;
        self.changed.notify_all();
        while !state.done {
            self.changed.wait(&mut state);
        }
    }

    fn pass(&self, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let mut state = self.state.lock();
        if !state.armed {
            drop(state);
            return write();
        }
        (state.armed, state.held) = (false, true);
        self.changed.notify_all();
        while state.held {
            self.changed.wait(&mut state);
        }
        let written = write();
        state.done = true;
        self.changed.notify_all();
        written
    }
}

/// Files in memory, of which one holds a write.
#[derive(Debug)]
struct SlowFiles {
    inner: MemoryFileSystem,
    gate: Arc<Gate>,
}

#[derive(Debug)]
struct SlowDevice {
    inner: Arc<dyn Device>,
    gate: Arc<Gate>,
}

impl Device for SlowDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.inner.read_at(offset, buffers)
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        // Metadata is before this.
        if offset < 3 * MB {
            return self.inner.write_at(offset, buffers);
        }
        self.gate.pass(|| self.inner.write_at(offset, buffers))
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        self.inner.submit_read(offset, buffers)
    }

    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }

    fn direct(&self) -> bool {
        self.inner.direct()
    }

    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.inner.set_size(bytes)
    }
}

impl FileSystem for SlowFiles {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        self.inner.create(path, bytes)
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        let inner = self.inner.open(path)?;
        if path == Path::new(SLOW) {
            return Ok(Arc::new(SlowDevice { inner, gate: Arc::clone(&self.gate) }));
        }
        Ok(inner)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.inner.exists(path)
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        self.inner.identity(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.inner.rename(from, to)
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.inner.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.inner.sync_directory(path)
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_whole(path, bytes)
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.inner.read_whole(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.inner.list(path)
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.inner.claim(path)
    }
}

fn create(environment: &Environment, disks: u16) -> DiskGroup {
    let paths = make_disks(&*environment.files, PATTERN, disks, 24 * MB).unwrap();
    let disks = paths.into_iter().map(NewDisk::new).collect();
    let new = NewGroup { name: "data".into(), redundancy: Redundancy::Normal, disks, ..NewGroup::default() };
    DiskGroup::create_with(environment, &new).unwrap()
}

fn slow_group() -> (Arc<SlowFiles>, Environment, DiskGroup) {
    let files = Arc::new(SlowFiles { inner: MemoryFileSystem::new(), gate: Arc::default() });
    let mut environment = Environment::new(Arc::<SlowFiles>::clone(&files));
    environment.lanes = Some(Arc::new(Lanes::new(Duration::from_millis(300))));
    let group = create(&environment, 3);
    (files, environment, group)
}

/// The copies of all extents of file 256, by their place in the file.
fn copies(files: &SlowFiles, group: &DiskGroup) -> BTreeMap<u64, Vec<Vec<u8>>> {
    let paths: BTreeMap<u16, PathBuf> =
        group.statistics().disks.into_iter().filter_map(|disk| Some((disk.number, disk.path?))).collect();
    let mut copies: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    for place in group.extents(256).unwrap() {
        let disk = files.inner.open(&paths[&place.disk]).unwrap();
        copies.entry(place.file_offset).or_default().push(read(&*disk, place.offset, place.bytes as usize));
    }
    copies
}

#[test]
fn a_disk_with_a_write_that_was_given_up_does_not_come_back_after_a_mount() {
    let (files, environment, group) = slow_group();
    let file = group.create_file(FileKind::DataFile, "F", 6 * MB).unwrap();
    let name = file.name().to_string();
    files.gate.arm();
    file.write_at(0, &[&vec![1; 6 << 20]]).unwrap();
    file.sync().unwrap();
    drop(file);
    group.dismount().unwrap();
    drop(group);

    let group = DiskGroup::mount(&environment, "DATA", PATTERN).unwrap();
    group.online("DATA_0001", PATTERN).unwrap_err();
    let file = group.open(&name).unwrap();
    file.write_at(0, &[&vec![2; 6 << 20]]).unwrap();
    files.gate.release();
    // Its thread notes the end a moment later.
    while group.online("DATA_0001", PATTERN).is_err() {
        std::thread::yield_now();
    }
    file.sync().unwrap();
    group.settle().unwrap();
    for (offset, copies) in copies(&files, &group) {
        assert_eq!(copies.len(), 2, "{offset}");
        assert!(copies.iter().all(|copy| copy.iter().all(|byte| *byte == 2)), "{offset}");
    }
}

#[test]
fn a_disk_with_a_write_that_was_given_up_does_not_join_anew() {
    let (files, _, group) = slow_group();
    let file = group.create_file(FileKind::DataFile, "F", 6 * MB).unwrap();
    files.gate.arm();
    file.write_at(0, &[&vec![1; 6 << 20]]).unwrap();
    file.sync().unwrap();
    group.drop_disks(&["DATA_0001".into()], true).unwrap();
    let again = [NewDisk { force: true, ..NewDisk::new(SLOW) }];
    group.add_disks(&again).unwrap_err();
    files.gate.release();
    while group.add_disks(&again).is_err() {
        std::thread::yield_now();
    }
    group.want_rebalance(1).unwrap();
    while group.rebalance_step().unwrap() != Step::Finished {}
    file.write_at(0, &[&vec![2; 6 << 20]]).unwrap();
    assert!(group.extents(256).unwrap().iter().any(|place| place.disk == 3));
    for (offset, copies) in copies(&files, &group) {
        assert!(copies.iter().all(|copy| copy.iter().all(|byte| *byte == 2)), "{offset}");
    }
}

/// Drops the file OLD while its blocks are being judged, and puts another one in its place.
#[derive(Default, Debug)]
struct Replacing {
    group: OnceLock<Arc<DiskGroup>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

const NEW_BYTES: u64 = 12 * MB;

fn new_content() -> Vec<u8> {
    (0..NEW_BYTES).map(|at| (at / 4096 % 251) as u8 + 1).collect()
}

impl Judge for Replacing {
    fn block_bytes(&self, _: &JudgedFile) -> Option<u64> {
        Some(4096)
    }

    fn is_sound(&self, file: &JudgedFile, _: u64, _: &[u8]) -> bool {
        let mut thread = self.thread.lock();
        if let Some(group) = self.group.get()
            && file.name.tag == "OLD"
            && thread.is_none()
        {
            let (group, name) = (Arc::clone(group), file.name.to_string());
            let replace = move || {
                group.delete(&name).unwrap();
                let new = group.create_file(FileKind::DataFile, "NEW", NEW_BYTES).unwrap();
                new.write_at(0, &[&new_content()]).unwrap();
                new.sync().unwrap();
            };
            *thread = Some(spawn("replace", replace).unwrap());
            drop(thread);
            // Time for the other thread to do what it must not do.
            std::thread::sleep(Duration::from_millis(300));
        }
        true
    }
}

#[test]
fn a_check_with_repair_leaves_a_file_alone_that_takes_the_place_of_a_dropped_one() {
    let files = Arc::new(MemoryFileSystem::new());
    let mut environment = Environment::new(files);
    let judge = Arc::new(Replacing::default());
    environment.judge = Some(Arc::<Replacing>::clone(&judge));
    let group = Arc::new(create(&environment, 3));
    let old = group.create_file(FileKind::DataFile, "OLD", 8 * MB).unwrap();
    old.write_at(0, &[&vec![0xee; 8 << 20]]).unwrap();
    old.sync().unwrap();
    drop(old);
    judge.group.set(Arc::clone(&group)).unwrap();
    assert_eq!(group.check(true).unwrap().found, 0);
    judge.thread.lock().take().unwrap().join().unwrap();
    let new = group.open(&group.files().unwrap()[0].name.to_string()).unwrap();
    assert_eq!(new.name().tag, "NEW");
    let wanted = new_content();
    for copy in 0..2 {
        let mut found = vec![0; NEW_BYTES as usize];
        for (at, part) in found.chunks_mut(1 << 20).enumerate() {
            new.read_copy(copy, at as u64 * MB, &mut [part]).unwrap();
        }
        assert!(found == wanted, "copy {copy}");
    }
}

#[test]
fn a_rebalance_that_is_wanted_anew_during_a_move_ends() {
    let (files, _, group) = slow_group();
    let group = Arc::new(group);
    let _file = group.create_file(FileKind::DataFile, "F", 6 * MB).unwrap();
    group.drop_disks(&["DATA_0000".into()], false).unwrap();
    group.want_rebalance(1).unwrap();
    files.gate.arm();
    let working = Arc::clone(&group);
    let worker = spawn("worker", move || while working.rebalance_step().unwrap() == Step::Moved {});
    files.gate.wait_held();
    group.want_rebalance(1).unwrap();
    files.gate.release();
    worker.unwrap().join().unwrap();
    while group.rebalance_step().unwrap() != Step::Finished {
        std::thread::yield_now();
    }
    assert_eq!(group.wanted_rebalance(), None);
}

#[derive(Default, Debug)]
struct Epochs(Mutex<Vec<u64>>);

impl Notes for Epochs {
    fn note(&self, _: &str, _: String) {}

    fn epoch(&self, _: &str, epoch: u64) {
        self.0.lock().push(epoch);
    }
}

#[test]
fn the_epoch_does_not_go_back_when_disks_fail_in_a_mount() {
    let mut several = 0;
    for first in 1..12 {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let mut environment = Environment::new(Arc::<FaultyFileSystem>::clone(&files));
        let epochs = Arc::new(Epochs::default());
        environment.notes = Some(Arc::<Epochs>::clone(&epochs));
        create(&environment, 5).dismount().unwrap();
        epochs.0.lock().clear();
        for nth in [first, first + 2, first + 9] {
            files.fail(nth, Fault::Write);
        }
        let Ok(group) = DiskGroup::mount(&environment, "DATA", PATTERN) else { continue };
        let mut told = epochs.0.lock().clone();
        told.push(group.epoch().unwrap());
        assert!(told.is_sorted(), "write {first} fails first: {told:?}");
        several += usize::from(told.len() > 2);
    }
    assert!(several > 3, "{several}");
}
