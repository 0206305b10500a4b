//! The first blocks of a datafile, with and without the right checksum.

#![no_main]

use format::block::{self, BlockType, HEADER_BYTES};
use format::file::{self, OS_BLOCK_BYTES};
use format::{dump, extent_bitmap};
use highwater_fuzz::{HERE, Input, size};
use libfuzzer_sys::fuzz_target;

/// Where the operating-system block has its checksum, which covers what is before it.
const CHECKSUM_AT: usize = 24;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    match input.byte() % 4 {
        0 => {
            let _ = file::read_os_block(input.rest());
        }
        1 => os_block(input),
        2 => headers(input),
        _ => bits(input),
    }
});

fn os_block(mut input: Input<'_>) {
    let size = size(&mut input);
    let mut bytes = vec![0; size.bytes()];
    let id = input.long();
    file::write_os_block(&mut bytes, id);
    assert_eq!(file::read_os_block(&bytes).ok(), Some((size, id)));
    let at = input.below(OS_BLOCK_BYTES);
    let changed = input.take(8);
    for (byte, new) in bytes[at..].iter_mut().zip(changed) {
        *byte = *new;
    }
    let sum = crc32c::crc32c(&bytes[..CHECKSUM_AT]);
    bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum.to_le_bytes());
    let _ = file::read_os_block(&bytes);
    let _ = file::read_os_block(&bytes[..input.below(OS_BLOCK_BYTES + 1)]);
}

fn headers(mut input: Input<'_>) {
    let size = size(&mut input);
    let mut bytes = vec![0; size.bytes()];
    let kind = if input.byte() & 1 == 0 { BlockType::FileHeader } else { BlockType::FileSpaceHeader };
    block::format(&mut bytes, kind, HERE);
    for (byte, new) in bytes[HEADER_BYTES..].iter_mut().zip(input.rest()) {
        *byte = *new;
    }
    block::seal(&mut bytes);
    assert!(block::check(&bytes, HERE).is_ok());
    assert!(dump::dump(&bytes).contains("blocks"));
    let _ = file::name(&file::file_header(&bytes).tablespace_name);
}

/// The bitmap of used units against one bool a unit.
fn bits(mut input: Input<'_>) {
    let size = size(&mut input);
    let mut bytes = vec![0; size.bytes()];
    let first = u32::from(input.word());
    extent_bitmap::init(&mut bytes, HERE, first);
    let units = extent_bitmap::units_per_block(size.bytes());
    let mut model = vec![false; units as usize];
    while !input.is_empty() {
        let from = u32::from(input.word()) % units;
        let count = u32::from(input.byte()).min(units - from);
        let used = input.byte() & 1 != 0;
        extent_bitmap::set(&mut bytes, from, count, used);
        model[from as usize..(from + count) as usize].fill(used);
        assert_eq!(extent_bitmap::header(&bytes).used.get() as usize, model.iter().filter(|used| **used).count());
        let (wanted, align) = (u32::from(input.byte() % 70) + 1, 1 << (input.byte() % 7));
        if let Some(found) = extent_bitmap::find_free(&bytes, 0, units, wanted, align) {
            assert!((first + found).is_multiple_of(align));
            assert!(model[found as usize..(found + wanted) as usize].iter().all(|used| !used));
        }
    }
}
