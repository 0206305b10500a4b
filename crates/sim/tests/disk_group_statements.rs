//! CREATE DISKGROUP, a tablespace in it, and both dropped again: crashed at each operation, in each way.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{Result, Seeded};
use device::FileSystem;
use engine::instance::{Background, DatafileSpec, DiskGroupSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use sim::DIRECTORY;
use sim::clock::SimulatedClock;
use sim::disk::{Fault, Image, Keep, Note, Operation, SimulatedFileSystem, Walk};
use storage::control::SpaceManagement;
use storage::disk_group::make_disks;

const MB: u64 = 1 << 20;
const GROUP: &str = "DATA";
const TABLESPACE: &str = "INSIDE";
/// The state after each statement: the group, the tablespace.
const STATES: [(bool, bool); 5] = [(false, false), (true, false), (true, true), (true, false), (false, false)];

fn open(files: &SimulatedFileSystem) -> Result<Arc<Instance>> {
    let clock = Arc::new(SimulatedClock::default());
    Instance::open_with(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None, Background::Inline)
}

fn base() -> Image {
    let files = SimulatedFileSystem::new();
    let options = CreateOptions {
        parameters: vec![("db_cache_size".to_owned(), (2 * MB).to_string())],
        log_bytes: MB / 2,
        ..CreateOptions::default()
    };
    let clock = Arc::new(SimulatedClock::default());
    let made = Arc::new(files.clone());
    let instance =
        Instance::create_with(made, Path::new(DIRECTORY), clock, None, &options, Background::Inline).unwrap();
    make_disks(&files, &format!("{DIRECTORY}/disk*"), 3, 9 * MB).unwrap();
    instance.shutdown().unwrap();
    files.image()
}

fn create_group(s: &Arc<Session>) -> Result<()> {
    s.create_disk_group(&DiskGroupSpec::external(GROUP, "disk*"))
}

fn create_tablespace(s: &Arc<Session>) -> Result<()> {
    let file = DatafileSpec { name: format!("+{GROUP}"), bytes: 3 * MB, reuse: false, autoextend: None };
    let spec = TablespaceSpec {
        logging: true,
        name: TABLESPACE.to_owned(),
        files: vec![file],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    s.create_tablespace(&spec).map(drop)
}

type Statement = fn(&Arc<Session>) -> Result<()>;

/// The statements that lead from each state to the next.
const STATEMENTS: [Statement; 4] = [
    create_group,
    create_tablespace,
    |s| s.drop_tablespace(TABLESPACE, true, false),
    |s| s.drop_disk_group(GROUP, false),
];

/// The disk when the database is open, and the statements' operations.
fn record() -> (Image, Vec<Operation>) {
    let files = SimulatedFileSystem::on(base());
    let instance = open(&files).unwrap();
    let s = instance.connect("SYS").unwrap();
    let (image, _) = (files.image(), files.take_operations());
    for (number, statement) in STATEMENTS.into_iter().enumerate() {
        files.note(Note::Begun(number + 1));
        statement(&s).unwrap();
        files.note(Note::Acknowledged(number + 1));
    }
    (image, files.take_operations())
}

/// The database opens, is in the state before the statement or after it, and all of it can be done again.
fn check(image: Image, acknowledged: usize, begun: usize) {
    let files = SimulatedFileSystem::on(image);
    let instance = open(&files).unwrap();
    let s = instance.connect("SYS").unwrap();
    let group = !instance.groups().mounted().is_empty();
    let tablespace = instance.tablespaces().named(TABLESPACE).is_ok();
    let allowed = [STATES[acknowledged], STATES[begun]];
    assert!(allowed.contains(&(group, tablespace)), "{group} {tablespace}: {acknowledged} to {begun}");
    assert_eq!(instance.control().data().disk_groups.len(), usize::from(group));

    if !group {
        create_group(&s).unwrap();
    }
    if !tablespace {
        create_tablespace(&s).unwrap();
    }
    s.drop_tablespace(TABLESPACE, true, false).unwrap();
    // A crash may have left a file that no tablespace has.
    let mounted = instance.groups().mounted().remove(0);
    let left: Vec<_> = mounted.files().unwrap().iter().map(|file| instance.groups().full_name(&file.name)).collect();
    assert!(left.len() <= 1, "{left:?}");
    for name in left {
        assert!(s.drop_disk_group(GROUP, false).unwrap_err().is_ora(15053));
        s.alter_disk_group(GROUP, &engine::ddl::DiskGroupChange::DropFile(name)).unwrap();
    }
    drop(mounted);
    s.drop_disk_group(GROUP, false).unwrap();
    create_group(&s).unwrap();
    create_tablespace(&s).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    drop(instance);
    let clock = Arc::new(SimulatedClock::default());
    let report = engine::verify::verify(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None).unwrap();
    assert!(report.is_clean(), "{:?}", report.problems);
    assert!(files.exists(&Path::new(DIRECTORY).join("disk01")).unwrap());
}

/// Crashes the open that follows a crash, at each of its operations.
fn crash_again(image: &Image, acknowledged: usize, begun: usize, random: &mut Seeded) -> usize {
    let files = SimulatedFileSystem::on(image.clone());
    drop(open(&files).unwrap());
    let operations = files.take_operations();
    let mut walk = Walk::new(image.clone());
    for operation in &operations {
        check(walk.crash(Some(operation), Keep::Sectors, random), acknowledged, begun);
        walk.pass(operation);
    }
    operations.len()
}

/// Fails the nth operation of a kind, and opens the result: neither the group nor the tablespace exists by half.
fn fail(image: &Image, fault: Fault) -> bool {
    let files = SimulatedFileSystem::on(image.clone());
    let instance = open(&files).unwrap();
    let s = instance.connect("SYS").unwrap();
    let [_, writes, syncs, _] = files.counts();
    files.plan(match fault {
        Fault::Write(n) => Fault::Write(n + writes),
        Fault::Sync(n) => Fault::Sync(n + syncs),
        other => other,
    });
    let done = STATEMENTS.iter().take_while(|statement| statement(&s).is_ok()).count();
    if instance.health().check().is_ok() && done < STATEMENTS.len() {
        let found = (!instance.groups().mounted().is_empty(), instance.tablespaces().named(TABLESPACE).is_ok());
        assert!([STATES[done], STATES[done + 1]].contains(&found), "{fault:?} after {done} statements: {found:?}");
    }
    drop(s);
    drop(instance);
    check(files.image(), done, (done + 1).min(STATEMENTS.len()));
    !files.happened().is_empty()
}

#[test]
fn after_a_failed_write_or_sync_a_group_is_there_or_not() {
    let (image, _) = record();
    for kind in [Fault::Write, Fault::Sync] {
        let happened = (1..).take_while(|n| fail(&image, kind(*n))).count();
        println!("{happened} faults");
        assert!(happened > 10, "{happened} faults");
    }
}

#[test]
fn a_group_and_its_tablespace_are_there_or_not_after_a_crash_at_each_operation() {
    let (base, operations) = record();
    let mut walk = Walk::new(base);
    let (mut acknowledged, mut begun, mut crashes) = (0, 0, 0);
    for (place, operation) in operations.iter().enumerate() {
        match operation {
            Operation::Note(Note::Begun(state)) => begun = *state,
            Operation::Note(Note::Acknowledged(state)) => acknowledged = *state,
            _ => {
                for keep in Keep::ALL {
                    let mut random = Seeded::at(7, place as u64);
                    let image = walk.crash(Some(operation), keep, &mut random);
                    crashes += 1;
                    if crashes % 150 == 0 {
                        crashes += crash_again(&image, acknowledged, begun, &mut random);
                    }
                    check(image, acknowledged, begun);
                }
            }
        }
        walk.pass(operation);
    }
    check(walk.crash(None, Keep::ALL[0], &mut Seeded::new(7)), acknowledged, begun);
    println!("{crashes} crashes");
    assert!(crashes > 600, "{crashes} crashes");
}
