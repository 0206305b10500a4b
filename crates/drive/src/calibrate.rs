//! A model of the machine's own device: measured at several queue depths, fitted, and held against fresh measurements.
//!
//! What is measured has two parts. Most requests take about as long as their median; the fit of units and command is
//! about them. A few take ten times as long or more, all of a moment together: the device, or the virtual machine with
//! it, stood still. Those make a pause of the model, because a time for each request could not be both as rare and as
//! long at every depth.

use std::collections::BTreeMap;
use std::io;

use common::sync::atomic::{AtomicU32, Ordering};
use common::sync::{Arc, JoinHandle, Mutex, spawn};
use common::{Clock, Error, Result, Seeded};
use device::{AlignedBuffer, Device};
use serde::Serialize;

use crate::disk::SECTOR;
use crate::file::ModelFile;
use crate::flash::{FlashSpec, PauseSpec};
use crate::load::{Load, LoadResult, Places, run};
use crate::model::Kind;
use crate::number::{AtMost, Count, NotNegative, Positive};
use crate::spread::TimeSpec;

/// Queue depths that are measured.
pub const DEPTHS: [u32; 4] = [1, 4, 16, 32];
/// Bytes of a random request.
const BYTES: u64 = 8192;
/// All depths are measured one after another, so many times: what else goes on in the machine meets all of them.
const ROUNDS: u64 = 5;
/// Numbers of parallel units that a fit tries.
const UNITS: [u32; 18] = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
/// Shares of the time that is the command's, and not a unit's.
const COMMAND_SHARES: [f64; 13] = [0.02, 0.06, 0.1, 0.17, 0.25, 0.32, 0.4, 0.47, 0.55, 0.62, 0.7, 0.77, 0.85];
/// Requests of a model that a fit tries.
const FIT_REQUESTS: u32 = 2000;
/// Weight of a 99th percentile beside a mean in a fit.
const P99_WEIGHT: f64 = 0.3;
/// A request has met a pause when it takes so many medians, and so many microseconds.
const PAUSE_MEDIANS: f64 = 10.0;
const PAUSE_US_MIN: f64 = 1_000.0;
/// Depths at which pauses are looked for.
const PAUSE_DEPTH_MIN: u32 = 32;
/// Depth at which writes come as fast as the device takes them.
const WRITE_DEPTH: u32 = 32;
/// Pauses that take less of the time are none of the model's.
const PAUSE_SHARE_MIN: f64 = 0.02;
/// Fewer pauses are an accident.
const PAUSES_MIN: f64 = 4.0;

/// How much is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Requests at depth 1 in a round; up to eight times as many at the greater depths. There are five rounds.
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
    measure_by(device, clock, load, &mut |work| spawn("calibrate", work))
}

/// What a thread of a load does.
type Work = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// As [`measure`], with threads of the caller's. All of them have ended when it returns, after an error too: the caller
/// may remove the device's file then.
fn measure_by(
    device: &Arc<dyn Device>,
    clock: &Arc<dyn Clock>,
    load: &Load,
    start: &mut dyn FnMut(Work) -> io::Result<JoinHandle<io::Result<()>>>,
) -> Result<LoadResult> {
    let times = Arc::new(Mutex::new(Vec::with_capacity(load.requests as usize)));
    let left = Arc::new(AtomicU32::new(load.requests));
    let from_us = clock.monotonic_us();
    let (mut threads, mut first_error) = (Vec::new(), None);
    for number in 0..load.depth {
        let (device, clock, times, load) = (Arc::clone(device), Arc::clone(clock), Arc::clone(&times), *load);
        let to_do = Arc::clone(&left);
        let work = move || -> io::Result<()> {
            let mut random = Seeded::at(load.seed, u64::from(number));
            let mut buffer = AlignedBuffer::zeroed(load.bytes as usize);
            let places = ((load.to - load.from) / load.bytes).max(1);
            let mut own = Vec::new();
            let next = |left: &AtomicU32| {
                left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).ok()
            };
            while let Some(before) = next(&to_do) {
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
        match start(Box::new(work)) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                // The threads that are there end after the request that they are at.
                left.store(0, Ordering::Relaxed);
                first_error = Some(failed(&error));
                break;
            }
        }
    }
    for thread in threads {
        let error = match thread.join() {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => failed(&error),
            Err(_) => Error::bug("a thread that measures panicked"),
        };
        left.store(0, Ordering::Relaxed);
        first_error.get_or_insert(error);
    }
    if let Some(error) = first_error {
        return Err(error);
    }
    if load.kind == Kind::Write {
        device.sync().map_err(|error| failed(&error))?;
    }
    let elapsed_us = (clock.monotonic_us() - from_us).max(1) as f64;
    let mut times_us = std::mem::take(&mut *times.lock());
    times_us.sort_by(f64::total_cmp);
    Ok(LoadResult { bytes: times_us.len() as u64 * load.bytes, times_us, elapsed_us })
}

/// Measures several loads in turns. Service times of the rounds are one result, without those of a load's slowest and
/// fastest round: something else was going on there.
fn in_rounds(loads: &[Load], measure: &mut dyn FnMut(&Load) -> Result<LoadResult>) -> Result<Vec<LoadResult>> {
    let mut rounds = vec![Vec::new(); loads.len()];
    for round in 0..ROUNDS {
        for (load, found) in loads.iter().zip(&mut rounds) {
            found.push(measure(&Load { seed: load.seed + round, ..*load })?);
        }
    }
    Ok(rounds.into_iter().map(middle).collect())
}

/// The rounds between the slowest and the fastest, as one.
fn middle(mut rounds: Vec<LoadResult>) -> LoadResult {
    rounds.sort_by(|a, b| a.mean_us().total_cmp(&b.mean_us()));
    let mut all = LoadResult { times_us: Vec::new(), elapsed_us: 0.0, bytes: 0 };
    for round in &rounds[1..rounds.len() - 1] {
        all.times_us.extend(&round.times_us);
        all.elapsed_us += round.elapsed_us;
        all.bytes += round.bytes;
    }
    all.times_us.sort_by(f64::total_cmp);
    all
}

/// The requests that met no pause, and those that did.
fn without_pauses(result: &LoadResult) -> (LoadResult, &[f64]) {
    let limit = (PAUSE_MEDIANS * result.at_us(0.5)).max(PAUSE_US_MIN);
    let (short, long) = result.times_us.split_at(result.times_us.partition_point(|us| *us <= limit));
    (LoadResult { times_us: short.to_vec(), ..result.clone() }, long)
}

/// The pauses of a device: each meets all requests that are under way. Their number, mean and variance are those of the
/// requests that met one. A single thread that waits for a processor looks the same, so only the greatest depth counts,
/// where it is one of many.
fn pauses(measured: &[LoadResult]) -> Result<Option<PauseSpec>> {
    let (mut count, mut lost_us, mut squares, mut elapsed_us) = (0.0, 0.0, 0.0, 0.0);
    for (depth, result) in DEPTHS.into_iter().zip(measured).filter(|(depth, _)| *depth >= PAUSE_DEPTH_MIN) {
        let (short, long) = without_pauses(result);
        let (median, share) = (short.at_us(0.5), 1.0 / f64::from(depth));
        count += long.len() as f64 * share;
        lost_us += long.iter().map(|us| (us - median) * share).sum::<f64>();
        squares += long.iter().map(|us| (us - median).powi(2) * share).sum::<f64>();
        elapsed_us += result.elapsed_us;
    }
    if count < PAUSES_MIN || lost_us < PAUSE_SHARE_MIN * elapsed_us {
        return Ok(None);
    }
    let invalid = |why: String| crate::error::invalid(why);
    let every_ms = Positive::try_from(elapsed_us / count / 1e3).map_err(invalid)?;
    let for_ms = Positive::try_from(lost_us.min(0.89 * elapsed_us) / count / 1e3).map_err(invalid)?;
    // Of a lognormal length, this is the mean of the squares over the square of the mean.
    let spread = (squares * count / lost_us.powi(2)).max(1.0).ln().sqrt();
    let spread = AtMost::try_from(spread.min(3.0)).map_err(invalid)?;
    PauseSpec::new(every_ms, for_ms, spread).map(Some).map_err(invalid)
}

fn random_reads(effort: Effort, depth: u32, seed: u64) -> Load {
    let Effort { requests, file_bytes } = effort;
    let requests = requests.saturating_mul(depth.min(8));
    Load { kind: Kind::Read, bytes: BYTES, places: Places::Random, depth, requests, from: 0, to: file_bytes, seed }
}

/// A time with this mean behind a constant one. Median and 99th percentile of both together are as far apart as the
/// measured ones. What the slowest hundredth takes beyond that is a stall.
fn time_of(result: &LoadResult, before_us: f64, mean_us: f64) -> Result<TimeSpec> {
    let p99 = result.at_us(0.99);
    let own = |us: f64| (us - before_us).max(1.0);
    let spread = ((own(p99) / own(result.at_us(0.5))).ln() / 2.326).clamp(0.0, 3.0);
    let tail = result.times_us.iter().skip((result.times_us.len() as f64 * 0.99) as usize);
    let (count, sum) = tail.fold((0_u32, 0.0), |(count, sum), us| (count + 1, sum + us));
    let stall_us = (sum / f64::from(count.max(1)) - p99).max(0.0);
    let mean_us = (mean_us - 0.01 * stall_us).max(0.1);
    let invalid = |why: String| crate::error::invalid(why);
    Ok(TimeSpec {
        mean_us: Positive::try_from(mean_us).map_err(invalid)?,
        spread: AtMost::try_from(spread).map_err(invalid)?,
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

/// What was measured for the fit.
struct Measured {
    file_bytes: u64,
    /// Random reads at each depth: all of them, and those that met no pause.
    depths: Vec<LoadResult>,
    fitted: Vec<LoadResult>,
    pause: Option<PauseSpec>,
    /// Random writes one by one, and many of them under way.
    small_writes: LoadResult,
    many_writes: LoadResult,
    durable: LoadResult,
    /// Requests of 1 MB in order.
    reads: LoadResult,
    writes: LoadResult,
}

impl Measured {
    fn new(effort: Effort, measure: &mut dyn FnMut(&Load) -> Result<LoadResult>) -> Result<Self> {
        let to = effort.file_bytes;
        let sequential = |kind, bytes: u64, depth: u32, requests: u32| {
            let (places, from, seed) = (Places::Sequential, 0, 1);
            Load { kind, bytes, places, depth, requests, from, to, seed }
        };
        let megabytes = (to >> 20) as u32;
        // The file is written once, so that reads find blocks that have been written.
        let writes = measure(&sequential(Kind::Write, 1 << 20, 4, megabytes))?;
        let reads = measure(&sequential(Kind::Read, 1 << 20, 4, megabytes))?;
        let durable = measure(&sequential(Kind::WriteThrough, 4096, 1, effort.requests.min(1000)))?;
        let durable = without_pauses(&durable).0;
        let small = |depth| Load { kind: Kind::Write, ..random_reads(effort, depth, 41) };
        // Of the many writes there are so many that the buffer is full for most of the time.
        let loads: Vec<_> = DEPTHS
            .map(|depth| random_reads(effort, depth, 11))
            .into_iter()
            .chain([small(1), small(WRITE_DEPTH)])
            .collect();
        let mut depths = in_rounds(&loads, measure)?;
        let writes_at = depths.split_off(DEPTHS.len());
        let [small_writes, many_writes] = [writes_at[0].clone(), writes_at[1].clone()];
        let pause = pauses(&depths)?;
        // Where the model has no pauses, the fit is about all requests.
        let fitted = match pause {
            Some(_) => depths.iter().map(|result| without_pauses(result).0).collect(),
            None => depths.clone(),
        };
        Ok(Self { file_bytes: to, depths, fitted, pause, small_writes, many_writes, durable, reads, writes })
    }

    /// Share of the time in which the device is at work. A rate without pauses is that much higher; so much shorter are
    /// the means at all depths, because as many requests are under way.
    fn at_work(&self) -> f64 {
        1.0 - self.pause.map_or(0.0, PauseSpec::share)
    }

    /// The model with so many units, whose command has this share of a read's time.
    fn spec(&self, share: f64, units: u32) -> Result<FlashSpec> {
        let invalid = |why: String| crate::error::invalid(why);
        let positive = |number: f64| Positive::try_from(number).map_err(invalid);
        let (one, at_work) = (&self.fitted[0], self.at_work());
        let small = if self.pause.is_some() { without_pauses(&self.small_writes).0 } else { self.small_writes.clone() };
        let link = self.reads.mb_per_s() / at_work;
        let linked_us = BYTES as f64 / link;
        let medium_us = (self.depths[0].mean_us() * at_work - linked_us).max(1.0);
        let command_us = medium_us * share;
        let before_us = command_us + linked_us;
        let durable_us = (self.durable.mean_us() - small.mean_us()).max(0.0);
        Ok(FlashSpec {
            capacity_gb: positive((self.file_bytes as f64 / 1e9).max(0.001))?,
            command: constant(command_us)?,
            read: time_of(one, before_us, medium_us - command_us)?,
            write: time_of(&small, before_us, self.small_writes.mean_us() * at_work - before_us)?,
            units: Count::try_from(units).map_err(invalid)?,
            page_kb: positive(BYTES as f64 / 1024.0)?,
            link_mb_per_s: positive(link)?,
            write_buffer_kb: positive(1024.0)?,
            drain_mb_per_s: positive(f64::from(WRITE_DEPTH) * BYTES as f64 / self.many_writes.mean_us() / at_work)?,
            flush_us: NotNegative::try_from(durable_us).map_err(invalid)?,
            protected: false,
            pause: None,
        })
    }

    /// How far a model without pauses is off the reads that met none.
    fn error(&self, effort: Effort, spec: &FlashSpec) -> f64 {
        let off = |modelled: f64, found: f64| (modelled / found).ln().abs();
        let of_depth = |((depth, all), fitted): ((u32, &LoadResult), &LoadResult)| {
            let result = modelled(spec, &Load { requests: FIT_REQUESTS, ..random_reads(effort, depth, 3) });
            let mean = off(result.mean_us(), all.mean_us() * self.at_work());
            mean + P99_WEIGHT * off(result.at_us(0.99), fitted.at_us(0.99))
        };
        DEPTHS.into_iter().zip(&self.depths).zip(&self.fitted).map(of_depth).sum()
    }

    /// The model that is the least off.
    fn fit(&self, effort: Effort) -> Result<FlashSpec> {
        let mut best: Option<(f64, FlashSpec)> = None;
        for share in COMMAND_SHARES {
            for units in UNITS {
                let tried = self.spec(share, units)?;
                let error = self.error(effort, &tried);
                if best.as_ref().is_none_or(|(least, _)| error < *least) {
                    best = Some((error, tried));
                }
            }
        }
        let (_, fitted) = best.ok_or_else(|| Error::bug("no model was tried"))?;
        Ok(FlashSpec { pause: self.pause, ..fitted })
    }
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
    let measured = Measured::new(effort, measure)?;
    let fitted = measured.fit(effort)?;
    let fresh = in_rounds(&DEPTHS.map(|depth| random_reads(effort, depth, 21)), measure)?;
    let source = "measured by highwater device calibrate; the file's size is the capacity".to_owned();
    let sources = BTreeMap::from([("all".to_owned(), source)]);
    let form = Form { device: name, sources: &sources, flash: &fitted };
    let text = toml::to_string(&form).map_err(|error| Error::bug(error.to_string()))?;
    let model = ModelFile::parse(name, &text)?;
    let (durable_us, read_mb_per_s) = (measured.durable.mean_us(), measured.reads.mb_per_s());
    let write_mb_per_s = measured.writes.mb_per_s();
    let mut depths = Vec::new();
    for ((depth, measured), fresh) in DEPTHS.into_iter().zip(measured.depths).zip(fresh) {
        let load = random_reads(effort, depth, 31);
        let modelled = modelled(&fitted, &Load { requests: load.requests.saturating_mul(ROUNDS as u32), ..load });
        depths.push(DepthScore { depth, measured, fresh, modelled });
    }
    Ok(Calibration { model, text, depths, durable_us, read_mb_per_s, write_mb_per_s })
}

const _: () = assert!(BYTES.is_multiple_of(SECTOR));

#[cfg(test)]
mod tests {
    use std::path::Path;

    use common::SystemClock;
    use device::{FileSystem, MemoryFileSystem};

    use super::*;

    #[test]
    fn a_disturbed_round_is_left_out() {
        let round = |us: f64| LoadResult { times_us: vec![us; 10], elapsed_us: us * 10.0, bytes: 10 };
        let all = middle([50.0, 1400.0, 52.0, 20.0, 51.0].map(round).into());
        assert_eq!((all.times_us.len(), all.mean_us(), all.elapsed_us, all.bytes), (30, 51.0, 1530.0, 30));
    }

    fn load(depth: u32, to: u64) -> Load {
        let (kind, places) = (Kind::Read, Places::Random);
        Load { kind, bytes: BYTES, places, depth, requests: 4_000_000, from: 0, to, seed: 1 }
    }

    #[test]
    fn no_thread_is_left_when_one_cannot_be_started() {
        let device = MemoryFileSystem::new().create(Path::new("/d"), 1 << 20).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let mut started = 0;
        let found = measure_by(&device, &clock, &load(8, 1 << 20), &mut |work| {
            started += 1;
            if started == 4 { Err(io::Error::other("no more threads")) } else { spawn("test", work) }
        });
        assert_eq!(found.unwrap_err().text, "the device fails: no more threads");
        assert_eq!((started, Arc::strong_count(&device)), (4, 1));
    }

    #[test]
    fn no_thread_is_left_when_the_device_fails() {
        let device = MemoryFileSystem::new().create(Path::new("/d"), 1 << 20).unwrap();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        // Half of the places are behind the end of the file.
        assert!(measure(&device, &clock, &load(4, 1 << 21)).unwrap_err().is_own(80));
        assert_eq!(Arc::strong_count(&device), 1);
    }
}
