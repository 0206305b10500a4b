//! Column definitions: types, DEFAULT, NOT NULL, and the keys declared with them.

use common::{DataType, Error, Result, limits};
use datafusion::sql::sqlparser::tokenizer::Token;
use engine::catalog::ColumnDef;

use super::attributes;
use super::command::{SegmentAttributes, UniqueKey};
use crate::statement::words::Words;
use crate::types::column;

/// Words that end a DEFAULT expression.
const AFTER_DEFAULT: [&str; 8] =
    ["NOT NULL", "NULL", "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "REFERENCES", "ENABLE"];

/// A data type as written.
pub(crate) fn data_type(words: &mut Words<'_>) -> Result<DataType> {
    let start = words.offset();
    let name = words.identifier()?;
    let length = |words: &mut Words<'_>| -> Result<i64> {
        words.expect_sign(&Token::LParen)?;
        let length = words.signed()?;
        // Characters are counted as bytes; a database of one-byte characters makes no difference.
        if words.take("CHAR") {
            return Err(Error::unsupported("lengths in CHAR; say BYTE").at(start));
        }
        words.take("BYTE");
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

/// A column of CREATE TABLE, and the key that is declared with it.
pub(crate) fn column(words: &mut Words<'_>) -> Result<(ColumnDef, Option<UniqueKey>)> {
    let name = words.new_column()?;
    let data_type = data_type(words)?;
    let mut definition = ColumnDef { name, data_type, nullable: true, default: None };
    let mut key = None;
    loop {
        if words.take("DEFAULT") {
            definition.default = Some(words.expression_text(&AFTER_DEFAULT)?.to_owned());
        } else if words.next_is("CONSTRAINT")
            || words.next_is("NOT NULL")
            || words.next_is("NULL")
            || words.next_is("PRIMARY")
            || words.next_is("UNIQUE")
            || words.next_is("CHECK")
            || words.next_is("REFERENCES")
        {
            let constraint = if words.take("CONSTRAINT") { Some(words.identifier()?) } else { None };
            if words.take("NOT NULL") {
                definition.nullable = false;
            } else if words.take("NULL") {
                definition.nullable = true;
            } else if let Some(primary) = key_word(words)? {
                let mut attributes = SegmentAttributes::default();
                using_index(words, &mut attributes)?;
                definition.nullable &= !primary;
                key = Some(UniqueKey { name: constraint, columns: vec![definition.name.clone()], primary, attributes });
            } else {
                return Err(other_constraint(words));
            }
            words.take("ENABLE");
        } else {
            return Ok((definition, key));
        }
    }
}

/// What is said of a constraint that is neither NOT NULL nor a key, or of a name with none behind it.
pub(crate) fn other_constraint(words: &Words<'_>) -> Error {
    let known = ["CHECK", "REFERENCES", "FOREIGN KEY", "REF", "SCOPE", "WITH"];
    if known.iter().any(|kind| words.next_is(kind)) {
        return words.unsupported("constraint");
    }
    words.error(905, "missing keyword: behind CONSTRAINT and its name, the kind of constraint is expected")
}

/// PRIMARY KEY (true) or UNIQUE (false).
pub(crate) fn key_word(words: &mut Words<'_>) -> Result<Option<bool>> {
    if words.take("PRIMARY") {
        words.expect("KEY")?;
        return Ok(Some(true));
    }
    Ok(words.take("UNIQUE").then_some(false))
}

/// USING INDEX with attributes of the index.
pub(crate) fn using_index(words: &mut Words<'_>, attributes: &mut SegmentAttributes) -> Result<()> {
    if words.take("USING INDEX") {
        attributes::segment(words, attributes)?;
    }
    Ok(())
}
