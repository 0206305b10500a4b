//! Times that vary from request to request, repeatably.

use std::f64::consts::TAU;

use common::Seeded;
use serde::{Deserialize, Serialize};

use crate::number::{AtMost, NotNegative, Positive};

/// A time with its variation: its mean, and the standard deviation of its logarithm. A rare stall may be added.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeSpec {
    pub mean_us: Positive,
    #[serde(default)]
    pub spread: AtMost<3>,
    /// Share of the requests that stall, 0 to 1, and for how long.
    #[serde(default)]
    pub stall_share: AtMost<1>,
    #[serde(default)]
    pub stall_us: NotNegative,
}

/// Draws times.
#[derive(Debug)]
pub(crate) struct Spread(Seeded);

impl Spread {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Seeded::new(seed))
    }

    /// Above 0, at most 1.
    fn share(&mut self) -> f64 {
        ((self.0.draw() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A lognormal time whose mean is the given one.
    pub(crate) fn us(&mut self, time: &TimeSpec) -> f64 {
        let (mean, spread) = (time.mean_us.get(), time.spread.get());
        let stall = if time.stall_share.get() > 0.0 && self.share() <= time.stall_share.get() {
            time.stall_us.get()
        } else {
            0.0
        };
        if spread == 0.0 {
            return mean + stall;
        }
        let normal = (-2.0 * self.share().ln()).sqrt() * (TAU * self.share()).cos();
        mean * (spread * normal - spread * spread / 2.0).exp() + stall
    }
}
