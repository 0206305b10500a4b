//! Debug builds only: a panic for a thread that latches a block which it holds already. Without it the thread would
//! wait for itself for ever.

use std::cell::RefCell;

use common::BlockAddress;

common::sync::thread_local! {
    static HELD: RefCell<Vec<(BlockAddress, bool)>> = const { RefCell::new(Vec::new()) };
}

/// Notes that this thread holds a block, until it is dropped.
#[derive(Debug)]
pub(super) struct Held(BlockAddress);

/// # Panics
/// When this thread holds the block already and one of the two latches is exclusive.
pub(super) fn check(address: BlockAddress, exclusive: bool) {
    HELD.with_borrow(|held| {
        let own = held.iter().find(|(other, _)| *other == address);
        assert!(
            own.is_none_or(|(_, other)| !exclusive && !other),
            "block {address} is latched twice by one session; it holds {held:?}"
        );
    });
}

pub(super) fn hold(address: BlockAddress, exclusive: bool) -> Held {
    HELD.with_borrow_mut(|held| held.push((address, exclusive)));
    Held(address)
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|held| {
            if let Some(at) = held.iter().rposition(|(address, _)| *address == self.0) {
                held.swap_remove(at);
            }
        });
    }
}
