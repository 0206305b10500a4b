use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber};
use format::block::{self, BlockType};
use format::heap::row::{self, FIRST, HEAD, LAST, RowAddress, encode_piece};
use format::heap::{self, RowBuffer};
use format::transaction::{BlockOwner, Owner};
use proptest::prelude::*;

use crate::*;

const ADDRESS: BlockAddress = BlockAddress { file: FileNumber(5), block: 200 };
const OBJECT: ObjectNumber = ObjectNumber(99);
const COLUMNS: u16 = 5;

type Row = Vec<Option<Vec<u8>>>;

fn empty(size: BlockSize) -> Vec<u8> {
    let mut bytes = vec![0; size.bytes()];
    block::format(&mut bytes, BlockType::Data, ADDRESS);
    heap::init(&mut bytes, BlockOwner { owner: Owner::Table, object: OBJECT, itl_slots: 2, bitmap: None });
    bytes
}

fn borrow(row: &Row) -> Vec<Option<&[u8]>> {
    row.iter().map(Option::as_deref).collect()
}

#[derive(Default)]
struct Collector {
    at: Option<BlockAddress>,
    rows: Vec<(RowAddress, Row)>,
}

impl RowSink for Collector {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        assert_eq!(object, OBJECT);
        self.at = Some(address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let address = RowAddress::new(self.at.unwrap_or(ADDRESS), slot);
        self.rows.push((address, columns.iter().map(|c| c.map(<[u8]>::to_vec)).collect()));
    }
}

#[test]
fn three_values_are_kept_apart() {
    let row: &[Option<&[u8]>] = &[Some(b"b"), None];
    let known = |comparison| Predicate::compare(0, comparison, b"b");
    let unknown = || Predicate::compare(1, Comparison::Equal, b"b");
    let value = |predicate: &Predicate| {
        let mut columns = row;
        predicate.evaluate(&mut columns)
    };
    let (yes, no) = (known(Comparison::Equal), known(Comparison::NotEqual));
    assert_eq!(value(&unknown()), Truth::Unknown);
    assert_eq!(value(&Predicate::Not(Box::new(unknown()))), Truth::Unknown);
    assert_eq!(value(&Predicate::And(vec![unknown(), no.clone()])), Truth::False);
    assert_eq!(value(&Predicate::And(vec![unknown(), yes.clone()])), Truth::Unknown);
    assert_eq!(value(&Predicate::Or(vec![unknown(), yes])), Truth::True);
    assert_eq!(value(&Predicate::Or(vec![unknown(), no])), Truth::Unknown);
    assert_eq!(value(&Predicate::IsNull(1)), Truth::True);
    // A column that the row does not store.
    assert_eq!(value(&Predicate::IsNull(7)), Truth::True);
    let list = |values: &[Option<&[u8]>]| Predicate::in_list(0, values.iter().map(|v| v.map(<[u8]>::to_vec)));
    assert_eq!(value(&list(&[Some(b"a"), Some(b"b")])), Truth::True);
    assert_eq!(value(&list(&[Some(b"a"), None])), Truth::Unknown);
    assert_eq!(value(&list(&[Some(b"b"), None])), Truth::True);
    assert_eq!(value(&list(&[Some(b"a")])), Truth::False);
}

/// A damaged row may say that its rowid is in no block: it comes under that one, and not under the one before.
#[test]
fn a_row_of_no_block_has_a_block_of_its_own() {
    let mut block = empty(BlockSize::K8);
    let mut piece = Vec::new();
    encode_piece(FIRST | LAST, Some(RowAddress::new(BlockAddress::NONE, 3)), None, &[Some(b"a")], &mut piece);
    heap::insert(&mut block, &piece).unwrap();
    let mut sink = Collector::default();
    let spec = ScanSpec { projection: vec![0], predicate: None, rowids: true };
    scan_block(&block, &spec, 0, 10, &mut sink);
    assert_eq!(sink.at, Some(BlockAddress::NONE));
}

#[test]
fn a_scan_passes_over_stubs_takes_migrated_rows_and_stops_at_chained_ones() {
    let mut bytes = empty(BlockSize::K2);
    let elsewhere = RowAddress::new(BlockAddress::new(FileNumber(5), 300), 7);
    let mut insert = |flags, head, next, column: Option<&[u8]>| {
        let mut piece = Vec::new();
        encode_piece(flags, head, next, &[column], &mut piece);
        heap::insert(&mut bytes, &piece).unwrap()
    };
    insert(row::WHOLE, None, None, Some(b"here"));
    insert(HEAD, None, Some(elsewhere), None);
    insert(FIRST | LAST, Some(elsewhere), None, Some(b"guest"));
    insert(HEAD | FIRST, None, Some(elsewhere), Some(b"start"));
    insert(LAST, None, None, Some(b"end"));
    insert(row::WHOLE, None, None, Some(b"last"));
    let mut scanner = Scanner::new(ScanSpec { projection: vec![0], predicate: None, rowids: true });
    let mut sink = Collector::default();
    let first = scanner.scan_block(&bytes, 0, 100, &mut sink);
    assert_eq!(first, ScanOutcome { stop: Stop::Continued { slot: 3 }, examined: 2, accepted: 2 });
    assert!(scanner.offer(OBJECT, RowAddress::new(ADDRESS, 3), &[Some(b"whole")], &mut sink));
    let second = scanner.scan_block(&bytes, 4, 100, &mut sink);
    assert_eq!(second, ScanOutcome { stop: Stop::BlockEnd, examined: 1, accepted: 1 });
    let home = |slot| RowAddress::new(ADDRESS, slot);
    let text = |text: &str| vec![Some(text.as_bytes().to_vec())];
    let expected =
        vec![(home(0), text("here")), (elsewhere, text("guest")), (home(3), text("whole")), (home(5), text("last"))];
    assert_eq!(sink.rows, expected);
    // A count needs no columns: a chained row counts at its first piece alone.
    let mut count = Collector::default();
    let outcome = scan_block(&bytes, &ScanSpec::default(), 0, 100, &mut count);
    assert_eq!(outcome, ScanOutcome { stop: Stop::BlockEnd, examined: 4, accepted: 4 });
    assert_eq!(count.rows.len(), 4);
}

proptest! {
    /// No value is missing, others are rare, and the bytes are the filter's.
    #[test]
    fn a_filter_has_all_its_values(
        values in proptest::collection::hash_set(proptest::collection::vec(any::<u8>(), 0..30), 0..300),
        others in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 31..40), 200),
    ) {
        let hashes: Vec<u64> = values.iter().map(|value| BloomFilter::hash(value)).collect();
        let filter = BloomFilter::of(&hashes).unwrap();
        prop_assert!(values.iter().all(|value| filter.may_have(value)));
        prop_assert!(others.iter().filter(|value| filter.may_have(value)).count() < 40);
        prop_assert_eq!(BloomFilter::from_bytes(&filter.bytes()), Some(filter));
    }
}

#[test]
fn filters_have_a_size() {
    assert!(BloomFilter::of(&vec![7; BloomFilter::VALUES_MAX + 1]).is_none());
    let largest = BloomFilter::of(&vec![7; BloomFilter::VALUES_MAX]).unwrap().bytes();
    assert_eq!(largest.len(), 32 << 10);
    assert!(BloomFilter::from_bytes(&largest[8..]).is_none() && BloomFilter::from_bytes(&largest[1..]).is_none());
    assert!(BloomFilter::from_bytes(&[]).is_none() && BloomFilter::from_bytes(&largest.repeat(2)).is_none());
    let none = BloomFilter::of(&[]).unwrap();
    assert!(!none.may_have(b"") && !none.may_have(b"x"));
    let row: &[Option<&[u8]>] = &[None, Some(b"x")];
    let value = |column| Predicate::InFilter { column, filter: none.clone().into() }.evaluate(&mut { row });
    assert_eq!([value(0), value(1)], [Truth::Unknown, Truth::False]);
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![proptest::collection::vec(0..4u8, 0..3), proptest::collection::vec(0..4u8, 251..253)]
}

fn predicate() -> impl Strategy<Value = Predicate> {
    let comparison = proptest::sample::select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ]);
    let column = 0..COLUMNS + 1;
    let leaf = prop_oneof![
        4 => (column.clone(), comparison.clone(), value()).prop_map(|(c, o, v)| Predicate::compare(c, o, &v)),
        1 => (column.clone(), comparison, column.clone())
            .prop_map(|(left, comparison, right)| Predicate::CompareColumns { left, comparison, right }),
        1 => column.clone().prop_map(Predicate::IsNull),
        1 => column.clone().prop_map(Predicate::IsNotNull),
        2 => (column, proptest::collection::vec(proptest::option::weighted(0.8, value()), 0..4))
            .prop_map(|(c, values)| Predicate::in_list(c, values)),
        1 => Just(Predicate::Constant(Truth::Unknown)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Predicate::And),
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Predicate::Or),
            inner.prop_map(|part| Predicate::Not(Box::new(part))),
        ]
    })
}

/// The naive reading of SQL's logic: None is unknown.
fn naive(predicate: &Predicate, row: &Row) -> Option<bool> {
    let get = |column: &u16| row.get(usize::from(*column)).cloned().flatten();
    let compare = |comparison: &Comparison, left: Vec<u8>, right: Vec<u8>| match comparison {
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
    };
    match predicate {
        Predicate::Compare { column, comparison, value } => Some(compare(comparison, get(column)?, value.to_vec())),
        Predicate::CompareColumns { left, comparison, right } => Some(compare(comparison, get(left)?, get(right)?)),
        Predicate::InFilter { column, filter } => Some(filter.may_have(&get(column)?)),
        Predicate::IsNull(column) => Some(get(column).is_none()),
        Predicate::IsNotNull(column) => Some(get(column).is_some()),
        Predicate::In { column, values, null } => {
            // x IN (a, b) is x = a OR x = b.
            let mut parts: Vec<Option<bool>> =
                values.iter().map(|value| get(column).map(|found| found == value.to_vec())).collect();
            if *null {
                parts.push(None);
            }
            disjunction(&parts)
        }
        Predicate::And(parts) => {
            let negated: Vec<_> = parts.iter().map(|part| naive(part, row).map(|value| !value)).collect();
            disjunction(&negated).map(|value| !value)
        }
        Predicate::Or(parts) => disjunction(&parts.iter().map(|part| naive(part, row)).collect::<Vec<_>>()),
        Predicate::Not(part) => naive(part, row).map(|value| !value),
        Predicate::Constant(value) => match value {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Unknown => None,
        },
    }
}

fn disjunction(parts: &[Option<bool>]) -> Option<bool> {
    if parts.contains(&Some(true)) {
        Some(true)
    } else if parts.contains(&None) {
        None
    } else {
        Some(false)
    }
}

proptest! {
    #[test]
    fn a_scan_finds_what_a_naive_filter_finds(
        rows in proptest::collection::vec(proptest::collection::vec(proptest::option::weighted(0.8, value()), 0..=usize::from(COLUMNS)), 0..80),
        deleted in proptest::collection::vec(any::<bool>(), 80),
        projection in proptest::collection::vec(0..COLUMNS + 1, 0..4),
        predicate in proptest::option::of(predicate()),
        rowids in any::<bool>(),
        max_rows in 1..20usize,
    ) {
        let mut bytes = empty(BlockSize::K32);
        let mut buffer = RowBuffer::new();
        for row in &rows {
            buffer.push(&borrow(row));
        }
        let mut slots = Vec::new();
        heap::insert_rows(&mut bytes, &buffer, 0, 0, &mut slots);
        let mut expected = Vec::new();
        for ((slot, row), deleted) in slots.iter().zip(&rows).zip(&deleted) {
            if *deleted {
                heap::delete(&mut bytes, *slot);
            } else if predicate.as_ref().is_none_or(|predicate| naive(predicate, row) == Some(true)) {
                let columns: Row = projection.iter().map(|c| row.get(usize::from(*c)).cloned().flatten()).collect();
                expected.push((RowAddress::new(ADDRESS, *slot), columns));
            }
        }
        let spec = ScanSpec { projection, predicate, rowids };
        let mut scanner = Scanner::new(spec.clone());
        let mut sink = Collector::default();
        let mut slot = 0;
        loop {
            let before = sink.rows.len();
            let outcome = scanner.scan_block(&bytes, slot, max_rows, &mut sink);
            prop_assert_eq!(sink.rows.len() - before, outcome.accepted);
            prop_assert!(outcome.accepted <= max_rows);
            match outcome.stop {
                Stop::BlockEnd => break,
                Stop::Full { next_slot } => slot = next_slot,
                Stop::Continued { .. } => unreachable!(),
            }
        }
        if spec.projection.is_empty() && !spec.rowids {
            prop_assert_eq!(sink.rows.len(), expected.len());
        } else {
            prop_assert_eq!(sink.rows, expected);
        }
    }
}
