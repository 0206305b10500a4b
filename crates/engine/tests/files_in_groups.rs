//! Files other than datafiles in disk groups: the redo log's.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockAddress, DataType, ObjectNumber, SystemClock};
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};
use engine::ddl::{DiskGroupChange, TableSpec, TablespaceChange};
use engine::dictionary::ColumnDef;
use engine::instance::{Background, DatafileSpec, DiskGroupSpec, DiskSpec, Instance, NewLogGroup, Session};
use engine::startup::CreateOptions;
use engine::verify::verify;
use scan::{RowSink, ScanSpec};
use storage::disk_group::{DiskMode, FileKind, Redundancy, make_disks};
use storage::redo::LogGroupState;
use storage::table::{Inserter, TableScan};
use storage::txn::CommitWrite;

const MB: u64 = 1 << 20;
const OWNER: &str = "SYSTEM";

fn directory() -> PathBuf {
    PathBuf::from("/data")
}

/// A database with four disks beside its files.
struct Place {
    files: Arc<FaultyFileSystem>,
}

impl Place {
    fn new() -> (Self, Arc<Instance>) {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let parameters = vec![("db_cache_size".to_owned(), "8M".to_owned())];
        let options = CreateOptions { log_bytes: 2 * MB, parameters, ..CreateOptions::default() };
        let clock = Arc::new(SystemClock::default());
        let below: Arc<dyn FileSystem> = Arc::<FaultyFileSystem>::clone(&files);
        let instance = Instance::create_with(below, &directory(), clock, None, &options, Background::Threads).unwrap();
        make_disks(&*files, "/data/disk*", 4, 24 * MB).unwrap();
        (Self { files }, instance)
    }

    fn below(&self) -> Arc<dyn FileSystem> {
        Arc::<FaultyFileSystem>::clone(&self.files)
    }

    fn open(&self) -> common::Result<Arc<Instance>> {
        Instance::open(self.below(), &directory(), Arc::new(SystemClock::default()), None)
    }

    fn problems(&self) -> Vec<String> {
        let report = verify(self.below(), &directory(), Arc::new(SystemClock::default()), None).unwrap();
        report.problems.iter().map(ToString::to_string).collect()
    }
}

/// A group of two failure groups.
fn mirrored(name: &str) -> DiskGroupSpec {
    let disks = ["disk01", "disk02"].map(|pattern| DiskSpec::new(pattern.to_owned()));
    DiskGroupSpec {
        name: name.to_owned(),
        redundancy: Redundancy::Normal,
        disks: disks.into(),
        au_bytes: None,
        attributes: Vec::new(),
    }
}

fn table(s: &Arc<Session>) {
    let column = ColumnDef {
        name: "K".to_owned(),
        data_type: DataType::Varchar2 { bytes: 2000 },
        nullable: true,
        default: None,
    };
    s.create_table(&TableSpec { tablespace: Some("USERS".to_owned()), ..TableSpec::new(OWNER, "T", vec![column]) })
        .unwrap();
}

/// Commits rows one by one.
fn insert(s: &Arc<Session>, rows: u32) {
    let table = s.catalog().require_table(OWNER, "T").unwrap().clone();
    for _ in 0..rows {
        let mut inserter = Inserter::new(s.worker().clone(), table.heap().clone()).unwrap();
        inserter.push(&[Some(&[7; 1500])]).unwrap();
        inserter.finish().unwrap();
        s.commit(CommitWrite::default()).unwrap();
    }
}

#[derive(Default)]
struct Counted(u64);

impl RowSink for Counted {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.0 += 1;
    }
}

fn rows(instance: &Arc<Instance>) -> u64 {
    let s = instance.connect(OWNER).unwrap();
    let table = s.catalog().require_table(OWNER, "T").unwrap().clone();
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: false };
    let mut scan = TableScan::new(s.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut counted = Counted::default();
    while scan.next(&mut counted, 100).unwrap() {}
    counted.0
}

fn in_group(group: &str, number: u32) -> NewLogGroup {
    let members = group.split(',').map(str::to_owned).collect();
    NewLogGroup { number: Some(number), members, bytes: Some(2 * MB), reuse: false }
}

/// Makes every log group but those of the numbers idle, and drops it.
fn keep_logs(s: &Session, kept: &[u32]) {
    let instance = s.instance();
    loop {
        let groups = instance.redo().groups();
        let Some(group) = groups.iter().find(|group| !kept.contains(&group.record.number)) else { return };
        if matches!(group.record.state, LogGroupState::Current | LogGroupState::Active) {
            instance.redo().switch(s.meter()).unwrap();
            instance.checkpoint(s.meter()).unwrap();
        } else {
            instance.drop_log_group(s, group.record.number).unwrap();
        }
    }
}

fn log_files(instance: &Instance) -> Vec<String> {
    let mut names: Vec<_> = instance.redo().groups().into_iter().flat_map(|group| group.record.members).collect();
    names.sort();
    names
}

/// Names of the files in the first mounted group.
fn files_of_group(instance: &Instance) -> Vec<String> {
    let files = instance.groups().mounted()[0].files().unwrap();
    files.iter().map(|file| instance.groups().full_name(&file.name)).collect()
}

fn crash(instance: Arc<Instance>) {
    instance.abort();
    drop(instance);
}

#[test]
fn a_log_in_a_mirrored_group_is_recovered_from_without_one_of_its_disks() {
    let (place, instance) = Place::new();
    let s = instance.connect(OWNER).unwrap();
    s.create_disk_group(&mirrored("RECO")).unwrap();
    let groups = [4, 5, 6].map(|number| in_group("+reco", number));
    instance.add_log_groups(&s, &groups).unwrap();
    keep_logs(&s, &[4, 5, 6]);
    let names =
        ["group_4.256.1", "group_5.257.2", "group_6.258.3"].map(|name| format!("+RECO/HIGHWATE/ONLINELOG/{name}"));
    assert_eq!(log_files(&instance), names);
    let kinds: Vec<_> = instance.groups().mounted()[0].files().unwrap().iter().map(|file| file.name.kind).collect();
    assert_eq!(kinds, [FileKind::OnlineLog; 3]);
    table(&s);
    insert(&s, 500);
    // The last of it while a disk is away.
    place.files.lose(Path::new("/data/disk02"));
    insert(&s, 500);
    assert!(instance.groups().mounted()[0].statistics().disks.iter().any(|disk| disk.mode != DiskMode::Online));
    drop(s);
    crash(instance);
    let instance = place.open().unwrap();
    assert!(instance.rolled_forward().is_some());
    assert_eq!(rows(&instance), 1000);
    let s = instance.connect(OWNER).unwrap();
    insert(&s, 100);
    drop(s);
    crash(instance);
    assert_eq!(place.problems(), [""; 0]);
    let instance = place.open().unwrap();
    assert_eq!(rows(&instance), 1100);
}

#[test]
fn the_disk_that_came_back_with_old_redo_is_not_read() {
    let (place, instance) = Place::new();
    let s = instance.connect(OWNER).unwrap();
    s.create_disk_group(&mirrored("RECO")).unwrap();
    instance.add_log_groups(&s, &[4, 5].map(|number| in_group("+RECO", number))).unwrap();
    keep_logs(&s, &[4, 5]);
    table(&s);
    insert(&s, 20);
    place.files.lose(Path::new("/data/disk01"));
    insert(&s, 20);
    drop(s);
    crash(instance);
    // It has the log as it was before the last twenty commits.
    place.files.heal();
    let instance = place.open().unwrap();
    assert_eq!(rows(&instance), 40);
}

#[test]
fn a_statement_on_log_files_in_a_group_is_done_or_leaves_nothing() {
    let (place, instance) = Place::new();
    let s = instance.connect(OWNER).unwrap();
    let ora = |result: common::Result<()>, number| {
        let error = result.unwrap_err();
        assert!(error.is_ora(number), "{error}");
    };
    ora(instance.add_log_groups(&s, &[in_group("+DATA", 4)]), 15001);
    s.create_disk_group(&DiskGroupSpec::external("DATA", "disk*")).unwrap();
    let before = log_files(&instance);
    ora(instance.add_log_groups(&s, &[in_group("+DATA", 3)]), 1184);
    ora(instance.add_log_groups(&s, &[NewLogGroup { bytes: Some(1000), ..in_group("+DATA", 4) }]), 336);
    ora(instance.add_log_groups(&s, &[NewLogGroup { bytes: Some(1 << 30), ..in_group("+DATA", 4) }]), 15041);
    place.files.fail(1, Fault::Growth);
    ora(instance.add_log_groups(&s, &[in_group("+DATA,x.log", 4)]), 301);
    ora(instance.add_log_groups(&s, &[in_group("+DATA", 4), in_group("+DATA", 1)]), 1184);
    ora(instance.add_log_groups(&s, &[in_group("+DATA,+OTHER", 4)]), 15001);
    ora(instance.add_log_members(&s, 9, &["+DATA".to_owned()], false), 359);
    assert!(instance.add_log_groups(&s, &[in_group("+DATA/HIGHWATE/x", 4)]).is_err());
    assert_eq!((log_files(&instance), files_of_group(&instance)), (before, vec![]));

    instance.add_log_groups(&s, &[in_group("+DATA,+DATA", 4)]).unwrap();
    instance.add_log_members(&s, 1, &["+DATA".to_owned()], false).unwrap();
    let files = files_of_group(&instance);
    assert_eq!(files.len(), 3);
    // None of them is open.
    let drop_file = |name: &str| s.alter_disk_group("DATA", &DiskGroupChange::DropFile(name.to_owned()));
    ora(drop_file(&files[0]), 15028);
    ora(drop_file(&files[2].to_lowercase()), 15028);
    ora(s.alter_disk_group("DATA", &DiskGroupChange::Dismount), 15027);
    ora(s.drop_disk_group("DATA", true), 15027);
    instance.drop_log_member(&s, &files[1].to_lowercase()).unwrap();
    assert_eq!(files_of_group(&instance), [files[0].clone(), files[2].clone()]);
    instance.drop_log_group(&s, 4).unwrap();
    assert_eq!(files_of_group(&instance), [files[2].clone()]);
    ora(instance.drop_log_member(&s, &files[2]), 1609);
    instance.redo().switch(s.meter()).unwrap();
    instance.checkpoint(s.meter()).unwrap();
    instance.drop_log_member(&s, &files[2]).unwrap();
    assert_eq!(files_of_group(&instance), [""; 0]);
    s.drop_disk_group("DATA", false).unwrap();
}

#[test]
fn an_open_without_a_group_names_it_or_does_with_the_other_members() {
    let (place, instance) = Place::new();
    let s = instance.connect(OWNER).unwrap();
    s.create_disk_group(&DiskGroupSpec::external("DATA", "disk*")).unwrap();
    table(&s);
    for group in 1..=3 {
        instance.add_log_members(&s, group, &["+DATA".to_owned()], false).unwrap();
    }
    instance.redo().switch(s.meter()).unwrap();
    insert(&s, 10);
    drop(s);
    crash(instance);
    place.files.lose(Path::new("/data/disk03"));
    let instance = place.open().unwrap();
    assert_eq!(rows(&instance), 10);
    let notes = instance.groups().notes().join(" ");
    assert!(notes.contains("Disk group DATA is not mounted") && notes.contains("DATA_0002"), "{notes}");
    instance.shutdown().unwrap();
    drop(instance);

    place.files.heal();
    let instance = place.open().unwrap();
    let s = instance.connect(OWNER).unwrap();
    instance.add_log_groups(&s, &[in_group("+DATA", 4)]).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    place.files.lose(Path::new("/data/disk03"));
    let error = place.open().map(drop).unwrap_err();
    assert!(error.is_ora(15042), "{error}");
    for named in ["DATA_0002", "diskgroup \"DATA\"", "log group 4 '+DATA/HIGHWATE/ONLINELOG/group_4."] {
        assert!(error.text.contains(named), "{error}");
    }
}

#[test]
fn reads_of_a_datafile_in_a_group_are_cut_where_its_units_end() {
    let (_place, instance) = Place::new();
    let s = instance.connect(OWNER).unwrap();
    s.create_disk_group(&DiskGroupSpec::external("DATA", "disk*")).unwrap();
    let file = DatafileSpec { name: "+DATA".to_owned(), bytes: 4 * MB, reuse: false, autoextend: None };
    s.alter_tablespace("USERS", &TablespaceChange::AddDatafiles(vec![file])).unwrap();
    let number = *instance.tablespaces().named("USERS").unwrap().files().last().unwrap();
    let file = instance.cache().file(number).unwrap();
    let unit = (MB / 8192) as u32;
    assert_eq!((file.blocks_before_cut(unit - 3, 100), file.blocks_before_cut(unit, 100)), (3, 100));
    assert_eq!(file.blocks_before_cut(unit + 1, 1000), unit - 1);
}
