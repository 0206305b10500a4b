//! `insert-gets` at the published size: nothing is undecided, and the sizes of the tables are the published ones.
//!
//! The six arms of `block-size` at theirs are a test of `src/block_size/pctfree`, which runs no more than the six.

use lab::expectation::Kind;
use lab::reproduction::Figures;
use lab::{Options, Silent, reproduce};

#[test]
fn insert_gets() {
    let report = reproduce("insert-gets", &Options::default(), &mut Silent).unwrap();
    for expectation in &report.expectations {
        assert!(expectation.holds.is_some(), "{expectation:?}");
        if expectation.kind == Kind::Exact {
            assert_eq!(expectation.holds, Some(true), "{expectation:?}");
        }
    }
    let Figures::InsertGets(comparison) = &report.figures else { panic!("{:?}", report.figures) };
    let (published, measured) = (&comparison.published, &comparison.measured);
    assert_eq!(measured.source.rows, published.rows);
    assert_eq!(measured.manual.segments.table, published.segments.manual.table);
    assert_eq!(measured.auto.segments.table, published.segments.auto.table);
    // A figure that is far from the published one has been looked into.
    for difference in comparison.differences() {
        assert!(difference.ours.is_some() && difference.theirs.is_some(), "{difference:?}");
    }
}
