//! The histogram of a column's values.

use common::DataType;
use format::{date, number};

/// Buckets of a histogram.
pub const BUCKETS_MAX: usize = 254;
/// Bytes kept of a value.
pub const ENDPOINT_BYTES: usize = 32;
/// Bytes of a histogram in its dictionary row: a text of many long values has fewer buckets.
const ENCODED_MAX: usize = 2_000;
/// The first byte of an encoded histogram: its version and kind.
const FREQUENCY: u8 = 1;
const HYBRID: u8 = 2;

/// The kinds of histograms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HistogramKind {
    /// A bucket for each value.
    Frequency,
    /// Buckets of about the same number of rows, each of whole values; of the last value of each it is known how many
    /// rows have it.
    Hybrid,
}

/// A bucket: the values behind the last bucket's up to its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bucket {
    /// Rows up to its end, of those in which the column is not NULL.
    pub rows: u64,
    /// Its last value, the first 32 bytes as stored.
    pub value: Vec<u8>,
    /// Rows with this value.
    pub repeats: u64,
}

/// The histogram of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    pub kind: HistogramKind,
    /// By value.
    pub buckets: Vec<Bucket>,
}

impl Histogram {
    /// Rows in which the column is not NULL.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.buckets.last().map_or(0, |bucket| bucket.rows)
    }

    /// The bucket that ends with a value.
    #[must_use]
    pub fn bucket(&self, value: &[u8]) -> Option<&Bucket> {
        let value = &value[..value.len().min(ENDPOINT_BYTES)];
        let at = self.buckets.binary_search_by(|bucket| bucket.value.as_slice().cmp(value)).ok()?;
        self.buckets.get(at)
    }

    /// The bytes in the dictionary; None where they are too many.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![match self.kind {
            HistogramKind::Frequency => FREQUENCY,
            HistogramKind::Hybrid => HYBRID,
        }];
        let mut before = 0;
        for bucket in &self.buckets {
            put_number(bucket.rows - before, &mut bytes);
            before = bucket.rows;
            if self.kind == HistogramKind::Hybrid {
                put_number(bucket.repeats, &mut bytes);
            }
            bytes.push(bucket.value.len() as u8);
            bytes.extend_from_slice(&bucket.value);
        }
        (bytes.len() <= ENCODED_MAX).then_some(bytes)
    }

    /// Reads what [`Histogram::encode`] wrote; None for other bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, mut rest) = bytes.split_first()?;
        let kind = match *kind {
            FREQUENCY => HistogramKind::Frequency,
            HYBRID => HistogramKind::Hybrid,
            _ => return None,
        };
        let mut buckets: Vec<Bucket> = Vec::new();
        let mut rows = 0u64;
        while !rest.is_empty() {
            let count = take_number(&mut rest)?;
            rows = rows.checked_add(count)?;
            let repeats = if kind == HistogramKind::Hybrid { take_number(&mut rest)? } else { count };
            let (length, after) = rest.split_first()?;
            let value = after.get(..usize::from(*length))?.to_vec();
            rest = &after[value.len()..];
            if buckets.last().is_some_and(|last| last.value >= value) {
                return None;
            }
            buckets.push(Bucket { rows, value, repeats });
        }
        Some(Self { kind, buckets })
    }
}

/// Seven bits a byte, the lowest first.
fn put_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

fn take_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// A value's place on a line; None for bytes that are none of the type.
#[must_use]
pub fn place(bytes: &[u8], data_type: DataType) -> Option<f64> {
    match data_type {
        DataType::Number { .. } => number::is_valid(bytes).then(|| number::decode_f64(bytes)),
        DataType::Date | DataType::Timestamp { .. } => {
            date::is_valid(bytes).then(|| date::decode(bytes).unix_seconds() as f64)
        }
        DataType::Varchar2 { .. } | DataType::Char { .. } | DataType::Raw { .. } => {
            // The first bytes as digits of base 256.
            let digits = bytes.iter().copied().chain(std::iter::repeat(0)).take(7);
            Some(digits.fold(0.0, |sum, byte| sum * 256.0 + f64::from(byte)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(kind: HistogramKind, count: u64) -> Histogram {
        let bucket = |at: u64| {
            let repeats = if kind == HistogramKind::Hybrid { at / 2 + 1 } else { 300 };
            Bucket { rows: (at + 1) * 300, value: at.to_be_bytes()[5..].to_vec(), repeats }
        };
        Histogram { kind, buckets: (0..count).map(bucket).collect() }
    }

    #[test]
    fn a_histogram_comes_back() {
        for kind in [HistogramKind::Frequency, HistogramKind::Hybrid] {
            let written = histogram(kind, 254);
            let bytes = written.encode().unwrap();
            assert_eq!(Histogram::decode(&bytes).as_ref(), Some(&written));
            for cut in 1..bytes.len() {
                // Whatever is left is read as fewer buckets, or not at all.
                if let Some(read) = Histogram::decode(&bytes[..cut]) {
                    assert_eq!(read.buckets, written.buckets[..read.buckets.len()]);
                }
            }
        }
        assert_eq!(Histogram::decode(&[]), None);
        assert_eq!(Histogram::decode(&[9, 1, 1, 1]), None);
    }

    #[test]
    fn a_value_has_its_bucket() {
        let histogram = histogram(HistogramKind::Frequency, 9);
        assert_eq!(histogram.bucket(&[0, 0, 4]).map(|bucket| bucket.rows), Some(1500));
        assert_eq!(histogram.bucket(&[0, 0, 9]), None);
        assert_eq!(histogram.rows(), 2700);
    }
}
