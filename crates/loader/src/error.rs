//! The errors of reading flat files: the statement's number, with the access driver's own behind it.

use std::io;

use common::{Error, ErrorKind, Number};

fn callout(kind: ErrorKind, callout: &str, rest: &str) -> Error {
    let text = format!("error in executing ODCIEXTTABLE{callout} callout: {rest}");
    Error::new(kind, Number::Ora(29913), text)
}

/// ORA-29913 of opening, with the driver's message.
pub(crate) fn open(driver: &str) -> Error {
    callout(ErrorKind::User, "OPEN", &format!("ORA-29400: data cartridge error: {driver}"))
}

/// ORA-29913 of reading, with the driver's message.
pub(crate) fn fetch(driver: &str) -> Error {
    callout(ErrorKind::User, "FETCH", &format!("ORA-29400: data cartridge error: {driver}"))
}

/// ORA-29913 of a file that the operating system cannot open, read or write.
pub(crate) fn file(what: &str, name: &str, error: &io::Error) -> Error {
    let kind = if error.kind() == io::ErrorKind::StorageFull { ErrorKind::OutOfResource } else { ErrorKind::Io };
    let rest = format!("ORA-29400: data cartridge error: KUP-04001: error {what} file {name}: {error}");
    callout(kind, "FETCH", &rest)
}

/// ORA-29913 with ORA-30653.
pub(crate) fn reject_limit(why: &str) -> Error {
    callout(ErrorKind::User, "FETCH", &format!("ORA-30653: reject limit reached: {why}"))
}
