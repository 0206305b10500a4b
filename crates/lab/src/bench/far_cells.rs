//! The part of `bench cells` that is about cells as processes of their own on this host.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use common::{Clock, Error, Result, Seeded};
use device::{AlignedBuffer, Device, FileSystem, OsFileSystem};
use sql::Connection;

use super::BenchOptions;
use super::cells::{Bed, DISKS, MB, disk_mb, make_folder};
use super::outcome::Case;
use crate::laboratory::{Laboratory, io, numbers};
use crate::progress::Progress;
use crate::time::seconds;

/// Requests of a run at scale 1.
const READS: f64 = 4_000.0;
const WRITES: f64 = 1_000.0;
const COMMITS: f64 = 1_000.0;
const READ_BYTES: usize = 8192;
const WRITE_BYTES: usize = 4096;
/// The log group on the disk, and switches until it is the current one at most.
const LOG_GROUP: u64 = 11;
const SWITCHES_MAX: u32 = 12;
/// What a read may take longer than a local one.
const MORE_US: f64 = 60.0;
const DURABLE: f64 = 0.7;
const TWO_CELLS: f64 = 1.6;
/// Alternatives of a condition for which a cell computes: no row satisfies one of them.
const ALTERNATIVES: u32 = 200;

/// How cells are started and reached.
#[derive(Clone)]
pub struct CellHost {
    /// The program whose command `cell` serves.
    pub program: PathBuf,
    /// The files of a data directory with its cells elsewhere.
    pub files: FilesOf,
}

/// The files of a data directory above those of the machine.
pub type FilesOf = fn(Arc<dyn FileSystem>, &Path, &Arc<dyn Clock>) -> Arc<dyn FileSystem>;

impl std::fmt::Debug for CellHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "CellHost({})", self.program.display())
    }
}

impl PartialEq for CellHost {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program
    }
}

/// A cell's process; it ends with this.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Place<'a> {
    host: &'a CellHost,
    home: PathBuf,
}

impl Place<'_> {
    fn highwater(&self, arguments: &[&str]) -> Result<()> {
        let output = Command::new(&self.host.program).args(arguments).current_dir(&self.home).output();
        let output = output.map_err(|error| io(&self.host.program, &error))?;
        if output.status.success() {
            return Ok(());
        }
        Err(Error::bug(format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim())))
    }

    /// Starts a cell on a processor, and makes the folder that stands for it in `data`.
    fn start(&self, cell: &str, processor: Option<usize>, data: &str) -> Result<Process> {
        let program = &self.host.program;
        let mut command = match processor {
            Some(processor) => {
                let mut pinned = Command::new("taskset");
                pinned.arg("-c").arg(processor.to_string()).arg(program);
                pinned
            }
            None => Command::new(program),
        };
        command.args(["cell", "--disks", cell, "--listen", "127.0.0.1:0", "--keys", "keys"]);
        let started = command.current_dir(&self.home).stdout(Stdio::piped()).spawn();
        let mut child = Process(started.map_err(|error| io(program, &error))?);
        let mut line = String::new();
        if let Some(out) = child.0.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(|error| io(program, &error))?;
        }
        let address = line.trim_end().rsplit(' ').next().and_then(|word| word.strip_suffix('.'));
        let address = address.ok_or_else(|| Error::bug(format!("the cell says {line:?}")))?;
        self.highwater(&["cell", "--connect", address, "--keys", "keys", "--out", data])?;
        Ok(child)
    }

    fn files(&self, data: &Path, clock: &Arc<dyn Clock>) -> Arc<dyn FileSystem> {
        (self.host.files)(Arc::new(OsFileSystem::new()), data, clock)
    }
}

pub(super) fn cases(
    host: &CellHost,
    home: &Path,
    options: &BenchOptions,
    clock: &Arc<dyn Clock>,
    progress: &mut dyn Progress,
) -> Result<(Vec<Case>, String)> {
    let place = Place { host, home: home.to_owned() };
    place.highwater(&["cell", "--make-keys", "keys"])?;
    progress.step("a cell process");
    make_folder(&home.join("cell01"), options.scale, DISKS)?;
    make_folder(&home.join("local"), options.scale, 1)?;
    let process = place.start("cell01", None, "raw")?;
    let far = place.files(&home.join("raw"), clock);
    let far = far.open(&home.join("raw/cell01/DATA1")).map_err(|error| io(home, &error))?;
    let near = OsFileSystem::new().open(&home.join("local/DATA1")).map_err(|error| io(home, &error))?;
    let bytes = disk_mb(options.scale, DISKS) * MB;
    let (reads, writes) = ((READS * options.scale).max(100.0) as u64, (WRITES * options.scale).max(50.0) as u64);
    let (mut read, mut allowed, mut write, mut local) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 1..=options.runs {
        progress.step(&format!("run {number} of {}: requests", options.runs));
        let seed = u64::from(number);
        for device in [&near, &far] {
            fill(&**device).map_err(|error| io(home, &error))?;
        }
        let near_us = single_reads(&*near, &**clock, reads, bytes, seed).map_err(|error| io(home, &error))?;
        let far_us = single_reads(&*far, &**clock, reads, bytes, seed).map_err(|error| io(home, &error))?;
        read.push(1e6 / far_us);
        allowed.push(1e6 / (near_us + MORE_US));
        local.push(1e6 / durable_writes(&*near, &**clock, writes).map_err(|error| io(home, &error))?);
        write.push(1e6 / durable_writes(&*far, &**clock, writes).map_err(|error| io(home, &error))?);
    }
    drop((near, far));
    let commits = (COMMITS * options.scale).max(50.0) as u64;
    make_folder(&home.join("near_log/disks"), options.scale, 1)?;
    std::fs::remove_file(home.join("near_log/disks/cell.toml")).map_err(|error| io(home, &error))?;
    let mut near_log = LogBed::make(&home.join("near_log"), |_| Arc::new(OsFileSystem::new()), "disks/DATA1")?;
    // On the disk that was read and written before.
    let raw = home.join("raw");
    let mut far_log = LogBed::make(&raw, |clock| place.files(&raw, clock), "cell01/DATA1")?;
    let (mut committed, mut committed_here) = (Vec::new(), Vec::new());
    for number in 1..=options.runs {
        progress.step(&format!("run {number} of {}: commits", options.runs));
        committed_here.push(near_log.commits_a_second(&**clock, commits)?);
        committed.push(far_log.commits_a_second(&**clock, commits)?);
    }
    near_log.close()?;
    far_log.close()?;
    drop(process);
    let mut cases = vec![
        Case::new("single reads from a cell process", "reads/s", "local and 60 us", Some(1.0), read, allowed),
        Case::new("durable writes to a cell process", "writes/s", "local", None, write, local),
        Case::new("redo through a cell process", "commits/s", "local", Some(DURABLE), committed, committed_here),
    ];
    let one = scans(&place, &["cell01"], options, clock, progress)?;
    make_folder(&home.join("cell02"), options.scale, DISKS)?;
    let two = scans(&place, &["cell01", "cell02"], options, clock, progress)?;
    cases.push(Case::new("scan by two cell processes", "scans/s", "one", Some(TWO_CELLS), two, one));
    let note = format!(
        "cell processes: TLS over the loopback; reads of {} KB and durable writes of {} KB, and inserts with a \
         commit each, one after another; each \
         process of the scans on a processor of its own, {} MB",
        READ_BYTES / 1024,
        WRITE_BYTES / 1024,
        disk_mb(options.scale, 1)
    );
    Ok((cases, note))
}

/// A database whose redo is in a disk group.
struct LogBed {
    laboratory: Laboratory,
    connection: Connection,
}

impl LogBed {
    /// Makes it in a directory, with its current log on a disk.
    fn make(directory: &Path, files: impl FnOnce(&Arc<dyn Clock>) -> Arc<dyn FileSystem>, disk: &str) -> Result<Self> {
        let laboratory = Laboratory::create_on(Some(directory), files, [] as [(&str, String); 0])?;
        let mut connection = laboratory.connect()?;
        for statement in [
            format!("create diskgroup logs external redundancy disk '{disk}'"),
            format!("alter database add logfile group {LOG_GROUP} '+LOGS' size 16m"),
            "create table bench_log (n number)".to_owned(),
        ] {
            connection.run(&statement)?;
        }
        let current = "select group# from v$log where status = 'CURRENT'";
        for _ in 0..SWITCHES_MAX {
            if numbers(&mut connection, current)? == [LOG_GROUP] {
                return Ok(Self { laboratory, connection });
            }
            connection.run("alter system switch logfile")?;
        }
        Err(Error::bug("the log in the group does not become current"))
    }

    /// Inserts and commits, one after another.
    fn commits_a_second(&mut self, clock: &dyn Clock, commits: u64) -> Result<f64> {
        let from_us = clock.monotonic_us();
        for _ in 0..commits {
            self.connection.run("insert into bench_log values (1)")?;
            self.connection.run("commit")?;
        }
        Ok(commits as f64 / seconds((clock.monotonic_us() - from_us).max(1)))
    }

    fn close(self) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }
}

/// Scans a second of a table on these cells, a processor each.
fn scans(
    place: &Place<'_>,
    cells: &[&str],
    options: &BenchOptions,
    clock: &Arc<dyn Clock>,
    progress: &mut dyn Progress,
) -> Result<Vec<f64>> {
    let data = format!("data{}", cells.len());
    progress.step(&format!("a database on cell processes: {}", cells.len()));
    let directory = place.home.join(&data);
    // Disks of a database before are not taken again.
    cells.iter().try_for_each(|cell| {
        std::fs::remove_dir_all(place.home.join(cell)).map_err(|error| io(&place.home, &error))?;
        make_folder(&place.home.join(cell), options.scale, DISKS).map(drop)
    })?;
    let start = |(processor, cell): (usize, &&str)| place.start(cell, Some(processor), &data);
    let processes = cells.iter().enumerate().map(start).collect::<Result<Vec<_>>>()?;
    let mut bed = Bed::make(&directory, |clock| place.files(&directory, clock), "cell*/DATA*", options.scale)?;
    // A storage index would leave all out.
    bed.connection.run("alter system set \"_kcfis_storageidx_disabled\" = true")?;
    let mut rates = Vec::new();
    for number in 1..=options.runs {
        progress.step(&format!("run {number} of {}: cell processes: {}", options.runs, cells.len()));
        rates.push(1.0 / bed.timed(&**clock, &costly(), Some(0))?.elapsed);
    }
    bed.close()?;
    drop(processes);
    Ok(rates)
}

/// A query that reads all rows and finds none, after many comparisons of each.
fn costly() -> String {
    let alternative = |number: u32| format!("filler > 'y{number:03}' and filler < 'y{number:03}z'");
    let alternatives: Vec<String> = (0..ALTERNATIVES).map(alternative).collect();
    format!("select count(*) from bench_cells where {}", alternatives.join(" or "))
}

/// Writes a place, so that reads are of something.
fn fill(device: &dyn Device) -> std::io::Result<()> {
    let buffer = AlignedBuffer::zeroed(MB as usize);
    let size = device.size()?;
    (0..size / MB).try_for_each(|at| device.write_at(at * MB, &[&buffer]))?;
    device.sync()
}

/// Microseconds of a read, on the average.
fn single_reads(device: &dyn Device, clock: &dyn Clock, reads: u64, bytes: u64, seed: u64) -> std::io::Result<f64> {
    let (mut random, mut buffer) = (Seeded::new(seed), AlignedBuffer::zeroed(READ_BYTES));
    let from_us = clock.monotonic_us();
    for _ in 0..reads {
        let at = random.below(bytes / READ_BYTES as u64) * READ_BYTES as u64;
        device.read_at(at, &mut [&mut buffer])?;
    }
    Ok(seconds(clock.monotonic_us() - from_us) * 1e6 / reads as f64)
}

/// Microseconds of a durable write, on the average.
fn durable_writes(device: &dyn Device, clock: &dyn Clock, writes: u64) -> std::io::Result<f64> {
    let buffer = AlignedBuffer::zeroed(WRITE_BYTES);
    let from_us = clock.monotonic_us();
    for number in 0..writes {
        device.write_durable(number * WRITE_BYTES as u64, &[&buffer])?;
    }
    Ok(seconds(clock.monotonic_us() - from_us) * 1e6 / writes as f64)
}
