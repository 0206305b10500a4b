//! CONNECT, DISCONNECT and DESCRIBE.

use common::{Error, Result};

use crate::command::{Line, sp2};
use crate::logon::Logon;
use crate::settings::ServerOutput;
use crate::shell::{Ending, Flow, Shell};

/// `CONNECT [user[/password][@database]] [AS SYSDBA|SYSOPER]`
pub(crate) fn connect(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    let mut words = line.words.iter();
    let logon = match words.next() {
        Some(word) => word.text.clone(),
        None => Shell::ask(&mut shell.out, "Enter user-name: ", "user", false)?,
    };
    let role: Vec<String> = words.map(|word| word.text.to_ascii_lowercase()).collect();
    let role: Vec<&str> = role.iter().map(String::as_str).collect();
    let privileged = match role.as_slice() {
        [] => false,
        ["as", "sysdba" | "sysoper"] => true,
        _ => return Err(sp2(306, "CONNECT takes user[/password], then AS SYSDBA or AS SYSOPER")),
    };
    let logon = Logon::parse(&logon, privileged).ok_or_else(|| sp2(306, "CONNECT: the user is missing"))?;
    // A refused log-on ends the session before it: the shell is then not connected.
    let made = match shell.with_password(logon) {
        Ok(logon) => shell.connect(&logon),
        Err(error) if shell.connected => shell.end_connection().and(Err(error)),
        Err(error) => Err(error),
    };
    match made {
        Ok(()) => {
            shell.out.line("Connected.");
            Ok(Flow::Next)
        }
        Err(error) => {
            shell.out.line(&format!("ERROR:\n{error}\n\n\nWarning: you are no longer connected."));
            Ok(shell.whenever(&shell.sql_error.clone(), &error))
        }
    }
}

pub(crate) fn disconnect(shell: &mut Shell, _line: &Line<'_>) -> Result<Flow> {
    if !shell.connected {
        return Err(sp2(640, "not connected"));
    }
    shell.end_connection()?;
    let version = shell.server.version();
    shell.out.line(&format!("Disconnected from {version}"));
    Ok(Flow::Next)
}

/// `DESCRIBE [owner.]object`
pub(crate) fn describe(shell: &mut Shell, line: &Line<'_>) -> Result<Flow> {
    if !shell.connected {
        return Err(sp2(640, "not connected"));
    }
    let [object] = line.words.as_slice() else {
        return Err(sp2(158, "DESCRIBE takes the name of a table or view"));
    };
    // A quoted name keeps its quotes: its case counts.
    let columns = match shell.server.describe(&line.rest[object.start..object.end]) {
        Ok(columns) => columns,
        Err(error) => {
            shell.out.line(&format!("ERROR:\n{error}\n\n"));
            return Ok(Flow::Next);
        }
    };
    // One blank before each part; the name takes what LINESIZE leaves beside the others.
    let line_width = shell.settings.linesize.min(160);
    let type_width = (line_width * 28 / 80).max(12);
    let name_width = line_width.saturating_sub(type_width + 8 + 3).max(10);
    let row =
        |name: &str, null: &str, kind: &str| format!(" {name:<name_width$} {null:<8} {kind}").trim_end().to_owned();
    shell.out.line(&row("Name", "Null?", "Type"));
    shell.out.line(&row(&"-".repeat(name_width), &"-".repeat(8), &"-".repeat(type_width)));
    for column in columns {
        let null = if column.nullable { "" } else { "NOT NULL" };
        shell.out.line(&row(&column.name, null, &column.data_type.to_string()));
    }
    shell.out.line("");
    Ok(Flow::Next)
}

impl Shell {
    /// Asks for the password of a user who is named without one.
    pub(crate) fn with_password(&mut self, logon: Logon) -> Result<Logon> {
        let Logon::Named { user, password: None } = logon else { return Ok(logon) };
        let password = Self::ask(&mut self.out, "Enter password: ", "password", true)?;
        Ok(Logon::Named { user, password: Some(password) })
    }

    /// Ends the connection there is, and makes another.
    pub(crate) fn connect(&mut self, logon: &Logon) -> Result<()> {
        if self.connected {
            self.end_work(Ending::Commit)?;
        }
        let made = self.server.connect(logon);
        self.connected = made.is_ok();
        self.predefine();
        if self.connected {
            self.server.set_server_output(self.settings.serveroutput != ServerOutput::Off);
        }
        made
    }

    fn end_connection(&mut self) -> Result<(), Error> {
        self.end_work(Ending::Commit)?;
        self.connected = false;
        self.server.disconnect()
    }
}
