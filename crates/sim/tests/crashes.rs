//! The short runs: a few seeds, one small run crashed everywhere, faults, and disks that lie.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use std::process::Command;

use sim::disk::{Fault, Lie};
use sim::explore::{Crashes, Outcome, explore};
use sim::workload::{Plan, record};

fn crashes(seed: u64, places: usize) -> Crashes {
    Crashes {
        seed,
        places,
        ways: 2,
        blocks_every: 4,
        again_every: 9,
        again_places: 4,
        faults_every: 0,
        faults_times: 0,
    }
}

fn assert_clean(what: &str, outcome: &Outcome) {
    assert!(outcome.is_clean(), "{what}: {:#?}", outcome.failures);
}

#[test]
fn a_seed_is_the_same_run_in_each_process() {
    let run = |seed: &str| {
        let program = env!("CARGO_BIN_EXE_sim");
        let output = Command::new(program).args(["--first", seed, "--seeds", "1", "--places", "4"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let one = run("8");
    assert!(one.contains("seed 8 trace "), "{one}");
    assert_eq!(one, run("8"));
    assert_ne!(one, run("9").replace("seed 9", "seed 8"));
}

#[test]
fn what_was_acknowledged_survives_crashes() {
    let mut tried = 0;
    for seed in 1..=10 {
        let recording = record(&Plan::new(seed, 40), &[], Lie::None).unwrap();
        assert_eq!(recording.ended_by, None, "seed {seed}");
        let outcome = explore(&recording, &crashes(seed, 8));
        tried += outcome.crashes;
        assert_clean(&format!("seed {seed}"), &outcome);
    }
    assert!(tried > 80, "{tried} crashes");
}

#[test]
fn what_was_acknowledged_survives_crashes_with_datafiles_in_a_disk_group() {
    let mut tried = 0;
    for (seed, disks) in [(1, 1), (2, 2), (3, 3), (4, 4), (25, 3), (36, 2)] {
        let recording = record(&Plan { disks, ..Plan::new(seed, 40) }, &[], Lie::None).unwrap();
        assert_eq!(recording.ended_by, None, "seed {seed}");
        let outcome = explore(&recording, &crashes(seed, 8));
        tried += outcome.crashes;
        assert_clean(&format!("seed {seed}"), &outcome);
    }
    assert!(tried > 50, "{tried} crashes");
}

/// In this run three sessions meet in a full block that has ITL slots for two.
#[test]
fn a_statement_that_would_wait_for_ever_ends() {
    let recording = record(&Plan::new(15_387, 40), &[], Lie::None).unwrap();
    assert_clean("seed 15387", &explore(&recording, &crashes(15_387, 2)));
}

#[test]
fn a_small_run_survives_a_crash_at_every_operation_and_again_in_its_recovery() {
    let plan = Plan { definitions: false, closed: true, ..Plan::new(5, 9) };
    let recording = record(&plan, &[], Lie::None).unwrap();
    let everywhere = Crashes {
        places: usize::MAX,
        blocks_every: 10,
        again_every: 23,
        again_places: usize::MAX,
        ..crashes(5, usize::MAX)
    };
    let outcome = explore(&recording, &everywhere);
    assert!(outcome.second > 100, "{} crashes in recoveries", outcome.second);
    assert_clean("everywhere", &outcome);
}

#[test]
fn after_a_failed_read_write_sync_or_growth_nothing_acknowledged_is_lost() {
    let (mut happened, mut tried) = (0, 0);
    for number in 1..=3 {
        for fault in [
            Fault::Read(5 * number),
            Fault::FlippedRead(5 * number),
            Fault::Write(14 * number),
            Fault::Sync(9 * number),
            Fault::Growth(number),
        ] {
            let seed = 20 + number;
            let recording = record(&Plan::new(seed, 40), &[fault], Lie::None).unwrap();
            happened += usize::from(recording.ended_by.is_some());
            let outcome = explore(&recording, &crashes(seed, 3));
            tried += outcome.crashes;
            assert_clean(&format!("{fault:?}, seed {seed}"), &outcome);
        }
    }
    assert!(happened >= 6 && tried > 40, "{happened} of the faults were met, {tried} crashes");
}

#[test]
fn a_recovery_in_which_the_disk_fails_makes_up_nothing_and_loses_nothing() {
    let mut all = Outcome::default();
    for seed in 31..=36 {
        let recording = record(&Plan::new(seed, 40), &[], Lie::None).unwrap();
        let faults = Crashes { again_every: 0, faults_every: 2, faults_times: 4, ..crashes(seed, 5) };
        let outcome = explore(&recording, &faults);
        assert_clean(&format!("seed {seed}"), &outcome);
        all.add(outcome);
    }
    // Some have no effect: another copy is read, or the same once more.
    assert!(all.refused > 30 && all.faulty > all.refused, "{} faults, {} refused", all.faulty, all.refused);
}

/// Crashes of a few seeds; they must reveal the lie.
fn is_noticed(lie: Lie) -> Outcome {
    let mut all = Outcome::default();
    for seed in 1..=20 {
        let recording = record(&Plan::new(seed, 50), &[], lie).unwrap();
        all.add(explore(&recording, &Crashes { again_every: 0, ways: 3, ..crashes(seed, 12) }));
        if !all.is_clean() {
            break;
        }
    }
    all
}

#[test]
fn syncs_that_are_left_out_are_noticed() {
    let outcome = is_noticed(Lie::SkippedSync);
    assert!(outcome.lost + outcome.broken > 0, "{outcome:?}");
}

#[test]
fn a_double_write_that_is_left_out_is_noticed() {
    let outcome = is_noticed(Lie::SkippedDoubleWrite);
    assert!(outcome.broken > 0, "{outcome:?}");
}

#[test]
fn commits_that_are_acknowledged_before_their_redo_is_written_are_noticed() {
    let outcome = is_noticed(Lie::EarlyAcknowledgement);
    assert!(outcome.lost > 0, "{outcome:?}");
}
