use common::{BlockAddress, BlockSize, FileNumber, ObjectNumber, Uba, Xid};

use super::*;
use crate::block;

fn address(block: u32) -> BlockAddress {
    BlockAddress::new(FileNumber(3), block)
}

const XID: Xid = Xid { segment: 4, slot: 7, sequence: 99 };

fn undo_record<'a>(previous: Previous<'a>, payload: &'a [u8]) -> UndoRecord<'a> {
    UndoRecord { object: ObjectNumber(1234), block: address(77), operation: 11, itl: 2, previous, payload }
}

#[test]
fn an_insert_takes_some_forty_bytes_of_undo() {
    let mut bytes = vec![0; 8192];
    init_block(&mut bytes, address(9), 5, XID, Uba::NONE, BlockAddress::NONE);
    let empty = room(&bytes);
    assert_eq!(empty, empty_room(8192));
    append(&mut bytes, &undo_record(Previous::Itl(&[1; 24]), &[0, 1]), None);
    assert_eq!(empty - room(&bytes), 47);
    let before = room(&bytes);
    append(&mut bytes, &undo_record(Previous::Uba(Uba::NONE), &[0, 2]), None);
    assert_eq!(before - room(&bytes), 31);
}

#[test]
fn records_read_back_until_the_block_is_full_at_every_size() {
    for size in BlockSize::ALL {
        let mut bytes = vec![0; size.bytes()];
        let older = Uba { block: address(8), sequence: 4, record: 200 };
        init_block(&mut bytes, address(9), 5, XID, older, address(8));
        let itl = std::array::from_fn(|n| n as u8);
        let payload = [0xab; 100];
        let mut written = Vec::new();
        for n in 0.. {
            let length = n * 7 % 100;
            if room(&bytes) < RECORD_OVERHEAD_MAX + length {
                break;
            }
            let previous = if n % 2 == 0 { Previous::Itl(&itl) } else { Previous::Uba(older) };
            let last = block_header(&bytes).last_record();
            let uba = append(&mut bytes, &undo_record(previous, &payload[..length]), None);
            written.push((uba, last, n, length));
            validate_block(&bytes).unwrap();
        }
        assert!(written.len() > 15 && (size < BlockSize::K32 || written.len() == RECORDS_MAX));
        for (uba, last, n, length) in written {
            assert_eq!((uba.block, uba.sequence), (address(9), 5));
            let view = record(&bytes, uba.record).unwrap();
            assert_eq!((view.xid, view.chain, view.more, view.piece), (XID, last, None, false));
            let previous = if n % 2 == 0 { Previous::Itl(&itl) } else { Previous::Uba(older) };
            assert_eq!(view.record, undo_record(previous, &payload[..length]));
        }
        assert_eq!(segment_of(&bytes), Some(4));
    }
}

#[test]
fn pieces_join_and_a_moved_end_of_the_chain_is_what_the_next_record_names() {
    let mut bytes = vec![0; 2048];
    init_block(&mut bytes, address(9), 5, XID, Uba::NONE, BlockAddress::NONE);
    let tail = append_piece(&mut bytes, b"second", None);
    let head = append_piece(&mut bytes, b"first", Some(tail));
    let first = append(&mut bytes, &undo_record(Previous::Uba(Uba::NONE), b"not stored"), Some(head));
    let view = record(&bytes, first.record).unwrap();
    assert_eq!((view.more, view.record.payload, view.chain), (Some(head), &b""[..], Uba::NONE));
    let piece = record(&bytes, head.record).unwrap();
    assert_eq!((piece.piece, piece.more, piece.record.payload), (true, Some(tail), &b"first"[..]));
    assert_eq!(record(&bytes, tail.record).unwrap().more, None);
    append(&mut bytes, &undo_record(Previous::Uba(first), b""), None);
    set_last(&mut bytes, first);
    let third = append(&mut bytes, &undo_record(Previous::Uba(first), b""), None);
    assert_eq!(record(&bytes, third.record).unwrap().chain, first);
    validate_block(&bytes).unwrap();
    assert!(record(&bytes, 5).is_none());
    block::touch(&mut bytes, common::Scn(7));
    block::seal(&mut bytes);
    let text = crate::dump::dump(&bytes);
    assert!(text.contains("record 4: 4.7.99 operation 11") && text.contains("piece of 6 bytes"), "{text}");
}

#[test]
fn damaged_blocks_are_told_and_read_without_a_panic() {
    let mut bytes = vec![0; 2048];
    init_block(&mut bytes, address(9), 5, XID, Uba::NONE, BlockAddress::NONE);
    for n in 0..10 {
        append(&mut bytes, &undo_record(Previous::Itl(&[n; 24]), &[n; 9]), None);
    }
    let mut told = 0;
    for at in 20..bytes.len() - 4 {
        for bit in 0..8 {
            let mut bad = bytes.clone();
            bad[at] ^= 1 << bit;
            if validate_block(&bad).is_err() {
                told += 1;
            } else {
                // A block that passes can be used.
                for number in 0..block_header(&bad).records {
                    assert!(record(&bad, number).is_some());
                }
                assert!(room(&bad) <= bad.len());
            }
        }
    }
    assert!(told > 300, "{told} of the flipped bits were told");
}

#[test]
fn the_header_holds_a_table_of_slots_and_extents_at_every_size() {
    for size in BlockSize::ALL {
        let mut bytes = vec![0; size.bytes()];
        init_header(&mut bytes, address(128), 4, 2);
        assert!(validate_header(&bytes).is_err(), "a segment has an extent");
        let most = extents_max(size.bytes());
        assert!(most >= 60, "{most} extents in a header of {size} bytes");
        for n in 0..most as u32 {
            assert_eq!(add_extent(&mut bytes, Extent::new(address(128 + 8 * n), 8)), n as usize);
        }
        header_mut(&mut bytes).current_extent = 10.into();
        header_mut(&mut bytes).pool[3].block = address(128 + 8 * 5 + 2).pack().into();
        header_mut(&mut bytes).pool[4].block = address(128 + 8 * 6 + 2).pack().into();
        validate_header(&bytes).unwrap();
        assert_eq!(remove_extent(&mut bytes, 5).address(), address(128 + 40));
        validate_header(&bytes).unwrap();
        assert_eq!(header(&bytes).current_extent.get(), 9);
        assert_eq!(extent(&bytes, 9).address(), address(128 + 80));
        assert_eq!((header(&bytes).pool[3].block.get(), header(&bytes).pool[4].block.get() != 0), (0, true));
        slot_mut(&mut bytes, 3).state = ACTIVE;
        assert!(validate_header(&bytes).is_err(), "an active slot is no free one");
        assert_eq!(slots(size), slots_of(size.bytes()));
    }
    assert_eq!(BlockSize::ALL.map(slots), [8, 17, 34, 68, 136]);
    assert_eq!(BlockSize::ALL.map(|size| extents_max(size.bytes())), [63, 130, 267, 540, 1087]);
}
