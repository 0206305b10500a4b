//! Errors of the peer.

use std::path::Path;

use common::{Error, ErrorKind};

/// The error of a PostgreSQL program that failed.
#[must_use]
pub fn failure(what: &str, why: impl std::fmt::Display) -> Error {
    Error::own(ErrorKind::Io, 2, format!("PostgreSQL: {what}: {why}"))
}

/// PostgreSQL's answer to a statement that it refuses.
#[must_use]
pub fn refusal(text: &str, error: &postgres::Error) -> Error {
    let why = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
    failure(text, why)
}

pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
    failure(&path.display().to_string(), error)
}
