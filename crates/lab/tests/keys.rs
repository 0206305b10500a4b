//! `bench keys` on our side alone, small: every loop has a rate, and the outcome names what was not compared.

use lab::BenchOptions;

#[test]
fn loops_by_key_are_measured_and_what_is_missing_is_said() {
    let options = BenchOptions {
        scale: 0.01,
        runs: 1,
        postgres: Some("/nonexistent".into()),
        cache_mb: 32,
        ..BenchOptions::default()
    };
    let outcome = lab::bench("keys", &options, &mut *lab::progress::automatic()).unwrap();
    assert_eq!(outcome.cases.len(), 6);
    for case in &outcome.cases {
        assert_eq!((case.limit, case.highwater_runs.len(), case.peer_runs.len()), (Some(1.0), 1, 0));
        assert!(case.highwater_runs[0] > 0.0 && case.ratio.is_none(), "{case:?}");
    }
    assert!(outcome.skipped.iter().any(|why| why.contains("PostgreSQL")), "{:?}", outcome.skipped);
    assert!(outcome.notes.iter().any(|note| note.starts_with("durable: ")), "{:?}", outcome.notes);
}
