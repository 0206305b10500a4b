//! The statistics of one column, gathered value by value.
//!
//! Distinct values are counted by the least hashes of them: of n values whose hashes are spread evenly, the k-th least
//! lies at k/n of their range. While there are fewer than k the count is exact; beyond, it is off by about 1/sqrt(k).
//! This is what Oracle 11g calls an approximate number of distinct values, by another synopsis.
//!
//! Of a sample of n rows that has d distinct values, f of them once, and that is a part q of all rows, the estimate is
//! d / (1 - (1 - q) f / n): where each value is there once, the sample says that all are different; where each is there
//! often, that there are no others. (P. J. Haas and L. Stokes, Estimating the Number of Classes in a Finite Population,
//! 1998: their first estimator.)
//!
//! A histogram of few values counts each of them; one of many is made from a sample, of as many rows as Oracle's
//! (about 5,500) or all.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use crate::dictionary::{BUCKETS_MAX, Bucket, ColumnStatistics, ENDPOINT_BYTES, Histogram, HistogramKind, place};
use common::DataType;

/// Hashes kept: an error of 1.6 %.
const KEPT: usize = 4096;
/// Values of the sample of a histogram.
const SAMPLED: usize = 5_500;
/// How much more often than the rest a value is found where a histogram is worth it.
const SKEW: u64 = 2;

/// What is asked of a column's statistics, as METHOD_OPT says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// A histogram of at most so many buckets; none of one bucket.
    Buckets(usize),
    /// A histogram where values are not spread evenly.
    Skewed,
}

/// A number that looks random, another one for each `number` (the SplitMix64 generator).
pub(super) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The values of a histogram to be.
#[derive(Default, Debug)]
struct Sample {
    /// Rows by value, while there are no more values than buckets.
    counts: BTreeMap<Vec<u8>, u64>,
    /// A sample of the values of all rows.
    values: Vec<Vec<u8>>,
    seen: u64,
    /// State of the numbers that pick the sample: the same for the same rows.
    random: u64,
    /// The value and the number of its rows that have not been counted yet.
    run: Option<(Vec<u8>, u64)>,
    many: bool,
}

impl Sample {
    /// The next of a row of numbers that look random.
    fn next(&mut self) -> u64 {
        self.random = self.random.wrapping_add(1);
        mixed(self.random)
    }

    fn add(&mut self, value: &[u8]) {
        let value = &value[..value.len().min(ENDPOINT_BYTES)];
        self.seen += 1;
        if self.values.len() < SAMPLED {
            self.values.push(value.to_vec());
        } else {
            let place = (self.next() % self.seen) as usize;
            if let Some(other) = self.values.get_mut(place) {
                other.clear();
                other.extend_from_slice(value);
            }
        }
        match &mut self.run {
            Some((run, rows)) if run == value => *rows += 1,
            _ => {
                self.end_run();
                if !self.many {
                    self.run = Some((value.to_vec(), 1));
                }
            }
        }
    }

    fn end_run(&mut self) {
        let Some((value, rows)) = self.run.take() else { return };
        *self.counts.entry(value).or_default() += rows;
        if self.counts.len() > BUCKETS_MAX {
            (self.many, self.counts) = (true, BTreeMap::new());
        }
    }

    /// `part`: of all rows, those that were added.
    fn histogram(mut self, size: Size, data_type: DataType, part: f64) -> Option<Histogram> {
        self.end_run();
        let buckets = match size {
            Size::Buckets(buckets) => buckets.min(BUCKETS_MAX),
            Size::Skewed => BUCKETS_MAX,
        };
        if buckets < 2 || self.seen == 0 {
            return None;
        }
        if !self.many && self.counts.len() <= buckets {
            let (least, most) = (self.counts.values().min()?, self.counts.values().max()?);
            if size == Size::Skewed && *most <= least * SKEW {
                return None;
            }
            let frequency = frequency(&self.counts, part);
            if frequency.encode().is_some() {
                return Some(frequency);
            }
        }
        self.values.sort_unstable();
        let all = self.seen as f64 / part;
        let scale = all / self.values.len() as f64;
        let mut buckets = buckets;
        loop {
            let hybrid = hybrid(&self.values, buckets, scale);
            let popular = |bucket: &Bucket| bucket.repeats as f64 > SKEW as f64 * all / buckets as f64;
            if size == Size::Skewed && !hybrid.buckets.iter().any(popular) && is_even(&hybrid, data_type) {
                return None;
            }
            if hybrid.encode().is_some() {
                return Some(hybrid);
            }
            buckets = buckets * 3 / 4;
            if buckets < 2 {
                return None;
            }
        }
    }
}

fn frequency(counts: &BTreeMap<Vec<u8>, u64>, part: f64) -> Histogram {
    let mut rows = 0;
    let bucket = |(value, count): (&Vec<u8>, &u64)| {
        let repeats = (*count as f64 / part).round() as u64;
        rows += repeats;
        Bucket { rows, value: value.clone(), repeats }
    };
    Histogram { kind: HistogramKind::Frequency, buckets: counts.iter().map(bucket).collect() }
}

/// Buckets of about the same number of values of a sorted sample; `scale`: rows for each.
fn hybrid(values: &[Vec<u8>], buckets: usize, scale: f64) -> Histogram {
    let rows = |values: usize| (values as f64 * scale).round() as u64;
    let each = values.len().div_ceil(buckets).max(1);
    let mut found: Vec<Bucket> = Vec::with_capacity(buckets);
    let (mut from, mut at) = (0, 0);
    while at < values.len() {
        let run = values[at..].iter().take_while(|value| **value == values[at]).count();
        at += run;
        // The first value stands alone: it is the least.
        if at - from >= each || found.is_empty() || at == values.len() {
            found.push(Bucket { rows: rows(at), value: values[at - 1].clone(), repeats: rows(run) });
            from = at;
        }
    }
    Histogram { kind: HistogramKind::Hybrid, buckets: found }
}

/// True: a straight line from the first value to the last describes the places of the others, as far as a number or a
/// text's first bytes have a place.
fn is_even(histogram: &Histogram, data_type: DataType) -> bool {
    let place = |bucket: &Bucket| place(&bucket.value, data_type);
    let places: Option<Vec<f64>> = histogram.buckets.iter().map(place).collect();
    let (Some(places), Some(last)) = (places, histogram.buckets.last()) else { return true };
    let (low, high, rows) = (places[0], places[places.len() - 1], last.rows as f64);
    let off = |(at, bucket): (&f64, &Bucket)| ((at - low) / (high - low) - bucket.rows as f64 / rows).abs();
    high <= low || places.iter().zip(&histogram.buckets).all(|pair| off(pair) < 0.1)
}

#[derive(Default, Debug)]
pub(super) struct ColumnTally {
    nulls: u64,
    values: u64,
    low: Option<Vec<u8>>,
    high: Option<Vec<u8>>,
    /// The least hashes of values, each with its rows.
    least: BTreeMap<u64, u64>,
    /// The hash of the value before, and rows of it that have not been counted yet: runs of one value are common.
    last: Option<(u64, u64)>,
    /// For a histogram.
    sample: Option<Sample>,
    asked: Option<(Size, DataType)>,
}

impl ColumnTally {
    pub(super) fn new(size: Size, data_type: DataType) -> Self {
        let sample = (size != Size::Buckets(1)).then(Sample::default);
        Self { sample, asked: Some((size, data_type)), ..Self::default() }
    }

    pub(super) fn add(&mut self, value: Option<&[u8]>) {
        let Some(value) = value else {
            self.nulls += 1;
            return;
        };
        if let Some(sample) = &mut self.sample {
            sample.add(value);
        }
        // Hashes of the standard library's default hasher are the same for the same bytes, without a seed.
        let mut hasher = DefaultHasher::new();
        hasher.write(value);
        let hash = hasher.finish();
        self.values += 1;
        match &mut self.last {
            Some((last, rows)) if *last == hash => {
                *rows += 1;
                return;
            }
            _ => self.end_run(),
        }
        self.last = Some((hash, 1));
        if self.low.as_deref().is_none_or(|low| value < low) {
            self.low = Some(value.to_vec());
        }
        if self.high.as_deref().is_none_or(|high| value > high) {
            self.high = Some(value.to_vec());
        }
        if self.least.len() < KEPT {
            self.least.entry(hash).or_default();
        } else if self.least.last_key_value().is_some_and(|(greatest, _)| hash < *greatest) {
            self.least.entry(hash).or_default();
            if self.least.len() > KEPT {
                self.least.pop_last();
            }
        }
    }

    fn end_run(&mut self) {
        let Some((hash, rows)) = self.last.take() else { return };
        if let Some(sum) = self.least.get_mut(&hash) {
            *sum += rows;
        }
    }

    /// `part`: of all rows, those that were added.
    pub(super) fn finish(mut self, part: f64) -> ColumnStatistics {
        self.end_run();
        let kept = self.least.len() as u64;
        let mut distinct = match self.least.last_key_value() {
            Some((greatest, _)) if self.least.len() >= KEPT => {
                let share = (*greatest as f64 + 1.0) / (u64::MAX as f64 + 1.0);
                ((kept - 1) as f64 / share).round() as u64
            }
            _ => kept,
        };
        let all = |rows: u64| (rows as f64 / part).round() as u64;
        if part < 1.0 && kept > 0 {
            // What holds of the values that are kept holds of all: they are a sample of them.
            let once = self.least.values().filter(|rows| **rows == 1).count() as f64;
            let rows: u64 = self.least.values().sum();
            let found = (1.0 - (1.0 - part) * once / rows as f64).max(part);
            distinct = ((distinct as f64 / found).round() as u64).clamp(kept, all(self.values));
        }
        let bound = |value: Option<Vec<u8>>| {
            value.map(|mut value| {
                value.truncate(ENDPOINT_BYTES);
                value
            })
        };
        let histogram = self.sample.zip(self.asked);
        let histogram = histogram.and_then(|(sample, (size, kind))| sample.histogram(size, kind, part)).map(Arc::new);
        ColumnStatistics { distinct, nulls: all(self.nulls), low: bound(self.low), high: bound(self.high), histogram }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(values: impl Iterator<Item = u64>) -> ColumnStatistics {
        let mut tally = ColumnTally::default();
        values.for_each(|value| tally.add(Some(&value.to_be_bytes())));
        tally.finish(1.0)
    }

    #[test]
    fn few_values_are_counted_exactly() {
        assert_eq!(tally((0..10_000).map(|at| at % 4095)).distinct, 4095);
        let mut tally = ColumnTally::default();
        [Some(&b"b"[..]), None, Some(b"a"), Some(b"b"), None].into_iter().for_each(|value| tally.add(value));
        let expected = ColumnStatistics {
            distinct: 2,
            nulls: 2,
            low: Some(b"a".to_vec()),
            high: Some(b"b".to_vec()),
            histogram: None,
        };
        assert_eq!(tally.finish(1.0), expected);
    }

    #[test]
    fn many_values_are_counted_within_a_few_percent() {
        for count in [5_000u64, 100_000, 1_000_000] {
            let found = tally((0..count).chain(0..count)).distinct;
            let off = (found as f64 / count as f64 - 1.0).abs();
            assert!(off < 0.06, "{found} of {count}");
        }
    }

    #[test]
    fn a_sample_stands_for_all_rows() {
        // Every tenth of 200,000 rows: of values that are all different, of 50,000 with four rows each, and of 100.
        let of = |value: fn(u64) -> u64| {
            let mut tally = ColumnTally::default();
            let rows = (0..200_000u64).filter(|at| mixed(*at).is_multiple_of(10));
            rows.for_each(|at| tally.add((at % 4 != 3).then_some(&value(at).to_be_bytes()[..])));
            tally.finish(0.1)
        };
        let within = |found: u64, of: u64, off: f64| (found as f64 / of as f64 - 1.0).abs() < off;
        let all = of(|at| at);
        assert!(within(all.distinct, 150_000, 0.05) && within(all.nulls, 50_000, 0.05), "{all:?}");
        assert_eq!(of(|at| at % 100).distinct, 75);
        // Three of four are no NULL; the estimator is known to say too few here: not a third of them.
        let fours = of(|at| mixed(at / 4) % 50_000).distinct;
        assert!((20_000..60_000).contains(&fours), "{fours}");
    }

    fn histogram(values: impl Iterator<Item = u64>, size: Size) -> Option<Arc<Histogram>> {
        let mut tally = ColumnTally::new(size, DataType::Raw { bytes: 8 });
        values.for_each(|value| tally.add(Some(&value.to_be_bytes())));
        tally.finish(1.0).histogram
    }

    #[test]
    fn few_values_have_a_bucket_each() {
        let skewed = (0..10_000).map(|at| u64::from(at % 100 == 0));
        let found = histogram(skewed, Size::Skewed).unwrap();
        assert_eq!(found.kind, HistogramKind::Frequency);
        assert_eq!(found.buckets.iter().map(|bucket| bucket.repeats).collect::<Vec<_>>(), [9_900, 100]);
        assert_eq!(histogram((0..10_000).map(|at| at % 10), Size::Skewed), None);
        let asked = histogram((0..10_000).map(|at| at % 10), Size::Buckets(254)).unwrap();
        assert_eq!((asked.buckets.len(), asked.rows()), (10, 10_000));
        assert_eq!(histogram((0..10_000).map(|at| at % 10), Size::Buckets(1)), None);
    }

    #[test]
    fn many_values_have_buckets_of_like_size_and_popular_ones_are_known() {
        // Every other row has the value 7; the others are all different.
        let found = histogram((0..100_000).map(|at| if at % 2 == 0 { 7 } else { 1_000 + at }), Size::Skewed).unwrap();
        assert_eq!((found.kind, found.rows()), (HistogramKind::Hybrid, 100_000));
        let popular = found.bucket(&7u64.to_be_bytes()).unwrap();
        assert!((48_000..52_000).contains(&popular.repeats), "{popular:?}");
        assert!(found.buckets.windows(2).all(|pair| pair[0].value < pair[1].value && pair[0].rows < pair[1].rows));
        assert_eq!(histogram(0..100_000, Size::Skewed), None);
    }
}
