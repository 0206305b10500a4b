//! What a cell has learnt of the megabytes of its disks: least and greatest values of columns that conditions have
//! named, and whether there are NULLs. A scan whose condition no row of a region can satisfy does not read it.
//!
//! A region is a piece that was scanned whole, without a block that came back. What was learnt holds for snapshots from
//! the scan's on, until the region is written to: all transactions of its blocks had ended for that scan, so a later
//! snapshot sees the same rows. A write forgets its region before it begins and after it has ended. Nothing of it
//! outlives the process.
//!
//! Blocks that the scan left out (its gaps) may have rows for a later scan, which finds them formatted. So what was
//! learnt counts for the same gaps only.

use std::collections::BTreeMap;

use common::sync::Mutex;
use common::{BlockAddress, ObjectNumber, Scn};
use scan::{Comparison, Predicate, RowSink, ScanSpec, Scanner};

use crate::request::{PIECE_BYTES, Piece, ScanRequest};

/// Columns of a region.
const COLUMNS_MAX: usize = 8;
/// Longer values are not kept: their column is not known there.
const VALUE_MAX: usize = 64;

/// As values are kept in rows.
type LeastAndGreatest = (Box<[u8]>, Box<[u8]>);

/// What a region has in a column.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ColumnRange {
    column: u16,
    /// None: all are NULL.
    values: Option<LeastAndGreatest>,
    nulls: bool,
    /// A value was too long.
    unknown: bool,
}

/// What is known of a piece.
#[derive(Clone, Debug)]
struct Region {
    bytes: usize,
    /// Blocks of it that were left out, by their places in it.
    gaps: Vec<(u32, u32)>,
    object: ObjectNumber,
    /// Snapshots from this one on see the same rows.
    from: Scn,
    /// The columns that were asked for last come last.
    columns: Vec<ColumnRange>,
}

impl Region {
    /// True: it is of the same blocks of the same table.
    fn is_for(&self, request: &ScanRequest, piece: &Piece) -> bool {
        self.bytes == piece.bytes && self.object == request.object && self.gaps == request.gaps_in(piece)
    }
}

/// The index of a disk.
#[derive(Default, Debug)]
pub(crate) struct StorageIndex {
    known: Mutex<Known>,
}

#[derive(Default, Debug)]
struct Known {
    /// By their offsets on the disk.
    regions: BTreeMap<u64, Region>,
    /// Begins and ends of writes so far: what was read while it changed is not learnt.
    writes: u64,
    writing: u64,
}

/// A write under way: what was known of its place is forgotten at its begin and at its end.
#[derive(Debug)]
pub(crate) struct Forgetting<'a> {
    index: &'a StorageIndex,
    offset: u64,
    bytes: u64,
}

impl Drop for Forgetting<'_> {
    fn drop(&mut self) {
        let mut known = self.index.known.lock();
        known.writing -= 1;
        known.forget(self.offset, self.bytes);
    }
}

impl Known {
    fn forget(&mut self, offset: u64, bytes: u64) {
        self.writes += 1;
        let from = offset.saturating_sub(PIECE_BYTES as u64);
        let touched = self.regions.range(from..offset.saturating_add(bytes));
        let touched: Vec<u64> =
            touched.filter(|(at, region)| **at + region.bytes as u64 > offset).map(|(at, _)| *at).collect();
        touched.into_iter().for_each(|at| drop(self.regions.remove(&at)));
    }
}

impl StorageIndex {
    /// Has a write forget what it changes, now and when the result is dropped.
    pub(crate) fn write(&self, offset: u64, bytes: u64) -> Forgetting<'_> {
        let mut known = self.known.lock();
        known.writing += 1;
        known.forget(offset, bytes);
        Forgetting { index: self, offset, bytes }
    }

    /// Forgets everything: the disk is another one.
    pub(crate) fn clear(&self) {
        let mut known = self.known.lock();
        known.writes += 1;
        known.regions.clear();
    }

    /// True: no row of the piece can satisfy the condition.
    pub(crate) fn excludes(&self, request: &ScanRequest, piece: &Piece) -> bool {
        let Some(condition) = request.spec.predicate.as_ref().filter(|_| request.storage_index) else { return false };
        let known = self.known.lock();
        let region = known.regions.get(&piece.offset).filter(|region| region.is_for(request, piece));
        region.is_some_and(|region| region.from <= request.snapshot && !may_hold(condition, region))
    }

    /// A learner for a piece that is going to be read; None where there is nothing new to be learnt.
    pub(crate) fn learn(&self, request: &ScanRequest, piece: &Piece) -> Option<Learner> {
        let condition = request.spec.predicate.as_ref().filter(|_| request.storage_index)?;
        let mut columns = Vec::new();
        condition.for_each_column(&mut |column| {
            if !columns.contains(&column) {
                columns.push(column);
            }
        });
        columns.truncate(COLUMNS_MAX);
        let known = self.known.lock();
        if known.writing > 0 {
            return None;
        }
        if let Some(region) = known.regions.get(&piece.offset)
            && region.is_for(request, piece)
            && region.from <= request.snapshot
        {
            columns.retain(|column| region.columns.iter().all(|known| known.column != *column));
        }
        (!columns.is_empty()).then(|| Learner::new(columns, known.writes))
    }

    /// Keeps what a learner has seen of a piece, unless somebody has written meanwhile.
    pub(crate) fn keep(&self, request: &ScanRequest, piece: &Piece, learner: Learner) {
        let mut known = self.known.lock();
        if known.writes != learner.writes {
            return;
        }
        let fresh = || Region {
            bytes: piece.bytes,
            gaps: request.gaps_in(piece),
            object: request.object,
            from: request.snapshot,
            columns: Vec::new(),
        };
        let region = known.regions.entry(piece.offset).or_insert_with(fresh);
        if !region.is_for(request, piece) {
            *region = fresh();
        }
        // Nothing was written since either of the scans, so the later snapshot holds for the columns of both.
        region.from = region.from.max(request.snapshot);
        region.columns.retain(|known| learner.seen.ranges.iter().all(|range| range.column != known.column));
        region.columns.extend(learner.seen.ranges);
        let over = region.columns.len().saturating_sub(COLUMNS_MAX);
        region.columns.drain(..over);
    }
}

/// Collects what the rows of a piece have in some columns.
#[derive(Debug)]
pub(crate) struct Learner {
    scanner: Scanner,
    seen: Seen,
    /// Writes of the disk before the piece was read.
    writes: u64,
}

#[derive(Debug)]
struct Seen {
    ranges: Vec<ColumnRange>,
}

impl Learner {
    fn new(columns: Vec<u16>, writes: u64) -> Self {
        let new = |column: &u16| ColumnRange { column: *column, values: None, nulls: false, unknown: false };
        let ranges = columns.iter().map(new).collect();
        let spec = ScanSpec { projection: columns, predicate: None, rowids: false };
        Self { scanner: Scanner::new(spec), seen: Seen { ranges }, writes }
    }

    /// The rows of a block that the cell has decided.
    pub(crate) fn block(&mut self, bytes: &[u8]) {
        self.scanner.scan_block(bytes, 0, usize::MAX, &mut self.seen);
    }
}

impl RowSink for Seen {
    fn block(&mut self, _: ObjectNumber, _: BlockAddress) {}

    fn row(&mut self, _: u16, columns: &[Option<&[u8]>]) {
        for (range, value) in self.ranges.iter_mut().zip(columns) {
            match (value, &mut range.values) {
                (None, _) => range.nulls = true,
                (Some(value), _) if value.len() > VALUE_MAX => range.unknown = true,
                (Some(value), None) => range.values = Some(((*value).into(), (*value).into())),
                (Some(value), Some((least, greatest))) => {
                    if *value < &**least {
                        *least = (*value).into();
                    } else if *value > &**greatest {
                        *greatest = (*value).into();
                    }
                }
            }
        }
    }
}

/// False: no row of the region satisfies the condition.
fn may_hold(condition: &Predicate, region: &Region) -> bool {
    let range = |column: u16| region.columns.iter().find(|range| range.column == column && !range.unknown);
    match condition {
        Predicate::Compare { column, comparison, value } => range(*column).is_none_or(|range| {
            range.values.as_ref().is_some_and(|(least, greatest)| match comparison {
                Comparison::Equal => **least <= **value && **value <= **greatest,
                Comparison::NotEqual => **least != **value || **greatest != **value,
                Comparison::Less => **least < **value,
                Comparison::LessOrEqual => **least <= **value,
                Comparison::Greater => **greatest > **value,
                Comparison::GreaterOrEqual => **greatest >= **value,
            })
        }),
        Predicate::IsNull(column) => range(*column).is_none_or(|range| range.nulls),
        Predicate::IsNotNull(column) => range(*column).is_none_or(|range| range.values.is_some()),
        Predicate::In { column, values, .. } => range(*column).is_none_or(|range| {
            range.values.as_ref().is_some_and(|(least, greatest)| {
                let first = values.partition_point(|value| **value < **least);
                values.get(first).is_some_and(|value| **value <= **greatest)
            })
        }),
        Predicate::And(parts) => parts.iter().all(|part| may_hold(part, region)),
        Predicate::Or(parts) => parts.iter().any(|part| may_hold(part, region)),
        Predicate::Constant(truth) => *truth == scan::Truth::True,
        Predicate::CompareColumns { .. } | Predicate::InFilter { .. } | Predicate::Not(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use common::{BlockSize, FileNumber};
    use proptest::prelude::*;

    use super::*;
    use crate::FlashUse;

    fn request(condition: Predicate, snapshot: u64) -> ScanRequest {
        ScanRequest {
            disk: "D".into(),
            offset: 0,
            block_size: BlockSize::K8,
            first: BlockAddress::new(FileNumber(1), 128),
            blocks: 128,
            gaps: Vec::new(),
            object: ObjectNumber(7),
            snapshot: Scn(snapshot),
            ended_before: Scn(0),
            storage_index: true,
            index: None,
            flash: FlashUse::Default,
            extremes: Vec::new(),
            busy_percent: None,
            spec: ScanSpec { predicate: Some(condition), ..ScanSpec::default() },
        }
    }

    fn learnt(index: &StorageIndex, request: &ScanRequest, rows: &[Vec<Option<Vec<u8>>>]) {
        let piece = request.pieces().next().unwrap();
        let Some(mut learner) = index.learn(request, &piece) else { return };
        for row in rows {
            let columns: Vec<Option<&[u8]>> = learner
                .scanner
                .spec()
                .projection
                .iter()
                .map(|column| row.get(usize::from(*column)).and_then(Option::as_deref))
                .collect();
            learner.seen.row(0, &columns);
        }
        index.keep(request, &piece, learner);
    }

    fn excludes(index: &StorageIndex, request: &ScanRequest) -> bool {
        index.excludes(request, &request.pieces().next().unwrap())
    }

    fn equal(value: u8) -> Predicate {
        Predicate::compare(0, Comparison::Equal, &[value])
    }

    fn a_condition() -> impl Strategy<Value = Predicate> {
        let comparison = prop_oneof![
            Just(Comparison::Equal),
            Just(Comparison::NotEqual),
            Just(Comparison::Less),
            Just(Comparison::LessOrEqual),
            Just(Comparison::Greater),
            Just(Comparison::GreaterOrEqual),
        ];
        let leaf = prop_oneof![
            (0..3_u16, comparison, 0..6_u8).prop_map(|(column, how, value)| Predicate::compare(column, how, &[value])),
            (0..3_u16).prop_map(Predicate::IsNull),
            (0..3_u16).prop_map(Predicate::IsNotNull),
            (0..3_u16, proptest::collection::vec(proptest::option::of((0..6_u8).prop_map(|value| vec![value])), 0..4))
                .prop_map(|(column, values)| Predicate::in_list(column, values)),
        ];
        leaf.prop_recursive(3, 12, 3, |part| {
            prop_oneof![
                proptest::collection::vec(part.clone(), 0..3).prop_map(Predicate::And),
                proptest::collection::vec(part.clone(), 0..3).prop_map(Predicate::Or),
                part.prop_map(|part| Predicate::Not(Box::new(part))),
            ]
        })
    }

    proptest! {
        /// A region that is left out has no row that satisfies the condition, whatever was learnt before.
        #[test]
        fn nothing_that_a_scan_would_find_is_left_out(
            rows in proptest::collection::vec(
                proptest::collection::vec(proptest::option::of((0..6_u8).prop_map(|value| vec![value])), 3),
                0..6,
            ),
            learned in proptest::collection::vec(a_condition(), 1..4),
            asked in a_condition(),
        ) {
            let index = StorageIndex::default();
            for condition in learned {
                learnt(&index, &request(condition, 10), &rows);
            }
            let accepts = |row: &Vec<Option<Vec<u8>>>| {
                let columns: Vec<Option<&[u8]>> = row.iter().map(Option::as_deref).collect();
                asked.accepts(&mut &columns[..])
            };
            if excludes(&index, &request(asked.clone(), 10)) {
                prop_assert!(!rows.iter().any(accepts));
            }
        }
    }

    #[test]
    fn what_was_learnt_holds_for_later_snapshots_until_a_write() {
        let index = StorageIndex::default();
        let rows = [vec![Some(vec![3])], vec![Some(vec![5])]];
        learnt(&index, &request(equal(4), 20), &rows);
        assert!(excludes(&index, &request(equal(9), 20)) && excludes(&index, &request(equal(2), 25)));
        assert!(!excludes(&index, &request(equal(4), 20)), "4 lies within");
        assert!(!excludes(&index, &request(equal(9), 19)), "an earlier snapshot may see other rows");
        let other = ScanRequest { object: ObjectNumber(8), ..request(equal(9), 20) };
        assert!(!excludes(&index, &other), "of another table");
        let unwanted = ScanRequest { storage_index: false, ..request(equal(9), 20) };
        assert!(!excludes(&index, &unwanted));
        // A write elsewhere, and one into the region.
        drop(index.write(PIECE_BYTES as u64, 8192));
        assert!(excludes(&index, &request(equal(9), 20)));
        drop(index.write(PIECE_BYTES as u64 - 1, 8192));
        assert!(!excludes(&index, &request(equal(9), 20)));
    }

    /// A block that was no block of the table for one scan may be one for the next, without a write in between.
    #[test]
    fn what_was_left_out_is_not_known() {
        let index = StorageIndex::default();
        let with_gap = ScanRequest { gaps: vec![(60, 4)], ..request(equal(9), 20) };
        learnt(&index, &with_gap, &[vec![Some(vec![3])]]);
        assert!(excludes(&index, &with_gap));
        assert!(!excludes(&index, &request(equal(9), 20)));
        let other = ScanRequest { gaps: vec![(60, 3)], ..request(equal(9), 20) };
        assert!(!excludes(&index, &other));
        // A scan without the gap learns anew.
        learnt(&index, &request(equal(9), 20), &[vec![Some(vec![3])]]);
        assert!(excludes(&index, &request(equal(9), 20)) && !excludes(&index, &with_gap));
    }

    #[test]
    fn what_is_read_during_a_write_is_not_learnt() {
        let index = StorageIndex::default();
        let request = request(equal(9), 20);
        let piece = request.pieces().next().unwrap();
        let write = index.write(0, 8192);
        assert!(index.learn(&request, &piece).is_none());
        drop(write);
        let learner = index.learn(&request, &piece).unwrap();
        drop(index.write(0, 8192));
        index.keep(&request, &piece, learner);
        assert!(!excludes(&index, &request));
    }

    #[test]
    fn a_region_has_eight_columns_and_no_long_values() {
        let index = StorageIndex::default();
        let rows = [(0..12).map(|_| Some(vec![5])).collect::<Vec<_>>()];
        let condition = |column: u16| Predicate::compare(column, Comparison::Equal, &[9]);
        (0..12).for_each(|column| learnt(&index, &request(condition(column), 20), &rows));
        let known = (0..12).filter(|column| excludes(&index, &request(condition(*column), 20))).count();
        assert_eq!(known, COLUMNS_MAX);
        let long = StorageIndex::default();
        learnt(&long, &request(condition(0), 20), &[vec![Some(vec![5; VALUE_MAX + 1])]]);
        assert!(!excludes(&long, &request(condition(0), 20)));
    }
}
