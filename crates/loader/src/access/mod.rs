//! ACCESS PARAMETERS of ORACLE_LOADER.
//!
//! ```text
//! [RECORDS where they end, and options] [FIELDS what ends them, and options] [(the fields)]
//! ```
//!
//! Unsupported parameters are refused by name: nothing is skipped in silence.

mod field;
mod records;
mod words;

use common::Result;

use crate::spec::{Access, Fields, Terminator};
use words::Words;

/// Reads access parameters.
///
/// # Errors
/// ORA-29913 with KUP-01005 for an unknown access parameter, HW-0001 for an unsupported one.
pub fn parse(text: &str) -> Result<Access> {
    let mut words = Words::new(text)?;
    let mut access = Access::default();
    if words.take("RECORDS") {
        access.records = records::records(&mut words)?;
    }
    if words.take("FIELDS") {
        access.fields = field::fields(&mut words)?;
    } else {
        access.fields = Fields { terminator: Some(Terminator::Text(b",".to_vec())), ..Fields::default() };
    }
    if words.take("COLUMN") {
        return Err(words.unsupported("COLUMN TRANSFORMS"));
    }
    words.end()?;
    Ok(access)
}

#[cfg(test)]
mod tests;
