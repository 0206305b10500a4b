//! Access path of a table: by rowid, by an index, or a full scan.
//!
//! The conditions on leading columns of an index and the index's own statistics decide: the whole key of a unique index
//! always wins; another range is taken when visiting its leaves and table blocks costs less than reading the table in
//! multiblock reads (`optimizer/cost.rs`). Where there are no statistics, the table's blocks are those below its
//! high-water mark and an equality finds what Oracle's default values say.
//!
//! `/*+ FULL(t) */` forbids indexes, `/*+ INDEX(t i) */` asks for one.

use std::ops::Bound;
use std::sync::Arc;

use common::{BlockSize, Result, Rowid};
use engine::dictionary::{IndexDef, TableDef};
use engine::instance::Session;
use scan::{Comparison, Predicate};

use super::selectivity;
use crate::optimizer::cost::{self, Cost};
use crate::plan::hints::{Hint, HintFate, Hints, Mark, is_for_joins};
use storage::parameters::Parameter;

/// Assumed share of the rows in a range with one end and with two.
const OPEN_RANGE_SHARE: f64 = 0.25;
const CLOSED_RANGE_SHARE: f64 = 0.05;
/// An index without statistics, as Oracle's documentation of the optimiser has it ("Default Index Values When
/// Statistics Are Missing").
const DEFAULT_BLEVEL: f64 = 1.0;
const DEFAULT_LEAF_BLOCKS: f64 = 25.0;
const DEFAULT_DISTINCT_KEYS: f64 = 100.0;
const DEFAULT_CLUSTERING_FACTOR: f64 = 800.0;
/// Of a table without statistics ("Default Table Values When Statistics Are Missing").
const DEFAULT_ROW_BYTES: f64 = 100.0;

/// Values of the leading key columns, stored form.
pub(crate) type KeyBound = Bound<Vec<Vec<u8>>>;

/// The access path.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    Full,
    Rowids(Vec<Rowid>),
    /// `ranges`: in the order in which they are read; several for a list of values. `descending`: each is read from its
    /// end.
    Index {
        index: Arc<IndexDef>,
        ranges: Vec<(KeyBound, KeyBound)>,
        unique: bool,
        descending: bool,
    },
}

/// Chooses the access path. `blocks` is asked for the table's blocks where an index is to be weighed against them;
/// `hints` are those that name the table, the second value has their fates.
pub(crate) fn choose(
    table: &TableDef,
    (blocks, settings): (impl FnOnce() -> Result<u64>, CostSettings),
    predicate: Option<&Predicate>,
    hints: &Hints,
) -> Result<(Access, Vec<HintFate>)> {
    let access = chosen(table, (blocks, settings), predicate, &hints.list)?;
    let own = hints.list.iter().filter(|hint| !is_for_joins(&hint.name));
    let own = own.map(|hint| fate(hint, table, &access, &hints.list));
    let fates = own.chain(hints.fates.iter().cloned()).collect();
    Ok((access, fates))
}

/// What the session has set of costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostSettings {
    /// Blocks of a multiblock read; None where it is not set.
    blocks_a_read: Option<u32>,
    /// The weight of an index's cost: OPTIMIZER_INDEX_COST_ADJ.
    pub(crate) index_weight: f64,
}

impl CostSettings {
    pub(crate) fn of(session: &Session) -> Self {
        let parameters = session.parameters();
        let count = parameters.integer(Parameter::DbFileMultiblockReadCount);
        Self {
            blocks_a_read: u32::try_from(count).ok().filter(|count| *count > 0),
            index_weight: parameters.integer(Parameter::OptimizerIndexCostAdj) as f64 / 100.0,
        }
    }
}

/// What reading the table under a condition costs, by the way that [`choose`] takes.
///
/// # Errors
/// Errors of reading the segment header.
pub(crate) fn cost(session: &Session, table: &TableDef, predicate: Option<&Predicate>, hints: &Hints) -> Result<Cost> {
    let (blocks, rows) = (blocks(session, table)?, estimated_rows(session, table)?);
    let settings = CostSettings::of(session);
    let (access, _) = choose(table, (|| Ok(blocks), settings), predicate, hints)?;
    Ok(cost_of(table, &access, predicate, (blocks as f64, rows), settings))
}

/// The cost of an access path of a table with so many blocks and rows.
pub(crate) fn cost_of(
    table: &TableDef,
    access: &Access,
    predicate: Option<&Predicate>,
    (blocks, rows): (f64, f64),
    settings: CostSettings,
) -> Cost {
    match access {
        Access::Full => Cost::of_scan(blocks, rows, table.segment.block_size().bytes(), settings.blocks_a_read),
        Access::Rowids(rowids) => Cost::of_index(rowids.len() as f64, rowids.len() as f64),
        Access::Index { index, ranges, .. } => {
            let mut conditions = Vec::new();
            if let Some(predicate) = predicate {
                flatten(predicate, &mut conditions);
            }
            let range = Range::of(index, &conditions);
            let found = predicate.map_or(rows, |predicate| found_by(table, index, predicate, rows));
            let visits = match range {
                Some(range) if range.is_whole_key(index) => {
                    let blevel = index.statistics.map_or(DEFAULT_BLEVEL, |known| f64::from(known.blevel));
                    ranges.len() as f64 * (blevel + 2.0)
                }
                Some(range) => range.cost(table, index, rows) + 1.0,
                None => index.statistics.map_or(rows, |known| (known.leaf_blocks + known.clustering_factor) as f64),
            };
            Cost::of_index(visits, found).of_lookups(settings.index_weight)
        }
    }
}

/// Blocks of a table: as analyzed, else those below its high-water mark now.
///
/// # Errors
/// Errors of reading the segment header.
pub(crate) fn blocks(session: &Session, table: &TableDef) -> Result<u64> {
    match table.statistics {
        Some(statistics) => Ok(statistics.blocks),
        None => table.segment.estimated_blocks(session.worker()).map(u64::from),
    }
}

/// The share of the blocks of tables that the buffer cache has room for.
///
/// # Errors
/// Errors of reading a segment header.
pub(crate) fn cached_share<'t>(session: &Session, tables: impl Iterator<Item = &'t Arc<TableDef>>) -> Result<f64> {
    let mut all: Vec<(BlockSize, u64)> = Vec::new();
    for table in tables {
        let (size, count) = (table.segment.block_size(), blocks(session, table)?);
        match all.iter_mut().find(|(known, _)| *known == size) {
            Some((_, sum)) => *sum += count,
            None => all.push((size, count)),
        }
    }
    let cache = session.worker().store().cache();
    let share =
        |(size, blocks): &(BlockSize, u64)| (cache.pool_of(*size).capacity() as f64 / (*blocks).max(1) as f64).min(1.0);
    Ok(all.iter().map(share).fold(1.0, f64::min))
}

/// Rows of a table: as analyzed, else as many as its blocks hold of the usual length.
///
/// # Errors
/// Errors of reading the segment header.
pub(crate) fn estimated_rows(session: &Session, table: &TableDef) -> Result<f64> {
    match table.statistics {
        Some(statistics) => Ok(statistics.num_rows as f64),
        None => Ok(rows_in(table, blocks(session, table)?)),
    }
}

/// The same of a table of which it is known how many blocks it has.
pub(crate) fn rows_of(table: &TableDef, blocks: f64) -> f64 {
    table.statistics.map_or_else(|| rows_in(table, blocks as u64), |statistics| statistics.num_rows as f64)
}

/// Rows of the usual length in so many blocks.
fn rows_in(table: &TableDef, blocks: u64) -> f64 {
    blocks as f64 * table.segment.block_size().bytes() as f64 / DEFAULT_ROW_BYTES
}

/// The best index for a lookup that is repeated.
pub(crate) struct Lookup {
    pub(crate) index: Arc<IndexDef>,
    /// Blocks visited by each.
    pub(crate) cost: f64,
    /// Rows found by each.
    pub(crate) rows: f64,
}

/// The index that finds rows by this condition with the least blocks; None when none has its leading column in an
/// equality. `rows`: the table's.
pub(crate) fn best_lookup(table: &TableDef, predicate: &Predicate, rows: f64) -> Option<Lookup> {
    let mut conditions = Vec::new();
    flatten(predicate, &mut conditions);
    let mut best: Option<Lookup> = None;
    for index in &table.indexes {
        let Some(range) = Range::of(index, &conditions).filter(|range| range.equal > 0) else { continue };
        let unique = range.is_whole_key(index);
        let (cost, rows) = if unique {
            let blevel = index.statistics.map_or(DEFAULT_BLEVEL, |statistics| f64::from(statistics.blevel));
            let keys = range.ranges.len() as f64;
            (keys * (blevel + 2.0), keys)
        } else {
            let share = match index.statistics.filter(|statistics| statistics.num_rows > 0) {
                Some(statistics) => range.share(table, index, statistics.distinct_keys),
                None => range.ends_share(table, index) / DEFAULT_DISTINCT_KEYS,
            };
            (range.cost(table, index, rows) + 1.0, (share * rows).max(1.0))
        };
        if best.as_ref().is_none_or(|best| cost < best.cost) {
            best = Some(Lookup { index: Arc::clone(index), cost, rows });
        }
    }
    best
}

/// Rows that an index finds under a condition, of a table with `rows` rows.
pub(crate) fn found_by(table: &TableDef, index: &IndexDef, predicate: &Predicate, rows: f64) -> f64 {
    let mut conditions = Vec::new();
    flatten(predicate, &mut conditions);
    let Some(range) = Range::of(index, &conditions) else { return rows };
    if range.is_whole_key(index) {
        return range.ranges.len() as f64;
    }
    let share = match index.statistics.filter(|statistics| statistics.num_rows > 0) {
        Some(statistics) => range.share(table, index, statistics.distinct_keys),
        None if range.equal > 0 => range.ends_share(table, index) / DEFAULT_DISTINCT_KEYS,
        None => range.ends_share(table, index),
    };
    (share * rows).max(1.0)
}

/// The fates of hints without effect.
pub(crate) fn unused(hints: &Hints, why: &str) -> Vec<HintFate> {
    let own = hints.list.iter().filter(|hint| !is_for_joins(&hint.name));
    own.map(|hint| HintFate::not(Mark::Unused, hint, why)).chain(hints.fates.iter().cloned()).collect()
}

/// True: a hint is about this index: it names no index, or this one, or its leading columns.
fn means(hint: &Hint, table: &TableDef, index: &IndexDef) -> bool {
    let columns = |list: &str| {
        let mut names = list.trim_matches(['(', ')']).split_whitespace().enumerate().peekable();
        names.peek().is_some()
            && names.all(|(at, name)| {
                index.columns.get(at).and_then(|c| table.columns.get(usize::from(*c))).is_some_and(|c| c.name == name)
            })
    };
    let names = &hint.arguments[1..];
    names.is_empty() || names.iter().any(|name| *name == index.name || name.starts_with('(') && columns(name))
}

fn fate(hint: &Hint, table: &TableDef, access: &Access, all: &[Hint]) -> HintFate {
    let not = |why: &str| HintFate::not(Mark::Unused, hint, why);
    let known = || table.indexes.iter().any(|index| means(hint, table, index));
    let denied = || {
        let meant = table.indexes.iter().filter(|index| means(hint, table, index));
        let by = |index: &Arc<IndexDef>| all.iter().any(|other| other.name == "NO_INDEX" && means(other, table, index));
        meant.into_iter().all(by)
    };
    match (hint.name.as_str(), access) {
        ("FULL" | "CARDINALITY", _) => HintFate::used(hint),
        ("NO_INDEX" | "INDEX", _) if !known() => not("the table has no such index"),
        ("NO_INDEX", _) => HintFate::used(hint),
        ("INDEX", Access::Index { index, .. }) if means(hint, table, index) => HintFate::used(hint),
        ("INDEX", _) if all.iter().any(|other| other.name == "FULL") => not("FULL stands beside it"),
        ("INDEX", _) if denied() => not("NO_INDEX stands beside it"),
        ("INDEX", Access::Index { .. }) => not("another index is taken"),
        _ => not("no condition gives a range of the index"),
    }
}

fn chosen(
    table: &TableDef,
    (blocks, settings): (impl FnOnce() -> Result<u64>, CostSettings),
    predicate: Option<&Predicate>,
    hints: &[Hint],
) -> Result<Access> {
    let Some(predicate) = predicate else { return Ok(Access::Full) };
    let by = |name: &'static str| hints.iter().filter(move |hint| hint.name == name);
    if by("FULL").next().is_some() {
        return Ok(Access::Full);
    }
    let mut conditions = Vec::new();
    flatten(predicate, &mut conditions);
    let mut ranges: Vec<(Range<'_>, &Arc<IndexDef>)> = Vec::new();
    for index in &table.indexes {
        if by("NO_INDEX").any(|hint| means(hint, table, index)) {
            continue;
        }
        let Some(range) = Range::of(index, &conditions) else { continue };
        // A hint wins, then the whole key of a unique index.
        if by("INDEX").any(|hint| means(hint, table, index)) {
            return Ok(range.access(index));
        }
        ranges.push((range, index));
    }
    if let Some(at) = ranges.iter().position(|(range, index)| range.is_whole_key(index)) {
        let (range, index) = ranges.swap_remove(at);
        return Ok(range.access(index));
    }
    if ranges.is_empty() {
        return Ok(Access::Full);
    }
    let blocks = blocks()?;
    let rows = rows_in(table, blocks);
    let cost = |(range, index): &(Range<'_>, &Arc<IndexDef>)| range.cost(table, index, rows) * settings.index_weight;
    let best =
        ranges.into_iter().map(|range| (cost(&range), range)).min_by(|(one, _), (other, _)| one.total_cmp(other));
    let scan = cost::full_scan_reads(blocks as f64, table.segment.block_size().bytes(), settings.blocks_a_read);
    Ok(match best {
        Some((cost, (range, index))) if cost < scan => range.access(index),
        _ => Access::Full,
    })
}

/// The conjuncts of a predicate.
pub(crate) fn flatten<'p>(predicate: &'p Predicate, into: &mut Vec<&'p Predicate>) {
    match predicate {
        Predicate::And(parts) => parts.iter().for_each(|part| flatten(part, into)),
        other => into.push(other),
    }
}

/// The range of this index under a condition. None when the condition gives none.
pub(crate) fn of_index(index: &Arc<IndexDef>, predicate: &Predicate) -> Option<Access> {
    let mut conditions = Vec::new();
    flatten(predicate, &mut conditions);
    Some(Range::of(index, &conditions)?.access(index))
}

/// The conditions that limit the range of the index.
pub(crate) fn used(index: &IndexDef, conditions: &[&Predicate]) -> Vec<usize> {
    Range::of(index, conditions).map_or_else(Vec::new, |range| range.used)
}

/// Estimated number of entries in the range of these conditions; None without statistics, and of an index that was
/// empty when it got them.
pub(crate) fn expected(table: &TableDef, index: &IndexDef, conditions: &[&Predicate]) -> Option<u64> {
    let statistics = index.statistics.as_ref().filter(|statistics| statistics.num_rows > 0)?;
    let share = Range::of(index, conditions)?.share(table, index, statistics.distinct_keys);
    Some((share * statistics.num_rows as f64).ceil() as u64)
}

/// Keys of a list of values, or of several lists multiplied, that are looked up one by one.
const LISTED_MAX: usize = 1_000;

/// The ranges of an index under conditions.
struct Range<'c> {
    ranges: Vec<(KeyBound, KeyBound)>,
    /// Leading columns with an equality, or a list of values.
    equal: usize,
    /// Values in each of these columns: one, or those of a list.
    listed: Vec<usize>,
    /// The ends of the range in the column behind them.
    low: Option<Box<[u8]>>,
    high: Option<Box<[u8]>>,
    /// The indexes of the conditions used.
    used: Vec<usize>,
    /// The equalities and lists among them, by column of the index.
    exact: Vec<&'c Predicate>,
}

impl<'c> Range<'c> {
    fn of(index: &IndexDef, conditions: &[&'c Predicate]) -> Option<Self> {
        let mut keys: Vec<Vec<Vec<u8>>> = vec![Vec::new()];
        let (mut used, mut counts) = (Vec::new(), Vec::new());
        for column in &index.columns {
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
        if let Some(column) = index.columns.get(equal) {
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
        some.then_some(Self { ranges, equal, listed: counts, low, high, used, exact })
    }

    /// Each range is at most one entry.
    fn is_whole_key(&self, index: &IndexDef) -> bool {
        index.unique && self.equal == index.columns.len()
    }

    fn access(self, index: &Arc<IndexDef>) -> Access {
        let unique = self.is_whole_key(index);
        Access::Index { index: Arc::clone(index), ranges: self.ranges, unique, descending: false }
    }

    /// Estimated number of blocks visited. `rows` is a guess at the table's rows, for an index without statistics, or
    /// one that was empty when it got them, as one that is created before its table is loaded.
    fn cost(&self, table: &TableDef, index: &IndexDef, rows: f64) -> f64 {
        let ranges = self.ranges.len() as f64;
        match index.statistics.as_ref().filter(|statistics| statistics.num_rows > 0) {
            Some(statistics) => {
                let share = self.share(table, index, statistics.distinct_keys);
                let blocks = statistics.leaf_blocks as f64 + statistics.clustering_factor as f64;
                ranges * f64::from(statistics.blevel) + share * blocks
            }
            None if self.equal > 0 => {
                let share = self.ends_share(table, index) / DEFAULT_DISTINCT_KEYS;
                ranges * (DEFAULT_BLEVEL + share * (DEFAULT_LEAF_BLOCKS + DEFAULT_CLUSTERING_FACTOR))
            }
            // Each of its rows may be in a block of its own.
            None => DEFAULT_BLEVEL + self.ends_share(table, index) * rows,
        }
    }

    /// Estimated share of the entries with equal leading columns that lie between the ends behind them.
    fn ends_share(&self, table: &TableDef, index: &IndexDef) -> f64 {
        let column = index.columns.get(self.equal).map(|column| usize::from(*column));
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
    fn share(&self, table: &TableDef, index: &IndexDef, distinct_keys: u64) -> f64 {
        let distinct_keys = distinct_keys.max(1) as f64;
        let has_histogram = |column: &u16| {
            let known = table.statistics_of(usize::from(*column));
            known.is_some_and(|known| known.histogram.is_some())
        };
        if index.columns[..self.equal].iter().any(has_histogram) {
            // The share depends on the values themselves.
            let rows = table.statistics.map_or(0.0, |statistics| statistics.num_rows as f64);
            let each = self.exact.iter().map(|condition| selectivity::share(table, rows, condition));
            return (self.ends_share(table, index) * each.product::<f64>()).min(1.0);
        }
        let one = if self.equal == index.columns.len() {
            1.0 / distinct_keys
        } else {
            let each = index.columns[..self.equal].iter().map(|column| {
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
