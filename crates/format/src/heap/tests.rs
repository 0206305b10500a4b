use common::limits::ROWS_PER_BLOCK_MAX;
use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber};
use proptest::prelude::*;

use super::chain::{Chain, fits_one_piece};
use super::row::{self, CONTINUED, RowAddress, RowBuffer};
use super::*;
use crate::block::{self as base, BlockType};
use crate::transaction::{self, BlockOwner, Owner};

const ADDRESS: BlockAddress = BlockAddress { file: FileNumber(4), block: 130 };

fn empty(size: BlockSize, itl_slots: u8, assm: bool) -> Vec<u8> {
    let mut block = vec![0; size.bytes()];
    base::format(&mut block, BlockType::Data, ADDRESS);
    let bitmap = assm.then(|| BlockAddress::new(FileNumber(4), 128));
    init(&mut block, BlockOwner { owner: Owner::Table, object: ObjectNumber(77), itl_slots, bitmap });
    block
}

fn encode(columns: &[Option<&[u8]>]) -> Vec<u8> {
    let mut buffer = RowBuffer::new();
    buffer.push(columns);
    buffer.get(0).unwrap().to_vec()
}

/// Columns 1 of 5 bytes (a NUMBER of eight digits), 2 NULL: 9 bytes.
fn short_row() -> Vec<u8> {
    encode(&[Some(&[0xc4, 12, 34, 56, 78]), None])
}

#[test]
fn an_empty_8k_block_has_the_published_room() {
    let block = empty(BlockSize::K8, 2, true);
    assert_eq!(free_bytes(&block), 8070);
    assert_eq!(available(&block), 8068);
    assert_eq!(capacity(8192, 2, true), 8068);
    assert_eq!(capacity(8192, 2, false), 8076);
    assert!(is_empty(&block));
    validate(&block).unwrap();
}

/// Rows in a block filled to its PCTFREE, and how many of them can grow by six bytes in place.
#[test]
fn short_rows_take_eleven_bytes_and_the_reserve_lets_the_published_number_grow() {
    let long = encode(&[Some(&[0xc4, 12, 34, 56, 78]), Some(&[0xc4, 12, 34, 56, 78])]);
    for (size, rows, growing) in [(BlockSize::K4, 324, 68), (BlockSize::K8, 659, 136), (BlockSize::K16, 1329, 273)] {
        let mut block = empty(size, 2, true);
        let mut buffer = RowBuffer::new();
        for _ in 0..2000 {
            buffer.push_encoded(&short_row());
        }
        let mut slots = Vec::new();
        assert_eq!(insert_rows(&mut block, &buffer, 0, 10, &mut slots), rows);
        assert_eq!(size.bytes() - 122 - rows * 11, free_bytes(&block), "11 bytes a row");
        assert!(!fits(&block, 9, 10));
        let grown = (0..rows as u16).take_while(|slot| replace(&mut block, *slot, &long)).count();
        assert_eq!(grown, growing);
        validate(&block).unwrap();
    }
}

#[test]
fn a_directory_holds_4095_slots() {
    let mut block = empty(BlockSize::K32, 2, false);
    let mut buffer = RowBuffer::new();
    for _ in 0..5000 {
        buffer.push(&[]);
    }
    let mut slots = Vec::new();
    // 32 KB have room for 2,969 rows of eleven bytes: the limit is reached only by slots that stay behind.
    let rows = insert_rows(&mut block, &buffer, 0, 0, &mut slots);
    assert!(rows < ROWS_PER_BLOCK_MAX);
    assert_eq!(slots.len(), rows);
    assert_eq!(row_count(&block), rows);
    validate(&block).unwrap();
}

#[test]
fn a_row_grows_into_holes_by_compaction_and_a_stub_always_fits() {
    let mut block = empty(BlockSize::K2, 1, false);
    let row = encode(&[Some(&[7; 90])]);
    while insert(&mut block, &row).is_some() {}
    for slot in (0..row_count(&block) as u16).step_by(2) {
        assert!(delete(&mut block, slot));
    }
    let large = encode(&[Some(&[9; 500])]);
    assert!(replace(&mut block, 1, &large));
    validate(&block).unwrap();
    assert_eq!(row::row(&block, 1).unwrap().columns().next(), Some(Some(&[9u8; 500][..])));
    assert_eq!(row::row(&block, 3).unwrap().columns().next(), Some(Some(&[7u8; 90][..])));
    let target = RowAddress::new(ADDRESS.plus(4), 9);
    assert!(replace(&mut block, 3, &row::stub(target)));
    let stub = row::row(&block, 3).unwrap();
    assert!(stub.is_stub() && !stub.starts_row());
    assert_eq!(stub.next_address(), Some(target));
    validate(&block).unwrap();
}

#[test]
fn a_block_that_is_emptied_takes_any_row_again() {
    let mut block = empty(BlockSize::K2, 2, true);
    while insert(&mut block, &short_row()).is_some() {}
    for slot in 0..row_count(&block) as u16 {
        assert!(delete(&mut block, slot));
    }
    assert!(is_empty(&block));
    let largest = encode(&[Some(&vec![1; capacity(2048, 2, true) - 6])]);
    assert!(fits(&block, largest.len(), 99));
    assert!(insert(&mut block, &largest).is_some());
    assert_eq!(free_bytes(&block), 0);
    validate(&block).unwrap();
}

#[test]
fn validate_finds_each_kind_of_damage() {
    let mut block = empty(BlockSize::K2, 2, true);
    for _ in 0..10 {
        insert(&mut block, &short_row());
    }
    delete(&mut block, 4);
    validate(&block).unwrap();
    let body = transaction::body_offset(&block);
    let low = usize::from(header::header(&block).end.get());
    // Each byte whose change must be seen: header counts, directory entries, flags, lock and lengths of a row.
    for at in (body + 1..body + 18 + 20).chain([low, low + 1, low + 2, low + 3]) {
        let mut bad = block.clone();
        bad[at] ^= 0x41;
        assert!(validate(&bad).is_err(), "a change at {at} went unseen");
    }
}

#[test]
fn dump_shows_rows_and_free_slots() {
    let mut block = empty(BlockSize::K2, 2, true);
    insert(&mut block, &encode(&[Some(b"SCOTT"), None, Some(&[0x80])]));
    insert(&mut block, &short_row());
    insert(&mut block, &short_row());
    delete(&mut block, 1);
    let text = dump(&block);
    assert!(text.contains("'SCOTT'") && text.contains("slot 1: free") && text.contains("NULL"), "{text}");
}

fn block_size() -> impl Strategy<Value = BlockSize> {
    proptest::sample::select(BlockSize::ALL.to_vec())
}

fn column() -> impl Strategy<Value = Option<Vec<u8>>> {
    prop_oneof![
        1 => Just(None),
        6 => proptest::collection::vec(any::<u8>(), 0..24).prop_map(Some),
        1 => proptest::collection::vec(any::<u8>(), 240..700).prop_map(Some),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<Option<Vec<u8>>>),
    InsertMany(Vec<Vec<Option<Vec<u8>>>>, u8),
    Delete(u16),
    Replace(u16, Vec<Option<Vec<u8>>>),
}

fn step() -> impl Strategy<Value = Step> {
    let row = || proptest::collection::vec(column(), 0..6);
    prop_oneof![
        3 => row().prop_map(Step::Insert),
        1 => (proptest::collection::vec(row(), 1..40), 0..60u8).prop_map(|(rows, pctfree)| Step::InsertMany(rows, pctfree)),
        3 => any::<u16>().prop_map(Step::Delete),
        3 => (any::<u16>(), row()).prop_map(|(slot, row)| Step::Replace(slot, row)),
    ]
}

fn borrow(row: &[Option<Vec<u8>>]) -> Vec<Option<&[u8]>> {
    row.iter().map(Option::as_deref).collect()
}

/// The model: the row of each slot, as encoded columns without NULLs at the end.
type Model = Vec<Option<Vec<Option<Vec<u8>>>>>;

fn trimmed(row: &[Option<Vec<u8>>]) -> Vec<Option<Vec<u8>>> {
    let stored = row.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    row[..stored].to_vec()
}

fn put(model: &mut Model, slot: u16, row: &[Option<Vec<u8>>]) {
    let slot = usize::from(slot);
    if model.len() <= slot {
        model.resize(slot + 1, None);
    }
    assert!(model[slot].is_none(), "slot {slot} was in use");
    model[slot] = Some(trimmed(row));
}

fn compare(block: &[u8], model: &Model) {
    validate(block).unwrap();
    let found: Vec<(u16, Vec<Option<Vec<u8>>>)> =
        rows(block, 0).map(|(slot, piece)| (slot, piece.columns().map(|c| c.map(<[u8]>::to_vec)).collect())).collect();
    let expected: Vec<(u16, Vec<Option<Vec<u8>>>)> =
        model.iter().enumerate().filter_map(|(slot, row)| Some((slot as u16, row.clone()?))).collect();
    assert_eq!(found, expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_block_is_what_a_vector_of_rows_is(size in block_size(), assm in any::<bool>(), steps in proptest::collection::vec(step(), 1..120)) {
        let mut block = empty(size, 2, assm);
        let mut model: Model = Vec::new();
        for step in steps {
            match step {
                Step::Insert(row) => {
                    let piece = encode(&borrow(&row));
                    let fitted = available(&block) >= piece.len().max(9);
                    let slot = insert(&mut block, &piece);
                    prop_assert_eq!(slot.is_some(), fitted);
                    if let Some(slot) = slot {
                        put(&mut model, slot, &row);
                    }
                }
                Step::InsertMany(rows, pctfree) => {
                    let mut buffer = RowBuffer::new();
                    for row in &rows {
                        buffer.push(&borrow(row));
                    }
                    // The same rows one by one must give the same block.
                    let mut single = block.clone();
                    let mut expected = 0;
                    while expected < rows.len() && fits(&single, buffer.get(expected).unwrap().len(), pctfree) {
                        insert(&mut single, buffer.get(expected).unwrap()).unwrap();
                        expected += 1;
                    }
                    let mut slots = Vec::new();
                    prop_assert_eq!(insert_rows(&mut block, &buffer, 0, pctfree, &mut slots), expected);
                    prop_assert_eq!(free_bytes(&block), free_bytes(&single));
                    for (slot, row) in slots.into_iter().zip(&rows) {
                        put(&mut model, slot, row);
                    }
                }
                Step::Delete(at) => {
                    if model.is_empty() {
                        continue;
                    }
                    let slot = at % model.len() as u16;
                    let deleted = delete(&mut block, slot);
                    prop_assert_eq!(deleted, model[usize::from(slot)].take().is_some());
                }
                Step::Replace(at, row) => {
                    if model.is_empty() {
                        continue;
                    }
                    let slot = at % model.len() as u16;
                    let before = block.clone();
                    if replace(&mut block, slot, &encode(&borrow(&row))) {
                        prop_assert!(model[usize::from(slot)].is_some());
                        model[usize::from(slot)] = Some(trimmed(&row));
                    } else {
                        prop_assert_eq!(&before, &block);
                    }
                }
            }
            if model.iter().all(Option::is_none) {
                model.clear();
            }
            compare(&block, &model);
        }
    }

    #[test]
    fn damaged_blocks_are_reported_or_shown_without_a_panic(
        size in block_size(),
        rows in proptest::collection::vec(proptest::collection::vec(column(), 0..6), 0..40),
        harm in proptest::collection::vec((any::<proptest::sample::Index>(), any::<bool>(), any::<u8>()), 1..12),
    ) {
        let mut block = empty(size, 2, true);
        for row in &rows {
            insert(&mut block, &encode(&borrow(row)));
        }
        delete(&mut block, 1);
        let bytes = block.len();
        for (at, in_front, byte) in harm {
            // Most of the structure is at the front.
            let at = if in_front { 20 + at.index(200) } else { 20 + at.index(bytes - 20) };
            block[at] = byte;
        }
        let _ = validate(&block);
        let _ = dump(&block);
    }

    #[test]
    fn a_row_that_is_cut_comes_together_again(
        row in proptest::collection::vec(prop_oneof![column(), proptest::collection::vec(any::<u8>(), 0..4001).prop_map(Some)], 0..400),
        size in block_size(),
    ) {
        let capacity = capacity(size.bytes(), 2, true);
        let columns = borrow(&row);
        let chain = Chain::cut(&columns, capacity);
        let other = RowAddress::new(ADDRESS, 1);
        let mut whole: Vec<Option<Vec<u8>>> = Vec::new();
        for index in 0..chain.len() {
            let mut piece = Vec::new();
            let next = (index + 1 < chain.len()).then_some(other);
            chain.encode(index, (index == 0).then_some(other), next, &mut piece);
            prop_assert!(piece.len() <= capacity);
            prop_assert!(insert(&mut empty(size, 2, true), &piece).is_some());
            piece.resize(piece.len().max(9), 0);
            let piece = RowPiece::new(&piece).unwrap();
            prop_assert_eq!(piece.next_address(), next);
            for (number, column) in piece.columns().enumerate() {
                if number == 0 && piece.flags() & CONTINUED != 0 {
                    whole.last_mut().unwrap().as_mut().unwrap().extend_from_slice(column.unwrap());
                } else {
                    whole.push(column.map(<[u8]>::to_vec));
                }
            }
        }
        if fits_one_piece(&columns, capacity, true) && chain.len() > 1 {
            prop_assert!(!fits_one_piece(&columns, capacity - 6, true), "cut without need");
        }
        prop_assert_eq!(whole, trimmed(&row));
    }
}
