//! Changes write nothing outside of what they say that they may write, in blocks with every kind of past.

use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn, Seeded, Uba, Xid};

use super::change::{self, insert_freed, lock_row, mark_deleted};
use super::row::{self, RowBuffer, WHOLE};
use super::*;
use crate::block::{self as base, BlockType};
use crate::itl::SlotState;
use crate::redo::{self, Before, Reach, Version};
use crate::transaction::{self, BlockOwner, Owner};

const ADDRESS: BlockAddress = BlockAddress { file: FileNumber(4), block: 130 };
const PCTFREE: u8 = 10;

fn empty(size: BlockSize, itl_slots: u8, assm: bool) -> Vec<u8> {
    let mut block = vec![0; size.bytes()];
    base::format(&mut block, BlockType::Data, ADDRESS);
    let bitmap = assm.then(|| BlockAddress::new(FileNumber(4), 128));
    init(&mut block, BlockOwner { owner: Owner::Table, object: ObjectNumber(77), itl_slots, bitmap });
    block
}

fn xid(n: u64) -> Xid {
    Xid { segment: 3, slot: (n % 7) as u16, sequence: n as u32 + 1 }
}

fn uba(n: u64) -> Uba {
    Uba { block: BlockAddress::new(FileNumber(3), 9 + (n % 50) as u32), sequence: 4, record: (n % 255) as u8 }
}

/// How often a change had a reach, and how often it had none.
#[derive(Default, Debug)]
struct Counts {
    within: usize,
    whole: usize,
}

/// Makes a change; with a reach, checks that nothing else is written, and that redo and the way back are those of the
/// whole block.
fn made<R>(block: &mut [u8], reach: Option<Reach>, counts: &mut Counts, change: impl FnOnce(&mut [u8]) -> R) -> R {
    let before = block.to_vec();
    let result = change(block);
    let Some(reach) = reach else {
        counts.whole += 1;
        return result;
    };
    counts.within += 1;
    let mut from = 0;
    let end = block.len()..block.len();
    for range in reach.ranges().iter().chain([&end]) {
        assert_eq!(before[from..range.start], block[from..range.start], "behind offset {from} of {reach:?}");
        from = range.end;
    }
    let mut kept = Vec::new();
    reach.keep(&before, &mut kept);
    let (all, part) = (Before::Whole(&before), Before::Within(&reach, &kept));
    let (one, two) = (Version { scn: 9, seq: 1 }, Version { scn: 12, seq: 1 });
    let (mut whole, mut within) = (Vec::new(), Vec::new());
    redo::difference(&mut whole, 1, ADDRESS, &all, block, one, two);
    redo::difference(&mut within, 1, ADDRESS, &part, block, one, two);
    assert_eq!(whole, within, "{reach:?}");
    assert_eq!(redo::overwritten(&whole, &all), redo::overwritten(&within, &part), "{reach:?}");
    result
}

/// As a transaction changes a block: an ITL slot is taken or named, and restored when the change is refused.
fn transacted(
    block: &mut [u8],
    slot: (u8, bool),
    ids: (Xid, Uba),
    reach: Option<Reach>,
    counts: &mut Counts,
    change: impl FnOnce(&mut [u8], u8) -> bool,
) {
    let (number, fresh) = slot;
    let before = itl::bytes(block, number);
    made(block, reach, counts, |bytes| {
        if fresh {
            itl::take(bytes, number, ids.0, ids.1);
        } else {
            itl::set_uba(bytes, number, ids.1);
        }
        if !change(bytes, number) {
            itl::restore(bytes, number, &before);
        }
    });
}

/// An ITL slot of the transaction, cleaned or added where it has none.
fn interest(block: &mut [u8], own: Xid, another: bool, scn: u64) -> Option<(u8, bool)> {
    if let Some(number) = itl::find(block, own).filter(|_| !another) {
        return Some((number, false));
    }
    if let Some(number) = itl::free_slot(block) {
        if itl::slot(block, number).is_some_and(|slot| !slot.is_unused()) {
            itl::clean(block, number, Scn(scn), false);
        }
        return Some((number, true));
    }
    Some((itl::add(block, 255)?, true))
}

fn piece(numbers: &mut Seeded, block: &[u8]) -> Vec<u8> {
    let (block_bytes, gap) = (block.len(), space::gap(block));
    let bytes = match numbers.below(10) {
        // As long as the gap, or nearly so.
        0 if gap > 20 => gap + 2 - numbers.index(16),
        0..2 => numbers.index(6),
        2..7 => numbers.index(120),
        7..9 => numbers.index(block_bytes / 8),
        _ => numbers.index(block_bytes - 200),
    };
    let data = vec![numbers.draw() as u8; bytes];
    let mut out = Vec::new();
    if chain::fits_one_piece(&[Some(&data)], capacity(block_bytes, 1, false), false) {
        row::encode_piece(WHOLE, None, None, &[Some(&data)], &mut out);
    } else {
        row::encode_piece(WHOLE, None, None, &[None, Some(b"x")], &mut out);
    }
    out
}

fn some_slot(block: &[u8], numbers: &mut Seeded) -> u16 {
    // Free slots, and those beyond the directory, are asked for as well.
    numbers.below(u64::from(slot_count(block)) + 2) as u16
}

fn step(block: &mut Vec<u8>, numbers: &mut Seeded, scn: &mut u64, counts: &mut Counts) {
    *scn += 1;
    let own = xid(numbers.below(5));
    let ids = (own, uba(numbers.draw()));
    let block_bytes = block.len();
    let choice = numbers.below(100);
    if choice < 75 {
        let another = numbers.percent(10);
        let Some(slot) = interest(block, own, another, *scn) else { return };
        match choice {
            0..35 => {
                let piece = piece(numbers, block);
                let fits = fits(block, piece.len(), PCTFREE);
                let reach = fits.then(|| change::insert_reach(block, piece.len())).flatten();
                let many = numbers.percent(50);
                transacted(block, slot, ids, reach, counts, |bytes, itl| {
                    if many {
                        let mut rows = RowBuffer::new();
                        rows.push_encoded(&piece);
                        change::insert_rows(bytes, &rows, 0, PCTFREE, itl, &mut Vec::new()) > 0
                    } else if fits {
                        change::insert(bytes, &piece, itl).is_some()
                    } else {
                        insert_freed(bytes, &piece, itl).is_some()
                    }
                });
            }
            35..55 => {
                let (at, piece) = (some_slot(block, numbers), piece(numbers, block));
                let reach = change::replace_reach(block, at, piece.len());
                transacted(block, slot, ids, reach, counts, |bytes, itl| change::replace(bytes, at, &piece, itl));
            }
            55..68 => {
                let at = some_slot(block, numbers);
                let reach = change::touch_reach(block, at);
                transacted(block, slot, ids, reach, counts, |bytes, itl| mark_deleted(bytes, at, itl));
            }
            _ => {
                let at = some_slot(block, numbers);
                let reach = change::touch_reach(block, at);
                transacted(block, slot, ids, reach, counts, |bytes, itl| lock_row(bytes, at, itl));
            }
        }
        return;
    }
    let count = transaction::header(block).itl_count;
    let number = 1 + numbers.below(u64::from(count)) as u8;
    match choice {
        75..83 => {
            let mine: Vec<u8> = itl::slots(block)
                .filter(|(_, slot)| slot.is_active() && slot.xid() == own)
                .map(|(number, _)| number)
                .collect();
            let reach = itl::commit_reach(block, &mine);
            made(block, reach, counts, |bytes| mine.iter().for_each(|number| itl::commit(bytes, *number, Scn(*scn))));
        }
        83..92 => {
            let all = numbers.percent(30);
            for number in if all { 1..=count } else { number..=number } {
                let reach = itl::clean_reach(block, number);
                let upper_bound = numbers.percent(30);
                made(block, reach, counts, |bytes| itl::clean(bytes, number, Scn(*scn), upper_bound));
            }
        }
        92..95 => {
            // What the slot says of an ended transaction with a high SCN lies where a running one's credit does.
            let wide = Scn(*scn | 7 << 32);
            itl::commit(block, number, wide);
        }
        95..97 => {
            let all: Vec<u16> = live_rows(block, 0).map(|(slot, _)| slot).collect();
            for slot in all.into_iter().filter(|_| numbers.percent(20)) {
                delete(block, slot);
            }
        }
        97..99 => {
            if itl::slot(block, number).is_some_and(|slot| matches!(slot.state(), SlotState::Unused)) && count < 20 {
                itl::add(block, 255);
            }
        }
        _ => {
            let assm = numbers.percent(50);
            let size = BlockSize::from_bytes(block_bytes as u64).unwrap();
            *block = empty(size, 1 + numbers.below(4) as u8, assm);
            if numbers.percent(30) {
                itl::set_loaded(block, Scn(*scn));
            }
        }
    }
}

fn explore(seeds: u64, steps: u64) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..seeds {
        for size in BlockSize::ALL {
            let mut numbers = Seeded::at(seed, size.bytes() as u64);
            let (slots, assm) = (1 + numbers.below(4) as u8, numbers.percent(50));
            let mut block = empty(size, slots, assm);
            let mut scn = 10;
            for _ in 0..steps {
                step(&mut block, &mut numbers, &mut scn, &mut counts);
            }
            validate(&block).unwrap_or_else(|fault| panic!("seed {seed}, {size}: {fault}\n{}", dump(&block)));
        }
    }
    counts
}

#[test]
fn changes_stay_within_their_reach() {
    let counts = explore(40, 300);
    assert!(counts.within > counts.whole, "{counts:?}");
}
