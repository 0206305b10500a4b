//! All functions and operators, by name.
//!
//! Each file lists the functions of one kind; [`lookup`] searches them all. Operators are functions named by their
//! sign: `+ - * / ||`, and `NEGATE` for the unary minus. Functions of packages carry the package's name:
//! `DBMS_RANDOM.VALUE`.

use common::{Error, Result};

use crate::coerce::coerce;
use crate::context::Context;
use crate::datum::{Datum, DatumType};

mod arguments;
mod conversion;
mod date;
mod environment;
mod null;
mod number;
mod operators;
mod random;
pub(crate) mod regexp;
mod representation;
mod rowid;
mod text;
mod types;
pub mod unsupported;
mod width;

pub use width::Argument;
use width::Width;

/// Any number of arguments.
pub const ANY: usize = usize::MAX;

/// The type of a result for arguments of these types.
type ResultRule = fn(&[DatumType]) -> Result<DatumType>;
type Body = fn(&dyn Context, &[Datum]) -> Result<Datum>;

/// A function over values, by its name in SQL text: all that SQL, PL/SQL and the pages of reference know of it.
#[derive(Debug)]
pub struct Function {
    /// In upper case.
    pub name: &'static str,
    pub minimum_arguments: usize,
    /// [`ANY`] where there is no limit.
    pub maximum_arguments: usize,
    /// True: the same arguments give the same result, so a caller may evaluate the call once and ahead. Functions of
    /// the session's NLS settings count as deterministic within a statement.
    pub deterministic: bool,
    /// True: PL/SQL has no such function (PLS-00204; PLS-00201 for one of a package).
    pub sql_only: bool,
    /// True: SQL text gives the call a meaning that values alone do not carry, so SQL compiles the call in its own way:
    /// an argument that is not needed is not evaluated, and the types of the others decide. The body here serves
    /// callers that have all values, such as PL/SQL.
    pub special_form: bool,
    result: ResultRule,
    width: Width,
    body: Body,
}

/// A deterministic function of SQL and PL/SQL with `least` to `most` arguments.
const fn function(name: &'static str, least: usize, most: usize, result: ResultRule, body: Body) -> Function {
    Function {
        name,
        minimum_arguments: least,
        maximum_arguments: most,
        deterministic: true,
        sql_only: false,
        special_form: false,
        result,
        width: width::longest,
        body,
    }
}

impl Function {
    const fn volatile(mut self) -> Self {
        self.deterministic = false;
        self
    }

    const fn sql_only(mut self) -> Self {
        self.sql_only = true;
        self
    }

    const fn special_form(mut self) -> Self {
        self.special_form = true;
        self
    }

    const fn width(mut self, width: Width) -> Self {
        self.width = width;
        self
    }

    /// True: SQL text names the function without parentheses (`SYSDATE`). A function of a package may be called so too
    /// (`DBMS_RANDOM.VALUE`).
    #[must_use]
    pub const fn needs_no_parentheses(&self) -> bool {
        self.minimum_arguments == 0
    }

    /// True: SQL text writes it as a sign; a call by its name is of something else.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        operators::FUNCTIONS.iter().any(|operator| operator.name == self.name)
    }

    /// Upper bound, in bytes, of a text or RAW that the function returns for these arguments: the length of a column
    /// that is made of the call.
    #[must_use]
    pub fn result_bytes(&self, arguments: &[Argument]) -> u32 {
        (self.width)(arguments).min(width::LONGEST)
    }

    /// # Errors
    /// ORA-00938 for too few, ORA-00939 for too many arguments.
    pub fn check_arguments(&self, count: usize) -> Result<()> {
        if count < self.minimum_arguments {
            return Err(Error::user(938, format!("not enough arguments for function {}", self.name)));
        }
        if count > self.maximum_arguments {
            return Err(Error::user(939, format!("too many arguments for function {}", self.name)));
        }
        Ok(())
    }

    /// The type of the result for arguments of these types.
    ///
    /// # Errors
    /// Wrong number of arguments, or ORA-00932 for a type that the function does not take.
    pub fn result_type(&self, arguments: &[DatumType]) -> Result<DatumType> {
        self.check_arguments(arguments.len())?;
        if !arguments.contains(&DatumType::Rowid) {
            return (self.result)(arguments);
        }
        let values = arguments.iter().map(|given| match given {
            DatumType::Rowid => DatumType::Varchar2,
            other => *other,
        });
        (self.result)(&values.collect::<Vec<_>>())
    }

    /// The value for these arguments. Where the types of arguments are known beforehand, use [`Function::call_as`]: a
    /// NULL among the arguments has lost its type, which can decide the type of the result (`NVL(number_column, '0')`
    /// is a number).
    ///
    /// # Errors
    /// Wrong number of arguments, and errors of the function.
    pub fn call(&self, context: &dyn Context, arguments: &[Datum]) -> Result<Datum> {
        self.check_arguments(arguments.len())?;
        (self.body)(context, arguments)
    }

    /// The value for these arguments, converted to the type that [`Function::result_type`] gave for them.
    ///
    /// # Errors
    /// As [`Function::call`], and those of the conversion.
    pub fn call_as(&self, context: &dyn Context, arguments: &[Datum], result: DatumType) -> Result<Datum> {
        let value = self.call(context, arguments)?;
        if value.is_null() || value.datum_type() == result { Ok(value) } else { coerce(context, &value, result) }
    }
}

const TABLES: &[&[Function]] = &[
    operators::FUNCTIONS,
    number::FUNCTIONS,
    text::FUNCTIONS,
    date::FUNCTIONS,
    conversion::FUNCTIONS,
    null::FUNCTIONS,
    regexp::FUNCTIONS,
    environment::FUNCTIONS,
    representation::FUNCTIONS,
    rowid::FUNCTIONS,
    random::FUNCTIONS,
];

/// Every function and operator.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().copied().flatten()
}

/// The function or operator of this name, in any case of letters.
#[must_use]
pub fn lookup(name: &str) -> Option<&'static Function> {
    all().find(|function| function.name.eq_ignore_ascii_case(name))
}

/// The function that a call by this name in SQL or PL/SQL text is of, in any case of letters; no operator.
#[must_use]
pub fn called(name: &str) -> Option<&'static Function> {
    lookup(name).filter(|function| !function.is_operator())
}

#[cfg(test)]
mod tests {
    use super::{called, lookup};

    #[test]
    fn operators_are_not_called_by_name() {
        for name in ["NEGATE", "+", "||"] {
            assert!(lookup(name).is_some() && called(name).is_none(), "{name}");
        }
        assert!(called("concat").is_some());
    }
}
