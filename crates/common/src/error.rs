//! One error type, whose kind tells the caller what to do.

use std::fmt;

use crate::address::BlockAddress;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The caller's duty after an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// The user's mistake: show it, change the statement.
    User,
    /// Try the same again.
    Retry,
    /// A file, a tablespace or memory is full.
    OutOfResource,
    /// A block or a file is damaged.
    Corrupt,
    /// The operating system refused a read, a write or a sync.
    Io,
    /// The instance has stopped after a failed write; it can only be closed.
    Poisoned,
    /// The user cancelled the statement.
    Cancelled,
    /// Highwater's own mistake.
    Bug,
}

/// The number for users: Oracle's where it has one for the same condition, else ours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Ora(u32),
    Hw(u32),
    Sp2(u32),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ora(n) => write!(f, "ORA-{n:05}"),
            Self::Hw(n) => write!(f, "HW-{n:04}"),
            Self::Sp2(n) => write!(f, "SP2-{n:04}"),
        }
    }
}

/// An error: kind, number, one line of text, and for a statement the byte offset where it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    pub number: Number,
    pub text: String,
    /// Byte offset into the statement's text.
    pub position: Option<usize>,
}

impl Error {
    #[must_use]
    pub fn new(kind: ErrorKind, number: Number, text: impl Into<String>) -> Self {
        Self { kind, number, text: text.into(), position: None }
    }

    /// The user's mistake, with Oracle's number for it.
    #[must_use]
    pub fn user(ora: u32, text: impl Into<String>) -> Self {
        Self::new(ErrorKind::User, Number::Ora(ora), text)
    }

    /// An unsupported feature, or a condition without a number of Oracle's.
    #[must_use]
    pub fn own(kind: ErrorKind, hw: u32, text: impl Into<String>) -> Self {
        Self::new(kind, Number::Hw(hw), text)
    }

    /// A valid statement that Highwater does not support: HW-0001, never silence.
    #[must_use]
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Self::own(ErrorKind::User, 1, format!("not supported: {what}"))
    }

    /// Highwater's own mistake: ORA-00600.
    #[must_use]
    pub fn bug(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Bug, Number::Ora(600), format!("internal error: {}", text.into()))
    }

    /// A damaged block: ORA-01578.
    #[must_use]
    pub fn corrupt(address: BlockAddress, why: impl fmt::Display) -> Self {
        Self::new(
            ErrorKind::Corrupt,
            Number::Ora(1578),
            format!("block corrupted (file # {}, block # {}): {why}", address.file.0, address.block),
        )
    }

    #[must_use]
    pub fn at(mut self, position: usize) -> Self {
        self.position.get_or_insert(position);
        self
    }

    /// True: the error is this one of our own (HW).
    #[must_use]
    pub fn is_own(&self, n: u32) -> bool {
        self.number == Number::Hw(n)
    }

    #[must_use]
    pub fn is_ora(&self, n: u32) -> bool {
        self.number == Number::Ora(n)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.text)
    }
}

impl std::error::Error for Error {}
