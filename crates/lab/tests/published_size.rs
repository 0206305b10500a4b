//! `insert-gets` at the published size: nothing is undecided, and the sizes of the tables are the published ones.
//!
//! The six arms of `block-size` at theirs are a test of `src/block_size/pctfree`, which runs no more than the six.

use lab::experiment::expectation::ExpectationKind;
use lab::insert_gets::Work;
use lab::{Options, Silent, reproduce};

#[test]
fn insert_gets() {
    let report = reproduce("insert-gets", &Options::default(), &mut Silent).unwrap();
    for expectation in &report.expectations {
        assert!(expectation.holds.is_some(), "{expectation:?}");
        if expectation.kind == ExpectationKind::Exact {
            assert_eq!(expectation.holds, Some(true), "{expectation:?}");
        }
    }
    let comparison = report.of::<Work>().unwrap();
    let (paper, [manual, auto]) = (&comparison.published.paper, comparison.runs().unwrap());
    assert_eq!(comparison.measured.rest.source.rows, paper.rows);
    assert_eq!(manual.segments.table, paper.segments.manual.table);
    assert_eq!(auto.segments.table, paper.segments.auto.table);
    // A figure that is far from the published one has been looked into.
    for difference in comparison.differences().unwrap() {
        assert!(difference.ours.is_some() && difference.theirs.is_some(), "{difference:?}");
    }
}
