//! Many sessions at once on a cache that is far too small, with reads and writes that are delayed or fail while others
//! wait.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use common::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use common::sync::{Arc, Condvar, JoinHandle, Mutex, spawn};
use common::{BlockClass, BlockSize, Clock, ErrorKind, ObjectNumber, SystemClock};
use device::{AlignedBuffer, Device, Fault, FaultyFileSystem, FileSystem, MemoryFileSystem, PendingRead};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::heap;
use format::transaction::Owner;
use storage::control::SpaceManagement;
use storage::segment::{DirectLoad, Segment, SegmentSpec, Storage};
use waits::Event;

fn directory() -> PathBuf {
    PathBuf::from("/data")
}

fn database(files: &Arc<dyn FileSystem>, size: BlockSize, cache_blocks: u64) -> (Arc<Instance>, Arc<Session>) {
    let options = CreateOptions {
        block_size: size,
        parameters: vec![("db_cache_size".to_owned(), (cache_blocks * size.bytes() as u64).to_string())],
        ..CreateOptions::default()
    };
    let clock = Arc::new(SystemClock::default());
    let instance = Instance::create(files.clone(), &directory(), clock, None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    (instance, session)
}

fn segment(
    instance: &Arc<Instance>,
    s: &Session,
    management: SpaceManagement,
    freelists: u16,
    owner: Owner,
) -> Arc<Segment> {
    let name = format!("T{}", instance.tablespaces().all().len());
    let spec = TablespaceSpec {
        logging: true,
        name: name.clone(),
        files: vec![DatafileSpec {
            name: format!("{name}.dbf"),
            bytes: 8 << 20,
            reuse: false,
            autoextend: Some((4 << 20, None)),
        }],
        block_size: None,
        uniform_bytes: None,
        space_management: management,
    };
    let tablespace = instance.create_tablespace(s, &spec).unwrap().number();
    let spec = SegmentSpec {
        name: format!("SYSTEM.{name}"),
        object: ObjectNumber(9_000 + tablespace.0),
        data_object: ObjectNumber(9_000 + tablespace.0),
        tablespace,
        owner,
        pctfree: 10,
        pctused: 40,
        initrans: 1,
        maxtrans: 255,
        storage: Storage { freelists, ..Storage::default() },
    };
    Segment::create(s, &spec).unwrap()
}

fn piece() -> Vec<u8> {
    let mut piece = vec![0x2c, 0, 1, 96];
    piece.resize(100, b'x');
    piece
}

fn insert(segment: &Segment, s: &Session, rows: usize) -> common::Result<()> {
    let piece = piece();
    for n in 0..rows {
        let mut block = segment.block_for_insert(s, piece.len())?;
        s.change(&mut block, |b| heap::insert(b, &piece)).expect("room");
        segment.inserted(s, block, (n + 1 < rows).then_some(piece.len().into()))?;
    }
    Ok(())
}

/// Rows found by a full scan.
fn count(segment: &Segment, s: &Session) -> common::Result<usize> {
    let mut found = 0;
    let mut scan = s.scan_blocks(segment.scan_ranges(s)?, BlockClass::Data, true);
    while let Some(block) = scan.next_block()? {
        if format::transaction::header(&block).object_number() == segment.data_object() {
            found += heap::row_count(&block);
        }
    }
    Ok(found)
}

/// Joins a thread that must end soon.
fn join<T>(thread: JoinHandle<T>, seconds: u64) -> T {
    let clock = SystemClock::default();
    let start = clock.monotonic_us();
    while !thread.is_finished() {
        assert!(clock.monotonic_us() - start < seconds * 1_000_000, "a session hangs");
        pause();
    }
    thread.join().unwrap()
}

fn pause() {
    let (mutex, never) = (Mutex::new(()), Condvar::new());
    never.wait_for(&mut mutex.lock(), Duration::from_millis(5));
}

#[test]
fn sessions_insert_delete_scan_and_flush_at_once() {
    for (size, management, freelists) in [
        (BlockSize::K2, SpaceManagement::Manual, 1),
        (BlockSize::K2, SpaceManagement::Auto, 1),
        (BlockSize::K8, SpaceManagement::Manual, 3),
        (BlockSize::K8, SpaceManagement::Auto, 1),
    ] {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let (instance, s) = database(&files, size, 120);
        let table = segment(&instance, &s, management, freelists, Owner::Table);
        let deleted = Arc::new(AtomicUsize::new(0));
        let done = Arc::new(AtomicBool::new(false));
        let rows = 6_000;
        let changers: Vec<_> = (0..4)
            .map(|n| {
                let (instance, table, deleted) = (instance.clone(), table.clone(), deleted.clone());
                spawn(&format!("changer {n}"), move || {
                    let s = instance.connect("SYSTEM").unwrap();
                    for round in 0..rows / 500 {
                        insert(&table, &s, 500).unwrap();
                        let ranges = table.scan_ranges(&s).unwrap();
                        let range = ranges[(round * 7 + n) % ranges.len()];
                        for at in 0..range.blocks.min(4) {
                            let mut block = s.current_mut(range.start.plus(at), BlockClass::Data).unwrap();
                            let slots: Vec<_> = heap::rows(&block, 0).map(|(slot, _)| slot).step_by(2).collect();
                            table.watch(&mut block);
                            for slot in &slots {
                                s.change(&mut block, |b| heap::delete(b, *slot));
                            }
                            deleted.fetch_add(slots.len(), Ordering::Relaxed);
                            table.changed(&s, block).unwrap();
                        }
                    }
                })
                .unwrap()
            })
            .collect();
        let others: Vec<_> = (0..4)
            .map(|n| {
                let (instance, table, done) = (instance.clone(), table.clone(), done.clone());
                spawn(&format!("other {n}"), move || {
                    let s = instance.connect("SYSTEM").unwrap();
                    while !done.load(Ordering::Acquire) {
                        match n {
                            0 => instance.checkpoint(s.meter()).unwrap(),
                            1 => instance.cache().flush(s.meter()).unwrap(),
                            _ => drop(count(&table, &s).unwrap()),
                        }
                    }
                })
                .unwrap()
            })
            .collect();
        for thread in changers {
            join(thread, 60);
        }
        done.store(true, Ordering::Release);
        for thread in others {
            join(thread, 60);
        }
        let expected = 4 * rows - deleted.load(Ordering::Relaxed);
        assert_eq!(count(&table, &s).unwrap(), expected, "{size} {management:?}");
        instance.cache().flush(s.meter()).unwrap();
        assert!(instance.cache().buffers().is_empty(), "a pin was left behind");
        assert_eq!(count(&table, &s).unwrap(), expected, "{size} {management:?} from disk");
        drop(s);
        instance.shutdown().unwrap();
    }
}

#[test]
fn many_scans_share_a_cache_smaller_than_their_reads() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 64);
    let table = segment(&instance, &s, SpaceManagement::Auto, 1, Owner::Table);
    insert(&table, &s, 20_000).unwrap();
    let threads: Vec<_> = (0..8)
        .map(|n| {
            let (instance, table) = (instance.clone(), table.clone());
            spawn(&format!("scan {n}"), move || {
                let s = instance.connect("SYSTEM").unwrap();
                for _ in 0..5 {
                    assert_eq!(count(&table, &s).unwrap(), 20_000);
                }
            })
            .unwrap()
        })
        .collect();
    for thread in threads {
        join(thread, 20);
    }
    drop(s);
    instance.shutdown().unwrap();
}

/// Abandoned scans leave their read-ahead under way; any reader may complete it.
#[test]
fn idle_scans_block_no_session() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 64);
    let table = segment(&instance, &s, SpaceManagement::Auto, 1, Owner::Table);
    insert(&table, &s, 20_000).unwrap();
    instance.cache().flush(s.meter()).unwrap();
    let ranges = table.scan_ranges(&s).unwrap();
    let mut idle: Vec<_> = (0..12)
        .map(|n| {
            let from = n * ranges.len() / 12;
            s.scan_blocks(ranges[from..].to_vec(), BlockClass::Data, true)
        })
        .collect();
    for scan in &mut idle {
        scan.next_block().unwrap().unwrap();
    }
    let reader = {
        let (instance, table) = (instance.clone(), table.clone());
        spawn("reader", move || count(&table, &instance.connect("SYSTEM").unwrap()).unwrap()).unwrap()
    };
    assert_eq!(join(reader, 10), 20_000);
    // Nor do they keep a segment from being truncated.
    instance.cache().flush(s.meter()).unwrap();
    for n in 0..4 {
        let mut scan = s.scan_blocks(ranges[n * ranges.len() / 4..].to_vec(), BlockClass::Data, true);
        scan.next_block().unwrap().unwrap();
        idle.push(scan);
    }
    let emptier = {
        let (instance, table) = (instance.clone(), table.clone());
        let object = ObjectNumber(9_900);
        spawn("emptier", move || table.truncate(&instance.connect("SYSTEM").unwrap(), object).unwrap()).unwrap()
    };
    let emptied = join(emptier, 10);
    assert_eq!(count(&emptied, &s).unwrap(), 0);
    insert(&emptied, &s, 5_000).unwrap();
    for scan in &mut idle {
        while scan.next_block().unwrap().is_some() {}
    }
    drop(idle);
    assert_eq!(count(&emptied, &s).unwrap(), 5_000);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_block_in_use_does_not_keep_its_segment_from_being_dropped() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 200);
    let table = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Table);
    insert(&table, &s, 1_000).unwrap();
    let held = s.consistent(table.scan_ranges(&s).unwrap()[0].start, BlockClass::Data).unwrap();
    let before = held.to_vec();
    let dropper = {
        let (instance, table) = (instance.clone(), table.clone());
        spawn("dropper", move || table.drop_segment(&instance.connect("SYSTEM").unwrap()).unwrap()).unwrap()
    };
    join(dropper, 10);
    assert_eq!(before, held.to_vec());
    drop(held);
    instance.cache().flush(s.meter()).unwrap();
    assert!(instance.cache().buffers().is_empty());
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_checkpoint_that_waits_for_a_latch_keeps_no_buffers() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 64);
    let table = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Table);
    insert(&table, &s, 4_000).unwrap();
    instance.cache().flush(s.meter()).unwrap();
    // The extents are adjacent: the whole cache is one run of the checkpoint, and its last block is latched.
    let start = table.scan_ranges(&s).unwrap()[0].start;
    let mut last = None;
    for n in 0..64 {
        let mut block = s.current_mut(start.plus(n), BlockClass::Data).unwrap();
        s.change(&mut block, |_| ());
        last = Some(block);
    }
    let checkpoint = {
        let instance = instance.clone();
        spawn("checkpoint", move || {
            let s = instance.connect("SYSTEM").unwrap();
            instance.checkpoint(s.meter()).unwrap();
        })
        .unwrap()
    };
    for _ in 0..20 {
        pause();
    }
    let clock = SystemClock::default();
    let start = clock.monotonic_us();
    assert!(count_but(&table, &s, last.as_ref().unwrap().address()) > 1_000);
    assert!(clock.monotonic_us() - start < 10_000_000, "the checkpoint kept its buffers");
    drop(last);
    join(checkpoint, 10);
    drop(s);
    instance.shutdown().unwrap();
}

/// Reads every block of a segment but one, singly; returns the rows.
fn count_but(segment: &Segment, s: &Session, except: common::BlockAddress) -> usize {
    let mut found = 0;
    for range in segment.scan_ranges(s).unwrap() {
        for n in (0..range.blocks).filter(|n| range.start.plus(*n) != except) {
            found += heap::row_count(&s.consistent(range.start.plus(n), BlockClass::Data).unwrap());
        }
    }
    found
}

#[test]
fn sessions_that_wait_for_buffers_learn_that_the_writer_failed() {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let (instance, s) = database(&files, BlockSize::K2, 64);
    let table = segment(&instance, &s, SpaceManagement::Auto, 1, Owner::Table);
    insert(&table, &s, 1_000).unwrap();
    instance.checkpoint(s.meter()).unwrap();
    let threads: Vec<_> = (0..4)
        .map(|n| {
            let (s, table) = (instance.connect("SYSTEM").unwrap(), table.clone());
            spawn(&format!("filler {n}"), move || insert(&table, &s, 100_000).unwrap_err()).unwrap()
        })
        .collect();
    faulty.fail(1, Fault::Write);
    for thread in threads {
        assert_eq!(join(thread, 10).kind, ErrorKind::Poisoned);
    }
    drop(s);
    assert!(instance.shutdown().is_err());
    assert!(instance.shutdown().is_err(), "asking twice makes it no better");
}

/// A file system whose reads wait at a gate, and fail if they are told to.
#[derive(Debug)]
struct Gated {
    inner: Arc<dyn FileSystem>,
    gate: Arc<Gate>,
}

#[derive(Debug, Default)]
struct Gate {
    closed: Mutex<bool>,
    opened: Condvar,
    fail: AtomicBool,
    waiting: AtomicUsize,
    /// The next write waits until the gate is opened; those after it pass.
    hold_write: AtomicBool,
}

impl Gate {
    fn pass(&self) -> io::Result<()> {
        let mut closed = self.closed.lock();
        if *closed {
            self.waiting.fetch_add(1, Ordering::AcqRel);
        }
        while *closed {
            self.opened.wait(&mut closed);
        }
        if self.fail.load(Ordering::Acquire) { Err(io::Error::other("failed at the gate")) } else { Ok(()) }
    }

    fn open(&self) {
        *self.closed.lock() = false;
        self.opened.notify_all();
    }
}

#[derive(Debug)]
struct GatedDevice {
    inner: Arc<dyn Device>,
    gate: Arc<Gate>,
}

impl Device for GatedDevice {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.gate.pass()?;
        self.inner.read_at(offset, buffers)
    }
    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        if self.gate.hold_write.swap(false, Ordering::AcqRel) {
            self.gate.pass()?;
        }
        self.inner.write_at(offset, buffers)
    }
    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        match self.gate.pass() {
            Ok(()) => self.inner.submit_read(offset, buffers),
            Err(error) => Ok(PendingRead::ready(Err(error))),
        }
    }
    fn sync(&self) -> io::Result<()> {
        self.inner.sync()
    }
    fn size(&self) -> io::Result<u64> {
        self.inner.size()
    }
    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.inner.set_size(bytes)
    }
    fn direct(&self) -> bool {
        self.inner.direct()
    }
}

impl FileSystem for Gated {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(GatedDevice { inner: self.inner.create(path, bytes)?, gate: self.gate.clone() }))
    }
    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        Ok(Arc::new(GatedDevice { inner: self.inner.open(path)?, gate: self.gate.clone() }))
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.inner.remove(path)
    }
    fn exists(&self, path: &Path) -> io::Result<bool> {
        self.inner.exists(path)
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
}

/// Two writers of one block: the copy that was taken first lands first, however long its write takes.
#[test]
fn an_older_copy_of_a_block_never_lands_after_a_newer_one() {
    let gate = Arc::new(Gate::default());
    let files: Arc<dyn FileSystem> = Arc::new(Gated { inner: Arc::new(MemoryFileSystem::new()), gate: gate.clone() });
    let (instance, s) = database(&files, BlockSize::K8, 120);
    let table = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Table);
    insert(&table, &s, 10).unwrap();
    instance.checkpoint(s.meter()).unwrap();
    insert(&table, &s, 1).unwrap();
    *gate.closed.lock() = true;
    gate.hold_write.store(true, Ordering::Release);
    let writer = |name: &str| {
        let instance = instance.clone();
        let s = instance.connect("SYSTEM").unwrap();
        spawn(name, move || instance.checkpoint(s.meter()).unwrap()).unwrap()
    };
    let first = writer("first");
    while gate.waiting.load(Ordering::Acquire) == 0 {
        pause();
    }
    insert(&table, &s, 1).unwrap();
    let second = writer("second");
    for _ in 0..20 {
        pause();
    }
    gate.open();
    join(first, 10);
    join(second, 10);
    instance.cache().flush(s.meter()).unwrap();
    assert_eq!(count(&table, &s).unwrap(), 12);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_read_of_one_block_is_waited_for_as_long_as_it_takes() {
    const HELD: Duration = Duration::from_millis(40);
    let gate = Arc::new(Gate::default());
    let files: Arc<dyn FileSystem> = Arc::new(Gated { inner: Arc::new(MemoryFileSystem::new()), gate: gate.clone() });
    let (instance, s) = database(&files, BlockSize::K8, 120);
    let table = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Table);
    insert(&table, &s, 10).unwrap();
    let block = table.scan_ranges(&s).unwrap()[0].start;
    instance.cache().flush(s.meter()).unwrap();
    let before = s.meter().event(Event::DbFileSequentialRead);
    *gate.closed.lock() = true;
    let opener = {
        let gate = gate.clone();
        spawn("opener", move || {
            while gate.waiting.load(Ordering::Acquire) == 0 {
                pause();
            }
            std::thread::sleep(HELD);
            gate.open();
        })
        .unwrap()
    };
    drop(s.consistent(block, BlockClass::Data).unwrap());
    join(opener, 10);
    let after = s.meter().event(Event::DbFileSequentialRead);
    assert_eq!(after.waits - before.waits, 1);
    let waited = after.micros - before.micros;
    assert!(waited >= HELD.as_micros() as u64, "the wait is {waited} us, the read took {HELD:?}");
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_failed_multiblock_read_fails_for_all_waiters() {
    let gate = Arc::new(Gate::default());
    let files: Arc<dyn FileSystem> = Arc::new(Gated { inner: Arc::new(MemoryFileSystem::new()), gate: gate.clone() });
    let (instance, s) = database(&files, BlockSize::K2, 500);
    let table = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Table);
    insert(&table, &s, 3_000).unwrap();
    let range = *table.scan_ranges(&s).unwrap().iter().max_by_key(|range| range.blocks).unwrap();
    assert!(range.blocks >= 8);
    instance.cache().flush(s.meter()).unwrap();
    gate.fail.store(true, Ordering::Release);
    *gate.closed.lock() = true;
    let told = Arc::new(AtomicBool::new(false));
    let scanner = {
        let (instance, gate, told) = (instance.clone(), gate.clone(), told.clone());
        spawn("scanner", move || {
            let s = instance.connect("SYSTEM").unwrap();
            let mut scan = s.scan_blocks(vec![range], BlockClass::Data, true);
            let failed = scan.next_block().unwrap_err();
            told.store(true, Ordering::Release);
            while gate.fail.load(Ordering::Acquire) {
                pause();
            }
            // The scan stays in its place and can continue.
            (failed, scan.next_block().unwrap().unwrap().address())
        })
        .unwrap()
    };
    while gate.waiting.load(Ordering::Acquire) == 0 {
        pause();
    }
    let readers: Vec<_> = (0..5)
        .map(|n| {
            let instance = instance.clone();
            spawn(&format!("reader {n}"), move || {
                let s = instance.connect("SYSTEM").unwrap();
                s.consistent(range.start.plus(n), BlockClass::Data).map(|block| block.address()).unwrap_err()
            })
            .unwrap()
        })
        .collect();
    for _ in 0..20 {
        pause();
    }
    gate.open();
    for reader in readers {
        let error = join(reader, 10);
        assert!(error.is_ora(1115), "{error}");
    }
    // Until now every read failed: when a reader completed the scan's read for it, the scan read again.
    while !told.load(Ordering::Acquire) && !scanner.is_finished() {
        pause();
    }
    gate.fail.store(false, Ordering::Release);
    let (failed, next) = join(scanner, 10);
    assert!(failed.is_ora(1115), "{failed}");
    assert_eq!(next, range.start);
    assert_eq!(count(&table, &s).unwrap(), 3_000);
    instance.cache().flush(s.meter()).unwrap();
    assert!(instance.cache().buffers().is_empty(), "a pin was left behind");
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_search_for_space_can_be_cancelled() {
    for management in [SpaceManagement::Manual, SpaceManagement::Auto] {
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
        let (instance, s) = database(&files, BlockSize::K2, 500);
        let table = segment(&instance, &s, management, 1, Owner::Table);
        s.cancel_handle().store(true, Ordering::Release);
        assert!(insert(&table, &s, 1_000).unwrap_err().is_ora(1013), "{management:?}");
        insert(&table, &s, 1_000).unwrap();
        s.cancel_handle().store(true, Ordering::Release);
        assert!(DirectLoad::new(&*table, &**s.worker()).unwrap().next_block().unwrap_err().is_ora(1013));
        assert_eq!(count(&table, &s).unwrap(), 1_000);
        drop(s);
        instance.shutdown().unwrap();
    }
    // The head of the list is in use all the time: the search for an index block repeats until it is released, or
    // cancelled.
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 500);
    let index = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Index);
    let block = index.empty_block(&s).unwrap();
    let address = block.address();
    index.release_block(&s, block).unwrap();
    let held = s.current_mut(address, BlockClass::Data).unwrap();
    let searcher = instance.connect("SYSTEM").unwrap();
    let cancel = searcher.cancel_handle();
    let search = {
        let index = index.clone();
        spawn("search", move || index.empty_block(&searcher).map(drop).unwrap_err()).unwrap()
    };
    pause();
    cancel.store(true, Ordering::Release);
    assert!(join(search, 10).is_ora(1013));
    drop(held);
    assert_eq!(index.empty_block(&s).unwrap().address(), address);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_file_that_cannot_grow_leaves_the_others() {
    let faulty = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let (instance, s) = database(&files, BlockSize::K2, 2_000);
    let table = segment(&instance, &s, SpaceManagement::Auto, 1, Owner::Table);
    let fixed = DatafileSpec { name: "fixed.dbf".to_owned(), bytes: 16 << 20, reuse: false, autoextend: None };
    instance.add_datafiles(&s, table.tablespace(), &[fixed]).unwrap();
    for n in 1..=1_000 {
        faulty.fail(n, Fault::Growth);
    }
    let error = insert(&table, &s, 1_000_000).unwrap_err();
    assert_eq!(error.kind, ErrorKind::OutOfResource, "{error}");
    let free: u32 = table.tablespace().free_space(&s).unwrap().iter().map(|free| free.blocks).sum();
    assert!(free < 32, "{free} blocks were free in one of the files");
    let rows = count(&table, &s).unwrap();
    faulty.heal();
    insert(&table, &s, 10_000).unwrap();
    assert_eq!(count(&table, &s).unwrap(), rows + 10_000);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn the_close_waits_for_calls_and_lets_no_more_begin() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 500);
    let table = segment(&instance, &s, SpaceManagement::Auto, 1, Owner::Table);
    let idle = instance.connect("SYSTEM").unwrap();
    let call = s.call().unwrap();
    insert(&table, &s, 100).unwrap();
    let closer = {
        let instance = instance.clone();
        spawn("closer", move || instance.shutdown()).unwrap()
    };
    while instance.connect("SYSTEM").is_ok() {
        pause();
    }
    assert!(instance.connect("SYSTEM").unwrap_err().is_ora(1090));
    assert!(idle.call().unwrap_err().is_ora(1089));
    // The running call gets the error once, and may clean up, also with calls of its own.
    assert!(s.check_cancelled().unwrap_err().is_ora(1089));
    let inner = s.call().unwrap();
    insert(&table, &s, 11).unwrap();
    drop(inner);
    assert!(!closer.is_finished(), "the close does not wait for the call");
    drop(call);
    join(closer, 10).unwrap();
    assert!(s.call().unwrap_err().is_ora(1092));
    assert!(insert(&table, &s, 1).unwrap_err().is_ora(1092), "a change after the close");
    assert!(instance.checkpoint(s.meter()).unwrap_err().is_ora(1092));
    assert!(instance.connect("SYSTEM").unwrap_err().is_ora(1034));
    instance.shutdown().unwrap();
    let (spec, header) = (table.spec().clone(), table.header());
    drop((table, s, idle, instance));
    let instance = Instance::open(files, &directory(), Arc::new(SystemClock::default()), None).unwrap();
    let s = instance.connect("SYSTEM").unwrap();
    assert_eq!(count(&Segment::open(&s, &spec, header).unwrap(), &s).unwrap(), 111);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn files_come_and_go_while_segments_are_made_in_them() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = database(&files, BlockSize::K2, 2_000);
    let base = segment(&instance, &s, SpaceManagement::Manual, 1, Owner::Table);
    let tablespace = base.tablespace().clone();
    let free = |s: &Session| tablespace.free_space(s).unwrap().iter().map(|free| free.blocks).sum::<u32>();
    let before = free(&s);
    let (done, made) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let makers: Vec<_> = (0..3)
        .map(|n| {
            let (instance, base, done, made) = (instance.clone(), base.clone(), done.clone(), made.clone());
            spawn(&format!("maker {n}"), move || {
                let s = instance.connect("SYSTEM").unwrap();
                let object = ObjectNumber(20_000 + n);
                let spec = SegmentSpec { object, data_object: object, ..base.spec().clone() };
                while !done.load(Ordering::Acquire) {
                    let segment = Segment::create(&s, &spec).unwrap();
                    let name = "extra.dbf";
                    for extent in segment.extents(&s).unwrap() {
                        assert!(
                            segment.tablespace().files().contains(&extent.start.file),
                            "an extent in a dropped file"
                        );
                    }
                    // A size that cuts off nothing, of a file that may be gone.
                    if let Err(error) = instance.resize_datafile(&s, name, 4 << 20) {
                        assert!(error.is_ora(1516), "{error}");
                    }
                    segment.drop_segment(&s).unwrap();
                    made.fetch_add(1, Ordering::AcqRel);
                }
            })
            .unwrap()
        })
        .collect();
    let mut dropped = 0;
    let clock = SystemClock::default();
    let start = clock.monotonic_us();
    // Either side may be the slower one.
    let enough = |dropped| dropped >= 100 && made.load(Ordering::Acquire) >= 100;
    while !enough(dropped) && clock.monotonic_us() - start < 20_000_000 {
        let extra = DatafileSpec {
            name: "extra.dbf".to_owned(),
            bytes: 4 << 20,
            reuse: false,
            autoextend: Some((1 << 20, None)),
        };
        instance.add_datafiles(&s, &tablespace, &[extra]).unwrap();
        loop {
            match instance.drop_datafile(&s, &tablespace, "extra.dbf") {
                Ok(()) => break,
                Err(error) => assert!(error.is_ora(3262), "{error}"),
            }
        }
        dropped += 1;
    }
    done.store(true, Ordering::Release);
    makers.into_iter().for_each(|maker| join(maker, 20));
    let made = made.load(Ordering::Acquire);
    assert!(dropped > 10 && made > 10, "{dropped} files, {made} segments");
    assert_eq!(tablespace.files().len(), 1);
    assert_eq!(free(&s), before, "space was lost or handed out twice");
    drop(s);
    instance.shutdown().unwrap();
}
