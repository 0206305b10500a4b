//! The log buffer: a ring of bytes that sessions copy records into side by side.
//!
//! ```text
//!   released          taken                         end
//!      │ being laid out │ records, some still being copied │ free
//!  ────┴────────────────┴──────────────────────────────────┴──────
//! ```
//!
//! A session takes room under the one lock here, the latch `redo allocation`, copies without it, and says so in a slot.
//! A writer that takes everything up to `end` waits for the slots that hold a smaller place. Room is promised in the
//! buffer and in the current log file at once: what is in the buffer can always be written to the file that is current.
//! Otherwise a block whose redo is in the buffer could not be written, so a checkpoint could not end, so the next log
//! file would never become free.

use std::time::Duration;

use common::Result;
use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Condvar, Mutex, spin_loop, yield_now};
use waits::{Event, LatchName, Meter};

use super::layout::{RECORD_HEADER, Write};
use crate::invariants::hold;

/// Bytes of the ring under one lock: neighbours rarely meet.
const PIECE: usize = 4096;
/// Sessions that can copy at the same time.
const SLOTS: usize = 64;
const FREE: u64 = u64::MAX;

#[derive(Debug)]
pub(super) struct Buffer {
    pieces: Box<[Mutex<Box<[u8]>>]>,
    capacity: u64,
    room: Mutex<Room>,
    /// Something became free, a switch is over, or the instance has stopped.
    freed: Condvar,
    /// Where the copy that uses the slot starts.
    slots: Box<[Slot]>,
    /// `end` and `blocks` of `Room`, to be looked at without the lock.
    end: AtomicU64,
    left: AtomicU64,
}

/// A cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
struct Slot(AtomicU64);

#[derive(Debug)]
struct Room {
    end: u64,
    released: u64,
    /// Blocks of the current file that are not written to and not promised.
    blocks: u64,
    /// A switch is under way.
    closed: bool,
    waiters: usize,
    /// Counts what waiters are woken for, so that none misses it.
    changes: u64,
    next_slot: usize,
}

impl Room {
    /// # Errors
    /// ORA-00600 with what is not true of the ring.
    fn check(&self, capacity: u64) -> Result<()> {
        invariant!(self.released <= self.end, "log buffer: it is released beyond its end: {self:?}");
        invariant!(self.end - self.released <= capacity, "log buffer: it holds more than {capacity} bytes: {self:?}");
        invariant!(self.next_slot < SLOTS, "log buffer: there is no such slot: {self:?}");
        Ok(())
    }
}

/// Why a record has to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Full {
    Buffer,
    /// The current file has no room.
    File,
    /// A switch is under way.
    Closed,
}

impl Buffer {
    /// `bytes` is rounded up to whole pieces; the redo starts at `lsn`.
    pub(super) fn new(bytes: usize, lsn: u64) -> Self {
        let count = bytes.div_ceil(PIECE).max(2);
        Self {
            pieces: (0..count).map(|_| Mutex::new(vec![0; PIECE].into_boxed_slice())).collect(),
            capacity: (count * PIECE) as u64,
            room: Mutex::new(Room {
                end: lsn,
                released: lsn,
                blocks: 0,
                closed: true,
                waiters: 0,
                changes: 0,
                next_slot: 0,
            }),
            freed: Condvar::new(),
            slots: (0..SLOTS).map(|_| Slot(AtomicU64::new(FREE))).collect(),
            end: AtomicU64::new(lsn),
            left: AtomicU64::new(0),
        }
    }

    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Where the next record will be.
    pub(super) fn end(&self) -> u64 {
        self.end.load(Ordering::SeqCst)
    }

    /// Blocks of the current file that are neither written nor promised.
    pub(super) fn blocks_left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes room and copies. When that is impossible now: why, and what to wait for with
    /// [`wait_change`](Self::wait_change). Waits of the caller for the lock, and for a slot to copy under, are counted.
    pub(super) fn put(&self, meter: &Meter, record: &[u8]) -> std::result::Result<(u64, u64), (Full, u64)> {
        let bytes = record.len() as u64;
        debug_assert!(record.len() >= RECORD_HEADER, "a record has a header");
        debug_assert!(bytes <= self.capacity, "a record of {bytes} bytes never fits");
        let blocks = Write::blocks_of(bytes);
        let (start, slot) = {
            let mut room = meter.latch(LatchName::RedoAllocation, &self.room);
            if room.closed {
                return Err((Full::Closed, room.changes));
            }
            if room.blocks < blocks {
                return Err((Full::File, room.changes));
            }
            if room.end + bytes - room.released > self.capacity {
                return Err((Full::Buffer, room.changes));
            }
            let slot = self.free_slot(meter, &mut room);
            let start = room.end;
            slot.0.store(start, Ordering::SeqCst);
            room.end += bytes;
            room.blocks -= blocks;
            hold(|| room.check(self.capacity));
            self.left.store(room.blocks, Ordering::Relaxed);
            self.end.store(room.end, Ordering::SeqCst);
            (start, slot)
        };
        self.copy_in(meter, start, record);
        slot.0.store(FREE, Ordering::Release);
        Ok((start, start + bytes))
    }

    fn free_slot(&self, meter: &Meter, room: &mut Room) -> &Slot {
        // Slots are taken under the lock only, so one that is found free stays free.
        let mut next = || {
            room.next_slot = (room.next_slot + 1) % SLOTS;
            let slot = &self.slots[room.next_slot];
            let free = slot.0.load(Ordering::Acquire) == FREE;
            meter.immediate_latch(LatchName::RedoCopy, free);
            free.then_some(slot)
        };
        if let Some(slot) = (0..SLOTS).find_map(|_| next()) {
            return slot;
        }
        // All taken: each is given back within one copy.
        meter.wait(Event::LatchRedoCopy, [0; 3], -1, || {
            loop {
                if let Some(slot) = next() {
                    return slot;
                }
                yield_now();
            }
        })
    }

    fn copy_in(&self, meter: &Meter, start: u64, mut bytes: &[u8]) {
        debug_assert!(bytes.len() as u64 <= self.capacity, "a copy would overwrite its own start");
        let mut at = (start % self.capacity) as usize;
        while !bytes.is_empty() {
            let from = at % PIECE;
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - from));
            meter.latch(LatchName::RedoCopy, &self.pieces[at / PIECE])[from..from + now.len()].copy_from_slice(now);
            bytes = later;
            at = (at + now.len()) % self.capacity as usize;
        }
    }

    /// Appends the bytes from `start` to `end` to `to`. They must have been copied in.
    pub(super) fn copy_out(&self, meter: &Meter, start: u64, end: u64, to: &mut Vec<u8>) {
        debug_assert!(start <= end && end - start <= self.capacity, "the ring does not hold {start} to {end}");
        let mut left = (end - start) as usize;
        let mut at = (start % self.capacity) as usize;
        while left > 0 {
            let from = at % PIECE;
            let now = left.min(PIECE - from);
            to.extend_from_slice(&meter.latch(LatchName::RedoCopy, &self.pieces[at / PIECE])[from..from + now]);
            left -= now;
            at = (at + now) % self.capacity as usize;
        }
    }

    /// Waits until everything before `end` has been copied in. False when nothing had to be waited for.
    pub(super) fn wait_copied(&self, end: u64) -> bool {
        let mut waited = false;
        for slot in &self.slots {
            let mut turns = 0_u32;
            while slot.0.load(Ordering::SeqCst) < end {
                waited = true;
                turns += 1;
                if turns < 64 { spin_loop() } else { yield_now() }
            }
        }
        waited
    }

    /// The bytes before `released` have been taken out. `promised` blocks had been promised for them and `used` were
    /// needed.
    pub(super) fn release(&self, meter: &Meter, released: u64, promised: u64, used: u64) {
        let mut room = meter.latch(LatchName::RedoAllocation, &self.room);
        debug_assert!(room.released < released, "{released} was released before: {room:?}");
        debug_assert!(used <= promised, "a write of {used} blocks was promised {promised}");
        room.released = released;
        room.blocks = room.blocks + promised - used;
        hold(|| room.check(self.capacity));
        self.left.store(room.blocks, Ordering::Relaxed);
        self.changed(&mut room);
    }

    fn changed(&self, room: &mut Room) {
        room.changes += 1;
        if room.waiters > 0 {
            self.freed.notify_all();
        }
    }

    /// Lets nobody take room: a switch begins.
    pub(super) fn close(&self) {
        self.room.lock().closed = true;
    }

    /// Whether no switch is under way.
    pub(super) fn is_open(&self) -> bool {
        !self.room.lock().closed
    }

    /// A file with so many free blocks is current, and the buffer is empty.
    pub(super) fn open(&self, blocks: u64) {
        let mut room = self.room.lock();
        debug_assert!(room.closed, "a file becomes current while nobody appends");
        debug_assert_eq!(room.released, room.end, "what was promised room in the file before is in it");
        room.blocks = blocks;
        self.left.store(blocks, Ordering::Relaxed);
        room.closed = false;
        self.changed(&mut room);
    }

    /// Promises blocks that the file does not have.
    #[cfg(test)]
    pub(super) fn open_for_test(&self, blocks: u64) {
        self.close();
        self.open(blocks);
    }

    /// How often something has changed that one may wait for.
    pub(super) fn changes(&self) -> u64 {
        self.room.lock().changes
    }

    /// Waits until something has changed since `seen`, or some time has passed.
    pub(super) fn wait_change(&self, seen: u64, most: Duration) {
        let mut room = self.room.lock();
        room.waiters += 1;
        if room.changes == seen {
            self.freed.wait_for(&mut room, most);
        }
        debug_assert!(room.waiters > 0, "a thread waits once");
        room.waiters -= 1;
    }

    /// Wakes all threads that wait for a change.
    pub(super) fn wake(&self) {
        let mut room = self.room.lock();
        self.changed(&mut room);
    }

    /// Checks the buffer while no session copies into it: the redo fits the ring, and the words that are read without
    /// the lock agree with those under it. `file`: blocks left in the current file.
    ///
    /// # Errors
    /// ORA-00600 with what is not so.
    pub(super) fn check_invariants(&self, file: u64) -> Result<()> {
        let room = self.room.lock();
        let copying = self.slots.iter().filter(|slot| slot.0.load(Ordering::SeqCst) != FREE).count();
        let (end, left) = (self.end.load(Ordering::SeqCst), self.left.load(Ordering::SeqCst));
        room.check(self.capacity)?;
        invariant!(copying == 0, "log buffer: {copying} sessions copy: {room:?}");
        invariant!(end == room.end, "log buffer: it is said to end at {end}: {room:?}");
        invariant!(left == room.blocks, "log buffer: {left} blocks are said to be left: {room:?}");
        // Whatever is in the ring has been promised room beside that.
        let promised = if room.end == room.released { 0 } else { Write::blocks_of(room.end - room.released) };
        invariant!(
            room.blocks + promised <= file,
            "log buffer: more is promised than the {file} blocks of the file: {room:?}"
        );
        Ok(())
    }
}
