//! CREATE TABLE and CREATE INDEX.

use common::{Error, Result};
use sqlparser::tokenizer::Token;

use super::attributes;
use super::columns::column;
use super::command::{Command, CreateIndex, CreateTable, SegmentAttributes};
use super::{constraint, external};
use crate::statement::words::Words;

pub(crate) fn create(words: &mut Words<'_>) -> Result<Command> {
    let mut table = CreateTable {
        name: words.new_name(Words::new_table)?,
        columns: Vec::new(),
        column_names: Vec::new(),
        constraints: Vec::new(),
        attributes: SegmentAttributes::default(),
        query: None,
    };
    if words.take_sign(&Token::LParen) {
        loop {
            element(words, &mut table)?;
            if words.take_sign(&Token::Comma) {
                continue;
            }
            words.expect_sign(&Token::RParen)?;
            break;
        }
    }
    if words.take("ORGANIZATION EXTERNAL") {
        if let Some(name) = table.column_names.first() {
            return Err(words.error(2263, format!("column {name} needs a data type")));
        }
        if table.columns.is_empty() {
            return Err(words.error(906, "missing left parenthesis"));
        }
        return external::create(words, table);
    }
    attributes::segment(words, &mut table.attributes)?;
    if words.take("AS") {
        if !table.columns.is_empty() {
            return Err(words.error(1773, "with AS SELECT the columns have no data types here"));
        }
        table.query = Some(words.offset());
        while words.advance().is_some() {}
    } else if !table.column_names.is_empty() {
        return Err(words.error(2263, format!("column {} needs a data type", table.column_names[0])));
    } else if table.columns.is_empty() {
        return Err(words.error(906, "missing left parenthesis"));
    }
    Ok(Command::CreateTable(Box::new(table)))
}

fn element(words: &mut Words<'_>, table: &mut CreateTable) -> Result<()> {
    let bare = matches!(words.peek_at(1).map(|word| &word.token), Some(Token::Comma | Token::RParen));
    if bare {
        table.column_names.push(words.new_column()?);
        return Ok(());
    }
    if constraint::begins_out_of_line(words) {
        table.constraints.push(constraint::out_of_line(words)?);
        return Ok(());
    }
    let (column, constraints) = column(words)?;
    table.columns.push(column);
    table.constraints.extend(constraints);
    Ok(())
}

pub(crate) fn create_index(words: &mut Words<'_>, unique: bool) -> Result<Command> {
    index(words, unique).map(|index| Command::CreateIndex(Box::new(index)))
}

/// Parses the clauses behind ALTER INDEX.
pub(crate) fn alter_index(words: &mut Words<'_>) -> Result<Command> {
    let name = words.name()?;
    for (word, logging) in [("LOGGING", true), ("NOLOGGING", false)] {
        if words.take(word) {
            return Ok(Command::AlterIndexLogging { name, logging });
        }
    }
    if words.next_is("STORAGE") {
        let (mut attributes, before) = (SegmentAttributes::default(), words.offset());
        attributes::one(words, &mut attributes)?;
        let wanted = attributes.storage.flash_cache.take();
        return match wanted.filter(|_| attributes.storage == storage::segment::Storage::default()) {
            Some(wanted) => Ok(Command::AlterIndexFlashCache { name, wanted }),
            None => Err(words.unsupported("ALTER INDEX").at(before)),
        };
    }
    Err(words.unsupported("ALTER INDEX"))
}

/// Parses the clauses behind CREATE INDEX.
pub(crate) fn index(words: &mut Words<'_>, unique: bool) -> Result<CreateIndex> {
    let name = words.new_name(Words::new_index)?;
    words.expect("ON")?;
    let table = words.name()?;
    words.expect_sign(&Token::LParen)?;
    let mut columns = Vec::new();
    loop {
        columns.push(words.identifier()?);
        if matches!(words.peek().map(|word| &word.token), Some(Token::LParen)) {
            return Err(Error::unsupported("function-based indexes").at(words.offset()));
        }
        if words.next_is("DESC") {
            return Err(words.unsupported("descending index column:"));
        }
        words.take("ASC");
        if !words.take_sign(&Token::Comma) {
            break;
        }
    }
    words.expect_sign(&Token::RParen)?;
    let mut attributes = SegmentAttributes::default();
    attributes::segment(words, &mut attributes)?;
    if attributes.cache.is_some() {
        return Err(words.error(2158, "CACHE is no attribute of an index"));
    }
    if attributes.row_movement.is_some() {
        return Err(words.error(2158, "ROW MOVEMENT is no attribute of an index"));
    }
    Ok(CreateIndex { name, table, columns, unique, attributes })
}
