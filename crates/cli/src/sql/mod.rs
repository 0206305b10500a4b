//! `highwater sql`: the shell on a database in a directory of this machine.

mod debug;
mod embedded;
mod home;
mod logon;
pub(crate) mod running;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Clock, Error, ErrorKind, Number, Result, SystemClock};
use shell::{Console, Logon, Options, Pipe, Terminal};

use crate::command_line::Sql;
use crate::failure::{self, Outcome};
use embedded::Embedded;
use running::Running;

/// The default directory of the database.
const DATA: &str = "highwater-data";
/// The logons of a new database.
const NO_PASSWORDS: &str = "SYSTEM and SYS have no password: until ALTER USER … IDENTIFIED BY sets one, nobody logs on by these names.\n\
                            Who may open the database's files works as SYSTEM (/) and as SYS (/ AS SYSDBA).";
/// File in the home directory that keeps the lines typed.
const HISTORY: &str = ".highwater_history";

pub(crate) fn run(arguments: &Sql) -> Result<Outcome> {
    let (logon, script) = logon::parse(&arguments.words)?;
    // From here on a signal must not end the process: a database that is not closed has to be recovered.
    shell::interrupt::install()
        .map_err(|error| Error::own(ErrorKind::OutOfResource, 5, format!("signals cannot be handled: {error}")))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let directory = arguments.data.clone().unwrap_or_else(|| PathBuf::from(DATA));
    let running = Running::new(&directory, &clock);
    if let Some(path) = &arguments.capture {
        running.capture(path)?;
    }
    let (made, recovered) = running.open_or_create().inspect_err(|_| {
        if let Some(path) = &arguments.capture {
            // Nothing is in it.
            let _ = std::fs::remove_file(path);
        }
    })?;
    if made && !arguments.silent {
        let line = format!("A new database was created in {}.\n{NO_PASSWORDS}\n", directory.display());
        failure::written(io::stdout().write_all(line.as_bytes()))?;
    }
    for line in recovered {
        failure::say(&line);
    }
    let closing = Arc::clone(&running);
    shell::interrupt::on_termination(move || {
        if let Err(error) = closing.shut_down() {
            failure::say(&failure::one_line(&error.to_string()));
        }
        if let Err(error) = closing.finish_capture() {
            failure::say(&format!("capture: {error}"));
        }
    });
    let ran = session(&running, &clock, arguments.silent, logon, script);
    let closed = running.close();
    for line in running.lateness() {
        failure::say(&line);
    }
    let captured = running.finish_capture();
    let code = ran?;
    closed?;
    captured.map_err(|error| failure::file(arguments.capture.as_deref().unwrap_or(Path::new("")), &error))?;
    Ok(Outcome(code))
}

fn session(
    running: &Arc<Running>,
    clock: &Arc<dyn Clock>,
    silent: bool,
    logon: Logon,
    script: Option<logon::Script>,
) -> Result<u8> {
    let server = Embedded::new(running);
    let console: Box<dyn Console> = if io::stdin().is_terminal() && io::stdout().is_terminal() {
        let history = std::env::home_dir().map(|home| home.join(HISTORY));
        Box::new(Terminal::new(history).map_err(|error| terminal(&error))?)
    } else {
        Box::new(Pipe::new().map_err(|error| terminal(&error))?)
    };
    Ok(shell::run(Box::new(server), console, Arc::clone(clock), Options { silent, logon, script }))
}

/// The error of a directory that cannot be locked.
pub(crate) fn locked(directory: &Path, error: &io::Error) -> Error {
    let directory = directory.display();
    let text = match error.kind() {
        io::ErrorKind::WouldBlock => format!("the database in {directory} is in use by another process"),
        _ => format!("{directory}: {error}"),
    };
    Error::new(ErrorKind::User, Number::Ora(1102), text)
}

fn terminal(error: &io::Error) -> Error {
    Error::own(ErrorKind::Io, 2, format!("terminal: {error}"))
}
