//! A server of the caller's own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use common::{Clock, Error, Result, SystemClock};
use postgres::{Client, Config, NoTls};

use crate::error::{failure, io, refusal};
use crate::installation::Installation;

const START_ATTEMPTS: u32 = 300;
const START_PAUSE: Duration = Duration::from_millis(100);

/// A running server and a session in it.
pub struct Postgres {
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
#[must_use]
pub fn settings(cache_mb: u64) -> Vec<(&'static str, String)> {
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
    ///
    /// # Errors
    /// `initdb` or the server failed; or no session came about.
    pub fn start(installation: &Installation, directory: &Path, cache_mb: u64) -> Result<Self> {
        let home = directory.join("postgres");
        fs::create_dir_all(&home).map_err(|error| io(&home, &error))?;
        if let Some((user, group)) = installation.run_as {
            // The server's user must be able to enter the directory.
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
        config.connect(NoTls).map_err(|error| refusal("connect", &error))
    }

    /// The session.
    ///
    /// # Errors
    /// None after the server was stopped.
    pub fn client(&mut self) -> Result<&mut Client> {
        self.client.as_mut().ok_or_else(|| Error::bug("no session with PostgreSQL"))
    }

    /// Carries out statements.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn run(&mut self, text: &str) -> Result<()> {
        self.client()?.batch_execute(text).map_err(|error| refusal(text, &error))
    }

    /// The timer of its statements.
    #[must_use]
    pub fn clock(&self) -> &SystemClock {
        &self.clock
    }

    /// A further session.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn another(&mut self) -> Result<PostgresSession> {
        self.connect().map(PostgresSession)
    }

    /// The rows of a table.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn count(&mut self, table: &str) -> Result<u64> {
        self.number(&format!("select count(*) from {table}"))
    }

    /// The value of a query of one bigint.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn number(&mut self, text: &str) -> Result<u64> {
        let row = self.client()?.query_one(text, &[]).map_err(|error| refusal(text, &error))?;
        let count: i64 = row.get(0);
        Ok(count as u64)
    }

    /// Fetches the rows of a query through a cursor, `array` at a time; rows a second.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn fetch_arrays(&mut self, query: &str, array: usize, rows: u64) -> Result<f64> {
        let from_us = self.clock.monotonic_us();
        self.run(&format!("begin; declare arrays cursor for {query}"))?;
        let text = format!("fetch {array} from arrays");
        let client = self.client()?;
        let fetch = client.prepare(&text).map_err(|error| refusal(&text, &error))?;
        let mut found = 0;
        loop {
            let fetched = client.query(&fetch, &[]).map_err(|error| refusal(&text, &error))?;
            found += fetched.len() as u64;
            if fetched.len() < array {
                break;
            }
        }
        self.run("commit")?;
        if found != rows {
            return Err(Error::bug(format!("PostgreSQL: {found} rows of {rows} were fetched")));
        }
        Ok(found as f64 / ((self.clock.monotonic_us() - from_us) as f64 / 1e6))
    }

    /// Seconds that a statement takes.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn timed(&mut self, text: &str) -> Result<f64> {
        let from_us = self.clock.monotonic_us();
        self.run(text)?;
        Ok((self.clock.monotonic_us() - from_us) as f64 / 1e6)
    }
}

/// A session beside the server's own.
pub struct PostgresSession(Client);

impl std::fmt::Debug for PostgresSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresSession").finish_non_exhaustive()
    }
}

impl PostgresSession {
    /// Carries out statements.
    ///
    /// # Errors
    /// PostgreSQL's error.
    pub fn run(&mut self, text: &str) -> Result<()> {
        self.0.batch_execute(text).map_err(|error| refusal(text, &error))
    }

    /// The session itself, for statements that are prepared.
    pub fn client(&mut self) -> &mut Client {
        &mut self.0
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
