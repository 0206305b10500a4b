//! A run on modelled devices: `--device`, `--dilate` and `--in-memory` of experiments and benchmarks.
//!
//! Each database of the run lies in a folder on a device of its own, at rest when the database is made. The report at
//! the end says how late requests ended, and how much of the processor the run took: both decide how far the times are
//! the device's. A run whose requests ended too late judges nothing.

use std::io;
use std::path::Path;

use common::sync::atomic::{AtomicBool, Ordering};
use common::sync::{Arc, Mutex};
use common::{Clock, SystemClock};
use device::{FileSystem, MemoryFileSystem, OsFileSystem};
use drive::{
    LATE_SHARE_MAX, LatenessSummary, ModelFile, ModelledFileSystem, ModelledFolder, Positive, Spindle, lateness_of,
};
use serde_json::{Value, json};

use crate::text::{grouped, number};
use crate::time::seconds;

/// The choice of a device, and the devices that the run has made.
#[derive(Clone, Debug)]
pub struct ModelledRun(Arc<RunState>);

#[derive(Debug)]
struct RunState {
    /// A name of the catalogue, or a file's path.
    name: String,
    model: ModelFile,
    dilate: Positive,
    in_memory: bool,
    clock: SystemClock,
    from_us: u64,
    from_cpu_us: u64,
    devices: Mutex<Vec<Arc<Spindle>>>,
    /// The devices are disks of cells, and not one under each database.
    cells: AtomicBool,
}

/// Two runs are the same when they share their devices.
impl PartialEq for ModelledRun {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// What a run on modelled devices says at its end.
#[derive(Clone, PartialEq, Debug)]
pub struct DeviceReport {
    model: String,
    /// The device in words, from the model.
    device: String,
    /// The devices were so many disks of cells. None: one under each database.
    disks_of_cells: Option<usize>,
    dilate: f64,
    in_memory: bool,
    late: LatenessSummary,
    cpu_us: u64,
    elapsed_us: u64,
    cores: usize,
}

/// CPU time of all threads of the process, microseconds.
pub(crate) fn process_cpu_us() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    (time.tv_sec as u64) * 1_000_000 + (time.tv_nsec as u64) / 1_000
}

impl ModelledRun {
    /// `name` stands in the report. `dilate`: devices are so many times slower than the model. `in_memory`: bytes are
    /// kept in memory and not in the folder, so nothing is durable.
    #[must_use]
    pub fn new(name: &str, model: ModelFile, dilate: Positive, in_memory: bool) -> Self {
        let clock = SystemClock::default();
        let from_us = clock.monotonic_us();
        Self(Arc::new(RunState {
            name: name.to_owned(),
            model,
            dilate,
            in_memory,
            clock,
            from_us,
            from_cpu_us: process_cpu_us(),
            devices: Mutex::default(),
            cells: AtomicBool::new(false),
        }))
    }

    /// The same, with devices that are so many times slower than the model.
    pub(crate) fn dilated(&self, dilate: Positive) -> Self {
        Self::new(&self.0.name, self.0.model.clone(), dilate, self.0.in_memory)
    }

    /// True: bytes are kept in memory.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.0.in_memory
    }

    /// Name of the model: one of the catalogue, or a file's path.
    pub(crate) fn name(&self) -> &str {
        &self.0.name
    }

    pub(crate) fn model(&self) -> &ModelFile {
        &self.0.model
    }

    pub(crate) fn dilate(&self) -> Positive {
        self.0.dilate
    }

    /// Files of which only those in folders of cells are on devices of the model.
    pub(crate) fn cells(&self, clock: &Arc<dyn Clock>) -> Arc<ModelledFileSystem> {
        self.0.cells.store(true, Ordering::Relaxed);
        Arc::new(ModelledFileSystem::new(self.below(), Arc::clone(clock)))
    }

    /// Has the report tell of these devices, too.
    pub(crate) fn add_devices(&self, spindles: &[Arc<Spindle>]) {
        let mut devices = self.0.devices.lock();
        for spindle in spindles {
            if !devices.iter().any(|known| Arc::ptr_eq(known, spindle)) {
                devices.push(Arc::clone(spindle));
            }
        }
    }

    fn below(&self) -> Arc<dyn FileSystem> {
        if self.0.in_memory { Arc::new(MemoryFileSystem::new()) } else { Arc::new(OsFileSystem::new()) }
    }

    /// The files of a database in this folder, which lies on a new device.
    pub(crate) fn files(&self, directory: &Path, clock: &Arc<dyn Clock>) -> io::Result<Arc<dyn FileSystem>> {
        let RunState { model, dilate, devices, .. } = &*self.0;
        // Traces and the lock are outside of the device in any case.
        std::fs::create_dir_all(directory)?;
        let folder = ModelledFolder::new(self.below(), directory, model, Arc::clone(clock), dilate.get());
        devices.lock().push(Arc::clone(folder.spindle()));
        Ok(Arc::new(folder))
    }

    /// The report so far.
    #[must_use]
    pub fn report(&self) -> DeviceReport {
        let RunState { name, model, dilate, in_memory, clock, from_us, from_cpu_us, devices, cells } = &*self.0;
        DeviceReport {
            model: name.clone(),
            device: model.device.clone(),
            disks_of_cells: cells.load(Ordering::Relaxed).then(|| devices.lock().len()),
            dilate: dilate.get(),
            in_memory: *in_memory,
            late: lateness_of(devices.lock().iter()),
            cpu_us: process_cpu_us().saturating_sub(*from_cpu_us),
            elapsed_us: clock.monotonic_us().saturating_sub(*from_us),
            cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        }
    }
}

/// The files of a database: on a device of the run, or the machine's own.
pub(crate) fn files_of(
    run: Option<&ModelledRun>,
    directory: &Path,
    clock: &Arc<dyn Clock>,
) -> io::Result<Arc<dyn FileSystem>> {
    run.map_or_else(|| Ok(Arc::new(OsFileSystem::new()) as Arc<dyn FileSystem>), |run| run.files(directory, clock))
}

impl DeviceReport {
    /// The reason why this run cannot judge; None where it can.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        (!self.late.judges()).then(|| {
            format!(
                "requests ended late by {} % of the modelled times, and {} % are the most",
                number(self.late.share * 100.0, 1),
                number(LATE_SHARE_MAX * 100.0, 0)
            )
        })
    }

    /// CPU time as a share of what all cores had to give.
    fn cpu_share(&self) -> f64 {
        self.cpu_us as f64 / (self.elapsed_us.max(1) as f64 * self.cores as f64)
    }

    /// The report in sentences, the reason why the run cannot judge among them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let Self { model, device, disks_of_cells, dilate, late, cores, .. } = self;
        let place = disks_of_cells.map_or_else(
            || "one for each database, under all of its files".to_owned(),
            |disks| format!("{disks} of them, the disks of cells; the rest of the database is not on them"),
        );
        let dilated = *dilate != 1.0;
        let slower = if dilated { format!(", {dilate} times slower than the model") } else { String::new() };
        let mut lines = vec![
            format!("device: {model}, {device}{slower}; {place}"),
            format!(
                "lateness: {} requests ended late by {} microseconds{} in the median, {} at the 99th percentile, {} % of \
                 the modelled times",
                grouped(late.requests),
                number(late.median_us, 1),
                if dilated { " of the model" } else { "" },
                number(late.p99_us, 1),
                number(late.share * 100.0, 1)
            ),
            format!(
                "processor: {} s of CPU in {} s on {cores} core{}, {} %{}",
                number(seconds(self.cpu_us), 2),
                number(seconds(self.elapsed_us), 2),
                if *cores == 1 { "" } else { "s" },
                number(self.cpu_share() * 100.0, 1),
                if dilated {
                    format!("; it is not slowed down: to this device it is {dilate} times as fast as to the model")
                } else {
                    String::new()
                }
            ),
        ];
        if self.in_memory {
            lines.push("durable: nothing, because the device's bytes are kept in memory".to_owned());
        }
        let slower = "--dilate N makes the device slower";
        lines.extend(self.refusal().map(|why| format!("cannot judge: {why}; {slower}")));
        lines
    }

    /// The member `device` of a document.
    #[must_use]
    pub fn json(&self) -> Value {
        let Self { model, device, dilate, in_memory, late, .. } = self;
        json!({
            "model": model,
            "about": device,
            "dilate": dilate,
            "in_memory": in_memory,
            "requests": late.requests,
            "late_median_us": late.median_us,
            "late_p99_us": late.p99_us,
            "late_share": late.share,
            "judges": late.judges(),
            "cpu_s": seconds(self.cpu_us),
            "elapsed_s": seconds(self.elapsed_us),
            "cores": self.cores,
            "cpu_share": self.cpu_share(),
        })
    }
}

/// A report as members of a document; nothing where there is none.
pub(crate) fn member(report: Option<&DeviceReport>) -> Value {
    report.map_or(Value::Null, |report| json!({"device": report.json()}))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(share: f64, dilate: f64, in_memory: bool) -> DeviceReport {
        DeviceReport {
            model: "m.toml".to_owned(),
            device: "a volume".to_owned(),
            disks_of_cells: None,
            dilate,
            in_memory,
            late: LatenessSummary { requests: 12_345, median_us: 3.12, p99_us: 20.0, share },
            cpu_us: 2_500_000,
            elapsed_us: 10_000_000,
            cores: 2,
        }
    }

    #[test]
    fn a_run_in_time_says_how_late_it_was_and_what_the_processor_did() {
        let run = report(0.05, 1.0, false);
        assert_eq!(run.refusal(), None);
        let expected = [
            "device: m.toml, a volume; one for each database, under all of its files",
            "lateness: 12,345 requests ended late by 3.1 microseconds in the median, 20.0 at the 99th percentile, 5.0 % \
             of the modelled times",
            "processor: 2.50 s of CPU in 10.00 s on 2 cores, 12.5 %",
        ];
        assert_eq!(run.lines(), expected);
        assert_eq!(run.json()["judges"], Value::Bool(true));
    }

    #[test]
    fn a_late_run_cannot_judge_and_says_what_helps() {
        let run = report(0.2381, 30.0, true);
        let why = "requests ended late by 23.8 % of the modelled times, and 5 % are the most";
        assert_eq!(run.refusal().as_deref(), Some(why));
        let lines = run.lines();
        let device =
            "device: m.toml, a volume, 30 times slower than the model; one for each database, under all of its files";
        assert_eq!(lines[0], device);
        assert!(lines[1].contains("3.1 microseconds of the model in the median"), "{lines:?}");
        let beside = "12.5 %; it is not slowed down: to this device it is 30 times as fast as to the model";
        assert!(lines[2].ends_with(beside), "{lines:?}");
        assert_eq!(lines[3], "durable: nothing, because the device's bytes are kept in memory");
        assert_eq!(lines[4], format!("cannot judge: {why}; --dilate N makes the device slower"));
        assert_eq!(run.json()["judges"], Value::Bool(false));
    }
}
