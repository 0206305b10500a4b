//! EXECUTE IMMEDIATE: statements given as text at run time. SQL takes its values by position, a block by name.

use std::fmt::Write as _;
use std::sync::Arc;

use common::{Error, Result};
use plsql::host::{Column, DynamicSql, Executed};
use plsql::kind::{ProgramKind, program_kind};
use scalar::Datum;
use sqlparser::tokenizer::Token;

use crate::cursor::connection::Connection;
use crate::cursor::open::CursorNumber;
use crate::statement::parse::Statement;
use crate::statement::words::Words;

/// The bind variables of a text in order, without their colons, with their ranges.
fn placeholders(text: &str) -> Result<Vec<(String, usize, usize)>> {
    let words = Words::new(text)?;
    let mut found = Vec::new();
    for at in 0.. {
        let Some(word) = words.peek_at(at) else { break };
        match (&word.token, words.peek_at(at + 1)) {
            (Token::Placeholder(name), _) => {
                found.push((name.trim_start_matches(':').to_uppercase(), word.start, word.end))
            }
            // `:1`, `:name`
            (Token::Colon, Some(next))
                if next.start == word.end && matches!(next.token, Token::Number(..) | Token::Word(_)) =>
            {
                found.push((text[next.start..next.end].to_uppercase(), word.start, next.end));
            }
            _ => {}
        }
    }
    Ok(found)
}

fn is_block(text: &str) -> bool {
    matches!(program_kind(text), Some(ProgramKind::Block | ProgramKind::Call))
}

pub(super) fn prepare(connection: &mut Connection, text: &str) -> Result<DynamicSql> {
    let found = if program_kind(text) == Some(ProgramKind::Create) { Vec::new() } else { placeholders(text)? };
    if is_block(text) {
        let mut variables: Vec<Box<str>> = Vec::new();
        for (name, ..) in &found {
            if !variables.iter().any(|known| **known == **name) {
                variables.push(name.as_str().into());
            }
        }
        return Ok(DynamicSql { text: text.into(), variables, is_query: false, returning: 0, columns: Vec::new() });
    }
    // Each occurrence of a name takes a value of its own.
    let repeated =
        found.iter().enumerate().any(|(at, (name, ..))| found[..at].iter().any(|(before, ..)| before == name));
    let mut sql = String::with_capacity(text.len());
    let mut variables: Vec<Box<str>> = Vec::new();
    let mut behind = 0;
    for (number, (name, start, end)) in (1..).zip(&found) {
        sql.push_str(&text[behind..*start]);
        if repeated {
            let _ = write!(sql, ":B{number}");
            variables.push(format!("B{number}").into());
        } else {
            sql.push_str(&text[*start..*end]);
            variables.push(name.as_str().into());
        }
        behind = *end;
    }
    sql.push_str(&text[behind..]);
    let text: Arc<str> = sql.trim_end().into();
    let number = connection.parse(&text)?;
    let described = connection.statement_of(number).map(|shared| match &shared.statement {
        Statement::Query { .. } => (true, 0),
        Statement::Insert(_, returning) | Statement::Update(_, returning) | Statement::Delete(_, returning) => {
            (false, returning.as_ref().map_or(0, |returning| returning.into.len()))
        }
        _ => (false, 0),
    });
    // Without bind variables the parse has described it.
    let columns = match variables.is_empty() {
        true => connection.describe(number),
        false => connection.describe_unbound(number, &variables),
    };
    connection.close(number);
    let (is_query, returning) = described?;
    let columns = if is_query { columns? } else { Vec::new() };
    let columns = columns
        .into_iter()
        .map(|column| Column { name: column.name.into(), data_type: column.data_type, nullable: column.nullable })
        .collect();
    Ok(DynamicSql { text, variables, is_query, returning, columns })
}

/// Sets a cursor's values; those of RETURNING come from the statement itself.
pub(super) fn bind(connection: &mut Connection, number: CursorNumber, sql: &DynamicSql, binds: &[Datum]) -> Result<()> {
    sql.variables.iter().zip(binds).try_for_each(|(name, value)| connection.bind(number, name, value.clone()))
}

pub(super) fn execute(
    connection: &mut Connection,
    number: CursorNumber,
    sql: &DynamicSql,
    binds: &mut [Datum],
) -> Result<Executed> {
    bind(connection, number, sql, binds)?;
    let result = connection.execute(number);
    let returned = connection.returned(number)?;
    if is_block(&sql.text) {
        for (name, value) in returned {
            if let Some(at) = sql.variables.iter().position(|variable| **variable == *name) {
                let bind =
                    binds.get_mut(at).ok_or_else(|| Error::user(1008, format!("not all variables bound: :{name}")))?;
                *bind = value;
            }
        }
        return result.map(|_| Executed::default());
    }
    let returned = connection.returned_rows(number)?;
    Ok(Executed { rows: result?.rows.unwrap_or(0), returned })
}
