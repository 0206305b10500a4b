//! Shares of a column's rows, from its statistics: values are taken to be spread evenly between the least and the
//! greatest, as Oracle takes them without a histogram.

use common::DataType;
use engine::dictionary::ColumnStatistics;
use format::{date, number};

/// The share of rows between two ends, as stored; None without statistics of values.
pub(super) fn between(
    statistics: &ColumnStatistics,
    data_type: DataType,
    low: Option<&[u8]>,
    high: Option<&[u8]>,
) -> Option<f64> {
    let (least, greatest) = (statistics.low.as_deref()?, statistics.high.as_deref()?);
    let place = |bytes: &[u8]| place(bytes, data_type);
    let (least, greatest) = (place(least)?, place(greatest)?);
    let one = 1.0 / statistics.distinct.max(1) as f64;
    let low = low.map_or(Some(least), place)?;
    let high = high.map_or(Some(greatest), place)?;
    if greatest <= least {
        return Some(if low <= least && greatest <= high { 1.0 } else { one });
    }
    let width = high.min(greatest) - low.max(least);
    // At least the rows of one value: the statistics may be older than the rows.
    Some((width / (greatest - least)).clamp(one.min(1.0), 1.0))
}

/// A value's place on a line; None for bytes that are none of the type.
fn place(bytes: &[u8], data_type: DataType) -> Option<f64> {
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

    fn statistics(low: i64, high: i64, distinct: u64) -> ColumnStatistics {
        let bytes = |value| Some(number::encode_i64(value).to_vec());
        ColumnStatistics { distinct, nulls: 0, low: bytes(low), high: bytes(high) }
    }

    #[test]
    fn a_range_takes_its_share() {
        let numbers = DataType::Number { precision: None, scale: 0 };
        let share = |low: Option<i64>, high: Option<i64>| {
            let bytes = |value: i64| number::encode_i64(value).to_vec();
            between(&statistics(0, 1000, 500), numbers, low.map(bytes).as_deref(), high.map(bytes).as_deref()).unwrap()
        };
        assert!((share(Some(100), Some(200)) - 0.1).abs() < 1e-9);
        assert!((share(Some(900), None) - 0.1).abs() < 1e-9);
        assert!((share(None, Some(250)) - 0.25).abs() < 1e-9);
        // Beyond what was there when it was analyzed.
        assert!((share(Some(5_000), None) - 1.0 / 500.0).abs() < 1e-9);
        assert!((share(Some(-10), Some(5_000)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn texts_and_dates_have_places() {
        let text = DataType::Varchar2 { bytes: 10 };
        assert!(place(b"b", text) < place(b"ba", text) && place(b"ba", text) < place(b"c", text));
        let day = |text: u8| date::DateTime::midnight(2024, 1, text).date().to_vec();
        let (one, two) = (place(&day(1), DataType::Date).unwrap(), place(&day(2), DataType::Date).unwrap());
        assert!((two - one - 86_400.0).abs() < 1e-9);
        assert_eq!(place(b"xx", DataType::Date), None);
    }
}
