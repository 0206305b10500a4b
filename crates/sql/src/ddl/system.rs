//! ALTER SESSION and ALTER SYSTEM.

use common::Result;
use sqlparser::tokenizer::Token;

use super::command::{Command, Setting};
use crate::statement::words::Words;
use crate::transaction::parse::isolation_level;

pub(crate) fn session(words: &mut Words<'_>) -> Result<Command> {
    if words.take("ENABLE PARALLEL") || words.take("FORCE PARALLEL") || words.take("DISABLE PARALLEL") {
        return parallel(words);
    }
    if !words.take("SET") {
        return Err(words.unsupported("ALTER SESSION"));
    }
    if words.take("CURRENT_SCHEMA") {
        words.expect_sign(&Token::Eq)?;
        return Ok(Command::AlterSessionSchema(words.identifier()?));
    }
    let mut settings = Vec::new();
    while !words.at_end() {
        if words.take("ISOLATION_LEVEL") {
            words.expect_sign(&Token::Eq)?;
            return Ok(Command::AlterSessionIsolation(isolation_level(words, 2183)?));
        }
        if words.take("EVENTS") {
            // ALTER SESSION SET EVENTS '…' and SET EVENTS = '…' are both in use.
            words.take_sign(&Token::Eq);
            settings.push(Setting { name: "events".to_owned(), value: words.string()?, scope: None });
        } else {
            settings.push(setting(words)?);
        }
    }
    Ok(Command::AlterSession(settings))
}

/// `{ENABLE | FORCE | DISABLE} PARALLEL {DML | DDL | QUERY} [PARALLEL n]`: statements are serial whatever it says.
fn parallel(words: &mut Words<'_>) -> Result<Command> {
    if !(words.take("DML") || words.take("DDL") || words.take("QUERY")) {
        return Err(words.error(922, "missing or invalid option: DML, DDL or QUERY expected"));
    }
    if words.take("PARALLEL") {
        words.integer()?;
    }
    words.notice("statements are serial");
    Ok(Command::AlterSession(Vec::new()))
}

pub(crate) fn system(words: &mut Words<'_>) -> Result<Command> {
    if words.take("FLUSH BUFFER_CACHE") {
        return Ok(Command::FlushBufferCache);
    }
    if words.take("FLUSH SHARED_POOL") {
        return Ok(Command::FlushSharedPool);
    }
    if words.take("CHECKPOINT") {
        words.take("LOCAL");
        words.take("GLOBAL");
        return Ok(Command::Checkpoint);
    }
    if words.take("SWITCH LOGFILE") {
        return Ok(Command::SwitchLogfile);
    }
    if words.take("KILL SESSION") {
        let (sid, serial) = session_id(words)?;
        return Ok(Command::KillSession { sid, serial, immediate: words.take("IMMEDIATE") });
    }
    if words.take("RESET") {
        let name = words.identifier()?.to_lowercase();
        if words.take("SCOPE") {
            words.expect_sign(&Token::Eq)?;
            words.expect("SPFILE")?;
        }
        return Ok(Command::ResetSystem(name));
    }
    if !words.take("SET") {
        return Err(words.unsupported("ALTER SYSTEM"));
    }
    let mut settings = Vec::new();
    while !words.at_end() {
        if words.next_is("EVENTS") {
            return Err(words.unsupported("ALTER SYSTEM SET"));
        }
        let mut one = setting(words)?;
        if words.take("SCOPE") {
            words.expect_sign(&Token::Eq)?;
            one.scope = Some(words.identifier()?);
        }
        settings.push(one);
    }
    Ok(Command::AlterSystem(settings))
}

/// `'sid, serial#'`.
fn session_id(words: &mut Words<'_>) -> Result<(u32, u32)> {
    let invalid = words.error(26, "missing or invalid session ID: 'sid, serial#' is expected");
    let Some(Token::SingleQuotedString(text)) = words.advance().map(|word| word.token) else { return Err(invalid) };
    let parts = text.split_once(',').map(|(sid, serial)| (sid.trim().parse(), serial.trim().parse()));
    match parts {
        Some((Ok(sid), Ok(serial))) => Ok((sid, serial)),
        _ => Err(invalid),
    }
}

fn setting(words: &mut Words<'_>) -> Result<Setting> {
    let name = words.identifier()?.to_lowercase();
    words.expect_sign(&Token::Eq)?;
    let value = match words.peek().map(|word| word.token.clone()) {
        Some(Token::SingleQuotedString(text)) => {
            words.advance();
            // The one value that is a list.
            if name == "commit_write" { text.split_whitespace().collect() } else { text }
        }
        Some(Token::Word(word)) => {
            words.advance();
            let mut value = word.value;
            while name == "commit_write" && words.take_sign(&Token::Comma) {
                value = format!("{value},{}", words.identifier()?);
            }
            value
        }
        Some(Token::Number(..) | Token::Minus) => {
            // A number, with its unit behind it.
            let start = words.offset();
            words.take_sign(&Token::Minus);
            let mut end = start;
            if let Some(word) = words.advance() {
                end = word.end;
            }
            if let Some(unit) = words.peek()
                && unit.start == end
            {
                end = unit.end;
                words.advance();
            }
            words.text[start..end].to_owned()
        }
        _ => return Err(words.error(2017, format!("a value for {name} is expected"))),
    };
    Ok(Setting { name, value, scope: None })
}
