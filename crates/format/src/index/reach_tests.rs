//! Changes of leaves write nothing outside of what they say that they may write.

use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Scn, Seeded, Uba, Xid};

use super::header::{self, KeyShape};
use super::{Leaf, change, key, leaf, validate};
use crate::block::{self, BlockType};
use crate::itl;
use crate::redo::{self, Before, Reach, Version};
use crate::transaction::{self, BlockOwner, Owner};

const HERE: BlockAddress = BlockAddress { file: FileNumber(5), block: 200 };

fn empty_leaf(size: BlockSize, shape: KeyShape, itl_slots: u8, automatic: bool) -> Vec<u8> {
    let mut bytes = vec![0; size.bytes()];
    block::format(&mut bytes, BlockType::Data, HERE);
    let bitmap = automatic.then(|| BlockAddress::new(FileNumber(5), 128));
    let owner = BlockOwner { owner: Owner::Index, object: ObjectNumber(77), itl_slots, bitmap };
    transaction::init(&mut bytes, owner);
    leaf::init(&mut bytes, shape, BlockAddress::NONE, BlockAddress::NONE);
    bytes
}

fn xid(n: u64) -> Xid {
    Xid { segment: 2, slot: 1, sequence: n as u32 + 1 }
}

fn uba(n: u64) -> Uba {
    Uba { block: BlockAddress::new(FileNumber(3), 9 + (n % 50) as u32), sequence: 4, record: (n % 255) as u8 }
}

fn some_key(shape: KeyShape, numbers: &mut Seeded, block: &[u8]) -> (Vec<u8>, [u8; 6]) {
    let common = header::common(block);
    let gap = usize::from(common.free_end.get() - common.free_begin.get());
    let length = match numbers.below(10) {
        // As long as the gap, or nearly so.
        0..2 if (20..block.len() / 8).contains(&gap) => gap + 4 - numbers.index(20),
        0..9 => 1 + numbers.index(20),
        _ => 1 + numbers.index(block.len() / 8),
    };
    let data = vec![b'a' + numbers.below(20) as u8; length];
    let rowid = [1, 0, 0, 200, 0, numbers.below(20) as u8];
    let mut image = Vec::new();
    key::put_column(&mut image, Some(&data));
    if !shape.unique {
        key::put_rowid(&mut image, rowid);
    }
    (image, rowid)
}

#[derive(Default, Debug)]
struct Counts {
    within: usize,
    whole: usize,
    refused: usize,
}

fn transacted(
    block: &mut [u8],
    slot: (u8, bool),
    ids: (Xid, Uba),
    reach: Option<Reach>,
    counts: &mut Counts,
    change: impl FnOnce(&mut [u8], u8) -> bool,
) {
    let (number, fresh) = slot;
    let (old, before) = (itl::bytes(block, number), block.to_vec());
    if fresh {
        itl::take(block, number, ids.0, ids.1);
    } else {
        itl::set_uba(block, number, ids.1);
    }
    if !change(block, number) {
        itl::restore(block, number, &old);
        counts.refused += 1;
    }
    let Some(reach) = reach else {
        counts.whole += 1;
        return;
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
    redo::difference(&mut whole, 1, HERE, &all, block, one, two);
    redo::difference(&mut within, 1, HERE, &part, block, one, two);
    assert_eq!(whole, within, "{reach:?}");
    assert_eq!(redo::overwritten(&whole, &all), redo::overwritten(&within, &part), "{reach:?}");
}

fn interest(block: &mut [u8], own: Xid, scn: u64) -> Option<(u8, bool)> {
    if let Some(number) = itl::find(block, own) {
        return Some((number, false));
    }
    if let Some(number) = itl::free_slot(block) {
        if itl::slot(block, number).is_some_and(|slot| !slot.is_unused()) {
            itl::clean(block, number, Scn(scn), false);
        }
        return Some((number, true));
    }
    Some((itl::add(block, 30)?, true))
}

fn step(block: &mut Vec<u8>, shape: KeyShape, numbers: &mut Seeded, scn: &mut u64, counts: &mut Counts) {
    *scn += 1;
    let own = xid(numbers.below(5));
    let ids = (own, uba(numbers.draw()));
    let choice = numbers.below(100);
    if choice < 85 {
        let Some(slot) = interest(block, own, *scn) else { return };
        let (key, rowid) = some_key(shape, numbers, block);
        match Leaf::of(block).search(&key) {
            Err(at) => {
                let reach = change::insert_reach(block, key.len());
                transacted(block, slot, ids, reach, counts, |bytes, itl| change::insert(bytes, at, &key, rowid, itl));
            }
            Ok(at) => {
                let reach = change::touch_reach(block, at);
                let kind = numbers.below(5);
                transacted(block, slot, ids, reach, counts, |bytes, itl| match kind {
                    0 | 1 => change::mark_deleted(bytes, at, itl),
                    2 | 3 => change::revive(bytes, at, rowid, itl).is_some(),
                    _ => change::lock(bytes, at, itl),
                });
            }
        }
        return;
    }
    let count = transaction::header(block).itl_count;
    let number = 1 + numbers.below(u64::from(count)) as u8;
    match choice {
        85..91 => {
            let mine: Vec<u8> = itl::slots(block)
                .filter(|(_, slot)| slot.is_active() && slot.xid() == own)
                .map(|(number, _)| number)
                .collect();
            let reach = itl::commit_reach(block, &mine);
            assert!(reach.is_some());
            let before = block.clone();
            mine.iter().for_each(|number| itl::commit(block, *number, Scn(*scn)));
            for at in (0..block.len()).filter(|at| before[*at] != block[*at]) {
                assert!(reach.iter().flat_map(Reach::ranges).any(|range| range.contains(&at)), "offset {at}");
            }
        }
        91..96 => itl::clean(block, number, Scn(*scn), numbers.percent(30)),
        96..98 => {
            change::purge(block, |slot| slot.committed().is_some());
        }
        98 => {
            itl::add(block, 30);
        }
        _ => {
            let size = BlockSize::from_bytes(block.len() as u64).unwrap();
            *block = empty_leaf(size, shape, 2 + numbers.below(3) as u8, numbers.percent(50));
        }
    }
}

fn explore(seeds: u64, steps: u64) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..seeds {
        for size in BlockSize::ALL {
            let mut numbers = Seeded::at(seed, size.bytes() as u64);
            let shape = KeyShape { columns: 1, unique: numbers.percent(50) };
            let mut block = empty_leaf(size, shape, 2, numbers.percent(50));
            let mut scn = 10;
            for _ in 0..steps {
                step(&mut block, shape, &mut numbers, &mut scn, &mut counts);
            }
            validate(&block, HERE).unwrap();
        }
    }
    counts
}

#[test]
fn changes_stay_within_their_reach() {
    let counts = explore(30, 300);
    assert!(counts.within > 2 * counts.whole && counts.refused > 0, "{counts:?}");
}
