//! A statement can be cancelled during planning.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use common::sync::atomic::Ordering;

#[test]
fn planning_ends_with_a_cancel() {
    let mut connection = support::connect();
    connection.run("create table t (a number)").unwrap();
    let cursor = connection.parse("select a from t where a > 5").unwrap();
    // A cancel between calls cancels the next call, which begins with planning.
    connection.cancel_handle().store(true, Ordering::Release);
    let error = connection.execute(cursor).unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    connection.execute(cursor).unwrap();
    // The same for binding, at the parse.
    connection.cancel_handle().store(true, Ordering::Release);
    let error = connection.parse("select a from t where a > 6").unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    connection.parse("select a from t where a > 6").unwrap();
}
