//! Index blocks that pass `validate`: searches, inserts, deletes and splits, and that they stay valid.

#![no_main]

use format::index;
use highwater_fuzz::{HERE, Input, index_block};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let mut bytes = index_block::make(&mut input);
    if index::check(&bytes, HERE).is_ok() {
        assert!(!index::dump(&bytes).is_empty());
    }
    if index::validate(&bytes, HERE).is_err() {
        return;
    }
    index_block::read(&bytes, &mut input);
    while !input.is_empty() {
        index_block::step(&mut bytes, &mut input);
    }
});
