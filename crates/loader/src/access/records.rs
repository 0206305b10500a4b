//! The RECORDS clause.

use common::Result;

use super::words::{Token, Words};
use crate::spec::{Characters, Output, RecordFormat, Records};

pub(super) fn records(words: &mut Words) -> Result<Records> {
    let mut records = Records { format: format(words)?, ..Records::default() };
    loop {
        if words.take("SKIP") {
            records.skip = words.number()?;
        } else if words.take("NOBADFILE") {
            records.bad = Output::Nowhere;
        } else if words.take("BADFILE") {
            records.bad = output(words)?;
        } else if words.take("NOLOGFILE") {
            records.log = Output::Nowhere;
        } else if words.take("LOGFILE") {
            records.log = output(words)?;
        } else if words.take("NODISCARDFILE") {
            // Records are discarded by LOAD WHEN alone.
        } else if words.take("CHARACTERSET") {
            records.characters = characters(words)?;
        } else if words.take("STRING SIZES ARE IN BYTES") {
            // As they always are.
        } else if words.take("READSIZE") {
            words.take_sign('=');
            records.record_bytes = words.bytes()?;
        } else if words.take("DATE_CACHE") {
            // The size of the cache does not change rows.
            words.take_sign('=');
            words.number()?;
        } else {
            return match words.peek() {
                None => Ok(records),
                Some(Token::Word(word)) if matches!(word.as_str(), "FIELDS" | "COLUMN") => Ok(records),
                Some(Token::Word(word)) => Err(words.unsupported(word)),
                Some(_) => Err(words.wrong("an option of RECORDS, or FIELDS, expected")),
            };
        }
    }
}

fn format(words: &mut Words) -> Result<RecordFormat> {
    if words.take("FIXED") {
        return words.bytes().map(RecordFormat::Fixed);
    }
    if words.next_is("VARIABLE") || words.next_is("XMLTAG") {
        return Err(words.unsupported(&format!("RECORDS {}", words.clone().name()?)));
    }
    if !words.take("DELIMITED BY") {
        return Ok(RecordFormat::Newline);
    }
    if words.take("NEWLINE") {
        return Ok(RecordFormat::Newline);
    }
    if words.take("DETECTED NEWLINE") {
        return Ok(RecordFormat::DetectedNewline);
    }
    words.text().map(RecordFormat::Delimiter)
}

/// `[DIRECTORY:] 'name'`.
fn output(words: &mut Words) -> Result<Output> {
    let directory = if matches!(words.peek(), Some(Token::Word(_))) {
        let name = words.name()?;
        words.expect_sign(':')?;
        Some(name)
    } else {
        None
    };
    Ok(Output::Named { directory, name: words.string()? })
}

fn characters(words: &mut Words) -> Result<Characters> {
    let start = words.clone();
    let name = match words.peek() {
        Some(Token::Text(_)) => words.string()?.to_uppercase(),
        _ => words.name()?.to_uppercase(),
    };
    match name.as_str() {
        "AL32UTF8" | "UTF8" => Ok(Characters::Utf8),
        "US7ASCII" => Ok(Characters::Ascii),
        "WE8ISO8859P1" => Ok(Characters::Latin1),
        other => Err(start.unsupported(&format!("CHARACTERSET {other}"))),
    }
}
