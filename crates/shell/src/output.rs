//! Output to the screen and to the spool file.
//!
//! A message is written unchanged. A line of a report has its trailing blanks cut on the screen (TRIMOUT), and is
//! filled up to LINESIZE in the spool file unless TRIMSPOOL is on. A screen or a spool file that cannot be written is
//! reported once: the spool file is closed, the shell leaves without a screen.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use common::{Error, ErrorKind, Number, Result};

use crate::console::Console;
use crate::settings::Settings;

struct Spool {
    path: PathBuf,
    file: BufWriter<File>,
}

pub(crate) struct Output {
    console: Box<dyn Console>,
    spool: Option<Spool>,
    /// The screen is gone.
    broken: bool,
    /// SET TERMOUT OFF inside a script.
    muted: bool,
}

/// The open mode of a spool file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SpoolMode {
    Create,
    Replace,
    Append,
}

impl Output {
    pub(crate) fn new(console: Box<dyn Console>) -> Self {
        Self { console, spool: None, broken: false, muted: false }
    }

    pub(crate) fn console(&mut self) -> &mut dyn Console {
        self.console.as_mut()
    }

    pub(crate) fn interactive(&self) -> bool {
        self.console.interactive()
    }

    pub(crate) fn broken(&self) -> bool {
        self.broken
    }

    pub(crate) fn mute(&mut self, muted: bool) {
        self.muted = muted;
    }

    /// A message; the line break is added.
    pub(crate) fn line(&mut self, text: &str) {
        self.both(text);
        self.both("\n");
    }

    /// Text as it is, to screen and spool file.
    pub(crate) fn both(&mut self, text: &str) {
        self.screen(text);
        self.spooled(text);
    }

    /// A line of a report.
    pub(crate) fn report(&mut self, line: &str, settings: &Settings) {
        let trimmed = line.trim_end();
        self.screen(if settings.trimout { trimmed } else { line });
        self.screen("\n");
        if self.spool.is_none() {
            return;
        }
        if settings.trimspool {
            self.spooled(trimmed);
        } else {
            self.spooled(&format!("{line:<width$}", width = settings.linesize));
        }
        self.spooled("\n");
    }

    /// Text that the terminal shows itself while a line is typed.
    pub(crate) fn typed(&mut self, text: &str) {
        self.spooled(text);
    }

    pub(crate) fn screen(&mut self, text: &str) {
        if !self.muted {
            self.prompt(text);
        }
    }

    /// To the screen, muted or not: a question must be seen to be answered.
    pub(crate) fn prompt(&mut self, text: &str) {
        if !self.broken && self.console.write(text).is_err() {
            self.broken = true;
        }
    }

    fn spooled(&mut self, text: &str) {
        let failed = match &mut self.spool {
            Some(spool) => spool.file.write_all(text.as_bytes()).err(),
            None => None,
        };
        if let Some(error) = failed {
            self.spool_failed(&error);
        }
    }

    fn spool_failed(&mut self, error: &std::io::Error) {
        if let Some(spool) = self.spool.take() {
            let path = spool.path.display().to_string();
            // The writer is dismantled so that it does not try again.
            let _ = spool.file.into_parts();
            self.screen(&format!("{}\n", spool_error(&path, error)));
        }
    }

    /// Writes the buffered text to screen and file.
    pub(crate) fn flush(&mut self) {
        if !self.broken && self.console.flush().is_err() {
            self.broken = true;
        }
        let failed = self.spool.as_mut().and_then(|spool| spool.file.flush().err());
        if let Some(error) = failed {
            self.spool_failed(&error);
        }
    }

    /// Begins a spool file; the one before is closed first.
    pub(crate) fn spool_to(&mut self, path: &Path, mode: SpoolMode) -> Result<()> {
        self.spool_off()?;
        let mut options = OpenOptions::new();
        match mode {
            SpoolMode::Create => options.write(true).create_new(true),
            SpoolMode::Replace => options.write(true).create(true).truncate(true),
            SpoolMode::Append => options.append(true).create(true),
        };
        let file = options.open(path).map_err(|error| spool_error(&path.display().to_string(), &error))?;
        self.spool = Some(Spool { path: path.to_owned(), file: BufWriter::new(file) });
        Ok(())
    }

    /// Ends the spool file; Ok(false) when there is none.
    pub(crate) fn spool_off(&mut self) -> Result<bool> {
        let Some(mut spool) = self.spool.take() else { return Ok(false) };
        spool.file.flush().map_err(|error| spool_error(&spool.path.display().to_string(), &error))?;
        Ok(true)
    }

    pub(crate) fn spool_path(&self) -> Option<&Path> {
        self.spool.as_ref().map(|spool| spool.path.as_path())
    }
}

fn spool_error(path: &str, error: &std::io::Error) -> Error {
    Error::new(ErrorKind::Io, Number::Sp2(606), format!("spool file {path}: {error}"))
}
