//! `highwater load`: a file of comma-separated values into a table.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use common::sync::Arc;
use common::sync::atomic::{AtomicU64, Ordering};
use common::{Clock, Error, ErrorKind, Result, SystemClock};
use device::OsFileSystem;
use engine::startup::exists;
use sql::{Connection, FileLoad, Loaded};

use crate::command_line::Load;
use crate::failure::{self, Outcome, file};
use crate::sql::running::Running;

/// The default owner of the table.
const USER: &str = "SYSTEM";
/// Interval of the progress display.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn run(arguments: &Load) -> Result<Outcome> {
    let bytes = std::fs::metadata(&arguments.file).map_err(|error| file(&arguments.file, &error))?.len();
    if !exists(&OsFileSystem::new(), &arguments.data) {
        let text = format!("there is no database in {}", arguments.data.display());
        return Err(Error::own(ErrorKind::User, 2, text));
    }
    shell::interrupt::install()
        .map_err(|error| Error::own(ErrorKind::OutOfResource, 5, format!("signals cannot be handled: {error}")))?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let running = Running::new(&arguments.data, &clock);
    for line in running.open()? {
        failure::say(&line);
    }
    let closing = Arc::clone(&running);
    shell::interrupt::on_termination(move || {
        if let Err(error) = closing.shut_down() {
            failure::say(&failure::one_line(&error.to_string()));
        }
    });
    let start_us = clock.monotonic_us();
    let loaded = load(&running, arguments, bytes);
    let seconds = clock.monotonic_us().saturating_sub(start_us) as f64 / 1e6;
    let closed = running.close();
    let (loaded, bad) = loaded?;
    closed?;
    let rate = loaded.rows as f64 / seconds.max(1e-6);
    let mut line = format!("{} rows loaded into {} in {seconds:.1} s, {rate:.0} rows/s", loaded.rows, loaded.table);
    if loaded.rejected > 0 {
        line.push_str(&format!("; {} rejected, in {}", loaded.rejected, bad.display()));
    }
    failure::written(writeln!(io::stdout(), "{line}"))?;
    Ok(Outcome::DONE)
}

/// Loads and commits, and shows the progress.
fn load(running: &Arc<Running>, arguments: &Load, bytes: u64) -> Result<(Loaded, PathBuf)> {
    let bad = arguments.bad.clone().unwrap_or_else(|| {
        let mut name = arguments.file.clone().into_os_string();
        name.push(".bad");
        PathBuf::from(name)
    });
    let read = Arc::new(AtomicU64::new(0));
    let what = FileLoad {
        table: arguments.table.clone(),
        path: arguments.file.clone(),
        delimiter: arguments.delimiter.0,
        header: arguments.header,
        date_format: arguments.date_format.clone(),
        timestamp_format: arguments.timestamp_format.clone(),
        errors: Some(arguments.errors),
        bad: Some(bad.clone()),
        read: Arc::clone(&read),
    };
    let mut connection = running.database()?.connect(USER, None)?;
    let interrupted = shell::interrupt::Running::begin(connection.cancel_handle());
    let worker = common::sync::spawn_with_stack("load", common::limits::SESSION_STACK_BYTES, move || {
        insert(&mut connection, &what)
    });
    let worker =
        worker.map_err(|error| Error::own(ErrorKind::OutOfResource, 5, format!("no thread to work on: {error}")))?;
    let mut progress = lab::progress::automatic();
    progress.step(&format!("{} into {}", arguments.file.display(), arguments.table));
    while !worker.is_finished() {
        std::thread::sleep(LOOK);
        progress.at(read.load(Ordering::Relaxed).min(bytes), bytes);
    }
    progress.end();
    drop(interrupted);
    let loaded = worker.join().unwrap_or_else(|_| Err(Error::bug("the load panicked")))?;
    Ok((loaded, bad))
}

fn insert(connection: &mut Connection, what: &FileLoad) -> Result<Loaded> {
    let loaded = connection.load(what)?;
    connection.run("commit")?;
    Ok(loaded)
}
