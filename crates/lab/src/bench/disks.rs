//! `bench disks`: modelled devices and mirrored groups (`mirrors.rs`). The processor's time that a request on a
//! modelled device takes, beside what is allowed; and a number of spindles that run at once in real time, beside the
//! model in its own time.
//!
//! Bytes are kept in memory: what is measured is the model's cost and its punctuality, not the machine's disk.

use std::path::Path;
use std::sync::Arc;

use common::sync::spawn;
use common::{Clock, Error, Result, Seeded, SystemClock};
use device::{Device, FileSystem, MemoryFileSystem};
use drive::load::{Load, Places, run as run_model};
use drive::{CellFile, GridSpec, Kind, ModelledFileSystem, Positive, disk_name, make_cells};

use super::BenchOptions;
use super::outcome::{Case, Outcome};
use crate::progress::Progress;
use crate::time::seconds;

const MODEL: &str = "disk-10k-73gb";
const CELL: &str = "cell01";
const GRID: &str = "DATA";
/// Megabytes of each grid disk.
const GRID_MB: u64 = 1024;
const SPINDLES: u16 = 24;
/// Bytes of a request.
const BYTES: usize = 8192;
/// Requests of each spindle in a run at scale 1: some seconds.
const REQUESTS: f64 = 400.0;
/// Processor time that a request on a modelled device may cost.
const CPU_US_MAX: f64 = 20.0;
/// Required share of the model's own rate.
const PUNCTUAL: f64 = 0.95;

/// Times of a run of all spindles at once.
struct Run {
    requests: u64,
    elapsed_us: u64,
    /// Processor time of the threads.
    cpu_us: u64,
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let requests = (REQUESTS * options.scale).max(20.0) as u64;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let plain = Arc::new(MemoryFileSystem::new());
    let grid = vec![GridSpec { name: GRID.to_owned(), size_mb: GRID_MB, offset_mb: 0 }];
    let cell = CellFile {
        name: CELL.to_owned(),
        model: MODEL.to_owned(),
        disks: SPINDLES,
        dilate: Positive::ONE,
        grid,
        flash: None,
    };
    let model = drive::find(MODEL)?.ok_or_else(|| Error::bug("the catalogue lacks the model"))?;
    make_cells(&*plain, Path::new("/"), 1, &cell, model.start().bytes())?;
    let modelled = ModelledFileSystem::new(Arc::clone(&plain) as Arc<dyn FileSystem>, Arc::clone(&clock));
    let (mut cpu, mut allowed, mut rates, mut own) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 1..=options.runs {
        progress.step(&format!("run {number} of {}: {SPINDLES} spindles", options.runs));
        let on_model = spindles(&modelled, &clock, requests, u64::from(number))?;
        let without = spindles(&*plain, &clock, requests, u64::from(number))?;
        let cost = on_model.cpu_us.saturating_sub(without.cpu_us) as f64 / on_model.requests as f64;
        cpu.push(1e6 / cost.max(0.01));
        allowed.push(1e6 / CPU_US_MAX);
        rates.push(on_model.requests as f64 / seconds(on_model.elapsed_us.max(1)));
        own.push(in_its_own_time(&model, requests, u64::from(number)));
    }
    let parent = options.data.clone().unwrap_or_else(std::env::temp_dir);
    let directory = tempfile::Builder::new()
        .prefix("highwater-disks-")
        .tempdir_in(&parent)
        .map_err(|error| crate::laboratory::io(&parent, &error))?;
    let mirrored = super::mirrors::cases(directory.path(), options.scale, options.runs, progress)?;
    progress.end();
    let lateness = modelled.cells().iter().filter_map(|cell| cell.lateness()).collect::<Vec<_>>();
    let mut notes = vec![format!(
        "{SPINDLES} spindles of the model {MODEL} in one process, a thread each, random reads of {} KB one after another; \
         {requests} requests a spindle in a run; bytes are kept in memory{}",
        BYTES / 1024,
        if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
    )];
    notes.extend(lateness);
    notes.push(
        "mirrored groups: four disks that are files of the benchmark's directory, two threads with requests of 1 MB, a sync \
         at the end; the rebalance follows four disks that join, and plain copies sync each MB, as a move does"
            .to_owned(),
    );
    let mut cases = vec![
        Case::new("requests on modelled devices", "requests/s of CPU", "20 microseconds each", Some(1.0), cpu, allowed),
        Case::new("24 spindles in real time", "requests/s", "the model's own time", Some(PUNCTUAL), rates, own),
    ];
    cases.extend(mirrored);
    Ok(Outcome { name: "disks".to_owned(), cases, notes, skipped: Vec::new(), device: None })
}

/// Where a spindle's requests go; the same in real time and in the model's.
fn seed(run: u64, spindle: u16) -> u64 {
    run * 1000 + u64::from(spindle)
}

fn spindles(files: &dyn FileSystem, clock: &Arc<dyn Clock>, requests: u64, run: u64) -> Result<Run> {
    let failed = |error: std::io::Error| crate::laboratory::io(Path::new(CELL), &error);
    let mut threads = Vec::new();
    let mut devices = Vec::new();
    for disk in 0..SPINDLES {
        let path = Path::new("/").join(CELL).join(disk_name(GRID, disk, CELL));
        devices.push(files.open(&path).map_err(failed)?);
    }
    let from_us = clock.monotonic_us();
    for (disk, device) in (0..SPINDLES).zip(devices) {
        let clock = Arc::clone(clock);
        let work = move || reads(&*device, &*clock, requests, seed(run, disk));
        threads.push(spawn("spindle", work).map_err(failed)?);
    }
    let mut cpu_us = 0;
    for thread in threads {
        let ended = thread.join().map_err(|_| Error::bug("a thread of the benchmark panicked"))?;
        cpu_us += ended.map_err(failed)?;
    }
    let elapsed_us = clock.monotonic_us() - from_us;
    Ok(Run { requests: requests * u64::from(SPINDLES), elapsed_us, cpu_us })
}

/// Reads at random, one request after another; returns the thread's processor time.
fn reads(device: &dyn Device, clock: &dyn Clock, requests: u64, seed: u64) -> std::io::Result<u64> {
    let mut random = Seeded::new(seed);
    let mut buffer = vec![0; BYTES];
    let from_us = clock.thread_cpu_us();
    for _ in 0..requests {
        let place = random.below((GRID_MB << 20) / BYTES as u64);
        device.read_at(place * BYTES as u64, &mut [&mut buffer])?;
    }
    Ok(clock.thread_cpu_us() - from_us)
}

/// Requests a second of all spindles by the model alone: the slowest spindle ends the run.
fn in_its_own_time(model: &drive::ModelFile, requests: u64, run: u64) -> f64 {
    let ends = (0..SPINDLES).map(|disk| {
        let load = Load {
            kind: Kind::Read,
            bytes: BYTES as u64,
            places: Places::Random,
            depth: 1,
            requests: requests as u32,
            from: 0,
            to: GRID_MB << 20,
            seed: seed(run, disk),
        };
        run_model(&mut *model.start(), &load).elapsed_us
    });
    let elapsed_us = ends.fold(0.0, f64::max);
    (requests * u64::from(SPINDLES)) as f64 / elapsed_us * 1e6
}
