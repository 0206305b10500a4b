//! One flat file: written beside its name, and given it when it is whole.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use common::{Error, ErrorKind, Result};

const BUFFER_BYTES: usize = 1 << 20;

/// HW-0002: a file that the operating system does not give or take.
pub(super) fn failed(path: &Path, error: &io::Error) -> Error {
    Error::own(ErrorKind::Io, 2, format!("{}: {error}", path.display()))
}

/// # Errors
/// HW-0002 when the file is there.
pub(super) fn check_absent(path: &Path) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(Error::own(ErrorKind::Io, 2, format!("{}: the file is there and stays as it is", path.display())));
    }
    Ok(())
}

/// Rows on their way into a file.
pub(super) struct Rows {
    out: BufWriter<File>,
    line: Vec<u8>,
    pub(super) rows: u64,
    bytes: u64,
}

impl Rows {
    /// A row as it displays itself, and the end of its line.
    pub(super) fn row(&mut self, row: &impl Display) -> io::Result<()> {
        self.line.clear();
        writeln!(self.line, "{row}")?;
        self.out.write_all(&self.line)?;
        self.rows += 1;
        self.bytes += self.line.len() as u64;
        Ok(())
    }
}

/// Writes a file; returns its rows and bytes. A file that is not whole is removed.
pub(super) fn write(path: &Path, rows: impl FnOnce(&mut Rows) -> io::Result<()>) -> Result<(u64, u64)> {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    let part = PathBuf::from(name);
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(&part);
    let out = BufWriter::with_capacity(BUFFER_BYTES, file.map_err(|error| failed(&part, &error))?);
    let mut out = Rows { out, line: Vec::new(), rows: 0, bytes: 0 };
    let written = rows(&mut out).and_then(|()| out.out.flush()).and_then(|()| out.out.get_ref().sync_all());
    let written = written.map_err(|error| failed(path, &error)).and_then(|()| {
        check_absent(path)?;
        fs::rename(&part, path).map_err(|error| failed(path, &error))
    });
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&part);
    }
    written.map(|()| (out.rows, out.bytes))
}
