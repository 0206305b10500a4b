//! A database of the experiment's own, and statements run in it under the eye of the session's meter.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{Clock, Error, ErrorKind, Result, SystemClock};
use device::FileSystem;
use engine::dictionary::TableDef;
use engine::instance::Instance;
use engine::startup::CreateOptions;
use report::tkprof;
use scalar::Datum;
use sql::{Connection, Database};
use storage::table::Inserter;
use tempfile::TempDir;

use crate::modelled_run::{ModelledRun, files_of};
use crate::progress::Progress;
use crate::source::{Row, Rows, Shape};

/// Bytes of each redo log file: an experiment is not to wait for checkpoints that a small log makes.
const LOG_BYTES: u64 = 128 << 20;

/// The user of all experiments.
const USER: &str = "SYSTEM";
/// Rows between two looks at how far a load is.
const PROGRESS_EVERY: u64 = 4_096;

/// An open database.
#[derive(Debug)]
pub(crate) struct Laboratory {
    database: Arc<Database>,
    directory: PathBuf,
    /// Removed at the end; None where the user has said where the data shall be, and stays.
    _temporary: Option<TempDir>,
}

/// A file or directory that cannot be made or read.
pub(crate) fn io(path: &Path, error: &std::io::Error) -> Error {
    Error::own(ErrorKind::Io, 2, format!("{}: {error}", path.display()))
}

impl Laboratory {
    /// Makes a database in `data`, or in a temporary directory; with `device`, on a modelled device.
    pub(crate) fn create<N: Into<String>>(
        data: Option<&Path>,
        device: Option<&ModelledRun>,
        parameters: impl IntoIterator<Item = (N, String)>,
    ) -> Result<Self> {
        Self::make(data, |directory, clock| files_of(device, directory, clock), parameters)
    }

    /// As [`create`](Self::create), on files that the caller makes.
    pub(crate) fn create_on<N: Into<String>>(
        data: Option<&Path>,
        files: impl FnOnce(&Arc<dyn Clock>) -> Arc<dyn FileSystem>,
        parameters: impl IntoIterator<Item = (N, String)>,
    ) -> Result<Self> {
        Self::make(data, |_, clock| Ok(files(clock)), parameters)
    }

    fn make<N: Into<String>>(
        data: Option<&Path>,
        files: impl FnOnce(&Path, &Arc<dyn Clock>) -> std::io::Result<Arc<dyn FileSystem>>,
        parameters: impl IntoIterator<Item = (N, String)>,
    ) -> Result<Self> {
        let (directory, temporary) = match data {
            Some(path) => {
                std::fs::create_dir_all(path).map_err(|error| io(path, &error))?;
                (path.to_owned(), None)
            }
            None => {
                let temporary = tempfile::Builder::new()
                    .prefix("highwater-lab-")
                    .tempdir()
                    .map_err(|error| io(&std::env::temp_dir(), &error))?;
                (temporary.path().to_owned(), Some(temporary))
            }
        };
        let lock = device::lock_directory(&directory).map_err(|error| io(&directory, &error))?;
        let options = CreateOptions {
            parameters: parameters.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            log_bytes: LOG_BYTES,
            ..CreateOptions::default()
        };
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let files = files(&directory, &clock).map_err(|error| io(&directory, &error))?;
        let instance = Instance::create(files, &directory, clock, Some(lock), &options)?;
        Ok(Self { database: Database::new(instance), directory, _temporary: temporary })
    }

    pub(crate) fn database(&self) -> &Arc<Database> {
        &self.database
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn connect(&self) -> Result<Connection> {
        connect(&self.database)
    }

    /// The trace file with this identifier in its name.
    pub(crate) fn trace_file(&self, identifier: &str) -> Option<PathBuf> {
        find(&self.directory, &format!("_{identifier}.trc"))
    }

    /// Shuts the database down. A temporary directory goes with it.
    pub(crate) fn close(self) -> Result<()> {
        self.database.instance().shutdown()
    }
}

/// A session of the experiments' user.
pub(crate) fn connect(database: &Arc<Database>) -> Result<Connection> {
    database.connect(USER, None)
}

/// A file below `directory` whose name has this ending.
fn find(directory: &Path, suffix: &str) -> Option<PathBuf> {
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.to_string_lossy().ends_with(suffix) {
                return Some(path);
            }
        }
    }
    None
}

/// The first row of a query, as whole numbers; NULL is 0.
pub(crate) fn numbers(connection: &mut Connection, text: &str) -> Result<Vec<u64>> {
    let rows = connection.query(text)?;
    let row = rows.into_iter().next().ok_or_else(|| Error::bug(format!("no row: {text}")))?;
    let whole = |value| whole(value).ok_or_else(|| Error::bug(format!("not a whole number: {text}")));
    row.iter().map(whole).collect()
}

/// A value as a whole number, NULL as 0; None for anything else.
pub(crate) fn whole(value: &Datum) -> Option<u64> {
    match value {
        Datum::Null => Some(0),
        Datum::Number(number) => format::number::decode_i64(number).and_then(|value| u64::try_from(value).ok()),
        _ => None,
    }
}

/// A table of the session's user, as the dictionary has it.
pub(crate) fn definition(connection: &Connection, table: &str) -> Result<Arc<TableDef>> {
    let session = connection.session();
    Ok(Arc::clone(session.catalog().require_table(&session.user(), &table.to_uppercase())?))
}

/// Formatted blocks of a table, those of its rows.
pub(crate) fn formatted_blocks(connection: &Connection, table: &str) -> Result<u64> {
    let usage = definition(connection, table)?.segment.space_usage(connection.session())?;
    Ok(u64::from(usage.below_high_water.saturating_sub(usage.metadata + usage.unformatted)))
}

/// A statement of a trace by its text, as TKPROF sums it up with its recursive calls; None where the trace lacks it.
pub(crate) fn traced(trace: &Path, texts: &[&str]) -> Result<Vec<Option<tkprof::Statement>>> {
    let file = File::open(trace).map_err(|error| io(trace, &error))?;
    let options = tkprof::Options { inclusive: true, ..tkprof::Options::default() };
    let statements = tkprof::summarise(BufReader::new(file), &options)?.statements;
    let of = |text: &&str| statements.iter().find(|s| s.sql.as_deref().is_some_and(|sql| sql.trim() == *text)).cloned();
    Ok(texts.iter().map(of).collect())
}

/// Makes `table` and fills it with the rows of a source. Returns how many.
pub(crate) fn load(
    connection: &mut Connection,
    table: &str,
    shape: &Shape,
    rows: &mut dyn Rows,
    progress: &mut dyn Progress,
) -> Result<u64> {
    connection.run(&format!("create table {table} ({})", shape.column_list()))?;
    let session = Arc::clone(connection.session());
    let definition = definition(connection, table)?;
    let mut inserter = Inserter::new(session.worker().clone(), definition.heap().clone())?;
    let mut row = Row::default();
    let mut done = 0_u64;
    while rows.next(&mut row)? {
        row.encode()?;
        let columns: Vec<Option<&[u8]>> = row.columns().collect();
        inserter.push(&columns)?;
        done += 1;
        if done.is_multiple_of(PROGRESS_EVERY) {
            progress.at(done, shape.rows);
        }
    }
    let rows = inserter.finish()?;
    connection.run("commit")?;
    Ok(rows)
}
