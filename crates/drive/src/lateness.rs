//! How late requests of modelled devices ended, beside the times that the model gave them.

use common::sync::Mutex;
use hdrhistogram::Histogram;

/// Late ends beyond this share of the modelled times make a run no judge.
pub const LATE_SHARE_MAX: f64 = 0.05;

/// Counts of ends, in nanoseconds.
#[derive(Debug)]
pub struct Lateness(Mutex<Counts>);

#[derive(Debug)]
struct Counts {
    late_ns: Histogram<u64>,
    modelled_us: f64,
    late_us: f64,
}

/// A summary; times in microseconds of the model.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LatenessSummary {
    pub requests: u64,
    pub median_us: f64,
    pub p99_us: f64,
    /// Sum of the lateness as a share of the sum of modelled times.
    pub share: f64,
}

impl LatenessSummary {
    /// True: times of the run are the model's, as closely as [`LATE_SHARE_MAX`] says.
    #[must_use]
    pub fn judges(&self) -> bool {
        self.share <= LATE_SHARE_MAX
    }
}

impl Default for Lateness {
    fn default() -> Self {
        // Two digits are enough for a median and a 99th percentile. The constructor fails for other numbers of digits.
        let late_ns = Histogram::new(2).unwrap_or_else(|_| unreachable!("two digits are allowed"));
        Self(Mutex::new(Counts { late_ns, modelled_us: 0.0, late_us: 0.0 }))
    }
}

impl Lateness {
    pub(crate) fn count(&self, modelled_us: f64, late_us: f64) {
        let mut counts = self.0.lock();
        // The histogram resizes itself.
        let _ = counts.late_ns.record((late_us * 1e3) as u64);
        counts.modelled_us += modelled_us;
        counts.late_us += late_us;
    }

    /// Adds the counts of another device.
    pub(crate) fn add(&self, other: &Self) {
        let other = other.0.lock();
        let mut counts = self.0.lock();
        // Both have the same number of digits.
        let _ = counts.late_ns.add(&other.late_ns);
        counts.modelled_us += other.modelled_us;
        counts.late_us += other.late_us;
    }

    /// The summary of all requests so far.
    pub fn summary(&self) -> LatenessSummary {
        let counts = self.0.lock();
        let at = |share: f64| counts.late_ns.value_at_quantile(share) as f64 / 1e3;
        LatenessSummary {
            requests: counts.late_ns.len(),
            median_us: at(0.5),
            p99_us: at(0.99),
            share: if counts.modelled_us > 0.0 { counts.late_us / counts.modelled_us } else { 0.0 },
        }
    }
}
