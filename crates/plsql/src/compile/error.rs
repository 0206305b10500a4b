//! Errors by number, and the combined error of an anonymous block.

use std::fmt;

use common::Error;

use crate::ast::At;
use crate::error::{CompileError, Fault, Number};

/// The errors of an anonymous block as one: ORA-06550 for each, as Oracle prints them.
#[must_use]
pub fn block_error(errors: &[CompileError]) -> Error {
    let mut text = String::new();
    for (at, error) in errors.iter().enumerate() {
        let number = if at == 0 { "" } else { "\nORA-06550: " };
        text.push_str(&format!("{number}line {}, column {}:\n{error}", error.line, error.column));
    }
    Error::user(6550, text)
}

/// The result of compiling a part.
pub(crate) type Compiled<T> = Result<T, Fault>;

/// `PLS-nnnnn: text`.
pub(crate) fn fault<T>(at: At, number: u32, text: impl fmt::Display) -> Compiled<T> {
    Err(Fault::pls(at, number, text.to_string()))
}

/// Something that is valid, and not supported.
pub(crate) fn unsupported<T>(at: At, what: impl fmt::Display) -> Compiled<T> {
    Err(Fault::unsupported(at, what))
}

/// An error of SQL, at an offset into the source.
#[must_use]
pub(crate) fn of_sql(at: At, error: &Error) -> Fault {
    let at = at + error.position.unwrap_or(0) as At;
    match error.number {
        common::Number::Ora(number) => Fault::ora(at, number, error.text.clone()),
        common::Number::Hw(number) | common::Number::Sp2(number) => {
            Fault { at, number: Number::Hw(number), text: error.text.clone() }
        }
    }
}

/// PLS-00201.
pub(crate) fn undeclared<T>(at: At, name: &str) -> Compiled<T> {
    fault(at, 201, format_args!("identifier '{name}' must be declared"))
}

/// PLS-00382.
pub(crate) fn wrong_type<T>(at: At) -> Compiled<T> {
    fault(at, 382, "expression is of wrong type")
}

/// PLS-00306.
pub(crate) fn wrong_arguments<T>(at: At, name: &str) -> Compiled<T> {
    fault(at, 306, format_args!("wrong number or types of arguments in call to '{name}'"))
}
