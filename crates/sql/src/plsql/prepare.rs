//! SQL statements of programs: their columns and the program's variables.
//!
//! A name that is a column of a table of its block, or of a block around it, is that column (`names.rs`); behind an
//! alias of the statement, too. Any other name may be a variable, and becomes a bind variable.

use std::sync::Arc;

use common::{Error, Result};
use plsql::ast::{SqlKind, SqlText};
use plsql::host::{Column, PreparedSql, Viewer};
use scalar::Datum;
use sqlparser::ast::{ObjectName, Spanned};
use sqlparser::dialect::OracleDialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use super::names::{Candidate, collect};
use crate::cursor::tables::SessionTables;
use crate::functions;
use crate::plan::binder::{Tables, owner_and_name};
use crate::plan::hints::Hints;
use crate::statement::parse::{Statement, parse};
use crate::statement::position;

/// The statement's text in V$SQL and traces: upper case outside of quotes, blanks and comments folded to one blank,
/// hints kept.
fn normal(text: &str) -> Result<String> {
    let tokens = Tokenizer::new(&OracleDialect {}, text)
        .tokenize_with_location()
        .map_err(|error| Error::user(911, format!("invalid character: {}", error.message)))?;
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    let mut places = position::Places::new(text);
    for token in tokens {
        match &token.token {
            Token::EOF => break,
            Token::Whitespace(Whitespace::MultiLineComment(comment)) if comment.starts_with('+') => {}
            Token::Whitespace(_) => {
                blank = !out.is_empty();
                continue;
            }
            _ => {}
        }
        if blank {
            out.push(' ');
            blank = false;
        }
        let start = places.offset(token.span.start).unwrap_or(0);
        let end = places.offset(token.span.end).unwrap_or(text.len());
        match &token.token {
            Token::Word(word) if word.quote_style.is_none() => out.push_str(&text[start..end].to_uppercase()),
            Token::Placeholder(_) => out.push_str(&text[start..end].to_uppercase()),
            _ => out.push_str(&text[start..end]),
        }
    }
    Ok(out)
}

/// Words with a meaning of their own in an expression, beside the functions without parentheses.
fn is_pseudo(name: &str) -> bool {
    matches!(name, "ROWNUM" | "ROWID" | "LEVEL" | "DEFAULT")
}

/// Prepares a program's statement for the session.
pub(super) fn prepare(
    tables: SessionTables,
    viewer: Viewer<'_>,
    sql: &SqlText,
    is_variable: &mut dyn FnMut(&[&str]) -> bool,
) -> Result<PreparedSql> {
    let mut text = sql.text.trim_end().to_owned();
    let returning = sql.into.as_ref().filter(|_| sql.kind != SqlKind::Query).map_or(0, |into| into.targets.len());
    for number in 1..=returning {
        text.push_str(&format!("{} :R{number}", if number == 1 { " INTO" } else { "," }));
    }
    let statement = parse(&text)?;
    let mut names = collect(&text, &statement);

    let tables = SessionTables { names_only: true, compiling: true, ..tables.viewed(viewer) };
    let mut aliases = std::mem::take(&mut names.aliases);
    let mut depends_on = Vec::new();
    for at in 0..names.relations.len() {
        let relation = names.relations[at].name.clone();
        let (owner, name) = owner_and_name(&relation)?;
        if owner.is_none() && names.is_query(at, &name) {
            continue;
        }
        let found = tables.relation(owner.as_deref(), &name, &Hints::default());
        let Some(found) = found.map_err(|error| position::at(error, &text, relation.span()))? else {
            let missing = Error::user(942, format!("table or view does not exist: {relation}"));
            return Err(position::at(missing, &text, relation.span()));
        };
        names.add_columns(at, found.columns.iter().map(|column| column.name.clone()));
        depends_on.push(owner.iter().chain([&name]).map(|part| part.as_str().into()).collect());
        aliases.insert(name);
    }

    let depend_on_program = |path: &[String], depends_on: &mut Vec<Vec<Box<str>>>| {
        let is_program = tables.is_program(path);
        if is_program {
            depends_on.push(path.iter().map(|part| part.as_str().into()).collect());
        }
        is_program
    };
    for call in names.calls.iter().filter(|call| !functions::library::exists(&call.join("."))) {
        depend_on_program(call, &mut depends_on);
    }

    let mut candidates = std::mem::take(&mut names.candidates);
    candidates.sort_by_key(|candidate| candidate.place.start);
    let mut bound = String::with_capacity(text.len());
    let mut variables: Vec<Vec<Box<str>>> = Vec::new();
    let mut at = 0;
    for candidate in candidates {
        let Candidate { parts, place, .. } = &candidate;
        let (first, last) = (parts[0].as_str(), parts[parts.len() - 1].as_str());
        let is_column = match parts.len() {
            1 => names.is_column(&candidate, first),
            _ => aliases.contains(first) || matches!(last, "NEXTVAL" | "CURRVAL"),
        };
        if is_column || place.start < at {
            continue;
        }
        let path: Vec<&str> = parts.iter().map(String::as_str).collect();
        if is_variable(&path) {
            bound.push_str(&text[at..place.start]);
            variables.push(path.into_iter().map(Into::into).collect());
            bound.push_str(&format!(":B{}", variables.len()));
            at = place.end;
        } else if !first.starts_with(':')
            && !functions::library::exists(&parts.join("."))
            && (parts.len() == 1 && is_pseudo(first) || depend_on_program(parts, &mut depends_on))
        {
            // Bound when the statement is.
        } else if parts.len() == 1 && !first.starts_with(':') && !functions::library::exists(first) {
            return Err(Error::user(904, format!("\"{first}\": invalid identifier")).at(place.start));
        }
    }
    bound.push_str(&text[at..]);
    let text: Arc<str> = normal(&bound)?.into();
    let query = match sql.kind {
        SqlKind::Query => Some(text.to_string()),
        // With its variables bound, which occur in RETURNING too.
        _ if returning > 0 => returned_query(&parse(&text)?, names.relations.first().map(|relation| &relation.name)),
        _ => None,
    };
    let columns = match query {
        Some(query) => described(&SessionTables { names_only: false, ..tables }, &query, variables.len())?,
        None => Vec::new(),
    };
    Ok(PreparedSql { text, variables, columns, depends_on })
}

/// A query with the columns of RETURNING.
fn returned_query(statement: &Statement, table: Option<&ObjectName>) -> Option<String> {
    let (Statement::Insert(_, returning) | Statement::Update(_, returning) | Statement::Delete(_, returning)) =
        statement
    else {
        return None;
    };
    let values: Vec<String> = returning.as_ref()?.values.iter().map(ToString::to_string).collect();
    Some(format!("select {} from {}", values.join(", "), table?))
}

/// The columns of a query; empty for another statement.
fn described(tables: &SessionTables, text: &str, variables: usize) -> Result<Vec<Column>> {
    let Statement::Query { query, headings, .. } = parse(text)? else { return Ok(Vec::new()) };
    let binds: Vec<(String, Datum)> = (1..=variables).map(|number| (format!("B{number}"), Datum::Null)).collect();
    let bound = tables.with_binder(text, &binds, |binder| binder.statement_query(&query, &headings))?;
    Ok(bound
        .outputs
        .iter()
        .map(|output| Column {
            name: output.name.clone().into(),
            data_type: output.declared,
            nullable: output.nullable,
        })
        .collect())
}
