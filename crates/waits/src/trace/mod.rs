//! The SQL trace (event 10046) of one session, in the layout of release 11g, so that any tool for such files reads it.
//!
//! ```text
//!   header: file, release, host, instance, process
//!   *** timestamp, session, client, service, module, action
//!   =====================
//!   PARSING IN CURSOR … text … END OF STMT
//!   BINDS, WAIT …                         of a call, before its line
//!   PARSE | EXEC | FETCH                  a call, when it has ended; calls made inside it came before, with dep one
//!                                         higher
//!   STAT …  CLOSE  XCTEND
//! ```
//!
//! Lines gather in memory and go to the file when there are [`BUFFER_BYTES`] of them, when the session is idle, and at
//! the end. When a write fails the file is given up: the error is kept for the caller that stops the trace, and further
//! lines are dropped.

mod line;
mod timestamp;

use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

pub use line::{Bind, CallFigures, CallKind, ParsedCursor, StatLine};

use crate::event::Event;

/// Bit of the trace level: bind values.
pub const LEVEL_BINDS: u32 = 4;
/// Bit of the trace level: waits.
pub const LEVEL_WAITS: u32 = 8;

/// The cursor number of lines without a cursor.
pub const NO_CURSOR: u64 = 0;

/// Output is held back up to this many bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// After this time without a line, a timestamp line comes first.
const SILENCE_US: u64 = 10_000_000;

/// The session in the head of a trace file.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TraceHeader {
    /// Product and version, one line.
    pub banner: String,
    pub instance: String,
    /// The session's process number in the instance.
    pub process: u32,
    pub sid: u32,
    pub serial: u32,
    pub service: String,
    pub module: String,
    pub action: String,
    pub client: String,
    /// Microseconds since 1970-01-01 UTC.
    pub wall_us: u64,
    /// Local time minus UTC, for timestamp lines.
    pub utc_offset_seconds: i32,
}

/// A finished wait without a line so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TracedWait {
    pub(crate) cursor: u64,
    pub(crate) event: Event,
    pub(crate) parameters: [u64; 3],
    pub(crate) micros: u64,
    pub(crate) object: i64,
    pub(crate) tim: u64,
}

/// A trace file being written.
pub struct TraceFile {
    path: PathBuf,
    file: File,
    buffer: String,
    level: u32,
    utc_offset_seconds: i32,
    /// `tim` of the last line that had one.
    last_tim: u64,
    failure: Option<io::Error>,
    /// Bytes of the file, including those in memory.
    bytes: u64,
    /// What `bytes` may reach.
    limit: u64,
    /// The limit has been met and its line written.
    full: bool,
    /// Waits for latches; their lines are written when the session holds the latch no longer, or writes another line.
    put_off: Vec<TracedWait>,
}

impl TraceFile {
    /// Opens the file, or appends to it when it exists, and writes its head.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn new(path: &Path, header: &TraceHeader) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        let bytes = file.metadata()?.len();
        let mut trace = Self {
            path: path.to_owned(),
            file,
            buffer: String::with_capacity(BUFFER_BYTES + 4096),
            level: 1,
            utc_offset_seconds: header.utc_offset_seconds,
            last_tim: header.wall_us,
            failure: None,
            bytes,
            limit: u64::MAX,
            full: false,
            put_off: Vec::new(),
        };
        if bytes == 0 {
            trace.head(header);
        }
        trace.session(header);
        Ok(trace)
    }

    /// Where the file is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// 1 calls, with 4 bind values, with 8 waits.
    #[must_use]
    pub fn level(&self) -> u32 {
        self.level
    }

    /// Sets the level of further lines.
    pub fn set_level(&mut self, level: u32) {
        self.level = level;
    }

    /// Sets the limit of the file in bytes; the line about its end comes on top.
    pub fn set_limit(&mut self, bytes: u64) {
        self.full &= bytes <= self.bytes;
        self.limit = bytes;
    }

    /// Writes text that is no part of the trace itself, of one line or several.
    pub fn text(&mut self, text: &str) {
        for line in text.lines() {
            self.line(format_args!("{line}"));
        }
    }

    /// Defers a wait's line to just before the next line: the session holds a latch now.
    pub(crate) fn put_off(&mut self, wait: TracedWait) {
        if self.level & LEVEL_WAITS != 0 {
            self.put_off.push(wait);
        }
    }

    #[cfg(test)]
    pub(crate) fn count_put_off(&mut self) -> usize {
        self.put_off.len()
    }

    /// Writes the deferred lines.
    pub(crate) fn catch_up(&mut self) {
        if self.put_off.is_empty() {
            return;
        }
        for wait in std::mem::take(&mut self.put_off) {
            let TracedWait { cursor, event, parameters, micros, object, tim } = wait;
            self.wait(cursor, event, parameters, micros, object, tim);
        }
    }

    /// Passes the gathered lines to the operating system. A failure is kept for [`finish`](Self::finish).
    pub fn flush(&mut self) {
        if self.failure.is_none()
            && let Err(error) = self.file.write_all(self.buffer.as_bytes())
        {
            self.failure = Some(error);
        }
        self.buffer.clear();
    }

    /// Writes the gathered lines and closes the file.
    ///
    /// # Errors
    /// The first failure of a write since the file was opened: later lines are missing from the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.catch_up();
        self.flush();
        match self.failure.take() {
            Some(error) => Err(io::Error::new(error.kind(), format!("trace file {}: {error}", self.path.display()))),
            None => Ok(()),
        }
    }

    /// A new module, action or client of the session.
    pub fn label(&mut self, what: &str, value: &str, wall_us: u64) {
        let at = timestamp::Timestamp { wall_us, utc_offset_seconds: self.utc_offset_seconds };
        self.line(format_args!("*** {what}:({value}) {at}"));
    }

    fn head(&mut self, header: &TraceHeader) {
        let host = rustix::system::uname();
        let path = self.path.display().to_string();
        self.line(format_args!("Trace file {path}"));
        self.line(format_args!("{}", header.banner));
        self.line(format_args!("System name:\t{}", host.sysname().to_string_lossy()));
        self.line(format_args!("Node name:\t{}", host.nodename().to_string_lossy()));
        self.line(format_args!("Release:\t{}", host.release().to_string_lossy()));
        self.line(format_args!("Version:\t{}", host.version().to_string_lossy()));
        self.line(format_args!("Machine:\t{}", host.machine().to_string_lossy()));
        self.line(format_args!("Instance name: {}", header.instance));
        self.line(format_args!("Redo thread mounted by this instance: 1"));
        self.line(format_args!("Oracle process number: {}", header.process));
        self.line(format_args!("Unix process pid: {}, image: highwater", std::process::id()));
        self.line(format_args!("\n"));
    }

    fn session(&mut self, header: &TraceHeader) {
        let at = timestamp::Timestamp { wall_us: header.wall_us, utc_offset_seconds: header.utc_offset_seconds };
        self.line(format_args!("*** {at}"));
        self.label("SESSION ID", &format!("{}.{}", header.sid, header.serial), header.wall_us);
        self.label("CLIENT ID", &header.client, header.wall_us);
        self.label("SERVICE NAME", &header.service, header.wall_us);
        self.label("MODULE NAME", &header.module, header.wall_us);
        self.label("ACTION NAME", &header.action, header.wall_us);
        self.line(format_args!(" "));
    }

    /// A timestamp line when the last line is long ago. `tim` is close to wall time: see `Meter::tim`.
    fn stamp(&mut self, tim: u64) {
        if tim.saturating_sub(self.last_tim) >= SILENCE_US {
            let at = timestamp::Timestamp { wall_us: tim, utc_offset_seconds: self.utc_offset_seconds };
            self.line(format_args!("\n*** {at}"));
        }
        self.last_tim = self.last_tim.max(tim);
    }

    fn append(&mut self, text: fmt::Arguments<'_>) {
        // Formatting into memory fails only when a Display does; ours do not.
        let _ = self.buffer.write_fmt(text);
        self.buffer.push('\n');
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        if self.failure.is_some() || self.full {
            return;
        }
        let start = self.buffer.len();
        self.append(text);
        if self.bytes + (self.buffer.len() - start) as u64 > self.limit {
            self.buffer.truncate(start);
            self.full = true;
            let limit = self.limit;
            self.append(format_args!("*** trace ends here: max_dump_file_size allows {limit} bytes ***"));
        }
        self.bytes += (self.buffer.len() - start) as u64;
        if self.buffer.len() >= BUFFER_BYTES {
            self.flush();
        }
    }
}

impl Drop for TraceFile {
    fn drop(&mut self) {
        self.catch_up();
        self.flush();
    }
}

impl fmt::Debug for TraceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceFile").field("path", &self.path).field("level", &self.level).finish_non_exhaustive()
    }
}
