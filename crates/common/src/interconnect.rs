//! What requests of a thread have had carried between the instance and cells, and what flash caches have answered.
//!
//! A cell's client notes each message where it is sent and received; the meter of the session that waits takes the sum
//! at the end of each wait. Where a thread makes requests for another one, it hands over what it has noted. The meter
//! also says on behalf of which session the thread works, for captures of the messages.

use std::cell::Cell;

/// What was noted.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Carried {
    /// Bytes of all messages.
    pub bytes: u64,
    /// Reads that the flash cache of a cell has answered.
    pub flash_reads: u64,
    /// The bytes that these have read.
    pub flash_bytes: u64,
}

thread_local! {
    static CARRIED: Cell<Carried> = const { Cell::new(Carried { bytes: 0, flash_reads: 0, flash_bytes: 0 }) };
    static SESSION: Cell<u32> = const { Cell::new(0) };
}

/// Notes the length of a message, in bytes.
#[inline]
pub fn note(bytes: u64) {
    note_all(Carried { bytes, ..Carried::default() });
}

/// Notes a read of so many bytes that a flash cache has answered.
#[inline]
pub fn note_flash(bytes: u64) {
    note_all(Carried { bytes: 0, flash_reads: 1, flash_bytes: bytes });
}

/// Notes what another thread has noted.
#[inline]
pub fn note_all(other: Carried) {
    CARRIED.with(|carried| {
        let Carried { bytes, flash_reads, flash_bytes } = carried.get();
        carried.set(Carried {
            bytes: bytes + other.bytes,
            flash_reads: flash_reads + other.flash_reads,
            flash_bytes: flash_bytes + other.flash_bytes,
        });
    });
}

/// What this thread has noted since it was asked last.
#[inline]
pub fn take() -> Carried {
    CARRIED.with(Cell::take)
}

/// SID of the session for which this thread works; 0 before one was set.
#[inline]
#[must_use]
pub fn session() -> u32 {
    SESSION.with(Cell::get)
}

/// This thread works on behalf of a session from now on.
#[inline]
pub fn set_session(sid: u32) {
    SESSION.with(|session| session.set(sid));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_taken_once() {
        note(3);
        note_all(Carried { bytes: 4, flash_reads: 2, flash_bytes: 10 });
        note_flash(5);
        assert_eq!(take(), Carried { bytes: 7, flash_reads: 3, flash_bytes: 15 });
        assert_eq!(take(), Carried::default());
    }
}
