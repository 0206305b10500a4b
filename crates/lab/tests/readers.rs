//! `bench readers`, small: both queries have a rate of one session and of two, of a table that is all in the cache.

use lab::BenchOptions;

#[test]
fn readers_are_measured_beside_one_alone() {
    let options = BenchOptions { scale: 0.002, runs: 3, cache_mb: 32, ..BenchOptions::default() };
    let outcome = lab::bench("readers", &options, &mut *lab::progress::automatic()).unwrap();
    assert_eq!(outcome.cases.len(), 2);
    for case in &outcome.cases {
        assert_eq!((case.highwater_runs.len(), case.peer_runs.len()), (3, 3));
        assert!(case.ratio.is_some_and(|ratio| ratio > 0.0) && case.limit == Some(1.7));
    }
    assert!(outcome.notes[0].starts_with("1,024 rows"), "{:?}", outcome.notes);
    // One that the cache does not hold is not measured.
    let options = BenchOptions { scale: 0.05, runs: 1, cache_mb: 2, ..BenchOptions::default() };
    assert!(lab::bench("readers", &options, &mut *lab::progress::automatic()).is_err());
}
