//! The server of the shell: one connection to a database.
//!
//! The shell knows no engines and planners. It passes one statement at a time, without its terminator and with
//! substitution variables already replaced, and fetches rows as SQL*Plus does: one row first, then
//! [`arraysize`](crate::Settings) rows a call, so that a trace of the session shows the same calls.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{DataType, Error, Result};

use crate::bind::Binds;
use crate::logon::Logon;

/// A value as the shell shows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    Null,
    /// Decimal text with every significant digit, `-123.45` or `1.5E-120`; NUMWIDTH and COLUMN FORMAT decide how much
    /// is shown.
    Number(String),
    /// Anything else, already as text; dates by the session's NLS_DATE_FORMAT.
    Text(String),
}

/// A column of a query, or of a described table or view.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnInfo {
    pub name: String,
    pub data_type: DataType,
    pub nullable: bool,
    /// Most characters of a value on the screen, for anything but a number.
    pub width: usize,
}

impl ColumnInfo {
    /// A nullable column whose width follows from its type.
    #[must_use]
    pub fn new(name: impl Into<String>, data_type: DataType) -> Self {
        let width = match data_type {
            DataType::Number { .. } => 0,
            DataType::Varchar2 { bytes } | DataType::Char { bytes } => usize::from(bytes),
            DataType::Date => "DD-MON-RR".len(),
            DataType::Timestamp { .. } => 75,
            DataType::Raw { bytes } => usize::from(bytes) * 2,
        };
        Self { name: name.into(), data_type, nullable: true, width }
    }

    #[must_use]
    pub fn width(mut self, width: usize) -> Self {
        self.width = width;
        self
    }

    #[must_use]
    pub fn not_null(mut self) -> Self {
        self.nullable = false;
        self
    }
}

/// The result of a statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A query is open; its rows come through [`Server::fetch`].
    Query(Vec<ColumnInfo>),
    Done(Done),
}

/// A statement without rows.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Done {
    /// `INSERT`, `CREATE TABLE`, `COMMIT` …; when empty, the shell takes it from the statement's own words.
    pub verb: String,
    /// Rows inserted, updated, deleted or merged.
    pub rows: Option<u64>,
    /// A stored program was created but does not compile.
    pub compilation_errors: bool,
    /// Notices about clauses without effect, a line each.
    pub notices: Vec<String>,
}

/// A compilation error of a stored program, for SHOW ERRORS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompilationError {
    pub line: u32,
    pub column: u32,
    pub text: String,
}

/// The compilation errors of a stored program.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CompilationErrors {
    /// Kind and name: `PACKAGE BODY P`.
    pub program: String,
    pub errors: Vec<CompilationError>,
}

/// The mode of SHUTDOWN.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShutdownMode {
    /// When no session is left.
    Normal,
    /// At once; uncommitted changes are rolled back.
    Immediate,
    /// When every transaction has ended.
    Transactional,
    /// As a crash would: the next start recovers.
    Abort,
}

/// The session that ORADEBUG is to look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DebugTarget {
    /// The shell's own.
    Own,
    /// By V$PROCESS.PID.
    Process(u32),
    /// By the operating system's number, V$PROCESS.STID or SPID.
    Thread(u32),
}

/// One connection.
pub trait Server {
    /// Runs one SQL statement or PL/SQL block, without its terminator. An open query is closed first.
    ///
    /// # Errors
    /// Any error of it, with the byte offset in `statement` if known; after a cancel, of kind `Cancelled`.
    fn execute(&mut self, statement: &str, binds: &mut Binds) -> Result<Outcome>;

    /// Up to `rows` rows of the open query; fewer than asked for means that it has ended.
    ///
    /// # Errors
    /// When the query fails, which ends it; rows found in this call are lost.
    fn fetch(&mut self, rows: usize) -> Result<Vec<Vec<Cell>>>;

    /// The plan that a query or a change of rows would have now, line by line. Nothing is executed.
    ///
    /// # Errors
    /// The error of the statement.
    fn explain(&mut self, statement: &str, binds: &Binds) -> Result<Vec<String>> {
        let _ = (statement, binds);
        Err(Error::unsupported("SET AUTOTRACE EXPLAIN"))
    }

    /// The values of the session's statistics of these names, in their order. The call changes none of them.
    ///
    /// # Errors
    /// When there is no session, or no statistic of a name.
    fn statistics(&mut self, names: &[&str]) -> Result<Vec<u64>> {
        let _ = names;
        Err(Error::unsupported("SET AUTOTRACE STATISTICS"))
    }

    /// Closes the open query, if there is one.
    fn close(&mut self);

    /// Columns of a table or view, named as `NAME` or `OWNER.NAME`.
    ///
    /// # Errors
    /// ORA-04043 when there is none of that name.
    fn describe(&mut self, object: &str) -> Result<Vec<ColumnInfo>>;

    /// Connects; a user is named with a password.
    ///
    /// # Errors
    /// When the user is unknown, or has no password or another one; the shell is then not connected.
    fn connect(&mut self, logon: &Logon) -> Result<()>;

    /// # Errors
    /// When open work cannot be ended.
    fn disconnect(&mut self) -> Result<()>;

    /// Name of the connected user, as the dictionary spells it.
    fn user(&self) -> String;

    /// Name, type and value of the parameters whose names contain `like`, in order of name.
    ///
    /// # Errors
    /// When they cannot be read.
    fn parameters(&mut self, like: &str) -> Result<Vec<(String, String, String)>>;

    /// The session's NLS_NUMERIC_CHARACTERS: the decimal character, then the group separator. Asked for once a query.
    fn numeric_characters(&mut self) -> String {
        let named = self.parameters("nls_numeric_characters").unwrap_or_default().into_iter().next();
        named.map_or_else(|| ".,".to_owned(), |(_, _, value)| value)
    }

    /// Compilation errors of a stored program (`PROCEDURE`, `NAME`), or of the last one created.
    ///
    /// # Errors
    /// When they cannot be read.
    fn errors(&mut self, object: Option<(&str, &str)>) -> Result<CompilationErrors>;

    /// Set to true, it makes the running statement fail with ORA-01013. The shell clears it before each statement.
    fn cancel_handle(&self) -> Arc<AtomicBool>;

    /// SET SERVEROUTPUT: true when DBMS_OUTPUT keeps lines.
    fn set_server_output(&mut self, on: bool);

    /// The lines that DBMS_OUTPUT has kept, oldest first, and forgets.
    fn take_server_output(&mut self) -> Vec<String>;

    /// Closes the database and the connection.
    ///
    /// # Errors
    /// When the user lacks the privilege (ORA-01031) or has an open transaction (ORA-01097), and the connection stays;
    /// when the close fails.
    fn shutdown(&mut self, mode: ShutdownMode) -> Result<()> {
        let _ = mode;
        Err(Error::unsupported("SHUTDOWN"))
    }

    /// Opens the database that [`Server::shutdown`] has closed, or with `force` ends the running one as a crash would
    /// and opens it again. The user of the last connection is connected. Returns lines about the recovery.
    ///
    /// # Errors
    /// ORA-01081 when it is running; those of opening and connecting.
    fn startup(&mut self, force: bool) -> Result<Vec<String>> {
        let _ = force;
        Err(Error::unsupported("STARTUP"))
    }

    /// Chooses the session for ORADEBUG; returns its description.
    ///
    /// # Errors
    /// ORA-00072 when there is none; ORA-01031 without the privilege.
    fn debug(&mut self, target: DebugTarget) -> Result<String> {
        let _ = target;
        Err(Error::unsupported("ORADEBUG"))
    }

    /// The call stack of the chosen session, as one line.
    ///
    /// # Errors
    /// ORA-00074 when none was chosen; ORA-00072 when it has ended; when its stack cannot be had.
    fn short_stack(&mut self) -> Result<String> {
        Err(Error::unsupported("ORADEBUG"))
    }

    /// One line that names the database and its version.
    fn version(&self) -> String;

    /// The text of a script below `@?/`, such as `rdbms/admin/spreport.sql`, if the database has one. `asks`: its name
    /// was typed at a terminal, so the user can be asked.
    fn home_script(&self, path: &str, asks: bool) -> Option<String> {
        let _ = (path, asks);
        None
    }
}
