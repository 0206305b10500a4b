//! Table blocks and what is done to them.

use std::collections::BTreeMap;

use common::limits::COLUMNS_PER_PIECE_MAX;
use common::{BlockAddress, FileNumber, ObjectNumber};
use format::block::{self, BlockType};
use format::heap::row::{self, CONTINUED, FIRST, HEAD, LAST, RowAddress, WHOLE};
use format::heap::{self, RowBuffer};
use format::transaction::{BlockOwner, Owner};

use crate::{Input, formatted, patch};

/// A table block after some inserts, deletes and updates, with some bytes changed.
pub fn make(input: &mut Input<'_>) -> Vec<u8> {
    let mut bytes = formatted(input, BlockType::Data);
    let choice = input.byte();
    let bitmap = (choice & 1 != 0).then(|| BlockAddress::new(FileNumber(4), 9));
    let owner = BlockOwner { owner: Owner::Table, object: ObjectNumber(77), itl_slots: choice >> 1 & 3, bitmap };
    heap::init(&mut bytes, owner);
    for _ in 0..input.byte() % 16 {
        step(&mut bytes, input);
    }
    patch(&mut bytes, input);
    block::seal(&mut bytes);
    bytes
}

/// Slots and their row pieces; the lock byte is not the row's own.
pub type Rows = BTreeMap<u16, Vec<u8>>;

pub fn rows(block: &[u8]) -> Rows {
    heap::live_rows(block, 0)
        .map(|(slot, piece)| {
            let mut bytes = piece.encoded().expect("a valid piece has an end").to_vec();
            bytes[1] = 0;
            (slot, bytes)
        })
        .collect()
}

/// A row piece of any of the kinds there are.
fn piece(input: &mut Input<'_>) -> Vec<u8> {
    let flags = [WHOLE, WHOLE, WHOLE, HEAD | FIRST, HEAD, FIRST | LAST, FIRST, LAST, 0, LAST | CONTINUED];
    let flags = flags[input.below(flags.len())];
    let address = RowAddress::new(BlockAddress::new(FileNumber(4), 131), input.word());
    let columns = if flags == HEAD { Vec::new() } else { input.columns(8) };
    let columns: Vec<Option<&[u8]>> = columns.iter().map(Option::as_deref).collect();
    assert!(columns.len() <= COLUMNS_PER_PIECE_MAX);
    let mut bytes = Vec::new();
    let (head, next) = (row::has_head_address(flags), row::has_next_address(flags));
    row::encode_piece(flags, head.then_some(address), next.then_some(address), &columns, &mut bytes);
    bytes
}

/// Does one thing to a valid block and checks that just that happened.
pub fn step(block: &mut [u8], input: &mut Input<'_>) {
    let mut expected = rows(block);
    let slot = input.below(usize::from(heap::slot_count(block)) + 1) as u16;
    match input.byte() % 7 {
        0..=2 => {
            let piece = piece(input);
            let room = piece.len().max(common::limits::LEAST_ROW_BYTES) <= heap::available(block);
            let inserted = heap::insert(block, &piece);
            assert_eq!(inserted.is_some(), room, "available bytes and insert disagree");
            if let Some(slot) = inserted {
                assert!(expected.insert(slot, piece).is_none(), "slot {slot} was in use");
            }
        }
        3 | 4 => {
            assert_eq!(heap::delete(block, slot), expected.remove(&slot).is_some());
        }
        5 => {
            let piece = piece(input);
            let fits = heap::replace_fits(block, slot, piece.len());
            assert_eq!(heap::replace(block, slot, &piece), fits);
            if fits {
                expected.insert(slot, piece);
            }
        }
        _ => {
            let mut buffer = RowBuffer::new();
            for _ in 0..input.byte() % 6 {
                let columns = input.columns(4);
                buffer.push(&columns.iter().map(Option::as_deref).collect::<Vec<_>>());
            }
            let mut slots = Vec::new();
            let pctfree = input.byte() % 100;
            let count = heap::insert_rows(block, &buffer, 0, pctfree, &mut slots);
            assert_eq!(count, slots.len());
            if let Some(next) = buffer.get(count) {
                assert!(!heap::fits(block, next.len(), pctfree), "a row that fits was left over");
            }
            for (index, slot) in slots.into_iter().enumerate() {
                let row = buffer.get(index).expect("inserted").to_vec();
                assert!(expected.insert(slot, row).is_none(), "slot {slot} was in use");
            }
        }
    }
    if let Err(error) = heap::validate(block) {
        panic!("a valid block became invalid: {error}");
    }
    assert_eq!(rows(block), expected);
    assert_eq!(heap::row_count(block), expected.len());
    let credit = format::itl::slots(block).any(|(_, itl)| itl.credit() > 0);
    assert_eq!(heap::is_empty(block), expected.is_empty() && !credit);
    assert!(heap::used_percent(block) <= 100);
}
