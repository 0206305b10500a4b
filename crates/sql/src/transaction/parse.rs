//! The grammars of transaction control.

use common::{Error, Result};
use sqlparser::tokenizer::Token;
use storage::txn::{Isolation, LockWait, TableLock};

use super::command::{Mode, TransactionCommand, WriteOptions};
use crate::statement::words::Words;

/// Words that begin a statement of transaction control.
pub(crate) const KEYWORDS: &[&str] = &["COMMIT", "ROLLBACK", "SAVEPOINT", "SET", "LOCK"];

/// Most bytes of the text of COMMENT and NAME.
const TEXT_MAX: usize = 255;

/// Parses a statement that begins with one of [`KEYWORDS`].
pub(crate) fn parse(words: &mut Words<'_>) -> Result<TransactionCommand> {
    let command = if words.take("COMMIT") {
        commit(words)?
    } else if words.take("ROLLBACK") {
        rollback(words)?
    } else if words.take("SAVEPOINT") {
        TransactionCommand::Savepoint(words.identifier()?)
    } else if words.take("SET") {
        set_transaction(words)?
    } else {
        words.expect("LOCK")?;
        lock_table(words)?
    };
    words.end()?;
    Ok(command)
}

fn commit(words: &mut Words<'_>) -> Result<TransactionCommand> {
    words.take("WORK");
    if words.take("COMMENT") {
        // The text is for administrators of distributed transactions in doubt; there are none.
        text(words)?;
    }
    if words.next_is("FORCE") {
        return Err(words.unsupported("COMMIT"));
    }
    let mut options = WriteOptions::default();
    if words.take("WRITE") {
        loop {
            if options.no_wait.is_none() && (words.next_is("WAIT") || words.next_is("NOWAIT")) {
                options.no_wait = Some(words.next_is("NOWAIT"));
            } else if options.batch.is_none() && (words.next_is("IMMEDIATE") || words.next_is("BATCH")) {
                options.batch = Some(words.next_is("BATCH"));
            } else {
                break;
            }
            words.advance();
        }
        // A WRITE clause without WAIT or NOWAIT waits, whatever the parameters.
        options.no_wait.get_or_insert(false);
        options.batch.get_or_insert(false);
    }
    if !words.at_end() {
        return Err(words.error(2185, "what follows COMMIT is WORK, COMMENT or WRITE"));
    }
    Ok(TransactionCommand::Commit(options))
}

fn rollback(words: &mut Words<'_>) -> Result<TransactionCommand> {
    words.take("WORK");
    if words.next_is("FORCE") {
        return Err(words.unsupported("ROLLBACK"));
    }
    if words.take("TO") {
        // A savepoint may itself be called SAVEPOINT.
        if words.next_is("SAVEPOINT") && words.peek_at(1).is_some() {
            words.advance();
        }
        return Ok(TransactionCommand::Rollback(Some(words.identifier()?)));
    }
    if !words.at_end() {
        return Err(words.error(2181, "invalid option to ROLLBACK: it is WORK or TO a savepoint"));
    }
    Ok(TransactionCommand::Rollback(None))
}

fn set_transaction(words: &mut Words<'_>) -> Result<TransactionCommand> {
    if words.next_is("ROLE") || words.next_is("CONSTRAINT") || words.next_is("CONSTRAINTS") {
        return Err(words.unsupported("SET"));
    }
    if !words.take("TRANSACTION") {
        return Err(words.error(922, "missing or invalid option: SET TRANSACTION is expected"));
    }
    let mode = if words.take("READ") {
        if words.take("ONLY") {
            Mode::Isolation(Isolation::ReadOnly)
        } else if words.take("WRITE") {
            Mode::Usual
        } else {
            return Err(words.error(2178, "SET TRANSACTION READ is followed by ONLY or WRITE"));
        }
    } else if words.take("ISOLATION") {
        if !words.take("LEVEL") {
            return Err(words.error(2179, "what is expected is ISOLATION LEVEL SERIALIZABLE or READ COMMITTED"));
        }
        Mode::Isolation(isolation_level(words, 2179)?)
    } else if words.next_is("USE") {
        return Err(words.unsupported("SET TRANSACTION"));
    } else if words.next_is("NAME") {
        Mode::Usual
    } else {
        return Err(words.error(900, "SET TRANSACTION is followed by READ, ISOLATION LEVEL or NAME"));
    };
    if words.take("NAME") {
        // A label for monitoring, without effect.
        text(words)?;
    }
    Ok(TransactionCommand::SetTransaction(mode))
}

/// SERIALIZABLE or READ COMMITTED; `wrong` is the number of the error where neither is there.
pub(crate) fn isolation_level(words: &mut Words<'_>, wrong: u32) -> Result<Isolation> {
    if words.take("SERIALIZABLE") {
        Ok(Isolation::Serializable)
    } else if words.take("READ COMMITTED") {
        Ok(Isolation::ReadCommitted)
    } else {
        Err(words.error(wrong, "the isolation level is SERIALIZABLE or READ COMMITTED"))
    }
}

fn text(words: &mut Words<'_>) -> Result<String> {
    let place = words.offset();
    let text = words.string()?;
    if text.len() > TEXT_MAX {
        return Err(Error::user(972, format!("the text is longer than {TEXT_MAX} bytes")).at(place));
    }
    Ok(text)
}

fn lock_table(words: &mut Words<'_>) -> Result<TransactionCommand> {
    words.expect("TABLE")?;
    let mut tables = Vec::new();
    loop {
        tables.push(words.name()?);
        if words.next_is("PARTITION") || words.next_is("SUBPARTITION") {
            return Err(words.unsupported("LOCK TABLE"));
        }
        if !words.take_sign(&Token::Comma) {
            break;
        }
    }
    words.expect("IN")?;
    let mode = lock_mode(words)?;
    words.expect("MODE")?;
    Ok(TransactionCommand::LockTable { tables, mode, wait: wait(words, false)? })
}

fn lock_mode(words: &mut Words<'_>) -> Result<TableLock> {
    let modes = [
        ("ROW SHARE", TableLock::RowShare),
        ("SHARE UPDATE", TableLock::RowShare),
        ("ROW EXCLUSIVE", TableLock::RowExclusive),
        ("SHARE ROW EXCLUSIVE", TableLock::ShareRowExclusive),
        ("SHARE", TableLock::Share),
        ("EXCLUSIVE", TableLock::Exclusive),
    ];
    let found = modes.into_iter().find(|(text, _)| words.take(text));
    found
        .map(|(_, mode)| mode)
        .ok_or_else(|| words.error(1737, "the mode is [ROW] SHARE, [[SHARE] ROW] EXCLUSIVE or SHARE UPDATE"))
}

/// NOWAIT, WAIT n and, where rows are locked, SKIP LOCKED.
pub(super) fn wait(words: &mut Words<'_>, rows: bool) -> Result<LockWait> {
    if words.take("NOWAIT") {
        return Ok(LockWait::NoWait);
    }
    if words.take("WAIT") {
        let missing = words.error(30005, "missing or invalid WAIT interval");
        return match words.integer().map_err(|_| missing)? {
            0 => Ok(LockWait::NoWait),
            seconds => Ok(LockWait::Seconds(seconds)),
        };
    }
    if rows && words.take("SKIP LOCKED") {
        return Ok(LockWait::SkipLocked);
    }
    Ok(LockWait::Forever)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<TransactionCommand> {
        parse(&mut Words::new(text)?)
    }

    #[test]
    fn commits() {
        let write = |no_wait, batch| TransactionCommand::Commit(WriteOptions { no_wait, batch });
        for (text, expected) in [
            ("commit", write(None, None)),
            ("commit work", write(None, None)),
            ("commit comment 'for the record'", write(None, None)),
            ("commit write", write(Some(false), Some(false))),
            ("commit write nowait", write(Some(true), Some(false))),
            ("commit work write batch", write(Some(false), Some(true))),
            ("commit write immediate nowait", write(Some(true), Some(false))),
            ("commit write wait batch", write(Some(false), Some(true))),
        ] {
            assert_eq!(parsed(text).unwrap(), expected, "{text}");
        }
        assert!(parsed("commit write wait nowait").unwrap_err().is_ora(2185));
        assert!(parsed("commit now").unwrap_err().is_ora(2185));
        assert_eq!(parsed("commit force '1.2.3'").unwrap_err().number, common::Number::Hw(1));
    }

    #[test]
    fn rollbacks_and_savepoints() {
        let to = |name: &str| TransactionCommand::Rollback(Some(name.to_owned()));
        assert_eq!(parsed("rollback work").unwrap(), TransactionCommand::Rollback(None));
        assert_eq!(parsed("rollback to a").unwrap(), to("A"));
        assert_eq!(parsed("rollback work to savepoint \"a b\"").unwrap(), to("a b"));
        assert_eq!(parsed("rollback to savepoint").unwrap(), to("SAVEPOINT"));
        assert_eq!(parsed("savepoint s1").unwrap(), TransactionCommand::Savepoint("S1".to_owned()));
        assert!(parsed("rollback now").unwrap_err().is_ora(2181));
        assert!(parsed("rollback to a b").unwrap_err().is_ora(933));
    }

    #[test]
    fn set_transactions() {
        for (text, expected) in [
            ("set transaction read only", Mode::Isolation(Isolation::ReadOnly)),
            ("set transaction read write name 'x'", Mode::Usual),
            ("set transaction isolation level serializable", Mode::Isolation(Isolation::Serializable)),
            ("set transaction isolation level read committed name 'x'", Mode::Isolation(Isolation::ReadCommitted)),
            ("set transaction name 'x'", Mode::Usual),
        ] {
            assert_eq!(parsed(text).unwrap(), TransactionCommand::SetTransaction(expected), "{text}");
        }
        assert!(parsed("set transaction read").unwrap_err().is_ora(2178));
        assert!(parsed("set transaction isolation level dirty").unwrap_err().is_ora(2179));
        assert_eq!(parsed("set role none").unwrap_err().number, common::Number::Hw(1));
    }

    #[test]
    fn table_locks() {
        let lock = |text: &str| match parsed(text).unwrap() {
            TransactionCommand::LockTable { tables, mode, wait } => (tables.len(), mode, wait),
            other => panic!("{other:?}"),
        };
        assert_eq!(lock("lock table t in exclusive mode"), (1, TableLock::Exclusive, LockWait::Forever));
        assert_eq!(lock("lock table a.t, u in share row exclusive mode nowait").1, TableLock::ShareRowExclusive);
        assert_eq!(lock("lock table t in share update mode wait 5").2, LockWait::Seconds(5));
        assert_eq!(lock("lock table t in row share mode wait 0").2, LockWait::NoWait);
        assert_eq!(lock("lock table t in share mode").1, TableLock::Share);
        assert!(parsed("lock table t in any mode").unwrap_err().is_ora(1737));
        assert!(parsed("lock table t in share mode wait soon").unwrap_err().is_ora(30005));
        assert!(parsed("lock table t in share mode skip locked").unwrap_err().is_ora(933));
        assert!(parsed("lock table t").unwrap_err().is_ora(905));
    }
}
