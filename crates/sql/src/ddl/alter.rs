//! ALTER TABLE.

use common::Result;
use engine::ddl::{ColumnChange, MoveTo, PhysicalAttributes};
use engine::dictionary::ConstraintState;
use sqlparser::tokenizer::Token;

use super::columns::{AFTER_DEFAULT, column, data_type};
use super::command::{Command, Constraint, Rule, SegmentAttributes, TableClause};
use super::{attributes, constraint};
use crate::statement::words::Words;

pub(crate) fn table(words: &mut Words<'_>) -> Result<Command> {
    let name = words.name()?;
    let mut clauses = Vec::new();
    while !words.at_end() {
        if words.take("ADD") {
            add(words, &mut clauses)?;
        } else if words.take("MODIFY") {
            modify(words, &mut clauses)?;
        } else if words.next_is("DROP CONSTRAINT") || words.next_is("DROP PRIMARY KEY") || words.next_is("DROP UNIQUE")
        {
            words.expect("DROP")?;
            clauses.push(constraint::drop(words)?);
        } else if words.take("ENABLE ALL TRIGGERS") {
            clauses.push(TableClause::Triggers(true));
        } else if words.take("DISABLE ALL TRIGGERS") {
            clauses.push(TableClause::Triggers(false));
        } else if words.take("ENABLE ROW MOVEMENT") {
            clauses.push(TableClause::RowMovement(true));
        } else if words.take("DISABLE ROW MOVEMENT") {
            clauses.push(TableClause::RowMovement(false));
        } else if words.take("SHRINK SPACE") {
            let lower = !words.take("COMPACT");
            clauses.push(TableClause::Shrink { lower, cascade: words.take("CASCADE") });
        } else if words.take("ENABLE") {
            clauses.push(constraint::enable(words, true)?);
        } else if words.take("DISABLE") {
            clauses.push(constraint::enable(words, false)?);
        } else if words.take("RENAME CONSTRAINT") {
            let from = words.identifier()?;
            words.expect("TO")?;
            clauses.push(TableClause::RenameConstraint { from, to: words.identifier()? });
        } else if words.next_is("DROP") {
            clauses.push(drop(words)?);
        } else if words.take("RENAME TO") {
            clauses.push(TableClause::RenameTo(words.new_table()?));
        } else if words.take("RENAME COLUMN") {
            let from = words.identifier()?;
            words.expect("TO")?;
            clauses.push(TableClause::RenameColumn { from, to: words.new_column()? });
        } else if words.take("MOVE") {
            if words.take("ONLINE") {
                return Err(words.unsupported("ALTER TABLE MOVE ONLINE"));
            }
            let mut attributes = SegmentAttributes::default();
            attributes::segment(words, &mut attributes)?;
            if attributes.cache.is_some() || attributes.row_movement.is_some() {
                return Err(words.unsupported("ALTER TABLE MOVE"));
            }
            let SegmentAttributes { tablespace, physical, storage, logging, cache: _, row_movement: _ } = attributes;
            clauses.extend(logging.map(TableClause::Logging));
            clauses.push(TableClause::Move(MoveTo { tablespace, physical, storage }));
        } else if words.take("CACHE") {
            clauses.push(TableClause::Cache(true));
        } else if words.take("NOCACHE") {
            clauses.push(TableClause::Cache(false));
        } else {
            let mut attributes = SegmentAttributes::default();
            let before = words.offset();
            let is_one = attributes::one(words, &mut attributes)?;
            let flash_cache = attributes.storage.flash_cache.take();
            if !is_one || attributes.tablespace.is_some() || attributes.storage != storage::segment::Storage::default()
            {
                return Err(words.unsupported("ALTER TABLE").at(before));
            }
            if let Some(wanted) = flash_cache {
                clauses.push(TableClause::FlashCache(wanted));
                continue;
            }
            // The table must exist for a clause without effect too, such as MONITORING.
            if attributes.logging.is_none() || attributes.physical != PhysicalAttributes::default() {
                clauses.push(TableClause::Physical(attributes.physical));
            }
            clauses.extend(attributes.logging.map(TableClause::Logging));
        }
    }
    if clauses.is_empty() {
        return Err(words.error(1735, "invalid ALTER TABLE option"));
    }
    Ok(Command::AlterTable { name, clauses })
}

fn add(words: &mut Words<'_>, clauses: &mut Vec<TableClause>) -> Result<()> {
    for refused in ["SUPPLEMENTAL", "PARTITION"] {
        if words.next_is(refused) {
            return Err(words.unsupported("ALTER TABLE ADD"));
        }
    }
    if constraint::begins_out_of_line(words) {
        while constraint::begins_out_of_line(words) {
            clauses.push(TableClause::AddConstraint(constraint::out_of_line(words)?));
        }
        return Ok(());
    }
    let list = words.take_sign(&Token::LParen);
    let mut columns = Vec::new();
    let mut constraints = Vec::new();
    loop {
        if list && constraint::begins_out_of_line(words) {
            constraints.push(constraint::out_of_line(words)?);
        } else {
            let (definition, declared) = column(words)?;
            columns.push(definition);
            constraints.extend(declared);
        }
        if !(list && words.take_sign(&Token::Comma)) {
            break;
        }
    }
    if list {
        words.expect_sign(&Token::RParen)?;
    }
    if !columns.is_empty() {
        clauses.push(TableClause::Add(columns));
    }
    clauses.extend(constraints.into_iter().map(TableClause::AddConstraint));
    Ok(())
}

/// DROP COLUMN c and DROP (c, …).
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
    let cascade = words.take("CASCADE CONSTRAINTS");
    words.take("INVALIDATE");
    if words.take("CHECKPOINT") && !words.at_end() {
        words.integer()?;
    }
    Ok(TableClause::Drop { columns, cascade })
}

fn modify(words: &mut Words<'_>, clauses: &mut Vec<TableClause>) -> Result<()> {
    if constraint::is_named_here(words) {
        clauses.push(constraint::modify(words)?);
        return Ok(());
    }
    let list = words.take_sign(&Token::LParen);
    let mut changes = Vec::new();
    let mut constraints = Vec::new();
    loop {
        let mut change = ColumnChange { name: words.identifier()?, ..ColumnChange::default() };
        loop {
            if words.take("NULL") {
                change.nullable = Some(true);
            } else if words.take("DEFAULT") {
                let text = words.expression_text(&AFTER_DEFAULT)?;
                change.default = Some((!text.eq_ignore_ascii_case("NULL")).then(|| text.to_owned()));
            } else if constraint::begins_in_line(words) {
                match constraint::in_line(words, &change.name)? {
                    Some(Constraint { name: None, rule: Rule::NotNull { .. }, state })
                        if state == ConstraintState::default() =>
                    {
                        change.nullable = Some(false);
                    }
                    found => constraints.extend(found),
                }
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
    clauses.push(TableClause::Modify(changes));
    clauses.extend(constraints.into_iter().map(TableClause::AddConstraint));
    Ok(())
}
