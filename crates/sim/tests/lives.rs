//! Several lives of a database on one disk: by seed, by threads, and with lying disks.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use sim::disk::Lie;
use sim::explore::{Crashes, Outcome, explore};
use sim::workload::{Plan, Recording, record};

fn crashes(seed: u64, places: usize) -> Crashes {
    Crashes {
        seed,
        places,
        ways: 1,
        blocks_every: 2,
        again_every: 11,
        again_places: 2,
        faults_every: 13,
        faults_times: 1,
    }
}

/// The faults found.
fn wrong(recording: &Recording, outcome: &Outcome) -> Vec<String> {
    let failures = outcome.failures.iter().map(ToString::to_string);
    failures.chain(recording.ended_by.clone()).collect()
}

#[test]
fn what_was_acknowledged_in_any_life_survives_crashes_in_each() {
    let (mut tried, mut lives) = (0, 0);
    for seed in 1..=16 {
        let recording = record(&Plan::lives(seed, 20, 3), &[], Lie::None).unwrap();
        let outcome = explore(&recording, &crashes(seed, 9));
        tried += outcome.crashes;
        lives += recording.lives.len();
        assert_eq!(wrong(&recording, &outcome), Vec::<String>::new(), "seed {seed}");
    }
    assert!(tried > 100 && lives > 35, "{tried} crashes in {lives} lives");
}

#[test]
fn a_seed_has_the_same_lives_each_time() {
    let run = || record(&Plan::lives(4, 15, 3), &[], Lie::None).unwrap();
    let (one, other) = (run(), run());
    assert_eq!((one.trace(), &one.lives), (other.trace(), &other.lives));
}

#[test]
fn what_threads_have_acknowledged_survives_crashes() {
    let (mut overlapping, mut in_flight) = (0, 0);
    for seed in 1..=6 {
        let recording = record(&Plan::threads(seed, 12, 2, 3), &[], Lie::None).unwrap();
        let outcome = explore(&recording, &crashes(seed, 8));
        assert_eq!(wrong(&recording, &outcome), Vec::<String>::new(), "seed {seed}");
        overlapping += overlaps(&recording);
        in_flight += outcome.in_flight;
    }
    assert!(overlapping > 50, "{overlapping} operations began while others were under way");
    assert!(in_flight > 0, "no crash met several writes of one log file in flight");
}

/// Operations that begin while others are under way.
fn overlaps(recording: &Recording) -> usize {
    use sim::disk::Operation::{Begun, Ended};
    let (mut flying, mut overlapping) = (0_usize, 0);
    for operation in &recording.operations {
        match operation {
            Begun { .. } => {
                overlapping += usize::from(flying > 0);
                flying += 1;
            }
            Ended { .. } => flying = flying.saturating_sub(1),
            _ => {}
        }
    }
    overlapping
}

/// Tries seeds until a fault is found, as none is on an honest disk.
fn assert_noticed(lie: Lie) {
    for seed in 1..=80 {
        let recording = record(&Plan { creation: false, ..Plan::lives(seed, 20, 3) }, &[], lie).unwrap();
        let outcome = explore(&recording, &Crashes { again_every: 0, faults_every: 0, ..crashes(seed, 12) });
        if !wrong(&recording, &outcome).is_empty() {
            return;
        }
    }
    panic!("{lie:?} is not noticed");
}

#[test]
fn syncs_of_directories_that_are_left_out_are_noticed() {
    assert_noticed(Lie::SkippedDirectorySync);
}

#[test]
fn datafiles_that_are_not_synced_after_a_kill_are_noticed() {
    assert_noticed(Lie::SkippedSyncAfterKill);
}

#[test]
fn logs_that_are_not_synced_after_a_kill_are_noticed() {
    assert_noticed(Lie::SkippedLogSyncAfterKill);
}
