//! CREATE and ALTER USER.

use common::Result;
use engine::ddl::{Quota, UserSpec};
use sqlparser::tokenizer::Token;

use super::command::Command;
use crate::statement::words::Words;

pub(crate) fn create(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    let spec = options(words)?;
    if spec.password.is_none() {
        return Err(words.error(922, "missing or invalid option: IDENTIFIED BY expected"));
    }
    Ok(Command::CreateUser { name, spec })
}

pub(crate) fn alter(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    let spec = options(words)?;
    Ok(Command::AlterUser { name, spec })
}

pub(crate) fn create_role(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    if words.next_is("IDENTIFIED") {
        return Err(words.unsupported("roles with a password"));
    }
    words.take("NOT IDENTIFIED");
    Ok(Command::CreateRole(name))
}

fn options(words: &mut Words<'_>) -> Result<UserSpec> {
    let mut spec = UserSpec::default();
    while !words.at_end() {
        if words.take("IDENTIFIED BY") {
            // A password is taken as written, whatever its case.
            let word = words.advance().ok_or_else(|| words.error(988, "missing or invalid password"))?;
            spec.password = Some(match word.token {
                Token::Word(word) => word.value,
                _ => words.text[word.start..word.end].to_owned(),
            });
        } else if words.take("DEFAULT TABLESPACE") {
            spec.default_tablespace = Some(words.identifier()?);
        } else if words.take("TEMPORARY TABLESPACE") {
            let name = words.identifier()?;
            words.notice(format!("there are no temporary tablespaces: {name} is not kept, and sorts work in memory"));
        } else if words.take("PROFILE") {
            let name = words.identifier()?;
            if name != "DEFAULT" {
                words.notice(format!("there are no profiles: {name} limits nothing"));
            }
        } else if words.take("PASSWORD EXPIRE") {
            words.notice("passwords do not expire");
        } else if words.take("DEFAULT ROLE ALL") {
            // Roles are always enabled.
        } else if words.take("QUOTA") {
            let quota = if words.take("UNLIMITED") { Quota::Unlimited } else { Quota::Bytes(words.size()?) };
            words.expect("ON")?;
            spec.quotas.push((words.identifier()?, quota));
        } else if words.take("ACCOUNT LOCK") {
            spec.locked = Some(true);
        } else if words.take("ACCOUNT UNLOCK") {
            spec.locked = Some(false);
        } else {
            return Err(words.unsupported("user option"));
        }
    }
    Ok(spec)
}
