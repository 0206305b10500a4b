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
use scan::Predicate;

use super::index_way::{self, Candidate, DEFAULT_BLEVEL, DEFAULT_DISTINCT_KEYS, IndexWay, covers};
use super::key_range::KeyRange;
use crate::optimizer::cost::{self, Cost};
use crate::plan::hints::{Hint, HintFate, Hints, Mark, is_for_joins};
use storage::parameters::Parameter;

/// Of a table without statistics ("Default Table Values When Statistics Are Missing").
const DEFAULT_ROW_BYTES: f64 = 100.0;

/// Values of the leading key columns, stored form.
pub(crate) type KeyBound = Bound<Vec<Vec<u8>>>;

/// The access path.
#[derive(Clone, Debug)]
pub(crate) enum Access {
    Full,
    Rowids(Vec<Rowid>),
    /// `ranges`: in the order in which they are read; several for a list of values; of the columns behind those that
    /// are skipped. `descending`: each is read from its end. `only`: the table is not visited. `filter`: what an entry
    /// is to satisfy beside.
    Index {
        index: Arc<IndexDef>,
        way: IndexWay,
        ranges: Vec<(KeyBound, KeyBound)>,
        unique: bool,
        descending: bool,
        only: bool,
        filter: Option<Predicate>,
    },
}

/// The chosen way to the rows of a table.
#[derive(Clone, Debug)]
pub(crate) enum Chosen<'t> {
    Full,
    Index(&'t Arc<IndexDef>, IndexWay),
}

/// Chooses the way to rows of which the columns `wanted` are read. `blocks` is asked for the table's blocks where an
/// index is to be weighed against them; `hints` are those that name the table, the second value has their fates.
pub(crate) fn choose<'t>(
    table: &'t TableDef,
    (blocks, settings): (impl FnOnce() -> Result<u64>, CostSettings),
    (predicate, wanted): (Option<&Predicate>, &[u16]),
    hints: &Hints,
) -> Result<(Chosen<'t>, Vec<HintFate>)> {
    let chosen = chosen(table, (blocks, settings), (predicate, wanted), &hints.list)?;
    let own = hints.list.iter().filter(|hint| !is_for_joins(&hint.name));
    let own = own.map(|hint| fate(hint, table, &chosen, &hints.list));
    let fates = own.chain(hints.fates.iter().cloned()).collect();
    Ok((chosen, fates))
}

/// What the session has set of costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CostSettings {
    /// Blocks of a multiblock read; None where it is not set.
    pub(super) blocks_a_read: Option<u32>,
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

/// What reading columns of the table under a condition costs, by the way that [`choose`] takes.
///
/// # Errors
/// Errors of reading the segment header.
pub(crate) fn cost(
    session: &Session,
    table: &TableDef,
    (predicate, wanted): (Option<&Predicate>, &[u16]),
    hints: &Hints,
) -> Result<Cost> {
    let (blocks, rows) = (blocks(session, table)?, estimated_rows(session, table)?);
    let settings = CostSettings::of(session);
    let (chosen, _) = choose(table, (|| Ok(blocks), settings), (predicate, wanted), hints)?;
    let access = match chosen {
        Chosen::Full => Access::Full,
        Chosen::Index(index, way) => {
            let only = is_covered(index, wanted, predicate);
            of_index(index, way, predicate, only).unwrap_or(Access::Full)
        }
    };
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
        Access::Index { index, way, ranges, unique, only, .. } => {
            let conditions = flattened(predicate);
            let candidate = Candidate { table, index, conditions: &conditions, only: *only, rows };
            if *way == IndexWay::Fast {
                let reads = candidate.cost(*way, settings).unwrap_or(blocks);
                return Cost::of_entries(reads, rows);
            }
            let found = predicate.map_or(rows, |predicate| found_by(table, index, predicate, rows));
            let weight = settings.index_weight;
            let row = if *only { 0.0 } else { 1.0 };
            let visits = match (way, unique) {
                (_, true) => weight * ranges.len() as f64 * (blevel(index) + 1.0 + row),
                // One more for the row, or for the first leaf.
                _ => candidate.cost(*way, settings).map_or(rows * weight, |cost| cost + weight),
            };
            if *only { Cost::of_entries(visits, found * weight) } else { Cost::of_index(visits, found * weight) }
        }
    }
}

fn blevel(index: &IndexDef) -> f64 {
    index.statistics.map_or(DEFAULT_BLEVEL, |known| f64::from(known.blevel))
}

/// True: each row that satisfies the condition has an entry in the index.
pub(crate) fn has_all_rows(table: &TableDef, index: &Arc<IndexDef>, predicate: Option<&Predicate>) -> bool {
    let conditions = flattened(predicate);
    Candidate { table, index, conditions: &conditions, only: false, rows: 0.0 }.has_all_rows()
}

/// The conjuncts of a predicate; none without one.
fn flattened(predicate: Option<&Predicate>) -> Vec<&Predicate> {
    let mut conditions = Vec::new();
    if let Some(predicate) = predicate {
        flatten(predicate, &mut conditions);
    }
    conditions
}

/// True: the index has all columns that are wanted and that the condition names.
pub(crate) fn is_covered(index: &IndexDef, wanted: &[u16], predicate: Option<&Predicate>) -> bool {
    covers(index, wanted, &flattened(predicate))
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
/// equality. `wanted`: the columns that are read; `rows`: the table's; `hints` name the indexes that may serve.
pub(crate) fn best_lookup(
    table: &TableDef,
    predicate: &Predicate,
    wanted: &[u16],
    rows: f64,
    hints: &[Hint],
) -> Option<Lookup> {
    let conditions = flattened(Some(predicate));
    let mut best: Option<Lookup> = None;
    for index in table.indexes.iter().filter(|index| may_look_up(hints, table, index)) {
        let Some(range) = KeyRange::of(index, 0, &conditions).filter(|range| range.equal > 0) else { continue };
        let only = covers(index, wanted, &conditions);
        let row = if only { 0.0 } else { 1.0 };
        let unique = range.is_whole_key(index);
        let (cost, rows) = if unique {
            let keys = range.ranges.len() as f64;
            (keys * (blevel(index) + 1.0 + row), keys)
        } else {
            let share = match index.statistics.filter(|statistics| statistics.num_rows > 0) {
                Some(statistics) => range.share(table, index, statistics.distinct_keys),
                None => range.ends_share(table, index) / DEFAULT_DISTINCT_KEYS,
            };
            (range.visits(table, index, rows, row) + 1.0, (share * rows).max(1.0))
        };
        if best.as_ref().is_none_or(|best| cost < best.cost) {
            best = Some(Lookup { index: Arc::clone(index), cost, rows });
        }
    }
    best
}

/// Rows that an index finds under a condition, of a table with `rows` rows.
pub(crate) fn found_by(table: &TableDef, index: &IndexDef, predicate: &Predicate, rows: f64) -> f64 {
    let Some(range) = KeyRange::of(index, 0, &flattened(Some(predicate))) else { return rows };
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

/// Hints that ask for ranges of an index, as lookups are.
const RANGE_HINTS: [&str; 3] = ["INDEX", "INDEX_RS", "INDEX_RS_ASC"];

/// True: no hint asks for a way to the table's rows that is no lookup.
pub(crate) fn leaves_lookups(hints: &Hints) -> bool {
    let others = ["FULL", "INDEX_FFS", "INDEX_SS", "INDEX_SS_ASC"];
    !hints.list.iter().any(|hint| others.contains(&hint.name.as_str()))
}

/// True: hints leave lookups by this index open.
fn may_look_up(hints: &[Hint], table: &TableDef, index: &IndexDef) -> bool {
    let known = |hint: &&Hint| table.indexes.iter().any(|index| means(hint, table, index));
    let asked = || hints.iter().filter(|hint| RANGE_HINTS.contains(&hint.name.as_str())).filter(known);
    let denied = hints.iter().any(|hint| hint.name == "NO_INDEX" && means(hint, table, index));
    !denied && (asked().next().is_none() || asked().any(|hint| means(hint, table, index)))
}

/// The fates of hints about the way to the rows of a table that is looked up by an index.
pub(crate) fn lookup_fates(hints: &Hints, table: &TableDef) -> Vec<HintFate> {
    let own = hints.list.iter().filter(|hint| crate::plan::hints::is_for_access(&hint.name));
    let fate = |hint: &Hint| {
        let known = table.indexes.iter().any(|index| means(hint, table, index));
        let why = "the table has no such index";
        if known { HintFate::used(hint) } else { HintFate::not(Mark::Unused, hint, why) }
    };
    own.map(fate).collect()
}

/// The ways of an index that a hint of this name asks for, or forbids.
fn ways_of(name: &str) -> Option<fn(IndexWay) -> bool> {
    Some(match name {
        "INDEX" | "NO_INDEX" => |_| true,
        "INDEX_RS" | "INDEX_RS_ASC" => |way| way == IndexWay::Range,
        "INDEX_FFS" | "NO_INDEX_FFS" => |way| way == IndexWay::Fast,
        "INDEX_SS" | "INDEX_SS_ASC" | "NO_INDEX_SS" => |way| matches!(way, IndexWay::Skip(_)),
        _ => return None,
    })
}

fn fate(hint: &Hint, table: &TableDef, chosen: &Chosen<'_>, all: &[Hint]) -> HintFate {
    let not = |why: &str| HintFate::not(Mark::Unused, hint, why);
    let known = || table.indexes.iter().any(|index| means(hint, table, index));
    let denied = || {
        let meant = table.indexes.iter().filter(|index| means(hint, table, index));
        let by = |index: &Arc<IndexDef>| all.iter().any(|other| other.name == "NO_INDEX" && means(other, table, index));
        meant.into_iter().all(by)
    };
    let name = hint.name.as_str();
    let Some(wanted) = ways_of(name) else { return HintFate::used(hint) };
    match chosen {
        _ if !known() => not("the table has no such index"),
        _ if name.starts_with("NO_") => HintFate::used(hint),
        Chosen::Index(index, way) if means(hint, table, index) && wanted(*way) => HintFate::used(hint),
        _ if all.iter().any(|other| other.name == "FULL") => not("FULL stands beside it"),
        _ if denied() => not("NO_INDEX stands beside it"),
        Chosen::Index(index, _) if !means(hint, table, index) => not("another index is taken"),
        _ if name == "INDEX_FFS" => not("the index lacks rows or columns that are wanted"),
        _ if name.starts_with("INDEX_SS") => not("no condition is on columns behind the leading ones alone"),
        _ if name == "INDEX" => not("no condition gives a range of the index, and it may lack rows"),
        _ => not("no condition gives a range of the index"),
    }
}

fn chosen<'t>(
    table: &'t TableDef,
    (blocks, settings): (impl FnOnce() -> Result<u64>, CostSettings),
    (predicate, wanted): (Option<&Predicate>, &[u16]),
    hints: &[Hint],
) -> Result<Chosen<'t>> {
    let by = |name: &'static str| hints.iter().filter(move |hint| hint.name == name);
    if table.indexes.is_empty() || by("FULL").next().is_some() {
        return Ok(Chosen::Full);
    }
    let conditions = flattened(predicate);
    let named = |index: &IndexDef, way: IndexWay, no: bool| {
        hints.iter().any(|hint| {
            let is_no = hint.name.starts_with("NO_");
            is_no == no && ways_of(&hint.name).is_some_and(|ways| ways(way)) && means(hint, table, index)
        })
    };
    let candidate = |index: &'t Arc<IndexDef>| {
        let only = covers(index, wanted, &conditions);
        Candidate { table, index, conditions: &conditions, only, rows: 0.0 }
    };
    let mut open: Vec<(&'t Arc<IndexDef>, IndexWay, bool)> = Vec::new();
    for index in &table.indexes {
        let ways = candidate(index).ways();
        for way in ways.into_iter().filter(|way| !named(index, *way, true)) {
            let hinted = named(index, way, false);
            // By itself a whole index is no way to the rows of a table, but for their order (`direct/order_cost.rs`).
            if !hinted && way == IndexWay::Whole && !covers(index, wanted, &conditions) {
                continue;
            }
            // INDEX asks for a whole index only where it has no range.
            if hinted
                && way == IndexWay::Whole
                && open.iter().any(|(known, _, by_hint)| Arc::ptr_eq(known, index) && *by_hint)
            {
                continue;
            }
            if hinted && way == IndexWay::Fast && !by("INDEX_FFS").any(|hint| means(hint, table, index)) {
                continue;
            }
            open.push((index, way, hinted));
        }
    }
    let hinted = open.iter().any(|(.., hinted)| *hinted);
    if hinted {
        open.retain(|(.., hinted)| *hinted);
    }
    let is_key = |index: &IndexDef| KeyRange::of(index, 0, &conditions).is_some_and(|range| range.is_whole_key(index));
    // The whole key of a unique index wins.
    if let Some((index, way, _)) = open.iter().find(|(index, way, _)| *way == IndexWay::Range && is_key(index)) {
        return Ok(Chosen::Index(index, *way));
    }
    if let ([(index, way, _)], true) = (open.as_slice(), hinted) {
        return Ok(Chosen::Index(index, *way));
    }
    if open.is_empty() {
        return Ok(Chosen::Full);
    }
    let blocks = blocks()?;
    let rows = rows_in(table, blocks);
    let costs = open.into_iter().filter_map(|(index, way, _)| {
        let cost = Candidate { rows, ..candidate(index) }.cost(way, settings);
        // What a hint asks for needs no statistics.
        let cost = if hinted { Some(cost.unwrap_or(f64::MAX)) } else { cost };
        cost.map(|cost| (cost, index, way))
    });
    let best = costs.min_by(|(one, ..), (other, ..)| one.total_cmp(other));
    let scan = cost::full_scan_reads(blocks as f64, table.segment.block_size().bytes(), settings.blocks_a_read);
    Ok(match best {
        Some((cost, index, way)) if cost < scan || hinted => Chosen::Index(index, way),
        _ => Chosen::Full,
    })
}

/// The conjuncts of a predicate.
pub(crate) fn flatten<'p>(predicate: &'p Predicate, into: &mut Vec<&'p Predicate>) {
    match predicate {
        Predicate::And(parts) => parts.iter().for_each(|part| flatten(part, into)),
        other => into.push(other),
    }
}

/// An index on this way under a condition. None when the condition gives no range that the way needs.
pub(crate) fn of_index(
    index: &Arc<IndexDef>,
    way: IndexWay,
    predicate: Option<&Predicate>,
    only: bool,
) -> Option<Access> {
    let conditions = flattened(predicate);
    let range = match way {
        IndexWay::Range => Some(KeyRange::of(index, 0, &conditions)?),
        IndexWay::Skip(skipped) => Some(KeyRange::of(index, skipped, &conditions)?),
        IndexWay::Whole | IndexWay::Fast => None,
    };
    let filter = index_way::filter(index, range.as_ref(), &conditions);
    let unique = range.as_ref().is_some_and(|range| range.is_whole_key(index));
    let ranges = range.map_or_else(|| vec![(Bound::Unbounded, Bound::Unbounded)], |range| range.ranges);
    Some(Access::Index { index: Arc::clone(index), way, ranges, unique, descending: false, only, filter })
}

/// The conditions that limit the ranges of the index.
pub(crate) fn used(index: &IndexDef, way: IndexWay, conditions: &[&Predicate]) -> Vec<usize> {
    let skipped = match way {
        IndexWay::Range => 0,
        IndexWay::Skip(skipped) => skipped,
        IndexWay::Whole | IndexWay::Fast => return Vec::new(),
    };
    KeyRange::of(index, skipped, conditions).map_or_else(Vec::new, |range| range.used)
}

/// Estimated number of entries in the range of these conditions; None without statistics, and of an index that was
/// empty when it got them.
pub(crate) fn expected(table: &TableDef, index: &IndexDef, way: IndexWay, conditions: &[&Predicate]) -> Option<u64> {
    let statistics = index.statistics.as_ref().filter(|statistics| statistics.num_rows > 0)?;
    let share = match way {
        IndexWay::Range => KeyRange::of(index, 0, conditions)?.share(table, index, statistics.distinct_keys),
        IndexWay::Skip(skipped) => {
            KeyRange::of(index, skipped, conditions)?.share(table, index, statistics.distinct_keys)
        }
        IndexWay::Whole | IndexWay::Fast => 1.0,
    };
    Some((share * statistics.num_rows as f64).ceil() as u64)
}
