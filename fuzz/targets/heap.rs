//! Table blocks that pass `validate`: everything that reads and changes them, and that they stay valid.

#![no_main]

use format::heap;
use highwater_fuzz::{Input, heap_block};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let mut bytes = heap_block::make(&mut input);
    if heap::validate(&bytes).is_err() {
        return;
    }
    for (_, piece) in heap::rows(&bytes, 0) {
        assert_eq!(piece.columns().count(), piece.column_count());
        let _ = (piece.head_address(), piece.next_address(), piece.is_stub());
    }
    assert!(!heap::dump(&bytes).is_empty());
    while !input.is_empty() {
        heap_block::step(&mut bytes, &mut input);
    }
});
