//! COMMENT ON TABLE and COMMENT ON COLUMN. The dictionary does not keep the text: the names are checked, and the
//! session gets a notice.

use common::{Error, Result};
use engine::dictionary::SchemaObject;
use sqlparser::tokenizer::Token;

use super::command::{Command, Name};
use crate::cursor::connection::Connection;
use crate::statement::words::Words;

pub(crate) fn comment(words: &mut Words<'_>) -> Result<Command> {
    let (name, column) = if words.take("TABLE") {
        (words.name()?, None)
    } else if words.take("COLUMN") {
        let mut parts = vec![words.identifier()?];
        while words.take_sign(&Token::Period) {
            parts.push(words.identifier()?);
        }
        let column = parts.pop();
        match (parts.pop(), parts.pop(), parts.is_empty()) {
            (Some(table), owner, true) => ((owner, table), column),
            _ => return Err(words.error(903, "invalid table name: a column is named behind its table")),
        }
    } else {
        return Err(words.unsupported("COMMENT ON"));
    };
    words.expect("IS")?;
    words.string()?;
    words.notice("comments are not kept");
    Ok(Command::Comment { name, column })
}

impl Connection {
    /// Checks that the object of a comment exists.
    pub(crate) fn check_commented(&self, name: &Name, column: Option<&String>) -> Result<()> {
        let object = self.resolved(name)?;
        let is_there = |column: &str| match &object.object {
            Some(SchemaObject::Table(table)) => table.columns.iter().any(|known| known.name == column),
            Some(SchemaObject::View(view)) => view.columns.iter().any(|known| known.name == column),
            Some(SchemaObject::External(table)) => table.columns.iter().any(|known| known.name == column),
            _ => false,
        };
        match column {
            _ if object.object.is_none() => {
                Err(Error::user(942, format!("table or view does not exist: {}", object.name)))
            }
            Some(column) if !is_there(column) => Err(Error::user(904, format!("\"{column}\": invalid identifier"))),
            _ => Ok(()),
        }
    }
}
