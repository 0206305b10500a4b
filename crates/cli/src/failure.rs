//! Ends of commands: exit codes, and errors as one line on stderr.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use common::{Error, ErrorKind, Number, Result};

/// Exit code of a wrong command line.
pub(crate) const USAGE: u8 = 2;

/// HW-0002: a file cannot be read or written.
const FILE: u32 = 2;
/// HW number of a wrong use of a command.
const WRONG_USE: u32 = 3;

/// Exit code of a command that has printed its own messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Outcome(pub(crate) u8);

impl Outcome {
    pub(crate) const DONE: Self = Self(0);
}

/// The exit code of the process; prints an error.
pub(crate) fn exit_code(outcome: Result<Outcome>) -> ExitCode {
    match outcome {
        Ok(Outcome(code)) => ExitCode::from(code),
        Err(error) => {
            say(&one_line(&error.to_string()));
            ExitCode::from(if error.number == Number::Hw(WRONG_USE) { USAGE } else { 1 })
        }
    }
}

/// A line on stderr.
pub(crate) fn say(line: &str) {
    // Without stderr the message is lost.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Text without line breaks.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A command used wrongly: exit code 2.
pub(crate) fn wrong_use(text: impl Into<String>) -> Error {
    Error::own(ErrorKind::User, WRONG_USE, text)
}

/// A file that the operating system cannot open, read or write.
pub(crate) fn file(path: &Path, error: &io::Error) -> Error {
    Error::own(ErrorKind::Io, FILE, format!("{}: {error}", path.display()))
}

/// The result of writing to stdout. A reader that has closed the pipe is no error.
pub(crate) fn written(result: io::Result<()>) -> Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Error::own(ErrorKind::Io, FILE, format!("standard output: {error}"))),
        Ok(()) => Ok(()),
    }
}
