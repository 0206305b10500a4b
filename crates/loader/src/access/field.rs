//! The FIELDS clause.

use common::Result;

use super::words::{Token, Words};
use crate::spec::{
    ComparedWith, DatetimeMask, Enclosure, Extent, FieldRule, Fields, NullIf, Origin, Position, Terminator, Trim,
};

pub(super) fn fields(words: &mut Words) -> Result<Fields> {
    let mut fields = Fields::default();
    loop {
        if let Some(terminator) = terminator(words)? {
            fields.terminator = Some(terminator);
        } else if let Some(enclosure) = enclosure(words)? {
            fields.enclosure = Some(enclosure);
        } else if let Some(trim) = trim(words) {
            fields.trim = trim;
        } else if words.take("DATE_FORMAT") {
            fields.masks.push(mask(words)?);
        } else if words.take("MISSING FIELD VALUES ARE NULL") {
            fields.missing_are_null = true;
        } else if words.take("REJECT ROWS WITH ALL NULL FIELDS") {
            fields.reject_all_null = true;
        } else if words.take_sign('(') {
            fields.list = Some(list(words)?);
            break;
        } else {
            match words.peek() {
                None => break,
                Some(Token::Word(word)) if word == "COLUMN" => break,
                Some(Token::Word(word)) => return Err(words.unsupported(word)),
                Some(_) => return Err(words.wrong("an option of FIELDS, or a list of fields, expected")),
            }
        }
    }
    // Fields without a list are ended by something.
    if fields.list.is_none() && fields.terminator.is_none() {
        fields.terminator = Some(Terminator::Text(b",".to_vec()));
    }
    Ok(fields)
}

fn terminator(words: &mut Words) -> Result<Option<Terminator>> {
    if !words.take("TERMINATED") {
        return Ok(None);
    }
    words.take("BY");
    if words.take("WHITESPACE") {
        return Ok(Some(Terminator::Whitespace));
    }
    words.text().map(Terminator::Text).map(Some)
}

fn enclosure(words: &mut Words) -> Result<Option<Enclosure>> {
    let optional = words.take("OPTIONALLY");
    if !words.take("ENCLOSED") {
        return if optional { Err(words.wrong("ENCLOSED expected")) } else { Ok(None) };
    }
    words.take("BY");
    let left = words.text()?;
    let right = if words.take("AND") { words.text()? } else { left.clone() };
    Ok(Some(Enclosure { left, right, optional }))
}

fn trim(words: &mut Words) -> Option<Trim> {
    let all = [
        ("NOTRIM", Trim::None),
        ("LTRIM", Trim::Left),
        ("RTRIM", Trim::Right),
        ("LRTRIM", Trim::Both),
        ("LDRTRIM", Trim::Loader),
    ];
    all.into_iter().find(|(word, _)| words.take(word)).map(|(_, trim)| trim)
}

/// `DATE MASK 'x'`, `TIMESTAMP MASK 'x'`.
fn mask(words: &mut Words) -> Result<DatetimeMask> {
    let timestamp = words.take("TIMESTAMP");
    if timestamp {
        if words.next_is("WITH") {
            return Err(words.unsupported("TIMESTAMP WITH TIME ZONE"));
        }
    } else {
        words.expect("DATE")?;
    }
    words.take("MASK");
    Ok(DatetimeMask { timestamp, mask: words.string()? })
}

fn list(words: &mut Words) -> Result<Vec<FieldRule>> {
    let mut fields: Vec<FieldRule> = Vec::new();
    loop {
        let start = words.clone();
        let field = field(words)?;
        if fields.iter().any(|before| before.name == field.name) {
            return Err(start.wrong("each field once expected"));
        }
        fields.push(field);
        if !words.take_sign(',') {
            words.expect_sign(')')?;
            return Ok(fields);
        }
    }
}

fn field(words: &mut Words) -> Result<FieldRule> {
    let mut field = FieldRule::new(&words.name()?);
    if words.take("POSITION") || words.peek() == Some(&Token::Sign('(')) {
        words.expect_sign('(')?;
        field.position = Some(position(words)?);
        words.expect_sign(')')?;
    }
    kind(words, &mut field)?;
    loop {
        if let Some(terminator) = terminator(words)? {
            field.terminator = Some(terminator);
        } else if let Some(enclosure) = enclosure(words)? {
            field.enclosure = Some(enclosure);
        } else if let Some(trim) = trim(words) {
            field.trim = Some(trim);
        } else if words.take("DATE_FORMAT") {
            field.mask = Some(mask(words)?);
        } else if words.take("NULLIF") {
            null_if(words, &mut field)?;
        } else {
            return match words.peek() {
                Some(Token::Sign(',' | ')')) => Ok(field),
                Some(Token::Word(word)) => Err(words.unsupported(&format!("{word} of a field"))),
                _ => Err(words.wrong("',' or ')' expected")),
            };
        }
    }
}

/// `start:end`, `start-end`, `*+n:length`. Bytes count from 1.
fn position(words: &mut Words) -> Result<Position> {
    let behind = words.take_sign('*');
    let origin = if behind {
        let sign = if words.take_sign('+') {
            Some(1)
        } else if words.take_sign('-') {
            Some(-1)
        } else {
            None
        };
        match sign {
            Some(sign) => Origin::Behind(sign * words.bytes()? as isize),
            None => Origin::Behind(0),
        }
    } else {
        Origin::At(words.bytes()? - 1)
    };
    let extent = if words.take_sign(':') || words.take_sign('-') {
        let number = words.bytes()?;
        // Behind an absolute start the end is absolute too; behind `*` it is a length.
        match origin {
            Origin::At(start) if number <= start => return Err(words.wrong("an end behind the start expected")),
            Origin::At(_) => Some(Extent::To(number)),
            Origin::Behind(_) => Some(Extent::Bytes(number)),
        }
    } else {
        None
    };
    Ok(Position { origin, extent })
}

/// CHAR, or numbers and dates as text.
fn kind(words: &mut Words, field: &mut FieldRule) -> Result<()> {
    let length = |words: &mut Words| -> Result<Option<usize>> {
        if words.take_sign('(') {
            let bytes = words.bytes()?;
            words.expect_sign(')')?;
            return Ok(Some(bytes));
        }
        Ok(None)
    };
    if words.take("CHAR") || words.take("CHARACTER") {
        field.bytes = length(words)?;
    } else if words.take("INTEGER EXTERNAL")
        || words.take("UNSIGNED INTEGER EXTERNAL")
        || words.take("DECIMAL EXTERNAL")
        || words.take("FLOAT EXTERNAL")
        || words.take("ZONED EXTERNAL")
    {
        field.bytes = if let Some(Token::Number(_)) = words.peek() { Some(words.bytes()?) } else { length(words)? };
    } else if words.next_is("DATE") || words.next_is("TIMESTAMP") {
        field.mask = Some(mask(words)?);
    } else if let Some(Token::Word(word)) = words.peek()
        && matches!(
            word.as_str(),
            "INTEGER"
                | "UNSIGNED"
                | "DECIMAL"
                | "ZONED"
                | "FLOAT"
                | "DOUBLE"
                | "BINARY_FLOAT"
                | "BINARY_DOUBLE"
                | "RAW"
                | "ORACLE_NUMBER"
                | "ORACLE_DATE"
                | "COUNTED"
                | "VARCHAR"
                | "VARRAW"
                | "VARCHARC"
                | "VARRAWC"
        )
    {
        return Err(words.unsupported(&format!("data type {word} of a field")));
    }
    Ok(())
}

/// `NULLIF field = 'x'`, `!=` and `<>` too, with AND and parentheses.
fn null_if(words: &mut Words, field: &mut FieldRule) -> Result<()> {
    let parenthesised = words.take_sign('(');
    loop {
        let within = words.take_sign('(');
        // `=BLANKS` and its like are about the field itself.
        let named = matches!(words.peek(), Some(Token::Word(_) | Token::Quoted(_)));
        let name = if named { words.name()? } else { field.name.clone() };
        let equal = if words.take_sign('=') {
            true
        } else if words.take_sign('!') || words.take_sign('^') {
            words.expect_sign('=')?;
            false
        } else if words.take_sign('<') {
            words.expect_sign('>')?;
            false
        } else {
            return Err(words.wrong("'=' or '!=' expected"));
        };
        let with = if words.take("BLANKS") { ComparedWith::Blanks } else { ComparedWith::Text(words.text()?) };
        field.null_if.push(NullIf { field: name, equal, with });
        if within {
            words.expect_sign(')')?;
        }
        if words.next_is("OR") {
            return Err(words.unsupported("OR in NULLIF"));
        }
        if !words.take("AND") {
            break;
        }
    }
    if parenthesised {
        words.expect_sign(')')?;
    }
    Ok(())
}
