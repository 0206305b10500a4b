//! `bench block-size` on our side alone, small: every case has a rate, and the outcome names the cases that were not
//! compared.

use lab::BenchOptions;

#[test]
fn updates_loads_scans_arrays_and_counts_are_measured() {
    let options = BenchOptions {
        scale: 0.001,
        runs: 1,
        postgres: Some("/nonexistent".into()),
        cache_mb: 32,
        ..BenchOptions::default()
    };
    let outcome = lab::bench("block-size", &options, &mut *lab::progress::automatic()).unwrap();
    let asked: Vec<_> = outcome.cases.iter().map(|case| case.limit).collect();
    let scan = Some(0.9);
    assert_eq!(
        asked,
        [Some(1.5), None, Some(1.0), None, Some(1.5), scan, scan, scan, scan, Some(1.0), None, Some(1.5)]
    );
    for case in &outcome.cases {
        assert_eq!(case.highwater_runs.len(), 1, "{case:?}");
        assert!(case.highwater_runs[0] > 0.0 && case.highwater_runs[0].is_finite(), "{case:?}");
        assert!(case.peer_name != "PostgreSQL" || case.peer_runs.is_empty(), "{case:?}");
    }
    assert!(outcome.skipped.iter().any(|why| why.contains("PostgreSQL")), "{:?}", outcome.skipped);
    let notes = outcome.notes.join("\n");
    // Every row of 200 that was given no room has moved or found some; those with room stay.
    assert!(notes.contains("PCTFREE 35: 0 rows migrated"), "{notes}");
    assert!(notes.contains("durable: ") && notes.contains("apart by their medians"), "{notes}");
}
