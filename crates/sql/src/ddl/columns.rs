//! Column definitions: types, DEFAULT, and the constraints declared with them.

use common::{DataType, Error, Result, limits};
use engine::dictionary::{ColumnDef, ConstraintState};
use sqlparser::tokenizer::Token;

use super::command::{Constraint, Rule};
use super::constraint;
use crate::statement::words::Words;
use crate::types::column;

/// Words that end a DEFAULT expression.
pub(super) const AFTER_DEFAULT: [&str; 8] =
    ["NOT NULL", "NULL", "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "ENABLE"];

/// A data type as written.
pub(crate) fn data_type(words: &mut Words<'_>) -> Result<DataType> {
    let start = words.offset();
    let name = words.identifier()?;
    let length = |words: &mut Words<'_>| -> Result<i64> {
        words.expect_sign(&Token::LParen)?;
        let length = words.signed()?;
        if words.take("CHAR") {
            words.notice(format!("{length} CHAR is {length} BYTE: lengths are counted in bytes"));
        } else {
            words.take("BYTE");
        }
        words.expect_sign(&Token::RParen)?;
        Ok(length)
    };
    let parenthesis = |words: &Words<'_>| matches!(words.peek().map(|word| &word.token), Some(Token::LParen));
    let found = match name.as_str() {
        "NUMBER" | "NUMERIC" | "DECIMAL" | "DEC" => {
            if !words.take_sign(&Token::LParen) {
                let integer = name != "NUMBER";
                return Ok(DataType::Number { precision: integer.then_some(limits::NUMBER_PRECISION_MAX), scale: 0 });
            }
            let precision = if words.take_sign(&Token::Mul) { None } else { Some(words.signed()?) };
            let scale = if words.take_sign(&Token::Comma) { Some(words.signed()?) } else { None };
            words.expect_sign(&Token::RParen)?;
            match (precision, scale) {
                (None, None) => Ok(DataType::Number { precision: None, scale: 0 }),
                (precision, scale) => column::number_type(
                    precision.unwrap_or(i64::from(limits::NUMBER_PRECISION_MAX)),
                    scale.unwrap_or(0),
                ),
            }
        }
        "INTEGER" | "INT" | "SMALLINT" => {
            Ok(DataType::Number { precision: Some(limits::NUMBER_PRECISION_MAX), scale: 0 })
        }
        "FLOAT" | "REAL" => {
            if name == "FLOAT" && words.take_sign(&Token::LParen) {
                words.integer()?;
                return Err(Error::unsupported("FLOAT with a binary precision; say NUMBER").at(start));
            }
            Ok(DataType::Number { precision: None, scale: 0 })
        }
        "VARCHAR2" | "VARCHAR" => column::varchar2_type(length(words)?),
        "CHAR" | "CHARACTER" => {
            if parenthesis(words) {
                column::char_type(length(words)?)
            } else {
                column::char_type(1)
            }
        }
        "DATE" => Ok(DataType::Date),
        "TIMESTAMP" => {
            let precision = if words.take_sign(&Token::LParen) {
                let precision = words.integer()?;
                words.expect_sign(&Token::RParen)?;
                precision
            } else {
                6
            };
            if words.next_is("WITH") {
                return Err(words.unsupported("TIMESTAMP"));
            }
            column::timestamp_type(precision)
        }
        "RAW" => column::raw_type(length(words)?),
        _ => Err(Error::unsupported(format!("data type {name}"))),
    };
    found.map_err(|error| error.at(start))
}

/// A column of CREATE TABLE, and the constraints that are declared with it. A plain NOT NULL is in the definition.
pub(crate) fn column(words: &mut Words<'_>) -> Result<(ColumnDef, Vec<Constraint>)> {
    let name = words.new_column()?;
    let data_type = data_type(words)?;
    let mut definition = ColumnDef { name, data_type, nullable: true, default: None };
    let mut constraints = Vec::new();
    loop {
        if words.take("DEFAULT") {
            definition.default = Some(words.expression_text(&AFTER_DEFAULT)?.to_owned());
        } else if constraint::begins_in_line(words) {
            match constraint::in_line(words, &definition.name)? {
                Some(Constraint { name: None, rule: Rule::NotNull { .. }, state })
                    if state == ConstraintState::default() =>
                {
                    definition.nullable = false;
                }
                found => constraints.extend(found),
            }
        } else {
            return Ok((definition, constraints));
        }
    }
}
