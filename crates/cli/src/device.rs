//! `highwater device`: models of storage devices.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Clock, Result, SystemClock};
use device::{FileSystem as _, OsFileSystem};
use drive::calibrate::{Calibration, Effort, calibrate, measure as run_real};
use drive::load::{Load, LoadResult, Places, run as run_load};
use drive::{DiskSpec, Kind, ModelFile, Positive, Score, read_trace, score};
use lab::ModelledRun;
use serde_json::{Value, json};

use crate::bench::write_json;
use crate::command_line::{Device, DeviceCalibrate, DeviceCheck, DeviceCommand, DeviceImport, Modelled};
use crate::failure::{self, Outcome};

/// Requests of each load that is shown.
const REQUESTS: u32 = 4_000;
/// Range of sequential loads: it does not leave the outermost zone, or the innermost.
const RANGE: u64 = 256 << 20;

pub(crate) fn run(arguments: &Device) -> Result<Outcome> {
    match &arguments.command {
        DeviceCommand::List => list(),
        DeviceCommand::Show(arguments) => show(&arguments.model),
        DeviceCommand::Check(arguments) => check(arguments),
        DeviceCommand::Import(arguments) => import(arguments),
        DeviceCommand::Calibrate(arguments) => measure(arguments),
    }
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| failure::file(path, &error))
}

/// A model by its name in the catalogue, or by its file's path.
pub(crate) fn model(path: &Path) -> Result<ModelFile> {
    if let Some(model) = path.to_str().map(drive::find).transpose()?.flatten() {
        return Ok(model);
    }
    ModelFile::parse(&path.display().to_string(), &read(path)?)
}

/// The number of `--dilate`.
pub(crate) fn dilate(number: f64) -> Result<Positive> {
    Positive::try_from(number).map_err(|why| failure::wrong_use(format!("--dilate: {why}")))
}

/// The modelled devices of an experiment or a benchmark; None where its databases lie on the machine's own.
pub(crate) fn modelled_run(arguments: &Modelled) -> Result<Option<ModelledRun>> {
    let factor = dilate(arguments.dilate.unwrap_or(1.0))?;
    let Some(path) = &arguments.device else { return Ok(None) };
    Ok(Some(ModelledRun::new(&path.display().to_string(), model(path)?, factor, arguments.in_memory)))
}

fn say(text: &str) -> Result<Outcome> {
    let mut out = io::stdout().lock();
    failure::written(out.write_all(text.as_bytes()).and_then(|()| out.flush()))?;
    Ok(Outcome::DONE)
}

fn list() -> Result<Outcome> {
    let mut text = String::new();
    for name in drive::names() {
        let device = drive::find(name)?.map_or_else(String::new, |model| model.device);
        text.push_str(&format!("{name:<18} {device}\n"));
    }
    say(&text)
}

fn loaded(model: &ModelFile, load: impl FnOnce(u64) -> Load) -> LoadResult {
    let mut device = model.start();
    let load = load(device.bytes());
    run_load(&mut *device, &load)
}

fn show(path: &Path) -> Result<Outcome> {
    let model = model(path)?;
    let bytes = model.start().bytes();
    let mut text = format!("{}\n{} MB\n\n", model.device, bytes >> 20);
    text.push_str("load                                depth     mean us      p99 us         per s      MB/s\n");
    let mut line = |name: &str, depth: u32, result: &LoadResult| {
        text.push_str(&format!(
            "{name:<35} {depth:>5} {:>11.1} {:>11.1} {:>13.1} {:>9.1}\n",
            result.mean_us(),
            result.at_us(0.99),
            result.per_second(),
            result.mb_per_s()
        ));
    };
    for (name, kind) in [("random reads of 8 KB", Kind::Read), ("random writes of 8 KB", Kind::Write)] {
        for depth in [1, 4, 16, 32] {
            let random = |to| Load {
                kind,
                bytes: 8192,
                places: Places::Random,
                depth,
                requests: REQUESTS,
                from: 0,
                to,
                seed: 1,
            };
            line(name, depth, &loaded(&model, random));
        }
    }
    let range = RANGE.min(bytes);
    let reads = |from: u64, kind, bytes| {
        move |_| {
            let (places, to) = (Places::Sequential, from + range);
            Load { kind, bytes, places, depth: 1, requests: REQUESTS, from, to, seed: 1 }
        }
    };
    line("reads of 1 MB, from the begin", 1, &loaded(&model, reads(0, Kind::Read, 1 << 20)));
    line("reads of 1 MB, at the end", 1, &loaded(&model, reads(bytes - range, Kind::Read, 1 << 20)));
    line("durable writes of 4 KB, one by one", 1, &loaded(&model, reads(0, Kind::WriteThrough, 4096)));
    text.push_str("\nsources\n");
    for (number, source) in &model.sources {
        text.push_str(&format!("    {number}: {source}\n"));
    }
    say(&text)
}

fn check(arguments: &DeviceCheck) -> Result<Outcome> {
    let model = model(&arguments.model)?;
    let trace = read_trace(&arguments.trace.display().to_string(), &read(&arguments.trace)?)?;
    let score = score(model.disk()?, &trace)?;
    if let Some(path) = &arguments.json {
        write_json(path, &document(arguments, &score))?;
    }
    say(&text(&model, model.disk()?, &score))
}

fn text(model: &ModelFile, disk: &DiskSpec, score: &Score) -> String {
    let Score { requests, fitted, .. } = score;
    let mean = |us: f64| format!("{:.3} ms", us / 1e3);
    format!(
        "{}\n\
         requests                          {requests}\n\
         mean service time, measured       {}\n\
         mean service time, modelled       {}\n\
         demerit, whole trace              {:.1} % of the measured mean\n\
         demerit, second half              {:.1} %\n\
         fitted on the first half          read-ahead {} KB in {} segments (the file: {} KB in {}), {:.1} %\n\
         demerit, second half, fitted      {:.1} %\n",
        model.device,
        mean(score.measured_mean_us),
        mean(score.modelled_mean_us),
        score.whole * 100.0,
        score.second_half * 100.0,
        f64::from(fitted.read_ahead_blocks) / 2.0,
        fitted.segments,
        disk.cache.read_ahead_kb.get(),
        disk.cache.segments.get(),
        fitted.first_half * 100.0,
        fitted.second_half * 100.0,
    )
}

fn document(arguments: &DeviceCheck, score: &Score) -> Value {
    let fitted = &score.fitted;
    json!({
        "model": arguments.model.display().to_string(),
        "trace": arguments.trace.display().to_string(),
        "requests": score.requests,
        "measured_mean_us": score.measured_mean_us,
        "modelled_mean_us": score.modelled_mean_us,
        "demerit": { "whole": score.whole, "second_half": score.second_half },
        "fitted": {
            "read_ahead_kb": f64::from(fitted.read_ahead_blocks) / 2.0,
            "segments": fitted.segments,
            "first_half": fitted.first_half,
            "second_half": fitted.second_half,
        },
    })
}

fn import(arguments: &DeviceImport) -> Result<Outcome> {
    let beside = |extension: &str| -> PathBuf { arguments.specs.with_extension(extension) };
    let name = arguments.specs.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let parts = [beside("model"), arguments.specs.clone(), beside("seek")];
    let [model, specs, seek] = [read(&parts[0])?, read(&parts[1])?, read(&parts[2])?];
    let text = drive::disksim::model_file(&name, &model, &specs, &seek, arguments.measured_seeks)?;
    ModelFile::parse(&name, &text)?;
    say(&text)
}

/// A file that is removed when it goes.
struct Temporary<'a> {
    files: &'a OsFileSystem,
    path: PathBuf,
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // What cannot be removed now is in the directory that the user has named.
        let _ = self.files.remove(&self.path);
    }
}

fn measure(arguments: &DeviceCalibrate) -> Result<Outcome> {
    let least = 64 << 20;
    if arguments.size.0 < least || arguments.requests < 100 {
        return Err(failure::wrong_use("calibrate needs --size 64M and --requests 100 at the least"));
    }
    let files = OsFileSystem::new();
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let path = arguments.path.join(format!("highwater-calibrate-{}", std::process::id()));
    let device = files.create(&path, arguments.size.0).map_err(|error| failure::file(&path, &error))?;
    let _temporary = Temporary { files: &files, path: path.clone() };
    if !device.direct() {
        failure::say("the file system has no direct I/O: its page cache is measured, not the device");
    }
    let name = format!("the device of {}", arguments.path.display());
    let effort = Effort { requests: arguments.requests, file_bytes: arguments.size.0 };
    let found = calibrate(&name, effort, &mut |load| run_real(&device, &clock, load))?;
    for line in errors(&found) {
        failure::say(&line);
    }
    say(&found.text)
}

/// The model beside fresh measurements.
fn errors(found: &Calibration) -> Vec<String> {
    let head =
        "random reads of 8 KB, microseconds: measured for the fit, measured afresh, modelled, error of the model";
    let mut lines = vec![head.to_owned()];
    for one in &found.depths {
        lines.push(format!(
            "depth {:>2}: mean {:.0}, {:.0}, {:.0}, {:+.1} %; 99th percentile {:.0}, {:.0}, {:.0}, {:+.1} %",
            one.depth,
            one.measured.mean_us(),
            one.fresh.mean_us(),
            one.modelled.mean_us(),
            one.mean_error() * 100.0,
            one.measured.at_us(0.99),
            one.fresh.at_us(0.99),
            one.modelled.at_us(0.99),
            one.p99_error() * 100.0
        ));
    }
    lines.push(format!(
        "reads of 1 MB {:.0} MB/s, writes {:.0} MB/s, a durable write of 4 KB {:.0} microseconds",
        found.read_mb_per_s, found.write_mb_per_s, found.durable_us
    ));
    lines
}
