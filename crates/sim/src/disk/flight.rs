//! Writes of redo logs that stay in flight.
//!
//! ```text
//!   write_durable ── begun ──> in flight: others of the same file may begin ──> ended, before or after those
//! ```
//!
//! The disk may hold a write of a log file in flight until some later writes of that file have begun; so it ends after
//! some of them. Where all threads wait for the held write, no later one begins: the held write then ends after some
//! looks. The seed draws which writes are held, for how many later ones and for how long. Real threads decide which
//! writes come.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use common::Seeded;
use common::sync::{Arc, Mutex};

use super::files::State;
use super::operation::FileId;
use crate::clock::SimulatedClock;

/// Lives of a hundred in which log writes are quick: the engine has one in flight then.
const QUICK_PERCENT: u64 = 10;
/// Writes of a hundred that are held.
const HELD_PERCENT: u64 = 60;
/// Time that a held write takes by the engine's clock: so long that the engine begins others meanwhile.
const HELD_US: u64 = 6_000;
/// Most later writes that a held one waits for: the engine has four in flight.
const LATER_MAX: u64 = 3;
/// Looks whether they have begun, and the real time between two of them.
const LOOKS: Range<u64> = 4..20;
const PAUSE: Duration = Duration::from_micros(100);

/// The log writes in flight.
#[derive(Default, Debug)]
pub(super) struct Flights {
    slow: Option<Slow>,
    /// Writes begun, by file.
    begun: BTreeMap<FileId, u64>,
    /// Writes that are held, by their call.
    held: BTreeMap<u32, Held>,
}

/// A disk whose log writes take long.
#[derive(Debug)]
struct Slow {
    seed: u64,
    clock: Arc<SimulatedClock>,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    file: FileId,
    /// It ends when so many writes of its file have begun, or after so many looks.
    until: u64,
    looks: u64,
}

impl Flights {
    /// Log writes are held from now on; with some seeds none is.
    pub(super) fn slow(&mut self, seed: u64, clock: &Arc<SimulatedClock>) {
        let quick = Seeded::at(seed, 5).percent(QUICK_PERCENT);
        self.slow = (!quick).then(|| Slow { seed, clock: clock.clone() });
    }

    /// A log write begins.
    pub(super) fn begin(&mut self, call: u32, file: FileId) {
        let Some(slow) = &self.slow else { return };
        let begun = self.begun.entry(file).or_default();
        *begun += 1;
        let mut random = Seeded::at(slow.seed ^ (u64::from(file.0) << 32), 6 + *begun);
        if random.percent(HELD_PERCENT) {
            slow.clock.pass(HELD_US);
            let until = *begun + 1 + random.below(LATER_MAX);
            let looks = LOOKS.start + random.below(LOOKS.end - LOOKS.start);
            self.held.insert(call, Held { file, until, looks });
        }
    }

    fn is_held(&self, call: u32, looks: u64) -> bool {
        self.held.get(&call).is_some_and(|held| {
            looks < held.looks && self.begun.get(&held.file).is_some_and(|begun| *begun < held.until)
        })
    }

    fn end(&mut self, call: u32) {
        self.held.remove(&call);
    }
}

/// Ends a call; other threads had their turn.
pub(super) fn end(state: &Mutex<State>, call: Option<u32>) {
    let Some(call) = call else { return };
    let mut looks = 0;
    while state.lock().flights.is_held(call, looks) {
        looks += 1;
        std::thread::sleep(PAUSE);
    }
    if looks == 0 {
        // Some take longer than others.
        for _ in 0..call.wrapping_mul(2_654_435_761) >> 29 {
            std::thread::yield_now();
        }
    }
    let mut state = state.lock();
    state.flights.end(call);
    state.ended(call);
}
