//! Models beside the traces of real drives in ../shared/devices.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test fails by panicking, in its helpers too")]

use std::fs;
use std::path::PathBuf;

use drive::{ModelFile, demerit, disksim, read_trace, score};

/// The folder of the traces; None, with a line, where it is not there.
fn traces() -> Option<PathBuf> {
    let directory = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/devices/disksim"));
    if !directory.is_dir() {
        println!("skipped: no traces of drives beside the checkout");
        return None;
    }
    Some(directory)
}

#[test]
fn service_times_of_real_drives_come_out_of_their_figures() {
    let Some(directory) = traces() else { return };
    for drive in ["atlas10k", "cheetah9LP", "barracuda"] {
        let read = |extension: &str| fs::read_to_string(directory.join(drive).with_extension(extension)).unwrap();
        let trace = read_trace(drive, &read("trace")).unwrap();
        for (measured, asked) in [(false, 0.08), (true, 0.06)] {
            let text = disksim::model_file(drive, &read("model"), &read("diskspecs"), &read("seek"), measured).unwrap();
            let model = ModelFile::parse(drive, &text).unwrap();
            let score = score(model.disk().unwrap(), &trace).unwrap();
            println!("{drive} measured {measured}: {score:.3?}");
            assert!(score.fitted.second_half <= asked, "{drive}");
        }
    }
}

#[test]
fn the_demerit_is_the_distance_of_distributions() {
    assert_eq!(demerit(&[1.0, 2.0, 3.0], &[3.0, 1.0, 2.0]), 0.0);
    assert!((demerit(&[1.0, 2.0, 3.0], &[4.0, 3.0, 2.0]) - 0.5).abs() < 1e-9);
}
