//! Tables loaded past the cache, with and without images in the log, among everything else, and crashes everywhere.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::Path;

use common::sync::Arc;
use common::{DataType, Seeded};
use engine::ddl::{IndexSpec, PhysicalAttributes, TableSpec};
use engine::dictionary::ColumnDef;
use engine::instance::{Background, Instance};
use engine::startup::CreateOptions;
use sim::DIRECTORY;
use sim::clock::SimulatedClock;
use sim::disk::{Image, Keep, Lie, Operation, SimulatedFileSystem, Walk};
use sim::explore::{Crashes, explore};
use sim::workload::{Plan, record};
use storage::segment::Storage;
use storage::table::Inserter;
use storage::txn::CommitWrite;

fn crashes(seed: u64, places: usize) -> Crashes {
    Crashes {
        seed,
        places,
        ways: 2,
        blocks_every: 3,
        again_every: 7,
        again_places: 4,
        faults_every: 0,
        faults_times: 0,
    }
}

#[test]
fn loads_that_were_committed_survive_crashes_and_others_leave_nothing() {
    let mut tried = 0;
    for seed in 1..=20 {
        let recording = record(&Plan { loads: true, ..Plan::new(seed, 40) }, &[], Lie::None).unwrap();
        assert_eq!(recording.ended_by, None, "seed {seed}");
        let outcome = explore(&recording, &crashes(seed, 12));
        tried += outcome.crashes;
        assert!(outcome.is_clean(), "seed {seed}: {:#?}", outcome.failures);
    }
    assert!(tried > 200, "{tried} crashes");
}

/// In this run a load without images begins while redo of the table's earlier life has not been written to the log yet.
#[test]
fn a_checkpoint_before_a_load_leaves_no_redo_behind_that_is_read_again() {
    let recording = record(&Plan { loads: true, ..Plan::new(124, 60) }, &[], Lie::None).unwrap();
    let outcome = explore(&recording, &crashes(124, 150));
    assert!(outcome.is_clean(), "{:#?}", outcome.failures);
}

#[test]
fn a_small_run_of_loads_survives_a_crash_at_every_operation() {
    for seed in [5, 8] {
        let recording = record(&Plan { loads: true, closed: true, ..Plan::new(seed, 8) }, &[], Lie::None).unwrap();
        let outcome = explore(&recording, &Crashes { again_every: 31, ..crashes(seed, usize::MAX) });
        assert!(outcome.is_clean(), "seed {seed}: {:#?}", outcome.failures);
    }
}

const OWNER: &str = "SYSTEM";

fn clock() -> Arc<SimulatedClock> {
    Arc::new(SimulatedClock::default())
}

/// An index is built over rows on disk: the disk before it, and the operations. The log has no images of its leaves.
fn build() -> (Image, Vec<Operation>) {
    let files = SimulatedFileSystem::new();
    let parameters = vec![("db_cache_size".to_owned(), "4M".to_owned())];
    let options = CreateOptions { parameters, log_bytes: 4 << 20, ..CreateOptions::default() };
    let path = Path::new(DIRECTORY);
    let instance =
        Instance::create_with(Arc::new(files.clone()), path, clock(), None, &options, Background::Inline).unwrap();
    let session = instance.connect(OWNER).unwrap();
    let column =
        ColumnDef { name: "V".to_owned(), data_type: DataType::Varchar2 { bytes: 200 }, nullable: true, default: None };
    session.create_table(&TableSpec::new(OWNER, "T", vec![column])).unwrap();
    let table = session.catalog().require_table(OWNER, "T").unwrap().clone();
    let mut inserter = Inserter::new(session.worker().clone(), table.heap().clone()).unwrap();
    for number in 0..500_u32 {
        inserter.push(&[Some(&number.to_be_bytes().repeat(40))]).unwrap();
    }
    inserter.finish().unwrap();
    session.commit(CommitWrite::default()).unwrap();
    instance.checkpoint(session.meter()).unwrap();
    let before = files.image();
    let _ = files.take_operations();
    let index = session
        .create_index(&IndexSpec {
            owner: OWNER.to_owned(),
            name: "I".to_owned(),
            table_owner: OWNER.to_owned(),
            table_name: "T".to_owned(),
            columns: vec!["V".to_owned()],
            unique: false,
            tablespace: None,
            physical: PhysicalAttributes::default(),
            storage: Storage::default(),
            logging: Some(false),
        })
        .unwrap();
    assert!(index.statistics.unwrap().leaf_blocks > 5);
    instance.redo().flush(instance.redo().end()).unwrap();
    drop(session);
    drop(instance);
    (before, files.take_operations())
}

/// Opens the database after a crash: whether the index exists, and faults of blocks.
fn opened(image: Image) -> (bool, Vec<String>) {
    let files = SimulatedFileSystem::on(image);
    let path = Path::new(DIRECTORY);
    let instance = Instance::open_with(Arc::new(files.clone()), path, clock(), None, Background::Inline).unwrap();
    let session = instance.connect(OWNER).unwrap();
    let is_there = session.catalog().index(OWNER, "I").is_some();
    drop(session);
    instance.shutdown().unwrap();
    drop(instance);
    // Which checks that each row has its entry and each entry its row.
    let report = engine::verify::verify(Arc::new(files), path, clock(), None).unwrap();
    (is_there, report.problems.iter().map(|problem| format!("{problem:?}")).collect())
}

/// After each of the operations no unsynced write is needed. Without the load's sync the index is lost.
#[test]
fn an_index_that_is_built_without_images_is_synced_before_it_is_there() {
    let (before, operations) = build();
    let mut random = Seeded::at(7, 1);
    let mut walk = Walk::new(before.clone());
    let mut there = 0;
    for operation in &operations {
        for keep in [Keep::Nothing, Keep::Last, Keep::Sectors] {
            let (is_there, problems) = opened(walk.crash(Some(operation), keep, &mut random));
            assert_eq!(problems, Vec::<String>::new(), "{operation:?}, {keep:?}");
            there += usize::from(is_there);
        }
        walk.pass(operation);
    }
    let (is_there, problems) = opened(walk.crash(None, Keep::Nothing, &mut random));
    assert!(is_there && problems.is_empty(), "{problems:?}");
    assert!(there < operations.len() * 3);

    let is_sync = |operation: &Operation| matches!(operation, Operation::Sync { .. });
    let load = operations.iter().rposition(is_sync).unwrap();
    let mut walk = Walk::new(before);
    for (_, operation) in operations.iter().enumerate().filter(|(at, _)| *at != load) {
        walk.pass(operation);
    }
    let (is_there, problems) = opened(walk.crash(None, Keep::Nothing, &mut random));
    assert!(is_there && !problems.is_empty());
}
