//! Several runs together: the median, and an interval for it.
//!
//! The interval lies between two of the runs (order statistics): whatever the distribution, each run is below its
//! median with probability one half, so how many of n runs are below it is binomial, and the k-th smallest and the k-th
//! largest have the median between them with a probability that is known exactly. Of the intervals of at least 95 % the
//! narrowest is taken; fewer than six runs have none, and there it is from the least to the greatest (93.75 % with
//! five).

use serde::Serialize;

/// The probability that an interval is to have, where the runs give it.
const COVERAGE: f64 = 0.95;
/// Less decides nothing: four runs have 87.5 %.
const LEAST_COVERAGE: f64 = 0.9;
/// The fewest runs that decide.
pub(crate) const LEAST_RUNS: usize = 5;

/// The median of some runs, and an interval for it.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Estimate {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// The probability that the interval has the median of all runs that could be made in it, 0 to 1.
    pub coverage: f64,
    pub runs: usize,
}

impl Estimate {
    /// None without values, and where one is not a number.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let runs = sorted.len();
        // The coverage decides the number of runs that are left out at each end.
        let out = (0..runs.div_ceil(2)).take_while(|out| *out == 0 || coverage(runs, *out) >= COVERAGE).last()?;
        Some(Self {
            median: median(&sorted)?,
            low: sorted[out],
            high: sorted[runs - 1 - out],
            coverage: coverage(runs, out),
            runs,
        })
    }

    /// True: the figure lies from `low` to `high`, both ends included. None if the interval reaches over an end, or the
    /// runs are too few.
    #[must_use]
    pub fn within(&self, low: f64, high: f64) -> Option<bool> {
        if self.is_too_few() {
            return None;
        }
        if self.low >= low && self.high <= high {
            return Some(true);
        }
        (self.high < low || self.low > high).then_some(false)
    }

    /// True: the runs are too few for an interval that decides anything.
    #[must_use]
    pub fn is_too_few(&self) -> bool {
        self.coverage < LEAST_COVERAGE
    }
}

/// Median and ends of the interval as three cells of a table; dashes without them.
pub(crate) fn cells(estimate: Option<Estimate>, show: impl Fn(f64) -> String) -> [String; 3] {
    estimate.map_or_else(
        || ["-", "-", "-"].map(str::to_owned),
        |estimate| [show(estimate.median), show(estimate.low), show(estimate.high)],
    )
}

/// The probability that the median lies between the runs when `out` are left out at each end.
fn coverage(runs: usize, out: usize) -> f64 {
    // Binomial coefficients one after the other, over 2^runs.
    let (mut term, mut tail) = (0.5_f64.powi(i32::try_from(runs).unwrap_or(i32::MAX)), 0.0);
    for below in 0..=out {
        tail += term;
        term *= (runs - below) as f64 / (below + 1) as f64;
    }
    (1.0 - 2.0 * tail).max(0.0)
}

/// The middle value; of an even number the mean of the two in the middle. None without values.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }

    #[test]
    fn intervals_are_those_of_the_tables() {
        let of = |runs: u32| Estimate::of(&(1..=runs).map(f64::from).collect::<Vec<_>>()).unwrap();
        assert_eq!((of(1).low, of(1).high, of(1).coverage), (1.0, 1.0, 0.0));
        assert_eq!((of(5).low, of(5).high, of(5).coverage), (1.0, 5.0, 0.9375));
        assert_eq!((of(8).low, of(8).high), (1.0, 8.0));
        // Published: ranks 2 and 8 of nine, 96.1 %; 2 and 9 of ten, 97.9 %; 6 and 15 of twenty, 95.9 %.
        assert_eq!((of(9).low, of(9).high), (2.0, 8.0));
        assert!((of(9).coverage - 0.961).abs() < 0.001, "{:?}", of(9));
        assert_eq!((of(10).low, of(10).high), (2.0, 9.0));
        assert!((of(10).coverage - 0.979).abs() < 0.001, "{:?}", of(10));
        assert_eq!((of(20).low, of(20).high), (6.0, 15.0));
        assert!((of(20).coverage - 0.959).abs() < 0.001, "{:?}", of(20));
        assert_eq!(Estimate::of(&[]), None);
        assert_eq!(Estimate::of(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn a_figure_is_within_without_or_undecided() {
        let five = Estimate::of(&[1.1, 1.2, 1.3, 1.4, 1.5]).unwrap();
        assert_eq!(five.within(1.0, 2.0), Some(true));
        assert_eq!(five.within(1.1, 1.5), Some(true));
        assert_eq!(five.within(1.6, 2.0), Some(false));
        assert_eq!(five.within(0.0, 1.0), Some(false));
        assert_eq!(five.within(1.2, 2.0), None);
        let four = Estimate::of(&[1.1, 1.2, 1.3, 1.4]).unwrap();
        assert!(four.is_too_few() && four.within(1.0, 2.0).is_none());
        let endless = Estimate::of(&[4.0, 5.0, f64::INFINITY, 6.0, 7.0]).unwrap();
        assert_eq!(endless.within(4.0, f64::INFINITY), Some(true));
    }
}
