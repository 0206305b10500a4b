//! Exceptions: their identity, predefined ones, and the state of a raised one.

use std::fmt;
use std::sync::Arc;

use common::{Error, ErrorKind, Number};

/// The exception that WHEN compares.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExceptionKey {
    /// SQLCODE: an Oracle number, negative, or 100.
    Number(i32),
    /// Declared without a number: unit and place of the declaration.
    Declared(Arc<str>),
}

/// Exceptions of STANDARD: name, SQLCODE, text.
pub const PREDEFINED: &[(&str, i32, &str)] = &[
    ("ACCESS_INTO_NULL", -6530, "Reference to uninitialized composite"),
    ("CASE_NOT_FOUND", -6592, "CASE not found while executing CASE statement"),
    ("COLLECTION_IS_NULL", -6531, "Reference to uninitialized collection"),
    ("CURSOR_ALREADY_OPEN", -6511, "PL/SQL: cursor already open"),
    ("DUP_VAL_ON_INDEX", -1, "unique constraint violated"),
    ("INVALID_CURSOR", -1001, "invalid cursor"),
    ("INVALID_NUMBER", -1722, "invalid number"),
    ("LOGIN_DENIED", -1017, "invalid username/password; logon denied"),
    ("NO_DATA_FOUND", 100, "no data found"),
    ("NO_DATA_NEEDED", -6548, "no more rows needed"),
    ("NOT_LOGGED_ON", -1012, "not logged on"),
    ("PROGRAM_ERROR", -6501, "PL/SQL: program error"),
    ("ROWTYPE_MISMATCH", -6504, "PL/SQL: Return types of Result Set variables or query do not match"),
    ("SELF_IS_NULL", -30625, "method dispatch on NULL SELF argument is disallowed"),
    ("STORAGE_ERROR", -6500, "PL/SQL: storage error"),
    ("SUBSCRIPT_BEYOND_COUNT", -6533, "Subscript beyond count"),
    ("SUBSCRIPT_OUTSIDE_LIMIT", -6532, "Subscript outside of limit"),
    ("SYS_INVALID_ROWID", -1410, "invalid ROWID"),
    ("TIMEOUT_ON_RESOURCE", -51, "timeout occurred while waiting for a resource"),
    ("TOO_MANY_ROWS", -1422, "exact fetch returns more than requested number of rows"),
    ("VALUE_ERROR", -6502, "PL/SQL: numeric or value error"),
    ("ZERO_DIVIDE", -1476, "divisor is equal to zero"),
];

/// A raised exception, on its way to its handler or in it.
#[derive(Clone, Debug)]
pub struct Raised {
    pub key: ExceptionKey,
    /// The value of SQLCODE.
    pub code: i32,
    pub kind: ErrorKind,
    pub number: Number,
    /// Without its number; further lines belong to it.
    pub text: String,
    /// `ORA-06512: at …`, the innermost first.
    pub backtrace: Vec<String>,
    /// The exception being handled when this one was raised.
    pub previous: Option<Arc<Raised>>,
    /// Raised again by RAISE without a name: its line is in the backtrace already.
    pub is_reraised: bool,
    /// The exception being handled is not reported with it.
    pub replaces: bool,
}

/// Lines of a backtrace kept; a runaway recursion has more than anyone reads.
const BACKTRACE_LINES_MAX: usize = 40;

/// The result of running: a failure is an exception.
pub type RunResult<T> = Result<T, Box<Raised>>;

impl From<Error> for Box<Raised> {
    fn from(error: Error) -> Self {
        let code = code(&error);
        Self::new(Raised {
            key: ExceptionKey::Number(code),
            code,
            kind: error.kind,
            number: error.number,
            text: error.text,
            backtrace: Vec::new(),
            previous: None,
            is_reraised: false,
            replaces: false,
        })
    }
}

/// SQLCODE of an error. Conditions without a number of Oracle's are internal errors to a program.
fn code(error: &Error) -> i32 {
    match error.number {
        Number::Ora(1403 | 100) => 100,
        Number::Ora(number) => -(number as i32),
        Number::Hw(_) | Number::Sp2(_) => -600,
    }
}

impl Raised {
    /// An exception that RAISE names.
    #[must_use]
    pub fn named(key: &ExceptionKey) -> Box<Self> {
        match key {
            ExceptionKey::Number(code) => {
                let text = PREDEFINED.iter().find(|(_, number, _)| number == code).map_or("", |(_, _, text)| text);
                let number = if *code == 100 { 1403 } else { code.unsigned_abs() };
                Error::user(number, text).into()
            }
            ExceptionKey::Declared(_) => Box::new(Self {
                key: key.clone(),
                code: 1,
                kind: ErrorKind::User,
                number: Number::Ora(6510),
                text: "PL/SQL: unhandled user-defined exception".to_owned(),
                backtrace: Vec::new(),
                previous: None,
                is_reraised: false,
                replaces: false,
            }),
        }
    }

    /// True: no handler may stop it: the user has cancelled the call, or the instance is gone.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self.kind, ErrorKind::Cancelled | ErrorKind::Poisoned)
    }

    /// `ORA-nnnnn: text`.
    #[must_use]
    pub fn message(&self) -> String {
        if self.text.is_empty() { format!("{}: ", self.number) } else { format!("{}: {}", self.number, self.text) }
    }

    /// The value of SQLERRM: as [`Self::message`], but for exceptions of the user's own.
    #[must_use]
    pub fn sqlerrm(&self) -> String {
        match &self.key {
            ExceptionKey::Declared(_) => "User-Defined Exception".to_owned(),
            ExceptionKey::Number(_) => self.message(),
        }
    }

    pub fn trace(&mut self, line: String) {
        if self.backtrace.len() < BACKTRACE_LINES_MAX {
            self.backtrace.push(line);
        }
    }

    /// The error for the caller of the program: its backtrace and its causes, line by line.
    #[must_use]
    pub fn into_error(self) -> Error {
        let mut text = self.text.clone();
        for line in &self.backtrace {
            text.push('\n');
            text.push_str(line);
        }
        let mut previous = self.previous.as_ref();
        while let Some(raised) = previous {
            text.push('\n');
            text.push_str(&raised.message());
            for line in &raised.backtrace {
                text.push('\n');
                text.push_str(line);
            }
            previous = raised.previous.as_ref();
        }
        Error::new(self.kind, self.number, text)
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// The text of SQLERRM(n).
#[must_use]
pub fn text_of(code: i64) -> String {
    match code {
        0 => "ORA-0000: normal, successful completion".to_owned(),
        1 => "User-Defined Exception".to_owned(),
        100 => "ORA-01403: no data found".to_owned(),
        code if code > 0 => format!("-{code}: non-ORACLE exception "),
        code => {
            let known = PREDEFINED.iter().find(|(_, number, _)| i64::from(*number) == code);
            match known {
                Some((_, _, text)) => format!("ORA-{:05}: {text}", -code),
                None if (-20_999..=-20_000).contains(&code) => format!("ORA-{:05}: ", -code),
                None => format!("ORA-{:05}: Message {} not found;  product=RDBMS; facility=ORA", -code, -code),
            }
        }
    }
}
