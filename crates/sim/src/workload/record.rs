//! Recording a plan: one life of a database on a disk that was durable at first, or several lives (lives.rs).

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex};
use common::{Error, Result, Seeded};
use device::FileSystem as _;
use engine::instance::{Background, DiskGroupSpec, DiskSpec, Instance, Session, TablespaceSpec};
use engine::startup::CreateOptions;
use storage::cells::{CELL_FILE, FLASH_CACHE_FILE, FLASH_LOG_FILE};
use storage::disk_group::make_disks;

use super::run::{MB, Run, file};
use super::{DiskTally, Plan, Recording, WorkloadState, engine as statements, lives};
use crate::DIRECTORY;
use crate::clock::SimulatedClock;
use crate::disk::{Fault, Image, Lie, SimulatedFileSystem};

/// The disk group, bytes of all disks of one without redundancy, and of each disk of a mirrored one.
pub(super) const GROUP: &str = "DATA";
const DISKS_BYTES: u64 = 192 * MB;
pub(super) const DISK_BYTES: u64 = 160 * MB;
/// A few writes, and a few dozen blocks.
const FLASH_LOG_BYTES: u64 = 64 << 10;
const FLASH_CACHE_BYTES: u64 = 512 << 10;

/// New databases by log size and cache size: made once, used by every run.
static BASES: Mutex<BTreeMap<(u64, u64), Image>> = Mutex::new(BTreeMap::new());

/// Options of the database of a plan.
pub(super) fn options(plan: &Plan) -> CreateOptions {
    let sizes = ["db_cache_size", "db_2k_cache_size", "db_4k_cache_size", "db_16k_cache_size", "db_32k_cache_size"];
    CreateOptions {
        name: "SIM".to_owned(),
        parameters: sizes.map(|name| (name.to_owned(), plan.cache_bytes.to_string())).to_vec(),
        log_bytes: plan.log_bytes,
        ..CreateOptions::default()
    }
}

fn base(plan: &Plan) -> Result<Image> {
    if let Some(image) = BASES.lock().get(&(plan.log_bytes, plan.cache_bytes)) {
        return Ok(image.clone());
    }
    let files = SimulatedFileSystem::new();
    let instance = Instance::create_with(
        Arc::new(files.clone()),
        Path::new(DIRECTORY),
        Arc::new(SimulatedClock::default()),
        None,
        &options(plan),
        Background::Inline,
    )?;
    instance.shutdown()?;
    let image = files.image();
    BASES.lock().insert((plan.log_bytes, plan.cache_bytes), image.clone());
    Ok(image)
}

pub(super) fn connect(plan: &Plan, instance: &Arc<Instance>) -> Result<Vec<Arc<Session>>> {
    (0..plan.sessions).map(|_| instance.connect(statements::OWNER)).collect()
}

/// The disk group of a plan.
fn group(plan: &Plan, disks: &[PathBuf]) -> DiskGroupSpec {
    if !plan.is_mirrored() {
        return DiskGroupSpec::external(GROUP, "disk*");
    }
    let disk = |(number, path): (usize, &PathBuf)| DiskSpec {
        failure_group: Some(format!("F{}", number % usize::from(plan.failure_groups))),
        ..DiskSpec::new(path.to_string_lossy())
    };
    let disks = disks.iter().enumerate().map(disk).collect();
    DiskGroupSpec { name: GROUP.to_owned(), redundancy: plan.redundancy, disks, au_bytes: None, attributes: Vec::new() }
}

/// Makes the directory a cell with flash: disks of a group in it are in the cell then.
fn make_cell(files: &SimulatedFileSystem) -> io::Result<()> {
    for (name, bytes) in [(CELL_FILE, 0), (FLASH_CACHE_FILE, FLASH_CACHE_BYTES), (FLASH_LOG_FILE, FLASH_LOG_BYTES)] {
        files.create(&Path::new(DIRECTORY).join(name), bytes)?;
    }
    Ok(())
}

/// Opens a new database with the tablespaces of the plan, on a disk of its own. The operations until then are
/// forgotten.
pub(super) fn prepared(
    plan: &Plan,
    clock: &Arc<SimulatedClock>,
    background: Background,
) -> Result<(SimulatedFileSystem, Arc<Instance>, Vec<Arc<Session>>)> {
    let files = SimulatedFileSystem::on(base(plan)?);
    let instance = Instance::open_with(Arc::new(files.clone()), Path::new(DIRECTORY), clock.clone(), None, background)?;
    let sessions = connect(plan, &instance)?;
    if plan.disks > 0 {
        let pattern = format!("{DIRECTORY}/disk*");
        let bytes = if plan.is_mirrored() { DISK_BYTES } else { DISKS_BYTES / u64::from(plan.disks) };
        let disks = make_disks(&files, &pattern, plan.disks, bytes)?;
        if plan.flash {
            make_cell(&files).map_err(|error| Error::bug(format!("a cell: {error}")))?;
        }
        sessions[0].create_disk_group(&group(plan, &disks))?;
    }
    for (number, (size, management)) in plan.tablespaces.iter().enumerate() {
        sessions[0].create_tablespace(&TablespaceSpec {
            logging: true,
            name: plan.tablespace(number),
            files: vec![file(plan, &format!("t{number}_1.dbf"))],
            block_size: Some(*size),
            uniform_bytes: None,
            space_management: *management,
        })?;
    }
    instance.checkpoint(sessions[0].meter())?;
    let _ = files.take_operations();
    Ok((files, instance, sessions))
}

/// Makes a run and records it. `faults` and `lie` apply once the tables are there; with several lives there are no
/// faults. An error of the engine ends the run: it is in the recording.
///
/// # Errors
/// When not even the database can be set up.
pub fn record(plan: &Plan, faults: &[Fault], lie: Lie) -> Result<Recording> {
    if plan.lives > 0 {
        return lives::record(plan, lie);
    }
    let clock = Arc::new(SimulatedClock::default());
    let (files, instance, sessions) = prepared(plan, &clock, Background::Inline)?;
    let base = files.image();
    files.lie(lie);
    let counts = files.counts();
    for fault in faults {
        files.plan(later(*fault, counts));
    }
    let live = WorkloadState { tablespaces: statements::read(&sessions[0])?.tablespaces, ..WorkloadState::default() };
    let mut run = Run {
        plan: Arc::new(plan.clone()),
        part: 0,
        files: files.clone(),
        clock,
        instance,
        sessions,
        random: Seeded::at(plan.seed, 1),
        live: live.clone(),
        states: vec![live],
        next_key: 0,
        next_name: 0,
        statements: 0,
        savepoints: vec![None; plan.sessions],
        reader: None,
        tally: DiskTally::default(),
    };
    run.note_redundancy();
    let result = run.set_up().and_then(|()| run.work()).and_then(|()| run.commit_all()).and_then(|()| {
        run.reader = None;
        run.before_close();
        if plan.closed { run.instance.shutdown() } else { Ok(()) }
    });
    run.count_disks();
    let Run { instance, sessions, states, statements, reader, tally, .. } = run;
    drop((sessions, reader));
    drop(instance);
    let ended_by = result.err().map(|error| error.to_string());
    Ok(Recording {
        base,
        operations: files.take_operations(),
        parts: vec![states],
        ended_by,
        statements,
        lives: Vec::new(),
        existing: 0,
        disks: tally,
        disks_before: Vec::new(),
        options: options(plan),
    })
}

fn later(fault: Fault, [reads, writes, syncs, growths]: [u64; 4]) -> Fault {
    match fault {
        Fault::Read(n) => Fault::Read(n + reads),
        Fault::ReadsFrom(n) => Fault::ReadsFrom(n + reads),
        Fault::FlippedRead(n) => Fault::FlippedRead(n + reads),
        Fault::Write(n) => Fault::Write(n + writes),
        Fault::Sync(n) => Fault::Sync(n + syncs),
        Fault::Growth(n) => Fault::Growth(n + growths),
    }
}
