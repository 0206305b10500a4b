//! The shell's server: a connection to a database in this process.
//!
//! A statement is one cursor: parsed, its bind variables set, executed, fetched from, closed before the next. A panic
//! below is an internal error of that statement: the shell goes on, so that the database can be closed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use common::sync::Arc;
use common::sync::atomic::AtomicBool;
use common::{DataType, Error, Result};
use engine::dictionary::SystemPrivilege;
use scalar::DateTime;
use shell::{
    Binds, Cell, ColumnInfo, CompilationError, CompilationErrors, DebugTarget, Done, Logon, Outcome, Server,
    ShutdownMode,
};
use sql::{ColumnDescription, Connection, CursorNumber, Datum};
use storage::parameters::{Parameter, ParameterType, Value};

use super::debug;
use super::running::Running;

pub(super) struct Embedded {
    running: Arc<Running>,
    connection: Option<Connection>,
    /// Of the last connection.
    logon: Logon,
    /// The cursor of the open query.
    cursor: Option<CursorNumber>,
    /// The next fetch is the first one, which goes with its execution.
    first_fetch: bool,
    /// The session chosen by ORADEBUG, by its ids.
    debugged: Option<(u32, u32)>,
}

impl Embedded {
    /// A server without a connection: the shell's first log-on makes one.
    pub(super) fn new(running: &Arc<Running>) -> Self {
        Self {
            running: Arc::clone(running),
            connection: None,
            logon: Logon::default(),
            cursor: None,
            first_fetch: false,
            debugged: None,
        }
    }

    fn connection(&mut self) -> Result<&mut Connection> {
        self.connection.as_mut().ok_or_else(|| Error::user(1012, "not logged on"))
    }

    fn run(connection: &mut Connection, cursor: CursorNumber, statement: &str, binds: &mut Binds) -> Result<Outcome> {
        for bind in binds.iter().filter(|bind| names(statement, &bind.name)) {
            connection.bind(cursor, &bind.name, datum(&bind.value, bind.data_type)?)?;
        }
        let executed = connection.execute(cursor)?;
        if executed.is_query {
            let columns = connection.describe(cursor)?;
            return Ok(Outcome::Query(columns.iter().map(|column| info(connection, column)).collect()));
        }
        for (name, value) in connection.returned(cursor)? {
            let value = cell(connection, value)?;
            if let Some(bind) = binds.get_mut(&name) {
                bind.value = for_type(value, bind.data_type)?;
            }
        }
        Ok(Outcome::Done(Done {
            verb: executed.verb.to_owned(),
            rows: executed.rows,
            compilation_errors: executed.compilation_errors,
            notices: connection.take_notices(),
        }))
    }
}

/// The user that the machine's user is.
const MACHINE_USER: &str = "SYSTEM";
const SYSDBA_USER: &str = "SYS";

/// Connects a session. The operating system's user has opened the files and needs no password; a named user does.
fn connected(running: &Running, logon: &Logon) -> Result<Connection> {
    let (user, password) = match logon {
        Logon::Machine => (MACHINE_USER, None),
        Logon::Sysdba => (SYSDBA_USER, None),
        // No user has an empty password, so a missing one is refused.
        Logon::Named { user, password } => (user.as_str(), Some(password.as_deref().unwrap_or_default())),
    };
    running.database()?.connect(user, password)
}

/// Runs `work` and turns a panic into ORA-00600.
fn caught<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        Err(Error::bug(format!("panic: {text}")))
    })
}

/// True: `:name` occurs in the statement.
fn names(statement: &str, name: &str) -> bool {
    let (text, name) = (statement.to_ascii_lowercase(), name.to_ascii_lowercase());
    text.match_indices(':').any(|(at, _)| {
        let rest = text[at + 1..].trim_start();
        rest.strip_prefix(name.as_str())
            .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#')))
    })
}

fn datum(value: &Cell, data_type: DataType) -> Result<Datum> {
    Ok(match (value, data_type) {
        (Cell::Null, _) => Datum::Null,
        (Cell::Number(text) | Cell::Text(text), DataType::Number { .. }) => Datum::Number(format::number::parse(text)?),
        (Cell::Number(text) | Cell::Text(text), DataType::Char { .. }) => Datum::character(text.clone()),
        (Cell::Number(text) | Cell::Text(text), _) => Datum::varchar2(text.clone()),
    })
}

/// A value in the form of a bind variable of a type.
fn for_type(value: Cell, data_type: DataType) -> Result<Cell> {
    let (Cell::Number(text) | Cell::Text(text)) = value else { return Ok(Cell::Null) };
    let most = match data_type {
        DataType::Number { .. } => return Ok(Cell::Number(format::number::parse(&text)?.to_string())),
        DataType::Char { bytes } | DataType::Varchar2 { bytes } => bytes,
        _ => return Ok(Cell::Text(text)),
    };
    if text.len() > usize::from(most) {
        return Err(Error::user(
            6502,
            format!("numeric or value error: {} bytes for a variable of {most}", text.len()),
        ));
    }
    Ok(Cell::Text(text))
}

fn info(connection: &Connection, column: &ColumnDescription) -> ColumnInfo {
    let info = ColumnInfo::new(column.name.clone(), column.data_type);
    // As wide as the longest names of day and month make it.
    let widest = DateTime { hour: 23, minute: 59, second: 59, ..DateTime::midnight(2000, 9, 27) };
    let sample = match column.data_type {
        DataType::Date => Some(Datum::Date(widest.date())),
        DataType::Timestamp { .. } => Some(Datum::Timestamp(widest.timestamp())),
        _ => None,
    };
    let width = sample.and_then(|sample| connection.text(&sample).ok()).map(|text| text.chars().count());
    let info = match width {
        Some(width) => info.width(width),
        None => info,
    };
    if column.nullable { info } else { info.not_null() }
}

fn cell(connection: &Connection, value: Datum) -> Result<Cell> {
    Ok(match value {
        Datum::Null => Cell::Null,
        Datum::Number(number) => Cell::Number(number.to_string()),
        Datum::Varchar2(text) | Datum::Char(text) => Cell::Text(text),
        other => Cell::Text(connection.text(&other)?),
    })
}

/// Bytes of a value sent, with one for its length.
fn sent_bytes(cell: &Cell) -> u64 {
    match cell {
        Cell::Null => 1,
        Cell::Number(text) | Cell::Text(text) => 1 + text.len() as u64,
    }
}

/// A number of bytes with the largest suffix without loss.
fn bytes(number: i64) -> String {
    for (suffix, shift) in [('G', 30), ('M', 20), ('K', 10)] {
        if number != 0 && number % (1 << shift) == 0 {
            return format!("{}{suffix}", number >> shift);
        }
    }
    number.to_string()
}

impl Server for Embedded {
    fn execute(&mut self, statement: &str, binds: &mut Binds) -> Result<Outcome> {
        self.close();
        let running = Arc::clone(&self.running);
        let connection = self.connection()?;
        running.mark(connection.session().meter().sid(), statement);
        let cursor = caught(|| connection.parse(statement))?;
        let outcome = caught(|| Self::run(connection, cursor, statement, binds));
        connection.count_message(statement.len() as u64);
        if matches!(outcome, Ok(Outcome::Query(_))) {
            self.cursor = Some(cursor);
            self.first_fetch = true;
        } else {
            connection.close(cursor);
        }
        outcome
    }

    fn fetch(&mut self, rows: usize) -> Result<Vec<Vec<Cell>>> {
        let Some(cursor) = self.cursor else { return Ok(Vec::new()) };
        let first = std::mem::take(&mut self.first_fetch);
        let connection = self.connection()?;
        let fetched = caught(|| connection.fetch(cursor, rows));
        if !first {
            connection.count_message(0);
        }
        let row = |row: Vec<Datum>| row.into_iter().map(|value| cell(connection, value)).collect();
        let rows: Vec<Vec<Cell>> = fetched?.rows.into_iter().map(row).collect::<Result<_>>()?;
        connection.count_sent(rows.iter().flatten().map(sent_bytes).sum());
        Ok(rows)
    }

    fn explain(&mut self, statement: &str, binds: &Binds) -> Result<Vec<String>> {
        let connection = self.connection()?;
        let values = binds
            .iter()
            .filter(|bind| names(statement, &bind.name))
            .map(|bind| Ok((bind.name.to_uppercase(), datum(&bind.value, bind.data_type)?)))
            .collect::<Result<Vec<_>>>()?;
        caught(|| connection.explain(statement, &values))
    }

    fn statistics(&mut self, names: &[&str]) -> Result<Vec<u64>> {
        let connection = self.connection()?;
        names
            .iter()
            .map(|name| connection.statistic(name).ok_or_else(|| Error::bug(format!("no statistic {name}"))))
            .collect()
    }

    fn close(&mut self) {
        if let (Some(cursor), Some(connection)) = (self.cursor.take(), &mut self.connection) {
            connection.close(cursor);
        }
    }

    fn describe(&mut self, object: &str) -> Result<Vec<ColumnInfo>> {
        let connection = self.connection()?;
        let columns = caught(|| connection.describe_object(object))?;
        Ok(columns.iter().map(|column| info(connection, column)).collect())
    }

    fn connect(&mut self, logon: &Logon) -> Result<()> {
        self.disconnect()?;
        self.connection = Some(connected(&self.running, logon)?);
        self.logon = logon.clone();
        Ok(())
    }

    fn disconnect(&mut self) -> Result<()> {
        self.close();
        self.debugged = None;
        self.connection = None;
        Ok(())
    }

    fn user(&self) -> String {
        self.connection.as_ref().map(Connection::user).unwrap_or_default()
    }

    fn parameters(&mut self, like: &str) -> Result<Vec<(String, String, String)>> {
        let like = like.to_ascii_lowercase();
        let connection = self.connection()?;
        let session = connection.session();
        let matching = Parameter::ALL.into_iter().filter(|parameter| parameter.name().contains(&like));
        Ok(matching
            .map(|parameter| {
                let kind = parameter.definition().parameter_type;
                let value = match (session.parameters().value(parameter), kind) {
                    (Value::Integer(number), ParameterType::BigInteger) => bytes(number),
                    (value, _) => value.to_string(),
                };
                (parameter.name().to_owned(), kind.to_string(), value)
            })
            .collect())
    }

    fn errors(&mut self, object: Option<(&str, &str)>) -> Result<CompilationErrors> {
        let connection = self.connection()?;
        let program = match object {
            Some((kind, name)) => Some((kind.to_owned(), name.to_uppercase())),
            None => connection.last_compiled(),
        };
        let errors = connection
            .program_errors(object)?
            .into_iter()
            .map(|error| CompilationError { line: error.line, column: error.position, text: error.text })
            .collect();
        Ok(CompilationErrors {
            program: program.map_or_else(String::new, |(kind, name)| format!("{kind} {name}")),
            errors,
        })
    }

    fn cancel_handle(&self) -> Arc<AtomicBool> {
        self.connection.as_ref().map_or_else(Arc::default, Connection::cancel_handle)
    }

    fn set_server_output(&mut self, on: bool) {
        match &mut self.connection {
            Some(connection) if on => connection.enable_output(None),
            Some(connection) => connection.disable_output(),
            None => {}
        }
    }

    fn take_server_output(&mut self) -> Vec<String> {
        self.connection.as_mut().map(Connection::take_output).unwrap_or_default()
    }

    fn shutdown(&mut self, mode: ShutdownMode) -> Result<()> {
        self.close();
        let connection = self.connection()?;
        let session = connection.session();
        session.catalog().check_system_privilege(&session.user(), SystemPrivilege::AlterDatabase)?;
        match mode {
            ShutdownMode::Abort => {
                // First of all, so that the end of the connection rolls nothing back.
                self.running.database()?.instance().abort();
                self.connection = None;
                self.running.abandon();
                return Ok(());
            }
            ShutdownMode::Normal | ShutdownMode::Transactional if session.in_transaction() => {
                let text = "cannot shutdown while in a transaction - commit or rollback first";
                return Err(Error::user(1097, text));
            }
            // The only session ends here.
            ShutdownMode::Normal | ShutdownMode::Transactional | ShutdownMode::Immediate => {}
        }
        self.connection = None;
        self.running.close()
    }

    fn startup(&mut self, force: bool) -> Result<Vec<String>> {
        if let Ok(database) = self.running.database() {
            if !force {
                return Err(Error::user(1081, "cannot start already-running instance - shut it down first"));
            }
            drop(database);
            if self.connection.is_none() {
                // Without a log-on there is no user to check.
                return Err(Error::user(1012, "not logged on"));
            }
            self.shutdown(ShutdownMode::Abort)?;
        }
        let lines = self.running.open()?;
        self.connection = Some(connected(&self.running, &self.logon)?);
        Ok(lines)
    }

    fn debug(&mut self, target: DebugTarget) -> Result<String> {
        let (found, said) = debug::find(self.connection()?.session(), target)?;
        self.debugged = Some(found);
        Ok(said)
    }

    fn short_stack(&mut self) -> Result<String> {
        let target = self.debugged;
        let session = self.connection()?.session();
        let target = target.ok_or_else(|| Error::user(74, "no process has been specified; ORADEBUG SETMYPID"))?;
        caught(|| debug::short_stack(session, target))
    }

    fn home_script(&self, path: &str, asks: bool) -> Option<String> {
        super::home::script(path, asks)
    }

    fn version(&self) -> String {
        format!("Highwater Database Release {}", env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bind_variables_are_found_by_name() {
        assert!(names("select :x from dual", "X"));
        assert!(names("select : Ab+1 from dual", "ab"));
        assert!(!names("select :xy, x from dual", "x"));
    }

    #[test]
    fn panics_are_errors() {
        let error = caught::<()>(|| panic!("lost {}", "it")).unwrap_err();
        assert!(error.is_ora(600) && error.text.contains("lost it"));
        assert_eq!(caught(|| Ok(1)).unwrap(), 1);
    }

    #[test]
    fn sizes_have_suffixes() {
        assert_eq!(
            (bytes(64 << 20), bytes(1 << 30), bytes(1500), bytes(0)),
            ("64M".into(), "1G".into(), "1500".into(), "0".into())
        );
    }
}
