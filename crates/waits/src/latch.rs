//! Latches: locks that are held for some instructions.
//!
//! A session that does not get a latch at once has missed it. It looks again a few times, which is a spin get, and then
//! sleeps, which is a wait. So every miss is counted, and only sleeps are waits.

use std::fmt;

use crate::event::Event;

struct LatchData {
    name: &'static str,
    event: Event,
    about: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/latch.rs"));

impl LatchName {
    /// As V$LATCH shows it.
    #[must_use]
    pub fn name(self) -> &'static str {
        LATCHES[self as usize].name
    }

    /// The event of a session that sleeps for it.
    #[must_use]
    pub fn event(self) -> Event {
        LATCHES[self as usize].event
    }

    /// What it protects, in a sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        LATCHES[self as usize].about
    }

    /// The `latch#`: its position in latches.toml.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for LatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Totals of the latches of one name, for V$LATCH.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct LatchTotals {
    /// Gets by sessions that were willing to wait.
    pub gets: u64,
    /// Of these, gets that missed at first.
    pub misses: u64,
    /// Misses that got the latch by spinning, without a wait.
    pub spin_gets: u64,
    /// Misses that waited.
    pub sleeps: u64,
    /// Microseconds of those waits.
    pub wait_us: u64,
    /// Gets in no-wait mode that succeeded.
    pub immediate_gets: u64,
    /// Gets in no-wait mode that failed.
    pub immediate_misses: u64,
}

impl LatchTotals {
    pub(crate) fn add(&mut self, other: &Self) {
        self.gets += other.gets;
        self.misses += other.misses;
        self.spin_gets += other.spin_gets;
        self.sleeps += other.sleeps;
        self.wait_us += other.wait_us;
        self.immediate_gets += other.immediate_gets;
        self.immediate_misses += other.immediate_misses;
    }

    pub(crate) fn subtract(&mut self, earlier: &Self) {
        self.gets = self.gets.saturating_sub(earlier.gets);
        self.misses = self.misses.saturating_sub(earlier.misses);
        self.spin_gets = self.spin_gets.saturating_sub(earlier.spin_gets);
        self.sleeps = self.sleeps.saturating_sub(earlier.sleeps);
        self.wait_us = self.wait_us.saturating_sub(earlier.wait_us);
        self.immediate_gets = self.immediate_gets.saturating_sub(earlier.immediate_gets);
        self.immediate_misses = self.immediate_misses.saturating_sub(earlier.immediate_misses);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_positions_and_each_latch_has_an_event_for_latches() {
        for (position, latch) in LatchName::ALL.into_iter().enumerate() {
            assert_eq!(latch.number() as usize, position);
            assert!(latch.about().ends_with('.'), "{latch}");
            assert!(latch.event().name().starts_with("latch"), "{latch}");
            assert_eq!(latch.event().parameters(), ["address", "number", "tries"], "{latch}");
        }
    }
}
