//! ALTER and DROP of stored programs and triggers; CREATE is PL/SQL's (`plsql/program.rs`).

use common::Result;
use engine::dictionary::ProgramKind;

use super::command::{Command, ProgramCommand};
use crate::statement::words::Words;

/// The kind of program that the next words name, if they do. BODY is part of it.
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

/// What stands behind DROP, when it is a program's.
pub(crate) fn drop(words: &mut Words<'_>) -> Result<Option<Command>> {
    let Some(kind) = kind(words) else { return Ok(None) };
    let name = words.name()?;
    Ok(Some(Command::Program { kind, name, command: ProgramCommand::Drop }))
}

/// What stands behind ALTER, when it is a program's.
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
