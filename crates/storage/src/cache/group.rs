//! Groups of block changes that are one redo record: recovery applies all of them or none.
//!
//! A change outside a group is a record of its own, made before the block's latch can be given up. Within a group the record grows with each change,
//! and a block that has been changed stays latched, though its holder drops it, until the group ends: nobody may see, change or write a block whose
//! redo is not in the log yet. A session that gets such a block again within the group gets it from here.
//!
//! A group belongs to a thread: it begins and ends within one call of a session.
//!
//! A group that can be revoked keeps each block as it was before its first change. Revoked, it puts them back, and
//! nothing of it is in the log.

use std::cell::RefCell;

use common::BlockAddress;
use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{Scn, Xid};
use format::redo::{self, Version};
use waits::Meter;

use super::Cache;
use super::block::BlockMut;
use super::frame::Frame;
use crate::redo::{Lsn, RedoLog};

#[derive(Default)]
struct State {
    depth: u32,
    /// Counts records: a block that was changed in an earlier one is published.
    record_number: u64,
    record: Vec<u8>,
    vectors: u16,
    scn: u64,
    /// The block before the change that is being made.
    before: Vec<u8>,
    frames: Vec<Arc<Frame>>,
    held: Vec<BlockMut>,
    /// The outermost group can be revoked.
    revocable: bool,
    /// In such a group: the blocks that it has changed, as they were; None for one that was not in the cache.
    saved: Vec<(BlockAddress, Option<Vec<u8>>)>,
}

impl State {
    fn save(&mut self, address: BlockAddress, bytes: Option<&[u8]>) {
        if self.revocable && !self.saved.iter().any(|(saved, _)| *saved == address) {
            self.saved.push((address, bytes.map(<[u8]>::to_vec)));
        }
    }
}

thread_local! {
    static STATE: RefCell<State> = RefCell::new(State { record_number: 1, ..State::default() });
}

/// An open group; its record is written when this is dropped, unless it is within another group.
#[must_use]
#[derive(Debug)]
pub struct ChangeGroup<'a> {
    redo: &'a RedoLog,
    meter: &'a Meter,
    /// Of a group that can be revoked. It is when it is dropped without [`ChangeGroup::finish`].
    cache: Option<&'a Cache>,
    closed: bool,
}

impl<'a> ChangeGroup<'a> {
    pub(crate) fn begin(redo: &'a RedoLog, meter: &'a Meter) -> Self {
        STATE.with_borrow_mut(|state| state.depth += 1);
        Self { redo, meter, cache: None, closed: false }
    }

    /// A group of which nothing has happened unless it is [finished](ChangeGroup::finish). Within another group it is
    /// that group's part, which alone decides.
    pub(crate) fn begin_revocable(cache: &'a Cache, redo: &'a RedoLog, meter: &'a Meter) -> Self {
        let outermost = STATE.with_borrow_mut(|state| {
            state.depth += 1;
            state.revocable |= state.depth == 1;
            state.depth == 1
        });
        Self { redo, meter, cache: outermost.then_some(cache), closed: false }
    }
}

impl ChangeGroup<'_> {
    /// Notes in the record of this thread's group who begins a transaction: of no use to recovery, but to who reads the log.
    pub(crate) fn note_session(xid: Xid, process: u32, begun_s: u32, user: &str) {
        STATE.with_borrow_mut(|state| {
            if state.vectors == 0 {
                redo::begin(&mut state.record);
            }
            redo::session(&mut state.record, xid, process, begun_s, user);
            state.vectors += 1;
        });
    }

    /// Whether a group is open on this thread.
    pub(crate) fn is_open() -> bool {
        is_open()
    }

    /// Bytes of this thread's record so far: what a change adds to them is its vector.
    pub fn record_bytes(&self) -> usize {
        STATE.with_borrow(|state| if state.vectors == 0 { redo::RECORD_BYTES } else { state.record.len() })
    }

    /// Ends the group; where its record ends in the log, if this was the outermost group and it changed anything.
    pub fn finish(mut self) -> Option<Lsn> {
        self.close()
    }

    fn close(&mut self) -> Option<Lsn> {
        if std::mem::replace(&mut self.closed, true) {
            return None;
        }
        let outermost = STATE.with_borrow_mut(|state| {
            state.depth -= 1;
            state.depth == 0
        });
        if outermost { publish(self.redo, self.meter) } else { None }
    }

    /// Puts back what the group has changed, and forgets its record.
    fn revoke(&mut self, cache: &Cache) {
        if std::mem::replace(&mut self.closed, true) {
            return;
        }
        let (saved, held) = STATE.with_borrow_mut(|state| {
            state.depth -= 1;
            state.frames.clear();
            (state.vectors, state.scn) = (0, 0);
            state.record_number += 1;
            state.revocable = false;
            (std::mem::take(&mut state.saved), std::mem::take(&mut state.held))
        });
        for mut block in held {
            match saved.iter().find(|(address, _)| *address == block.address()) {
                Some((_, before)) => block.restore(cache, self.meter, before.as_deref()),
                None => block.published(),
            }
        }
    }
}

impl Drop for ChangeGroup<'_> {
    fn drop(&mut self) {
        match self.cache {
            Some(cache) => self.revoke(cache),
            None => drop(self.close()),
        }
    }
}

/// Notes what a block was before a group that can be revoked formats it; None when nothing of it was in the cache.
pub(super) fn save_before(address: BlockAddress, bytes: Option<&[u8]>) {
    STATE.with_borrow_mut(|state| state.save(address, bytes));
}

/// Whether a group is open on this thread.
pub(super) fn is_open() -> bool {
    STATE.with_borrow(|state| state.depth > 0)
}

/// A block that this thread's group keeps latched.
pub(super) fn take_held(address: BlockAddress) -> Option<BlockMut> {
    STATE.with_borrow_mut(|state| {
        if state.depth == 0 {
            return None;
        }
        let at = state.held.iter().position(|block| block.address() == address)?;
        Some(state.held.swap_remove(at))
    })
}

/// Keeps a block latched until its record is written; gives it back when that has happened already.
pub(super) fn hold(block: BlockMut, record_number: u64) -> Option<BlockMut> {
    STATE
        .try_with(|state| {
            let mut state = state.borrow_mut();
            if state.depth > 0 && state.record_number == record_number {
                state.held.push(block);
                None
            } else {
                Some(block)
            }
        })
        .unwrap_or_default()
}

/// Makes a change, and its vector in the record of this thread. `fresh`: the block was made of nothing, or of zeros. Returns the record's number.
pub(super) fn record<R>(
    frame: &Arc<Frame>,
    bytes: &mut [u8],
    address: BlockAddress,
    fresh: Option<Version>,
    after: impl FnOnce(Version) -> Version,
    change: impl FnOnce(&mut [u8]) -> R,
) -> (R, u64) {
    let mut before = STATE.with_borrow_mut(|state| {
        state.save(address, Some(bytes));
        std::mem::take(&mut state.before)
    });
    let version = match fresh {
        Some(version) => version,
        None => {
            before.clear();
            before.extend_from_slice(bytes);
            Version::of(bytes)
        }
    };
    let result = change(bytes);
    let after = after(version);
    after.stamp(bytes);
    let class = u16::from(frame.class.load(Ordering::Relaxed));
    let number = STATE.with_borrow_mut(|state| {
        if state.vectors == 0 {
            redo::begin(&mut state.record);
        }
        match fresh {
            Some(_) => redo::image(&mut state.record, class, address, bytes, after),
            None => redo::difference(&mut state.record, class, address, &before, bytes, version, after),
        }
        state.vectors += 1;
        state.scn = state.scn.max(after.scn);
        if !state.frames.iter().any(|other| Arc::ptr_eq(other, frame)) {
            state.frames.push(frame.clone());
        }
        state.before = before;
        state.record_number
    });
    (result, number)
}

/// Writes the record of this thread into the log, and lets its blocks go. When the log takes no more the instance has stopped, and says so wherever
/// it is asked.
pub(super) fn publish(log: &RedoLog, meter: &Meter) -> Option<Lsn> {
    let (end, held) = STATE.with_borrow_mut(|state| {
        if state.vectors == 0 {
            state.revocable = false;
            state.saved.clear();
            return (None, Vec::new());
        }
        redo::finish(&mut state.record, state.vectors, Scn(state.scn), meter.sid());
        let end = log.append(meter, &state.record).ok().map(|(_, end)| end);
        if let Some(end) = end {
            for frame in &state.frames {
                frame.redo_end.store(end.0, Ordering::Release);
            }
        }
        state.frames.clear();
        (state.vectors, state.scn) = (0, 0);
        state.record_number += 1;
        state.revocable = false;
        state.saved.clear();
        (end, std::mem::take(&mut state.held))
    });
    for mut block in held {
        block.published();
    }
    end
}
