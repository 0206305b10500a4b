//! CREATE and DROP DIRECTORY.

use common::Result;

use super::command::Command;
use crate::statement::words::Words;

/// Parses the clauses behind DIRECTORY.
pub(crate) fn create(words: &mut Words<'_>, replace: bool) -> Result<Command> {
    let name = words.new_table()?;
    words.expect("AS")?;
    Ok(Command::CreateDirectory { name, path: words.string()?, replace })
}
