//! SHUTDOWN and STARTUP.

use common::{Error, Result};

use crate::command::{Line, sp2};
use crate::server::ShutdownMode;
use crate::settings::ServerOutput;
use crate::shell::{Flow, Shell};
use crate::words::Word;

/// `SHUTDOWN [NORMAL|IMMEDIATE|TRANSACTIONAL [LOCAL]|ABORT]`
pub(crate) fn shutdown(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let mode = match line.words.as_slice() {
        [] => ShutdownMode::Normal,
        [word] if word.is("normal") => ShutdownMode::Normal,
        [word] if word.is("immediate") => ShutdownMode::Immediate,
        [word] if word.is("abort") => ShutdownMode::Abort,
        [word] if word.is("transactional") => ShutdownMode::Transactional,
        [word, local] if word.is("transactional") && local.is("local") => ShutdownMode::Transactional,
        _ => return Err(sp2(717, "SHUTDOWN takes NORMAL, IMMEDIATE, TRANSACTIONAL or ABORT")),
    };
    if !shell.connected {
        return Err(sp2(640, "not connected"));
    }
    if let Err(error) = shell.server.shutdown(mode) {
        return Ok(said(shell, &error));
    }
    shell.connected = false;
    shell.predefine();
    if mode != ShutdownMode::Abort {
        shell.out.line("Database closed.\nDatabase dismounted.");
    }
    shell.out.line("Highwater instance shut down.");
    Ok(Flow::Next)
}

/// `STARTUP [FORCE] [OPEN [name]]`
pub(crate) fn startup(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let mut words: &[Word] = &line.words;
    let mut force = false;
    while let [word, rest @ ..] = words {
        match rest {
            _ if word.is("force") => force = true,
            _ if word.is("nomount") || word.is("mount") => {
                let why = "an embedded database is open or shut; there is no state between";
                return Err(Error::unsupported(format!("STARTUP {}: {why}", word.text.to_uppercase())));
            }
            // The database's name, which is ignored: there is one database.
            [] | [_] if word.is("open") => break,
            _ if ["restrict", "quiet", "upgrade", "exclusive", "parallel"].iter().any(|other| word.is(other)) => {
                return Err(Error::unsupported(format!("STARTUP {}", word.text.to_uppercase())));
            }
            _ if word.text.to_ascii_lowercase().starts_with("pfile") => {
                return Err(Error::unsupported("STARTUP PFILE; the parameter file is highwater.ora"));
            }
            _ => return Err(sp2(714, "STARTUP takes FORCE and OPEN")),
        }
        words = rest;
    }
    let lines = match shell.server.startup(force) {
        Ok(lines) => lines,
        Err(error) => return Ok(said(shell, &error)),
    };
    shell.connected = true;
    shell.predefine();
    shell.server.set_server_output(shell.settings.serveroutput != ServerOutput::Off);
    shell.out.line("Highwater instance started.\nDatabase mounted.");
    for line in lines {
        shell.out.line(&line);
    }
    shell.out.line("Database opened.");
    Ok(Flow::Next)
}

/// An error of the database, not of the command.
pub(super) fn said(shell: &mut Shell, error: &Error) -> Flow {
    shell.say_error(error);
    if !shell.connected {
        return Flow::Next;
    }
    shell.whenever(&shell.sql_error.clone(), error)
}
