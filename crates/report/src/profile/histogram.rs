//! Distribution of the waits for one event: by powers of two microseconds.

/// Buckets: below 1 us, below 2 us, …, and the last for all that is longer (17 minutes and more).
pub const BUCKETS: usize = 32;

/// Counts and sums of waits by length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Histogram {
    pub counts: [u64; BUCKETS],
    /// Nanoseconds.
    pub totals: [i64; BUCKETS],
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: [0; BUCKETS], totals: [0; BUCKETS] }
    }
}

impl Histogram {
    pub(super) fn add(&mut self, nanoseconds: i64) {
        let microseconds = u64::try_from(nanoseconds / 1000).unwrap_or_default();
        let bucket = (u64::BITS - microseconds.leading_zeros()) as usize;
        let bucket = bucket.min(BUCKETS - 1);
        self.counts[bucket] += 1;
        self.totals[bucket] = self.totals[bucket].saturating_add(nanoseconds);
    }

    /// The waits of a bucket are shorter than this; `None` for the last.
    #[must_use]
    pub fn below_us(bucket: usize) -> Option<u64> {
        (bucket < BUCKETS - 1).then(|| 1 << bucket)
    }

    /// The buckets between the first and the last that hold a wait: number, count, nanoseconds.
    pub fn used(&self) -> impl Iterator<Item = (usize, u64, i64)> + '_ {
        let first = self.counts.iter().position(|count| *count > 0).unwrap_or(BUCKETS);
        let end = self.counts.iter().rposition(|count| *count > 0).map_or(first, |last| last + 1);
        (first..end).map(|bucket| (bucket, self.counts[bucket], self.totals[bucket]))
    }

    /// The length below which `share` (0 to 1) of the waits lie, in microseconds: the upper end of a bucket. `None`
    /// without waits, or when it is in the last bucket.
    #[must_use]
    pub fn percentile_us(&self, share: f64) -> Option<u64> {
        let all: u64 = self.counts.iter().sum();
        let wanted = (all as f64 * share).ceil().max(1.0);
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if *count > 0 && seen as f64 >= wanted {
                return Self::below_us(bucket);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wait_falls_below_its_buckets_end() {
        let mut histogram = Histogram::default();
        for (microseconds, bucket) in
            [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (1023, 10), (1024, 11), (i64::MAX / 1000, 31)]
        {
            let before = histogram.counts[bucket];
            histogram.add(microseconds * 1000);
            assert_eq!(histogram.counts[bucket], before + 1, "{microseconds}");
            if let Some(below) = Histogram::below_us(bucket) {
                assert!(microseconds < below as i64 && (bucket == 0 || microseconds >= below as i64 / 2));
            }
        }
        histogram.add(-5);
        assert_eq!(histogram.counts[0], 2);
    }

    #[test]
    fn percentiles_and_the_used_part() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.percentile_us(0.5), histogram.used().count()), (None, 0));
        (0..99).for_each(|_| histogram.add(3_000));
        histogram.add(9_000_000);
        assert_eq!(
            (histogram.percentile_us(0.5), histogram.percentile_us(0.99), histogram.percentile_us(1.0)),
            (Some(4), Some(4), Some(16384))
        );
        assert_eq!(histogram.used().count(), 13);
    }
}
