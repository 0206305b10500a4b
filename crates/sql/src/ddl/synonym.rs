//! CREATE and DROP SYNONYM.

use common::Result;
use sqlparser::tokenizer::Token;

use super::command::Command;
use crate::statement::words::Words;

/// Parses the clauses behind SYNONYM.
pub(crate) fn create(words: &mut Words<'_>, public: bool, replace: bool) -> Result<Command> {
    let name = words.new_name(Words::new_synonym)?;
    if public && name.0.is_some() {
        return Err(words.error(995, "missing or invalid synonym identifier: a public synonym has no schema"));
    }
    words.expect("FOR")?;
    let start = words.clone();
    let target = words.name()?;
    // The tokenizer takes `name@link` for one name.
    let linked = |name: &str| name.contains('@');
    if linked(&target.1) || words.take_sign(&Token::AtSign) {
        return Err(start.unsupported("synonym over a database link:"));
    }
    Ok(Command::CreateSynonym { name, public, target, replace })
}

pub(crate) fn drop(words: &mut Words<'_>, public: bool) -> Result<Command> {
    let name = words.name()?;
    words.take("FORCE");
    Ok(Command::DropSynonym { name, public })
}
