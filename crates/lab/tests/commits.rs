//! `bench commit` on our side alone, small: every case has a rate, and the outcome names the cases that were not
//! compared.

use lab::BenchOptions;

#[test]
fn commits_are_counted_and_what_is_missing_is_said() {
    let options = BenchOptions {
        scale: 0.005,
        runs: 2,
        postgres: Some("/nonexistent".into()),
        cache_mb: 32,
        ..BenchOptions::default()
    };
    let outcome = lab::bench("commit", &options, &mut *lab::progress::automatic()).unwrap();
    let names: Vec<&str> = outcome.cases.iter().map(|case| case.case.as_str()).collect();
    assert_eq!(
        names,
        ["insert and commit, 1 session", "insert and commit, 5 sessions", "insert and commit, 16 sessions"]
    );
    for case in &outcome.cases {
        assert_eq!((case.highwater_runs.len(), case.peer_runs.len()), (2, 0));
        assert!(case.highwater_runs.iter().all(|rate| *rate > 0.0) && case.ratio.is_none());
    }
    assert!(outcome.skipped.iter().any(|why| why.contains("PostgreSQL")), "{:?}", outcome.skipped);
    assert!(outcome.notes.iter().any(|note| note.starts_with("durable: ")), "{:?}", outcome.notes);
}
