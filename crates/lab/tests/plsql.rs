//! `bench plsql` on our side alone, small: every case has a rate, and the outcome names the cases that were not
//! compared.

use lab::BenchOptions;

#[test]
fn programs_are_measured_and_what_is_missing_is_said() {
    let options = BenchOptions {
        scale: 0.001,
        runs: 1,
        postgres: Some("/nonexistent".into()),
        cache_mb: 32,
        ..BenchOptions::default()
    };
    let outcome = lab::bench("plsql", &options, &mut *lab::progress::automatic()).unwrap();
    assert_eq!(outcome.cases.len(), 5);
    let names: Vec<&str> = outcome.cases.iter().map(|case| case.case.as_str()).collect();
    assert_eq!(names[..2], ["the loop, both wait for each commit", "the loop, neither waits for a commit"]);
    assert!(names[2].starts_with("the script's loop, each by its default, "), "{names:?}");
    assert_eq!(
        outcome.cases.iter().map(|case| case.limit).collect::<Vec<_>>(),
        [None, None, Some(1.3), Some(1.0), None]
    );
    for case in &outcome.cases {
        assert_eq!((case.highwater_runs.len(), case.peer_runs.len()), (1, 0));
        assert!(case.highwater_runs[0] > 0.0 && case.ratio.is_none());
    }
    assert!(outcome.skipped.iter().any(|why| why.contains("PostgreSQL")), "{:?}", outcome.skipped);
    assert!(outcome.notes.iter().any(|note| note.starts_with("durable: ")), "{:?}", outcome.notes);
}
