//! Errors of model files, cells and traces.

use common::{Error, ErrorKind};

/// HW-0080: a model file, a cell or a trace that cannot be used.
pub(crate) fn invalid(text: impl Into<String>) -> Error {
    Error::own(ErrorKind::User, 80, text.into())
}

/// An error of a TOML text, with its line; `name` is the file's.
pub(crate) fn of_toml(name: &str, text: &str, error: &toml::de::Error) -> Error {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    invalid(format!("{name}, line {line}: {}", error.message()))
}
