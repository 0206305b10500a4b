//! The real binary, recorded: the state after a power failure at any moment of three lives in a row, and failing calls.
//!
//! `HIGHWATER_IMAGES` sets the number of images of the first test, `HIGHWATER_FAULTS` the number of failing calls of
//! each kind in the last (crates/recorder/README.md).

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "tests may")]

use std::path::PathBuf;

use recorder::error::{Error, Result};
use recorder::faults::inject_all;
use recorder::images::{Choice, record_and_try};
use recorder::lives::Options;
use recorder::summary::Summary;
use recorder::walk::Honesty;
use recorder::workload::WorkloadKind;

/// Images without HIGHWATER_IMAGES.
const IMAGES: usize = 100;
const FAULTS: u64 = 2;
/// Transactions, definitions and loads of a life.
const UNITS: usize = 12;
/// Operations of a life of so many units, about.
const OPERATIONS: u64 = 200;

fn options(kind: WorkloadKind, seed: u64) -> Options {
    Options { program: PathBuf::from(env!("CARGO_BIN_EXE_highwater")), kind, seed, units: UNITS }
}

fn figure<T: std::str::FromStr<Err: std::fmt::Debug>>(variable: &str, usual: T) -> T {
    std::env::var(variable).map_or(usual, |text| text.parse().unwrap())
}

/// False where recording is not permitted.
fn permitted<T>(result: &Result<T>) -> bool {
    let forbidden = matches!(result, Err(Error::Forbidden(_)));
    if forbidden {
        println!("skipped: ptrace is not permitted here, so nothing was recorded");
    }
    !forbidden
}

fn images(images: usize, kinds: &[WorkloadKind], honesty: Honesty) -> Option<Summary> {
    let mut summary = Summary::default();
    let mut operations = OPERATIONS;
    for seed in 1.. {
        for kind in kinds {
            let left = images - summary.images();
            if left == 0 {
                return Some(summary);
            }
            let choice = Choice {
                kind: *kind,
                seed,
                images: left.min(images.div_ceil(kinds.len())),
                binary_every: 50,
                honesty,
                keep: None,
            };
            let done = record_and_try(&options(*kind, seed), &choice, &mut operations, &mut summary);
            if !permitted(&done) {
                return None;
            }
            done.unwrap();
        }
    }
    None
}

fn printed(summary: &Summary) -> String {
    let mut text = Vec::new();
    summary.print(&mut text).unwrap();
    format!("{:#?}\n{}", summary.findings(), String::from_utf8(text).unwrap())
}

#[test]
fn whatever_a_power_failure_leaves_opens_with_what_was_acknowledged() {
    let Some(summary) = images(figure("HIGHWATER_IMAGES", IMAGES), &WorkloadKind::ALL, Honesty::Honest) else { return };
    assert!(summary.findings().is_empty(), "{}", printed(&summary));
}

/// As if the kernel had dropped every sync: the control for the test above.
#[test]
fn a_disk_that_forgets_what_was_synced_is_noticed() {
    let Some(summary) = images(50, &[WorkloadKind::Rows], Honesty::Lying) else { return };
    assert!(summary.findings().iter().any(|finding| !finding.findings.lost.is_empty()), "{}", printed(&summary));
}

#[test]
fn calls_that_fail_are_told_and_what_has_succeeded_stands() {
    let most = figure("HIGHWATER_FAULTS", FAULTS);
    for kind in WorkloadKind::ALL {
        let mut wrong = Vec::new();
        let mut hit = 0;
        let done = inject_all(&options(kind, 1), most, |injection| {
            hit += usize::from(injection.hit.is_some());
            if !injection.findings.is_empty() {
                wrong.push(injection.clone());
            }
        });
        if !permitted(&done) {
            return;
        }
        done.unwrap();
        assert!(hit > 0, "{}: no call was hit", kind.name());
        assert!(wrong.is_empty(), "{}: {wrong:#?}", kind.name());
    }
}
