//! `bench tpcc` on our side alone, tiny: every number of sessions has a rate in both parts, the conditions of
//! consistency hold, and the outcome names what was not compared.

use lab::BenchOptions;

#[test]
fn the_five_transactions_run_and_leave_a_consistent_database() {
    let options = BenchOptions {
        scale: 0.001,
        runs: 1,
        postgres: Some("/nonexistent".into()),
        cache_mb: 32,
        ..BenchOptions::default()
    };
    let outcome = lab::bench("tpcc", &options, &mut *lab::progress::automatic()).unwrap();
    let limits: Vec<Option<f64>> = outcome.cases.iter().map(|case| case.limit).collect();
    let [cached, larger, all] = [Some(1.2), Some(1.0), None];
    assert_eq!(limits, [[cached; 3], [all; 3], [larger; 3], [all; 3]].concat());
    for case in &outcome.cases {
        assert_eq!((case.highwater_runs.len(), case.peer_runs.len()), (1, 0));
        assert!(case.highwater_runs[0] > 0.0 && case.ratio.is_none(), "{case:?}");
    }
    assert!(outcome.skipped.iter().any(|why| why.contains("PostgreSQL")), "{:?}", outcome.skipped);
    assert!(outcome.notes.iter().any(|note| note.starts_with("durable: ")), "{:?}", outcome.notes);
}
