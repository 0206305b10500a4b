//! A server of fixed answers, a console of fixed lines and a clock of fixed steps.

use std::cell::{Cell as Slot, RefCell};
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use common::{Clock, DataType, Error, ErrorKind, Number, Result};
use shell::{
    Binds, Cell, ColumnInfo, CompilationError, CompilationErrors, Console, DebugTarget, Done, Input, Logon, Outcome,
    Server,
};

/// Advances 10 ms with each reading.
#[derive(Debug, Default)]
pub(crate) struct StepClock(AtomicU64);

impl Clock for StepClock {
    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(10_000, Ordering::SeqCst)
    }

    /// Noon of 1970-01-02 in UTC: the same day nearly everywhere.
    fn wall_us(&self) -> u64 {
        36 * 3600 * 1_000_000
    }

    fn thread_cpu_us(&self) -> u64 {
        0
    }
}

/// Scripted input, and everything written; the input is echoed, as on a terminal.
pub(crate) struct Scripted {
    pub(crate) lines: VecDeque<String>,
    pub(crate) written: Rc<RefCell<String>>,
    pub(crate) fails: Rc<Slot<bool>>,
}

impl Scripted {
    pub(crate) fn new(lines: &[&str]) -> (Self, Rc<RefCell<String>>) {
        let written = Rc::new(RefCell::new(String::new()));
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        (Self { lines, written: Rc::clone(&written), fails: Rc::default() }, written)
    }
}

impl Console for Scripted {
    fn read(&mut self, _prompt: &str) -> io::Result<Input> {
        let Some(line) = self.lines.pop_front() else {
            self.written.borrow_mut().push('\n');
            return Ok(Input::End);
        };
        self.written.borrow_mut().push_str(&format!("{line}\n"));
        Ok(Input::Line(line))
    }

    fn read_hidden(&mut self, _prompt: &str) -> io::Result<Input> {
        self.written.borrow_mut().push('\n');
        Ok(self.lines.pop_front().map_or(Input::End, Input::Line))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        if self.fails.get() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        self.written.borrow_mut().push_str(text);
        Ok(())
    }
}

/// A server that knows a few tables by name and keeps a list of the calls made to it.
#[derive(Default)]
pub(crate) struct Mock {
    pub(crate) calls: Rc<RefCell<Vec<String>>>,
    user: Option<String>,
    rows: VecDeque<Result<Vec<Cell>>>,
    output: Vec<String>,
    output_on: bool,
    pub(crate) cancel: Arc<AtomicBool>,
    errors: CompilationErrors,
    /// NLS_NUMERIC_CHARACTERS of the session, once it has been altered.
    numeric: Option<String>,
    /// Number of requests for statistics.
    asked: u64,
}

/// The columns and rows of a table; a row may be an error.
type Table = (Vec<ColumnInfo>, Vec<Result<Vec<Cell>>>);

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn number(text: &str) -> Cell {
    Cell::Number(text.to_owned())
}

const NUMBER: DataType = DataType::Number { precision: None, scale: 0 };

fn varchar(bytes: u16) -> DataType {
    DataType::Varchar2 { bytes }
}

impl Mock {
    fn table(name: &str) -> Option<Table> {
        let table = match name {
            "dual" => (vec![ColumnInfo::new("DUMMY", varchar(1))], vec![vec![text("X")]]),
            "emp" => (
                vec![
                    ColumnInfo::new("EMPNO", DataType::Number { precision: Some(4), scale: 0 }).not_null(),
                    ColumnInfo::new("ENAME", varchar(10)),
                    ColumnInfo::new("HIREDATE", DataType::Date),
                    ColumnInfo::new("SAL", DataType::Number { precision: Some(7), scale: 2 }),
                    ColumnInfo::new("COMMISSION_PCT", DataType::Number { precision: Some(2), scale: 2 }),
                ],
                (0..7)
                    .map(|n| {
                        let commission = if n % 2 == 0 { Cell::Null } else { number(".25") };
                        vec![
                            number(&format!("{}", 7369 + n)),
                            text(&format!("NAME{n}")),
                            text("17-DEC-80"),
                            number(&format!("{}.5", n * 900)),
                            commission,
                        ]
                    })
                    .collect(),
            ),
            "numbers" => (
                vec![ColumnInfo::new("N", NUMBER), ColumnInfo::new("A_HEADING_WIDER_THAN_NUMWIDTH", NUMBER)],
                ["0", "-1.5", "123456789012", ".333333333333333333333333333333333333333", "1E-120", "12345.6789"]
                    .map(|n| vec![number(n), number(n)])
                    .to_vec(),
            ),
            "words" => (
                vec![ColumnInfo::new("ID", NUMBER), ColumnInfo::new("TEXT", varchar(200))],
                vec![
                    vec![
                        number("1"),
                        text("The quick brown fox jumps over the lazy dog, and over the low fence behind it as well"),
                    ],
                    vec![number("2"), text("two\nlines")],
                    vec![number("3"), Cell::Null],
                ],
            ),
            "sessions" => (
                vec![ColumnInfo::new("MYSID", NUMBER), ColumnInfo::new("PROGRAM", varchar(20))],
                vec![vec![number("42"), text("sqlplus")]],
            ),
            "staff" => (
                vec![
                    ColumnInfo::new("DEPTNO", NUMBER),
                    ColumnInfo::new("JOB", varchar(10)),
                    ColumnInfo::new("SAL", NUMBER),
                    ColumnInfo::new("COMM", NUMBER),
                ],
                [
                    ("10", "CLERK", "1300", ""),
                    ("10", "MANAGER", "2450.5", "10"),
                    ("20", "CLERK", "800", ""),
                    ("20", "CLERK", "1100", ""),
                    ("20", "", "3000", "20.25"),
                    ("30", "MANAGER", "2850", "1234.5"),
                ]
                .map(|(department, job, salary, commission)| {
                    let known =
                        |value: &str, cell: fn(&str) -> Cell| if value.is_empty() { Cell::Null } else { cell(value) };
                    vec![number(department), known(job, text), number(salary), known(commission, number)]
                })
                .to_vec(),
            ),
            "nothing" => (vec![ColumnInfo::new("A", NUMBER)], vec![]),
            "many" => (vec![ColumnInfo::new("N", NUMBER)], (1..=40).map(|n| vec![number(&n.to_string())]).collect()),
            "broken" => {
                let rows = vec![
                    Ok(vec![number("1")]),
                    Ok(vec![number("2")]),
                    Err(Error::user(1476, "a number is divided by zero")),
                ];
                return Some((vec![ColumnInfo::new("N", NUMBER)], rows));
            }
            "brokenatonce" => {
                return Some((
                    vec![ColumnInfo::new("N", NUMBER)],
                    vec![Err(Error::user(1476, "a number is divided by zero").at(14))],
                ));
            }
            _ => return None,
        };
        Some((table.0, table.1.into_iter().map(Ok).collect()))
    }

    fn block(&mut self, statement: &str, binds: &mut Binds) -> Result<Outcome> {
        for piece in statement.split("put_line('").skip(1) {
            if self.output_on {
                self.output.push(piece.split("')").next().unwrap_or("").replace("''", "'"));
            }
        }
        if let Some(at) = statement.find("raise") {
            return Err(Error::user(6510, "an exception of the block was not handled").at(at));
        }
        for assignment in statement.split([';', ' ']).filter(|part| part.starts_with(':')) {
            let (name, value) = assignment[1..].split_once(":=").unwrap_or((&assignment[1..], ""));
            let bind = binds.get_mut(name).ok_or_else(|| Error::user(1008, "a bind variable has no value"))?;
            bind.value = if let Some(quoted) = value.strip_prefix('\'') {
                text(quoted.trim_end_matches('\''))
            } else {
                number(value)
            };
        }
        Ok(Outcome::Done(Done::default()))
    }
}

impl Server for Mock {
    fn execute(&mut self, statement: &str, binds: &mut Binds) -> Result<Outcome> {
        self.calls.borrow_mut().push(format!("execute {statement}"));
        let lower = statement.to_lowercase();
        let first = lower
            .split_whitespace()
            .find(|word| !word.starts_with("/*") && !word.ends_with("*/"))
            .unwrap_or("")
            .to_owned();
        let rows = |n| Ok(Outcome::Done(Done { rows: Some(n), ..Done::default() }));
        match first.as_str() {
            "select" | "(select" | "with" => {
                let at = lower.find(" from ").map_or(0, |at| at + 6);
                let name: String = lower[at..].trim_start().chars().take_while(|c| c.is_alphanumeric()).collect();
                if name == "slow" {
                    // As in a real server: it checks the flag now and then.
                    self.cancel.store(true, Ordering::SeqCst);
                }
                if self.cancel.load(Ordering::SeqCst) {
                    return Err(Error::new(
                        ErrorKind::Cancelled,
                        Number::Ora(1013),
                        "the user cancelled the statement",
                    ));
                }
                let (columns, rows) = Self::table(&name).ok_or_else(|| {
                    Error::user(942, format!("table or view {} does not exist", name.to_uppercase())).at(at)
                })?;
                self.rows = rows.into();
                Ok(Outcome::Query(columns))
            }
            "insert" if lower.contains("one") => rows(1),
            "insert" => rows(303_666),
            "update" => rows(0),
            "delete" => rows(2),
            "begin" | "declare" => self.block(&lower, binds),
            "create" if lower.contains("bad") => {
                let error = CompilationError { line: 3, column: 5, text: "PLS-00201: NOPE is not declared".to_owned() };
                self.errors = CompilationErrors { program: "PACKAGE BODY BAD".to_owned(), errors: vec![error] };
                Ok(Outcome::Done(Done { compilation_errors: true, ..Done::default() }))
            }
            "rollback" => Err(Error::own(ErrorKind::User, 7, "there is no undo yet")),
            "bad" => Err(Error::user(900, "not a statement")),
            "alter" if lower.contains("closing") => Err(Error::user(1089, "the instance is being closed")),
            "alter" if lower.contains("closed") => Err(Error::user(1092, "the instance is closed")),
            "alter" if lower.contains("nls_numeric_characters") => {
                self.numeric = lower.split('\'').nth(1).map(str::to_owned);
                Ok(Outcome::Done(Done::default()))
            }
            _ => Ok(Outcome::Done(Done::default())),
        }
    }

    fn fetch(&mut self, rows: usize) -> Result<Vec<Vec<Cell>>> {
        self.calls.borrow_mut().push(format!("fetch {rows}"));
        let mut out = Vec::new();
        while out.len() < rows
            && let Some(row) = self.rows.pop_front()
        {
            out.push(row?);
        }
        Ok(out)
    }

    fn explain(&mut self, statement: &str, _: &Binds) -> Result<Vec<String>> {
        if statement.contains("nosuch") {
            return Err(Error::user(942, "table or view NOSUCH does not exist"));
        }
        Ok(vec!["Plan hash value: 1".to_owned(), String::new(), format!("| the plan of {statement} |")])
    }

    fn statistics(&mut self, names: &[&str]) -> Result<Vec<u64>> {
        self.asked += 1;
        Ok((1..=names.len() as u64).map(|number| number * self.asked).collect())
    }

    fn close(&mut self) {
        self.calls.borrow_mut().push("close".to_owned());
        self.rows.clear();
    }

    fn debug(&mut self, target: DebugTarget) -> Result<String> {
        match target {
            DebugTarget::Own => Ok("Statement processed.".to_owned()),
            DebugTarget::Process(99) => Err(Error::user(72, "process \"99\" is not active")),
            DebugTarget::Process(number) => Ok(format!("process {number}")),
            DebugTarget::Thread(number) => Ok(format!("thread {number}")),
        }
    }

    fn short_stack(&mut self) -> Result<String> {
        Ok("f()<-g()".to_owned())
    }

    fn describe(&mut self, object: &str) -> Result<Vec<ColumnInfo>> {
        Self::table(&object.to_lowercase())
            .map(|(columns, _)| columns)
            .ok_or_else(|| Error::user(4043, format!("object {object} does not exist")))
    }

    fn connect(&mut self, logon: &Logon) -> Result<()> {
        let (user, password) = match logon {
            Logon::Machine => ("system", None),
            Logon::Sysdba => ("sys", None),
            Logon::Named { user, password } => (user.as_str(), password.as_deref()),
        };
        self.calls.borrow_mut().push(format!("connect {user}"));
        if password == Some("wrong") {
            return Err(Error::user(1017, "user or password is wrong"));
        }
        self.user = Some(user.to_uppercase());
        Ok(())
    }

    fn disconnect(&mut self) -> Result<()> {
        self.calls.borrow_mut().push("disconnect".to_owned());
        Ok(())
    }

    fn user(&self) -> String {
        self.user.clone().unwrap_or_else(|| "SYSTEM".to_owned())
    }

    fn parameters(&mut self, like: &str) -> Result<Vec<(String, String, String)>> {
        let all = [
            ("db_block_size", "integer", "8192"),
            ("db_cache_size", "big integer", "64M"),
            ("nls_date_format", "string", "DD-MON-RR"),
            ("nls_numeric_characters", "string", self.numeric.as_deref().unwrap_or(".,")),
        ];
        Ok(all
            .iter()
            .filter(|(name, _, _)| name.contains(&like.to_lowercase()))
            .map(|(name, kind, value)| ((*name).to_owned(), (*kind).to_owned(), (*value).to_owned()))
            .collect())
    }

    fn errors(&mut self, _object: Option<(&str, &str)>) -> Result<CompilationErrors> {
        Ok(self.errors.clone())
    }

    fn cancel_handle(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    fn set_server_output(&mut self, on: bool) {
        self.output_on = on;
    }

    fn take_server_output(&mut self) -> Vec<String> {
        std::mem::take(&mut self.output)
    }

    fn version(&self) -> String {
        "a mock database".to_owned()
    }

    fn home_script(&self, path: &str, _: bool) -> Option<String> {
        (path == "rdbms/admin/known.sql").then(|| "prompt a script of the database's own, &1\n".to_owned())
    }
}
