//! Constraints as CREATE TABLE and ALTER TABLE write them, in line and out of line.

use common::Result;
use engine::ddl::{ConstraintChange, ConstraintName};
use engine::dictionary::{ConstraintState, OnDelete};
use sqlparser::tokenizer::Token;

use super::attributes;
use super::command::{Constraint, Rule, SegmentAttributes, TableClause, UsingIndex};
use crate::statement::words::Words;

/// Words behind USING INDEX that are not the name of an index.
const BEHIND_USING_INDEX: [&str; 24] = [
    "TABLESPACE",
    "PCTFREE",
    "PCTUSED",
    "INITRANS",
    "MAXTRANS",
    "STORAGE",
    "LOGGING",
    "NOLOGGING",
    "COMPUTE",
    "NOPARALLEL",
    "NOREVERSE",
    "NOCOMPRESS",
    "ENABLE",
    "DISABLE",
    "VALIDATE",
    "NOVALIDATE",
    "RELY",
    "NORELY",
    "DEFERRABLE",
    "INITIALLY",
    "NOT",
    "CONSTRAINT",
    "CHECK",
    "CASCADE",
];

/// True: a constraint of a column begins here.
pub(crate) fn begins_in_line(words: &Words<'_>) -> bool {
    ["CONSTRAINT", "NOT NULL", "NULL", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES"]
        .iter()
        .any(|word| words.next_is(word))
}

/// True: a constraint of a table begins here, not a column.
pub(crate) fn begins_out_of_line(words: &Words<'_>) -> bool {
    words.next_is("CONSTRAINT")
        || words.next_is("PRIMARY KEY")
        || (words.next_is("UNIQUE") && matches!(words.peek_at(1).map(|word| &word.token), Some(Token::LParen)))
        || (words.next_is("CHECK") && matches!(words.peek_at(1).map(|word| &word.token), Some(Token::LParen)))
        || words.next_is("FOREIGN KEY")
}

/// A constraint behind a column's type; None for NULL, which has no effect.
pub(crate) fn in_line(words: &mut Words<'_>, column: &str) -> Result<Option<Constraint>> {
    let name = if words.take("CONSTRAINT") { Some(words.identifier()?) } else { None };
    let columns = || vec![column.to_owned()];
    let rule = if words.take("NOT NULL") {
        Rule::NotNull { column: column.to_owned() }
    } else if words.take("NULL") {
        return Ok(None);
    } else if let Some(primary) = key_word(words)? {
        Rule::Key { primary, columns: columns(), index: UsingIndex::default() }
    } else if words.take("CHECK") {
        check(words, Some(column))?
    } else if words.take("REFERENCES") {
        references(words, columns())?
    } else {
        return Err(other(words));
    };
    state(words, name, rule).map(Some)
}

/// A constraint of a table.
pub(crate) fn out_of_line(words: &mut Words<'_>) -> Result<Constraint> {
    let name = if words.take("CONSTRAINT") { Some(words.identifier()?) } else { None };
    let rule = if let Some(primary) = key_word(words)? {
        Rule::Key { primary, columns: names(words)?, index: UsingIndex::default() }
    } else if words.take("CHECK") {
        check(words, None)?
    } else if words.take("FOREIGN KEY") {
        let columns = names(words)?;
        words.expect("REFERENCES")?;
        references(words, columns)?
    } else {
        return Err(other(words));
    };
    state(words, name, rule)
}

/// The error for a constraint of another kind, or a name without a constraint.
fn other(words: &Words<'_>) -> common::Error {
    if ["REF", "SCOPE", "WITH"].iter().any(|kind| words.next_is(kind)) {
        return words.unsupported("constraint");
    }
    words.error(905, "missing keyword: behind CONSTRAINT and its name, the kind of constraint is expected")
}

/// PRIMARY KEY (true) or UNIQUE (false).
fn key_word(words: &mut Words<'_>) -> Result<Option<bool>> {
    if words.take("PRIMARY") {
        words.expect("KEY")?;
        return Ok(Some(true));
    }
    Ok(words.take("UNIQUE").then_some(false))
}

/// Names in parentheses.
pub(crate) fn names(words: &mut Words<'_>) -> Result<Vec<String>> {
    words.expect_sign(&Token::LParen)?;
    let mut names = vec![words.identifier()?];
    while words.take_sign(&Token::Comma) {
        names.push(words.identifier()?);
    }
    words.expect_sign(&Token::RParen)?;
    Ok(names)
}

fn check(words: &mut Words<'_>, column: Option<&str>) -> Result<Rule> {
    words.expect_sign(&Token::LParen)?;
    let offset = words.offset();
    let condition = words.expression_text(&[])?.to_owned();
    words.expect_sign(&Token::RParen)?;
    Ok(Rule::Check { condition, offset, column: column.map(str::to_owned) })
}

fn references(words: &mut Words<'_>, columns: Vec<String>) -> Result<Rule> {
    let table = words.name()?;
    let parenthesis = matches!(words.peek().map(|word| &word.token), Some(Token::LParen));
    let referenced = if parenthesis { names(words)? } else { Vec::new() };
    let mut on_delete = OnDelete::NoAction;
    if words.take("ON DELETE") {
        on_delete = if words.take("CASCADE") {
            OnDelete::Cascade
        } else {
            words.expect("SET")?;
            words.expect("NULL")?;
            OnDelete::SetNull
        };
    }
    Ok(Rule::ForeignKey { columns, table, referenced, on_delete })
}

/// The state of a new constraint, in any order.
fn state(words: &mut Words<'_>, name: Option<String>, mut rule: Rule) -> Result<Constraint> {
    let mut state = ConstraintState::default();
    let mut validated = None;
    loop {
        if words.take("NOT DEFERRABLE") {
            state.deferrable = false;
        } else if words.take("DEFERRABLE") {
            state.deferrable = true;
        } else if words.take("INITIALLY DEFERRED") {
            (state.deferrable, state.deferred) = (true, true);
        } else if words.take("INITIALLY IMMEDIATE") {
            state.deferred = false;
        } else if words.take("ENABLE") {
            state.enabled = true;
        } else if words.take("DISABLE") {
            state.enabled = false;
        } else if words.take("VALIDATE") {
            validated = Some(true);
        } else if words.take("NOVALIDATE") {
            validated = Some(false);
        } else if words.take("NORELY") || words.take("RELY") {
            // RELY is a hint for rewriting queries over materialized views: there are none.
        } else if words.next_is("USING INDEX")
            && let Rule::Key { index, .. } = &mut rule
        {
            *index = using_index(words)?;
        } else {
            break;
        }
    }
    state.validated = validated.unwrap_or(state.enabled);
    if state.deferrable
        && let Rule::NotNull { column } = rule
    {
        // The column may be NULL for a while, so this is a check as any other and no property of the column.
        rule = Rule::Check { condition: format!("\"{column}\" IS NOT NULL"), offset: 0, column: Some(column) };
    }
    Ok(Constraint { name, rule, state })
}

/// USING INDEX: the name of an index, or attributes of the one to make.
fn using_index(words: &mut Words<'_>) -> Result<UsingIndex> {
    words.expect("USING")?;
    words.expect("INDEX")?;
    match words.peek().map(|word| &word.token) {
        Some(Token::LParen) => return created_index(words),
        Some(Token::Word(_)) if !BEHIND_USING_INDEX.iter().any(|word| words.next_is(word)) => {
            return Ok(UsingIndex::Existing(words.name()?));
        }
        _ => {}
    }
    let mut found = SegmentAttributes::default();
    attributes::segment(words, &mut found)?;
    Ok(UsingIndex::Made(found))
}

/// `(CREATE [UNIQUE] INDEX …)`.
fn created_index(words: &mut Words<'_>) -> Result<UsingIndex> {
    words.expect_sign(&Token::LParen)?;
    words.expect("CREATE")?;
    let unique = words.take("UNIQUE");
    words.expect("INDEX")?;
    let index = super::table::index(words, unique)?;
    words.expect_sign(&Token::RParen)?;
    Ok(UsingIndex::Created(Box::new(index)))
}

/// `CONSTRAINT name`, `PRIMARY KEY`, `UNIQUE (columns)`.
fn reference(words: &mut Words<'_>) -> Result<ConstraintName> {
    if words.take("CONSTRAINT") {
        return Ok(ConstraintName::Name(words.identifier()?));
    }
    match key_word(words)? {
        Some(true) => Ok(ConstraintName::PrimaryKey),
        Some(false) => Ok(ConstraintName::Unique(names(words)?)),
        None => Err(words.error(905, "missing keyword: CONSTRAINT, PRIMARY KEY or UNIQUE expected")),
    }
}

/// True: the DROP or MODIFY is about a constraint.
pub(crate) fn is_named_here(words: &Words<'_>) -> bool {
    words.next_is("CONSTRAINT") || words.next_is("PRIMARY KEY") || words.next_is("UNIQUE")
}

/// Behind DROP.
pub(crate) fn drop(words: &mut Words<'_>) -> Result<TableClause> {
    let name = reference(words)?;
    let mut cascade = false;
    let mut keep_index = None;
    loop {
        if words.take("CASCADE") {
            cascade = true;
        } else if words.take("KEEP INDEX") {
            keep_index = Some(true);
        } else if words.take("DROP INDEX") {
            keep_index = Some(false);
        } else if !words.take("ONLINE") {
            return Ok(TableClause::DropConstraint { name, cascade, keep_index });
        }
    }
}

/// Behind ENABLE (true) or DISABLE (false).
pub(crate) fn enable(words: &mut Words<'_>, enabled: bool) -> Result<TableClause> {
    let mut change = ConstraintChange { enabled: Some(enabled), ..ConstraintChange::default() };
    validation(words, &mut change);
    if !is_named_here(words) {
        return Err(words.unsupported(if enabled { "ENABLE" } else { "DISABLE" }));
    }
    changed(words, change)
}

/// Behind MODIFY.
pub(crate) fn modify(words: &mut Words<'_>) -> Result<TableClause> {
    changed(words, ConstraintChange::default())
}

fn validation(words: &mut Words<'_>, change: &mut ConstraintChange) -> bool {
    if words.take("VALIDATE") {
        change.validated = Some(true);
    } else if words.take("NOVALIDATE") {
        change.validated = Some(false);
    } else {
        return false;
    }
    true
}

fn changed(words: &mut Words<'_>, mut change: ConstraintChange) -> Result<TableClause> {
    let name = reference(words)?;
    let mut index = UsingIndex::default();
    loop {
        if words.next_is("USING INDEX") {
            index = using_index(words)?;
        } else if words.take("ENABLE") {
            change.enabled = Some(true);
        } else if words.take("DISABLE") {
            change.enabled = Some(false);
        } else if words.take("INITIALLY DEFERRED") {
            change.deferred = Some(true);
        } else if words.take("INITIALLY IMMEDIATE") {
            change.deferred = Some(false);
        } else if words.take("CASCADE") {
            change.cascade = true;
        } else if words.take("KEEP INDEX") {
            change.keep_index = Some(true);
        } else if words.take("DROP INDEX") {
            change.keep_index = Some(false);
        } else if !(validation(words, &mut change) || words.take("NORELY") || words.take("RELY")) {
            return Ok(TableClause::ChangeConstraint { name, change, index });
        }
    }
}
