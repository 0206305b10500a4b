//! Scans of table blocks that pass `validate`: the same rows whether at once or a few at a time, and as many when they
//! are only counted.

#![no_main]

use common::{BlockAddress, ObjectNumber};
use format::heap;
use highwater_fuzz::{Input, heap_block};
use libfuzzer_sys::fuzz_target;
use scan::{Comparison, Predicate, RowSink, ScanSpec, Scanner, Stop, scan_block};

#[derive(Default, PartialEq, Debug)]
struct Found {
    rows: Vec<(BlockAddress, u16, Vec<Option<Vec<u8>>>)>,
    home: Option<BlockAddress>,
    counted: usize,
}

impl RowSink for Found {
    fn block(&mut self, _object: ObjectNumber, address: BlockAddress) {
        self.home = Some(address);
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        let columns = columns.iter().map(|column| column.map(<[u8]>::to_vec)).collect();
        self.rows.push((self.home.unwrap_or(BlockAddress::NONE), slot, columns));
    }

    fn rows(&mut self, count: usize) {
        self.counted += count;
    }
}

fn predicate(input: &mut Input<'_>, depth: u8) -> Predicate {
    let column = u16::from(input.byte() % 10);
    let comparisons = [
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
    ];
    let comparison = comparisons[input.below(comparisons.len())];
    match input.byte() % if depth > 3 { 5 } else { 8 } {
        0 => Predicate::compare(column, comparison, &input.column().unwrap_or_default()),
        1 => Predicate::CompareColumns { left: column, comparison, right: u16::from(input.byte() % 10) },
        2 => Predicate::IsNull(column),
        3 => Predicate::IsNotNull(column),
        4 => Predicate::in_list(column, input.columns(4)),
        5 => Predicate::And((0..input.byte() % 4).map(|_| predicate(input, depth + 1)).collect()),
        6 => Predicate::Or((0..input.byte() % 4).map(|_| predicate(input, depth + 1)).collect()),
        _ => Predicate::Not(Box::new(predicate(input, depth + 1))),
    }
}

/// Scans with calls of at most `most` rows; rows that continue elsewhere are passed over. Rows looked at and handed
/// over.
fn scan(bytes: &[u8], spec: &ScanSpec, most: usize, found: &mut Found) -> (usize, usize) {
    let mut scanner = Scanner::new(spec.clone());
    let (mut slot, mut examined, mut accepted) = (0, 0, 0);
    loop {
        let outcome = scanner.scan_block(bytes, slot, most, found);
        examined += outcome.examined;
        accepted += outcome.accepted;
        assert!(outcome.accepted <= most && outcome.accepted <= outcome.examined);
        slot = match outcome.stop {
            Stop::BlockEnd => return (examined, accepted),
            Stop::Full { next_slot } => next_slot,
            Stop::Continued { slot } => slot + 1,
        };
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let bytes = heap_block::make(&mut input);
    if heap::validate(&bytes).is_err() {
        return;
    }
    let projection = (0..input.byte() % 5).map(|_| u16::from(input.byte() % 10)).collect();
    let rowids = input.byte() & 1 != 0;
    let condition = (input.byte() & 1 != 0).then(|| predicate(&mut input, 0));
    let spec = ScanSpec { projection, predicate: condition, rowids };

    let (mut whole, mut parts) = (Found::default(), Found::default());
    let all = scan(&bytes, &spec, usize::MAX, &mut whole);
    let few = scan(&bytes, &spec, usize::from(input.byte() % 4) + 1, &mut parts);
    assert_eq!((all, &whole), (few, &parts));
    let _ = scan_block(&bytes, &spec, input.word(), 3, &mut Found::default());

    if spec.predicate.is_some() {
        let counting = ScanSpec { projection: Vec::new(), rowids: false, ..spec };
        let mut counted = Found::default();
        assert_eq!(scan(&bytes, &counting, usize::MAX, &mut counted), all);
        assert_eq!(counted.counted, all.1);
    }
});
