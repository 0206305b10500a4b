//! A statement can be cancelled while it is planned.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod support;

use common::sync::atomic::Ordering;

#[test]
fn planning_ends_with_a_cancel() {
    let mut connection = support::connect();
    connection.run("create table t (a number)").unwrap();
    let cursor = connection.parse("select a from t where a > 5").unwrap();
    // What is cancelled between the calls is the next call: its first part is planning.
    connection.cancel_handle().store(true, Ordering::Release);
    let error = connection.execute(cursor).unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    connection.execute(cursor).unwrap();
    // So does binding, when the statement is parsed.
    connection.cancel_handle().store(true, Ordering::Release);
    let error = connection.parse("select a from t where a > 6").unwrap_err();
    assert!(error.is_ora(1013), "{error}");
    connection.parse("select a from t where a > 6").unwrap();
}
