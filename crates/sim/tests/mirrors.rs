//! Mirrored groups whose disks fail, leave and come back, over lives that losses of power end.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

use sim::mirrors::{Tally, run};

#[test]
fn nothing_is_lost_while_one_copy_is_good() {
    let mut all = Tally::default();
    let mut failures = Vec::new();
    for seed in 1..=150 {
        match run(seed, 3, 40) {
            Ok(tally) => all.add(&tally),
            Err(why) => failures.push(format!("seed {seed}: {why}")),
        }
    }
    println!("{all:?}");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let reached = [all.failed, all.gone, all.old, all.repairs, all.moves, all.left];
    assert!(reached.iter().all(|count| *count > 0), "{all:?}");
}

/// Found by seeds: an epoch that a cut-short mount had left in a header, a number that a dropped disk still had, the
/// epoch of a disk that had come online, and two copies of an extent on one disk.
#[test]
fn seeds_that_have_failed_do_not_fail_again() {
    for seed in [14, 75, 179, 312, 409, 412, 418, 742, 21_120] {
        run(seed, 3, 40).unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
}
