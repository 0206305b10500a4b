//! Estimated rows of a part of a plan, and the distinct values of its columns.
//!
//! Shares of conditions that are independent are multiplied; a join on `a = b` keeps one in as many pairs as the side
//! with more distinct values has; these are the usual assumptions, as Oracle's optimiser makes them.

use datafusion::common::JoinType;
use engine::dictionary::TableDef;
use scan::{Comparison, Predicate};

use crate::scan::access;
use crate::scan::selectivity::{self, EQUAL_SHARE, RANGE_SHARE};

/// Bytes of a row without statistics.
const ROW_BYTES: f64 = 100.0;

/// A column of a part of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ColumnEstimate {
    /// Distinct values; None where nothing is known of them.
    distinct: Option<f64>,
    /// The same before any condition.
    all: Option<f64>,
    /// Its table, with its rows before any condition: as many as a key of the table has values.
    table: Option<(u32, f64)>,
}

/// What is expected of a part of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Estimate {
    pub(crate) rows: f64,
    /// Bytes of a row.
    pub(crate) bytes: f64,
    pub(crate) columns: Vec<ColumnEstimate>,
    /// False: a table has no statistics.
    pub(crate) known: bool,
}

/// Columns of the left and of the right side that are equal; None for an expression.
pub(crate) type JoinKey = (Option<usize>, Option<usize>);

/// The kinds of joins, as far as their number of rows goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Joined {
    Inner,
    /// The rows of the left side, of the right one, or of both, are all there.
    Left,
    Right,
    Full,
    /// The left side's rows that have a partner, or those that have none.
    Semi,
    Anti,
}

impl Estimate {
    /// A join of the planner's.
    pub(crate) fn of_join(kind: JoinType, left: Self, right: Self, keys: &[JoinKey], other: f64) -> Self {
        let swapped = || keys.iter().map(|(l, r)| (*r, *l)).collect::<Vec<_>>();
        let marked = |kept: Self| {
            let columns = kept.columns.len() + 1;
            Self { columns: Self::of_rows(kept.rows, columns).columns, ..kept }
        };
        match kind {
            JoinType::Inner => Self::joined(left, right, keys, other, Joined::Inner),
            JoinType::Left => Self::joined(left, right, keys, other, Joined::Left),
            JoinType::Right => Self::joined(left, right, keys, other, Joined::Right),
            JoinType::Full => Self::joined(left, right, keys, other, Joined::Full),
            JoinType::LeftSemi => Self::joined(left, right, keys, other, Joined::Semi),
            JoinType::LeftAnti => Self::joined(left, right, keys, other, Joined::Anti),
            JoinType::RightSemi => Self::joined(right, left, &swapped(), other, Joined::Semi),
            JoinType::RightAnti => Self::joined(right, left, &swapped(), other, Joined::Anti),
            JoinType::LeftMark => marked(left),
            JoinType::RightMark => marked(right),
        }
    }
}

impl ColumnEstimate {
    const UNKNOWN: Self = Self { distinct: None, all: None, table: None };

    /// Of so many values.
    const fn of_values(distinct: f64) -> Self {
        Self { distinct: Some(distinct), all: Some(distinct), table: None }
    }

    /// The same column in `rows` of `before` rows, picked at random.
    fn among(self, rows: f64, before: f64) -> Self {
        let distinct = self.distinct.map(|distinct| {
            if rows >= before || distinct <= 1.0 || before <= 0.0 {
                return distinct.min(rows.max(1.0));
            }
            // Each value has before / distinct rows; it is gone when none of them is picked.
            let gone = (1.0 - rows / before).max(0.0).powf(before / distinct);
            (distinct * (1.0 - gone)).clamp(1.0, rows.max(1.0))
        });
        Self { distinct, ..self }
    }
}

impl Estimate {
    /// Rows of which nothing is known but their number.
    pub(crate) fn of_rows(rows: f64, columns: usize) -> Self {
        Self { rows, bytes: ROW_BYTES, columns: vec![ColumnEstimate::UNKNOWN; columns], known: true }
    }

    /// A table under a condition. `all`: its rows; `fields`: the columns that are read, None for ROWID.
    pub(crate) fn of_table(
        table: &TableDef,
        all: f64,
        predicate: Option<&Predicate>,
        fields: impl Iterator<Item = Option<u16>>,
    ) -> Self {
        let share = predicate.map_or(1.0, |predicate| selectivity::share(table, all, predicate));
        let rows = all * share;
        let mut conditions = Vec::new();
        if let Some(predicate) = predicate {
            access::flatten(predicate, &mut conditions);
        }
        let columns = fields.map(|field| {
            let Some(column) = field else { return ColumnEstimate::of_values(rows.max(1.0)) };
            let distinct = distinct(table, all, column);
            let estimate = ColumnEstimate { distinct, all: distinct, table: Some((table.object.0, all)) };
            match distinct.map(|distinct| limited(&conditions, column, distinct, table, all)) {
                // The condition is about this very column: what it leaves of its values.
                Some(Some(left)) => ColumnEstimate { distinct: Some(left.min(rows.max(1.0))), ..estimate },
                _ => estimate.among(rows, all),
            }
        });
        let columns = columns.collect();
        let bytes = table.statistics.map_or(ROW_BYTES, |statistics| statistics.average_row_bytes as f64);
        Self { rows, bytes, columns, known: table.statistics.is_some() }
    }

    /// The rows that satisfy a condition.
    pub(crate) fn filtered(self, share: f64) -> Self {
        let rows = self.rows * share;
        self.limited_to(rows)
    }

    /// So many of the rows at most.
    pub(crate) fn limited_to(mut self, rows: f64) -> Self {
        if rows >= self.rows {
            return self;
        }
        let before = self.rows;
        self.columns.iter_mut().for_each(|column| *column = column.among(rows, before));
        self.rows = rows;
        self
    }

    /// Some of the columns; None for a computed one.
    pub(crate) fn projected(self, fields: impl Iterator<Item = Option<usize>>) -> Self {
        let column = |field: Option<usize>| field.and_then(|at| self.columns.get(at).copied());
        let columns = fields.map(|field| column(field).unwrap_or(ColumnEstimate::UNKNOWN));
        Self { columns: columns.collect(), ..self }
    }

    /// Distinct values of a column.
    pub(crate) fn distinct(&self, column: usize) -> Option<f64> {
        self.columns.get(column)?.distinct
    }

    /// Share of pairs of rows that an equality of these columns keeps; None for an expression.
    fn equal_share(left: &Self, right: &Self, (l, r): JoinKey) -> f64 {
        let distinct = |side: &Self, at: Option<usize>| at.and_then(|at| side.distinct(at));
        let most = match (distinct(left, l), distinct(right, r)) {
            (Some(l), Some(r)) => l.max(r),
            (Some(one), None) | (None, Some(one)) => one,
            // A key on one side is likely.
            (None, None) => left.rows.min(right.rows).max(1.0),
        };
        1.0 / most.max(1.0)
    }

    /// Share of pairs of rows that equalities keep. Where several columns of one table are equal to several of another,
    /// they are likely to be a key and its reference: together they have no more values than the smaller table has
    /// rows.
    pub(crate) fn keys_share(left: &Self, right: &Self, keys: &[JoinKey]) -> f64 {
        let share: f64 = keys.iter().map(|key| Self::equal_share(left, right, *key)).product();
        if keys.len() < 2 {
            return share;
        }
        let table = |side: &Self, at: Option<usize>| side.columns.get(at?)?.table;
        let only = |side: &Self, of: fn(&JoinKey) -> Option<usize>| {
            let first = table(side, of(&keys[0]))?;
            keys.iter().all(|key| table(side, of(key)) == Some(first)).then_some(first.1)
        };
        match (only(left, |key| key.0), only(right, |key| key.1)) {
            (Some(left), Some(right)) => share.max(1.0 / left.min(right).max(1.0)),
            _ => share,
        }
    }

    /// A join on these equalities, and on a further condition with its share of pairs.
    pub(crate) fn joined(left: Self, right: Self, keys: &[JoinKey], other: f64, kind: Joined) -> Self {
        let share = if keys.is_empty() { 1.0 } else { Self::keys_share(&left, &right, keys) } * other;
        let inner = left.rows * right.rows * share;
        let known = left.known && right.known;
        if matches!(kind, Joined::Semi | Joined::Anti) {
            // Of the values that there may be on the left side the right one has so many.
            let covered = keys.iter().map(|(l, r)| {
                match (l.and_then(|at| left.columns.get(at)?.all), r.and_then(|at| right.distinct(at))) {
                    (Some(l), Some(r)) => (r / l.max(1.0)).min(1.0),
                    _ => (right.rows * share).min(1.0),
                }
            });
            let partners = right.rows * share;
            let some = if keys.is_empty() { partners.min(1.0) } else { covered.fold(1.0, f64::min) };
            // A further condition has as many chances as there are partners.
            let some = some * (1.0 - (1.0 - other.clamp(0.0, 1.0)).powf((partners / other.max(1e-9)).max(1.0)));
            let some = if kind == Joined::Semi { some } else { (1.0 - some).max(RANGE_SHARE) };
            return Self { known, ..left.filtered(some) };
        }
        let rows = match kind {
            Joined::Left => inner.max(left.rows),
            Joined::Right => inner.max(right.rows),
            Joined::Full => inner.max(left.rows + right.rows),
            _ => inner,
        };
        let thinned = |side: &Self, kept: bool| {
            let (rows, before, kept) = (rows, side.rows, kept || rows >= side.rows);
            let each = side.columns.clone().into_iter();
            each.map(|column| if kept { column } else { column.among(rows, before) }).collect::<Vec<_>>()
        };
        let mut columns = thinned(&left, matches!(kind, Joined::Left | Joined::Full));
        columns.extend(thinned(&right, matches!(kind, Joined::Right | Joined::Full)));
        // Equal columns have the values of the one with fewer.
        for (l, r) in keys {
            if let (Some(l), Some(r), Joined::Inner) = (l, r, kind)
                && let (Some(one), Some(other)) = (columns[*l].distinct, columns[left.columns.len() + r].distinct)
            {
                columns[*l].distinct = Some(one.min(other));
                columns[left.columns.len() + r].distinct = Some(one.min(other));
            }
        }
        Self { rows, bytes: left.bytes + right.bytes, columns, known }
    }

    /// Groups by these columns: the first columns of the result, with `others` behind them. None for an expression.
    pub(crate) fn grouped(self, groups: &[Option<usize>], others: usize) -> Self {
        let each = |group: &Option<usize>| {
            let known = group.and_then(|at| self.distinct(at));
            // Of an expression nothing is known; our own choice.
            known.unwrap_or(self.rows.max(1.0).sqrt())
        };
        let rows = groups.iter().map(each).product::<f64>().min(self.rows).max(1.0);
        let mut columns: Vec<ColumnEstimate> = groups
            .iter()
            .map(|group| {
                let column = group.and_then(|at| self.columns.get(at).copied());
                column.unwrap_or(ColumnEstimate::UNKNOWN).among(rows, rows)
            })
            .collect();
        if let [only] = columns.as_mut_slice() {
            only.distinct = Some(rows);
        }
        columns.resize(groups.len() + others, ColumnEstimate::UNKNOWN);
        Self { rows, columns, ..self }
    }

    /// The rows of all inputs.
    pub(crate) fn united(inputs: impl Iterator<Item = Self>, columns: usize) -> Self {
        let (mut rows, mut bytes, mut known) = (0.0, 0.0_f64, true);
        for input in inputs {
            rows += input.rows;
            bytes = bytes.max(input.bytes);
            known &= input.known;
        }
        Self { bytes, known, ..Self::of_rows(rows, columns) }
    }
}

/// Distinct values of a table's column.
fn distinct(table: &TableDef, rows: f64, column: u16) -> Option<f64> {
    let unique = || table.indexes.iter().any(|index| index.unique && index.columns[..] == [column]);
    selectivity::distinct_values(table, column).or_else(|| unique().then_some(rows)).map(|distinct| distinct.max(1.0))
}

/// The values that conditions leave of their column; None when none of them is about it alone.
fn limited(conditions: &[&Predicate], column: u16, distinct: f64, table: &TableDef, rows: f64) -> Option<f64> {
    let mut left: Option<f64> = None;
    let mut ends = Vec::new();
    for condition in conditions {
        let values = match condition {
            Predicate::Compare { column: c, comparison: Comparison::Equal, .. } if *c == column => 1.0,
            Predicate::In { column: c, values, .. } if *c == column => values.len() as f64,
            Predicate::Compare { column: c, comparison, .. } if *c == column && *comparison != Comparison::NotEqual => {
                ends.push((*condition).clone());
                continue;
            }
            _ => continue,
        };
        left = Some(left.map_or(values, |left| left.min(values)).min(distinct));
    }
    if left.is_none() && !ends.is_empty() {
        let share = selectivity::share(table, rows, &Predicate::And(ends));
        return Some((distinct * share).max(1.0));
    }
    left
}

/// The share of a comparison of which no more is known.
pub(crate) fn share_of(comparison: Option<Comparison>, distinct: Option<f64>) -> f64 {
    let equal = distinct.map_or(EQUAL_SHARE, |distinct| 1.0 / distinct.max(1.0));
    match comparison {
        Some(Comparison::Equal) => equal,
        Some(Comparison::NotEqual) => 1.0 - equal,
        _ => RANGE_SHARE,
    }
}
