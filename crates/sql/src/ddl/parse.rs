//! From the first words of a command to its own grammar.

use common::{Error, Result};

use super::command::{Command, Name};
use super::{alter, grant, system, table, tablespace, user};
use crate::statement::words::Words;

/// Parses a DDL, session or system command.
pub(crate) fn parse(text: &str) -> Result<Command> {
    let mut words = Words::new(text)?;
    let command = command(&mut words)?;
    words.end()?;
    Ok(command)
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
    Err(words.unsupported("statement"))
}

fn create(words: &mut Words<'_>) -> Result<Command> {
    for what in
        ["OR REPLACE", "GLOBAL TEMPORARY", "PRIVATE TEMPORARY", "BIGFILE", "TEMPORARY", "UNDO", "BITMAP", "PUBLIC"]
    {
        if words.next_is(what) {
            return Err(words.unsupported("CREATE"));
        }
    }
    words.take("SMALLFILE");
    if words.take("TABLESPACE") {
        return tablespace::create(words);
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
    if words.take("USER") {
        return user::create(words);
    }
    Err(words.unsupported("CREATE"))
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
    if words.take("DATABASE") {
        return tablespace::alter_database(words);
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
        // There is no recycle bin to spare.
        words.take("PURGE");
        return Ok(Command::DropTable { name, cascade });
    }
    if words.take("INDEX") {
        return Ok(Command::DropIndex(words.name()?));
    }
    if words.take("TABLESPACE") {
        return tablespace::drop(words);
    }
    if words.take("USER") {
        let name = words.identifier()?;
        let cascade = words.take("CASCADE");
        return Ok(Command::DropUser { name, cascade });
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
