//! How well a model fits a trace of a real drive.
//!
//! The measure is Ruemmler's and Wilkes's demerit: the root mean square of the horizontal distance between the
//! distributions of measured and modelled service times, here as a share of the measured mean. The model runs through
//! the trace with one request at a time and the trace's think times.

use common::{Error, Result};

use crate::disk::spec::DiskSpec;
use crate::disk::{Disk, SECTOR};
use crate::error::invalid;
use crate::model::{Model, end_of};
use crate::number::{NotNegative, Positive};
use crate::trace::TraceRequest;

/// Blocks of read-ahead that a fit tries.
const READ_AHEADS: [u32; 14] = [0, 8, 16, 32, 48, 64, 96, 128, 192, 256, 320, 400, 512, 1024];
/// Segments that a fit tries.
const SEGMENTS: [u32; 10] = [1, 2, 3, 4, 6, 8, 10, 12, 16, 24];

/// Modelled service times of a trace.
fn replay(model: &mut dyn Model, trace: &[TraceRequest]) -> Vec<f64> {
    let mut now = 0.0;
    let mut times = Vec::with_capacity(trace.len());
    for one in trace {
        let ticket = model.submit(now, one.request);
        let end = end_of(model, ticket);
        times.push(end - now);
        now = end + one.think_us;
    }
    times
}

/// Root mean square of the distance between two distributions of equally many values, as a share of the first one's
/// mean.
#[must_use]
pub fn demerit(measured: &[f64], modelled: &[f64]) -> f64 {
    let sorted = |values: &[f64]| {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        values
    };
    let (a, b) = (sorted(measured), sorted(modelled));
    let squares: f64 = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum();
    let count = a.len() as f64;
    (squares / count).sqrt() / (a.iter().sum::<f64>() / count)
}

/// A model beside a trace.
#[derive(Clone, PartialEq, Debug)]
pub struct Score {
    pub requests: usize,
    pub measured_mean_us: f64,
    pub modelled_mean_us: f64,
    /// All of the trace, as the model file has it.
    pub whole: f64,
    /// The second half, as the model file has it.
    pub second_half: f64,
    /// With read-ahead and segments fitted on the first half.
    pub fitted: Fitted,
}

/// Two parameters of the read-ahead that fit the first half of a trace best.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fitted {
    pub read_ahead_blocks: u32,
    pub segments: u32,
    pub first_half: f64,
    pub second_half: f64,
}

/// Scores a disk against a trace.
///
/// # Errors
/// HW-0080 when the trace has blocks that the disk does not have.
pub fn score(spec: &DiskSpec, trace: &[TraceRequest]) -> Result<Score> {
    let blocks = Disk::new(spec).bytes() / SECTOR;
    if let Some(beyond) = trace.iter().find(|one| one.request.block + one.request.blocks > blocks) {
        return Err(invalid(format!(
            "the trace has a request for block {}, and the model has {blocks} blocks of {SECTOR} bytes",
            beyond.request.block + beyond.request.blocks - 1
        )));
    }
    let half = trace.len() / 2;
    let measured: Vec<_> = trace.iter().map(|one| one.service_us).collect();
    let modelled = replay(&mut Disk::new(spec), trace);
    let tried = SEGMENTS.into_iter().flat_map(|segments| READ_AHEADS.map(|read_ahead| (read_ahead, segments)));
    let fits = tried.map(|(read_ahead_blocks, segments)| {
        let changed = with_read_ahead(spec, read_ahead_blocks, segments)?;
        let first_half = demerit(&measured[..half], &replay(&mut Disk::new(&changed), &trace[..half]));
        Ok(Fitted { read_ahead_blocks, segments, first_half, second_half: 0.0 })
    });
    let fits = fits.collect::<Result<Vec<_>>>()?;
    let best = fits.into_iter().min_by(|a, b| a.first_half.total_cmp(&b.first_half));
    let mut fitted = best.ok_or_else(|| Error::bug("no read-ahead was tried"))?;
    let changed = with_read_ahead(spec, fitted.read_ahead_blocks, fitted.segments)?;
    fitted.second_half = demerit(&measured[half..], &replay(&mut Disk::new(&changed), trace)[half..]);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    Ok(Score {
        requests: trace.len(),
        measured_mean_us: mean(&measured),
        modelled_mean_us: mean(&modelled),
        whole: demerit(&measured, &modelled),
        second_half: demerit(&measured[half..], &modelled[half..]),
        fitted,
    })
}

/// The disk with another read-ahead; a segment is made large enough for it.
fn with_read_ahead(spec: &DiskSpec, blocks: u32, segments: u32) -> Result<DiskSpec> {
    let kb = f64::from(blocks) / 2.0;
    let mut spec = spec.clone();
    spec.cache.read_ahead_kb = NotNegative::try_from(kb).map_err(invalid)?;
    spec.cache.segments = segments.try_into().map_err(|_| invalid("no segments"))?;
    spec.cache.segment_kb = Positive::try_from(spec.cache.segment_kb.get().max(kb)).map_err(invalid)?;
    Ok(spec)
}
