//! A mounted group: state shared by its open files and its administration.
//!
//! One lock protects the metadata, the allocation table and the list of open files; a change is written under it. No
//! I/O of files is done under it: new units, already taken, are filled with zeros before.

use std::collections::BTreeMap;
use std::io;
use std::sync::Weak;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, MutexGuard};
use common::{Error, ErrorKind, Number, Result};

use crate::codec;
use crate::directory::{Change, Directory, FIRST_FILE, FileEntry, POINTER_BYTES, Pointer};
use crate::disk::Disk;
use crate::environment::Environment;
use crate::error;
use crate::file::{GroupFile, OpenFile, zeros};
use crate::header::{Header, MemberState};
use crate::layout::BLOCK;
use crate::metadata::Metadata;
use crate::name::{FileKind, FileName, check_tag, parse};
use crate::space::Space;
use crate::statistics::{DiskStatistics, FileInfo, GroupStatistics};

/// Disks that an error names, with their free space.
const NAMED_DISKS: usize = 8;

#[derive(Debug)]
pub(crate) struct Group {
    environment: Environment,
    disks: Vec<Arc<Disk>>,
    headers: Vec<Header>,
    state: Mutex<GroupState>,
    counts: Counts,
}

#[derive(Default, Debug)]
struct Counts {
    reads: AtomicU64,
    writes: AtomicU64,
    reads_cut: AtomicU64,
    writes_cut: AtomicU64,
}

#[derive(Debug)]
struct GroupState {
    directory: Directory,
    metadata: Metadata,
    space: Space,
    open: BTreeMap<u32, Weak<OpenFile>>,
    /// Reason why no more changes are taken.
    stopped: Option<String>,
    /// The group was dismounted or dropped.
    gone: bool,
}

impl GroupState {
    fn open_file(&self, number: u32) -> Option<Arc<OpenFile>> {
        self.open.get(&number).and_then(Weak::upgrade)
    }

    fn open_files(&self) -> impl Iterator<Item = u32> {
        self.open.iter().filter(|(_, file)| file.strong_count() > 0).map(|(number, _)| *number)
    }
}

impl Group {
    pub(crate) fn new(
        environment: &Environment,
        disks: Vec<Arc<Disk>>,
        headers: Vec<Header>,
        directory: Directory,
        space: Space,
        metadata: Metadata,
    ) -> Self {
        let state = GroupState { directory, metadata, space, open: BTreeMap::new(), stopped: None, gone: false };
        let (environment, state) = (environment.clone(), Mutex::new(state));
        Self { environment, disks, headers, state, counts: Counts::default() }
    }

    /// The allocation table that follows from the files.
    ///
    /// # Errors
    /// ORA-15196 when two extents have one unit, or a unit does not exist.
    pub(crate) fn space_of(headers: &[Header], directory: &Directory) -> Result<Space> {
        let mut space = Space::new(headers.iter().map(|header| (header.units, header.reserved())));
        for file in directory.files.values() {
            file.extents.iter().try_for_each(|pointer| space.claim(*pointer))?;
        }
        Ok(space)
    }

    pub(crate) fn group_name(&self) -> &str {
        &self.headers[0].group_name
    }

    pub(crate) fn header(&self) -> &Header {
        &self.headers[0]
    }

    pub(crate) fn unit_bytes(&self) -> u64 {
        self.headers[0].au.bytes()
    }

    pub(crate) fn disk(&self, number: usize) -> &Arc<Disk> {
        &self.disks[number]
    }

    pub(crate) fn disks_are_direct(&self) -> bool {
        self.disks.iter().all(|disk| disk.device.direct())
    }

    /// Counts a request cut into so many pieces.
    pub(crate) fn count_cuts(&self, read: bool, pieces: usize) {
        let Counts { reads, writes, reads_cut, writes_cut } = &self.counts;
        let (all, cut) = if read { (reads, reads_cut) } else { (writes, writes_cut) };
        all.fetch_add(1, Ordering::Relaxed);
        if pieces > 1 {
            cut.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The state, if the group still exists.
    fn state(&self) -> Result<MutexGuard<'_, GroupState>> {
        let state = self.state.lock();
        if state.gone { Err(error::no_group(self.group_name())) } else { Ok(state) }
    }

    /// Takes units for a file.
    ///
    /// # Errors
    /// ORA-15041 when there are not so many.
    pub(crate) fn reserve(&self, units: u64) -> Result<Vec<Pointer>> {
        let mut state = self.state()?;
        if let Some(taken) = state.space.take(units) {
            return Ok(taken);
        }
        let mut free: Vec<_> = (self.disks.iter().enumerate().take(NAMED_DISKS))
            .map(|(number, disk)| format!("{}: {}", disk.name, state.space.free(number)))
            .collect();
        if self.disks.len() > NAMED_DISKS {
            free.push(format!("{} disks more", self.disks.len() - NAMED_DISKS));
        }
        let text = format!(
            "diskgroup \"{}\" space exhausted: {units} allocation units of {} MB are wanted, {} are free ({})",
            self.group_name(),
            self.headers[0].au.megabytes(),
            state.space.free_in_all(),
            free.join(", ")
        );
        Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text))
    }

    /// Makes units free again.
    pub(crate) fn release(&self, pointers: &[Pointer]) {
        self.state.lock().space.give_back(pointers);
    }

    /// Fills the first `bytes` bytes of these units with zeros, durably.
    pub(crate) fn fill(&self, pointers: &[Pointer], bytes: u64) -> io::Result<()> {
        let unit = self.unit_bytes();
        let mut rest = bytes;
        let zeros = zeros(unit.min(bytes.next_multiple_of(BLOCK)));
        let mut last_writes = vec![0; self.disks.len()];
        for pointer in pointers {
            // The part behind the file's end is filled again when the file grows; whole blocks bypass the page cache.
            let here = rest.min(unit).next_multiple_of(BLOCK);
            let at = u64::from(pointer.unit()) * unit;
            last_writes[pointer.disk()] = self.fill_range(pointer.disk(), at, here, &zeros)?;
            rest = rest.saturating_sub(unit);
        }
        for (disk, last) in self.disks.iter().zip(last_writes) {
            if last > 0 {
                disk.sync(last)?;
            }
        }
        Ok(())
    }

    /// Fills a part of a disk with zeros; returns the number of the last write.
    pub(crate) fn fill_range(&self, disk: usize, mut at: u64, bytes: u64, zeros: &[u8]) -> io::Result<u64> {
        let end = at + bytes;
        let mut last = 0;
        while at < end {
            let here = (end - at).min(zeros.len() as u64) as usize;
            last = self.disks[disk].write(at, &[&zeros[..here]])?;
            at += here as u64;
        }
        Ok(last)
    }

    /// Makes a change happen: in all copies of the metadata and in memory.
    ///
    /// # Errors
    /// ORA-15041 when the metadata has no room for it; HW-0070 when it could not be written, now or earlier.
    pub(crate) fn commit(&self, change: &Change) -> Result<()> {
        self.commit_in(&mut *self.state()?, change)
    }

    /// As [`commit`](Self::commit), for a change with new units: they are free again when it certainly has not
    /// happened. After a failed write they stay taken, because the outcome is unknown.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub(crate) fn commit_or_release(&self, change: &Change) -> Result<()> {
        self.commit_or_release_in(&mut *self.state()?, change)
    }

    fn commit_or_release_in(&self, state: &mut GroupState, change: &Change) -> Result<()> {
        let committed = self.commit_in(state, change);
        if let Err(error) = &committed
            && error.kind == ErrorKind::OutOfResource
        {
            match change {
                Change::Create(FileEntry { extents, .. }) | Change::Extend { extents, .. } => {
                    state.space.give_back(extents);
                }
                Change::Shrink { .. } | Change::Delete { .. } | Change::Drop => {}
            }
        }
        committed
    }

    fn commit_in(&self, state: &mut GroupState, change: &Change) -> Result<()> {
        if let Some(why) = &state.stopped {
            return Err(error::stopped(self.group_name(), why));
        }
        let more = match change {
            Change::Create(file) => codec::file_bytes(file),
            Change::Extend { extents, .. } => (extents.len() * POINTER_BYTES) as u64,
            Change::Shrink { .. } | Change::Delete { .. } | Change::Drop => 0,
        };
        let (bytes, room) = (codec::encoded_bytes(&state.directory) + more, state.metadata.capacity());
        if more > 0 && bytes > room {
            let text = format!(
                "diskgroup \"{}\" space exhausted: its metadata would have {bytes} bytes, and has room for {room}",
                self.group_name()
            );
            return Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text));
        }
        state.directory.apply(change)?;
        let written = match state.metadata.append(change) {
            Ok(true) => Ok(()),
            Ok(false) => state.metadata.checkpoint(&state.directory),
            Err(error) => Err(error),
        };
        written.map_err(|error| {
            state.stopped = Some(error.to_string());
            error::stopped(self.group_name(), error)
        })
    }

    fn file_name(&self, file: &FileEntry) -> FileName {
        let FileEntry { kind, tag, number, incarnation, .. } = file;
        let group = self.group_name().to_owned();
        FileName { group, kind: *kind, tag: tag.clone(), number: *number, incarnation: *incarnation }
    }

    /// The number of the file that a name means.
    fn find(&self, state: &GroupState, name: &str) -> Result<u32> {
        let wanted = parse(name)?;
        let file = state.directory.files.get(&wanted.number).filter(|file| {
            let same = |(kind, tag): (FileKind, String)| kind == file.kind && tag.eq_ignore_ascii_case(&file.tag);
            wanted.group == self.group_name()
                && wanted.incarnation == file.incarnation
                && wanted.kind_and_tag.clone().is_none_or(same)
        });
        file.map(|file| file.number).ok_or_else(|| error::no_file(name))
    }

    fn handle(self: &Arc<Self>, state: &mut GroupState, number: u32) -> Result<GroupFile> {
        let entry = state
            .directory
            .files
            .get(&number)
            .ok_or_else(|| error::no_file(format!("+{}.{number}", self.group_name())))?;
        let name = self.file_name(entry);
        let file = match state.open_file(number) {
            Some(file) => file,
            None => {
                let file = OpenFile::new(number, entry.size, entry.extents.clone(), &self.disks);
                let file = Arc::new(file);
                state.open.retain(|_, file| file.strong_count() > 0);
                state.open.insert(number, Arc::downgrade(&file));
                file
            }
        };
        Ok(GroupFile { group: Arc::clone(self), file, name })
    }

    pub(crate) fn create_file(self: &Arc<Self>, kind: FileKind, tag: &str, size: u64) -> Result<GroupFile> {
        check_tag(tag)?;
        let extents = self.reserve(size.div_ceil(self.unit_bytes()))?;
        if let Err(error) = self.fill(&extents, size) {
            self.release(&extents);
            return Err(error::from_io(error));
        }
        let created_us = self.environment.clock.wall_us();
        let mut state = self.state()?;
        let mut number = FIRST_FILE;
        while state.directory.files.contains_key(&number) {
            number += 1;
        }
        let incarnation = state.directory.next_incarnation;
        let tag = tag.to_owned();
        let change = Change::Create(FileEntry { number, incarnation, kind, tag, created_us, size, copies: 1, extents });
        self.commit_or_release_in(&mut state, &change)?;
        self.handle(&mut state, number)
    }

    pub(crate) fn open(self: &Arc<Self>, name: &str) -> Result<GroupFile> {
        let mut state = self.state()?;
        let number = self.find(&state, name)?;
        self.handle(&mut state, number)
    }

    pub(crate) fn open_number(self: &Arc<Self>, number: u32) -> Result<GroupFile> {
        self.handle(&mut *self.state()?, number)
    }

    pub(crate) fn delete(&self, name: &str) -> Result<()> {
        let mut state = self.state()?;
        let number = self.find(&state, name)?;
        if state.open_file(number).is_some() {
            let text = format!("ASM file \"{name}\" not dropped; currently being accessed");
            return Err(Error::user(15028, text));
        }
        let extents = state.directory.files.get(&number).map_or_else(Vec::new, |file| file.extents.clone());
        self.commit_in(&mut state, &Change::Delete { number })?;
        state.space.give_back(&extents);
        Ok(())
    }

    fn check_unused(&self, state: &GroupState) -> Result<()> {
        let open: Vec<_> = state.open_files().collect();
        if open.is_empty() {
            return Ok(());
        }
        let names: Vec<_> = (open.iter().take(NAMED_DISKS))
            .filter_map(|number| state.directory.files.get(number))
            .map(|file| self.file_name(file).to_string())
            .collect();
        let text = format!(
            "active use of diskgroup \"{}\" precludes its dismount: {} files are open, among them {}",
            self.group_name(),
            open.len(),
            names.join(", ")
        );
        Err(Error::user(15027, text))
    }

    pub(crate) fn dismount(&self) -> Result<()> {
        let mut state = self.state()?;
        self.check_unused(&state)?;
        state.gone = true;
        Ok(())
    }

    pub(crate) fn drop_group(&self, including_contents: bool) -> Result<()> {
        let mut state = self.state()?;
        if !including_contents && !state.directory.files.is_empty() {
            let text =
                format!("diskgroup \"{}\" contains existing files: {}", self.group_name(), state.directory.files.len());
            return Err(Error::user(15053, text));
        }
        self.check_unused(&state)?;
        self.commit_in(&mut state, &Change::Drop)?;
        state.gone = true;
        // The group is dropped; the next mount finds that and retires headers not reached now.
        Self::retire(&self.disks, &self.headers)
    }

    /// Turns the disks of a dropped group into former disks, the last disk first: as long as one is a member, the first
    /// disk is, and its metadata has the drop.
    ///
    /// # Errors
    /// ORA-15080.
    pub(crate) fn retire(disks: &[Arc<Disk>], headers: &[Header]) -> Result<()> {
        for (disk, header) in disks.iter().zip(headers).rev() {
            let former = Header { state: MemberState::Former, ..header.clone() };
            former.write(&*disk.device).map_err(|error| disk.error("write", &error))?;
        }
        Ok(())
    }

    pub(crate) fn files(&self) -> Result<Vec<FileInfo>> {
        let state = self.state()?;
        let info = |file: &FileEntry| FileInfo {
            name: self.file_name(file),
            bytes: file.size,
            space: file.extents.len() as u64 * self.unit_bytes(),
            created_us: file.created_us,
            open: state.open_file(file.number).is_some(),
        };
        Ok(state.directory.files.values().map(info).collect())
    }

    pub(crate) fn statistics(&self) -> GroupStatistics {
        let state = self.state.lock();
        let disks: Vec<_> = (self.disks.iter().zip(&self.headers).enumerate())
            .map(|(number, (disk, header))| self.disk_statistics(disk, header, state.space.free(number)))
            .collect();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        GroupStatistics {
            name: self.group_name().to_owned(),
            au_size: self.headers[0].au,
            total_bytes: disks.iter().map(|disk| disk.total_bytes).sum(),
            free_bytes: disks.iter().map(|disk| disk.free_bytes).sum(),
            files: state.directory.files.len(),
            open_files: state.open_files().count(),
            reads: count(&self.counts.reads),
            writes: count(&self.counts.writes),
            reads_cut: count(&self.counts.reads_cut),
            writes_cut: count(&self.counts.writes_cut),
            disks,
        }
    }

    fn disk_statistics(&self, disk: &Disk, header: &Header, free: u32) -> DiskStatistics {
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &disk.counters;
        DiskStatistics {
            number: header.number,
            name: disk.name.clone(),
            path: disk.path.clone(),
            os_bytes: disk.device.size().unwrap_or(0),
            total_bytes: header.size(),
            free_bytes: u64::from(free) * self.unit_bytes(),
            reads: count(&counters.reads),
            writes: count(&counters.writes),
            read_errors: count(&counters.read_errors),
            write_errors: count(&counters.write_errors),
            bytes_read: count(&counters.bytes_read),
            bytes_written: count(&counters.bytes_written),
            read_us: count(&counters.read_us),
            write_us: count(&counters.write_us),
            syncs: count(&counters.syncs),
            failed: disk.has_failed(),
        }
    }
}
