//! The time of a seek by its distance.

use super::spec::SeekSpec;

/// Microseconds of a seek over so many cylinders.
#[derive(Clone, Debug)]
pub(super) enum SeekCurve {
    /// `a + b √d + c d`, never less than a seek over one cylinder.
    Formula { a: f64, b: f64, c: f64, least: f64 },
    /// Measured distances, with straight lines between them.
    Measured(Vec<(f64, f64)>),
}

impl SeekCurve {
    /// Through the seek over one cylinder, the average of random seeks and the longest one.
    ///
    /// Two places that are chosen at random in C cylinders are C/3 apart on average, and the average of the distance's
    /// square root is 8/15 √C. So three figures of a data sheet give three equations for a, b and c.
    fn through(single: f64, average: f64, full: f64, cylinders: f64) -> Self {
        let (longest, root) = (cylinders - 1.0, (cylinders - 1.0).sqrt());
        // b (8/15 √C - 1) + c (C/3 - 1) = average - single, and b (√L - 1) + c (L - 1) = full - single.
        let (b1, c1, r1) = (8.0 / 15.0 * cylinders.sqrt() - 1.0, cylinders / 3.0 - 1.0, average - single);
        let (b2, c2, r2) = (root - 1.0, longest - 1.0, full - single);
        let determinant = b1 * c2 - b2 * c1;
        let (b, c) = ((r1 * c2 - r2 * c1) / determinant, (b1 * r2 - b2 * r1) / determinant);
        Self::Formula { a: single - b - c, b, c, least: single.min(average) }
    }

    pub(super) fn new(spec: &SeekSpec, cylinders: u32) -> Self {
        match spec {
            SeekSpec::Figures { single_ms, average_ms, full_ms } => {
                Self::through(single_ms * 1e3, average_ms * 1e3, full_ms * 1e3, f64::from(cylinders))
            }
            SeekSpec::Measured(points) => {
                Self::Measured(points.iter().map(|(distance, ms)| (f64::from(*distance), ms * 1e3)).collect())
            }
        }
    }

    pub(super) fn us(&self, distance: u32) -> f64 {
        if distance == 0 {
            return 0.0;
        }
        let distance = f64::from(distance);
        match self {
            Self::Formula { a, b, c, least } => (a + b * distance.sqrt() + c * distance).max(*least),
            Self::Measured(points) => {
                let next = points.partition_point(|(at, _)| *at < distance);
                match (next.checked_sub(1).and_then(|before| points.get(before)), points.get(next)) {
                    (Some((d0, t0)), Some((d1, t1))) => t0 + (t1 - t0) * (distance - d0) / (d1 - d0),
                    (None, Some((_, us))) | (Some((_, us)), None) => *us,
                    (None, None) => 0.0,
                }
            }
        }
    }
}

/// The average of seeks between two places that are chosen at random, from measured distances and milliseconds.
pub(crate) fn average_seek_ms(points: &[(u32, f64)], cylinders: u32) -> f64 {
    average_us(&SeekCurve::new(&SeekSpec::Measured(points.to_vec()), cylinders), cylinders) / 1e3
}

/// All pairs of places, weighed by their number.
fn average_us(curve: &SeekCurve, cylinders: u32) -> f64 {
    let pairs = (1..cylinders).map(|distance| (f64::from(cylinders - distance), curve.us(distance)));
    let (sum, weight) = pairs.fold((0.0, 0.0), |(sum, weight), (w, us)| (sum + w * us, weight + w));
    sum / weight
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_goes_through_the_three_figures() {
        let figures = SeekSpec::Figures { single_ms: 0.8, average_ms: 5.5, full_ms: 10.6 };
        let curve = SeekCurve::new(&figures, 7000);
        assert!((curve.us(1) - 800.0).abs() < 1.0);
        assert!((curve.us(6999) - 10_600.0).abs() < 1.0);
        let average = average_us(&curve, 7000);
        assert!((average - 5500.0).abs() < 30.0, "{average}");
    }

    #[test]
    fn measured_points_are_joined_by_lines() {
        let curve = SeekCurve::new(&SeekSpec::Measured(vec![(1, 1.0), (11, 3.0), (21, 3.5)]), 100);
        assert_eq!(
            [0, 1, 6, 11, 16, 21, 99].map(|d| curve.us(d)),
            [0.0, 1000.0, 2000.0, 3000.0, 3250.0, 3500.0, 3500.0]
        );
    }
}
