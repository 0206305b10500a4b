//! Several lives of a database: a small case of each kind of failure that several lives have found, tried at every
//! place.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{BlockSize, Seeded};
use engine::instance::{Background, DatafileSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use sim::DIRECTORY;
use sim::check::{Allowed, Depth, check};
use sim::clock::SimulatedClock;
use sim::disk::{Image, Keep, Note, Operation, SimulatedFileSystem, Walk};
use sim::workload::{DiskTally, Recording, WorkloadState, create_table, insert, read};
use storage::control::SpaceManagement;
use storage::txn::CommitWrite;

const OWNER: &str = "SYSTEM";

fn options() -> CreateOptions {
    let sizes = ["db_cache_size", "db_2k_cache_size", "db_4k_cache_size", "db_16k_cache_size", "db_32k_cache_size"];
    CreateOptions {
        parameters: sizes.map(|name| (name.to_owned(), "4M".to_owned())).to_vec(),
        log_bytes: 256 << 10,
        ..CreateOptions::default()
    }
}

fn create(files: &SimulatedFileSystem) -> Arc<Instance> {
    let (files, clock) = (Arc::new(files.clone()), Arc::new(SimulatedClock::default()));
    Instance::create_with(files, Path::new(DIRECTORY), clock, None, &options(), Background::Inline).unwrap()
}

fn open(files: &SimulatedFileSystem) -> Arc<Instance> {
    let (files, clock) = (Arc::new(files.clone()), Arc::new(SimulatedClock::default()));
    Instance::open_with(files, Path::new(DIRECTORY), clock, None, Background::Inline).unwrap()
}

fn tablespace(name: &str, size: BlockSize) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files: vec![DatafileSpec {
            name: format!("{}.dbf", name.to_lowercase()),
            bytes: 2 << 20,
            reuse: false,
            autoextend: Some((1 << 20, None)),
        }],
        block_size: Some(size),
        uniform_bytes: None,
        space_management: SpaceManagement::Manual,
    }
}

fn fill(session: &Arc<Session>, table: &str, keys: std::ops::Range<u32>) {
    let rows: Vec<_> = keys.map(|key| vec![Some(key.to_be_bytes().to_vec()), None, Some(vec![7; 900])]).collect();
    insert(session, table, &rows).unwrap();
    session.commit(CommitWrite::default()).unwrap();
}

/// A life: the initial image, its operations, and the final state.
struct Life {
    base: Image,
    operations: Vec<Operation>,
    state: WorkloadState,
}

fn life(base: &Image, work: impl FnOnce(&Arc<Instance>, &Arc<Session>)) -> Life {
    let files = SimulatedFileSystem::on(base.clone());
    let instance = open(&files);
    let session = instance.connect(OWNER).unwrap();
    work(&instance, &session);
    let state = read(&session).unwrap();
    Life { base: base.clone(), operations: files.take_operations(), state }
}

impl Life {
    /// The image for a process that is started after the first operations of this one.
    fn killed(&self, place: usize) -> Image {
        let mut image = self.base.clone();
        self.operations[..place].iter().for_each(|operation| image.pass(operation));
        image
    }

    fn allowed(&self) -> Allowed {
        allowed(vec![self.state.clone()], 0, 0)
    }
}

fn allowed(states: Vec<WorkloadState>, existing: usize, begun: usize) -> Allowed {
    let recording = Recording {
        base: Image::default(),
        operations: vec![Operation::Note(Note::Begun(begun))],
        parts: vec![states],
        ended_by: None,
        statements: 0,
        lives: Vec::new(),
        existing,
        disks: DiskTally::default(),
        disks_before: Vec::new(),
        options: options(),
    };
    Allowed::new(&recording, 1)
}

fn assert_sound(what: &str, image: Image, allowed: &Allowed, depth: Depth) {
    let (findings, _) = check(image, allowed, depth);
    assert!(findings.is_empty(), "{what}: {findings:?}");
}

fn base() -> Image {
    let files = SimulatedFileSystem::new();
    create(&files).shutdown().unwrap();
    files.image()
}

/// With tables in two tablespaces.
fn with_tables() -> Image {
    let files = SimulatedFileSystem::on(base());
    let instance = open(&files);
    let session = instance.connect(OWNER).unwrap();
    for (name, table) in [("T0", "ONE"), ("T1", "TWO")] {
        session.create_tablespace(&tablespace(name, BlockSize::K8)).unwrap();
        create_table(&session, table, name, 10).unwrap();
        fill(&session, table, 0..20);
    }
    drop(session);
    instance.shutdown().unwrap();
    files.image()
}

#[test]
fn a_database_that_was_recovered_and_closed_without_a_change_opens_again() {
    let life = life(&base(), |instance, session| {
        session.create_tablespace(&tablespace("T0", BlockSize::K8)).unwrap();
        instance.checkpoint(session.meter()).unwrap();
    });
    assert_sound("killed", life.killed(life.operations.len()), &life.allowed(), Depth::Idle);
}

/// Crashes in the life after a kill, at each of its operations.
fn crash_the_next(life: &Life, kill: usize, keep: &[Keep], random: &mut Seeded) {
    let files = SimulatedFileSystem::on(life.killed(kill));
    open(&files).writer_round().unwrap();
    let mut walk = Walk::new(life.base.clone());
    life.operations[..kill].iter().for_each(|operation| walk.pass(operation));
    for (number, operation) in files.take_operations().iter().enumerate() {
        for keep in keep {
            let image = walk.crash(Some(operation), *keep, random);
            let what =
                format!("killed before operation {kill}, power lost in {number} of the next life, {keep:?} kept");
            assert_sound(&what, image, &life.allowed(), Depth::Rows);
        }
        walk.pass(operation);
    }
}

#[test]
fn a_block_that_was_read_whole_after_a_kill_is_not_torn_by_a_later_crash() {
    let life = life(&with_tables(), |instance, session| {
        fill(session, "ONE", 100..120);
        fill(session, "TWO", 100..120);
        instance.checkpoint(session.meter()).unwrap();
    });
    let datafiles: Vec<_> = life
        .base
        .names()
        .filter(|(path, _)| path.extension().is_some_and(|e| e == "dbf") && !path.ends_with("doublewrite.dbf"))
        .map(|(_, file)| file)
        .collect();
    let mut random = Seeded::new(1);
    let mut kills = 0;
    for (number, operation) in life.operations.iter().enumerate() {
        if matches!(operation, Operation::Sync { file, .. } if datafiles.contains(file)) {
            kills += 1;
            crash_the_next(&life, number, &[Keep::Sectors, Keep::First], &mut random);
        }
    }
    assert!(kills > 2, "{kills} kills");
}

#[test]
fn a_control_file_that_was_found_after_a_kill_stays_the_one_that_counts() {
    let base = with_tables();
    // Two lives, so that the redo is in every log group. After the checkpoint that ends the second only the last of it
    // is needed.
    let first = life(&base, |instance, session| {
        fill(session, "ONE", 100..110);
        instance.redo().switch(session.meter()).unwrap();
        fill(session, "ONE", 110..120);
    });
    let second = life(&first.killed(first.operations.len()), |instance, session| {
        fill(session, "ONE", 120..125);
        instance.checkpoint(session.meter()).unwrap();
    });
    let operations = first.operations.into_iter().chain(second.operations).collect();
    let life = Life { base, operations, state: second.state };
    let mut random = Seeded::new(2);
    let last: Vec<usize> = (1..life.operations.len())
        .rev()
        .filter(|number| matches!(life.operations[number - 1], Operation::Rename { .. }))
        // The renames of the checkpoint: before it not every row was committed.
        .take(4)
        .collect();
    for kill in last {
        crash_the_next(&life, kill, &[Keep::Nothing], &mut random);
    }
}

#[test]
fn an_undo_tablespace_is_made_whole_or_not_at_all() {
    let base = with_tables();
    let before = life(&base, |_, _| {}).state;
    let life = life(&base, |_, session| {
        session.create_undo_tablespace(&tablespace("U1", BlockSize::K8), false).unwrap();
    });
    let mut walk = Walk::new(base);
    let mut random = Seeded::new(3);
    let allowed = allowed(vec![before, life.state], 0, 1);
    for (number, operation) in life.operations.iter().enumerate() {
        let image = walk.crash(Some(operation), Keep::Everything, &mut random);
        assert_sound(&format!("power lost in operation {number}"), image, &allowed, Depth::Blocks);
        walk.pass(operation);
    }
}

#[test]
fn a_creation_that_was_cut_short_is_told_and_can_be_made_again() {
    let files = SimulatedFileSystem::new();
    create(&files);
    let operations = files.take_operations();
    let allowed = allowed(vec![WorkloadState::default(), WorkloadState::default()], 1, 1);
    let mut walk = Walk::new(Image::default());
    let mut random = Seeded::new(4);
    for (number, operation) in operations.iter().enumerate() {
        if number % 5 == 0 {
            let keep = Keep::ALL[number / 5 % Keep::ALL.len()];
            let image = walk.crash(Some(operation), keep, &mut random);
            assert_sound(&format!("power lost in operation {number}, {keep:?} kept"), image, &allowed, Depth::Idle);
        }
        walk.pass(operation);
    }
}
