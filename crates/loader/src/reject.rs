//! Rejected records: kept in a bad file, reported in a log, and counted up to a limit.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use common::{Error, Result};

use crate::error;
use crate::spec::RecordFormat;

/// Bad file and log. They are made when the first record is rejected.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    pub bad: Option<PathBuf>,
    pub log: Option<PathBuf>,
    /// A line with number and reason precedes each record of the bad file.
    pub commented: bool,
    /// Why neither may be written, if so.
    pub refused: Option<Error>,
}

/// Number of rejected records.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Rejected(pub u64);

/// The rejected records of a scan.
#[derive(Debug)]
pub(crate) struct Rejects {
    outputs: Outputs,
    /// None: any number.
    limit: Option<u64>,
    count: u64,
    bad: Option<BufWriter<File>>,
    log: Option<BufWriter<File>>,
    table: String,
    /// The input files.
    inputs: Vec<PathBuf>,
    /// Record delimiter of the bad file, which can be read by the same access parameters.
    end: Vec<u8>,
}

impl Rejects {
    pub(crate) fn new(
        table: &str,
        inputs: Vec<PathBuf>,
        outputs: Outputs,
        limit: Option<u64>,
        format: &RecordFormat,
    ) -> Self {
        let end = match format {
            RecordFormat::Newline | RecordFormat::DetectedNewline => b"\n".to_vec(),
            RecordFormat::Delimiter(bytes) => bytes.clone(),
            RecordFormat::Fixed(_) => Vec::new(),
        };
        Self { outputs, limit, count: 0, bad: None, log: None, table: table.to_owned(), inputs, end }
    }

    pub(crate) fn count(&self) -> Rejected {
        Rejected(self.count)
    }

    /// Rejects a record: `place` identifies it.
    ///
    /// # Errors
    /// ORA-30653 above the limit; those of the files.
    pub(crate) fn add(&mut self, record: &[u8], place: &str, why: &str) -> Result<()> {
        self.count += 1;
        if self.count == 1 {
            self.open()?;
        }
        let failed = |path: &Option<PathBuf>, error: &std::io::Error| {
            error::file("writing", &path.as_deref().unwrap_or("".as_ref()).display().to_string(), error)
        };
        if let Some(bad) = &mut self.bad {
            let comment = if self.outputs.commented { format!("# {place}: {why}\n") } else { String::new() };
            let written = bad.write_all(comment.as_bytes()).and_then(|()| bad.write_all(record));
            let written = written.and_then(|()| bad.write_all(&self.end));
            written.map_err(|error| failed(&self.outputs.bad, &error))?;
        }
        if let Some(log) = &mut self.log {
            writeln!(log, "{place}: {why}").map_err(|error| failed(&self.outputs.log, &error))?;
        }
        if self.limit.is_some_and(|limit| self.count > limit) {
            self.finish()?;
            return Err(error::reject_limit(&format!("{place}: {why}")));
        }
        Ok(())
    }

    fn open(&mut self) -> Result<()> {
        if let Some(refused) = &self.outputs.refused
            && (self.outputs.bad.is_some() || self.outputs.log.is_some())
        {
            return Err(refused.clone());
        }
        let opened = |path: &PathBuf, append: bool| {
            if self.inputs.iter().any(|input| is_same(input, path)) {
                return Err(error::fetch(&format!(
                    "KUP-04001: error opening file {}: it is one of those that are read",
                    path.display()
                )));
            }
            let file = OpenOptions::new().create(true).write(true).append(append).truncate(!append).open(path);
            file.map(BufWriter::new).map_err(|error| error::file("opening", &path.display().to_string(), &error))
        };
        self.bad = self.outputs.bad.as_ref().map(|path| opened(path, false)).transpose()?;
        self.log = self.outputs.log.as_ref().map(|path| opened(path, true)).transpose()?;
        if let Some(log) = &mut self.log {
            // A failed write shows at the end.
            let _ = writeln!(log, "rejected records of {}", self.table);
        }
        Ok(())
    }

    /// Everything is in the files.
    pub(crate) fn finish(&mut self) -> Result<()> {
        for (file, path) in [(&mut self.bad, &self.outputs.bad), (&mut self.log, &self.outputs.log)] {
            if let (Some(file), Some(path)) = (file, path) {
                file.flush().map_err(|error| error::file("writing", &path.display().to_string(), &error))?;
            }
        }
        Ok(())
    }
}

/// True: both are the same file. False when one does not exist.
fn is_same(a: &Path, b: &Path) -> bool {
    let identity = |path: &Path| std::fs::metadata(path).map(|found| (found.dev(), found.ino())).ok();
    identity(a).is_some_and(|a| identity(b) == Some(a))
}
