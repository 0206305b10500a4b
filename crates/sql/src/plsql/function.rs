//! PL/SQL functions in statements: resolution, and SQL's errors for it.

use std::sync::Arc;

use common::{Error, ErrorKind, Result};
use plsql::compile::sql_call::CallArgument;
use plsql::error::{CompileError, Number};

use super::dictionary::Dictionary;
use crate::cursor::tables::SessionTables;
use crate::functions::program::Program;

/// The function of this path for these arguments; None when there is none that the user may execute.
///
/// # Errors
/// ORA-06553 with PLS-00306 when the arguments do not match; ORA-06572, ORA-06575, ORA-00902, ORA-06552.
pub(crate) fn function(
    tables: &SessionTables,
    path: &[String],
    arguments: Vec<CallArgument>,
) -> Result<Option<Program>> {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    let library = tables.database.programs();
    let mut dictionary = Dictionary { tables: tables.clone() };
    match library.sql_call(&mut dictionary, &tables.schema, &parts, arguments) {
        Ok(call) => {
            // In a program that is being compiled this may be a function that calls itself.
            if !tables.compiling {
                let invalid = |error: Error| if error.is_ora(4063) { invalid(path) } else { error };
                library.check_call(&mut dictionary, &call).map_err(invalid)?;
            }
            Ok(Some(Program {
                name: path.join("."),
                call,
                nested: Arc::clone(&tables.nested),
                schema: tables.schema.clone(),
                rights: tables.user.clone(),
                place: tables.place,
            }))
        }
        Err(errors) => match errors.first() {
            Some(error) => of_call(error, path).map(|()| None),
            None => Err(Error::bug("a call that is wrong, and nothing is wrong with it")),
        },
    }
}

fn invalid(path: &[String]) -> Error {
    Error::user(6575, format!("Package or function {} is in an invalid state", path.join(".")))
}

/// SQL's error for a call. No error: there is no such function.
fn of_call(error: &CompileError, path: &[String]) -> Result<()> {
    match error.number {
        Number::Pls(201 | 221 | 222 | 225 | 302 | 357) => Ok(()),
        Number::Pls(306) => {
            let name = path.last().map_or("", String::as_str);
            Err(Error::user(6553, format!("PLS-306: wrong number or types of arguments in call to '{name}'")))
        }
        Number::Pls(905) => Err(invalid(path)),
        Number::Pls(number) => Err(Error::user(6553, format!("PLS-{number}: {}", error.text))),
        Number::Ora(number) => Err(Error::user(number, error.text.clone())),
        Number::Hw(number) => Err(Error::own(ErrorKind::User, number, error.text.clone())),
        Number::Plain => Err(Error::user(6552, error.text.clone())),
    }
}
