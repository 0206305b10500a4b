//! Mini-transactions: changes of blocks that are one redo record. Recovery applies all of them or none, and an error
//! takes all of them back.
//!
//! A change outside a mini-transaction is a record of its own, made before the block's latch can be given up. Within
//! one the record grows with each change, and a block that has been changed stays latched until the end, even when its
//! holder drops it: no session may see, change or write a block whose redo is not in the log yet. A session that gets
//! such a block again within the mini-transaction gets it from here.
//!
//! Each change keeps the bytes that it overwrites. A mini-transaction that is dropped without [`Mini::commit`] puts
//! them back in reverse order before the latches go, and nothing of it is in the log. A nested mini-transaction is a
//! part of the outer one: dropped, it takes its own part back, and the outer one goes on.
//!
//! A mini-transaction belongs to a thread: it begins and ends within one call of a session.

use std::cell::RefCell;

use common::BlockAddress;
use common::sync::Arc;
use common::sync::atomic::Ordering;
use common::{Scn, Xid};
use format::redo::{self, Reach, Version};
use waits::Meter;

use super::Cache;
use super::block::BlockMut;
use super::frame::{Frame, FrameRef};
use crate::redo::{Lsn, RedoLog};

/// One change, as it is taken back.
struct Overwritten {
    address: BlockAddress,
    frame: FrameRef,
    what: What,
}

enum What {
    /// The version and the bytes before: runs of offset (2), length (2) and bytes.
    Bytes(Version, Vec<u8>),
    /// The whole block before it was formatted; None when the block was not in the cache.
    Whole(Option<Vec<u8>>),
}

/// Bytes to be put back into a block, with the version that goes with them.
pub(super) struct Before(Version, Vec<u8>);

impl Before {
    /// Puts the bytes back.
    pub(super) fn put_into(&self, block: &mut [u8]) {
        let mut rest = &self.1[..];
        while let Some((head, after)) = rest.split_first_chunk::<4>() {
            let at = usize::from(u16::from_le_bytes([head[0], head[1]]));
            let (bytes, after) = after.split_at(usize::from(u16::from_le_bytes([head[2], head[3]])));
            block[at..at + bytes.len()].copy_from_slice(bytes);
            rest = after;
        }
        self.0.stamp(block);
    }
}

/// The open mini-transactions of a thread, and their record.
#[derive(Default)]
struct OpenRecord {
    depth: u32,
    /// Number of the current record. A block that was changed in an earlier record is published.
    record_number: u64,
    record: Vec<u8>,
    vectors: u16,
    scn: u64,
    /// The block before the change that is being made.
    before: Vec<u8>,
    frames: Vec<Arc<Frame>>,
    held: Vec<BlockMut>,
    /// Changes of the open mini-transactions, the oldest first.
    overwritten: Vec<Overwritten>,
    /// Taken-back changes of blocks that their holders still had in use, to be put back at the next use. The newest
    /// first.
    pending: Vec<(BlockAddress, Before)>,
}

common::sync::thread_local! {
    static STATE: RefCell<OpenRecord> = RefCell::new(OpenRecord { record_number: 1, ..OpenRecord::default() });
}

/// An open mini-transaction. [`Mini::commit`] writes its record, unless it is nested in another one. Dropped without a
/// commit, it takes all its changes back.
#[must_use]
#[derive(Debug)]
pub struct Mini<'a> {
    cache: &'a Cache,
    redo: &'a RedoLog,
    meter: &'a Meter,
    /// Length of the record when this mini-transaction began; the next two fields are the numbers of vectors and
    /// changes then.
    record: usize,
    vectors: u16,
    changes: usize,
    ended: bool,
}

impl<'a> Mini<'a> {
    pub(crate) fn begin(cache: &'a Cache, redo: &'a RedoLog, meter: &'a Meter) -> Self {
        STATE.with_borrow_mut(|state| {
            state.depth += 1;
            // Without a vector the bytes are those of a record that has been written already.
            let record = if state.vectors == 0 { 0 } else { state.record.len() };
            let (vectors, changes) = (state.vectors, state.overwritten.len());
            Self { cache, redo, meter, record, vectors, changes, ended: false }
        })
    }

    /// Ends it: its changes stand. Returns the end of its record in the log, if this was the outermost one and it
    /// changed anything.
    pub fn commit(mut self) -> Option<Lsn> {
        self.ended = true;
        if ends_outermost() { publish(self.redo, self.meter) } else { None }
    }

    /// Bytes of this thread's record so far. A change adds its vector to them.
    pub fn record_bytes(&self) -> usize {
        STATE.with_borrow(|state| if state.vectors == 0 { redo::RECORD_BYTES } else { state.record.len() })
    }

    /// Notes in the record of this thread's mini-transaction the session and user of a transaction that begins. Readers
    /// of the log use the note; recovery does not.
    pub(crate) fn note_session(xid: Xid, process: u32, begun_s: u32, user: &str) {
        STATE.with_borrow_mut(|state| {
            if state.vectors == 0 {
                redo::begin(&mut state.record);
            }
            redo::session(&mut state.record, xid, process, begun_s, user);
            state.vectors += 1;
        });
    }

    /// True: a mini-transaction is open on this thread.
    pub(crate) fn is_open() -> bool {
        is_open()
    }

    /// Puts back the bytes that its changes overwrote, and cuts its part off the record.
    fn take_back(&self) {
        let mut gone = Vec::new();
        STATE.with_borrow_mut(|state| {
            while state.overwritten.len() > self.changes {
                let Some(Overwritten { address, frame, what }) = state.overwritten.pop() else { break };
                let held = state.held.iter().position(|block| block.address() == address);
                match what {
                    What::Bytes(version, bytes) => {
                        let before = Before(version, bytes);
                        match held {
                            Some(at) => state.held[at].put_back(&before),
                            None => state.pending.push((address, before)),
                        }
                    }
                    What::Whole(Some(bytes)) => match held {
                        Some(at) => state.held[at].put_back(&whole(&bytes)),
                        None => state.pending.push((address, whole(&bytes))),
                    },
                    What::Whole(None) => {
                        if let Ok(pool) = self.cache.pool(address) {
                            pool.forget_latched(self.meter, frame);
                        }
                        // It may have another block before the record is written.
                        state.frames.retain(|other| !Arc::ptr_eq(other, frame));
                        gone.extend(held.map(|at| state.held.swap_remove(at)));
                    }
                }
            }
            debug_assert!(self.record <= state.record.len() && self.vectors <= state.vectors, "a record only grows");
            state.record.truncate(self.record);
            state.vectors = self.vectors;
        });
        // The latches go outside of the borrow of the state, because the drop of a block borrows it too.
        gone.iter_mut().for_each(BlockMut::published);
    }
}

/// A whole block, as bytes to be put back.
fn whole(block: &[u8]) -> Before {
    let version = Version::of(block);
    let mut bytes = Vec::with_capacity(block.len() + 8);
    // The length field could not hold a block of 64 KB; there is no such block size.
    bytes.extend_from_slice(&0_u16.to_le_bytes());
    bytes.extend_from_slice(&(block.len() as u16).to_le_bytes());
    bytes.extend_from_slice(block);
    Before(version, bytes)
}

impl Drop for Mini<'_> {
    fn drop(&mut self) {
        if self.ended {
            return;
        }
        self.take_back();
        if ends_outermost() {
            publish(self.redo, self.meter);
        }
    }
}

fn ends_outermost() -> bool {
    STATE.with_borrow_mut(|state| {
        debug_assert!(state.depth > 0, "a mini-transaction ends once");
        state.depth -= 1;
        state.depth == 0
    })
}

/// Notes the bytes of a block before an open mini-transaction formats it; None when the block was not in the cache.
pub(super) fn save_before(frame: FrameRef, address: BlockAddress, bytes: Option<&[u8]>) {
    STATE.with_borrow_mut(|state| {
        if state.depth > 0 {
            let what = What::Whole(bytes.map(<[u8]>::to_vec));
            state.overwritten.push(Overwritten { address, frame, what });
        }
    });
}

/// Number of the record of the mini-transaction that is open on this thread; None without one.
pub(super) fn record_number() -> Option<u64> {
    STATE.with_borrow(|state| (state.depth > 0).then_some(state.record_number))
}

/// True: a mini-transaction is open on this thread.
pub(super) fn is_open() -> bool {
    STATE.with_borrow(|state| state.depth > 0)
}

/// A block that this thread's mini-transaction keeps latched.
pub(super) fn take_held(address: BlockAddress) -> Option<BlockMut> {
    STATE.with_borrow_mut(|state| {
        if state.depth == 0 {
            return None;
        }
        let at = state.held.iter().position(|block| block.address() == address)?;
        Some(state.held.swap_remove(at))
    })
}

/// Takes the bytes that are to be put back into a block, because it was in use when its changes were taken back.
pub(super) fn take_pending(address: BlockAddress) -> Vec<Before> {
    STATE
        .try_with(|state| {
            let mut state = state.borrow_mut();
            if state.pending.is_empty() {
                return Vec::new();
            }
            state.pending.extract_if(.., |(other, _)| *other == address).map(|(_, before)| before).collect()
        })
        .unwrap_or_default()
}

/// Keeps a block latched until its record is written. Gives the block back when that record has been written already.
pub(super) fn hold(block: BlockMut, record_number: u64) -> Option<BlockMut> {
    let mut block = Some(block);
    // A thread that ends has no state any more: its blocks are released.
    let _ = STATE.try_with(|state| {
        let mut state = state.borrow_mut();
        if state.depth > 0 && state.record_number == record_number {
            state.held.extend(block.take());
        }
    });
    block
}

/// Makes a change, and adds its vector to the record of this thread. `fresh`: the log takes the block as new, or as
/// zeros. `reach`: the ranges that the change may write; without it the whole block is kept and compared. Returns the
/// result of the change and the record's number.
pub(super) fn record<R>(
    frame: FrameRef,
    bytes: &mut [u8],
    address: BlockAddress,
    fresh: Option<Version>,
    reach: Option<&Reach>,
    after: impl FnOnce(Version) -> Version,
    change: impl FnOnce(&mut [u8]) -> R,
) -> (R, u64) {
    let mut before = STATE.with_borrow_mut(|state| std::mem::take(&mut state.before));
    let version = match fresh {
        Some(version) => version,
        None => {
            before.clear();
            match reach {
                Some(reach) => reach.keep(bytes, &mut before),
                None => before.extend_from_slice(bytes),
            }
            Version::of(bytes)
        }
    };
    #[cfg(debug_assertions)]
    let whole = reach.map(|reach| (reach, bytes.to_vec()));
    let result = change(bytes);
    #[cfg(debug_assertions)]
    if let Some((reach, whole)) = whole {
        check_reach(address, reach, &whole, bytes);
    }
    let after = after(version);
    after.stamp(bytes);
    let class = u16::from(frame.class.load(Ordering::Relaxed));
    let number = STATE.with_borrow_mut(|state| {
        if state.vectors == 0 {
            redo::begin(&mut state.record);
        }
        let start = state.record.len();
        let kept = match reach {
            Some(reach) => redo::Before::Within(reach, &before),
            None => redo::Before::Whole(&before),
        };
        match fresh {
            Some(_) => redo::image(&mut state.record, class, address, bytes, after),
            None => redo::difference(&mut state.record, class, address, &kept, bytes, version, after),
        }
        if state.depth > 0 {
            let what = match fresh {
                // The get of a block to be formatted within the mini-transaction has noted its old bytes already.
                Some(_) => {
                    let noted = |other: &Overwritten| other.address == address && matches!(other.what, What::Whole(_));
                    (!state.overwritten.iter().any(noted)).then_some(What::Whole(None))
                }
                None => Some(What::Bytes(version, redo::overwritten(&state.record[start..], &kept))),
            };
            state.overwritten.extend(what.map(|what| Overwritten { address, frame, what }));
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

/// # Panics
/// When a change has written outside of its declared reach: the redo would lack those bytes.
#[cfg(debug_assertions)]
fn check_reach(address: BlockAddress, reach: &Reach, before: &[u8], after: &[u8]) {
    let mut from = 0;
    let end = after.len()..after.len();
    for range in reach.ranges().iter().chain([&end]) {
        assert_eq!(
            before[from..range.start],
            after[from..range.start],
            "block {address}, behind offset {from}, {reach:?}"
        );
        from = range.end;
    }
}

/// Writes the record of this thread into the log, and releases its blocks. When the log takes no more the instance has
/// stopped, and every later call says so.
pub(super) fn publish(log: &RedoLog, meter: &Meter) -> Option<Lsn> {
    let (end, held) = STATE.with_borrow_mut(|state| {
        let mut end = None;
        if state.vectors > 0 {
            redo::finish(&mut state.record, state.vectors, Scn(state.scn), meter.sid());
            end = log.append(meter, &state.record).ok().map(|(_, end)| end);
        }
        if let Some(end) = end {
            for frame in &state.frames {
                frame.redo_end.store(end.0, Ordering::Release);
            }
        }
        debug_assert!(state.depth == 0, "a record is written when the outermost mini-transaction has ended");
        debug_assert!(state.vectors > 0 || state.overwritten.iter().all(|o| matches!(o.what, What::Whole(_))));
        debug_assert!(state.frames.iter().all(|frame| frame.is_pinned()), "a changed buffer is let go before its redo");
        state.frames.clear();
        state.overwritten.clear();
        (state.vectors, state.scn) = (0, 0);
        state.record_number += 1;
        (end, std::mem::take(&mut state.held))
    });
    for mut block in held {
        block.published();
    }
    end
}
