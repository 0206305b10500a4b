//! The ranges of keys that conditions give of an index.

use std::ops::Bound;

use engine::dictionary::{IndexDef, TableDef};
use scan::{Comparison, Predicate};

use super::access::KeyBound;
use super::index_way::{DEFAULT_BLEVEL, DEFAULT_CLUSTERING_FACTOR, DEFAULT_DISTINCT_KEYS, DEFAULT_LEAF_BLOCKS};
use super::selectivity;

/// Assumed share of the rows in a range with one end and with two.
const OPEN_RANGE_SHARE: f64 = 0.25;
const CLOSED_RANGE_SHARE: f64 = 0.05;
/// Assumed leaf blocks an entry of an index without statistics; our own choice.
const DEFAULT_ENTRY_SHARE: f64 = 0.01;

/// Keys of a list of values, or of several lists multiplied, that are looked up one by one.
const LISTED_MAX: usize = 1_000;

/// The ranges of an index under conditions.
pub(super) struct KeyRange<'c> {
    pub(super) ranges: Vec<(KeyBound, KeyBound)>,
    /// Leading columns of the index that have no condition: the ranges are of those behind them.
    skipped: usize,
    /// Columns behind them with an equality, or a list of values.
    pub(super) equal: usize,
    /// Values in each of these columns: one, or those of a list.
    listed: Vec<usize>,
    /// The ends of the range in the column behind them.
    low: Option<Box<[u8]>>,
    high: Option<Box<[u8]>>,
    /// The indexes of the conditions used.
    pub(super) used: Vec<usize>,
    /// The equalities and lists among them, by column of the index.
    exact: Vec<&'c Predicate>,
}

impl<'c> KeyRange<'c> {
    /// The ranges of the columns behind the first `skipped`. None where the conditions give none.
    pub(super) fn of(index: &IndexDef, skipped: usize, conditions: &[&'c Predicate]) -> Option<Self> {
        let columns = index.columns.get(skipped..)?;
        let mut keys: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
        let (mut used, mut counts) = (Vec::new(), Vec::new());
        for column in columns {
            let equal = conditions.iter().enumerate().find_map(|(at, condition)| match condition {
                Predicate::Compare { column: c, comparison: Comparison::Equal, value } if c == column => {
                    Some((at, std::slice::from_ref(value)))
                }
                _ => None,
            });
            let listed = || {
                conditions.iter().enumerate().find_map(|(at, condition)| match condition {
                    Predicate::In { column: c, values, .. }
                        if c == column && !values.is_empty() && values.len() * keys.len() <= LISTED_MAX =>
                    {
                        Some((at, &**values))
                    }
                    _ => None,
                })
            };
            let Some((at, values)) = equal.or_else(listed) else { break };
            used.push(at);
            counts.push(values.len());
            if let [value] = values {
                keys.iter_mut().for_each(|key| key.push(value.to_vec()));
            } else {
                let with = |key: &Vec<Vec<u8>>, value: &[u8]| {
                    let mut key = key.clone();
                    key.push(value.to_vec());
                    key
                };
                keys = keys.iter().flat_map(|key| values.iter().map(|value| with(key, value))).collect();
            }
        }
        let equal = used.len();
        let exact = used.iter().map(|at| conditions[*at]).collect();
        let (mut from, mut to) = (None, None);
        let (mut low, mut high) = (None, None);
        if let Some(column) = columns.get(equal) {
            for (at, condition) in conditions.iter().enumerate() {
                let Predicate::Compare { column: c, comparison, value } = condition else { continue };
                if c != column {
                    continue;
                }
                // Of two on the same side the later one counts.
                match comparison {
                    Comparison::Greater => (from, low) = (Some(at), Some((value, false))),
                    Comparison::GreaterOrEqual => (from, low) = (Some(at), Some((value, true))),
                    Comparison::Less => (to, high) = (Some(at), Some((value, false))),
                    Comparison::LessOrEqual => (to, high) = (Some(at), Some((value, true))),
                    Comparison::Equal | Comparison::NotEqual => {}
                }
            }
        }
        used.extend(from.into_iter().chain(to));
        let end = |key: &[Vec<u8>], end: Option<(&Box<[u8]>, bool)>| match end {
            None if key.is_empty() => Bound::Unbounded,
            None => Bound::Included(key.to_vec()),
            Some((value, included)) => {
                let mut key = key.to_vec();
                key.push(value.to_vec());
                if included { Bound::Included(key) } else { Bound::Excluded(key) }
            }
        };
        let ranges = keys.iter().map(|key| (end(key, low), end(key, high))).collect();
        let (low, high) = (low.map(|(value, _)| value.clone()), high.map(|(value, _)| value.clone()));
        let some = equal > 0 || low.is_some() || high.is_some();
        some.then_some(Self { ranges, skipped, equal, listed: counts, low, high, used, exact })
    }

    /// Each range is at most one entry.
    pub(super) fn is_whole_key(&self, index: &IndexDef) -> bool {
        index.unique && self.skipped == 0 && self.equal == index.columns.len()
    }

    /// Estimated number of blocks visited: of the index, and those of the table's rows that it leads to. `rows` is a
    /// guess at the table's rows, for an index without statistics, or one that was empty when it got them, as one that
    /// is created before its table is loaded. `fetched`: the share of its entries whose rows are fetched.
    pub(super) fn visits(&self, table: &TableDef, index: &IndexDef, rows: f64, fetched: f64) -> f64 {
        let ranges = self.ranges.len() as f64;
        match index.statistics.as_ref().filter(|statistics| statistics.num_rows > 0) {
            Some(statistics) => {
                let share = self.share(table, index, statistics.distinct_keys);
                let blocks = statistics.leaf_blocks as f64 + statistics.clustering_factor as f64 * fetched;
                ranges * f64::from(statistics.blevel) + share * blocks
            }
            None if self.equal > 0 => {
                let share = self.ends_share(table, index) / DEFAULT_DISTINCT_KEYS;
                ranges * (DEFAULT_BLEVEL + share * (DEFAULT_LEAF_BLOCKS + DEFAULT_CLUSTERING_FACTOR * fetched))
            }
            // Each of its rows may be in a block of its own.
            None => DEFAULT_BLEVEL + self.ends_share(table, index) * rows * fetched.max(DEFAULT_ENTRY_SHARE),
        }
    }

    /// Estimated share of the entries with equal leading columns that lie between the ends behind them.
    pub(super) fn ends_share(&self, table: &TableDef, index: &IndexDef) -> f64 {
        let column = index.columns.get(self.skipped + self.equal).map(|column| usize::from(*column));
        match (&self.low, &self.high) {
            (None, None) => 1.0,
            (low, high) => {
                let known = column.and_then(|column| {
                    let data_type = table.columns.get(column)?.data_type;
                    selectivity::between(table.statistics_of(column)?, data_type, low.as_deref(), high.as_deref())
                });
                known.unwrap_or(if low.is_some() && high.is_some() { CLOSED_RANGE_SHARE } else { OPEN_RANGE_SHARE })
            }
        }
    }

    /// Estimated share of the index.
    pub(super) fn share(&self, table: &TableDef, index: &IndexDef, distinct_keys: u64) -> f64 {
        let distinct_keys = distinct_keys.max(1) as f64;
        let has_histogram = |column: &u16| {
            let known = table.statistics_of(usize::from(*column));
            known.is_some_and(|known| known.histogram.is_some())
        };
        let equal = &index.columns[self.skipped..self.skipped + self.equal];
        if equal.iter().any(has_histogram) {
            // The share depends on the values themselves.
            let rows = table.statistics.map_or(0.0, |statistics| statistics.num_rows as f64);
            let each = self.exact.iter().map(|condition| selectivity::share(table, rows, condition));
            return (self.ends_share(table, index) * each.product::<f64>()).min(1.0);
        }
        let one = if self.equal == index.columns.len() {
            1.0 / distinct_keys
        } else {
            let each = equal.iter().map(|column| {
                let known = table.statistics_of(usize::from(*column));
                match known {
                    Some(statistics) => 1.0 / statistics.distinct.max(1) as f64,
                    // Without statistics of the column each one of the key divides by the same factor.
                    None => distinct_keys.powf(-1.0 / index.columns.len() as f64),
                }
            });
            each.product::<f64>().max(1.0 / distinct_keys)
        };
        let listed: f64 = self.listed.iter().map(|count| *count as f64).product();
        (self.ends_share(table, index) * one * listed).min(1.0)
    }
}
