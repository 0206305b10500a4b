//! `bench cells`: scans by storage cells beside scans by the session, beside the disk itself, and by one cell process
//! and two; single reads and durable writes through a cell process beside local ones (`far_cells.rs`).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Clock, Error, Result, SystemClock};
use device::{FileSystem, OsFileSystem};
use rustix::time::{ClockId, clock_gettime};
use sql::Connection;

use super::BenchOptions;
use super::disk;
use super::outcome::{Case, Outcome};
use crate::laboratory::{Laboratory, formatted_blocks, io, numbers};
use crate::progress::Progress;
use crate::text::grouped;
use crate::time::seconds;

pub(super) const MB: u64 = 1 << 20;
const BLOCK_BYTES: u64 = 8192;
/// Disks of a cell.
pub(super) const DISKS: u32 = 2;
/// Rows at first, at scale 1; they are doubled so often.
const ROWS: f64 = 20_000.0;
const DOUBLED: u32 = 7;
/// A row and its share of the block.
const ROW_BYTES: f64 = 150.0;
/// One owner of so many has 0.66 % of the rows.
const OWNERS: u32 = 151;

const SCAN: f64 = 0.9;
const SESSION: f64 = 2.0;
const ALL: f64 = 1.0 / 1.15;
const INDEX: f64 = 50.0;

/// Megabytes of the table, about.
fn table_mb(scale: f64) -> u64 {
    (rows(scale) as f64 * ROW_BYTES) as u64 / MB + 1
}

fn rows(scale: f64) -> u64 {
    (ROWS * scale).max(500.0) as u64 * (1 << DOUBLED)
}

/// Megabytes of a disk, where so many have the table.
pub(super) fn disk_mb(scale: f64, disks: u32) -> u64 {
    table_mb(scale) / u64::from(disks) + 48
}

/// Makes the folder of a cell, with files as disks.
pub(super) fn make_folder(folder: &Path, scale: f64, disks: u32) -> Result<Vec<PathBuf>> {
    let files = OsFileSystem::new();
    let failed = |error: std::io::Error| io(folder, &error);
    files.create_directory(folder).map_err(failed)?;
    let mut paths = Vec::new();
    for number in 1..=disks {
        let path = folder.join(format!("DATA{number}"));
        files.create(&path, disk_mb(scale, disks) * MB).map_err(failed)?;
        paths.push(path);
    }
    files.write_whole(&folder.join("cell.toml"), b"").map_err(failed)?;
    Ok(paths)
}

/// A database whose table is on disks of cells.
pub(super) struct Bed {
    pub(super) laboratory: Laboratory,
    pub(super) connection: Connection,
    pub(super) rows: u64,
}

impl Bed {
    /// Makes it in a directory in which the cells' folders are; `disks`: a pattern.
    pub(super) fn make(
        directory: &Path,
        files: impl FnOnce(&Arc<dyn Clock>) -> Arc<dyn FileSystem>,
        disks: &str,
        scale: f64,
    ) -> Result<Self> {
        let parameters = [("_serial_direct_read", "ALWAYS".to_owned()), ("db_cache_size", "64M".to_owned())];
        let laboratory = Laboratory::create_on(Some(directory), files, parameters)?;
        let mut connection = laboratory.connect()?;
        connection.run(&format!(
            "create diskgroup bench external redundancy disk '{disks}' \
             attribute 'au_size' = '4M', 'cell.smart_scan_capable' = 'TRUE'"
        ))?;
        connection.run(&format!(
            "create tablespace bench_tbs datafile '+BENCH' size {}M extent management local uniform size 4M",
            table_mb(scale).div_ceil(4) * 4 + 8
        ))?;
        let first = rows(scale) >> DOUBLED;
        connection.run(&format!(
            "create table bench_cells tablespace bench_tbs as \
             select level n, 'OWNER' || mod(level, {OWNERS}) owner, rpad('x', 90, 'x') filler \
             from dual connect by level <= {first}"
        ))?;
        for doubled in 0..DOUBLED {
            connection.run(&format!(
                "insert /*+ append */ into bench_cells select n + {}, owner, filler from bench_cells",
                first << doubled
            ))?;
            connection.run("commit")?;
        }
        Ok(Self { laboratory, connection, rows: rows(scale) })
    }

    pub(super) fn close(self) -> Result<()> {
        drop(self.connection);
        self.laboratory.close()
    }

    /// Runs a query that counts; its time, and the processor's time of the session and of all threads, in seconds.
    pub(super) fn timed(&mut self, clock: &dyn Clock, query: &str, expected: Option<u64>) -> Result<Times> {
        let (from, all) = ((clock.monotonic_us(), clock.thread_cpu_us()), process_us());
        let counted = numbers(&mut self.connection, query)?;
        let elapsed = seconds((clock.monotonic_us() - from.0).max(1));
        let (session, all) = (seconds(clock.thread_cpu_us() - from.1), seconds(process_us() - all));
        match expected {
            Some(expected) if counted.first() != Some(&expected) => {
                Err(Error::bug(format!("{query}: {counted:?} instead of {expected}")))
            }
            _ => Ok(Times { elapsed, session, all, counted: counted.first().copied().unwrap_or(0) }),
        }
    }
}

pub(super) struct Times {
    pub(super) elapsed: f64,
    session: f64,
    all: f64,
    counted: u64,
}

/// Processor time of the process, microseconds.
fn process_us() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    (time.tv_sec as u64) * 1_000_000 + (time.tv_nsec as u64) / 1_000
}

/// Few rows of the table.
pub(super) fn few(owner: u32) -> String {
    format!("select count(*), sum(length(filler)) from bench_cells where owner = 'OWNER{owner}'")
}

pub(super) fn run(options: &BenchOptions, progress: &mut dyn Progress) -> Result<Outcome> {
    let home = super::home(options)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let mut skipped = Vec::new();
    progress.step("a database on a cell in this process");
    let directory = home.path().join("near");
    let disks = make_folder(&directory.join("cell01"), options.scale, DISKS)?;
    let mut bed = Bed::make(&directory, |_| Arc::new(OsFileSystem::new()), "cell01/DATA*", options.scale)?;
    let bytes = formatted_blocks(&bed.connection, "BENCH_CELLS")? * BLOCK_BYTES;
    let megabytes = bytes as f64 / MB as f64;
    let fio = options.fio().map_err(|why| skipped.push(format!("skipped: beside the disk: {why}"))).is_ok();
    let mut runs = Runs::default();
    for number in 1..=options.runs {
        let mut step = |what: &str| progress.step(&format!("run {number} of {}: {what}", options.runs));
        step("without cells");
        bed.connection.run("alter session set cell_offload_processing = false")?;
        let without = bed.timed(&*clock, &few(number), None)?;
        step("by cells");
        bed.connection.run("alter session set cell_offload_processing = true")?;
        // A column that no storage index knows has nothing to save.
        let by_cells = bed.timed(&*clock, &few(number), Some(without.counted))?;
        runs.scans.push(megabytes / by_cells.elapsed);
        runs.scans_without.push(megabytes / without.elapsed);
        runs.session.push(1.0 / by_cells.session.max(1e-6));
        runs.session_without.push(1.0 / without.session.max(1e-6));
        runs.all.push(1.0 / by_cells.all.max(1e-6));
        runs.all_without.push(1.0 / without.all.max(1e-6));
        if fio {
            step("fio");
            let each = bytes / u64::from(DISKS);
            let rates = disks.iter().map(|disk| disk::read(disk, each)).collect::<Result<Vec<_>>>()?;
            runs.disk.push(rates.iter().sum::<f64>() / rates.len() as f64);
        }
        step("storage index");
        let point = format!("select count(*) from bench_cells where n = {}", bed.rows / 2 + u64::from(number));
        bed.connection.run("alter system set \"_kcfis_storageidx_disabled\" = true")?;
        runs.unindexed.push(1.0 / bed.timed(&*clock, &point, Some(1))?.elapsed);
        bed.connection.run("alter system set \"_kcfis_storageidx_disabled\" = false")?;
        // The first scan learns.
        bed.timed(&*clock, &point, Some(1))?;
        runs.indexed.push(1.0 / bed.timed(&*clock, &point, Some(1))?.elapsed);
    }
    bed.close()?;
    let mut cases = runs.cases();
    let mut notes = vec![format!(
        "{} rows in {megabytes:.0} MB on {DISKS} disks that are files, one owner of {OWNERS} is asked for, read past the \
         cache and the page cache, {} runs{}",
        grouped(rows(options.scale)),
        options.runs,
        if cfg!(debug_assertions) { "; A DEBUG BUILD: times mean nothing" } else { "" }
    )];
    match &options.cells {
        Some(host) => {
            let (more, note) = super::far_cells::cases(host, home.path(), options, &clock, progress)?;
            cases.extend(more);
            notes.push(note);
        }
        None => skipped.push("skipped: cells of other processes: there is no program for them".to_owned()),
    }
    progress.end();
    Ok(Outcome { name: "cells".to_owned(), cases, notes, skipped, device: None })
}

#[derive(Default)]
struct Runs {
    scans: Vec<f64>,
    scans_without: Vec<f64>,
    disk: Vec<f64>,
    session: Vec<f64>,
    session_without: Vec<f64>,
    all: Vec<f64>,
    all_without: Vec<f64>,
    indexed: Vec<f64>,
    unindexed: Vec<f64>,
}

impl Runs {
    fn cases(self) -> Vec<Case> {
        let scans = self.scans.clone();
        vec![
            Case::new("scan by cells", "MB/s", "fio, sequential", Some(SCAN), scans, self.disk),
            Case::new(
                "scan by cells beside one without",
                "MB/s",
                "without cells",
                None,
                self.scans,
                self.scans_without,
            ),
            Case::new(
                "scans a second of the session's CPU",
                "scans/s of CPU",
                "without cells",
                Some(SESSION),
                self.session,
                self.session_without,
            ),
            Case::new(
                "scans a second of all CPU",
                "scans/s of CPU",
                "without cells",
                Some(ALL),
                self.all,
                self.all_without,
            ),
            Case::new(
                "a value by the storage index",
                "scans/s",
                "without the index",
                Some(INDEX),
                self.indexed,
                self.unindexed,
            ),
        ]
    }
}
