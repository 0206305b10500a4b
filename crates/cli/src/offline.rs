//! The files of a database that is not open: those in the control file, read around the engine.

use std::fmt::Display;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{BlockAddress, BlockSize, Clock, Error, ErrorKind, FileNumber, Number, Result, SystemClock};
use device::{Device, FileSystem, OsFileSystem};
use engine::startup::exists;
use engine::verify::{offline_files, read_control_only};
use storage::control::{ControlData, DatafileRecord};
use storage::disk_group::{is_in_group, resolve};
use storage::redo::{FIRST_BLOCK, Rba, RedoReader};

/// A database's control file and its directory.
pub(crate) struct Offline {
    files: Arc<dyn FileSystem>,
    directory: PathBuf,
    pub(crate) control: ControlData,
}

/// One datafile, open for reading.
pub(crate) struct OfflineFile {
    pub(crate) number: FileNumber,
    pub(crate) path: PathBuf,
    pub(crate) block_size: BlockSize,
    /// Blocks as the control file has them.
    pub(crate) blocks: u32,
    content: Content,
}

/// A file of the file system, opened read-only; or one in a disk group.
enum Content {
    File(File),
    InGroup(Arc<dyn Device>),
}

impl Offline {
    /// # Errors
    /// ORA-00205 when the directory holds no valid control file.
    pub(crate) fn open(directory: &Path) -> Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let files = crate::cell::files(Arc::new(OsFileSystem::new()), directory, &clock);
        if !exists(&*files, directory) {
            let text = format!("{} holds no database: there is no control file", directory.display());
            return Err(Error::new(ErrorKind::User, Number::Ora(205), text));
        }
        let control = read_control_only(&files, directory, &clock)?;
        Ok(Self { files, directory: directory.to_owned(), control })
    }

    /// The redo from the start of a log sequence on.
    ///
    /// # Errors
    /// ORA-00313 when no member of a log group holds the sequence.
    pub(crate) fn redo(&self, sequence: u32) -> Result<RedoReader> {
        let from = Rba { sequence, block: FIRST_BLOCK, offset: 0 };
        let (database, groups) = (self.control.database_id, &self.control.log_groups);
        let (files, _) = self.with_groups();
        RedoReader::open(files, &self.directory, database, groups, from, None)
    }

    /// # Errors
    /// ORA-01157 when the control file lists no such file, or it cannot be opened.
    pub(crate) fn datafile(&self, number: u16) -> Result<OfflineFile> {
        let record = self.control.datafiles.iter().find(|record| record.number == number);
        let record = record.ok_or_else(|| missing(number, "the control file lists no such file"))?;
        self.open_file(record)
    }

    /// # Errors
    /// ORA-01157 when the file cannot be opened.
    pub(crate) fn open_file(&self, record: &DatafileRecord) -> Result<OfflineFile> {
        let tablespace = self.control.tablespaces.iter().find(|tablespace| tablespace.number == record.tablespace);
        let block_size = match tablespace {
            Some(tablespace) => tablespace.block_size()?,
            None => return Err(missing(record.number, "the control file lists no tablespace for it")),
        };
        let path = resolve(&self.directory, &record.name);
        let failed = |error: &dyn Display| missing(record.number, &format!("{}: {error}", path.display()));
        let content = if is_in_group(&record.name) {
            Content::InGroup(self.open_in_group(&path).map_err(|error| failed(&error))?)
        } else {
            Content::File(File::open(&path).map_err(|error| failed(&error))?)
        };
        Ok(OfflineFile { number: record.file(), path, block_size, blocks: record.blocks, content })
    }

    /// The files, with those in disk groups, and why groups cannot be mounted.
    fn with_groups(&self) -> (Arc<dyn FileSystem>, Vec<Error>) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        offline_files(&self.files, &self.directory, &clock, &self.control)
    }

    fn open_in_group(&self, path: &Path) -> Result<Arc<dyn Device>> {
        let (files, problems) = self.with_groups();
        files.open(path).map_err(|error| {
            // The reason why the group cannot be mounted is more useful than the fact.
            problems
                .into_iter()
                .next()
                .unwrap_or_else(|| Error::new(ErrorKind::Io, Number::Ora(15080), error.to_string()))
        })
    }
}

fn missing(number: u16, why: &str) -> Error {
    Error::new(ErrorKind::User, Number::Ora(1157), format!("data file {number}: {why}"))
}

impl OfflineFile {
    pub(crate) fn address(&self, block: u32) -> BlockAddress {
        BlockAddress::new(self.number, block)
    }

    /// Reads whole blocks from `block` on.
    ///
    /// # Errors
    /// ORA-01115 when they cannot be read or lie behind the end of the file.
    pub(crate) fn read(&self, block: u32, buffer: &mut [u8]) -> Result<()> {
        let offset = u64::from(block) * self.block_size.bytes() as u64;
        let read = match &self.content {
            Content::File(file) => file.read_exact_at(buffer, offset),
            Content::InGroup(device) => device.read_at(offset, &mut [buffer]),
        };
        read.map_err(|error| self.read_error(block, &error))
    }

    fn read_error(&self, block: u32, error: &io::Error) -> Error {
        let why = if error.kind() == io::ErrorKind::UnexpectedEof {
            "the file ends before it".to_owned()
        } else {
            error.to_string()
        };
        let text = format!("cannot read block {block} of file {} ({}): {why}", self.number.0, self.path.display());
        Error::new(ErrorKind::Io, Number::Ora(1115), text)
    }
}
