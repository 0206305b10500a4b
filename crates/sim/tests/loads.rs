//! Tables loaded past the cache, with and without images in the log, among everything else, and crashes everywhere.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use sim::disk::Lie;
use sim::explore::{Crashes, explore};
use sim::workload::{Plan, record};

fn crashes(seed: u64, places: usize) -> Crashes {
    Crashes {
        seed,
        places,
        ways: 2,
        blocks_every: 3,
        again_every: 7,
        again_places: 4,
        faults_every: 0,
        faults_times: 0,
    }
}

#[test]
fn loads_that_were_committed_survive_crashes_and_others_leave_nothing() {
    let mut tried = 0;
    for seed in 1..=20 {
        let recording = record(&Plan { loads: true, ..Plan::new(seed, 40) }, &[], Lie::None).unwrap();
        assert_eq!(recording.ended_by, None, "seed {seed}");
        let outcome = explore(&recording, &crashes(seed, 12));
        tried += outcome.crashes;
        assert!(outcome.is_clean(), "seed {seed}: {:#?}", outcome.failures);
    }
    assert!(tried > 200, "{tried} crashes");
}

/// In this run a load without images begins while redo of the table's earlier life has not been written to the log yet.
#[test]
fn a_checkpoint_before_a_load_leaves_no_redo_behind_that_is_read_again() {
    let recording = record(&Plan { loads: true, ..Plan::new(124, 60) }, &[], Lie::None).unwrap();
    let outcome = explore(&recording, &crashes(124, 150));
    assert!(outcome.is_clean(), "{:#?}", outcome.failures);
}

#[test]
fn a_small_run_of_loads_survives_a_crash_at_every_operation() {
    for seed in [5, 8] {
        let recording = record(&Plan { loads: true, closed: true, ..Plan::new(seed, 8) }, &[], Lie::None).unwrap();
        let outcome = explore(&recording, &Crashes { again_every: 31, ..crashes(seed, usize::MAX) });
        assert!(outcome.is_clean(), "seed {seed}: {:#?}", outcome.failures);
    }
}
