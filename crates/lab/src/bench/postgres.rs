//! PostgreSQL as a peer: a server of the benchmark's own, started and stopped by it.
//!
//! A PostgreSQL server refuses to run as root; then the user `nobody` runs it, by `setpriv`. `setpriv` also sees to it that the server ends when the
//! benchmark dies.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Clock, DataType, Error, ErrorKind, Result, SystemClock};
use postgres::{Client, Config, NoTls};

use super::insert::{FILTER, SOURCE, Side, TARGET};
use crate::laboratory::io;
use crate::progress::Progress;
use crate::source::{Row, Rows, Shape};
use crate::time::seconds;

/// Who runs the server when root runs the benchmark.
const UNPRIVILEGED: &str = "nobody";
const START_ATTEMPTS: u32 = 300;
const START_PAUSE: Duration = Duration::from_millis(100);
/// Bytes of rows sent at a time.
const COPY_BYTES: usize = 1 << 20;

/// The programs.
#[derive(Clone, Debug)]
pub(super) struct Installation {
    directory: PathBuf,
    /// As `id` gives them; None where the benchmark does not run as root.
    run_as: Option<(u32, u32)>,
    pub(super) version: String,
}

fn failure(what: &str, why: impl std::fmt::Display) -> Error {
    Error::own(ErrorKind::Io, 2, format!("PostgreSQL: {what}: {why}"))
}

fn statement(text: &str, error: &postgres::Error) -> Error {
    let why = error.as_db_error().map_or_else(|| error.to_string(), ToString::to_string);
    failure(text, why)
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

impl Installation {
    /// Looks for PostgreSQL in `given`, else in `.peers/postgres`. The error is the reason why there is none to compare with.
    pub(super) fn find(given: Option<&Path>) -> Result<Self, String> {
        let directory = match given {
            Some(path) => path.to_owned(),
            None => beside().ok_or("PostgreSQL is not in .peers/postgres; scripts/fetch-postgres.sh puts it there")?,
        };
        let directory = directory.canonicalize().map_err(|error| format!("{}: {error}", directory.display()))?;
        let run_as = if id(&["-u"]) == Some(0) {
            let ids = id(&["-u", UNPRIVILEGED]).zip(id(&["-g", UNPRIVILEGED]));
            Some(ids.ok_or("PostgreSQL does not run as root, and there is no user 'nobody'")?)
        } else {
            None
        };
        let mut found = Self { directory, run_as, version: String::new() };
        let output = found.command("postgres").arg("--version").output();
        match output {
            Ok(output) if output.status.success() => {
                found.version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
                Ok(found)
            }
            Ok(output) => Err(format!(
                "{} does not run: {}",
                found.directory.join("bin/postgres").display(),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            Err(error) => Err(format!("{} does not run: {error}", found.directory.join("bin/postgres").display())),
        }
    }

    /// One of the programs, as the user who may run it.
    fn command(&self, program: &str) -> Command {
        let path = self.directory.join("bin").join(program);
        let mut command = match self.run_as {
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command
                    .arg(format!("--reuid={user}"))
                    .arg(format!("--regid={group}"))
                    .args(["--clear-groups", "--pdeathsig", "INT"])
                    .arg(path);
                command
            }
            None => Command::new(path),
        };
        command.env("LD_LIBRARY_PATH", self.directory.join("lib")).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }
}

/// `.peers/postgres` in the working directory, or in a directory above the program.
fn beside() -> Option<PathBuf> {
    let mut places: Vec<PathBuf> = std::env::current_dir().into_iter().collect();
    if let Ok(program) = std::env::current_exe() {
        places.extend(program.ancestors().skip(1).map(Path::to_owned));
    }
    places.into_iter().map(|place| place.join(".peers/postgres")).find(|path| path.join("bin/postgres").exists())
}

/// A running server and a session in it.
pub(super) struct Postgres {
    server: Child,
    home: PathBuf,
    client: Option<Client>,
    clock: SystemClock,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").field("server", &self.server.id()).finish_non_exhaustive()
    }
}

/// Settings that are not PostgreSQL's defaults.
pub(super) fn settings(cache_mb: u64) -> Vec<(&'static str, String)> {
    vec![
        ("shared_buffers", format!("{cache_mb}MB")),
        ("fsync", "on".to_owned()),
        ("jit", "off".to_owned()),
        ("max_parallel_workers_per_gather", "0".to_owned()),
        ("max_parallel_maintenance_workers", "0".to_owned()),
        ("autovacuum", "off".to_owned()),
    ]
}

impl Postgres {
    /// Makes a database cluster in `directory` and starts its server.
    pub(super) fn start(installation: &Installation, directory: &Path, cache_mb: u64) -> Result<Self> {
        let home = directory.join("postgres");
        fs::create_dir_all(&home).map_err(|error| io(&home, &error))?;
        if let Some((user, group)) = installation.run_as {
            // The server's user must be able to come here.
            fs::set_permissions(directory, Permissions::from_mode(0o755)).map_err(|error| io(directory, &error))?;
            std::os::unix::fs::chown(&home, Some(user), Some(group)).map_err(|error| io(&home, &error))?;
        }
        let data = home.join("data");
        let output = installation
            .command("initdb")
            .arg("-D")
            .arg(&data)
            .args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"])
            .current_dir(&home)
            .output()
            .map_err(|error| failure("initdb", error))?;
        if !output.status.success() {
            return Err(failure("initdb", String::from_utf8_lossy(&output.stderr).trim()));
        }
        let log = fs::File::create(directory.join("postgres.log")).map_err(|error| io(directory, &error))?;
        let mut command = installation.command("postgres");
        command.arg("-D").arg(&data).arg("-k").arg(&home).args(["-c", "listen_addresses="]);
        for (name, value) in settings(cache_mb) {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let server = command
            .current_dir(&home)
            .stdout(Stdio::null())
            .stderr(Stdio::from(log))
            .spawn()
            .map_err(|error| failure("the server", error))?;
        let mut started = Self { server, home, client: None, clock: SystemClock::default() };
        started.client = Some(started.connect()?);
        Ok(started)
    }

    fn connect(&mut self) -> Result<Client> {
        let mut config = Config::new();
        config.host_path(&self.home).user("postgres").dbname("postgres");
        for _ in 0..START_ATTEMPTS {
            if let Ok(client) = config.connect(NoTls) {
                return Ok(client);
            }
            if let Ok(Some(status)) = self.server.try_wait() {
                return Err(failure("the server ended while it started", status));
            }
            std::thread::sleep(START_PAUSE);
        }
        config.connect(NoTls).map_err(|error| statement("connect", &error))
    }

    fn client(&mut self) -> Result<&mut Client> {
        self.client.as_mut().ok_or_else(|| Error::bug("no session with PostgreSQL"))
    }

    pub(super) fn run(&mut self, text: &str) -> Result<()> {
        self.client()?.batch_execute(text).map_err(|error| statement(text, &error))
    }

    pub(super) fn clock(&self) -> &SystemClock {
        &self.clock
    }

    /// A further session.
    pub(super) fn another(&mut self) -> Result<PostgresSession> {
        self.connect().map(PostgresSession)
    }

    /// The rows of a table.
    pub(super) fn count(&mut self, table: &str) -> Result<u64> {
        self.number(&format!("select count(*) from {table}"))
    }

    /// What a query of one bigint gives.
    pub(super) fn number(&mut self, text: &str) -> Result<u64> {
        let row = self.client()?.query_one(text, &[]).map_err(|error| statement(text, &error))?;
        let count: i64 = row.get(0);
        Ok(count as u64)
    }

    /// Fetches the rows of a query through a cursor, `array` at a time; rows a second.
    pub(super) fn fetch_arrays(&mut self, query: &str, array: usize, rows: u64) -> Result<f64> {
        let from_us = self.clock.monotonic_us();
        self.run(&format!("begin; declare arrays cursor for {query}"))?;
        let text = format!("fetch {array} from arrays");
        let client = self.client()?;
        let fetch = client.prepare(&text).map_err(|error| statement(&text, &error))?;
        let mut found = 0;
        loop {
            let fetched = client.query(&fetch, &[]).map_err(|error| statement(&text, &error))?;
            found += fetched.len() as u64;
            if fetched.len() < array {
                break;
            }
        }
        self.run("commit")?;
        if found != rows {
            return Err(Error::bug(format!("PostgreSQL: {found} rows of {rows} were fetched")));
        }
        Ok(found as f64 / seconds(self.clock.monotonic_us() - from_us))
    }

    fn timed(&mut self, text: &str) -> Result<f64> {
        let from_us = self.clock.monotonic_us();
        self.run(text)?;
        Ok(seconds(self.clock.monotonic_us() - from_us))
    }
}

/// A session beside the server's own.
pub(super) struct PostgresSession(Client);

impl PostgresSession {
    pub(super) fn run(&mut self, text: &str) -> Result<()> {
        self.0.batch_execute(text).map_err(|error| statement(text, &error))
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.client = None;
        // Fast shutdown; when the signal cannot be sent the server is gone or is killed.
        let asked = rustix::process::Pid::from_raw(self.server.id() as i32)
            .is_some_and(|pid| rustix::process::kill_process(pid, rustix::process::Signal::INT).is_ok());
        if !asked {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn type_name(data_type: DataType) -> String {
    match data_type {
        // The cheapest type that holds the values.
        DataType::Number { .. } => "bigint".to_owned(),
        DataType::Varchar2 { bytes } => format!("varchar({bytes})"),
        DataType::Char { bytes } => format!("char({bytes})"),
        DataType::Date => "timestamp(0)".to_owned(),
        DataType::Timestamp { precision } => format!("timestamp({})", precision.min(6)),
        DataType::Raw { .. } => "bytea".to_owned(),
    }
}

impl Side for Postgres {
    fn load(&mut self, shape: &Shape, rows: &mut dyn Rows, progress: &mut dyn Progress) -> Result<()> {
        let columns: Vec<String> =
            shape.columns.iter().map(|column| format!("{} {}", column.name, type_name(column.data_type))).collect();
        self.run(&format!("create table {SOURCE} ({})", columns.join(", ")))?;
        let mut writer =
            self.client()?.copy_in(&format!("copy {SOURCE} from stdin")).map_err(|error| statement("copy", &error))?;
        let (mut row, mut text, mut done) = (Row::default(), String::new(), 0_u64);
        loop {
            let more = rows.next(&mut row)?;
            if more {
                row.copy_line(&mut text);
                done += 1;
            }
            if !more || text.len() > COPY_BYTES {
                writer.write_all(text.as_bytes()).map_err(|error| failure("copy", error))?;
                text.clear();
                progress.at(done, shape.rows);
            }
            if !more {
                break;
            }
        }
        writer.finish().map_err(|error| statement("copy", &error))?;
        self.run(&format!("vacuum (freeze, analyze) {SOURCE}"))?;
        self.run(&format!("select count(*) from {SOURCE}"))?;
        self.checkpoint().map(drop)
    }

    fn fresh_target(&mut self) -> Result<()> {
        self.run(&format!("drop table if exists {TARGET}"))?;
        self.run(&format!("create table {TARGET} as select * from {SOURCE} where false"))?;
        self.checkpoint().map(drop)
    }

    fn insert_select(&mut self) -> Result<f64> {
        self.timed(&format!("insert into {TARGET} select * from {SOURCE}"))
    }

    fn create_index(&mut self, key: &str) -> Result<f64> {
        self.timed(&format!("create index {TARGET}_ndx on {TARGET}({key})"))
    }

    fn checkpoint(&mut self) -> Result<f64> {
        self.timed("checkpoint")
    }

    fn filtered_scan(&mut self) -> Result<(f64, u64)> {
        let text = format!("select count(*) from {TARGET} where {FILTER}");
        let from_us = self.clock.monotonic_us();
        let row = self.client()?.query_one(&text, &[]).map_err(|error| statement(&text, &error))?;
        let count: i64 = row.get(0);
        Ok((seconds(self.clock.monotonic_us() - from_us), count as u64))
    }
}
