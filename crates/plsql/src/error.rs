//! Errors in a program's text.

use std::fmt;

use crate::ast::At;
use crate::position::Lines;

/// The number of a compilation error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    /// PL/SQL's own.
    Pls(u32),
    /// Error of a SQL statement in a program, or of a CREATE statement.
    Ora(u32),
    /// Highwater's own: 1 for unsupported.
    Hw(u32),
    /// A consequence of another error: `PL/SQL: Statement ignored`.
    Plain,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pls(number) => write!(f, "PLS-{number:05}"),
            Self::Ora(number) => write!(f, "PL/SQL: ORA-{number:05}"),
            Self::Hw(number) => write!(f, "HW-{number:04}"),
            Self::Plain => f.write_str("PL/SQL"),
        }
    }
}

/// One error of a program that does not compile, as USER_ERRORS and SHOW ERRORS give it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// Byte offset into the text that was given.
    pub at: At,
    /// From 1; of a stored program counted from its PROCEDURE, FUNCTION, PACKAGE or TRIGGER on.
    pub line: u32,
    pub column: u32,
    pub number: Number,
    /// Without the number.
    pub text: String,
}

impl CompileError {
    #[must_use]
    pub fn new(lines: &Lines<'_>, at: At, number: Number, text: impl Into<String>) -> Self {
        let position = lines.position(at);
        Self { at, line: position.line, column: position.column, number, text: text.into() }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.number, self.text)
    }
}

impl std::error::Error for CompileError {}

/// An error with an offset instead of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    pub(crate) at: At,
    pub(crate) number: Number,
    pub(crate) text: String,
}

impl Fault {
    pub(crate) fn pls(at: At, number: u32, text: impl Into<String>) -> Self {
        Self { at, number: Number::Pls(number), text: text.into() }
    }

    pub(crate) fn ora(at: At, number: u32, text: impl Into<String>) -> Self {
        Self { at, number: Number::Ora(number), text: text.into() }
    }

    /// HW-0001: valid PL/SQL that is not supported.
    pub(crate) fn unsupported(at: At, what: impl fmt::Display) -> Self {
        Self { at, number: Number::Hw(1), text: format!("not supported: {what}") }
    }

    pub(crate) fn place(self, lines: &Lines<'_>) -> CompileError {
        CompileError::new(lines, self.at, self.number, self.text)
    }
}
