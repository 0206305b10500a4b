//! ALTER and DROP of stored programs and triggers; `plsql/program.rs` has CREATE.

use common::Result;
use engine::dictionary::ProgramKind;

use super::command::{Command, ProgramCommand};
use crate::statement::words::Words;

/// The kind of program that the next words give, if any, with BODY.
fn kind(words: &mut Words<'_>) -> Option<ProgramKind> {
    [
        ("PACKAGE BODY", ProgramKind::PackageBody),
        ("PACKAGE", ProgramKind::Package),
        ("PROCEDURE", ProgramKind::Procedure),
        ("FUNCTION", ProgramKind::Function),
        ("TRIGGER", ProgramKind::Trigger),
    ]
    .into_iter()
    .find_map(|(word, kind)| words.take(word).then_some(kind))
}

/// Parses the words behind DROP, if they are about a program.
pub(crate) fn drop(words: &mut Words<'_>) -> Result<Option<Command>> {
    let Some(kind) = kind(words) else { return Ok(None) };
    let name = words.name()?;
    Ok(Some(Command::Program { kind, name, command: ProgramCommand::Drop }))
}

/// Parses the words behind ALTER, if they are about a program.
pub(crate) fn alter(words: &mut Words<'_>) -> Result<Option<Command>> {
    let Some(mut kind) = kind(words) else { return Ok(None) };
    let name = words.name()?;
    let command = if kind == ProgramKind::Trigger && words.take("ENABLE") {
        ProgramCommand::Enable(true)
    } else if kind == ProgramKind::Trigger && words.take("DISABLE") {
        ProgramCommand::Enable(false)
    } else {
        words.expect("COMPILE")?;
        let mut body = true;
        if kind == ProgramKind::Package {
            if words.take("BODY") {
                kind = ProgramKind::PackageBody;
            } else {
                body = !words.take("SPECIFICATION");
                words.take("PACKAGE");
            }
        }
        words.take("REUSE SETTINGS");
        ProgramCommand::Compile { body }
    };
    Ok(Some(Command::Program { kind, name, command }))
}
