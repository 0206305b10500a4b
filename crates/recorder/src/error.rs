//! Errors of a recording.

use std::io;
use std::path::Path;

use nix::errno::Errno;

/// Why something could not be recorded or tried.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// This machine forbids ptrace: recording is impossible.
    #[error("ptrace is not permitted here: {0}")]
    Forbidden(Errno),
    /// The kernel or the process did something that the recorder cannot follow.
    #[error("trace: {0}")]
    Trace(String),
    /// The program made a call that a recording cannot represent: an operation would be missing.
    #[error("not recorded: {0}")]
    Unrecorded(String),
    #[error("{0}")]
    Io(String),
    /// The program failed without a fault of the disk.
    #[error("workload: {0}")]
    Workload(String),
    #[error(transparent)]
    Database(#[from] common::Error),
}

/// Outcome with an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn start(program: &Path, error: &io::Error) -> Self {
        Self::Io(format!("{} cannot be started: {error}", program.display()))
    }

    pub(crate) fn ptrace(what: &str, errno: Errno) -> Self {
        Self::Trace(format!("{what}: {errno}"))
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io(format!("{}: {error}", path.display()))
    }
}
