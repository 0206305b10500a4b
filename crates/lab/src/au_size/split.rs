//! The first round's gaps, divided: what a group takes more than that of 4 MB on the outer tracks is its place's, which
//! goes away when it is made anew where the other one was, and its unit's, which stays.

use serde::Serialize;

use super::setting::{first, rebuilt};
use super::{Comparison, Known};
use crate::experiment::setting::Setting;
use crate::interval::Estimate;

/// Units whose groups lay on inner tracks in the first round.
pub(super) const UNITS: [u32; 2] = [1, 8];

/// How the gap of a group divides.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Split {
    pub au_mb: u32,
    /// Seconds, published: of the gap, of the place, of the unit.
    pub published: Option<[f64; 3]>,
    /// The same measured, repetition by repetition.
    pub gap_s: Option<Estimate>,
    pub place_s: Option<Estimate>,
    pub unit_s: Option<Estimate>,
    /// The place's share of the gap, percent: published and measured.
    pub published_share: Option<f64>,
    pub share: Option<Estimate>,
}

impl Split {
    pub(super) fn of(comparison: &Comparison, au_mb: u32) -> Self {
        let times = |setting: Setting| -> Vec<f64> {
            let arm = comparison.measured.arm(setting);
            arm.map_or_else(|_| Vec::new(), |arm| arm.runs.iter().map(|run| run.elapsed_s).collect())
        };
        let (near, far, again) = (times(first(4)), times(first(au_mb)), times(rebuilt(au_mb)));
        let each = |of: fn(f64, f64, f64) -> f64| {
            let runs = near.iter().zip(&far).zip(&again);
            Estimate::of(&runs.map(|((near, far), again)| of(*near, *far, *again)).collect::<Vec<_>>())
        };
        let known = |setting| comparison.known(setting).map(|known: &Known| known.query_s);
        let published = known(first(4)).zip(known(first(au_mb))).zip(known(rebuilt(au_mb)));
        let published = published.map(|((near, far), again)| [far - near, far - again, again - near]);
        Self {
            au_mb,
            published,
            gap_s: each(|near, far, _| far - near),
            place_s: each(|_, far, again| far - again),
            unit_s: each(|near, _, again| again - near),
            published_share: published.map(|[gap, place, _]| 100.0 * place / gap),
            share: each(|near, far, again| 100.0 * (far - again) / (far - near)),
        }
    }
}

/// The groups of the first round, one after another.
pub(super) fn all(comparison: &Comparison) -> Vec<Split> {
    UNITS.into_iter().map(|unit| Split::of(comparison, unit)).collect()
}
