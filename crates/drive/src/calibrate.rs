//! A model of the machine's own device: measured at several queue depths, fitted, and held against fresh measurements.

use std::collections::BTreeMap;
use std::io;

use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, Mutex, spawn};
use common::{Clock, Error, Result, Seeded};
use device::{AlignedBuffer, Device};
use serde::Serialize;

use crate::disk::SECTOR;
use crate::file::ModelFile;
use crate::flash::FlashSpec;
use crate::load::{Load, LoadResult, Places, run};
use crate::model::Kind;
use crate::number::{AtMost, Count, NotNegative, Positive};
use crate::spread::TimeSpec;

/// Queue depths that are measured.
pub const DEPTHS: [u32; 4] = [1, 4, 16, 32];
/// Bytes of a random request.
const BYTES: u64 = 8192;
/// Numbers of parallel units that a fit tries.
const UNITS: [u32; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
/// Shares of the time that is the command's, and not a unit's.
const COMMAND_SHARES: [f64; 7] = [0.02, 0.1, 0.25, 0.4, 0.55, 0.7, 0.85];

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Requests at each depth.
    pub requests: u32,
    /// Bytes of the file that is used.
    pub file_bytes: u64,
}

/// Random reads at one depth: measured for the fit, measured afresh, and modelled.
#[derive(Clone, PartialEq, Debug)]
pub struct DepthScore {
    pub depth: u32,
    pub measured: LoadResult,
    pub fresh: LoadResult,
    pub modelled: LoadResult,
}

impl DepthScore {
    /// By how much the modelled mean is off the fresh one, as a share of that.
    #[must_use]
    pub fn mean_error(&self) -> f64 {
        self.modelled.mean_us() / self.fresh.mean_us() - 1.0
    }

    /// As [`mean_error`](Self::mean_error), of the 99th percentiles.
    #[must_use]
    pub fn p99_error(&self) -> f64 {
        self.modelled.at_us(0.99) / self.fresh.at_us(0.99) - 1.0
    }
}

/// A calibrated model.
#[derive(Clone, PartialEq, Debug)]
pub struct Calibration {
    pub model: ModelFile,
    /// The model as a file.
    pub text: String,
    pub depths: Vec<DepthScore>,
    /// Durable writes of 4 KB, one by one.
    pub durable_us: f64,
    pub read_mb_per_s: f64,
    pub write_mb_per_s: f64,
}

/// A model file that is written.
#[derive(Serialize)]
struct Form<'a> {
    device: &'a str,
    sources: &'a BTreeMap<String, String>,
    flash: &'a FlashSpec,
}

fn failed(error: &io::Error) -> Error {
    crate::error::invalid(format!("the device fails: {error}"))
}

/// Runs a load on a real device: a thread for each request that is under way. Written bytes are made durable at the
/// end, and the load's time ends then.
///
/// # Errors
/// HW-0080 when the device fails, or there are no threads.
pub fn measure(device: &Arc<dyn Device>, clock: &Arc<dyn Clock>, load: &Load) -> Result<LoadResult> {
    let times = Arc::new(Mutex::new(Vec::with_capacity(load.requests as usize)));
    let left = Arc::new(AtomicU32::new(load.requests));
    let from_us = clock.monotonic_us();
    let mut threads = Vec::new();
    for number in 0..load.depth {
        let (device, clock, times, left, load) =
            (Arc::clone(device), Arc::clone(clock), Arc::clone(&times), Arc::clone(&left), *load);
        let work = move || -> io::Result<()> {
            let mut random = Seeded::at(load.seed, u64::from(number));
            let mut buffer = AlignedBuffer::zeroed(load.bytes as usize);
            let places = ((load.to - load.from) / load.bytes).max(1);
            let mut own = Vec::new();
            let done = |left: &AtomicU32| {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()
            };
            while let Some(before) = done(&left) {
                let place = match load.places {
                    Places::Random => random.below(places),
                    Places::Sequential => u64::from(load.requests - before) % places,
                };
                let at = load.from + place * load.bytes;
                let begun = clock.monotonic_us();
                match load.kind {
                    Kind::Read => device.read_at(at, &mut [&mut buffer])?,
                    Kind::Write => device.write_at(at, &[&buffer])?,
                    Kind::WriteThrough => device.write_durable(at, &[&buffer])?,
                }
                own.push((clock.monotonic_us() - begun) as f64);
            }
            times.lock().extend(own);
            Ok(())
        };
        threads.push(spawn("calibrate", work).map_err(|error| failed(&error))?);
    }
    for thread in threads {
        let ended = thread.join().map_err(|_| Error::bug("a thread that measures panicked"))?;
        ended.map_err(|error| failed(&error))?;
    }
    if load.kind == Kind::Write {
        device.sync().map_err(|error| failed(&error))?;
    }
    let elapsed_us = (clock.monotonic_us() - from_us).max(1) as f64;
    let mut times_us = std::mem::take(&mut *times.lock());
    times_us.sort_by(f64::total_cmp);
    Ok(LoadResult { bytes: times_us.len() as u64 * load.bytes, times_us, elapsed_us })
}

fn random_reads(effort: Effort, depth: u32, seed: u64) -> Load {
    let Effort { requests, file_bytes } = effort;
    let requests = requests.saturating_mul(depth.min(8));
    Load { kind: Kind::Read, bytes: BYTES, places: Places::Random, depth, requests, from: 0, to: file_bytes, seed }
}

/// A time with this mean, whose median and 99th percentile are as far apart as the measured ones. What the slowest
/// hundredth takes beyond that is a stall.
fn time_of(result: &LoadResult, mean_us: f64) -> Result<TimeSpec> {
    let (median, p99) = (result.at_us(0.5).max(1.0), result.at_us(0.99).max(1.0));
    let spread = ((p99 / median).ln() / 2.326).max(0.0);
    let tail = result.times_us.iter().skip((result.times_us.len() as f64 * 0.99) as usize);
    let (count, sum) = tail.fold((0_u32, 0.0), |(count, sum), us| (count + 1, sum + us));
    let stall_us = (sum / f64::from(count.max(1)) - p99).max(0.0);
    let mean_us = (mean_us - 0.01 * stall_us).max(0.1);
    let invalid = |why: String| crate::error::invalid(why);
    Ok(TimeSpec {
        mean_us: Positive::try_from(mean_us).map_err(invalid)?,
        spread: AtMost::try_from(spread.min(3.0)).map_err(invalid)?,
        stall_share: AtMost::try_from(0.01).map_err(invalid)?,
        stall_us: NotNegative::try_from(stall_us).map_err(invalid)?,
    })
}

/// A constant part of a time.
fn constant(mean_us: f64) -> Result<TimeSpec> {
    let mean_us = Positive::try_from(mean_us.max(0.1)).map_err(crate::error::invalid)?;
    Ok(TimeSpec {
        mean_us,
        spread: AtMost::default(),
        stall_share: AtMost::default(),
        stall_us: NotNegative::default(),
    })
}

fn modelled(spec: &FlashSpec, load: &Load) -> LoadResult {
    run(&mut crate::flash::Flash::new(spec), load)
}

/// Measures a device, fits a model, and measures again. `measure` runs a load on the device; `name` is the device's in
/// the model.
///
/// # Errors
/// Errors of `measure`.
pub fn calibrate(
    name: &str,
    effort: Effort,
    measure: &mut dyn FnMut(&Load) -> Result<LoadResult>,
) -> Result<Calibration> {
    let to = effort.file_bytes;
    let sequential = |kind, bytes: u64, requests| Load {
        kind,
        bytes,
        places: Places::Sequential,
        depth: 1,
        requests,
        from: 0,
        to,
        seed: 1,
    };
    // The file is written once, so that reads find blocks that have been written.
    let writes = measure(&sequential(Kind::Write, 1 << 20, (to >> 20) as u32))?;
    let small = Load { places: Places::Random, ..sequential(Kind::Write, BYTES, effort.requests) };
    let small_writes = measure(&small)?;
    let reads = measure(&Load { depth: 4, ..sequential(Kind::Read, 1 << 20, (to >> 20) as u32) })?;
    let durable = measure(&sequential(Kind::WriteThrough, 4096, effort.requests.min(1000)))?;
    let mut measured = Vec::new();
    for depth in DEPTHS {
        measured.push(measure(&random_reads(effort, depth, 11))?);
    }
    let one = &measured[0];
    let link = reads.mb_per_s();
    let linked_us = BYTES as f64 / link;
    let invalid = |why: String| crate::error::invalid(why);
    let spec = |share: f64, units: u32| -> Result<FlashSpec> {
        let medium = (one.mean_us() - linked_us).max(1.0);
        let durable_us = (durable.mean_us() - small_writes.mean_us()).max(0.0);
        Ok(FlashSpec {
            capacity_gb: Positive::try_from((to as f64 / 1e9).max(0.001)).map_err(invalid)?,
            command: constant(medium * share)?,
            read: time_of(one, medium * (1.0 - share))?,
            write: constant((small_writes.mean_us() - medium * share).max(0.1))?,
            units: Count::try_from(units).map_err(invalid)?,
            page_kb: Positive::try_from(BYTES as f64 / 1024.0).map_err(invalid)?,
            link_mb_per_s: Positive::try_from(link).map_err(invalid)?,
            write_buffer_kb: Positive::try_from(1024.0).map_err(invalid)?,
            drain_mb_per_s: Positive::try_from(writes.mb_per_s()).map_err(invalid)?,
            flush_us: NotNegative::try_from(durable_us).map_err(invalid)?,
            protected: false,
        })
    };
    let mut best: Option<(f64, FlashSpec)> = None;
    for share in COMMAND_SHARES {
        for units in UNITS {
            let tried = spec(share, units)?;
            let error: f64 = DEPTHS
                .iter()
                .zip(&measured)
                .map(|(depth, found)| {
                    let load = Load { requests: 2000, ..random_reads(effort, *depth, 3) };
                    (modelled(&tried, &load).mean_us() / found.mean_us()).ln().abs()
                })
                .sum();
            if best.as_ref().is_none_or(|(least, _)| error < *least) {
                best = Some((error, tried));
            }
        }
    }
    let (_, fitted) = best.ok_or_else(|| Error::bug("no model was tried"))?;
    let mut depths = Vec::new();
    for (depth, measured) in DEPTHS.into_iter().zip(measured) {
        let fresh = measure(&random_reads(effort, depth, 12))?;
        let modelled = modelled(&fitted, &random_reads(effort, depth, 13));
        depths.push(DepthScore { depth, measured, fresh, modelled });
    }
    let source = "measured by highwater device calibrate; the file's size is the capacity".to_owned();
    let sources = BTreeMap::from([("all".to_owned(), source)]);
    let form = Form { device: name, sources: &sources, flash: &fitted };
    let text = toml::to_string(&form).map_err(|error| Error::bug(error.to_string()))?;
    let model = ModelFile::parse(name, &text)?;
    let (durable_us, read_mb_per_s, write_mb_per_s) = (durable.mean_us(), link, writes.mb_per_s());
    Ok(Calibration { model, text, depths, durable_us, read_mb_per_s, write_mb_per_s })
}

const _: () = assert!(BYTES.is_multiple_of(SECTOR));
