//! The check and the dump of any block: raw bytes, and blocks of every type with some bytes changed under a right
//! checksum.

#![no_main]

use common::BlockAddress;
use format::{bitmap, block, dump};
use highwater_fuzz::{HERE, Input, heap_block, index_block, other_block, size};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let bytes = match input.byte() % 5 {
        0 => raw(input, false),
        1 => raw(input, true),
        2 => heap_block::make(&mut input),
        3 => index_block::make(&mut input),
        _ => other_block::make(&mut input),
    };
    let _ = block::check(&bytes, HERE);
    let address = block::header(&bytes).address();
    assert!(!dump::dump(&bytes).is_empty());
    if block::check(&bytes, address).is_ok() {
        assert!(block::check(&bytes, BlockAddress { block: address.block ^ 1, ..address }).is_err() || bytes[1] == 0);
        if bytes[0] == block::BlockType::FirstLevelBitmap as u8 && bitmap::validate_first_level(&bytes).is_ok() {
            first_level(&bytes);
        }
    }
});

fn raw(mut input: Input<'_>, seal: bool) -> Vec<u8> {
    let size = size(&mut input);
    let mut bytes = input.rest().to_vec();
    bytes.resize(size.bytes(), 0);
    if seal {
        block::seal(&mut bytes);
    }
    bytes
}

/// A first-level bitmap that is right finds each of its blocks.
fn first_level(bytes: &[u8]) {
    for index in 0..usize::from(bitmap::first_level(bytes).covered.get()) {
        let _ = bitmap::state(bytes, index);
        let address = bitmap::address_of(bytes, index).expect("a covered block has an address");
        assert!(bitmap::index_of(bytes, address).is_some());
    }
    let _ = bitmap::state_mask(bytes);
}
