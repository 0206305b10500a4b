//! Files in disk groups other than datafiles that a statement puts there: the redo log, control files, files that the
//! database names itself, and a database that has all of its files in groups.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockAddress, Clock, DataType, ObjectNumber, SystemClock};
use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};
use engine::ddl::{DiskGroupChange, TableSpec, TablespaceChange};
use engine::dictionary::ColumnDef;
use engine::instance::{
    DatafileSpec, DiskGroupSpec, DiskSpec, Instance, NewLogGroup, Session, TablespaceSpec, is_system_named,
};
use engine::startup::{CreateOptions, find};
use engine::verify::verify;
use scan::{RowSink, ScanSpec};
use storage::control::{ControlFile, Existing, SpaceManagement};
use storage::disk_group::{
    AuSize, DiskGroup, DiskMode, FileKind, GroupFiles, NewDisk, NewGroup, Redundancy, make_disks,
};
use storage::parameters::Scope;
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
        let place = Self { files: Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new()))) };
        let instance = place.create(&[]).unwrap();
        make_disks(&*place.files, "/data/disk*", 4, 24 * MB).unwrap();
        (place, instance)
    }

    fn below(&self) -> Arc<dyn FileSystem> {
        Arc::<FaultyFileSystem>::clone(&self.files)
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::new(SystemClock::default())
    }

    fn create(&self, parameters: &[(&str, &str)]) -> common::Result<Arc<Instance>> {
        let mut all = vec![("db_cache_size".to_owned(), "8M".to_owned())];
        all.extend(parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let options = CreateOptions { log_bytes: 2 * MB, parameters: all, ..CreateOptions::default() };
        Instance::create(self.below(), &directory(), self.clock(), None, &options)
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

/// A new database whose parameters put its files into the group DATA, of the disks 1 and 2, which exists.
fn in_groups(parameters: &[(&str, &str)]) -> (Place, Arc<Instance>) {
    let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
    files.create_directory(&directory()).unwrap();
    make_disks(&*files, "/data/disk*", 3, 160 * MB).unwrap();
    let place = Place { files };
    let groups = GroupFiles::new(place.below(), &directory(), &place.clock(), "HIGHWATE", None);
    let new = NewGroup {
        name: "DATA".to_owned(),
        redundancy: Redundancy::Normal,
        au: AuSize::default(),
        disks: ["disk01", "disk02"].iter().map(NewDisk::new).collect(),
        attributes: Vec::new(),
    };
    drop(DiskGroup::create_with(groups.environment(), &new).unwrap());
    let instance = place.create(parameters).unwrap();
    (place, instance)
}

const ALL_IN_DATA: [(&str, &str); 3] =
    [("asm_diskstring", "disk*"), ("db_create_file_dest", "+DATA"), ("control_files", "+DATA")];

fn parameter_file(place: &Place) -> String {
    String::from_utf8(place.files.read_whole(Path::new("/data/highwater.ora")).unwrap()).unwrap()
}

fn control_files(instance: &Instance) -> Vec<String> {
    instance.control().names().map(str::to_owned).collect()
}

#[test]
fn a_database_may_have_all_of_its_files_in_a_group() {
    let (place, instance) = in_groups(&ALL_IN_DATA);
    let s = instance.connect(OWNER).unwrap();
    let data = instance.control().data().clone();
    let names = data.datafiles.iter().map(|file| file.name.clone()).chain(log_files(&instance));
    assert!(names.chain(control_files(&instance)).all(|name| name.starts_with("+DATA/HIGHWATE/")), "{data:?}");
    let copy = control_files(&instance).remove(0);
    assert!(copy.starts_with("+DATA/HIGHWATE/CONTROLFILE/current."), "{copy}");
    assert!(parameter_file(&place).contains(&format!("control_files = '{copy}'")), "{}", parameter_file(&place));
    table(&s);
    insert(&s, 100);
    // All that the group has is the database's, and in use.
    let used = s.alter_disk_group("DATA", &DiskGroupChange::DropFile(copy)).unwrap_err();
    assert!(used.is_ora(15028), "{used}");
    assert!(s.alter_disk_group("DATA", &DiskGroupChange::Dismount).unwrap_err().is_ora(15027));
    assert!(s.drop_disk_group("DATA", true).unwrap_err().is_ora(15027));
    drop(s);
    crash(instance);
    assert_eq!(place.problems(), [""; 0]);
    let instance = place.open().unwrap();
    assert_eq!(rows(&instance), 100);
    instance.shutdown().unwrap();
    drop(instance);
    assert!(place.create(&[]).map(drop).unwrap_err().is_ora(1501));
    assert_eq!(find(&place.below(), &directory(), &place.clock()), Existing::Database);
    assert_eq!(rows(&place.open().unwrap()), 100);
}

/// A disk has spoilt its copies of the control file when a crash is over: the other disk's count.
#[test]
fn a_control_file_in_a_group_is_read_from_the_copies_that_are_whole() {
    for disk in [0, 1] {
        for byte in [0, 0x5a] {
            let (place, instance) = in_groups(&ALL_IN_DATA);
            let s = instance.connect(OWNER).unwrap();
            table(&s);
            insert(&s, 30);
            drop(s);
            let group = instance.groups().group("DATA").unwrap();
            let path = group.statistics().disks[disk].path.clone().unwrap();
            let number = group.statistics().disks[disk].number;
            let of_kind = |file: &storage::disk_group::FileInfo| file.name.kind == FileKind::ControlFile;
            let file = group.files().unwrap().into_iter().find(of_kind).unwrap();
            let places = group.group().extents(file.name.number).unwrap();
            drop(group);
            crash(instance);
            let device = place.files.open(&directory().join(path)).unwrap();
            for place in places.iter().filter(|place| place.disk == number) {
                device.write_at(place.offset, &[&vec![byte; place.bytes as usize]]).unwrap();
            }
            let instance = place.open().unwrap();
            assert_eq!(rows(&instance), 30);
            instance.shutdown().unwrap();
            drop(instance);
            assert_eq!(place.problems(), [""; 0]);
        }
    }
}

#[test]
fn a_group_with_the_control_file_is_opened_without_a_disk_and_not_with_an_old_one() {
    let (place, instance) = in_groups(&ALL_IN_DATA);
    let s = instance.connect(OWNER).unwrap();
    table(&s);
    insert(&s, 10);
    place.files.lose(Path::new("/data/disk01"));
    insert(&s, 10);
    drop(s);
    crash(instance);
    let instance = place.open().unwrap();
    assert_eq!(rows(&instance), 20);
    instance.shutdown().unwrap();
    drop(instance);
    // The other disk is lost, and the first one is back as it was.
    place.files.heal();
    place.files.lose(Path::new("/data/disk02"));
    let error = place.open().map(drop).unwrap_err();
    assert!(error.is_ora(205), "{error}");
    for named in ["+DATA/HIGHWATE/CONTROLFILE/current.", "diskgroup \"DATA\""] {
        assert!(error.text.contains(named), "{error}");
    }
    // Without the file of epochs the disk's own records say that the other one is missing.
    place.files.remove(Path::new("/data/groups.asm")).unwrap();
    let error = place.open().map(drop).unwrap_err();
    assert!(error.is_ora(205) && error.text.contains("ORA-15042") && error.text.contains("DATA_0001"), "{error}");
    place.files.heal();
    assert_eq!(rows(&place.open().unwrap()), 20);
}

#[test]
fn a_copy_of_the_control_file_is_made_in_a_group_and_left_out_again() {
    let (place, instance) = in_groups(&[("asm_diskstring", "disk*"), ("asm_diskgroups", "data")]);
    assert_eq!(control_files(&instance), ControlFile::COPIES);
    let s = instance.connect("SYS").unwrap();
    s.alter_system("control_files", "control01.ctl, +DATA", Scope::Spfile).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let instance = place.open().unwrap();
    let names = control_files(&instance);
    assert_eq!((names.len(), names[0].as_str()), (2, "control01.ctl"));
    assert!(parameter_file(&place).contains(&names[1]));
    let s = instance.connect(OWNER).unwrap();
    table(&s);
    insert(&s, 5);
    drop(s);
    crash(instance);
    // Either copy is enough, and the one that is damaged is said and made whole.
    place.files.flip(Path::new("/data/control01.ctl"), 100).unwrap();
    let instance = place.open().unwrap();
    assert_eq!(rows(&instance), 5);
    let notes = instance.notes().join(" ");
    assert!(notes.contains("A copy of the control file is written anew: control01.ctl: "), "{notes}");
    instance.shutdown().unwrap();
    drop(instance);

    // A lost group is named, and CONTROL_FILES may leave its copy out.
    place.files.lose(Path::new("/data/disk01"));
    place.files.lose(Path::new("/data/disk02"));
    let error = place.open().map(drop).unwrap_err();
    assert!(error.is_ora(205) && error.text.contains(&names[1]), "{error}");
    let text = parameter_file(&place).replace(&format!(", {}", names[1]), "");
    place.files.write_whole(Path::new("/data/highwater.ora"), text.as_bytes()).unwrap();
    let instance = place.open().unwrap();
    assert_eq!((control_files(&instance), rows(&instance)), (vec!["control01.ctl".to_owned()], 5));
}

#[test]
fn a_creation_in_a_group_that_fails_leaves_no_database() {
    for nth in (1..).step_by(7) {
        let (place, instance) = in_groups(&[("asm_diskstring", "disk*"), ("asm_diskgroups", "data")]);
        instance.shutdown().unwrap();
        drop(instance);
        for name in ["control01.ctl", "control02.ctl", "redo01.log", "redo02.log", "redo03.log"] {
            place.files.remove(&directory().join(name)).unwrap();
        }
        for name in ["system01.dbf", "users01.dbf", "undotbs01.dbf", "doublewrite.dbf", "highwater.ora"] {
            place.files.remove(&directory().join(name)).unwrap();
        }
        place.files.fail_from(nth, Fault::Sync);
        place.files.fail_from(1, Fault::Remove);
        let made = place.create(&ALL_IN_DATA);
        if made.is_ok() {
            assert!(nth > 50, "a creation has {nth} syncs");
            return;
        }
        drop(made);
        place.files.heal();
        let instance = place.create(&ALL_IN_DATA).unwrap_or_else(|error| panic!("sync {nth}: {error}"));
        instance.shutdown().unwrap();
        drop(instance);
        assert_eq!(place.problems(), [""; 0]);
    }
}

#[test]
fn what_a_new_database_needs_and_has_not_is_named() {
    let create = |parameters: &[(&str, &str)]| {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        Place { files }.create(parameters).map(drop).unwrap_err()
    };
    let error = create(&[("control_files", "+DATA")]);
    assert!(error.is_ora(15001) && error.text.contains("ASM_DISKSTRING"), "{error}");
    let error = create(&[("db_create_file_dest", "+DATA"), ("asm_diskstring", "disk*")]);
    assert!(error.is_ora(15031), "{error}");
    let error = create(&[("db_create_file_dest", "nowhere")]);
    assert!(error.is_ora(1262) && error.text.contains("db_create_file_dest"), "{error}");
    assert!(create(&[("control_files", "a,b,c,d,e,f,g,h,i")]).is_ora(208));
    assert!(create(&[("control_files", "a.ctl, a.ctl")]).is_ora(2097));
    assert!(create(&[("control_files", " , ")]).is_ora(2097));
}

#[test]
fn files_without_names_are_made_where_the_parameters_say_and_deleted() {
    let (place, instance) = Place::new();
    let s = instance.connect(OWNER).unwrap();
    let spec = |name: &str| TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files: Vec::new(),
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    let none = s.create_tablespace(&spec("NONE")).map(drop).unwrap_err();
    assert!(none.is_ora(2199), "{none}");
    s.parameters().set("db_create_file_dest", "own").unwrap();
    let missing = s.create_tablespace(&spec("NONE")).map(drop).unwrap_err();
    assert!(missing.is_ora(1262), "{missing}");
    place.files.create_directory(Path::new("/data/own")).unwrap();
    let small = DatafileSpec { bytes: 2 * MB, ..DatafileSpec::unnamed() };
    s.create_tablespace(&TablespaceSpec { files: vec![small.clone()], ..spec("Mine") }).unwrap();
    s.alter_tablespace("Mine", &TablespaceChange::AddDatafiles(vec![small])).unwrap();
    let names = |instance: &Instance| -> Vec<String> {
        let data = instance.control().data().clone();
        data.datafiles.iter().filter(|file| is_system_named(&file.name)).map(|file| file.name.clone()).collect()
    };
    let files = names(&instance);
    assert_eq!(files.len(), 2);
    for name in &files {
        assert!(name.starts_with("own/HIGHWATE/datafile/o1_mf_mine_") && name.ends_with("_.dbf"), "{name}");
        assert!(place.files.exists(&directory().join(name)).unwrap());
    }
    let log = NewLogGroup { number: None, members: Vec::new(), bytes: Some(MB), reuse: false };
    s.parameters().set("db_create_online_log_dest_1", "own").unwrap();
    s.parameters().set("db_create_online_log_dest_3", "own/").unwrap();
    instance.add_log_groups(&s, std::slice::from_ref(&log)).unwrap();
    let members = instance.redo().groups().into_iter().find(|group| group.record.number == 4).unwrap().record.members;
    assert_eq!(members.len(), 2);
    assert!(members.iter().all(|name| name.starts_with("own/HIGHWATE/onlinelog/o1_mf_4_")), "{members:?}");
    instance.drop_log_group(&s, 4).unwrap();
    s.drop_tablespace("Mine", true, false).unwrap();
    for name in files.iter().chain(&members) {
        assert!(!place.files.exists(&directory().join(name)).unwrap(), "{name}");
    }
    // Another session has not set them.
    let other = instance.connect(OWNER).unwrap();
    assert!(instance.add_log_groups(&other, std::slice::from_ref(&log)).unwrap_err().is_ora(2236));
}
