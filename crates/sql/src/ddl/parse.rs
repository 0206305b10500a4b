//! Dispatch from the first words of a command to its grammar.

use common::{Error, Result};

use super::command::{Command, Name};
use super::{
    alter, analyze, comment, directory, disk_group, grant, program, sequence, synonym, system, table, tablespace, user,
    view,
};
use crate::statement::words::Words;

/// Parses a DDL, session or system command. Also returns notices about clauses without effect.
pub(crate) fn parse(text: &str) -> Result<(Command, Vec<String>)> {
    let mut words = Words::new(text)?;
    let command = command(&mut words)?;
    words.end()?;
    Ok((command, words.take_notices()))
}

fn command(words: &mut Words<'_>) -> Result<Command> {
    if words.take("CREATE") {
        return create(words);
    }
    if words.take("ALTER") {
        return alter(words);
    }
    if words.take("DROP") {
        return drop(words);
    }
    if words.take("TRUNCATE") {
        return truncate(words);
    }
    if words.take("ANALYZE") {
        return analyze::analyze(words);
    }
    if words.take("RENAME") {
        let from = words.identifier()?;
        words.expect("TO")?;
        return Ok(Command::Rename { from, to: words.new_table()? });
    }
    if words.take("GRANT") {
        return grant::grant(words);
    }
    if words.take("REVOKE") {
        return grant::revoke(words);
    }
    if words.take("COMMENT ON") {
        return comment::comment(words);
    }
    Err(words.unsupported("statement"))
}

fn create(words: &mut Words<'_>) -> Result<Command> {
    let replace = words.take("OR REPLACE");
    let mut edition = words.take("EDITIONABLE") || words.take("NONEDITIONABLE");
    if words.take("PUBLIC SYNONYM") {
        return synonym::create(words, true, replace);
    }
    if words.take("SYNONYM") {
        return synonym::create(words, false, replace);
    }
    if words.take("DIRECTORY") {
        return directory::create(words, replace);
    }
    let force = words.take("FORCE");
    if !force && !words.take("NO FORCE") {
        words.take("NOFORCE");
    }
    edition |= words.take("EDITIONABLE") || words.take("NONEDITIONABLE");
    if words.take("VIEW") {
        return view::create(words, replace, force);
    }
    if replace || force || edition {
        return Err(words.unsupported("CREATE OR REPLACE"));
    }
    refuse_object(words)?;
    words.take("SMALLFILE");
    if words.take("UNDO TABLESPACE") {
        return tablespace::create_undo(words);
    }
    if words.take("TABLESPACE") {
        return tablespace::create(words);
    }
    if words.take("DISKGROUP") {
        return disk_group::create(words);
    }
    if words.take("TABLE") {
        return table::create(words);
    }
    if words.take("UNIQUE INDEX") {
        return table::create_index(words, true);
    }
    if words.take("INDEX") {
        return table::create_index(words, false);
    }
    if words.take("SEQUENCE") {
        return sequence::create(words);
    }
    if words.take("USER") {
        return user::create(words);
    }
    if words.take("ROLE") {
        return user::create_role(words);
    }
    Err(words.unsupported("CREATE"))
}

/// # Errors
/// HW-0001 for a kind of object that there is not.
fn refuse_object(words: &Words<'_>) -> Result<()> {
    let kinds = [
        ("GLOBAL TEMPORARY", "temporary tables: CREATE GLOBAL TEMPORARY TABLE"),
        ("PRIVATE TEMPORARY", "temporary tables: CREATE PRIVATE TEMPORARY TABLE"),
        ("BIGFILE", "bigfile tablespaces: CREATE BIGFILE TABLESPACE"),
        ("TEMPORARY", "temporary tablespaces: CREATE TEMPORARY TABLESPACE"),
        ("BITMAP", "bitmap indexes: CREATE BITMAP INDEX"),
        ("DATABASE LINK", "database links: CREATE DATABASE LINK"),
        ("PUBLIC DATABASE LINK", "database links: CREATE PUBLIC DATABASE LINK"),
        ("SHARED", "database links: CREATE SHARED DATABASE LINK"),
        ("MATERIALIZED", "materialized views: CREATE MATERIALIZED VIEW"),
        ("CLUSTER", "clusters: CREATE CLUSTER"),
        ("TYPE", "object types: CREATE TYPE"),
        ("PUBLIC", "CREATE PUBLIC"),
    ];
    match kinds.into_iter().find(|(start, _)| words.next_is(start)) {
        Some((_, kind)) => Err(Error::unsupported(kind).at(words.offset())),
        None => Ok(()),
    }
}

fn alter(words: &mut Words<'_>) -> Result<Command> {
    if words.take("TABLE") {
        return alter::table(words);
    }
    if words.take("SESSION") {
        return system::session(words);
    }
    if words.take("SYSTEM") {
        return system::system(words);
    }
    if words.take("TABLESPACE") {
        return tablespace::alter(words);
    }
    if words.take("DISKGROUP") {
        return disk_group::alter(words);
    }
    if words.take("DATABASE") {
        return tablespace::alter_database(words);
    }
    if words.take("SEQUENCE") {
        return sequence::alter(words);
    }
    if words.take("INDEX") {
        return table::alter_index(words);
    }
    if let Some(command) = program::alter(words)? {
        return Ok(command);
    }
    if words.next_is("VIEW") {
        let start = words.clone();
        words.take("VIEW");
        let name = words.name()?;
        if words.take("COMPILE") {
            return Ok(Command::CompileView(name));
        }
        return Err(start.unsupported("ALTER"));
    }
    if words.take("USER") {
        return user::alter(words);
    }
    Err(words.unsupported("ALTER"))
}

fn drop(words: &mut Words<'_>) -> Result<Command> {
    if words.take("TABLE") {
        let name = words.name()?;
        let cascade = words.take("CASCADE CONSTRAINTS");
        // There is no recycle bin.
        words.take("PURGE");
        return Ok(Command::DropTable { name, cascade });
    }
    if let Some(command) = program::drop(words)? {
        return Ok(command);
    }
    if words.take("INDEX") {
        return Ok(Command::DropIndex(words.name()?));
    }
    if words.take("VIEW") {
        let name = words.name()?;
        words.take("CASCADE CONSTRAINTS");
        return Ok(Command::DropView(name));
    }
    if words.take("SEQUENCE") {
        return Ok(Command::DropSequence(words.name()?));
    }
    if words.take("PUBLIC SYNONYM") {
        return synonym::drop(words, true);
    }
    if words.take("SYNONYM") {
        return synonym::drop(words, false);
    }
    if words.take("DISKGROUP") {
        return disk_group::drop(words);
    }
    if words.take("DIRECTORY") {
        return Ok(Command::DropDirectory(words.identifier()?));
    }
    if words.take("TABLESPACE") {
        return tablespace::drop(words);
    }
    if words.take("USER") {
        let name = words.identifier()?;
        let cascade = words.take("CASCADE");
        return Ok(Command::DropUser { name, cascade });
    }
    if words.take("ROLE") {
        return Ok(Command::DropRole(words.identifier()?));
    }
    Err(words.unsupported("DROP"))
}

fn truncate(words: &mut Words<'_>) -> Result<Command> {
    if !words.take("TABLE") {
        return Err(words.unsupported("TRUNCATE"));
    }
    let name: Name = words.name()?;
    if words.take("REUSE STORAGE") {
        return Err(Error::unsupported("TRUNCATE … REUSE STORAGE"));
    }
    words.take("DROP STORAGE");
    Ok(Command::Truncate(name))
}
