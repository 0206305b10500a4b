//! Changes of undo blocks and of undo segments' headers write nothing outside of what they say that they may write.

use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Seeded, Uba, Xid};

use super::*;
use crate::redo::Reach;

const ADDRESS: BlockAddress = BlockAddress { file: FileNumber(3), block: 9 };
const ELSEWHERE: Uba = Uba { block: BlockAddress { file: FileNumber(3), block: 8 }, sequence: 4, record: 200 };

fn check(before: &[u8], after: &[u8], reach: Option<Reach>) {
    let reach = reach.unwrap();
    let mut from = 0;
    let end = after.len()..after.len();
    for range in reach.ranges().iter().chain([&end]) {
        assert_eq!(before[from..range.start], after[from..range.start], "behind offset {from} of {reach:?}");
        from = range.end;
    }
}

#[test]
fn records_stay_within_their_reach_until_the_block_is_full() {
    let itl = [7; 24];
    let (mut records, mut pieces, mut many) = (0, 0, 0);
    for seed in 0..200 {
        for size in BlockSize::ALL {
            let mut numbers = Seeded::at(seed, size.bytes() as u64);
            let mut bytes = vec![0xa5; size.bytes()];
            let last = if numbers.percent(50) { ELSEWHERE } else { Uba::NONE };
            init_block(&mut bytes, ADDRESS, 5, Xid { segment: 4, slot: 7, sequence: 99 }, last, BlockAddress::NONE);
            loop {
                let most = if numbers.percent(95) { 120 } else { size.bytes() };
                let count = if numbers.percent(30) { 1 + numbers.index(8) } else { 1 };
                let payloads: Vec<Vec<u8>> = (0..count).map(|_| vec![0x5b; numbers.index(most)]).collect();
                let need: usize = payloads.iter().map(|payload| payload.len() + RECORD_OVERHEAD_MAX).sum();
                let taken = usize::from(block_header(&bytes).records);
                if need > room(&bytes) || taken + count > RECORDS_MAX {
                    // The last byte of room is used as well.
                    if room(&bytes) > RECORD_OVERHEAD_MAX && taken < RECORDS_MAX {
                        let before = bytes.clone();
                        let part = vec![0x11; room(&bytes) - 2 - 27];
                        let reach = append_reach(&bytes, 1, room(&bytes));
                        append_piece(&mut bytes, &part, None);
                        check(&before, &bytes, reach);
                        assert_eq!(room(&bytes), 0);
                    }
                    break;
                }
                let before = bytes.clone();
                let owns = numbers.percent(10);
                let piece = count == 1 && numbers.percent(10);
                let lengths: Vec<usize> = payloads.iter().map(|payload| payload.len() + RECORD_OVERHEAD_MAX).collect();
                let reach = append_reach(&bytes, count, lengths.iter().sum());
                if owns {
                    own_block(&mut bytes, Xid { segment: 4, slot: 8, sequence: 100 + taken as u32 });
                }
                for payload in &payloads {
                    if piece {
                        append_piece(&mut bytes, payload, Some(ELSEWHERE));
                        pieces += 1;
                        continue;
                    }
                    let previous = if numbers.percent(50) { Previous::Itl(&itl) } else { Previous::Uba(ELSEWHERE) };
                    let object = ObjectNumber(1234);
                    let record =
                        UndoRecord { object, block: ADDRESS.plus(3), operation: 11, itl: 2, previous, payload };
                    let more = (count == 1 && payload.is_empty()).then_some(ELSEWHERE);
                    append(&mut bytes, &record, more);
                    records += 1;
                }
                many += usize::from(count > 1);
                check(&before, &bytes, reach);
                validate_block(&bytes).unwrap();
            }
        }
    }
    assert!(records > 30_000 && pieces > 1_000 && many > 1_000, "{records} {pieces} {many}");
}

#[test]
fn the_fields_slots_and_extents_of_a_header_are_what_they_reach() {
    for size in BlockSize::ALL {
        let mut bytes = vec![0; size.bytes()];
        init_header(&mut bytes, ADDRESS, 4, 2);
        for n in 0..extents_max(size.bytes()) as u32 {
            add_extent(&mut bytes, Extent::new(BlockAddress::new(FileNumber(3), 100 + 8 * n), 8));
        }
        let count = slots_of(size.bytes());
        for number in 0..count {
            let other = (number + count / 2) % count;
            let before = bytes.clone();
            let reach = slots_reach(&bytes, &[number, NO_SLOT]);
            slot_mut(&mut bytes, number).ended_s = (u32::from(number) + 1).into();
            slot_mut(&mut bytes, number).state = INACTIVE;
            header_mut(&mut bytes).tail_spare = [number as u8; 24];
            check(&before, &bytes, reach);
            let before = bytes.clone();
            let reach = slots_and_extents_reach(&bytes, &[number, other]);
            slot_mut(&mut bytes, number).ended_s = u32::MAX.into();
            slot_mut(&mut bytes, other).next = number.into();
            header_mut(&mut bytes).put_pooled(size.bytes(), PooledBlock::new(ADDRESS, 3, size.bytes() / 2, 1));
            for n in 0..extents_max(size.bytes()) {
                extent_mut(&mut bytes, n).scn = (u64::MAX - u64::from(number)).into();
            }
            check(&before, &bytes, reach);
        }
    }
}
