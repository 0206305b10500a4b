//! `bench cells` at a small scale, without processes of cells.

use lab::{BenchOptions, bench};

#[test]
fn scans_by_cells_are_beside_scans_without() {
    let options = BenchOptions { scale: 0.02, runs: 2, cache_mb: 32, ..BenchOptions::default() };
    let outcome = bench("cells", &options, &mut *lab::progress::automatic()).unwrap();
    let names: Vec<_> = outcome.cases.iter().map(|case| &*case.case).collect();
    assert_eq!(names[0], "scan by cells");
    assert_eq!(names.len(), 5, "{names:?}");
    // Which side is faster, small tables do not say; both have run.
    for case in &outcome.cases[1..] {
        assert_eq!((case.highwater_runs.len(), case.peer_runs.len()), (2, 2), "{}", case.case);
        assert!(case.ratio.unwrap() > 0.0, "{}", case.case);
    }
    assert!(outcome.skipped.iter().any(|text| text.contains("cells of other processes")), "{:?}", outcome.skipped);
}
