//! One disk of a mirrored group has lost, or spoilt, what was written to it, and says nothing: the other copy counts.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockAddress, DataType, ObjectNumber, Seeded, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use engine::ddl::{DiskGroupChange, TableSpec};
use engine::dictionary::ColumnDef;
use engine::instance::{
    DatafileSpec, DiskGroupSpec, DiskSpec, DisksOf, Instance, NewLogGroup, RebalanceClause, TablespaceSpec,
};
use engine::startup::CreateOptions;
use engine::verify::verify;
use scan::{RowSink, ScanSpec};
use storage::control::SpaceManagement;
use storage::disk_group::{FileKind, Redundancy, make_disks};
use storage::parameters::Scope;
use storage::redo::LogGroupState;
use storage::table::{Inserter, TableScan};
use storage::txn::CommitWrite;

const MB: u64 = 1 << 20;
const OWNER: &str = "SYSTEM";
const DIRECTORY: &str = "/data";

/// A copy of an extent: disk, offset, bytes.
type Copy = (PathBuf, u64, u64);

fn open(files: &Arc<MemoryFileSystem>) -> common::Result<Arc<Instance>> {
    let below: Arc<dyn FileSystem> = Arc::<MemoryFileSystem>::clone(files);
    Instance::open(below, Path::new(DIRECTORY), Arc::new(SystemClock::default()), None)
}

/// The files as they are, as if the machine had stopped.
fn image(files: &MemoryFileSystem) -> Arc<MemoryFileSystem> {
    let copy = MemoryFileSystem::new();
    let mut directories = vec![PathBuf::from(DIRECTORY)];
    while let Some(directory) = directories.pop() {
        copy.create_directory(&directory).unwrap();
        directories.extend(files.directories(&directory).unwrap());
        for path in files.list(&directory).unwrap() {
            let from = files.open(&path).unwrap();
            let mut bytes = vec![0; from.size().unwrap() as usize];
            from.read_at(0, &mut [&mut bytes]).unwrap();
            copy.create(&path, bytes.len() as u64).unwrap().write_at(0, &[&bytes]).unwrap();
        }
    }
    Arc::new(copy)
}

/// A database with a table in a mirrored group of three disks, and its copies by the kinds of files.
struct Bench {
    files: Arc<MemoryFileSystem>,
    instance: Arc<Instance>,
}

impl Bench {
    fn new() -> Self {
        let files = Arc::new(MemoryFileSystem::new());
        let options = CreateOptions {
            log_bytes: 2 * MB,
            parameters: vec![("db_cache_size".into(), "4M".into())],
            ..CreateOptions::default()
        };
        let below: Arc<dyn FileSystem> = Arc::<MemoryFileSystem>::clone(&files);
        let clock = Arc::new(SystemClock::default());
        let instance = Instance::create(below, Path::new(DIRECTORY), clock, None, &options).unwrap();
        make_disks(&*files, "/data/disk*", 3, 32 * MB).unwrap();
        let s = instance.connect(OWNER).unwrap();
        let spec = DiskGroupSpec {
            name: "DATA".into(),
            redundancy: Redundancy::Normal,
            disks: vec![DiskSpec::new("disk*".to_owned())],
            au_bytes: None,
            attributes: Vec::new(),
        };
        instance.create_disk_group(&s, &spec).unwrap();
        let spec = TablespaceSpec {
            name: "INSIDE".into(),
            files: vec![DatafileSpec { name: "+DATA".into(), bytes: 6 * MB, reuse: false, autoextend: None }],
            block_size: None,
            uniform_bytes: None,
            space_management: SpaceManagement::Auto,
            logging: true,
        };
        instance.create_tablespace(&s, &spec).unwrap();
        let column = ColumnDef {
            name: "K".into(),
            data_type: DataType::Varchar2 { bytes: 2000 },
            nullable: true,
            default: None,
        };
        s.create_table(&TableSpec { tablespace: Some("INSIDE".into()), ..TableSpec::new(OWNER, "T", vec![column]) })
            .unwrap();
        let bench = Self { files, instance };
        bench.insert(200);
        bench
    }

    fn insert(&self, rows: u32) {
        let s = self.instance.connect(OWNER).unwrap();
        let table = s.catalog().require_table(OWNER, "T").unwrap().clone();
        for _ in 0..rows {
            let mut inserter = Inserter::new(s.worker().clone(), table.heap().clone()).unwrap();
            inserter.push(&[Some(&[7; 1500])]).unwrap();
            inserter.finish().unwrap();
            s.commit(CommitWrite::default()).unwrap();
        }
    }

    /// The copies of a kind of files, by disk.
    fn copies(&self, kind: FileKind) -> BTreeMap<u16, Vec<Copy>> {
        let group = self.instance.groups().group("DATA").unwrap();
        let disks: BTreeMap<u16, PathBuf> =
            group.statistics().disks.into_iter().filter_map(|disk| Some((disk.number, disk.path?))).collect();
        let mut copies: BTreeMap<u16, Vec<Copy>> = BTreeMap::new();
        for file in group.files().unwrap().iter().filter(|file| file.name.kind == kind) {
            for place in group.group().extents(file.name.number).unwrap() {
                let path = Path::new(DIRECTORY).join(&disks[&place.disk]);
                copies.entry(place.disk).or_default().push((path, place.offset, place.bytes));
            }
        }
        assert_eq!(copies.len(), 3, "{kind:?}");
        copies
    }
}

fn overwrite(files: &MemoryFileSystem, (path, offset, bytes): &Copy, random: Option<&mut Seeded>) {
    let mut content = vec![0; *bytes as usize];
    if let Some(random) = random {
        content.iter_mut().for_each(|byte| *byte = random.draw() as u8);
    }
    files.open(path).unwrap().write_at(*offset, &[&content]).unwrap();
}

#[derive(Default)]
struct Counted(u64);

impl RowSink for Counted {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.0 += 1;
    }
}

fn rows(instance: &Arc<Instance>, query: bool) -> u64 {
    let s = instance.connect(OWNER).unwrap();
    let table = s.catalog().require_table(OWNER, "T").unwrap().clone();
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: false };
    let begin = if query { TableScan::for_query } else { TableScan::new };
    let mut scan = begin(s.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut counted = Counted::default();
    while scan.next(&mut counted, 100).unwrap() {}
    counted.0
}

fn problems(files: &Arc<MemoryFileSystem>) -> Vec<String> {
    let below: Arc<dyn FileSystem> = Arc::<MemoryFileSystem>::clone(files);
    let report = verify(below, Path::new(DIRECTORY), Arc::new(SystemClock::default()), None).unwrap();
    report.problems.iter().map(ToString::to_string).collect()
}

fn check(instance: &Arc<Instance>, repair: bool) -> u64 {
    let group = instance.groups().group("DATA").unwrap();
    group.group().check(repair).unwrap().left()
}

#[test]
fn zeros_of_a_disk_are_no_blocks_where_another_copy_has_some() {
    let bench = Bench::new();
    let copies = bench.copies(FileKind::DataFile);
    bench.instance.shutdown().unwrap();
    for direct in [false, true] {
        for of_disk in copies.values() {
            let files = image(&bench.files);
            of_disk.iter().for_each(|copy| overwrite(&files, copy, None));
            let instance = open(&files).unwrap();
            if direct {
                let s = instance.connect(OWNER).unwrap();
                s.alter_system("_serial_direct_read", "always", Scope::Memory).unwrap();
            }
            assert_eq!(rows(&instance, direct), 200);
            assert_eq!(check(&instance, true), 0);
            instance.shutdown().unwrap();
            drop(instance);
            assert_eq!(rows(&open(&files).unwrap(), false), 200);
            assert_eq!(problems(&files), Vec::<String>::new());
        }
    }
}

/// Zeros over the first copies in a database at work: a check mends them before anybody reads.
#[test]
fn a_check_takes_blocks_for_zeros_and_never_the_other_way() {
    let bench = Bench::new();
    bench.instance.checkpoint(bench.instance.connect(OWNER).unwrap().meter()).unwrap();
    for of_disk in bench.copies(FileKind::DataFile).values() {
        of_disk.iter().for_each(|copy| overwrite(&bench.files, copy, None));
        assert_eq!(check(&bench.instance, true), 0);
        assert_eq!(check(&bench.instance, false), 0);
    }
    bench.instance.shutdown().unwrap();
    assert_eq!(rows(&open(&bench.files).unwrap(), false), 200);
    assert_eq!(problems(&bench.files), Vec::<String>::new());
}

#[test]
fn a_rebalance_moves_good_copies() {
    for random in [false, true] {
        let bench = Bench::new();
        make_disks(&*bench.files, "/data/more*", 1, 32 * MB).unwrap();
        bench.instance.checkpoint(bench.instance.connect(OWNER).unwrap().meter()).unwrap();
        let mut seeded = Seeded::new(3);
        let copies = bench.copies(FileKind::DataFile);
        for copy in copies.values().next().unwrap() {
            overwrite(&bench.files, copy, random.then_some(&mut seeded));
        }
        let s = bench.instance.connect(OWNER).unwrap();
        let clause = RebalanceClause { power: Some(4), wait: true };
        let add = DiskGroupChange::AddDisks(vec![DiskSpec::new("more*".to_owned())], clause);
        s.alter_disk_group("DATA", &add).unwrap();
        let name = bench.instance.groups().group("DATA").unwrap().statistics().disks[0].name.clone();
        let drop = DiskGroupChange::DropDisks { disks: DisksOf::Named(vec![name]), force: false, rebalance: clause };
        s.alter_disk_group("DATA", &drop).unwrap();
        assert_eq!(bench.instance.groups().group("DATA").unwrap().statistics().disks.len(), 3);
        assert_eq!(check(&bench.instance, false), 0, "random bytes: {random}");
        bench.instance.shutdown().unwrap();
        assert_eq!(problems(&bench.files), Vec::<String>::new());
    }
}

/// The log is in the group; a crash leaves regions to compare, and one disk has spoilt its copies meanwhile.
#[test]
fn commits_in_the_other_copy_of_the_log_are_there_after_a_crash() {
    let bench = Bench::new();
    let s = bench.instance.connect(OWNER).unwrap();
    let in_group = NewLogGroup { number: Some(7), members: vec!["+DATA".into()], bytes: Some(4 * MB), reuse: false };
    bench.instance.add_log_groups(&s, &[in_group]).unwrap();
    let is_current = |instance: &Instance| {
        let groups = instance.redo().groups();
        groups.iter().any(|group| group.record.number == 7 && group.record.state == LogGroupState::Current)
    };
    while !is_current(&bench.instance) {
        bench.instance.redo().switch(s.meter()).unwrap();
        bench.instance.checkpoint(s.meter()).unwrap();
    }
    bench.insert(150);
    assert!(is_current(&bench.instance));
    let copies = bench.copies(FileKind::OnlineLog);
    for settled in [false, true] {
        if settled {
            // The group takes the copies for alike: no mount compares them.
            bench.instance.groups().group("DATA").unwrap().group().settle().unwrap();
        }
        let after_crash = image(&bench.files);
        for of_disk in copies.values() {
            for mut random in [None, Some(Seeded::new(5))] {
                let files = image(&after_crash);
                of_disk.iter().for_each(|copy| overwrite(&files, copy, random.as_mut()));
                let instance = open(&files).unwrap();
                assert_eq!(rows(&instance, false), 350, "settled: {settled}, random: {}", random.is_some());
                instance.shutdown().unwrap();
                drop(instance);
                assert_eq!(problems(&files), Vec::<String>::new());
            }
        }
    }
}
