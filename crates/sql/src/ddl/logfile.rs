//! ALTER DATABASE ADD and DROP LOGFILE.

use common::Result;
use engine::instance::NewLogGroup;
use sqlparser::tokenizer::Token;

use super::command::Command;
use crate::statement::words::Words;

/// A group of the redo log, by its number or by the names of all its members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LogGroup {
    Number(u32),
    Members(Vec<String>),
}

/// A change of the redo log's files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LogfileChange {
    AddGroups(Vec<NewLogGroup>),
    AddMembers { files: Vec<String>, reuse: bool, to: LogGroup },
    DropGroups(Vec<LogGroup>),
    DropMembers(Vec<String>),
}

/// Parses the clauses behind ADD LOGFILE.
pub(super) fn add(words: &mut Words<'_>) -> Result<Command> {
    if words.next_is("THREAD") || words.next_is("INSTANCE") {
        return Err(words.unsupported("ADD LOGFILE"));
    }
    if words.take("MEMBER") {
        let (mut files, mut reuse) = (Vec::new(), false);
        loop {
            files.push(words.string()?);
            reuse |= words.take("REUSE");
            if !words.take_sign(&Token::Comma) {
                break;
            }
        }
        words.expect("TO")?;
        return Ok(Command::AlterLogfile(LogfileChange::AddMembers { files, reuse, to: group(words)? }));
    }
    let mut groups = Vec::new();
    loop {
        let number = if words.take("GROUP") { Some(number(words)?) } else { None };
        // The database names the files of a group without any.
        let named = matches!(words.peek().map(|word| &word.token), Some(Token::SingleQuotedString(_) | Token::LParen));
        let members = if named { members(words)? } else { Vec::new() };
        let bytes = if words.take("SIZE") { Some(words.size()?) } else { None };
        if words.next_is("BLOCKSIZE") {
            return Err(words.unsupported("ADD LOGFILE"));
        }
        groups.push(NewLogGroup { number, members, bytes, reuse: words.take("REUSE") });
        if !words.take_sign(&Token::Comma) {
            return Ok(Command::AlterLogfile(LogfileChange::AddGroups(groups)));
        }
    }
}

/// Parses the clauses behind DROP LOGFILE.
pub(super) fn drop(words: &mut Words<'_>) -> Result<Command> {
    let member = words.take("MEMBER");
    let (mut files, mut groups) = (Vec::new(), Vec::new());
    loop {
        if member {
            files.push(words.string()?);
        } else {
            groups.push(group(words)?);
        }
        if !words.take_sign(&Token::Comma) {
            break;
        }
    }
    let change = if member { LogfileChange::DropMembers(files) } else { LogfileChange::DropGroups(groups) };
    Ok(Command::AlterLogfile(change))
}

fn group(words: &mut Words<'_>) -> Result<LogGroup> {
    if words.take("GROUP") { Ok(LogGroup::Number(number(words)?)) } else { Ok(LogGroup::Members(members(words)?)) }
}

/// A group's number; one that is too large for any group is the largest.
fn number(words: &mut Words<'_>) -> Result<u32> {
    Ok(u32::try_from(words.integer()?).unwrap_or(u32::MAX))
}

/// `'file'` or `('file', …)`.
fn members(words: &mut Words<'_>) -> Result<Vec<String>> {
    if !words.take_sign(&Token::LParen) {
        return Ok(vec![words.string()?]);
    }
    let mut files = vec![words.string()?];
    while words.take_sign(&Token::Comma) {
        files.push(words.string()?);
    }
    words.expect_sign(&Token::RParen)?;
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> LogfileChange {
        match crate::ddl::parse::parse(text).unwrap().0 {
            Command::AlterLogfile(change) => change,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn groups_and_members() {
        let text = "alter database add logfile group 4 ('a', 'b') size 50m reuse, 'c' size 1m";
        let LogfileChange::AddGroups(groups) = parsed(text) else { panic!() };
        assert_eq!((groups[0].number, groups[0].members.len(), groups[0].bytes), (Some(4), 2, Some(50 << 20)));
        assert_eq!((groups[1].number, groups[1].members.len(), groups[1].reuse), (None, 1, false));
        assert_eq!(
            parsed("alter database add logfile member 'x' reuse to group 2"),
            LogfileChange::AddMembers { files: vec!["x".to_owned()], reuse: true, to: LogGroup::Number(2) }
        );
        let LogfileChange::DropGroups(groups) = parsed("alter database drop logfile group 1, 'b'") else { panic!() };
        assert_eq!(groups, [LogGroup::Number(1), LogGroup::Members(vec!["b".to_owned()])]);
        assert_eq!(
            parsed("alter database drop logfile member 'x', 'y'"),
            LogfileChange::DropMembers(vec!["x".to_owned(), "y".to_owned()])
        );
        let LogfileChange::AddGroups(groups) = parsed("alter database add logfile, group 9 size 4m") else { panic!() };
        assert_eq!(
            groups.iter().map(|group| (group.number, group.bytes)).collect::<Vec<_>>(),
            [(None, None), (Some(9), Some(4 << 20))]
        );
    }
}
