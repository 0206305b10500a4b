//! Databases in mirrored disk groups whose disks fail, leave and come back, over lives that kills and losses of power
//! end.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::path::{Path, PathBuf};

use asm::Redundancy;
use common::Result;
use common::sync::Arc;
use engine::instance::{
    Background, DatafileSpec, DiskGroupSpec, DiskSpec, DisksOf, Instance, RebalanceClause, TablespaceSpec,
};
use engine::startup::CreateOptions;
use sim::DIRECTORY;
use sim::clock::SimulatedClock;
use sim::disk::{FileFault, Image, Lie, SimulatedFileSystem};
use sim::explore::{Crashes, Outcome, explore};
use sim::workload::{Plan, Recording, record};
use storage::control::SpaceManagement;
use storage::disk_group::make_disks;

const MB: u64 = 1 << 20;

fn crashes(seed: u64) -> Crashes {
    Crashes {
        seed,
        places: 9,
        ways: 1,
        blocks_every: 2,
        again_every: 11,
        again_places: 2,
        faults_every: 13,
        faults_times: 1,
    }
}

fn run(seed: u64) -> (Recording, Outcome) {
    let recording = record(&Plan::lives(seed, 25, 3).in_group(), &[], Lie::None).unwrap();
    let outcome = explore(&recording, &crashes(seed));
    let failures: Vec<String> = outcome.failures.iter().map(ToString::to_string).collect();
    assert_eq!((failures, &recording.ended_by), (Vec::new(), &None), "seed {seed}");
    (recording, outcome)
}

#[test]
fn a_bad_disk_costs_nothing_while_another_copy_is_there() {
    let mut all = Outcome::default();
    for seed in 1..=24 {
        all.add(run(seed).1);
    }
    println!("{} crashes: {}", all.crashes, all.disks);
    let disks = all.disks;
    let reached = [
        disks.gone,
        disks.met.gone,
        disks.met.flipped,
        disks.met.unreadable,
        disks.offline,
        disks.online,
        disks.dropped,
        disks.added,
        disks.repairs,
        all.without_disk as u64,
        all.old_disk as u64,
    ];
    assert!(reached.iter().all(|count| *count > 0), "{reached:?}");
}

/// Found by seeds: a header that was given to a file, a disk of the group that was added to it by force, a rebalance
/// without room that kept the database closed, a header of a datafile with a flipped bit.
#[test]
fn seeds_that_have_failed_do_not_fail_again() {
    for seed in [134, 144, 184, 207] {
        run(seed);
    }
}

#[test]
fn a_seed_does_the_same_each_time() {
    let trace = |recording: &Recording| (recording.trace(), recording.disks);
    let record = || record(&Plan::lives(8, 25, 3).in_group(), &[], Lie::None).unwrap();
    assert_eq!(trace(&record()), trace(&record()));
}

fn open(files: &SimulatedFileSystem) -> Result<Arc<Instance>> {
    let clock = Arc::new(SimulatedClock::default());
    Instance::open_with(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None, Background::Inline)
}

/// A tablespace in the group.
fn inside(name: &str) -> TablespaceSpec {
    TablespaceSpec {
        logging: true,
        name: name.to_owned(),
        files: vec![DatafileSpec { name: "+DATA".to_owned(), bytes: 3 * MB, reuse: false, autoextend: None }],
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    }
}

/// A database that is closed, with a tablespace in a mirrored group of three disks of so many bytes.
fn database(disk_bytes: u64) -> Image {
    let files = SimulatedFileSystem::new();
    let options = CreateOptions {
        parameters: vec![("db_cache_size".to_owned(), (2 * MB).to_string())],
        log_bytes: MB / 2,
        ..CreateOptions::default()
    };
    let (made, clock) = (Arc::new(files.clone()), Arc::new(SimulatedClock::default()));
    let instance =
        Instance::create_with(made, Path::new(DIRECTORY), clock, None, &options, Background::Inline).unwrap();
    make_disks(&files, &format!("{DIRECTORY}/disk*"), 3, disk_bytes).unwrap();
    let s = instance.connect("SYS").unwrap();
    let group = DiskGroupSpec {
        name: "DATA".to_owned(),
        redundancy: Redundancy::Normal,
        disks: vec![DiskSpec::new("disk*")],
        au_bytes: None,
        attributes: Vec::new(),
    };
    s.create_disk_group(&group).unwrap();
    s.create_tablespace(&inside("INSIDE")).unwrap();
    drop(s);
    instance.shutdown().unwrap();
    files.image()
}

/// The disks with the copies of a place of the datafile, and where on them they are.
fn copies(instance: &Instance, at: u64) -> Vec<(PathBuf, u64)> {
    let mounted = instance.groups().group("DATA").unwrap();
    let number = mounted.files().unwrap()[0].name.number;
    let disks = mounted.statistics().disks;
    let places = mounted.group().extents(number).unwrap();
    let holds = |place: &&asm::ExtentPlace| place.file_offset <= at && at < place.file_offset + place.bytes;
    let of = |place: &asm::ExtentPlace| {
        let disk = disks.iter().find(|disk| disk.number == place.disk).unwrap();
        (Path::new(DIRECTORY).join(disk.path.as_ref().unwrap()), place.offset + at - place.file_offset)
    };
    places.iter().filter(holds).map(of).collect()
}

#[test]
fn a_flipped_bit_in_a_files_header_is_read_from_the_other_copy() {
    let image = database(16 * MB);
    let instance = open(&SimulatedFileSystem::on(image.clone())).unwrap();
    // In the block that tells the block size, and in the header behind it.
    let bad: Vec<_> = [9, 8192 + 100].into_iter().flat_map(|at| copies(&instance, at)).collect();
    assert_eq!(bad.len(), 4);
    drop(instance);
    for (path, offset) in bad {
        let mut image = image.clone();
        image.flip(&path, offset);
        let files = SimulatedFileSystem::on(image);
        let instance = open(&files).unwrap();
        // The close stamps the header.
        files.break_file(&path, FileFault::Flipped(offset));
        instance.cache().file(instance.tablespaces().named("INSIDE").unwrap().files()[0]).unwrap().mark_changed();
        instance.shutdown().unwrap();
        drop(instance);
        files.heal();
        let clock = Arc::new(SimulatedClock::default());
        let report = engine::verify::verify(Arc::new(files.clone()), Path::new(DIRECTORY), clock, None).unwrap();
        assert!(report.is_clean(), "{:?}", report.problems);
    }
}

#[test]
fn a_rebalance_that_finds_no_room_does_not_keep_the_database_closed() {
    let files = SimulatedFileSystem::on(database(16 * MB));
    let instance = open(&files).unwrap();
    let s = instance.connect("SYS").unwrap();
    // Until the three disks are full: two of them have no room for two copies of everything.
    let full = (0..).find(|number| s.create_tablespace(&inside(&format!("MORE{number}"))).is_err());
    assert!(full > Some(2), "{full:?}");
    let disk = DisksOf::Named(vec!["DATA_0000".to_owned()]);
    instance.offline_disks(&s, "DATA", &disk, None).unwrap();
    let error = instance.drop_disks(&s, "DATA", &disk, true, RebalanceClause::default()).unwrap_err();
    assert!(error.is_ora(15041), "{error}");
    drop(s);
    drop(instance);
    let instance = open(&files).unwrap();
    assert_eq!(instance.groups().group("DATA").unwrap().statistics().disks.len(), 2);
    assert!(instance.groups().notes().iter().any(|note| note.contains("ORA-15041")), "{:?}", instance.groups().notes());
}
