//! The two sides: a Highwater database in memory, and a PostgreSQL server.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use common::{Error, Number, Result, SystemClock};
use device::{FileSystem, MemoryFileSystem};
use engine::instance::Instance;
use engine::startup::CreateOptions;
use peer::{Installation, Postgres, failure};
use postgres::SimpleQueryMessage;
use postgres::error::SqlState;
use sql::{Connection, Database};

use crate::text::Dialect;
use crate::tree::ExpressionType;

/// The class of a refusal, as far as both sides can tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    /// A subquery of one row gave several.
    SeveralRows,
    DivisionByZero,
    Unique,
    NotNull,
    Check,
    ForeignKey,
    TooLong,
    Precision,
    /// A text would be longer than Oracle's texts may be; the peer's have no such limit.
    TextLimit,
    /// The side does not support the statement: Highwater says HW-0001, the peer that it has no such feature.
    Unsupported,
    Other,
}

impl Class {
    /// True: it depends on the order in which rows and operands are evaluated, which SQL leaves open.
    pub(crate) fn depends_on_order(self) -> bool {
        matches!(self, Self::SeveralRows | Self::DivisionByZero)
    }

    pub(crate) fn is_constraint(self) -> bool {
        matches!(self, Self::Unique | Self::NotNull | Self::Check | Self::ForeignKey | Self::TooLong | Self::Precision)
    }
}

pub(crate) type Row = Vec<Option<String>>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    Rows(Vec<Row>),
    /// Rows that were changed.
    Changed(u64),
    Refused(Class, String),
}

/// A number with no more digits than it needs.
fn plain(number: &str) -> String {
    let (negative, digits) = number.strip_prefix('-').map_or((false, number), |rest| (true, rest));
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let Ok(exponent) = exponent.parse::<i32>() else { return number.to_owned() };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut all = format!("{whole}{fraction}");
    let mut point = whole.len() as i32 + exponent;
    while point > all.len() as i32 {
        all.push('0');
    }
    while point < 0 {
        all.insert(0, '0');
        point += 1;
    }
    let (whole, fraction) = all.split_at(point as usize);
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    let text = if fraction.is_empty() { whole.to_owned() } else { format!("{whole}.{fraction}") };
    if negative && text != "0" { format!("-{text}") } else { text }
}

fn value(kinds: &[ExpressionType], at: usize, text: &str) -> String {
    if kinds.get(at) == Some(&ExpressionType::Number) { plain(text) } else { text.to_owned() }
}

pub(crate) trait Side {
    fn dialect(&self) -> Dialect;

    /// A query and the types of its columns.
    fn query(&mut self, text: &str, kinds: &[ExpressionType]) -> Answer;

    /// A change of rows; a failed one is rolled back, and the transaction goes on.
    fn change(&mut self, text: &str) -> Answer;

    /// Ends a transaction, or sets a savepoint or rolls back to it.
    fn transaction(&mut self, text: &str) -> Result<()>;

    /// Runs DDL, outside of transactions.
    fn define(&mut self, text: &str) -> Result<()>;
}

/// Rows of a fetch.
const FETCHED_ROWS: usize = 500;
/// Executions of a query by one cursor: the last ones have what is kept of those before them.
const EXECUTIONS: usize = 3;

/// How Highwater's statements are carried out.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Way {
    /// Queries are executed several times by one cursor.
    #[default]
    Usual,
    /// Each statement goes through the planner, also one that would have a way of its own, and queries are executed
    /// once.
    Planned,
    /// Tables are on a storage cell, which carries out all full scans; queries are executed once.
    Offloaded,
}

/// Has tables made on the cell, and full scans read past the cache.
const ON_CELLS: [&str; 4] = [
    "create diskgroup cells external redundancy disk 'cell01/DISK*' attribute 'cell.smart_scan_capable' = 'TRUE'",
    "create tablespace on_cells datafile '+CELLS' size 16m autoextend on",
    "alter user system default tablespace on_cells",
    "alter system set \"_serial_direct_read\" = always scope = memory",
];

fn make_cell(files: &dyn FileSystem) -> std::io::Result<()> {
    let cell = Path::new(DIRECTORY).join("cell01");
    files.create_directory(Path::new(DIRECTORY))?;
    files.create_directory(&cell)?;
    files.create(&cell.join("cell.toml"), 0)?;
    (0..3).try_for_each(|disk| files.create(&cell.join(format!("DISK{disk}")), 1 << 30).map(drop))
}

/// Where the database is.
const DIRECTORY: &str = "/database";

pub(crate) struct Ours {
    connection: Connection,
    executions: usize,
}

impl Ours {
    /// A new database.
    pub(crate) fn start(way: Way) -> Result<Self> {
        let parameters = vec![("db_cache_size".to_owned(), "64M".to_owned())];
        let options = CreateOptions { parameters, ..CreateOptions::default() };
        let files: Arc<dyn FileSystem> = Arc::new(MemoryFileSystem::default());
        if way == Way::Offloaded {
            make_cell(&*files).map_err(|error| failure("a cell", error))?;
        }
        let instance = Instance::create(files, Path::new(DIRECTORY), Arc::new(SystemClock::default()), None, &options)?;
        let mut connection = Database::new(instance).connect("system", None)?;
        connection.run("alter session set nls_date_format = 'YYYY-MM-DD HH24:MI:SS'")?;
        match way {
            Way::Usual => {}
            Way::Planned => {
                connection.run("alter system set \"_direct_execution\" = false scope = memory")?;
            }
            Way::Offloaded => {
                for statement in ON_CELLS {
                    connection.run(statement)?;
                }
            }
        }
        Ok(Self { connection, executions: if way == Way::Usual { EXECUTIONS } else { 1 } })
    }

    /// Scans that cells have carried out.
    pub(crate) fn scans_by_cells(&self) -> u64 {
        self.connection.statistic("cell scans").unwrap_or_default()
    }

    /// The weight of an index's cost in percent. With 1, joins are loops wherever an index leads, and whole indexes are
    /// read in their order; with 10,000 they are read block by block; of tables of few rows costs alone would hardly
    /// ever have it so.
    pub(crate) fn weigh_indexes(&mut self, weight: u32) -> Result<()> {
        self.connection.run(&format!("alter session set optimizer_index_cost_adj = {weight}")).map(drop)
    }

    /// Gathers the statistics of a table; without those of its indexes, they are read by ranges alone.
    pub(crate) fn gather(&mut self, table: &str) -> Result<()> {
        self.connection
            .run(&format!("begin dbms_stats.gather_table_stats(user, '{}'); end;", table.to_uppercase()))
            .map(drop)
    }

    fn rows(&mut self, text: &str, kinds: &[ExpressionType]) -> Result<Vec<Row>> {
        let connection = &mut self.connection;
        let cursor = connection.parse(text)?;
        let found = (0..self.executions).try_fold(Vec::new(), |_, _| {
            connection.execute(cursor)?;
            let mut found = Vec::new();
            loop {
                let fetched = connection.fetch(cursor, FETCHED_ROWS)?;
                found.extend(fetched.rows);
                if fetched.end {
                    return Ok(found);
                }
            }
        });
        connection.close(cursor);
        let mut rows = Vec::new();
        for row in found? {
            let mut values = Vec::new();
            for (at, datum) in row.iter().enumerate() {
                values.push(if datum.is_null() { None } else { Some(value(kinds, at, &self.connection.text(datum)?)) });
            }
            rows.push(values);
        }
        Ok(rows)
    }

    /// Runs a statement without rows.
    pub(crate) fn execute(&mut self, text: &str) -> std::result::Result<(), (Class, String)> {
        match self.guarded(|ours| ours.connection.run(text).map(|_| Answer::Changed(0))) {
            Answer::Refused(class, why) => Err((class, why)),
            Answer::Rows(_) | Answer::Changed(_) => Ok(()),
        }
    }

    /// The rows of a query, each value as text.
    pub(crate) fn values(&mut self, text: &str) -> std::result::Result<Vec<Row>, (Class, String)> {
        match self.query(text, &[]) {
            Answer::Rows(rows) => Ok(rows),
            Answer::Refused(class, why) => Err((class, why)),
            Answer::Changed(_) => Err((Class::Other, "no query".to_owned())),
        }
    }

    fn class(error: &Error) -> Class {
        match error.number {
            Number::Ora(1427) => Class::SeveralRows,
            Number::Ora(1476) => Class::DivisionByZero,
            Number::Ora(1) => Class::Unique,
            Number::Ora(1400 | 1407) => Class::NotNull,
            Number::Ora(2290) => Class::Check,
            Number::Ora(2291 | 2292) => Class::ForeignKey,
            Number::Ora(12899 | 1401) => Class::TooLong,
            Number::Ora(1438) => Class::Precision,
            Number::Ora(1489) => Class::TextLimit,
            Number::Hw(1) => Class::Unsupported,
            _ => Class::Other,
        }
    }

    fn guarded(&mut self, work: impl FnOnce(&mut Self) -> Result<Answer>) -> Answer {
        match catch_unwind(AssertUnwindSafe(|| work(self))) {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => Answer::Refused(Self::class(&error), error.to_string()),
            Err(_) => Answer::Refused(Class::Other, "a panic".to_owned()),
        }
    }
}

impl Side for Ours {
    fn dialect(&self) -> Dialect {
        Dialect::Ours
    }

    fn query(&mut self, text: &str, kinds: &[ExpressionType]) -> Answer {
        joining(text, self.guarded(|ours| ours.rows(text, kinds).map(Answer::Rows)))
    }

    fn change(&mut self, text: &str) -> Answer {
        let answer = self.guarded(|ours| {
            ours.connection.run(text).map(|executed| Answer::Changed(executed.rows.unwrap_or_default()))
        });
        joining(text, answer)
    }

    fn transaction(&mut self, text: &str) -> Result<()> {
        self.connection.run(text).map(drop)
    }

    fn define(&mut self, text: &str) -> Result<()> {
        self.connection.run(text).map(drop)
    }
}

/// The answer to a statement: a text can be too long only where the statement joins texts.
fn joining(text: &str, answer: Answer) -> Answer {
    match answer {
        Answer::Refused(Class::TextLimit, why) if !text.contains("||") && !text.contains("listagg(") => {
            Answer::Refused(Class::Other, why)
        }
        answer => answer,
    }
}

pub(crate) struct Theirs {
    server: Postgres,
    /// The directory of the server's files.
    _home: tempfile::TempDir,
}

impl Theirs {
    pub(crate) fn start(installation: &Installation) -> Result<Self> {
        let home = tempfile::tempdir().map_err(|error| failure("a temporary directory", error))?;
        let mut server = Postgres::start(installation, home.path(), 64)?;
        server.run("set statement_timeout = '20s'; begin")?;
        Ok(Self { server, _home: home })
    }

    fn class(state: &SqlState) -> Class {
        match state.code() {
            "21000" => Class::SeveralRows,
            "22012" => Class::DivisionByZero,
            "23505" => Class::Unique,
            "23502" => Class::NotNull,
            "23514" => Class::Check,
            "23503" => Class::ForeignKey,
            "22001" => Class::TooLong,
            "22003" => Class::Precision,
            "0A000" => Class::Unsupported,
            _ => Class::Other,
        }
    }

    fn run(&mut self, text: &str, read: impl FnOnce(Vec<SimpleQueryMessage>) -> Answer) -> Answer {
        let whole = format!("savepoint of_the_statement; {text}; release savepoint of_the_statement");
        let client = match self.server.client() {
            Ok(client) => client,
            Err(error) => return Answer::Refused(Class::Other, error.to_string()),
        };
        match client.simple_query(&whole) {
            Ok(messages) => read(messages),
            Err(error) => {
                let class = error.code().map_or(Class::Other, Self::class);
                let why = error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
                match client.batch_execute("rollback to savepoint of_the_statement") {
                    Ok(()) => Answer::Refused(class, why),
                    Err(gone) => Answer::Refused(Class::Other, format!("{why}; then: {gone}")),
                }
            }
        }
    }
}

impl Side for Theirs {
    fn dialect(&self) -> Dialect {
        Dialect::Theirs
    }

    fn query(&mut self, text: &str, kinds: &[ExpressionType]) -> Answer {
        self.run(text, |messages| {
            let rows = messages.iter().filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => {
                    let values = (0..row.len()).map(|at| row.get(at).map(|text| value(kinds, at, text)));
                    Some(values.collect())
                }
                _ => None,
            });
            Answer::Rows(rows.collect())
        })
    }

    fn change(&mut self, text: &str) -> Answer {
        self.run(text, |messages| {
            let counts = messages.iter().filter_map(|message| match message {
                SimpleQueryMessage::CommandComplete(rows) => Some(*rows),
                _ => None,
            });
            Answer::Changed(counts.sum())
        })
    }

    fn transaction(&mut self, text: &str) -> Result<()> {
        let begin = if text.starts_with("savepoint") || text.contains(" to ") { "" } else { "; begin" };
        self.server.run(&format!("{text}{begin}"))
    }

    fn define(&mut self, text: &str) -> Result<()> {
        self.server.run(&format!("commit; {text}; begin"))
    }
}

#[cfg(test)]
mod tests {
    use common::{Error, ErrorKind};

    use super::{Class, Ours, plain};

    #[test]
    fn errors_of_the_planner_are_differences() {
        let class = |text: &str| Ours::class(&Error::own(ErrorKind::Bug, 61, text));
        assert_eq!(class("query engine: Error during planning: Plan: [\"SortExec"), Class::Other);
        assert_eq!(class("query engine: Schema error: No field named \"MAX(Q.ID)\""), Class::Other);
        assert_eq!(class("query engine: Error during planning: No function"), Class::Other);
        assert_eq!(Ours::class(&Error::unsupported("LATERAL")), Class::Unsupported);
    }

    #[test]
    fn numbers_have_one_form() {
        let forms = [
            ("1.50", "1.5"),
            (".5", "0.5"),
            ("-.5", "-0.5"),
            ("0.000", "0"),
            ("-0", "0"),
            ("100", "100"),
            ("1.2E+3", "1200"),
            ("12E-4", "0.0012"),
            ("007", "7"),
        ];
        for (given, expected) in forms {
            assert_eq!(plain(given), expected, "{given}");
        }
    }
}
