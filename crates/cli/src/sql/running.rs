//! The database of the shell, which SHUTDOWN closes and STARTUP opens again.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, Weak};
use std::time::Duration;

use cell::Capture;
use common::sync::{Arc, Mutex};
use common::{Clock, Error, Result};
use device::{FileSystem, OsFileSystem};
use drive::ModelledFileSystem;
use engine::instance::Instance;
use engine::startup::{CreateOptions, find};
use sql::Database;
use storage::control::Existing;

use super::locked;
use crate::failure::file;

pub(crate) struct Running {
    directory: PathBuf,
    clock: Arc<dyn Clock>,
    /// Modelled devices go on while the database is closed.
    modelled: Arc<ModelledFileSystem>,
    files: Arc<dyn FileSystem>,
    database: Mutex<Option<Arc<Database>>>,
    /// The instance before, which may not have ended.
    before: Mutex<Weak<Instance>>,
    /// Where the messages of cells are written, too.
    capture: OnceLock<Arc<Capture>>,
}

/// Longest wait of a start for the end of the instance before, and its poll interval.
const PATIENCE: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(5);

impl Running {
    pub(crate) fn new(directory: &Path, clock: &Arc<dyn Clock>) -> Arc<Self> {
        let modelled = Arc::new(ModelledFileSystem::new(Arc::new(OsFileSystem::new()), Arc::clone(clock)));
        Arc::new(Self {
            directory: directory.to_owned(),
            clock: Arc::clone(clock),
            files: crate::cell::files(Arc::<ModelledFileSystem>::clone(&modelled), directory, clock),
            modelled,
            database: Mutex::default(),
            before: Mutex::default(),
            capture: OnceLock::new(),
        })
    }

    /// Writes the messages to and from cells to a file, whenever the database is open.
    ///
    /// # Errors
    /// Those of making the file; it must not be there.
    pub(crate) fn capture(&self, path: &Path) -> Result<()> {
        let made = File::create_new(path)
            .and_then(|made| Capture::new(Box::new(BufWriter::with_capacity(1 << 20, made)), Arc::clone(&self.clock)));
        let capture = Arc::new(made.map_err(|error| file(path, &error))?);
        self.capture.get_or_init(|| capture);
        Ok(())
    }

    /// Notes in the capture, where there is one, what a session does next.
    pub(crate) fn mark(&self, session: u32, statement: &str) {
        if let Some(capture) = self.capture.get() {
            capture.mark(session, statement);
        }
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// The first error of writing it.
    pub(crate) fn finish_capture(&self) -> io::Result<()> {
        self.capture.get().map_or(Ok(()), |capture| capture.finish())
    }

    fn opened(&self, instance: Arc<Instance>) {
        if let Some(capture) = self.capture.get() {
            instance.groups().cells().capture(capture);
        }
        *self.database.lock() = Some(Database::new(instance));
    }

    /// How late requests of modelled devices ended, a line for each model; none where there are no such devices.
    pub(crate) fn lateness(&self) -> Vec<String> {
        self.modelled.cells().iter().filter_map(|cell| cell.lateness()).collect()
    }

    /// # Errors
    /// ORA-01034 while it is closed.
    pub(crate) fn database(&self) -> Result<Arc<Database>> {
        let database = self.database.lock().clone();
        database.ok_or_else(|| Error::user(1034, "the database is not available; STARTUP opens it"))
    }

    /// Opens the database; returns lines about its recovery.
    ///
    /// # Errors
    /// ORA-01102 when another process has it; those of opening it.
    pub(crate) fn open(&self) -> Result<Vec<String>> {
        // A rollback in progress has the directory until it notices that its instance is closed.
        let since_us = self.clock.monotonic_us();
        while self.before.lock().strong_count() > 0
            && self.clock.monotonic_us() - since_us < PATIENCE.as_micros() as u64
        {
            std::thread::sleep(LOOK);
        }
        let lock = device::lock_directory(&self.directory).map_err(|error| locked(&self.directory, &error))?;
        let files = Arc::clone(&self.files);
        let instance = Instance::open(files, &self.directory, Arc::clone(&self.clock), Some(lock))?;
        let mut lines = instance.notes();
        lines.extend(recovered(&instance));
        self.opened(instance);
        Ok(lines)
    }

    /// As [`Running::open`], but makes a database where there is none; returns true then.
    ///
    /// # Errors
    /// As [`Running::open`]; those of making one.
    pub(crate) fn open_or_create(&self) -> Result<(bool, Vec<String>)> {
        let directory = &self.directory;
        let files = Arc::clone(&self.files);
        if find(&files, directory, &self.clock) == Existing::Database {
            return Ok((false, self.open()?));
        }
        files.create_directory(directory).map_err(|error| file(directory, &error))?;
        let lock = device::lock_directory(directory).map_err(|error| locked(directory, &error))?;
        // Another process may have made it meanwhile.
        let existing = find(&files, directory, &self.clock);
        if existing == Existing::Database {
            drop(lock);
            return Ok((false, self.open()?));
        }
        let options = CreateOptions::of_directory(&*files, directory)?;
        let made = Instance::create(files, directory, Arc::clone(&self.clock), Some(lock), &options)?;
        self.opened(made);
        let again =
            "The creation of a database here had not finished, so there was nothing in it. It has been made anew.";
        Ok((true, (existing == Existing::Unfinished).then(|| again.to_owned()).into_iter().collect()))
    }

    /// Closes the database, if it is open, as SHUTDOWN IMMEDIATE does.
    ///
    /// # Errors
    /// Errors of the close, after which it is not open either.
    pub(crate) fn close(&self) -> Result<()> {
        let closed = self.shut_down();
        self.abandon();
        closed
    }

    /// As [`Running::close`], for a process that ends: closes the database, and keeps the reference.
    ///
    /// # Errors
    /// Errors of the close.
    pub(crate) fn shut_down(&self) -> Result<()> {
        // Not under the lock: calls that run are waited for.
        match self.database() {
            Ok(database) => database.instance().shutdown(),
            Err(_) => Ok(()),
        }
    }

    /// Drops the database without closing it.
    pub(crate) fn abandon(&self) {
        if let Some(database) = self.database.lock().take() {
            *self.before.lock() = Arc::downgrade(database.instance());
        }
    }
}

/// Lines about the recovery; none after a clean close.
fn recovered(instance: &Instance) -> Vec<String> {
    let Some(done) = instance.rolled_forward() else { return Vec::new() };
    let seconds = done.elapsed_us as f64 / 1e6;
    let count = |n: u64, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let mut lines = vec![format!(
        "The database was not closed cleanly. It was recovered from {} ({}) in {seconds:.2} seconds.",
        count(done.records, "redo record"),
        count(done.bytes, "byte")
    )];
    let dead = u64::from(instance.dead_transactions());
    let more: Vec<String> = [(done.torn, "torn block", "put back"), (dead, "transaction", "rolled back")]
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, what, done)| format!("{} {} {done}", count(n, what), if n == 1 { "is" } else { "are" }))
        .collect();
    if !more.is_empty() {
        lines.push(format!("{}.", more.join("; ")));
    }
    lines
}
