//! The part of `bench disks` that is about mirrored groups: writing and reading through a group of normal redundancy
//! beside one without, on the same disks, and a rebalance beside plain copies between the disks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use common::sync::spawn;
use common::{Clock, Error, Result, SystemClock};
use device::{AlignedBuffer, Device, FileSystem, OsFileSystem};
use storage::disk_group::{
    DiskGroup, Environment, FileKind, GroupFile, Lanes, NewDisk, NewGroup, Redundancy, Step, make_disks,
};

use super::outcome::Case;
use crate::progress::Progress;
use crate::time::seconds;

const MB: u64 = 1 << 20;
const DISKS: u16 = 4;
/// Megabytes of the file, and of each disk, at scale 1.
const FILE_MB: f64 = 192.0;
/// Bytes of a request.
const REQUEST: usize = 1 << 20;
/// Sessions that write or read at once, each its part of the file.
const THREADS: u64 = 2;
const POWER: u16 = 11;
/// Required shares of the rate of the group without redundancy, and of plain copies.
const WRITE: f64 = 0.45;
const READ: f64 = 0.95;
const REBALANCE: f64 = 0.8;

/// Rates of one side in each run, megabytes a second.
#[derive(Default)]
struct Rates {
    write: Vec<f64>,
    read: Vec<f64>,
}

pub(super) fn cases(directory: &Path, scale: f64, runs: u32, progress: &mut dyn Progress) -> Result<Vec<Case>> {
    let file_mb = (FILE_MB * scale).max(16.0) as u64 / THREADS * THREADS;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let (mut mirrored, mut plain) = (Rates::default(), Rates::default());
    let (mut moved, mut copied) = (Vec::new(), Vec::new());
    for number in 1..=runs {
        for (redundancy, rates) in [(Redundancy::External, &mut plain), (Redundancy::Normal, &mut mirrored)] {
            progress.step(&format!("run {number} of {runs}: a group of {} redundancy", redundancy.name()));
            let place = directory.join(format!("{}{number}", redundancy.name()));
            let group = group(&place, redundancy, file_mb)?;
            let file = group.create_file(FileKind::DataFile, "BENCH", file_mb * MB)?;
            rates.write.push(file_mb as f64 / timed(&*clock, || at_once(&file, file_mb, write))?);
            rates.read.push(file_mb as f64 / timed(&*clock, || at_once(&file, file_mb, read))?);
            if redundancy == Redundancy::Normal {
                progress.step(&format!("run {number} of {runs}: rebalance"));
                let (moved_mb, elapsed_us) = rebalance(&*clock, &group, &place, file_mb)?;
                moved.push(moved_mb as f64 / seconds(elapsed_us.max(1)));
                copied.push(moved_mb as f64 / timed(&*clock, || copies(&place, moved_mb))?);
            }
            drop((file, group));
            std::fs::remove_dir_all(&place).map_err(|error| crate::laboratory::io(&place, &error))?;
        }
    }
    let case =
        |name: &str, peer: &str, required, ours, theirs| Case::new(name, "MB/s", peer, Some(required), ours, theirs);
    Ok(vec![
        case("writes of a mirrored file", "no redundancy", WRITE, mirrored.write, plain.write),
        case("reads of a mirrored file", "no redundancy", READ, mirrored.read, plain.read),
        case("rebalance of POWER 11", "copies between the disks", REBALANCE, moved, copied),
    ])
}

fn group(place: &Path, redundancy: Redundancy, file_mb: u64) -> Result<DiskGroup> {
    std::fs::create_dir_all(place).map_err(|error| crate::laboratory::io(place, &error))?;
    let mut environment = Environment::new(Arc::new(OsFileSystem::new()));
    // As an instance has it.
    environment.lanes = Some(Arc::new(Lanes::new(PATIENCE)));
    let new = NewGroup {
        name: "BENCH".to_owned(),
        redundancy,
        disks: disks(place, "first", file_mb)?.into_iter().map(NewDisk::new).collect(),
        ..NewGroup::default()
    };
    DiskGroup::create_with(&environment, &new)
}

/// Disks of which each could hold the whole file.
fn disks(place: &Path, name: &str, file_mb: u64) -> Result<Vec<PathBuf>> {
    make_disks(&OsFileSystem::new(), &format!("{}/{name}*", place.display()), DISKS, (file_mb + 16) * MB)
}

/// Seconds that work takes.
fn timed(clock: &dyn Clock, work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let from_us = clock.monotonic_us();
    work()?;
    Ok(seconds((clock.monotonic_us() - from_us).max(1)))
}

/// Has each thread do its part of the file.
fn at_once(file: &GroupFile, file_mb: u64, work: fn(&GroupFile, u64, u64) -> std::io::Result<()>) -> Result<()> {
    let each = file_mb / THREADS * MB;
    let mut threads = Vec::new();
    for thread in 0..THREADS {
        let file = file.clone();
        threads.push(spawn("bench", move || work(&file, thread * each, each)).map_err(failed)?);
    }
    for thread in threads {
        thread.join().map_err(|_| Error::bug("a thread of the benchmark panicked"))?.map_err(failed)?;
    }
    file.sync().map_err(failed)
}

fn failed(error: std::io::Error) -> Error {
    crate::laboratory::io(Path::new("disk group"), &error)
}

fn write(file: &GroupFile, from: u64, bytes: u64) -> std::io::Result<()> {
    let mut buffer = AlignedBuffer::zeroed(REQUEST);
    buffer.fill(0x5a);
    (from..from + bytes).step_by(REQUEST).try_for_each(|at| file.write_at(at, &[&buffer]))
}

fn read(file: &GroupFile, from: u64, bytes: u64) -> std::io::Result<()> {
    let mut buffer = AlignedBuffer::zeroed(REQUEST);
    (from..from + bytes).step_by(REQUEST).try_for_each(|at| file.read_at(at, &mut [&mut buffer]))
}

/// As the default of _asm_hbeatiowait.
const PATIENCE: Duration = Duration::from_secs(120);

/// Doubles the disks of a group and rebalances it; megabytes moved, and the time.
fn rebalance(clock: &dyn Clock, group: &DiskGroup, place: &Path, file_mb: u64) -> Result<(u64, u64)> {
    let more: Vec<_> = disks(place, "more", file_mb)?.into_iter().map(NewDisk::new).collect();
    group.add_disks(&more)?;
    let before: u64 = group.statistics().disks.iter().map(|disk| disk.bytes_written).sum();
    group.want_rebalance(POWER)?;
    let from_us = clock.monotonic_us();
    group.run_rebalance(&common::sync::atomic::AtomicBool::new(false))?;
    let elapsed_us = clock.monotonic_us() - from_us;
    if group.rebalance_step()? != Step::Finished {
        return Err(Error::bug("the rebalance has not ended"));
    }
    let written: u64 = group.statistics().disks.iter().map(|disk| disk.bytes_written).sum::<u64>() - before;
    Ok((written / MB, elapsed_us))
}

/// Copies so many megabytes from the first disks to files of the same number, with as many threads as a rebalance, and
/// makes each megabyte durable as a rebalance does.
fn copies(place: &Path, megabytes: u64) -> Result<()> {
    let files = OsFileSystem::new();
    let targets =
        make_disks(&files, &format!("{}/copy*", place.display()), DISKS, (megabytes / u64::from(DISKS) + 1) * MB)?;
    let mut threads = Vec::new();
    for thread in 0..u64::from(POWER) {
        let mut pairs: Vec<(Arc<dyn Device>, Arc<dyn Device>)> = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            let source = place.join(format!("first{:02}", number + 1));
            pairs.push((files.open(&source).map_err(failed)?, files.open(target).map_err(failed)?));
        }
        let work = move || {
            let mut buffer = AlignedBuffer::zeroed(REQUEST);
            for megabyte in (thread..megabytes).step_by(usize::from(POWER)) {
                let (from, to) = &pairs[(megabyte % u64::from(DISKS)) as usize];
                let at = megabyte / u64::from(DISKS) * MB;
                from.read_at(at, &mut [&mut buffer])?;
                to.write_at(at, &[&buffer])?;
                to.sync()?;
            }
            Ok::<(), std::io::Error>(())
        };
        threads.push(spawn("copy", work).map_err(failed)?);
    }
    for thread in threads {
        thread.join().map_err(|_| Error::bug("a thread of the benchmark panicked"))?.map_err(failed)?;
    }
    Ok(())
}
