//! The one place where names in disk groups become files: a file system above the machine's that knows the mounted
//! groups.
//!
//! A file that is removed while it is open is deleted when its last holder closes it, as in other file systems. The
//! group does not delete open files, so the name is kept until then ([`MountedGroup::doomed`]).

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ::cell::Cells;
use asm::{DiskGroup, Environment, FileInfo, FileKind, GroupFile, GroupStatistics, Lanes, MountOptions, NewFile};
use common::sync::{Arc, Condvar, Mutex, RwLock};
use common::{BlockSize, Clock, Error, ErrorKind, FileNumber, Random, Result, Seeded};
use device::{AlignedBuffer, CellDisk, Claim, Device, FileIdentity, FileSystem, PendingRead, Places, ReadInFlight};

use super::judge::{BlockJudge, LogVersion};
use super::name::{self, InGroup, NewName, in_group, is_named_by_group};
use super::notes::{GroupNotes, as_notes};
use super::rebalance::Rebalancing;
use super::record::GroupRecord;
use super::rooted::Rooted;

/// Source of group ids when a run must be repeatable.
#[derive(Debug)]
struct SeededIds(Mutex<Seeded>);

impl Random for SeededIds {
    fn next_u64(&self) -> u64 {
        self.0.lock().draw()
    }
}

/// Files of the machine and of the mounted groups.
#[derive(Debug)]
pub struct GroupFiles {
    below: Arc<dyn FileSystem>,
    environment: Environment,
    cells: Arc<Cells>,
    mounted: RwLock<BTreeMap<String, Arc<MountedGroup>>>,
    notes: Arc<GroupNotes>,
    judge: Arc<BlockJudge>,
    /// Source of the ids of new groups, where a run must be repeatable.
    ids: Option<Arc<SeededIds>>,
}

/// A group that is mounted.
#[derive(Debug)]
pub struct MountedGroup {
    /// GROUP_NUMBER of the views: the least that is free at the mount, from 1.
    number: u32,
    group: DiskGroup,
    /// Files that were removed while they were open, by the group's names.
    doomed: Mutex<BTreeSet<String>>,
    /// Signalled when one of those has been closed.
    closed: Condvar,
    pub(super) rebalancing: Rebalancing,
}

fn no_group(name: &str) -> Error {
    Error::user(15001, format!("diskgroup \"{name}\" does not exist or is not mounted"))
}

fn to_io(error: Error) -> io::Error {
    let kind = match error.kind {
        _ if error.is_ora(15012) => io::ErrorKind::NotFound,
        ErrorKind::OutOfResource => io::ErrorKind::StorageFull,
        ErrorKind::User => io::ErrorKind::InvalidInput,
        ErrorKind::Corrupt => io::ErrorKind::InvalidData,
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, error)
}

fn not_by_name() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "files of disk groups are not made, renamed or written whole by name")
}

impl MountedGroup {
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    #[must_use]
    pub fn name(&self) -> &str {
        self.group.name()
    }

    #[must_use]
    pub fn statistics(&self) -> GroupStatistics {
        self.group.statistics()
    }

    /// Its files, by number.
    ///
    /// # Errors
    /// ORA-15001 when it was dismounted meanwhile.
    pub fn files(&self) -> Result<Vec<FileInfo>> {
        self.group.files()
    }

    pub fn group(&self) -> &DiskGroup {
        &self.group
    }

    fn device(self: &Arc<Self>, file: GroupFile) -> Arc<dyn Device> {
        let closing = Closing { name: file.name().to_string(), mounted: Arc::clone(self) };
        Arc::new(OpenGroupFile { file, closing: Arc::new(closing) })
    }

    /// Waits until files that were removed while they were open have been closed, and so deleted. Gives up when none
    /// has been closed for `patience`. The database writer may still hold such a file for its last blocks.
    pub fn wait_removed(&self, patience: Duration) {
        let mut doomed = self.doomed.lock();
        while !doomed.is_empty() && !self.closed.wait_for(&mut doomed, patience).timed_out() {}
    }

    /// Deletes a file now, or when it is closed.
    fn remove(&self, file: &str) -> Result<()> {
        // Under the group's own spelling, because the close looks for that. Noted first: a holder that closes the file
        // after this finds the note, and one that closed it before leaves nothing in the way.
        let name = self.group.open(file)?.name().to_string();
        self.doomed.lock().insert(name.clone());
        match self.group.delete(&name) {
            Err(error) if error.is_ora(15028) => Ok(()),
            done => {
                self.doomed.lock().remove(&name);
                // A holder that closed it meanwhile has deleted it.
                if done.as_ref().is_err_and(|error| error.is_ora(15012)) { Ok(()) } else { done }
            }
        }
    }
}

impl GroupFiles {
    /// With no group mounted. `ids` gives the ids of new groups, where a run must be repeatable.
    pub fn new(
        below: Arc<dyn FileSystem>,
        directory: &Path,
        clock: &Arc<dyn Clock>,
        database: &str,
        ids: Option<Seeded>,
    ) -> Self {
        let cells = Arc::new(Cells::new(Arc::clone(&below), directory, ids.is_some()));
        let rooted = Rooted { below: Arc::clone(&below), directory: directory.to_owned(), cells: Arc::clone(&cells) };
        let mut environment = Environment::new(Arc::new(rooted));
        environment.clock = Arc::clone(clock);
        environment.database.set(database);
        let ids = ids.map(|ids| Arc::new(SeededIds(Mutex::new(ids))));
        if let Some(ids) = &ids {
            environment.random = Arc::<SeededIds>::clone(ids);
        }
        let notes = Arc::new(GroupNotes::default());
        environment.notes = Some(as_notes(&notes));
        let judge = Arc::new(BlockJudge::default());
        environment.judge = Some(Arc::<BlockJudge>::clone(&judge));
        Self { below, environment, cells, mounted: RwLock::default(), notes, judge, ids }
    }

    /// Requests to disks of mirrored groups are made by threads, and given up after `patience`.
    #[must_use]
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.environment.lanes = Some(Arc::new(Lanes::new(patience)));
        self
    }

    /// The cells that disks are in.
    #[must_use]
    pub fn cells(&self) -> &Arc<Cells> {
        &self.cells
    }

    /// Lets mounts, checks and rebalances tell damaged blocks of log files.
    pub fn judge_logs_by(&self, log: LogVersion) {
        self.judge.set_log(log);
    }

    /// Lets mounts and checks find the datafile of a name in a group, so that they can tell which copy of a block is
    /// damaged. `find` is called with the group locked.
    pub fn find_datafiles_by(&self, find: impl Fn(&str) -> Option<(FileNumber, BlockSize)> + Send + Sync + 'static) {
        let database = self.environment.database.clone();
        self.judge.set_find(Box::new(move |file| {
            let by_alias = file.alias.as_deref().and_then(&find);
            by_alias.or_else(|| find(&name::full_name(&file.name, &database.get())))
        }));
    }

    /// Begins another sequence of ids for new groups, where a run must be repeatable.
    pub fn reseed(&self, ids: Seeded) {
        if let Some(own) = &self.ids {
            *own.0.lock() = ids;
        }
    }

    /// The database's name, as it is part of the files' names.
    #[must_use]
    pub fn database(&self) -> String {
        self.environment.database.get()
    }

    /// The control file tells the database's name, in which the groups' files are known by it.
    pub fn set_database(&self, name: &str) {
        self.environment.database.set(name);
    }

    /// Notes for the user who opened the database, a sentence each: repairs from a copy, and groups that could not be
    /// mounted.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.notes.all()
    }

    pub fn note(&self, text: String) {
        self.notes.add(text);
    }

    /// Has a caller told of each change of a group's disks: the group's name and its epoch, which the control file
    /// keeps. The caller is called with the group locked.
    pub fn on_epoch(&self, on_epoch: impl Fn(&str, u64) + Send + Sync + 'static) {
        self.notes.set_on_epoch(Box::new(on_epoch));
    }

    /// Periodic housekeeping of the mounted groups. Returns the groups of disks that were dropped, because they were
    /// offline for too long: the groups are to be rebalanced. An error of a group keeps no other one from it; the first
    /// one of [`DiskGroup::tidy`] is returned beside.
    pub fn tidy(&self) -> (Vec<Arc<MountedGroup>>, Result<()>) {
        let mut changed = Vec::new();
        let mut outcome = Ok(());
        for mounted in self.mounted() {
            outcome = outcome.and(mounted.group.tidy());
            match mounted.group.drop_unrepaired() {
                Ok(dropped) if dropped.is_empty() => {}
                Ok(_) => changed.push(mounted),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        (changed, outcome)
    }

    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The mounted groups, by name.
    #[must_use]
    pub fn mounted(&self) -> Vec<Arc<MountedGroup>> {
        self.mounted.read().values().cloned().collect()
    }

    /// A mounted group.
    ///
    /// # Errors
    /// ORA-15001.
    pub fn group(&self, name: &str) -> Result<Arc<MountedGroup>> {
        self.mounted.read().get(name).cloned().ok_or_else(|| no_group(name))
    }

    /// Every disk that the patterns find, member of a group or not.
    ///
    /// # Errors
    /// ORA-15031 when they find nothing.
    pub fn discover(&self, patterns: &str) -> Result<Vec<asm::DiscoveredDisk>> {
        asm::discover(&self.environment, patterns)
    }

    pub fn add(&self, group: DiskGroup) -> Arc<MountedGroup> {
        let mut mounted = self.mounted.write();
        let taken: BTreeSet<u32> = mounted.values().map(|group| group.number).collect();
        let number = (1..).find(|number| !taken.contains(number)).unwrap_or(u32::MAX);
        let group = Arc::new(MountedGroup {
            number,
            group,
            doomed: Mutex::default(),
            closed: Condvar::default(),
            rebalancing: Rebalancing::default(),
        });
        debug_assert!(number != u32::MAX, "a group without a number");
        let before = mounted.insert(group.name().to_owned(), Arc::clone(&group));
        debug_assert!(before.is_none(), "group {} is mounted twice", group.name());
        group
    }

    pub fn forget(&self, name: &str) {
        self.mounted.write().remove(name);
    }

    /// Mounts a group that the control file names. With `force` missing disks of a mirrored group are taken offline.
    ///
    /// # Errors
    /// Errors of [`DiskGroup::mount`]. When no disk is found ORA-15042 names the disks of the record.
    pub fn mount(&self, record: &GroupRecord, force: bool) -> Result<Arc<MountedGroup>> {
        let options = MountOptions { known: record.group_id(), force, epoch: record.epoch.unwrap_or(0) };
        let mounted = DiskGroup::mount_with(&self.environment, &record.name, &record.pattern(), options);
        if let Ok(group) = &mounted {
            group.repaired().iter().for_each(|what| self.note(format!("Disk group {}: {what}.", record.name)));
        }
        mounted.map(|group| self.add(group)).map_err(|error| {
            if !(error.is_ora(15031) || error.is_ora(15063)) || record.disks.is_empty() {
                return error;
            }
            let disks: Vec<_> = record.disks.iter().map(|disk| format!("ASM disk \"{disk}\"")).collect();
            let verb = if disks.len() == 1 { "is" } else { "are" };
            let text = format!(
                "{} {verb} missing from diskgroup \"{}\" (disk specification \"{}\"): {}",
                disks.join(", "),
                record.name,
                record.pattern(),
                error.text
            );
            Error::user(15042, text)
        })
    }

    /// Makes a datafile in a group. Returns its name, the alias where it is to have one, and the open file. With
    /// `reuse` a file that has the alias is deleted before.
    ///
    /// # Errors
    /// ORA-15001 when the group is not mounted; those of [`DiskGroup::create_file_with`].
    pub fn create_datafile(
        &self,
        new: &NewName,
        tablespace: &str,
        bytes: u64,
        reuse: bool,
    ) -> Result<(String, Arc<dyn Device>)> {
        let mounted = self.group(&new.group)?;
        let tag = name::tag_of(tablespace);
        let (template, alias) = (new.template.as_deref(), new.alias.as_deref());
        let file = NewFile { template, alias, reuse, ..NewFile::new(FileKind::DataFile, &tag, bytes) };
        let file = mounted.group.create_file_with(&file)?;
        let name = new.alias.clone().unwrap_or_else(|| name::full_name(file.name(), &self.database()));
        Ok((name, mounted.device(file)))
    }

    /// Makes a member of a log group, full of zeros. Returns its name.
    ///
    /// # Errors
    /// As [`create_datafile`](Self::create_datafile).
    pub fn create_log(&self, group: &str, log_group: u32, bytes: u64) -> Result<String> {
        let mounted = self.group(group)?;
        let file = mounted.group.create_file(FileKind::OnlineLog, &format!("group_{log_group}"), bytes)?;
        Ok(name::full_name(file.name(), &self.database()))
    }

    /// Makes a copy of the control file, full of zeros. Returns its name.
    ///
    /// # Errors
    /// As [`create_datafile`](Self::create_datafile).
    pub fn create_control(&self, group: &str, bytes: u64) -> Result<String> {
        let mounted = self.group(group)?;
        let file = mounted.group.create_file(FileKind::ControlFile, "current", bytes)?;
        Ok(name::full_name(file.name(), &self.database()))
    }

    /// The path of a file by the name that its group has given it, where the path is an alias; other paths as they are.
    #[must_use]
    pub fn without_alias(&self, path: PathBuf) -> PathBuf {
        let Some(found) = self.find(&path).filter(|found| !is_named_by_group(&found.name)) else { return path };
        let name = self.group(&found.group).and_then(|group| group.group.name_of(&found.name));
        name.map_or(path, |name| PathBuf::from(self.full_name(&name)))
    }

    /// The name of a group's file as the control file and the views have it.
    #[must_use]
    pub fn full_name(&self, file: &asm::FileName) -> String {
        name::full_name(file, &self.database())
    }

    /// The group of a path; None for a path of the file system.
    pub fn find(&self, path: &Path) -> Option<InGroup> {
        in_group(path)
    }

    fn open_in(&self, wanted: &InGroup) -> Result<Arc<dyn Device>> {
        let mounted = self.group(&wanted.group)?;
        let file = mounted.group.open(&wanted.name)?;
        Ok(mounted.device(file))
    }
}

impl FileSystem for GroupFiles {
    fn create(&self, path: &Path, bytes: u64) -> io::Result<Arc<dyn Device>> {
        if self.find(path).is_some() { Err(not_by_name()) } else { self.below.create(path, bytes) }
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Device>> {
        match self.find(path) {
            Some(wanted) => self.open_in(&wanted).map_err(to_io),
            None => self.below.open(path),
        }
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        match self.find(path) {
            Some(wanted) => self.group(&wanted.group).and_then(|group| group.remove(&wanted.name)).map_err(to_io),
            None => self.below.remove(path),
        }
    }

    fn exists(&self, path: &Path) -> io::Result<bool> {
        match self.find(path) {
            Some(wanted) => match self.open_in(&wanted) {
                Ok(_) => Ok(true),
                Err(error) if error.is_ora(15012) => Ok(false),
                Err(error) => Err(to_io(error)),
            },
            None => self.below.exists(path),
        }
    }

    fn identity(&self, path: &Path) -> io::Result<Option<FileIdentity>> {
        // The names of files of groups tell them apart.
        if self.find(path).is_some() { Ok(None) } else { self.below.identity(path) }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        if self.find(from).or_else(|| self.find(to)).is_some() {
            Err(not_by_name())
        } else {
            self.below.rename(from, to)
        }
    }

    fn create_directory(&self, path: &Path) -> io::Result<()> {
        self.below.create_directory(path)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        // A group's files are durable when they are made and when they are deleted.
        if self.find(path).is_some() { Ok(()) } else { self.below.sync_directory(path) }
    }

    fn write_whole(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        if self.find(path).is_some() { Err(not_by_name()) } else { self.below.write_whole(path, bytes) }
    }

    fn read_whole(&self, path: &Path) -> io::Result<Vec<u8>> {
        if self.find(path).is_some() { Err(not_by_name()) } else { self.below.read_whole(path) }
    }

    fn list(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.list(directory)
    }

    fn directories(&self, directory: &Path) -> io::Result<Vec<PathBuf>> {
        self.below.directories(directory)
    }

    fn free_bytes(&self, directory: &Path) -> io::Result<Option<u64>> {
        self.below.free_bytes(directory)
    }

    fn claim(&self, path: &Path) -> io::Result<Claim> {
        self.below.claim(path)
    }
}

/// An open file of a group. Fields are dropped in their order, so the file is closed before [`Closing`] is dropped.
#[derive(Debug)]
struct OpenGroupFile {
    file: GroupFile,
    closing: Arc<Closing>,
}

/// A read in flight is a holder of the file, too.
struct HeldRead {
    read: PendingRead,
    _closing: Arc<Closing>,
}

impl ReadInFlight for HeldRead {
    fn is_done(&mut self) -> bool {
        self.read.is_done()
    }

    fn wait(self: Box<Self>) -> io::Result<Vec<AlignedBuffer>> {
        self.read.wait()
    }
}

/// On drop: deletes the file if it was removed while it was open.
#[derive(Debug)]
struct Closing {
    name: String,
    mounted: Arc<MountedGroup>,
}

impl Drop for Closing {
    fn drop(&mut self) {
        if !self.mounted.doomed.lock().contains(&self.name) {
            return;
        }
        // A file with another holder is deleted when the last one closes it. Any other failure leaves a file that
        // belongs to no tablespace; V$ASM_FILE shows it.
        match self.mounted.group.delete(&self.name) {
            Err(error) if error.is_ora(15028) => {}
            _ => {
                self.mounted.doomed.lock().remove(&self.name);
                self.mounted.closed.notify_all();
            }
        }
    }
}

impl Device for OpenGroupFile {
    fn read_at(&self, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.file.read_at(offset, buffers)
    }

    fn write_at(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.file.write_at(offset, buffers)
    }

    fn write_durable(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.file.write_durable(offset, buffers)
    }

    fn submit_read(&self, offset: u64, buffers: Vec<AlignedBuffer>) -> io::Result<PendingRead> {
        let read = self.file.submit_read(offset, buffers)?;
        Ok(PendingRead::new(HeldRead { read, _closing: Arc::clone(&self.closing) }))
    }

    fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }

    fn size(&self) -> io::Result<u64> {
        self.file.size()
    }

    fn set_size(&self, bytes: u64) -> io::Result<()> {
        self.file.set_size(bytes)
    }

    fn direct(&self) -> bool {
        self.file.direct()
    }

    fn places(&self, offset: u64, bytes: u64) -> io::Result<Option<Places>> {
        if self.closing.mounted.group.smart_scan() { self.file.places(offset, bytes) } else { Ok(None) }
    }

    fn cell_disk(&self, offset: u64) -> Option<CellDisk> {
        self.file.cell_disk(offset)
    }

    fn copies(&self) -> usize {
        self.file.copies()
    }

    fn read_copy(&self, copy: usize, offset: u64, buffers: &mut [&mut [u8]]) -> io::Result<()> {
        self.file.read_copy(copy, offset, buffers)
    }

    fn repair(&self, offset: u64, buffers: &[&[u8]]) -> io::Result<()> {
        self.file.repair(offset, buffers)
    }

    fn cuts_at(&self) -> Option<u64> {
        self.file.cuts_at()
    }
}
