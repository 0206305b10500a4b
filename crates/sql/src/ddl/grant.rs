//! GRANT and REVOKE.

use common::Result;
use engine::dictionary::ObjectPrivilege;
use sqlparser::tokenizer::Token;

use super::command::{Command, Name};
use crate::statement::words::Words;

pub(crate) fn grant(words: &mut Words<'_>) -> Result<Command> {
    let names = privileges(words, "TO")?;
    if words.take("ON DIRECTORY") {
        let name = words.identifier()?;
        words.expect("TO")?;
        let to = users(words)?;
        let grantable = words.take("WITH GRANT OPTION");
        return Ok(Command::GrantOnDirectory { privileges: object_privileges(words, &names)?, name, to, grantable });
    }
    if words.take("ON") {
        let table = words.name()?;
        words.expect("TO")?;
        let to = users(words)?;
        let grantable = words.take("WITH GRANT OPTION");
        return Ok(Command::GrantOn { privileges: object_privileges(words, &names)?, table, to, grantable });
    }
    words.expect("TO")?;
    let to = users(words)?;
    let grantable = words.take("WITH ADMIN OPTION");
    Ok(Command::Grant { names, to, grantable })
}

pub(crate) fn revoke(words: &mut Words<'_>) -> Result<Command> {
    let names = privileges(words, "FROM")?;
    if words.take("ON DIRECTORY") {
        let name = words.identifier()?;
        words.expect("FROM")?;
        let from = users(words)?;
        return Ok(Command::RevokeOnDirectory { privileges: object_privileges(words, &names)?, name, from });
    }
    if words.take("ON") {
        let table: Name = words.name()?;
        words.expect("FROM")?;
        let from = users(words)?;
        let cascade = words.take("CASCADE CONSTRAINTS");
        return Ok(Command::RevokeOn { privileges: object_privileges(words, &names)?, table, from, cascade });
    }
    words.expect("FROM")?;
    Ok(Command::Revoke { names, from: users(words)? })
}

/// Names of privileges, which may have several words, up to ON or `end`.
fn privileges(words: &mut Words<'_>, end: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    loop {
        let mut name = String::new();
        while !words.next_is("ON") && !words.next_is(end) {
            if matches!(words.peek().map(|word| &word.token), Some(Token::Comma | Token::LParen) | None) {
                break;
            }
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(&words.identifier()?);
        }
        if matches!(words.peek().map(|word| &word.token), Some(Token::LParen)) {
            return Err(words.unsupported("privileges on single columns"));
        }
        if name.is_empty() {
            return Err(words.error(990, "missing or invalid privilege"));
        }
        names.push(name);
        if !words.take_sign(&Token::Comma) {
            return Ok(names);
        }
    }
}

fn object_privileges(words: &Words<'_>, names: &[String]) -> Result<Vec<ObjectPrivilege>> {
    let mut privileges = Vec::new();
    for name in names {
        if name == "ALL" || name == "ALL PRIVILEGES" {
            privileges.extend_from_slice(ObjectPrivilege::ALL);
            continue;
        }
        privileges.push(
            ObjectPrivilege::find(name)
                .ok_or_else(|| words.error(990, format!("missing or invalid privilege: {name}")))?,
        );
    }
    Ok(privileges)
}

fn users(words: &mut Words<'_>) -> Result<Vec<String>> {
    let mut users = vec![words.identifier()?];
    while words.take_sign(&Token::Comma) {
        users.push(words.identifier()?);
    }
    Ok(users)
}
