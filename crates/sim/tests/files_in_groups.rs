//! A database whose redo log, and then also its control file, is in a mirrored disk group, crashed at each operation of
//! commits, log switches and statements on log files.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{BlockAddress, Clock, DataType, ObjectNumber, Result, Seeded};
use device::FileSystem;
use engine::ddl::TableSpec;
use engine::dictionary::ColumnDef;
use engine::instance::{Background, DiskGroupSpec, DiskSpec, Instance, NewLogGroup, Session};
use engine::startup::CreateOptions;
use scan::{RowSink, ScanSpec};
use sim::DIRECTORY;
use sim::clock::SimulatedClock;
use sim::disk::{Image, Keep, Note, Operation, SimulatedFileSystem, Walk};
use storage::disk_group::{AuSize, DiskGroup, GroupFiles, NewDisk, NewGroup, Redundancy, make_disks};
use storage::redo::LogGroupState;
use storage::table::{Inserter, TableScan};
use storage::txn::CommitWrite;

const MB: u64 = 1 << 20;
const OWNER: &str = "SYSTEM";
const LOG_BYTES: u64 = MB / 2;

fn open(files: &SimulatedFileSystem) -> Result<Arc<Instance>> {
    let clock = Arc::new(SimulatedClock::default());
    Instance::open_with(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None, Background::Inline)
}

fn log(number: u32) -> NewLogGroup {
    NewLogGroup { number: Some(number), members: vec!["+DATA".to_owned()], bytes: Some(LOG_BYTES), reuse: false }
}

/// A closed database with a table. The groups 4 and 5 of its log are in a mirrored group, or 1 to 3 with its only
/// control file.
fn base(with_control: bool) -> Image {
    let files = SimulatedFileSystem::new();
    let below: Arc<dyn FileSystem> = Arc::new(files.clone());
    let (directory, clock) = (Path::new(DIRECTORY), Arc::new(SimulatedClock::default()));
    files.create_directory(directory).unwrap();
    make_disks(&files, &format!("{DIRECTORY}/disk*"), 2, 16 * MB).unwrap();
    let mut parameters = vec![("db_cache_size".to_owned(), (2 * MB).to_string())];
    if with_control {
        let clock = Arc::<SimulatedClock>::clone(&clock) as Arc<dyn Clock>;
        let groups = GroupFiles::new(Arc::clone(&below), directory, &clock, "HIGHWATE", Some(Seeded::new(1)));
        let disks = ["disk01", "disk02"].iter().map(NewDisk::new).collect();
        let (au, redundancy) = (AuSize::default(), Redundancy::Normal);
        let new = NewGroup { name: "DATA".to_owned(), redundancy, au, disks, attributes: Vec::new() };
        drop(DiskGroup::create_with(groups.environment(), &new).unwrap());
        let all = [("asm_diskstring", "disk*"), ("control_files", "+DATA"), ("db_create_online_log_dest_1", "+DATA")];
        parameters.extend(all.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    let options = CreateOptions { parameters, log_bytes: LOG_BYTES, ..CreateOptions::default() };
    let instance = Instance::create_with(below, directory, clock, None, &options, Background::Inline).unwrap();
    let s = instance.connect(OWNER).unwrap();
    if !with_control {
        let disks = vec![DiskSpec::new("disk*")];
        let group = DiskGroupSpec {
            name: "DATA".to_owned(),
            redundancy: Redundancy::Normal,
            disks,
            au_bytes: None,
            attributes: Vec::new(),
        };
        s.create_disk_group(&group).unwrap();
        instance.add_log_groups(&s, &[log(4), log(5)]).unwrap();
        drop_logs(&s, &[1, 2, 3]);
    }
    let column = ColumnDef {
        name: "K".to_owned(),
        data_type: DataType::Varchar2 { bytes: 2000 },
        nullable: true,
        default: None,
    };
    let spec = TableSpec { tablespace: Some("USERS".to_owned()), ..TableSpec::new(OWNER, "T", vec![column]) };
    s.create_table(&spec).unwrap();
    insert(&s).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    files.image()
}

fn drop_logs(s: &Session, numbers: &[u32]) {
    for number in numbers {
        drop_log(s, *number).unwrap();
    }
}

/// Makes a log group idle, and drops it.
fn drop_log(s: &Session, number: u32) -> Result<()> {
    let instance = s.instance();
    loop {
        let groups = instance.redo().groups();
        let group = groups.iter().find(|group| group.record.number == number);
        if !group.is_some_and(|group| matches!(group.record.state, LogGroupState::Current | LogGroupState::Active)) {
            return instance.drop_log_group(s, number);
        }
        instance.redo().switch(s.meter())?;
        instance.checkpoint(s.meter())?;
    }
}

fn insert(s: &Arc<Session>) -> Result<()> {
    let table = s.catalog().require_table(OWNER, "T")?.clone();
    let mut inserter = Inserter::new(s.worker().clone(), table.heap().clone())?;
    inserter.push(&[Some(&[7; 1500])])?;
    inserter.finish()?;
    s.commit(CommitWrite::default()).map(drop)
}

#[derive(Default)]
struct Counted(usize);

impl RowSink for Counted {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, _: &[Option<&[u8]>]) {
        self.0 += 1;
    }
}

fn rows(s: &Arc<Session>) -> usize {
    let table = s.catalog().require_table(OWNER, "T").unwrap().clone();
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: false };
    let mut scan = TableScan::new(s.worker().clone(), table.heap().clone(), spec).unwrap();
    let mut counted = Counted::default();
    while scan.next(&mut counted, 100).unwrap() {}
    counted.0
}

/// What a step leaves: rows of the table, and the numbers of log groups.
type State = (usize, Vec<u32>);

type Step = fn(&Arc<Session>) -> Result<()>;

const STEPS: [Step; 9] = [
    insert,
    |s| s.instance().redo().switch(s.meter()),
    insert,
    |s| s.instance().add_log_groups(s, &[log(6), log(7)]),
    insert,
    |s| s.instance().redo().switch(s.meter()),
    insert,
    |s| drop_log(s, 6),
    insert,
];

/// The open database, the operations of the steps, and the state after each.
fn record(with_control: bool) -> (Image, Vec<Operation>, Vec<State>) {
    let files = SimulatedFileSystem::on(base(with_control));
    let instance = open(&files).unwrap();
    let s = instance.connect(OWNER).unwrap();
    let (image, _) = (files.image(), files.take_operations());
    let mut states = vec![state(&s)];
    for (number, step) in STEPS.into_iter().enumerate() {
        files.note(Note::Begun(number + 1));
        step(&s).unwrap();
        files.note(Note::Acknowledged(number + 1));
        states.push(state(&s));
    }
    (image, files.take_operations(), states)
}

fn state(s: &Arc<Session>) -> State {
    let mut numbers: Vec<u32> = s.instance().redo().groups().iter().map(|group| group.record.number).collect();
    numbers.sort_unstable();
    (rows(s), numbers)
}

/// The database opens with the rows and log groups of the step before or of the step that was begun.
fn check(image: Image, states: &[State], acknowledged: usize, begun: usize, is_verified: bool) {
    let files = SimulatedFileSystem::on(image);
    let instance = open(&files).unwrap();
    let s = instance.connect(OWNER).unwrap();
    let (rows, logs) = state(&s);
    let (old, new) = (&states[acknowledged], &states[begun]);
    assert!([old.0, new.0].contains(&rows), "{rows} rows, {acknowledged} to {begun}: {old:?} {new:?}");
    // Of two log groups in a statement the first may be there alone.
    let part: Vec<u32> = states[0].1.iter().copied().chain([6]).collect();
    assert!([&old.1, &new.1, &part].contains(&&logs), "{logs:?}, {acknowledged} to {begun}");
    insert(&s).unwrap();
    // Files that no log group has are at most those of a statement that was cut short, and can be deleted.
    let group = instance.groups().mounted().remove(0);
    let mut used: Vec<String> = instance.redo().groups().into_iter().flat_map(|group| group.record.members).collect();
    used.extend(instance.control().names().filter(|name| name.starts_with('+')).map(str::to_owned));
    let all: Vec<_> = group.files().unwrap().iter().map(|file| instance.groups().full_name(&file.name)).collect();
    assert!(used.iter().all(|name| all.contains(name)), "{used:?} {all:?}");
    let left: Vec<_> = all.into_iter().filter(|name| !used.contains(name)).collect();
    assert!(left.len() <= 1, "{left:?}");
    for name in left {
        s.alter_disk_group("DATA", &engine::ddl::DiskGroupChange::DropFile(name)).unwrap();
    }
    drop((s, group));
    instance.shutdown().unwrap();
    drop(instance);
    if !is_verified {
        return;
    }
    let clock = Arc::new(SimulatedClock::default());
    let report = engine::verify::verify(Arc::new(files), Path::new(DIRECTORY), clock, None).unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
}

/// Crashes at each operation, in the ways in turn.
fn explore(with_control: bool) {
    let (base, operations, states) = record(with_control);
    let mut walk = Walk::new(base);
    let (mut acknowledged, mut begun, mut crashes) = (0, 0, 0);
    for (place, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Note(Note::Begun(step)) => begun = *step,
            Operation::Note(Note::Acknowledged(step)) => acknowledged = *step,
            _ => {
                let mut random = Seeded::at(9, place as u64);
                let image = walk.crash(Some(operation), Keep::ALL[crashes % Keep::ALL.len()], &mut random);
                check(image, &states, acknowledged, begun, crashes.is_multiple_of(8));
                crashes += 1;
            }
        }
        walk.pass(operation);
    }
    assert!(crashes > 50, "{crashes} crashes");
}

#[test]
fn nothing_is_lost_with_the_log_in_a_group_after_a_crash_at_each_operation() {
    explore(false);
}

#[test]
fn nothing_is_lost_with_log_and_control_file_in_a_group_after_a_crash_at_each_operation() {
    explore(true);
}
