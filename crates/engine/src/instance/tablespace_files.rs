//! CREATE, ALTER and DROP TABLESPACE: files made, opened, resized and removed.
//!
//! Order of steps in a creation: files are made and formatted whole, synced, then recorded in the control file. A crash
//! or an error before that leaves at most files that no database knows; an error removes them.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use common::sync::{Arc, MutexGuard};
use common::{BlockAddress, BlockSize, Error, ErrorKind, FileNumber, Number, Result, TablespaceNumber, limits};
use device::{AlignedBuffer, Device};
use format::block::{self, BlockType};
use format::{extent_bitmap, file};
use waits::Enqueue;

use super::Instance;
use super::own_files::same_place;
use super::session::Session;
use super::system_files::{SystemFile, is_system_named};
use storage::control::{
    Autoextend, ControlData, DatafileRecord, ExtentManagement, Shutdown, SpaceManagement, TablespaceKind,
    TablespaceRecord,
};
use storage::datafile::{Datafile, repair_from_copy};
use storage::disk_group::{self, NewName, is_in_group, same_file};
use storage::tablespace::{Tablespace, unit_blocks};

/// A datafile to make. Sizes in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatafileSpec {
    /// Empty: the database names the file, and makes it where DB_CREATE_FILE_DEST says.
    pub name: String,
    pub bytes: u64,
    /// Take over an existing file's name: the file is replaced.
    pub reuse: bool,
    /// Growth step and largest size (None: as large as a file can be).
    pub autoextend: Option<(u64, Option<u64>)>,
}

/// Size and growth step of a file without a SIZE, in a disk group or named by the database.
const USUAL_BYTES: u64 = 100 << 20;

impl DatafileSpec {
    /// A file that the database names and sizes.
    #[must_use]
    pub fn unnamed() -> Self {
        Self::sized(String::new(), None, false, None)
    }

    /// A file of this name, or without one. Without a size it has 100 MB, and grows by that unless `autoextend` says
    /// something else: Some(None) for AUTOEXTEND OFF.
    #[must_use]
    pub fn sized(
        name: String,
        bytes: Option<u64>,
        reuse: bool,
        autoextend: Option<Option<(u64, Option<u64>)>>,
    ) -> Self {
        let usual = if bytes.is_none() { Some((USUAL_BYTES, None)) } else { None };
        Self { name, bytes: bytes.unwrap_or(USUAL_BYTES), reuse, autoextend: autoextend.unwrap_or(usual) }
    }
}

/// A tablespace to make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TablespaceSpec {
    pub name: String,
    /// None: one that the database names.
    pub files: Vec<DatafileSpec>,
    /// None: the database's.
    pub block_size: Option<BlockSize>,
    /// None: autoallocate; `Some(bytes)`: uniform extents.
    pub uniform_bytes: Option<u64>,
    pub space_management: SpaceManagement,
    /// LOGGING or NOLOGGING for objects made in it without either.
    pub logging: bool,
}

fn file_error(number: u32, what: &str, name: &str, error: &std::io::Error) -> Error {
    let kind = if error.kind() == std::io::ErrorKind::StorageFull { ErrorKind::OutOfResource } else { ErrorKind::Io };
    Error::new(kind, Number::Ora(number), format!("{what} '{name}': {error}"))
}

/// Opens a datafile of the database and checks that it is the one in the control file.
///
/// # Errors
/// ORA-01157 missing, ORA-01122 with the reason: truncated, of another database or another file, damaged header.
pub(crate) fn open_file(
    instance: &Instance,
    tablespace: &TablespaceRecord,
    record: &DatafileRecord,
) -> Result<Datafile> {
    let number = record.file();
    let path = instance.groups().without_alias(instance.resolve(&record.name));
    let failed = |why: String| {
        Error::new(
            ErrorKind::Corrupt,
            Number::Ora(1122),
            format!("database file {} failed verification check: {why} ('{}')", number.0, record.name),
        )
    };
    let device = instance.files().open(&path).map_err(|error| {
        Error::new(
            ErrorKind::Io,
            Number::Ora(1157),
            format!("cannot identify data file {}: {error} ('{}')", number.0, record.name),
        )
    })?;
    let size = tablespace.block_size()?;
    let bytes = device.size().map_err(|e| failed(e.to_string()))?;
    let expected = u64::from(record.blocks) * size.bytes() as u64;
    if bytes < expected {
        return Err(failed(format!("the file is truncated: {bytes} bytes of {expected}")));
    }
    let mut head = AlignedBuffer::zeroed(size.bytes() * 2);
    device.read_at(0, &mut [&mut head[..]]).map_err(|e| failed(e.to_string()))?;
    let address = BlockAddress::new(number, file::FILE_HEADER_BLOCK);
    let check = |head: &[u8]| {
        file::read_os_block(head)?;
        let header = &head[size.bytes()..];
        if block::is_unformatted(header) {
            return Err(Error::corrupt(address, "there is no file header"));
        }
        block::check(header, address)
    };
    if check(&head).is_err() {
        // A mirrored file may have it whole in another copy.
        repair_from_copy(&*device, 0, &mut head, check);
    }
    let (found_size, database) = file::read_os_block(&head).map_err(|e| failed(e.text))?;
    if database != instance.database_id() {
        return Err(failed("the file belongs to another database".to_owned()));
    }
    if found_size != size {
        return Err(failed(format!("its blocks have {found_size} bytes, not {size}")));
    }
    let header_block = &mut head[size.bytes()..];
    if let Err(error) = block::check(header_block, address) {
        // A crash during a close may have torn it; then the double-write area has it whole.
        let area = instance.cache().double_write().map_or(Ok(Vec::new()), |area| area.blocks())?;
        let whole = area.into_iter().find(|(other, whole)| *other == address && whole.len() == size.bytes());
        let Some((_, whole)) = whole else { return Err(failed(error.text)) };
        header_block.copy_from_slice(&whole);
        let written = device.write_at(size.bytes() as u64, &[header_block]).and_then(|()| device.sync());
        written.map_err(|e| failed(format!("its torn header cannot be put back: {e}")))?;
    }
    let header = file::file_header(header_block);
    if header.file.get() != u32::from(number.0) || header.tablespace.get() != tablespace.number {
        return Err(failed(format!(
            "it is file {} of tablespace {}",
            header.file.get(),
            file::name(&header.tablespace_name)
        )));
    }
    let (clean, closed) = {
        let control = instance.control();
        (control.data().shutdown == Shutdown::Clean, control.data().closed_scn)
    };
    let stamped = header.checkpoint_scn.get();
    if clean
        && let Some(expected) = closed
        && stamped != expected
    {
        return Err(Error::new(
            ErrorKind::Corrupt,
            Number::Ora(1113),
            format!(
                "file {} is of another time than the control file (checkpoint SCN {stamped}, not {expected}) and cannot be recovered without \
                 redo ('{}')",
                number.0, record.name
            ),
        ));
    }
    Ok(Datafile::new(number, tablespace.tablespace(), record.name.clone(), path, size, device, record.blocks))
}

impl Instance {
    /// The latch for making, changing and removing files; a wait for it is a wait event.
    pub fn changing(&self, s: &Session) -> MutexGuard<'_, ()> {
        let lock = &self.structure;
        s.meter().take_enqueue(Enqueue::TtContention, 6, [0, 0], -1, || lock.try_lock(), || lock.lock())
    }

    /// A file's path: relative names start at the data directory; names in disk groups stay as they are.
    #[must_use]
    pub fn resolve(&self, name: &str) -> PathBuf {
        disk_group::resolve(self.directory(), name)
    }

    /// Makes a tablespace and opens it.
    ///
    /// # Errors
    /// ORA-01543 duplicate name, ORA-15001 no such disk group, ORA-15041 no space in it, ORA-01537 file in use,
    /// ORA-01119 file cannot be made, ORA-03214 file too small, ORA-03249 uniform size too small, ORA-29339 no cache
    /// for the block size, and those of the control file.
    pub fn create_tablespace(&self, s: &Session, spec: &TablespaceSpec) -> Result<Arc<Tablespace>> {
        let _changing = self.changing(s);
        let tablespace = self.make_tablespace(s, spec, TablespaceKind::Permanent, false)?;
        self.tablespaces().add(tablespace.clone());
        Ok(tablespace)
    }

    /// CREATE UNDO TABLESPACE, with RETENTION GUARANTEE or without: the tablespace and its first undo segments. No
    /// session finds the tablespace before its segments are durable; an open after a crash in between removes it.
    ///
    /// # Errors
    /// As [`Instance::create_tablespace`], and ORA-30036 when the segments have no room in it.
    pub fn create_undo_tablespace(
        &self,
        s: &Session,
        spec: &TablespaceSpec,
        guaranteed: bool,
    ) -> Result<Arc<Tablespace>> {
        let _changing = self.changing(s);
        let tablespace = self.make_tablespace(s, spec, TablespaceKind::Undo, guaranteed)?;
        let made = self.undo().create(s, &tablespace).and_then(|()| self.redo().flush(self.redo().end()));
        let finished = made.and_then(|()| self.control().update(|data| set_finished(data, tablespace.number())));
        if let Err(error) = finished {
            if self.health().check().is_ok() {
                self.remove_tablespace(s, &tablespace, true)?;
            }
            return Err(error);
        }
        self.tablespaces().add(tablespace.clone());
        Ok(tablespace)
    }

    /// Makes the files of a tablespace and records them in the control file. An undo tablespace is not finished by
    /// that.
    fn make_tablespace(
        &self,
        s: &Session,
        spec: &TablespaceSpec,
        kind: TablespaceKind,
        retention_guarantee: bool,
    ) -> Result<Arc<Tablespace>> {
        self.health().check()?;
        if self.tablespaces().named(&spec.name).is_ok() {
            return Err(Error::user(1543, format!("tablespace '{}' already exists", spec.name)));
        }
        let size = match spec.block_size {
            Some(size) => size,
            None => self.block_size(),
        };
        self.cache().check_block_size(size)?;
        let extent_management = match spec.uniform_bytes {
            None => ExtentManagement::Autoallocate,
            Some(bytes) => ExtentManagement::Uniform { blocks: uniform_blocks(bytes, size, spec.space_management)? },
        };
        let unnamed = [DatafileSpec::unnamed()];
        let specs = if spec.files.is_empty() { &unnamed[..] } else { &spec.files[..] };
        let number = self.control().data().tablespaces.iter().map(|t| t.number + 1).max().unwrap_or(0);
        let record = TablespaceRecord {
            number,
            name: spec.name.clone(),
            block_bytes: size.bytes() as u64,
            extent_management,
            space_management: spec.space_management,
            kind,
            retention_guarantee,
            unfinished: kind == TablespaceKind::Undo,
            dropping: None,
            nologging: !spec.logging,
        };
        let files = self.make_files(s, &record, specs)?;
        let records: Vec<_> = files.iter().map(|(record, _)| record.clone()).collect();
        let named = self.control().update(|data| {
            data.tablespaces.push(record.clone());
            data.datafiles.extend(records);
        });
        if let Err(error) = named {
            self.remove_files(&files);
            return Err(error);
        }
        let numbers = files.iter().map(|(record, _)| record.file()).collect();
        for (_, file) in files {
            self.cache().add_file(Arc::new(file))?;
        }
        Ok(Arc::new(Tablespace::new(&record, numbers)?))
    }

    /// Removes tablespaces whose creation a crash has cut short; returns the control file's data after that.
    ///
    /// # Errors
    /// Errors of the control file.
    pub(crate) fn forget_unfinished_tablespaces(&self) -> Result<ControlData> {
        let data = self.control().data().clone();
        let unfinished: Vec<u32> = data.tablespaces.iter().filter(|t| t.unfinished).map(|t| t.number).collect();
        if unfinished.is_empty() {
            return Ok(data);
        }
        self.control().update(|data| {
            data.tablespaces.retain(|t| !t.unfinished);
            data.datafiles.retain(|file| !unfinished.contains(&file.tablespace));
        })?;
        for file in data.datafiles.iter().filter(|file| unfinished.contains(&file.tablespace)) {
            let path = self.resolve(&file.name);
            if let Err(error) = self.files().remove(&path) {
                self.note(format!("Datafile {} of an unfinished tablespace is not removed: {error}.", file.name));
            }
        }
        let after = self.control().data().clone();
        Ok(after)
    }

    /// ALTER TABLESPACE … RETENTION GUARANTEE or NOGUARANTEE.
    ///
    /// # Errors
    /// ORA-30044 for a tablespace that is not for undo; those of the control file.
    pub fn set_retention_guarantee(&self, tablespace: &Tablespace, guaranteed: bool) -> Result<()> {
        self.health().check()?;
        let _changing = self.structure.lock();
        if tablespace.kind() != TablespaceKind::Undo {
            return Err(Error::user(30044, "'Retention' can only be specified for undo tablespace"));
        }
        self.control().update(|data| {
            if let Some(record) = data.tablespaces.iter_mut().find(|t| t.number == tablespace.number().0) {
                record.retention_guarantee = guaranteed;
            }
        })?;
        tablespace.set_retention_guarantee(guaranteed);
        Ok(())
    }

    /// ALTER TABLESPACE … LOGGING or NOLOGGING: for objects made in it from now on.
    ///
    /// # Errors
    /// ORA-30021 for an undo tablespace; those of the control file.
    pub fn set_tablespace_logging(&self, tablespace: &Tablespace, logging: bool) -> Result<()> {
        self.health().check()?;
        let _changing = self.structure.lock();
        if tablespace.kind() == TablespaceKind::Undo {
            return Err(Error::user(30021, "operation not allowed on undo tablespace"));
        }
        self.control().update(|data| {
            if let Some(record) = data.tablespaces.iter_mut().find(|t| t.number == tablespace.number().0) {
                record.nologging = !logging;
            }
        })?;
        tablespace.set_logging(logging);
        Ok(())
    }

    /// ALTER TABLESPACE … ADD DATAFILE.
    ///
    /// # Errors
    /// As [`Instance::create_tablespace`].
    pub fn add_datafiles(&self, s: &Session, tablespace: &Arc<Tablespace>, specs: &[DatafileSpec]) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let record = self.tablespace_record(tablespace)?;
        let files = self.make_files(s, &record, specs)?;
        let records: Vec<_> = files.iter().map(|(record, _)| record.clone()).collect();
        if let Err(error) = self.control().update(|data| data.datafiles.extend(records)) {
            self.remove_files(&files);
            return Err(error);
        }
        for (record, file) in files {
            self.cache().add_file(Arc::new(file))?;
            tablespace.add_file(record.file());
        }
        Ok(())
    }

    fn tablespace_record(&self, tablespace: &Tablespace) -> Result<TablespaceRecord> {
        self.control()
            .data()
            .tablespaces
            .iter()
            .find(|t| t.number == tablespace.number().0)
            .cloned()
            .ok_or_else(|| Error::user(959, format!("tablespace '{}' does not exist", tablespace.name())))
    }

    /// Makes and formats files; an error removes those already made.
    fn make_files(
        &self,
        s: &Session,
        tablespace: &TablespaceRecord,
        specs: &[DatafileSpec],
    ) -> Result<Vec<(DatafileRecord, Datafile)>> {
        let mut made: Vec<(DatafileRecord, Datafile)> = Vec::new();
        for spec in specs {
            let result = self.with_name(s, tablespace, spec).and_then(|spec| {
                self.check_new_file(&made, &spec)?;
                let number = self.free_file_number(&made)?;
                self.make_file(s, tablespace, number, &spec)
            });
            match result {
                Ok(file) => made.push(file),
                Err(error) => {
                    self.remove_files(&made);
                    return Err(error);
                }
            }
        }
        Ok(made)
    }

    /// The file with a name, or with a disk group that gives it one.
    fn with_name<'d>(
        &self,
        s: &Session,
        tablespace: &TablespaceRecord,
        spec: &'d DatafileSpec,
    ) -> Result<Cow<'d, DatafileSpec>> {
        if !spec.name.is_empty() {
            return Ok(Cow::Borrowed(spec));
        }
        let Some(place) = self.datafile_destination(s.parameters()) else {
            return Err(Error::user(
                2199,
                "missing DATAFILE clause, or a name in it, and DB_CREATE_FILE_DEST is not set",
            ));
        };
        let name = self.system_name(&place, SystemFile::Datafile, &tablespace.name)?;
        Ok(Cow::Owned(DatafileSpec { name, ..spec.clone() }))
    }

    /// Refuses a new file that would replace one of the database, or one that the statement has just made.
    fn check_new_file(&self, made: &[(DatafileRecord, Datafile)], spec: &DatafileSpec) -> Result<()> {
        let own = || Error::user(1537, format!("cannot add file '{}': it is already part of the database", spec.name));
        if is_in_group(&spec.name) {
            let alias = NewName::parse(&spec.name)?.alias;
            return if alias.is_some_and(|alias| self.file_named(&alias).is_ok()) { Err(own()) } else { Ok(()) };
        }
        let path = self.resolve(&spec.name);
        let failed = |error| file_error(1119, "error in creating database file", &spec.name, &error);
        let mut in_use = self.is_own_file(&path)?;
        for (_, file) in made {
            in_use |= same_place(&**self.files(), file.path(), &path).map_err(failed)?;
        }
        if in_use { Err(own()) } else { Ok(()) }
    }

    fn remove_files(&self, files: &[(DatafileRecord, Datafile)]) {
        // One copy of the control file may have them.
        if self.health().check().is_err() {
            return;
        }
        for (_, file) in files {
            // The first error is the one to report.
            let _ = self.files().remove(file.path());
        }
    }

    fn free_file_number(&self, made: &[(DatafileRecord, Datafile)]) -> Result<FileNumber> {
        let control = self.control();
        (1..=limits::FILES_MAX)
            .find(|n| {
                control.data().datafiles.iter().all(|file| file.number != *n)
                    && made.iter().all(|(file, _)| file.number != *n)
            })
            .map(FileNumber)
            .ok_or_else(|| {
                Error::new(ErrorKind::OutOfResource, Number::Ora(59), "maximum number of datafiles exceeded")
            })
    }

    fn make_file(
        &self,
        s: &Session,
        tablespace: &TablespaceRecord,
        number: FileNumber,
        spec: &DatafileSpec,
    ) -> Result<(DatafileRecord, Datafile)> {
        let size = tablespace.block_size()?;
        let in_group = if is_in_group(&spec.name) { Some(NewName::parse(&spec.name)?) } else { None };
        let path = self.resolve(&spec.name);
        let unit = unit_blocks(size, tablespace.extent_management);
        let least = file::header_area_blocks(size) + unit;
        let blocks = to_blocks(spec.bytes, size)?;
        if blocks < least {
            let kilobytes = u64::from(least) * size.bytes() as u64 / 1024;
            return Err(Error::user(3214, format!("file size of '{}' is below the least of {kilobytes}K", spec.name)));
        }
        let autoextend = match spec.autoextend {
            None => None,
            Some((next, max)) => {
                let max = match max {
                    Some(bytes) => to_blocks(bytes, size)?,
                    None => limits::BLOCKS_PER_FILE_MAX - 1,
                };
                if max < blocks {
                    return Err(Error::user(2494, format!("MAXSIZE of '{}' is smaller than its size", spec.name)));
                }
                Some(Autoextend { next: to_blocks(next.max(size.bytes() as u64), size)?, max })
            }
        };
        if spec.reuse
            && in_group.is_none()
            && self
                .files()
                .exists(&path)
                .map_err(|e| file_error(1119, "error in creating database file", &spec.name, &e))?
        {
            self.files()
                .remove(&path)
                .map_err(|e| file_error(1119, "error in replacing database file", &spec.name, &e))?;
        }
        let bytes = u64::from(blocks) * size.bytes() as u64;
        let (name, device) =
            s.meter().wait(waits::Event::DataFileInitWrite, [1, u64::from(blocks), 0], -1, || match &in_group {
                Some(new) => self.groups().create_datafile(new, &tablespace.name, bytes, spec.reuse),
                None => self.create_on_disk(&spec.name, &path, bytes).map(|device| (spec.name.clone(), device)),
            })?;
        // An alias may go while the file is open.
        let path = self.groups().without_alias(self.resolve(&name));
        let record = DatafileRecord {
            number: number.0,
            tablespace: tablespace.number,
            name: name.clone(),
            blocks,
            autoextend,
            created_us: s.meter().clock().wall_us(),
            created_scn: self.advance_scn().0,
            cuts: Vec::new(),
        };
        let head = self.format_head(tablespace, &record, size, unit);
        let written = device.write_at(0, &[&head[..]]).and_then(|()| device.sync());
        let synced = written.and_then(|()| path.parent().map_or(Ok(()), |parent| self.files().sync_directory(parent)));
        if let Err(error) = synced {
            let _ = self.files().remove(&path);
            return Err(file_error(1119, "error in formatting database file", &spec.name, &error));
        }
        let file = Datafile::new(number, tablespace.tablespace(), name, path, size, device, blocks);
        file.mark_changed();
        Ok((record, file))
    }

    fn create_on_disk(&self, name: &str, path: &Path, bytes: u64) -> Result<Arc<dyn Device>> {
        self.files().create(path, bytes).map_err(|e| {
            if e.kind() == std::io::ErrorKind::AlreadyExists {
                Error::user(1119, format!("error in creating database file '{name}': the file exists"))
            } else {
                file_error(1119, "error in creating database file", name, &e)
            }
        })
    }

    /// The header area of an empty file.
    fn format_head(
        &self,
        tablespace: &TablespaceRecord,
        record: &DatafileRecord,
        size: BlockSize,
        unit: u32,
    ) -> AlignedBuffer {
        let area = file::header_area_blocks(size);
        let bytes = size.bytes();
        let mut head = AlignedBuffer::zeroed(area as usize * bytes);
        let number = record.file();
        let first_block = area;
        let units = (record.blocks - first_block) / unit;
        let bitmaps = (limits::BLOCKS_PER_FILE_MAX / unit).div_ceil(extent_bitmap::units_per_block(bytes)).max(1);
        debug_assert!(file::FIRST_BITMAP_BLOCK + bitmaps <= area || units == 0);
        for (n, block) in head.chunks_exact_mut(bytes).enumerate() {
            match n as u32 {
                file::OS_BLOCK => file::write_os_block(block, self.database_id()),
                file::FILE_HEADER_BLOCK => {
                    block::format(block, BlockType::FileHeader, BlockAddress::new(number, n as u32));
                    let header = file::file_header_mut(block);
                    header.database_id = self.database_id().into();
                    file::put_name(&mut header.database_name, &self.database_name());
                    header.file = u32::from(number.0).into();
                    header.tablespace = tablespace.number.into();
                    file::put_name(&mut header.tablespace_name, &tablespace.name);
                    header.blocks = record.blocks.into();
                    header.block_bytes = (bytes as u32).into();
                    header.created_us = record.created_us.into();
                    header.creation_scn = self.scn().0.into();
                    header.checkpoint_scn = self.scn().0.into();
                    block::seal(block);
                }
                file::SPACE_HEADER_BLOCK => {
                    file::init_space_header(block, number, size, unit, record.blocks);
                    block::seal(block);
                }
                n if n < file::FIRST_BITMAP_BLOCK + bitmaps.min(area - file::FIRST_BITMAP_BLOCK) => {
                    let first_unit = (n - file::FIRST_BITMAP_BLOCK) * extent_bitmap::units_per_block(bytes);
                    extent_bitmap::init(block, BlockAddress::new(number, n), first_unit);
                    block::seal(block);
                }
                _ => {}
            }
        }
        head
    }

    /// Records in the control file that a tablespace is dropped once it is empty, with its datafiles or without; None:
    /// it stays.
    ///
    /// # Errors
    /// Errors of the control file.
    pub(crate) fn note_drop(&self, tablespace: &Tablespace, dropping: Option<bool>) -> Result<()> {
        self.control().update(|data| {
            if let Some(record) = data.tablespaces.iter_mut().find(|t| t.number == tablespace.number().0) {
                record.dropping = dropping;
            }
        })
    }

    /// Gives up a drop that has begun: the tablespace gives out extents again.
    ///
    /// # Errors
    /// Errors of the control file.
    pub(crate) fn end_drop(&self, tablespace: &Tablespace) -> Result<()> {
        tablespace.end_drop();
        if self.health().check().is_err() || !self.is_drop_noted(tablespace) {
            return Ok(());
        }
        self.note_drop(tablespace, None)
    }

    /// True: the control file has a drop of the tablespace.
    pub(crate) fn is_drop_noted(&self, tablespace: &Tablespace) -> bool {
        let noted = |t: &TablespaceRecord| t.number == tablespace.number().0 && t.dropping.is_some();
        self.control().data().tablespaces.iter().any(noted)
    }

    /// Removes a tablespace without segments (the catalog sees to that), and with `datafiles` its files. Files that the
    /// database has named itself are removed in any case.
    ///
    /// # Errors
    /// ORA-30013 for an undo tablespace that transactions are using; those of the control file; ORA-01259-like when a
    /// file cannot be removed (the tablespace is gone then).
    pub fn drop_tablespace_files(&self, s: &Session, tablespace: &Arc<Tablespace>, datafiles: bool) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        self.remove_tablespace(s, tablespace, datafiles)
    }

    fn remove_tablespace(&self, s: &Session, tablespace: &Tablespace, datafiles: bool) -> Result<()> {
        if tablespace.kind() == TablespaceKind::Undo {
            self.undo().forget(s, tablespace.number())?;
        }
        // Ends of transactions, and changes undone before, may be in the log buffer alone. After a crash recovery would
        // lack them, and the files.
        self.redo().flush(self.redo().end())?;
        let numbers = tablespace.files();
        let system_named: Vec<u16> = (self.control().data().datafiles.iter())
            .filter(|file| is_system_named(&file.name))
            .map(|file| file.number)
            .collect();
        self.control().update(|data| {
            data.tablespaces.retain(|t| t.number != tablespace.number().0);
            data.datafiles.retain(|file| file.tablespace != tablespace.number().0);
        })?;
        self.tablespaces().remove(tablespace.number());
        let mut failed = None;
        for number in numbers {
            let file = self.cache().file(number)?;
            self.cache().remove_file(s.meter(), number);
            let (name, path) = (file.name().to_owned(), file.path().to_owned());
            // Closed first: a disk group reports the error of a removal only when the file is not open.
            drop(file);
            if (datafiles || system_named.contains(&number.0))
                && let Err(error) = self.files().remove(&path)
            {
                failed.get_or_insert_with(|| file_error(1259, "unable to delete datafile", &name, &error));
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// ALTER TABLESPACE … DROP DATAFILE.
    ///
    /// # Errors
    /// ORA-03261 the only file, ORA-03262 not empty.
    pub fn drop_datafile(&self, s: &Session, tablespace: &Arc<Tablespace>, name: &str) -> Result<()> {
        self.health().check()?;
        let _changing = self.changing(s);
        let number = self.file_named(name)?;
        if !tablespace.files().contains(&number) {
            return Err(Error::user(1537, format!("file '{name}' is not of tablespace {}", tablespace.name())));
        }
        if tablespace.files().len() == 1 {
            return Err(Error::user(3261, format!("the tablespace {} has only one file", tablespace.name())));
        }
        if tablespace.files().first() == Some(&number) {
            return Err(Error::user(3263, format!("cannot drop the first file of tablespace {}", tablespace.name())));
        }
        // A session that allocates in the file latches its space header first, and then checks that the file still
        // belongs to the tablespace.
        let header = storage::process::metadata::current_mut(
            s,
            BlockAddress::new(number, file::SPACE_HEADER_BLOCK),
            common::BlockClass::FileBitmapIndex,
        )?;
        let space = file::space_header(&header);
        if space.free_units != space.units {
            return Err(Error::user(3262, format!("the file '{name}' is not empty")));
        }
        // No block on disk after a crash may refer to a removed file.
        self.redo().flush(self.redo().end())?;
        self.control().update(|data| data.datafiles.retain(|file| file.number != number.0))?;
        tablespace.remove_file(number);
        drop(header);
        let file = self.cache().file(number)?;
        self.cache().remove_file(s.meter(), number);
        let path = file.path().to_owned();
        drop(file);
        self.files().remove(&path).map_err(|e| file_error(1259, "unable to delete datafile", name, &e))
    }

    /// ALTER DATABASE DATAFILE … RESIZE.
    ///
    /// # Errors
    /// ORA-01516 no such file, ORA-03297 used data beyond the size, ORA-01237 no room.
    pub fn resize_datafile(&self, s: &Session, name: &str, bytes: u64) -> Result<()> {
        self.health().check()?;
        // The file must not be removed, nor its number reused, before its space header is latched.
        let _changing = self.changing(s);
        let number = self.file_named(name)?;
        let file = self.cache().file(number)?;
        let tablespace = self.tablespaces().numbered(file.tablespace())?;
        tablespace.resize_file(s, number, to_blocks(bytes, file.block_size())?)
    }

    /// ALTER DATABASE DATAFILE … AUTOEXTEND: `None` switches it off.
    ///
    /// # Errors
    /// ORA-01516 no such file; those of the control file.
    pub fn set_autoextend(&self, name: &str, autoextend: Option<(u64, Option<u64>)>) -> Result<()> {
        let _changing = self.structure.lock();
        let number = self.file_named(name)?;
        let size = self.cache().file(number)?.block_size();
        let autoextend = match autoextend {
            None => None,
            Some((next, max)) => Some(Autoextend {
                next: to_blocks(next.max(size.bytes() as u64), size)?,
                max: max.map_or(Ok(limits::BLOCKS_PER_FILE_MAX - 1), |bytes| to_blocks(bytes, size))?,
            }),
        };
        self.control().update(|data| {
            if let Some(file) = data.datafiles.iter_mut().find(|file| file.number == number.0) {
                file.autoextend = autoextend;
            }
        })
    }

    /// The file of this name, or of this number given as text.
    ///
    /// # Errors
    /// ORA-01516.
    pub fn file_named(&self, name: &str) -> Result<FileNumber> {
        // A file of a group has the group's name for it, and may have an alias.
        let groups_own = |name: &str| self.groups().without_alias(PathBuf::from(name)).to_string_lossy().into_owned();
        let wanted = is_in_group(name).then(|| groups_own(name));
        let same = |file: &DatafileRecord| match &wanted {
            Some(wanted) => is_in_group(&file.name) && groups_own(&file.name).eq_ignore_ascii_case(wanted),
            None => same_file(self.directory(), &file.name, name),
        };
        // Not under the control file's lock: a group that changes takes that after its own.
        let files = self.control().data().datafiles.clone();
        files
            .iter()
            .find(|file| same(file) || file.number.to_string() == name)
            .map(DatafileRecord::file)
            .ok_or_else(|| Error::user(1516, format!("nonexistent data file '{name}'")))
    }
}

fn set_finished(data: &mut ControlData, number: TablespaceNumber) {
    if let Some(record) = data.tablespaces.iter_mut().find(|t| t.number == number.0) {
        record.unfinished = false;
    }
}

fn to_blocks(bytes: u64, size: BlockSize) -> Result<u32> {
    let blocks = bytes / size.bytes() as u64;
    if blocks >= u64::from(limits::BLOCKS_PER_FILE_MAX) {
        return Err(Error::user(
            1144,
            format!("file size ({blocks} blocks) exceeds maximum of {} blocks", limits::BLOCKS_PER_FILE_MAX),
        ));
    }
    Ok(blocks as u32)
}

/// Blocks of a uniform extent, rounded up: at least five under automatic management, whose first extent has three
/// blocks for itself; under manual management at least a segment header and a block of rows.
fn uniform_blocks(bytes: u64, size: BlockSize, management: SpaceManagement) -> Result<u32> {
    let blocks = bytes.div_ceil(size.bytes() as u64);
    let least = match management {
        SpaceManagement::Manual => 2,
        SpaceManagement::Auto => 5,
    };
    if blocks < least {
        return Err(Error::user(
            3249,
            format!("uniform size of {bytes} bytes is below the least of {least} blocks of {size} bytes"),
        ));
    }
    if blocks >= u64::from(limits::BLOCKS_PER_FILE_MAX) {
        return Err(Error::user(3249, format!("uniform size of {bytes} bytes is larger than a file can be")));
    }
    Ok(blocks as u32)
}
