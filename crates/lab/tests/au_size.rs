//! The experiment `au-size`, small and in memory: what bytes and requests decide holds, and the split adds up.

#![expect(clippy::unwrap_used, reason = "a test")]

use drive::Positive;
use lab::au_size::DECLARATION;
use lab::au_size::setting::{AU_MB, first, inner, rebuilt};
use lab::experiment::expectation::ExpectationKind;
use lab::{ModelledRun, Options, Silent, experiment};

/// A table of 16 MB on a fast volume: bytes, no times.
fn options() -> Options {
    let model = drive::find("ramsan-400").unwrap().unwrap();
    let device = ModelledRun::new("ramsan-400", model, Positive::ONE, true);
    Options {
        scale: Some(0.001),
        repetitions: Some(1),
        device: Some(device),
        dilate: Some(Positive::ONE),
        ..Options::default()
    }
}

#[test]
fn bytes_and_requests_are_exact_whatever_the_machine() {
    let (comparison, _) = DECLARATION.run(&options(), &mut Silent).unwrap();
    for expectation in comparison.judge().unwrap() {
        if expectation.kind == ExpectationKind::Exact {
            assert_eq!(expectation.holds, Some(true), "{expectation:?}");
        } else {
            assert_eq!(expectation.holds, None, "one run decides nothing of times: {expectation:?}");
        }
    }
    let run = |setting| comparison.measured.arm(setting).unwrap().runs[0].clone();
    let rows = run(first(1)).rows;
    assert!(rows > 600, "{rows} rows of one owner");
    for setting in [first(4), first(8), rebuilt(1), rebuilt(4), rebuilt(8), inner()] {
        let run = run(setting);
        assert_eq!(run.rows, rows);
        // A unit that the table's extents fill is one request; the first extents are smaller.
        let units = run.segment_bytes.div_ceil(u64::from(setting.number(&AU_MB)) << 20);
        assert!((units..=units + 2).contains(&run.scan_requests), "{setting:?}: {run:?}");
    }
    let text = serde_json::to_string(&comparison.published_json(rebuilt(8))).unwrap();
    assert!(text.contains("5.49"), "{text}");
}

#[test]
fn sweeps_read_by_the_session_too() {
    let options = options().with("au-mb", &[2]).with("multiblock-read-count", &[0, 16]);
    let sweep = DECLARATION.run_sweep(&options, &mut Silent).unwrap();
    // Outside and inside, by the cell and by reads of 16 blocks.
    assert_eq!(sweep.points.len(), 4);
    for point in &sweep.points {
        let run = &point.runs[0];
        let by_cell = run.scan_requests > 0;
        assert_eq!(by_cell, run.interconnect_bytes < run.segment_bytes / 10, "{run:?}");
        assert!(by_cell || run.reads > run.segment_bytes / (16 * 8192) / 2, "{run:?}");
    }
    assert!(sweep.points.iter().any(|point| point.runs[0].scan_requests == 0));
    assert!(sweep.report().unwrap().page.contains("inner tracks"));
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_made() {
    let experiment = experiment("au-size").unwrap();
    let refused = |options: &Options| experiment.reproduce(options, &mut Silent).unwrap_err().text;
    assert!(refused(&Options { scale: Some(2.0), ..options() }).contains("0.001 to 1"));
    let sweep = experiment.check_sweep(&options().with("au-mb", &[3])).unwrap_err().text;
    assert!(sweep.contains("1, 2, 4, 8, 16, 32"), "{sweep}");
    // The devices of a model are too small for three groups.
    let small = drive::ModelFile::parse("small", SMALL).unwrap();
    let device = ModelledRun::new("small", small, Positive::ONE, true);
    let text = refused(&Options { device: Some(device), ..options() });
    assert!(text.contains("a smaller --scale"), "{text}");
}

const SMALL: &str = "device = \"small\"\n[sources]\n[volume]\ncapacity_gb = 0.05\nread = { mean_us = 10 }\n\
                     write = { mean_us = 10 }\nmb_per_s = 500\n";
