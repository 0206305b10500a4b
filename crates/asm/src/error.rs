//! The errors of disk groups, each made in one place.
//!
//! Oracle often stacks a general error (ORA-15018, ORA-15017, ORA-15039: not created, not mounted, not dropped) on the
//! one with the cause. Here there is one error, the one with the cause.

use std::fmt::Display;
use std::io;
use std::path::Path;

use common::{Error, ErrorKind, Number};

/// The content of a disk is damaged.
pub(crate) fn corrupt(text: impl Display) -> Error {
    Error::new(ErrorKind::Corrupt, Number::Ora(15196), format!("invalid ASM metadata: {text}"))
}

/// A read, write or sync of a disk failed.
pub(crate) fn io(disk: &str, path: &Path, what: &str, error: &io::Error) -> Error {
    let text = format!("{what} of disk \"{disk}\" ({}) failed: {error}", path.display());
    Error::new(ErrorKind::Io, Number::Ora(15080), text)
}

/// A future disk cannot be opened, or its size cannot be read.
pub(crate) fn cannot_open(path: &Path, error: &io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Ora(15025), format!("could not open disk \"{}\": {error}", path.display()))
}

/// The group does not exist any more.
pub(crate) fn no_group(name: &str) -> Error {
    Error::user(15001, format!("diskgroup \"{name}\" does not exist or is not mounted"))
}

/// There is no such file in the group.
pub(crate) fn no_file(name: impl Display) -> Error {
    Error::user(15012, format!("ASM file \"{name}\" does not exist"))
}

/// A write of the group's metadata failed, now or before: the state on the disks is unknown until the next mount.
pub(crate) fn stopped(group: &str, why: impl Display) -> Error {
    Error::own(
        ErrorKind::Poisoned,
        70,
        format!("diskgroup \"{group}\" takes no more changes until it is mounted again: {why}"),
    )
}

/// A disk's I/O error, whose text holds the disk's name (`disk.rs`), as an error of the engine.
pub(crate) fn from_io(error: io::Error) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => error,
        Err(error) => Error::new(ErrorKind::Io, Number::Ora(15080), error.to_string()),
    }
}

/// A group's error as a device reports it.
pub(crate) fn to_io(error: Error) -> io::Error {
    let kind = match error.kind {
        ErrorKind::OutOfResource => io::ErrorKind::StorageFull,
        ErrorKind::User => io::ErrorKind::InvalidInput,
        ErrorKind::Corrupt => io::ErrorKind::InvalidData,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}
