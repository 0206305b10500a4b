//! CREATE, ALTER and DROP TABLESPACE; ALTER DATABASE DATAFILE.

use common::{BlockSize, Result};
use engine::ddl::{DatafileChange, TablespaceChange};
use engine::instance::{DatafileSpec, TablespaceSpec};
use sqlparser::tokenizer::Token;
use storage::control::SpaceManagement;
use storage::disk_group::is_in_group;

use super::command::{Command, UndoTablespaceSpec};
use super::logfile;
use crate::statement::words::Words;

/// Growth step of AUTOEXTEND ON without NEXT.
const AUTOEXTEND_STEP_BYTES: u64 = 1 << 20;

/// Parses the clauses behind UNDO TABLESPACE: extents of undo are managed by the database.
pub(crate) fn create_undo(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    let (mut files, mut guaranteed) = (Vec::new(), false);
    while !words.at_end() {
        if words.take("DATAFILE") {
            files.extend(datafiles(words)?);
        } else if words.take("RETENTION") {
            guaranteed = retention(words)?;
        } else if words.take("EXTENT MANAGEMENT LOCAL") {
            words.take("AUTOALLOCATE");
        } else if words.take("ONLINE") {
            // The default.
        } else {
            return Err(words.error(30024, "invalid specification for CREATE UNDO TABLESPACE"));
        }
    }
    Ok(Command::CreateUndoTablespace(UndoTablespaceSpec { name, files, guaranteed }))
}

/// RETENTION: true for GUARANTEE.
fn retention(words: &mut Words<'_>) -> Result<bool> {
    if words.take("GUARANTEE") {
        return Ok(true);
    }
    words.expect("NOGUARANTEE").map(|()| false)
}

pub(crate) fn create(words: &mut Words<'_>) -> Result<Command> {
    let mut spec = TablespaceSpec {
        logging: true,
        name: words.identifier()?,
        files: Vec::new(),
        block_size: None,
        uniform_bytes: None,
        space_management: SpaceManagement::Auto,
    };
    while !words.at_end() {
        if words.take("DATAFILE") {
            spec.files.extend(datafiles(words)?);
        } else if words.take("BLOCKSIZE") {
            let bytes = words.size()?;
            let size = BlockSize::from_bytes(bytes).ok();
            spec.block_size =
                Some(size.ok_or_else(|| {
                    words.error(25157, format!("block size {bytes} is none of 2K, 4K, 8K, 16K, 32K"))
                })?);
        } else if words.take("EXTENT MANAGEMENT LOCAL") {
            if words.take("UNIFORM") {
                spec.uniform_bytes = Some(if words.take("SIZE") { words.size()? } else { 1 << 20 });
            } else {
                words.take("AUTOALLOCATE");
            }
        } else if words.take("SEGMENT SPACE MANAGEMENT") {
            spec.space_management = if words.take("MANUAL") {
                SpaceManagement::Manual
            } else {
                words.expect("AUTO")?;
                SpaceManagement::Auto
            };
        } else if words.take("LOGGING") {
            spec.logging = true;
        } else if words.take("NOLOGGING") {
            spec.logging = false;
        } else if words.take("ONLINE") || words.take("PERMANENT") {
            // The default.
        } else {
            return Err(words.unsupported("CREATE TABLESPACE option"));
        }
    }
    Ok(Command::CreateTablespace(spec))
}

/// Files, each with a name or, for one that the database names, without.
fn datafiles(words: &mut Words<'_>) -> Result<Vec<DatafileSpec>> {
    let mut files = Vec::new();
    loop {
        let named = matches!(words.peek().map(|word| &word.token), Some(Token::SingleQuotedString(_)));
        let name = if named { words.string()? } else { String::new() };
        if named && name.is_empty() {
            return Err(words.error(2236, "the name of a file is empty"));
        }
        let (mut bytes, mut reuse, mut growth) = (None, false, None);
        loop {
            if words.take("SIZE") {
                bytes = Some(words.size()?);
            } else if words.take("REUSE") {
                reuse = true;
            } else if words.take("AUTOEXTEND") {
                growth = Some(autoextend(words)?);
            } else {
                break;
            }
        }
        if bytes.is_none() && named && !is_in_group(&name) {
            return Err(words.error(1119, format!("datafile '{name}' needs a SIZE")));
        }
        files.push(DatafileSpec::sized(name, bytes, reuse, growth));
        if !words.take_sign(&Token::Comma) {
            return Ok(files);
        }
    }
}

/// AUTOEXTEND: growth step and largest size.
fn autoextend(words: &mut Words<'_>) -> Result<Option<(u64, Option<u64>)>> {
    if words.take("OFF") {
        return Ok(None);
    }
    words.expect("ON")?;
    let next = if words.take("NEXT") { words.size()? } else { AUTOEXTEND_STEP_BYTES };
    let most =
        if words.take("MAXSIZE") { if words.take("UNLIMITED") { None } else { Some(words.size()?) } } else { None };
    Ok(Some((next, most)))
}

/// A datafile's name, or its number as text.
fn datafile(words: &mut Words<'_>) -> Result<String> {
    if matches!(words.peek().map(|word| &word.token), Some(Token::Number(..))) {
        return Ok(words.integer()?.to_string());
    }
    words.string()
}

pub(crate) fn alter(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    if words.take("ADD DATAFILE") {
        return Ok(Command::AlterTablespace { name, change: TablespaceChange::AddDatafiles(datafiles(words)?) });
    }
    if words.take("DROP DATAFILE") {
        return Ok(Command::AlterTablespace { name, change: TablespaceChange::DropDatafile(datafile(words)?) });
    }
    if words.take("RETENTION") {
        return Ok(Command::AlterTablespace { name, change: TablespaceChange::Retention(retention(words)?) });
    }
    for (word, logging) in [("LOGGING", true), ("NOLOGGING", false)] {
        if words.take(word) {
            return Ok(Command::AlterTablespace { name, change: TablespaceChange::Logging(logging) });
        }
    }
    Err(words.unsupported("ALTER TABLESPACE"))
}

pub(crate) fn alter_database(words: &mut Words<'_>) -> Result<Command> {
    if words.take("ADD LOGFILE") {
        return logfile::add(words);
    }
    if words.take("DROP LOGFILE") {
        return logfile::drop(words);
    }
    if !words.take("DATAFILE") {
        return Err(words.unsupported("ALTER DATABASE"));
    }
    let file = datafile(words)?;
    let change = if words.take("RESIZE") {
        DatafileChange::Resize(words.size()?)
    } else if words.take("AUTOEXTEND") {
        DatafileChange::Autoextend(autoextend(words)?)
    } else {
        return Err(words.unsupported("ALTER DATABASE DATAFILE"));
    };
    Ok(Command::AlterDatafile { file, change })
}

/// `datafiles` of the command: AND (true) or KEEP (false) DATAFILES, or neither.
pub(crate) fn drop(words: &mut Words<'_>) -> Result<Command> {
    let name = words.identifier()?;
    let (mut contents, mut datafiles) = (false, None);
    if words.take("INCLUDING CONTENTS") {
        contents = true;
        if words.take("AND DATAFILES") {
            datafiles = Some(true);
        } else if words.take("KEEP DATAFILES") {
            datafiles = Some(false);
        }
        words.take("CASCADE CONSTRAINTS");
    }
    Ok(Command::DropTablespace { name, contents, datafiles })
}
