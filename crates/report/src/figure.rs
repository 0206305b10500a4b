//! A figure as a report prints it: its value, and the weight of the last printed digit.
//!
//! Reports print one quantity in several places and with different numbers of digits: a wait's average as `0` (ms), its
//! total as `39` (s), its count as `178,406`. The total and the count give 0.218 ms, the printed average nothing. So
//! every figure keeps its step, and [`Figure::finer`] chooses the more precise of two figures for the same quantity.

use serde::Serialize;

/// A printed number. `step` is the unit of its last printed digit, in the unit of `value`; the true value lies within
/// half a step.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Figure {
    pub value: f64,
    pub step: f64,
}

impl Figure {
    /// A figure known exactly (a count printed in full).
    #[must_use]
    pub const fn exact(value: f64) -> Self {
        Self { value, step: 0.0 }
    }

    #[must_use]
    pub const fn new(value: f64, step: f64) -> Self {
        Self { value, step }
    }

    /// The same figure in another unit.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, step: self.step * factor }
    }

    /// Relative error of the value; infinite for a printed zero, which may be anything below its step.
    #[must_use]
    pub fn relative_error(self) -> f64 {
        if self.step == 0.0 {
            0.0
        } else if self.value == 0.0 {
            f64::INFINITY
        } else {
            (self.step / 2.0 / self.value).abs()
        }
    }

    /// The more precise of two figures for one quantity; the first when they are equal.
    #[must_use]
    pub fn finer(self, other: Self) -> Self {
        if other.relative_error() < self.relative_error() { other } else { self }
    }

    /// This over that; the step carries both uncertainties. None when that is zero.
    #[must_use]
    pub fn over(self, other: Self) -> Option<Self> {
        if other.value == 0.0 {
            return None;
        }
        let value = self.value / other.value;
        let step = self.step / other.value.abs() + value.abs() * 2.0 * other.relative_error();
        Some(Self { value, step })
    }

    /// The product; the step carries both uncertainties.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let step = self.step * other.value.abs() + other.step * self.value.abs();
        Self { value: self.value * other.value, step }
    }
}

#[cfg(test)]
mod tests {
    use super::Figure;

    #[test]
    fn a_total_and_a_count_beat_an_average_printed_as_zero() {
        let average_ms = Figure::new(0.0, 1.0);
        let from_total = Figure::new(39.0, 1.0).over(Figure::exact(178_406.0)).map(|s| s.scaled(1000.0));
        let best = average_ms.finer(from_total.unwrap_or(average_ms));
        assert!((best.value - 0.2186).abs() < 0.001, "{best:?}");
        assert!(best.relative_error() < 0.02);
    }

    #[test]
    fn an_average_in_microseconds_beats_a_total_printed_as_zero() {
        let total = Figure::new(0.0, 1.0);
        let from_average = Figure::new(391.14, 0.01).scaled(1e-6).times(Figure::exact(1025.0));
        assert!((total.finer(from_average).value - 0.4009).abs() < 0.0001);
    }
}
