//! Runs a test under many schedules.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use shuttle::scheduler::{PctScheduler, RandomScheduler, ReplayScheduler, Scheduler};
use shuttle::{Config, MaxSteps, Runner};

use super::TimeOuts;

/// Stack of each thread: the engine keeps some blocks on it.
const STACK_BYTES: usize = 1 << 20;
/// Decisions after which a schedule counts as endless.
const STEPS_MAX: usize = 200_000;
/// Preemptions in a schedule of the second kind.
const DEPTH: usize = 3;

/// Extent of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Exploration {
    /// Schedules. One third decide at random at each step: they try many small steps of several threads beside one
    /// another. In the others each thread runs as far as it can, in an order of priorities that changes at a few random
    /// places: they try long pauses of a thread.
    pub schedules: usize,
    pub seed: u64,
    pub time_outs: TimeOuts,
}

fn config() -> Config {
    let mut config = Config::new();
    config.stack_size = STACK_BYTES;
    config.max_steps = MaxSteps::FailAfter(STEPS_MAX);
    // The engine's atomic words have the orderings that the machine needs.
    config.silence_warnings = true;
    // Other threads are in the middle of their work: drops during a thread's panic must not wait for them.
    config.ungraceful_shutdown_config.immediately_return_on_panic = true;
    config
}

/// Runs `test` under as many schedules as `exploration` says. Each run is independent: it makes its own data.
///
/// # Panics
/// When `test` panics under one of them, or its threads deadlock, or one waits forever: prints the schedule, for
/// [`replay`].
pub fn explore(exploration: Exploration, test: impl Fn() + Send + Sync + 'static) {
    let Exploration { schedules, seed, time_outs } = exploration;
    let test = Arc::new(test);
    let at_random = schedules / 3;
    run("at random", RandomScheduler::new_from_seed(seed, at_random), seed, time_outs, &test);
    run("by priorities", PctScheduler::new_from_seed(seed, DEPTH, schedules - at_random), seed, time_outs, &test);
}

/// Runs `test` under one schedule: the text printed by a failed [`explore`].
///
/// # Panics
/// As [`explore`].
pub fn replay(schedule: &str, time_outs: TimeOuts, test: impl Fn() + Send + Sync + 'static) {
    let mut scheduler = ReplayScheduler::new_from_encoded(schedule);
    scheduler.set_allow_incomplete();
    run("again", scheduler, 0, time_outs, &Arc::new(test));
}

fn run(
    how: &str,
    scheduler: impl Scheduler + 'static,
    seed: u64,
    time_outs: TimeOuts,
    test: &Arc<impl Fn() + Send + Sync + 'static>,
) {
    time_outs.apply();
    let tried = Arc::new(AtomicUsize::new(0));
    let (count, test) = (tried.clone(), test.clone());
    let runner = Runner::new(scheduler, config());
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        runner.run(move || {
            count.fetch_add(1, Ordering::Relaxed);
            test();
        })
    }));
    if let Err(why) = result {
        let number = tried.load(Ordering::Relaxed);
        panic!("schedule {number} {how} from seed {seed}: {}", text(&*why));
    }
}

fn text(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a thread has panicked, as said above")
}
