//! The engine's behaviour when files are damaged, missing or refuse a write, and when the cache is far too small.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockClass, BlockSize, ErrorKind, FileNumber, ObjectNumber, SystemClock};
use device::{FaultyFileSystem, FileSystem, MemoryFileSystem};
use engine::instance::{DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use format::heap;
use format::transaction::Owner;
use storage::control::SpaceManagement;
use storage::segment::{Segment, SegmentSpec, Storage};

fn clock() -> Arc<SystemClock> {
    Arc::new(SystemClock::default())
}

fn directory() -> PathBuf {
    PathBuf::from("/data")
}

/// A database in memory whose cache holds few blocks.
fn small(files: &Arc<dyn FileSystem>, cache_blocks: u64) -> (Arc<Instance>, Arc<Session>) {
    let size = BlockSize::K2;
    let bytes = cache_blocks * size.bytes() as u64;
    let options = CreateOptions {
        block_size: size,
        parameters: vec![("db_cache_size".to_owned(), bytes.to_string())],
        ..CreateOptions::default()
    };
    let instance = Instance::create(files.clone(), &directory(), clock(), None, &options).unwrap();
    let session = instance.connect("SYSTEM").unwrap();
    (instance, session)
}

fn table(instance: &Arc<Instance>, s: &Session) -> Arc<Segment> {
    let spec = TablespaceSpec {
        logging: true,
        name: "T".to_owned(),
        files: vec![DatafileSpec { name: "t01.dbf".to_owned(), bytes: 16 << 20, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    let tablespace = instance.create_tablespace(s, &spec).unwrap().number();
    let spec = SegmentSpec {
        name: "SYSTEM.T".to_owned(),
        object: ObjectNumber(9_500),
        data_object: ObjectNumber(9_500),
        tablespace,
        owner: Owner::Table,
        pctfree: 10,
        pctused: 40,
        initrans: 1,
        maxtrans: 255,
        storage: Storage::default(),
    };
    Segment::create(s, &spec).unwrap()
}

fn insert(segment: &Segment, s: &Session, rows: usize) -> common::Result<()> {
    let mut piece = vec![0x2c, 0, 1, 96];
    piece.resize(100, b'x');
    for n in 0..rows {
        let mut block = segment.block_for_insert(s, piece.len())?;
        s.change(&mut block, |b| heap::insert(b, &piece)).expect("room");
        segment.inserted(s, block, (n + 1 < rows).then_some(piece.len().into()))?;
    }
    Ok(())
}

/// The database rolls forward at the open, works, and closes.
fn recovers(files: Arc<dyn FileSystem>) {
    let instance = Instance::open(files, &directory(), clock(), None).unwrap();
    assert!(instance.rolled_forward().is_some());
    let s = instance.connect("SYSTEM").unwrap();
    let spec = TablespaceSpec {
        logging: true,
        name: "AFTERWARDS".to_owned(),
        files: vec![DatafileSpec { name: "a01.dbf".to_owned(), bytes: 2 << 20, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    instance.create_tablespace(&s, &spec).unwrap();
    drop(s);
    instance.shutdown().unwrap();
}

fn count(segment: &Segment, s: &Session) -> common::Result<usize> {
    let mut found = 0;
    let mut scan = s.scan_blocks(segment.scan_ranges(s)?, BlockClass::Data, false);
    while let Some(block) = scan.next_block()? {
        found += heap::row_count(&block);
    }
    Ok(found)
}

#[test]
fn a_cache_of_few_blocks_loses_nothing() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 100);
    let segment = table(&instance, &s);
    insert(&segment, &s, 20_000).unwrap();
    assert_eq!(count(&segment, &s).unwrap(), 20_000);
    let figures = instance.cache().figures();
    let pool = figures.iter().find(|pool| pool.size == BlockSize::K2).unwrap();
    assert!(pool.buffers <= 100, "{pool:?}");
    assert!(pool.physical_reads > 1_000 && pool.physical_writes > 1_000, "{pool:?}");
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_flipped_byte_is_named_and_the_rest_stays_usable() {
    let memory = Arc::new(MemoryFileSystem::new());
    let faulty = Arc::new(FaultyFileSystem::new(memory));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let (instance, s) = small(&files, 5_000);
    let segment = table(&instance, &s);
    insert(&segment, &s, 2_000).unwrap();
    instance.cache().flush(s.meter()).unwrap();
    let ranges = segment.scan_ranges(&s).unwrap();
    let victim = ranges[1].start;
    let file = instance.cache().file(victim.file).unwrap();
    faulty.flip(file.path(), u64::from(victim.block) * 2048 + 700).unwrap();
    let error = count(&segment, &s).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Corrupt);
    assert!(error.is_ora(1578), "{error}");
    assert!(error.text.contains(&format!("file # {}, block # {}", victim.file.0, victim.block)), "{error}");
    // The block next to it was in the same multiblock read and is fine.
    s.consistent(victim.plus(1), BlockClass::Data).unwrap();
    assert!(s.consistent(victim, BlockClass::Data).unwrap_err().is_ora(1578));
    // The disk is repaired: the block is read again, not remembered as bad.
    faulty.flip(file.path(), u64::from(victim.block) * 2048 + 700).unwrap();
    assert_eq!(count(&segment, &s).unwrap(), 2_000);
}

#[test]
fn an_unclean_database_is_recovered() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 500);
    drop(s);
    drop(instance);
    recovers(files);
}

#[test]
fn files_that_are_not_right_are_refused_by_name() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 500);
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let path = directory().join("users01.dbf");
    let whole = files.read_whole(&path).unwrap();
    let refused = |expected: u32, text: &str| {
        let error = Instance::open(files.clone(), &directory(), clock(), None).unwrap_err();
        assert!(error.is_ora(expected) && error.text.contains(text) && error.text.contains("users01.dbf"), "{error}");
    };
    files.write_whole(&path, &whole[..whole.len() / 2]).unwrap();
    refused(1122, "truncated");
    files.remove(&path).unwrap();
    refused(1157, "cannot identify");
    let mut other = whole.clone();
    other[16] ^= 1;
    files.write_whole(&path, &other).unwrap();
    refused(1122, "checksum");
    files.write_whole(&path, &files.read_whole(&directory().join("system01.dbf")).unwrap()).unwrap();
    refused(1122, "");
    // Repaired, it opens again: a refused open leaves the database as it was.
    files.write_whole(&path, &whole).unwrap();
    let instance = Instance::open(files.clone(), &directory(), clock(), None).unwrap();
    instance.shutdown().unwrap();
}

#[test]
fn one_control_file_is_enough_and_none_is_refused() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 500);
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let (first, second) = (directory().join("control01.ctl"), directory().join("control02.ctl"));
    let whole = files.read_whole(&second).unwrap();
    files.write_whole(&first, b"HIGHWATER CONTROL 1 00000000 9\n{}\n").unwrap();
    let instance = Instance::open(files.clone(), &directory(), clock(), None).unwrap();
    instance.shutdown().unwrap();
    files.write_whole(&first, &whole[..20]).unwrap();
    files.write_whole(&second, &whole[..whole.len() - 9]).unwrap();
    let error = Instance::open(files, &directory(), clock(), None).unwrap_err();
    assert!(error.is_ora(205), "{error}");
}

#[test]
fn out_of_space_is_said_and_survived() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 20_000);
    let segment = table(&instance, &s);
    let error = insert(&segment, &s, 1_000_000).unwrap_err();
    assert!(error.is_ora(1653) && error.text.contains("SYSTEM.T") && error.text.contains("tablespace T"), "{error}");
    let rows = count(&segment, &s).unwrap();
    assert!(rows > 100_000, "{rows}");
    instance.set_autoextend("t01.dbf", Some((1 << 20, None))).unwrap();
    insert(&segment, &s, 1_000).unwrap();
    assert_eq!(count(&segment, &s).unwrap(), rows + 1_000);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_failed_write_stops_the_instance_for_good() {
    let memory = Arc::new(MemoryFileSystem::new());
    let faulty = Arc::new(FaultyFileSystem::new(memory));
    let files: Arc<dyn FileSystem> = faulty.clone();
    let (instance, s) = small(&files, 5_000);
    let segment = table(&instance, &s);
    insert(&segment, &s, 1_000).unwrap();
    faulty.fail(1, device::Fault::Write);
    let error = instance.checkpoint(s.meter()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Poisoned, "{error}");
    faulty.heal();
    let again = insert(&segment, &s, 1).unwrap_err();
    assert_eq!(again.kind, ErrorKind::Poisoned);
    assert!(instance.connect("SYSTEM").is_err());
    drop(s);
    assert!(instance.shutdown().is_err());
    drop(instance);
    recovers(files);
}

#[test]
fn datafiles_are_added_resized_and_dropped() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 5_000);
    let segment = table(&instance, &s);
    let tablespace = segment.tablespace().clone();
    let file = |name: &str| DatafileSpec { name: name.to_owned(), bytes: 4 << 20, reuse: false, autoextend: None };
    instance.add_datafiles(&s, &tablespace, &[file("t02.dbf"), file("t03.dbf")]).unwrap();
    assert!(instance.add_datafiles(&s, &tablespace, &[file("t02.dbf")]).unwrap_err().is_ora(1537));
    instance.drop_datafile(&s, &tablespace, "t03.dbf").unwrap();
    assert!(!files.exists(Path::new("/data/t03.dbf")).unwrap());
    insert(&segment, &s, 30_000).unwrap();
    let used: Vec<FileNumber> = segment.extents(&s).unwrap().iter().map(|e| e.start.file).collect();
    assert!(tablespace.files().iter().all(|file| used.contains(file)), "extents go round the files");
    assert!(instance.drop_datafile(&s, &tablespace, "t02.dbf").unwrap_err().is_ora(3262));
    assert!(instance.resize_datafile(&s, "t02.dbf", 1_200_000).unwrap_err().is_ora(3297));
    instance.resize_datafile(&s, "t02.dbf", 8 << 20).unwrap();
    instance.resize_datafile(&s, "t01.dbf", 15 << 20).unwrap();
    assert_eq!(count(&segment, &s).unwrap(), 30_000);
    drop(s);
    instance.shutdown().unwrap();
    let instance = Instance::open(files, &directory(), clock(), None).unwrap();
    let s = instance.connect("SYSTEM").unwrap();
    let segment = Segment::open(&s, segment.spec(), segment.header()).unwrap();
    assert_eq!(count(&segment, &s).unwrap(), 30_000);
    drop(s);
    instance.shutdown().unwrap();
}

#[test]
fn a_panic_in_the_middle_of_a_change_stops_the_instance() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 5_000);
    let segment = table(&instance, &s);
    insert(&segment, &s, 10).unwrap();
    let cut_short = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let mut block = segment.block_for_insert(&s, 100).unwrap();
        s.change(&mut block, |bytes| {
            bytes[100] = 1;
            panic!("on purpose");
        });
    }));
    assert!(cut_short.is_err());
    assert_eq!(insert(&segment, &s, 1).unwrap_err().kind, ErrorKind::Poisoned);
    drop(s);
    assert!(instance.shutdown().is_err());
    drop(instance);
    recovers(files);
}

#[test]
fn an_older_copy_of_a_file_is_refused() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 5_000);
    let segment = table(&instance, &s);
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let path = directory().join("t01.dbf");
    let older = files.read_whole(&path).unwrap();
    let instance = Instance::open(files.clone(), &directory(), clock(), None).unwrap();
    let s = instance.connect("SYSTEM").unwrap();
    let segment = Segment::open(&s, segment.spec(), segment.header()).unwrap();
    insert(&segment, &s, 100).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let newer = files.read_whole(&path).unwrap();
    files.write_whole(&path, &older).unwrap();
    let error = Instance::open(files.clone(), &directory(), clock(), None).unwrap_err();
    assert!(error.is_ora(1113) && error.text.contains("t01.dbf"), "{error}");
    files.write_whole(&path, &newer).unwrap();
    let instance = Instance::open(files, &directory(), clock(), None).unwrap();
    instance.shutdown().unwrap();
}

#[test]
fn a_database_without_control_files_is_not_made_anew() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 500);
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    for copy in ["control01.ctl", "control02.ctl"] {
        files.remove(&directory().join(copy)).unwrap();
    }
    let error = Instance::create(files, &directory(), clock(), None, &CreateOptions::default()).map(drop).unwrap_err();
    assert!(error.is_ora(205) && error.text.contains("no control file"), "{error}");
}

#[test]
fn every_clean_close_can_be_opened_again() {
    let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::new());
    let (instance, s) = small(&files, 500);
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let open = || Instance::open(files.clone(), &directory(), clock(), None).unwrap();
    // No work.
    open().shutdown().unwrap();
    // Commits alone.
    let instance = open();
    instance.advance_scn();
    instance.shutdown().unwrap();
    // A new tablespace alone, after commits.
    let instance = open();
    instance.advance_scn();
    let s = instance.connect("SYSTEM").unwrap();
    table(&instance, &s);
    drop(s);
    instance.shutdown().unwrap();
    let instance = open();
    let s = instance.connect("SYSTEM").unwrap();
    let spec = TablespaceSpec {
        logging: true,
        name: "U".to_owned(),
        files: vec![DatafileSpec { name: "u01.dbf".to_owned(), bytes: 4 << 20, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Manual,
    };
    instance.advance_scn();
    instance.create_tablespace(&s, &spec).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    let instance = open();
    instance.resize_datafile(&instance.connect("SYSTEM").unwrap(), "u01.dbf", 8 << 20).unwrap();
    instance.shutdown().unwrap();
    open().shutdown().unwrap();
}
