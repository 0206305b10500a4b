//! ALTER TABLE.

use common::Result;
use datafusion::sql::sqlparser::tokenizer::Token;
use engine::catalog::{ColumnChange, PhysicalAttributes};

use super::attributes;
use super::columns::{column, data_type};
use super::command::{Command, SegmentAttributes, TableClause};
use crate::statement::words::Words;

pub(crate) fn table(words: &mut Words<'_>) -> Result<Command> {
    let name = words.name()?;
    let mut clauses = Vec::new();
    while !words.at_end() {
        if words.take("ADD") {
            clauses.push(add(words)?);
        } else if words.take("MODIFY") {
            clauses.push(modify(words)?);
        } else if words.next_is("DROP") {
            clauses.push(drop(words)?);
        } else if words.take("RENAME TO") {
            clauses.push(TableClause::RenameTo(words.new_table()?));
        } else if words.take("RENAME COLUMN") {
            let from = words.identifier()?;
            words.expect("TO")?;
            clauses.push(TableClause::RenameColumn { from, to: words.new_column()? });
        } else if words.take("CACHE") {
            clauses.push(TableClause::Cache(true));
        } else if words.take("NOCACHE") {
            clauses.push(TableClause::Cache(false));
        } else {
            let mut attributes = SegmentAttributes::default();
            let before = words.offset();
            if !attributes::one(words, &mut attributes)?
                || attributes.tablespace.is_some()
                || attributes.storage != engine::segment::Storage::default()
            {
                return Err(words.unsupported("ALTER TABLE").at(before));
            }
            if attributes.physical != PhysicalAttributes::default() {
                clauses.push(TableClause::Physical(attributes.physical));
            }
        }
    }
    if clauses.is_empty() {
        return Err(words.error(1735, "invalid ALTER TABLE option"));
    }
    Ok(Command::AlterTable { name, clauses })
}

fn add(words: &mut Words<'_>) -> Result<TableClause> {
    for refused in ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "SUPPLEMENTAL", "PARTITION"] {
        if words.next_is(refused) {
            return Err(words.unsupported("ALTER TABLE ADD"));
        }
    }
    let list = words.take_sign(&Token::LParen);
    let mut columns = Vec::new();
    loop {
        let (definition, key) = column(words)?;
        if key.is_some() {
            return Err(words.unsupported("a key in ALTER TABLE ADD; create a unique index"));
        }
        columns.push(definition);
        if !(list && words.take_sign(&Token::Comma)) {
            break;
        }
    }
    if list {
        words.expect_sign(&Token::RParen)?;
    }
    Ok(TableClause::Add(columns))
}

/// DROP COLUMN c and DROP (c, …). What is said of constraints that name the columns has no meaning as long as there are none.
fn drop(words: &mut Words<'_>) -> Result<TableClause> {
    let start = words.clone();
    words.take("DROP");
    let mut columns = Vec::new();
    if words.take("COLUMN") {
        columns.push(words.identifier()?);
    } else if words.take_sign(&Token::LParen) {
        columns.push(words.identifier()?);
        while words.take_sign(&Token::Comma) {
            columns.push(words.identifier()?);
        }
        words.expect_sign(&Token::RParen)?;
    } else {
        return Err(start.unsupported("ALTER TABLE"));
    }
    words.take("CASCADE CONSTRAINTS");
    words.take("INVALIDATE");
    if words.take("CHECKPOINT") && !words.at_end() {
        words.integer()?;
    }
    Ok(TableClause::Drop(columns))
}

fn modify(words: &mut Words<'_>) -> Result<TableClause> {
    let list = words.take_sign(&Token::LParen);
    let mut changes = Vec::new();
    loop {
        let mut change = ColumnChange { name: words.identifier()?, ..ColumnChange::default() };
        loop {
            if words.take("NOT NULL") {
                change.nullable = Some(false);
            } else if words.take("NULL") {
                change.nullable = Some(true);
            } else if words.take("DEFAULT") {
                let text = words.expression_text(&["NOT NULL", "NULL"])?;
                change.default = Some((!text.eq_ignore_ascii_case("NULL")).then(|| text.to_owned()));
            } else if change.data_type.is_none() && matches!(words.peek().map(|word| &word.token), Some(Token::Word(_)))
            {
                change.data_type = Some(data_type(words)?);
            } else {
                break;
            }
        }
        changes.push(change);
        if !(list && words.take_sign(&Token::Comma)) {
            break;
        }
    }
    if list {
        words.expect_sign(&Token::RParen)?;
    }
    Ok(TableClause::Modify(changes))
}
