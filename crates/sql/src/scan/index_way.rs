//! The ways on which an index leads to rows, and what each of them visits.
//!
//! A range is entered by the conditions on leading columns. Where there are none, the index may be skipped through: it
//! is entered once for each value of its leading columns. Where it has an entry for each row of the table, it can be
//! read as a whole, in its order from leaf to leaf, or faster in the order of its blocks. Where it has all columns
//! that are wanted, the table is not visited.

use std::sync::Arc;

use engine::dictionary::{IndexDef, TableDef};
use scan::{Comparison, Predicate};

use super::access::CostSettings;
use super::key_range::KeyRange;
use super::selectivity;
use crate::optimizer::cost;

/// An index without statistics, as Oracle's documentation of the optimiser has it ("Default Index Values When
/// Statistics Are Missing").
pub(super) const DEFAULT_BLEVEL: f64 = 1.0;
pub(super) const DEFAULT_LEAF_BLOCKS: f64 = 25.0;
pub(super) const DEFAULT_DISTINCT_KEYS: f64 = 100.0;
pub(super) const DEFAULT_CLUSTERING_FACTOR: f64 = 800.0;

/// How an index is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IndexWay {
    /// By ranges of its leading columns.
    Range,
    /// By ranges of the columns behind so many leading ones, for each value of those.
    Skip(usize),
    /// From its first leaf to its last.
    Whole,
    /// All of its blocks in their order on disk; the entries come in no order.
    Fast,
}

/// An index as a way to rows under conditions.
pub(super) struct Candidate<'t> {
    pub(super) table: &'t TableDef,
    pub(super) index: &'t Arc<IndexDef>,
    pub(super) conditions: &'t [&'t Predicate],
    /// Its entries have all columns that are wanted.
    pub(super) only: bool,
    /// The table's rows, as estimated.
    pub(super) rows: f64,
}

/// True: the index has all of these columns, and those of the conditions.
pub(crate) fn covers(index: &IndexDef, wanted: &[u16], conditions: &[&Predicate]) -> bool {
    wanted.iter().all(|column| index.columns.contains(column)) && conditions.iter().all(|part| is_of_entry(index, part))
}

/// True: the condition is about columns of the index alone.
pub(super) fn is_of_entry(index: &IndexDef, condition: &Predicate) -> bool {
    let mut all = true;
    condition.for_each_column(&mut |column| all &= index.columns.contains(&column));
    all
}

impl Candidate<'_> {
    /// The ways that are open, without those by ranges where the conditions give none.
    pub(super) fn ways(&self) -> Vec<IndexWay> {
        let mut ways = Vec::new();
        if KeyRange::of(self.index, 0, self.conditions).is_some() {
            ways.push(IndexWay::Range);
        } else if let Some(skipped) = self.skipped() {
            ways.push(IndexWay::Skip(skipped));
        }
        if self.has_all_rows() {
            ways.push(IndexWay::Whole);
            if self.only {
                ways.push(IndexWay::Fast);
            }
        }
        ways
    }

    /// Leading columns without a condition, before one with conditions.
    fn skipped(&self) -> Option<usize> {
        (1..self.index.columns.len()).find(|skipped| KeyRange::of(self.index, *skipped, self.conditions).is_some())
    }

    /// True: each row that satisfies the conditions has an entry. A row has none when all columns are NULL.
    pub(super) fn has_all_rows(&self) -> bool {
        self.index.columns.iter().any(|column| {
            let never_null = self.table.columns.get(usize::from(*column)).is_some_and(|column| !column.nullable);
            never_null || self.conditions.iter().any(|condition| rejects_null(condition, *column))
        })
    }

    /// Single-block reads that a way costs, or as many as take the time of its multiblock reads. None where the index
    /// has no statistics that say so.
    pub(super) fn cost(&self, way: IndexWay, settings: CostSettings) -> Option<f64> {
        let Self { table, index, conditions, rows, .. } = *self;
        let known = index.statistics.filter(|statistics| statistics.num_rows > 0);
        let visits = match way {
            IndexWay::Range => {
                let range = KeyRange::of(index, 0, conditions)?;
                range.visits(table, index, rows, self.fetched(&range))
            }
            IndexWay::Skip(skipped) => {
                let (known, range) = (known?, KeyRange::of(index, skipped, conditions)?);
                let distinct = index.columns[..skipped].iter().map(|column| {
                    let values = selectivity::distinct_values(table, *column)?;
                    // NULL is a value here.
                    Some(values + 1.0)
                });
                let prefixes = distinct.product::<Option<f64>>()?.min(known.distinct_keys as f64);
                let each = 2.0 * (f64::from(known.blevel) + 1.0);
                prefixes * each + range.visits(table, index, rows, self.fetched(&range))
            }
            IndexWay::Whole => {
                let (known, fetched) = (known?, if self.only { 0.0 } else { self.share_of_entries(&[]) });
                f64::from(known.blevel) + known.leaf_blocks as f64 + fetched * known.clustering_factor as f64
            }
            IndexWay::Fast => {
                let bytes = index.segment.block_size().bytes();
                return Some(cost::full_scan_reads(known?.leaf_blocks as f64, bytes, settings.blocks_a_read));
            }
        };
        Some(visits * settings.index_weight)
    }

    /// The share of the entries in a range whose rows are fetched.
    fn fetched(&self, range: &KeyRange<'_>) -> f64 {
        if self.only { 0.0 } else { self.share_of_entries(&range.used) }
    }

    /// The share of entries that the conditions on columns of the index leave; `used`: those that are met already.
    fn share_of_entries(&self, used: &[usize]) -> f64 {
        let open = self.conditions.iter().enumerate().filter(|(at, _)| !used.contains(at));
        let own = open.filter(|(_, condition)| is_of_entry(self.index, condition));
        own.map(|(_, condition)| selectivity::share(self.table, self.rows, condition)).product()
    }
}

/// True: no row with NULL in this column satisfies the condition.
fn rejects_null(condition: &Predicate, column: u16) -> bool {
    match condition {
        Predicate::Compare { column: c, .. } | Predicate::In { column: c, .. } | Predicate::IsNotNull(c) => {
            *c == column
        }
        Predicate::CompareColumns { left, right, .. } => [*left, *right].contains(&column),
        Predicate::Or(parts) => !parts.is_empty() && parts.iter().all(|part| rejects_null(part, column)),
        Predicate::And(parts) => parts.iter().any(|part| rejects_null(part, column)),
        _ => false,
    }
}

/// The conditions that an entry is to satisfy behind the ranges, and that its range does not say already.
pub(super) fn filter(index: &IndexDef, range: Option<&KeyRange<'_>>, conditions: &[&Predicate]) -> Option<Predicate> {
    let equal = range.map_or(&[][..], |range| &range.used[..range.equal]);
    let mut open = conditions.iter().enumerate().filter(|(at, condition)| {
        // An end of a range is looked at again: beyond the last value come the NULLs.
        !equal.contains(at) && is_of_entry(index, condition) && !is_upper_end(range, *at, condition)
    });
    let first = (*open.next()?.1).clone();
    let mut parts = vec![first];
    parts.extend(open.map(|(_, condition)| (*condition).clone()));
    if parts.len() == 1 { parts.pop() } else { Some(Predicate::And(parts)) }
}

/// True: the condition is the upper end of the range, which nothing behind it satisfies.
fn is_upper_end(range: Option<&KeyRange<'_>>, at: usize, condition: &Predicate) -> bool {
    range.is_some_and(|range| range.used[range.equal..].contains(&at))
        && matches!(condition, Predicate::Compare { comparison: Comparison::Less | Comparison::LessOrEqual, .. })
}
