//! Shares of a table's rows under conditions, from the statistics of its columns: by a histogram, or as if values were
//! spread evenly between the least and the greatest, as Oracle takes them without one. Without statistics the shares
//! are those that Oracle's documentation of the optimiser names: 1 % for an equality, 5 % for a range.

use common::DataType;
use engine::dictionary::{ColumnStatistics, ENDPOINT_BYTES, Histogram, HistogramKind, TableDef, place};
use scan::{Comparison, Predicate, Truth};

/// Shares without statistics.
pub(crate) const EQUAL_SHARE: f64 = 0.01;
pub(crate) const RANGE_SHARE: f64 = 0.05;

/// Estimated share of a table's rows that satisfy a condition. `rows`: the table's, as estimated.
pub(crate) fn share(table: &TableDef, rows: f64, predicate: &Predicate) -> f64 {
    let shared = Shares { table, rows };
    shared.of(predicate).clamp(0.0, 1.0)
}

struct Shares<'t> {
    table: &'t TableDef,
    rows: f64,
}

impl Shares<'_> {
    fn of(&self, predicate: &Predicate) -> f64 {
        match predicate {
            Predicate::Compare { column, comparison, value } => self.compare(*column, *comparison, value),
            Predicate::CompareColumns { left, comparison, right } => {
                let equal = || {
                    let distinct = [left, right].into_iter().filter_map(|column| distinct_values(self.table, *column));
                    distinct.reduce(f64::max).map_or(EQUAL_SHARE, |distinct| 1.0 / distinct.max(1.0))
                };
                match comparison {
                    Comparison::Equal => equal(),
                    Comparison::NotEqual => 1.0 - equal(),
                    Comparison::Less | Comparison::LessOrEqual => self.below(*left, *right).unwrap_or(RANGE_SHARE),
                    Comparison::Greater | Comparison::GreaterOrEqual => {
                        self.below(*right, *left).unwrap_or(RANGE_SHARE)
                    }
                }
            }
            Predicate::IsNull(column) => self.nulls(*column).unwrap_or(EQUAL_SHARE),
            Predicate::IsNotNull(column) => 1.0 - self.nulls(*column).unwrap_or(0.0),
            Predicate::In { column, values, .. } => {
                values.iter().map(|value| self.compare(*column, Comparison::Equal, value)).sum::<f64>().min(1.0)
            }
            // It is there while a join runs, and not when it is planned.
            Predicate::InFilter { .. } => 1.0,
            Predicate::And(parts) => self.all(parts),
            Predicate::Or(parts) => 1.0 - parts.iter().map(|part| 1.0 - self.of(part).clamp(0.0, 1.0)).product::<f64>(),
            Predicate::Not(inner) => 1.0 - self.of(inner).clamp(0.0, 1.0),
            Predicate::Constant(truth) => f64::from(u8::from(*truth == Truth::True)),
        }
    }

    /// Conditions that all hold: the two ends of a range in one column are one condition.
    fn all(&self, parts: &[Predicate]) -> f64 {
        let mut flat = Vec::new();
        parts.iter().for_each(|part| super::access::flatten(part, &mut flat));
        let mut done = vec![false; flat.len()];
        let mut share = 1.0;
        for at in 0..flat.len() {
            if done[at] {
                continue;
            }
            let Some((column, below)) = end_of_range(flat[at]) else {
                share *= self.of(flat[at]).clamp(0.0, 1.0);
                continue;
            };
            let other = (at + 1..flat.len()).find(|other| {
                !done[*other] && end_of_range(flat[*other]).is_some_and(|(c, b)| c == column && b != below)
            });
            let between = other.and_then(|other| {
                let (low, high) = if below { (other, at) } else { (at, other) };
                done[other] = true;
                let value = |at: usize| match flat[at] {
                    Predicate::Compare { value, .. } => Some(&**value),
                    _ => None,
                };
                let data_type = self.table.columns.get(usize::from(column))?.data_type;
                between(self.table.statistics_of(usize::from(column))?, data_type, value(low), value(high))
            });
            let both = between.map(|share| share * self.filled(column));
            share *= match (both, other) {
                (Some(share), _) => share,
                (None, Some(_)) => RANGE_SHARE * RANGE_SHARE,
                (None, None) => self.of(flat[at]).clamp(0.0, 1.0),
            };
        }
        share
    }

    fn compare(&self, column: u16, comparison: Comparison, value: &[u8]) -> f64 {
        let at = usize::from(column);
        let (statistics, data_type) = (self.table.statistics_of(at), self.table.columns.get(at).map(|c| c.data_type));
        let (low, high) = match comparison {
            Comparison::Equal => return self.equal(column, value),
            Comparison::NotEqual => return self.filled(column) - self.equal(column, value),
            Comparison::Less | Comparison::LessOrEqual => (None, Some(value)),
            Comparison::Greater | Comparison::GreaterOrEqual => (Some(value), None),
        };
        let known = statistics.zip(data_type).and_then(|(known, data_type)| between(known, data_type, low, high));
        known.map_or(RANGE_SHARE, |share| share * self.filled(column))
    }

    /// The share of rows in which one column is less than another: as if each value of the one met each of the other.
    fn below(&self, less: u16, greater: u16) -> Option<f64> {
        let ends = |column: u16| {
            let known = self.table.statistics_of(usize::from(column))?;
            let data_type = self.table.columns.get(usize::from(column))?.data_type;
            Some((place(known.low.as_deref()?, data_type)?, place(known.high.as_deref()?, data_type)?))
        };
        let ((a, b), (c, d)) = (ends(less)?, ends(greater)?);
        if b <= a || d <= c {
            return None;
        }
        // Of a value x of the first column, the share of the second's values above it, over all x between a and b.
        let above = |x: f64| ((d - x) / (d - c)).clamp(0.0, 1.0);
        let steps = 64;
        let share = (0..steps).map(|step| above(a + (b - a) * (f64::from(step) + 0.5) / f64::from(steps))).sum::<f64>();
        Some(share / f64::from(steps) * self.filled(less) * self.filled(greater))
    }

    fn equal(&self, column: u16, value: &[u8]) -> f64 {
        let at = usize::from(column);
        let Some(distinct) = distinct_values(self.table, column) else { return EQUAL_SHARE };
        // A value that is not known yet stands as an empty one: any value.
        if let Some(statistics) = self.table.statistics_of(at)
            && let Some(histogram) = &statistics.histogram
            && !value.is_empty()
        {
            return self.filled(column) * one_of(histogram, statistics.distinct as f64, value);
        }
        let share = self.filled(column) / distinct.max(1.0);
        // A value beyond those that were seen: fewer rows the farther away it is.
        let beyond = self.table.statistics_of(at).zip(self.table.columns.get(at)).and_then(|(known, column)| {
            let place = |bytes: &[u8]| place(bytes, column.data_type);
            let (least, greatest) = (place(known.low.as_deref()?)?, place(known.high.as_deref()?)?);
            let value = place(value)?;
            let away = (least - value).max(value - greatest);
            (away > 0.0).then(|| if greatest > least { (1.0 - away / (greatest - least)).max(0.0) } else { 0.0 })
        });
        share * beyond.unwrap_or(1.0)
    }

    /// Share of rows in which the column is NULL; None without statistics.
    fn nulls(&self, column: u16) -> Option<f64> {
        let known = self.table.statistics_of(usize::from(column))?;
        Some((known.nulls as f64 / self.rows.max(1.0)).min(1.0))
    }

    fn filled(&self, column: u16) -> f64 {
        1.0 - self.nulls(column).unwrap_or(0.0)
    }
}

/// The column of a comparison that is one end of a range, and whether it is the upper one.
fn end_of_range(predicate: &Predicate) -> Option<(u16, bool)> {
    match predicate {
        Predicate::Compare { column, comparison: Comparison::Less | Comparison::LessOrEqual, .. } => {
            Some((*column, true))
        }
        Predicate::Compare { column, comparison: Comparison::Greater | Comparison::GreaterOrEqual, .. } => {
            Some((*column, false))
        }
        _ => None,
    }
}

/// Distinct values of a column: by its statistics, or those of an index on it alone. None where neither is there.
pub(crate) fn distinct_values(table: &TableDef, column: u16) -> Option<f64> {
    if let Some(statistics) = table.statistics_of(usize::from(column)) {
        return Some(statistics.distinct as f64);
    }
    let own = table.indexes.iter().filter(|index| index.columns[..] == [column]);
    own.filter_map(|index| index.statistics.filter(|known| known.num_rows > 0))
        .map(|known| known.distinct_keys as f64)
        .reduce(f64::max)
}

/// The share of rows between two ends, as stored; None without statistics of values.
pub(super) fn between(
    statistics: &ColumnStatistics,
    data_type: DataType,
    low: Option<&[u8]>,
    high: Option<&[u8]>,
) -> Option<f64> {
    let unknown = [low, high].into_iter().flatten().any(<[u8]>::is_empty);
    if let Some(histogram) = statistics.histogram.as_ref().filter(|_| !unknown) {
        let below =
            |value: Option<&[u8]>, none: f64| value.map_or(none, |value| rows_below(histogram, data_type, value));
        let rows = histogram.rows().max(1) as f64;
        let share = (below(high, rows) - below(low, 0.0)) / rows;
        // The ends may be included.
        let ends = [low, high].into_iter().flatten().map(|end| one_of(histogram, statistics.distinct as f64, end));
        return Some(share.clamp(ends.fold(0.0, f64::max).min(1.0), 1.0));
    }
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

/// The share of a histogram's rows that have a value.
fn one_of(histogram: &Histogram, distinct: f64, value: &[u8]) -> f64 {
    let rows = histogram.rows().max(1) as f64;
    let known = histogram.bucket(value).map(|bucket| bucket.repeats as f64);
    let known = match histogram.kind {
        // A value that was not there: half as many as the rarest one.
        HistogramKind::Frequency => known
            .unwrap_or_else(|| histogram.buckets.iter().map(|bucket| bucket.repeats).min().unwrap_or(1) as f64 / 2.0),
        HistogramKind::Hybrid => {
            // What the values that end buckets leave is shared by the others.
            let ends: u64 = histogram.buckets.iter().map(|bucket| bucket.repeats).sum();
            let others = (distinct - histogram.buckets.len() as f64).max(1.0);
            known.unwrap_or(((rows - ends as f64) / others).max(0.0))
        }
    };
    known / rows
}

/// A histogram's rows below a value: those of whole buckets, and of the value's own bucket by its place in it.
fn rows_below(histogram: &Histogram, data_type: DataType, value: &[u8]) -> f64 {
    let value = &value[..value.len().min(ENDPOINT_BYTES)];
    let at = histogram.buckets.partition_point(|bucket| bucket.value.as_slice() < value);
    let before = at.checked_sub(1).map(|before| &histogram.buckets[before]);
    let (Some(bucket), Some(before)) = (histogram.buckets.get(at), before) else {
        return before.map_or(0.0, |before| before.rows as f64);
    };
    let within = bucket.rows.saturating_sub(before.rows).saturating_sub(bucket.repeats) as f64;
    let places = [&before.value, &bucket.value].map(|value| place(value, data_type));
    let share = match (places, place(value, data_type)) {
        ([Some(low), Some(high)], Some(value)) if high > low => ((value - low) / (high - low)).clamp(0.0, 1.0),
        _ => 0.5,
    };
    before.rows as f64 + within * share
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use engine::dictionary::Bucket;
    use format::{date, number};

    use super::*;

    fn statistics(low: i64, high: i64, distinct: u64) -> ColumnStatistics {
        let bytes = |value| Some(number::encode_i64(value).to_vec());
        ColumnStatistics { distinct, nulls: 0, low: bytes(low), high: bytes(high), histogram: None }
    }

    #[test]
    fn a_histogram_tells_popular_values_from_rare_ones() {
        let numbers = DataType::Number { precision: None, scale: 0 };
        let bytes = |value: i64| number::encode_i64(value).to_vec();
        let bucket = |(value, rows, repeats)| Bucket { rows, value: bytes(value), repeats };
        let of = |kind, buckets: Vec<(i64, u64, u64)>, distinct| {
            let histogram = Histogram { kind, buckets: buckets.into_iter().map(bucket).collect() };
            ColumnStatistics { histogram: Some(Arc::new(histogram)), ..statistics(1, 100, distinct) }
        };
        let share = |known: &ColumnStatistics, value: i64| {
            one_of(known.histogram.as_ref().unwrap(), known.distinct as f64, &bytes(value))
        };
        let few = of(HistogramKind::Frequency, vec![(1, 990, 990), (2, 1000, 10)], 2);
        assert!((share(&few, 1) - 0.99).abs() < 1e-9 && (share(&few, 2) - 0.01).abs() < 1e-9);
        assert!((share(&few, 3) - 0.005).abs() < 1e-9);
        let above = |known: &ColumnStatistics, low: i64| between(known, numbers, Some(&bytes(low)), None).unwrap();
        assert!((above(&few, 2) - 0.01).abs() < 1e-9);
        let many = of(HistogramKind::Hybrid, vec![(1, 1, 1), (10, 500, 400), (100, 1000, 1)], 100);
        assert!((share(&many, 10) - 0.4).abs() < 1e-9);
        assert!((share(&many, 55) - (598.0 / 97.0) / 1000.0).abs() < 1e-9);
        assert!((above(&many, 55) - 0.25).abs() < 0.01, "{}", above(&many, 55));
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
