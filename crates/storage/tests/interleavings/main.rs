//! The engine's own code under a scheduler that tries interleavings: `common::sync` with the feature `shuttle`.
//!
//! Each test is small, a handful of threads on files in memory, and runs under a fixed number of schedules from a fixed
//! seed. One that fails says which schedule it was, and prints a text that `common::sync::replay` takes.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

mod cache;
mod checkpoint;
mod clock;
mod commit;
mod database;
mod index;
mod load;
mod log;
mod pool;
mod rollback;
mod rows;
mod space;
mod undo;

use common::sync::{Exploration, TimeOuts};

/// Schedules of an exploration of the log alone, and of one that needs a database.
const SCHEDULES: usize = 1_000;
const SCHEDULES_OF_DATABASE: usize = 600;

const SEED: u64 = 20_250;

/// Waits end by being told to alone: nobody may rely on looking again.
fn nobody_forgotten(schedules: usize) -> Exploration {
    Exploration { schedules, seed: SEED, time_outs: TimeOuts::Never }
}

/// Waits with a limit end by it now and then.
fn with_time_outs(schedules: usize) -> Exploration {
    Exploration { schedules, seed: SEED + 1, time_outs: TimeOuts::Sometimes }
}
