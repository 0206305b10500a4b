//! The benchmark of rollback and recovery runs, and checks its rows itself.

use lab::BenchOptions;

#[test]
fn rollback_and_recovery_are_measured() {
    let home = tempfile::tempdir().unwrap();
    let options = BenchOptions {
        scale: 0.002,
        runs: 1,
        data: Some(home.path().to_owned()),
        cache_mb: 64,
        ..BenchOptions::default()
    };
    let outcome = lab::bench("recovery", &options, &mut *lab::progress::automatic()).unwrap();
    let names: Vec<_> = outcome.cases.iter().map(|case| case.case.as_str()).collect();
    assert_eq!(
        names,
        [
            "rollback of an insert",
            "rollback of an insert, one index",
            "open, inserted rows",
            "open, inserted rows: roll forward",
            "open, random updates",
            "open, random updates: roll forward",
        ]
    );
    assert!(outcome.cases.iter().all(|case| case.highwater.is_some_and(|figure| figure > 0.0)));
    assert!(outcome.cases[0].ratio.is_some() && outcome.cases[1].limit == Some(1.0));
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}
