//! `bench plans`, tiny: all 22 questions are answered, each with a plan, and what hints do not change is not compared
//! with itself.

use lab::BenchOptions;

#[test]
fn all_questions_are_answered_and_compared_with_other_plans() {
    let options = BenchOptions { scale: 0.1, runs: 1, cache_mb: 32, ..BenchOptions::default() };
    let outcome = lab::bench("plans", &options, &mut *lab::progress::automatic()).unwrap();
    assert_eq!(outcome.cases.len(), 22);
    for (at, case) in outcome.cases.iter().enumerate() {
        assert_eq!(case.case, format!("question {}", at + 1));
        assert_eq!(case.highwater_runs.len(), 1, "{case:?}");
        let note = format!("{}: none of the hints makes another plan", case.case);
        let alone = outcome.notes.contains(&note);
        assert_eq!(case.peer_runs.len(), usize::from(!alone), "{case:?}");
        assert_eq!(case.ratio.is_some(), !alone, "{case:?}");
    }
    // One table, no index that a condition leads to: no hint about joins changes the plan.
    assert!(outcome.notes.contains(&"question 1: none of the hints makes another plan".to_owned()));
    assert!(outcome.cases.iter().filter(|case| case.ratio.is_some()).count() > 10, "{:?}", outcome.notes);
    assert!(outcome.notes.iter().any(|note| note.starts_with("expected rows within ")), "{:?}", outcome.notes);
}
