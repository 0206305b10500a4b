//! A mounted group: state shared by its open files and its administration.
//!
//! One lock protects the metadata, the allocation table and the list of open files; a change is written under it. No
//! I/O of files is done under it: new units, already taken, are filled with zeros before.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Range;
use std::sync::Weak;

use common::sync::atomic::{AtomicU64, Ordering};
use common::sync::{Arc, Mutex, MutexGuard, RwLock};
use common::{Error, ErrorKind, Number, Result};

use crate::alias::is_system_name;
use crate::buffers::Buffers;
use crate::codec;
use crate::directory::{Change, Directory, DiskMode, FIRST_FILE, FileEntry, Pointer, Region};
use crate::disk::{Disk, DiskSync};
use crate::environment::Environment;
use crate::error;
use crate::file::{GroupFile, Map, OpenFile, zeros};
use crate::header::{Header, MemberState};
use crate::layout::BLOCK;
use crate::metadata::{Metadata, Written};
use crate::moves::Moves;
use crate::name::{FileKind, FileName, NewFile, check_tag, parse};
use crate::rebalance::Rebalance;
use crate::redundancy::Redundancy;
use crate::regions::Regions;
use crate::shape::Shape;
use crate::space::{Space, SpaceOfDisk, Wish};
use crate::statistics::{DiskStatistics, ExtentPlace, FileInfo, GroupStatistics};
use crate::template::{Template, TemplateRequest};

/// Disks that an error names, with their free space.
const NAMED_DISKS: usize = 8;
/// Regions that are noted as dirty together when a file is written in order.
const REGIONS_AHEAD: u32 = 8;

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) environment: Environment,
    /// A header of the group, for what all of them say.
    header: Header,
    /// By number; None for a number without a disk, and for a disk that is not to be found.
    disks: RwLock<Vec<Option<Arc<Disk>>>>,
    state: Mutex<GroupState>,
    pub(crate) rebalance: Mutex<Rebalance>,
    pub(crate) moves: Mutex<Moves>,
    pub(crate) buffers: Arc<Buffers>,
    counts: Counts,
}

#[derive(Default, Debug)]
struct Counts {
    reads: AtomicU64,
    writes: AtomicU64,
    reads_cut: AtomicU64,
    writes_cut: AtomicU64,
    repairs: AtomicU64,
}

/// A unit that was moved away, and those who may still read it.
#[derive(Debug)]
struct Leaving {
    readers: Vec<Weak<Map>>,
    units: Vec<Pointer>,
}

#[derive(Debug)]
pub(crate) struct GroupState {
    pub(crate) directory: Directory,
    pub(crate) metadata: Metadata,
    pub(crate) space: Space,
    /// The headers of the disks, by number.
    pub(crate) headers: BTreeMap<u16, Header>,
    open: BTreeMap<u32, Weak<OpenFile>>,
    /// Of files that are or were open.
    regions: BTreeMap<u32, Arc<Regions>>,
    leaving: Vec<Leaving>,
    /// Numbers of disks that have left the group since the mount.
    pub(crate) left: BTreeSet<u16>,
    /// When the time of disks that are offline was counted, microseconds of the monotonic clock.
    pub(crate) repair_counted_us: u64,
    /// Reason why no more changes are taken.
    stopped: Option<String>,
    /// The group was dismounted or dropped.
    gone: bool,
}

impl GroupState {
    /// Units of a disk that no extent gets.
    pub(crate) fn reserved(&self, number: u16) -> u32 {
        reserved_on(&self.headers, number)
    }

    pub(crate) fn open_file(&self, number: u32) -> Option<Arc<OpenFile>> {
        self.open.get(&number).and_then(Weak::upgrade)
    }

    fn open_files(&self) -> impl Iterator<Item = u32> {
        self.open.iter().filter(|(_, file)| file.strong_count() > 0).map(|(number, _)| *number)
    }

    /// The regions of a file, with those that the metadata has as dirty.
    pub(crate) fn regions_of(&mut self, file: u32) -> Arc<Regions> {
        let dirty = self.directory.dirty.iter().filter(|region| region.file() == file).map(|region| region.index());
        Arc::clone(self.regions.entry(file).or_insert_with(|| Arc::new(Regions::new(dirty))))
    }

    /// Frees the units that extents have left, once their last reads have ended.
    pub(crate) fn free_left(&mut self) {
        let Self { leaving, space, .. } = self;
        leaving.retain(|one| {
            let read = one.readers.iter().any(|map| map.strong_count() > 0);
            if !read {
                space.give_back(&one.units);
            }
            read
        });
    }

    /// The units are free when the last reader of these maps has ended.
    pub(crate) fn leave(&mut self, readers: Vec<Weak<Map>>, units: Vec<Pointer>) {
        self.leaving.push(Leaving { readers, units });
        self.free_left();
    }
}

/// Units of a disk that no extent gets. A disk of a mirrored group that was not there at the mount has no header here;
/// all disks of such a group have as many.
fn reserved_on(headers: &BTreeMap<u16, Header>, number: u16) -> u32 {
    headers.get(&number).or_else(|| headers.values().next()).map_or(0, Header::reserved)
}

/// The disks as the allocation table is given them.
fn space_of_disks(headers: &BTreeMap<u16, Header>, directory: &Directory) -> Vec<SpaceOfDisk> {
    let of_disk = |disk: &crate::directory::DiskEntry| SpaceOfDisk {
        number: disk.number,
        units: disk.units,
        reserved: reserved_on(headers, disk.number),
        failure_group: disk.failure_group.clone(),
        takes_extents: disk.takes_extents(),
    };
    directory.disks.values().map(of_disk).collect()
}

impl Group {
    pub(crate) fn new(
        environment: &Environment,
        header: Header,
        disks: Vec<Option<Arc<Disk>>>,
        headers: BTreeMap<u16, Header>,
        directory: Directory,
        space: Space,
        metadata: Metadata,
    ) -> Self {
        for disk in disks.iter().flatten() {
            if let Some(entry) = directory.disks.get(&disk.number) {
                disk.set_mode(entry.mode);
            }
        }
        let state = GroupState {
            directory,
            metadata,
            space,
            headers,
            open: BTreeMap::new(),
            regions: BTreeMap::new(),
            leaving: Vec::new(),
            left: BTreeSet::new(),
            repair_counted_us: environment.clock.monotonic_us(),
            stopped: None,
            gone: false,
        };
        let (environment, state) = (environment.clone(), Mutex::new(state));
        Self {
            environment,
            header,
            disks: RwLock::new(disks),
            state,
            rebalance: Mutex::default(),
            moves: Mutex::default(),
            buffers: Arc::default(),
            counts: Counts::default(),
        }
    }

    /// The allocation table that follows from the files.
    ///
    /// # Errors
    /// ORA-15196 when two extents have one unit, or a unit does not exist.
    pub(crate) fn space_of(headers: &BTreeMap<u16, Header>, directory: &Directory) -> Result<Space> {
        let mut space = Space::new(&space_of_disks(headers, directory));
        for file in directory.files.values() {
            file.extents.iter().try_for_each(|pointer| space.claim(*pointer))?;
        }
        Ok(space)
    }

    pub(crate) fn group_name(&self) -> &str {
        &self.header.group_name
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn unit_bytes(&self) -> u64 {
        self.header.au.bytes()
    }

    pub(crate) fn mirrored(&self) -> bool {
        self.header.redundancy != Redundancy::External
    }

    /// The disk with this number, if it is there.
    pub(crate) fn disk(&self, number: u16) -> Option<Arc<Disk>> {
        self.disks.read().get(usize::from(number)).cloned().flatten()
    }

    /// Puts a disk in its place, or takes it away.
    pub(crate) fn set_disk(&self, number: u16, disk: Option<Arc<Disk>>) {
        let mut disks = self.disks.write();
        let at = usize::from(number);
        if disks.len() <= at {
            disks.resize(at + 1, None);
        }
        disks[at] = disk;
    }

    /// The disks that are there.
    pub(crate) fn all_disks(&self) -> Vec<Arc<Disk>> {
        self.disks.read().iter().flatten().cloned().collect()
    }

    pub(crate) fn disks_are_direct(&self) -> bool {
        self.disks.read().iter().flatten().all(|disk| disk.device.direct())
    }

    /// Counts a request cut into so many pieces.
    pub(crate) fn count_cuts(&self, read: bool, pieces: usize) {
        let Counts { reads, writes, reads_cut, writes_cut, .. } = &self.counts;
        let (all, cut) = if read { (reads, reads_cut) } else { (writes, writes_cut) };
        all.fetch_add(1, Ordering::Relaxed);
        if pieces > 1 {
            cut.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn count_repair(&self) {
        self.counts.repairs.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn note(&self, text: String) {
        self.environment.note(self.group_name(), text);
    }

    /// The state, if the group still exists.
    pub(crate) fn state(&self) -> Result<MutexGuard<'_, GroupState>> {
        let state = self.state.lock();
        if state.gone { Err(error::no_group(self.group_name())) } else { Ok(state) }
    }

    /// Tells the allocation table what the group's disks are now.
    pub(crate) fn refresh_space(state: &mut GroupState) {
        let disks = space_of_disks(&state.headers, &state.directory);
        state.space.set_disks(&disks);
    }

    /// Takes units for extents of a file of this shape.
    ///
    /// # Errors
    /// ORA-15041 when there are not so many.
    pub(crate) fn reserve(&self, copies: usize, shape: Shape, extents: Range<u64>) -> Result<Vec<Pointer>> {
        let mut state = self.state()?;
        state.free_left();
        // While disks are away files grow with the copies that can be had; a rebalance makes the others.
        let or_fewer = self.mirrored() && state.directory.disks.values().any(|disk| !disk.takes_extents());
        let bytes = shape.bytes_of(extents.end) - shape.bytes_of(extents.start);
        let units = (bytes / self.unit_bytes()).saturating_mul(copies as u64);
        let units_of = extents.map(|extent| shape.units_of(extent));
        if (units <= state.space.free_in_all() || or_fewer)
            && bytes / self.unit_bytes() <= state.space.free_in_all()
            && let Some(taken) = state.space.take(units_of, Wish { copies, or_fewer })
        {
            return Ok(taken);
        }
        let mut free: Vec<_> = (state.directory.disks.values().take(NAMED_DISKS))
            .map(|disk| format!("{}: {}", disk.name, state.space.free(disk.number)))
            .collect();
        if state.directory.disks.len() > NAMED_DISKS {
            free.push(format!("{} disks more", state.directory.disks.len() - NAMED_DISKS));
        }
        let copies =
            if copies > 1 { format!(" for {copies} copies in different failure groups") } else { String::new() };
        let text = format!(
            "diskgroup \"{}\" space exhausted: {units} allocation units of {} MB are wanted{copies}, {} are free ({})",
            self.group_name(),
            self.header.au.megabytes(),
            state.space.free_in_all(),
            free.join(", ")
        );
        Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text))
    }

    /// Makes units free again.
    pub(crate) fn release(&self, pointers: &[Pointer]) {
        self.state.lock().space.give_back(pointers);
    }

    /// Fills new extents with zeros, durably: all that lies before `bytes` bytes of them, or all of finely striped
    /// ones. A copy on a disk that fails meanwhile is given up; each extent keeps one.
    pub(crate) fn fill(&self, shape: Shape, copies: usize, extents: &mut [Pointer], bytes: u64) -> io::Result<()> {
        let unit = self.unit_bytes();
        let zeros = zeros(unit);
        let mut rest = bytes;
        let mut last_writes: BTreeMap<u16, (Arc<Disk>, u64)> = BTreeMap::new();
        for extent in 0..extents.len() / copies {
            let places = extent * copies..(extent + 1) * copies;
            let units = extents[places.clone()].iter().map(|pointer| pointer.units()).max().unwrap_or(0);
            let whole = u64::from(units) * unit;
            // The part behind the file's end is filled again when the file grows; whole blocks bypass the page cache.
            let here = if shape.is_fine() { whole } else { rest.min(whole).next_multiple_of(BLOCK) };
            rest = rest.saturating_sub(whole);
            for at in places {
                let pointer = extents[at];
                if pointer.is_none() {
                    continue;
                }
                let filled = match self.disk(pointer.disk()) {
                    Some(disk) if disk.mode() == DiskMode::Online => {
                        match fill_range(&disk, u64::from(pointer.unit()) * unit, here, &zeros) {
                            Ok(last) => {
                                last_writes.insert(disk.number, (disk, last));
                                true
                            }
                            Err(error) => {
                                self.take_offline(&disk, error)?;
                                false
                            }
                        }
                    }
                    _ => false,
                };
                if !filled {
                    last_writes.remove(&pointer.disk());
                    self.give_up(copies, extents, pointer.disk())?;
                }
            }
        }
        for (number, (disk, last)) in last_writes {
            if let Err(error) = disk.sync(last) {
                self.take_offline(&disk, error)?;
                self.give_up(copies, extents, number)?;
            }
        }
        Ok(())
    }

    /// Gives up the copies on a disk among new extents.
    ///
    /// # Errors
    /// When an extent would have none.
    fn give_up(&self, copies: usize, extents: &mut [Pointer], disk: u16) -> io::Result<()> {
        let on_disk = |pointer: &Pointer| !pointer.is_none() && pointer.disk() == disk;
        for of_extent in extents.chunks_mut(copies) {
            if of_extent.iter().all(|pointer| pointer.is_none() || on_disk(pointer)) {
                let text = format!("disk {disk} of diskgroup \"{}\" is not available", self.group_name());
                return Err(io::Error::other(text));
            }
            for pointer in of_extent.iter_mut().filter(|pointer| on_disk(pointer)) {
                self.release(&[*pointer]);
                *pointer = Pointer::NONE;
            }
        }
        Ok(())
    }

    /// Makes a change happen: in all copies of the metadata and in memory.
    ///
    /// # Errors
    /// ORA-15041 when the metadata has no room for it; HW-0070 when it could not be written, now or earlier.
    pub(crate) fn commit(&self, change: &Change) -> Result<()> {
        self.commit_in(&mut *self.state()?, change)
    }

    /// Gives up new copies on disks that have left the group, have gone offline, or have become shorter, since the
    /// units were taken.
    ///
    /// # Errors
    /// ORA-15041 when an extent would have no copy; then none of the units is taken any more.
    pub(crate) fn give_up_lost(&self, state: &mut GroupState, copies: usize, extents: &mut [Pointer]) -> Result<()> {
        let directory = &state.directory;
        let lost = |pointer: &Pointer| {
            let units = directory.disks.get(&pointer.disk()).map_or(0, |disk| disk.units);
            let beyond = pointer.unit() + u32::from(pointer.units()) > units;
            !pointer.is_none() && (beyond || !directory.is_good(*pointer))
        };
        let without = |of_extent: &[Pointer]| of_extent.iter().all(|pointer| pointer.is_none() || lost(pointer));
        if extents.chunks(copies).any(without) {
            state.space.give_back(extents);
            let text = format!(
                "disks of diskgroup \"{}\" have left it, or gone offline, while a file grew; try again",
                self.group_name()
            );
            return Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text));
        }
        let gone: Vec<_> = extents.iter().filter(|pointer| lost(pointer)).copied().collect();
        state.space.give_back(&gone);
        for pointer in extents.iter_mut().filter(|pointer| gone.contains(pointer)) {
            *pointer = Pointer::NONE;
        }
        Ok(())
    }

    /// As [`commit`](Self::commit), for a change with new units: they are free again when it certainly has not
    /// happened. After a failed write they stay taken, because the outcome is unknown.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub(crate) fn commit_or_release_in(&self, state: &mut GroupState, change: &Change) -> Result<()> {
        let committed = self.commit_in(state, change);
        if let Err(error) = &committed
            && error.kind == ErrorKind::OutOfResource
            && let Change::Create(FileEntry { extents, .. })
            | Change::CreateNamed(FileEntry { extents, .. }, _)
            | Change::Extend { extents, .. } = change
        {
            state.space.give_back(extents);
        }
        committed
    }

    /// Checks that changes are taken.
    ///
    /// # Errors
    /// HW-0070.
    pub(crate) fn check_taking(&self, state: &GroupState) -> Result<()> {
        state.stopped.as_ref().map_or(Ok(()), |why| Err(error::stopped(self.group_name(), why)))
    }

    pub(crate) fn commit_in(&self, state: &mut GroupState, change: &Change) -> Result<()> {
        self.check_taking(state)?;
        let more = codec::added_bytes(&state.directory, change);
        if more > 0 {
            let (bytes, room) = (codec::largest_bytes(&state.directory) + more, state.metadata.capacity());
            if bytes > room {
                let text = format!(
                    "diskgroup \"{}\" space exhausted: its metadata would have {bytes} bytes, and has room for {room}",
                    self.group_name()
                );
                return Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text));
            }
        }
        state.directory.apply(change)?;
        let written = match state.metadata.append(change) {
            Ok(Written { room: false, .. }) => state.metadata.checkpoint(&state.directory),
            other => other,
        };
        self.after_write(state, written)
    }

    /// Begins a new generation of the metadata.
    ///
    /// # Errors
    /// HW-0070.
    pub(crate) fn checkpoint_in(&self, state: &mut GroupState) -> Result<()> {
        self.check_taking(state)?;
        let written = state.metadata.checkpoint(&state.directory);
        self.after_write(state, written)
    }

    /// Takes the disks offline that could not be written; after an error of all of them the group stops.
    fn after_write(&self, state: &mut GroupState, written: Result<Written>) -> Result<()> {
        let written = written.and_then(|written| {
            written.failed.into_iter().try_for_each(|(disk, error)| self.offline_in(state, &disk, error))
        });
        written.map_err(|error| {
            let why = state.stopped.get_or_insert_with(|| error.to_string());
            error::stopped(self.group_name(), why)
        })
    }

    pub(crate) fn file_name(&self, file: &FileEntry) -> FileName {
        let FileEntry { kind, tag, number, incarnation, .. } = file;
        let group = self.group_name().to_owned();
        FileName { group, kind: *kind, tag: tag.clone(), number: *number, incarnation: *incarnation }
    }

    /// The number of the file that a name or an alias means.
    pub(crate) fn find(&self, state: &GroupState, name: &str) -> Result<u32> {
        if !is_system_name(name) {
            return self.find_alias(state, name);
        }
        let wanted = parse(name, &self.environment.database.get())?;
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
                let map = Map {
                    size: entry.size,
                    copies: entry.copies(),
                    shape: state.directory.shape(entry),
                    extents: entry.extents.clone(),
                };
                let file = Arc::new(OpenFile::new(number, map, state.regions_of(number), &self.all_disks()));
                state.open.retain(|_, file| file.strong_count() > 0);
                state.open.insert(number, Arc::downgrade(&file));
                file
            }
        };
        Ok(GroupFile { group: Arc::clone(self), file, name })
    }

    /// Copies of the extents of a new file.
    ///
    /// # Errors
    /// ORA-15072 when there are too few failure groups for them.
    fn copies_of(&self, state: &GroupState, template: &Template) -> Result<u8> {
        let redundancy = self.header.redundancy;
        let copies = template.protection.copies(redundancy);
        let groups: BTreeSet<_> = state.directory.disks.values().map(|disk| disk.failure_group.as_str()).collect();
        if copies <= redundancy.copies() || groups.len() >= usize::from(copies) {
            return Ok(copies);
        }
        // The system's template asks for three copies of a control file, not the user: two will do.
        if template.system && template.name == FileKind::ControlFile.name() {
            return Ok(redundancy.copies());
        }
        Redundancy::High.check(self.group_name(), groups.len()).map(|()| copies)
    }

    pub(crate) fn create_file(self: &Arc<Self>, new: &NewFile<'_>) -> Result<GroupFile> {
        let NewFile { kind, tag, bytes: size, template, alias, reuse } = *new;
        check_tag(tag)?;
        let (template, copies, growth) = {
            let state = self.state()?;
            let template = state.directory.templates.for_file(template, kind, self.header.redundancy)?;
            let copies = self.copies_of(&state, &template)?;
            (template, copies, state.directory.growth)
        };
        // The file that is replaced goes once the statement is known to be right.
        if reuse
            && let Some(alias) = alias
            && let Err(error) = self.delete(alias)
            && !error.is_ora(15012)
        {
            return Err(error);
        }
        if let Some(alias) = alias {
            self.path_of_new(&*self.state()?, alias)?;
        }
        let (striping, growing) = (template.striping, true);
        let shape = Shape::new(self.header.au, striping, growing, growth);
        let mut extents = self.reserve(usize::from(copies), shape, 0..shape.extents_of(size))?;
        if let Err(error) = self.fill(shape, usize::from(copies), &mut extents, size) {
            self.release(&extents);
            return Err(error::from_io(error));
        }
        let created_us = self.environment.clock.wall_us();
        let mut state = self.state()?;
        self.give_up_lost(&mut state, usize::from(copies), &mut extents)?;
        let path = match alias.map(|alias| self.path_of_new(&state, alias)).transpose() {
            Ok(path) => path,
            // Another file has got the name meanwhile.
            Err(error) => {
                state.space.give_back(&extents);
                return Err(error);
            }
        };
        let mut number = FIRST_FILE;
        while state.directory.files.contains_key(&number) {
            number += 1;
        }
        let incarnation = state.directory.next_incarnation;
        let tag = tag.to_owned();
        let entry = FileEntry { number, incarnation, kind, tag, created_us, size, copies, striping, growing, extents };
        let change = match path {
            Some(path) => Change::CreateNamed(entry, path),
            None => Change::Create(entry),
        };
        self.commit_or_release_in(&mut state, &change)?;
        self.handle(&mut state, number)
    }

    pub(crate) fn open(self: &Arc<Self>, name: &str) -> Result<GroupFile> {
        let mut state = self.state()?;
        let number = self.find(&state, name)?;
        self.handle(&mut state, number)
    }

    pub(crate) fn name_of(&self, name: &str) -> Result<FileName> {
        let state = self.state()?;
        let number = self.find(&state, name)?;
        let file = state.directory.files.get(&number);
        file.map(|file| self.file_name(file)).ok_or_else(|| error::no_file(name))
    }

    pub(crate) fn open_number(self: &Arc<Self>, number: u32) -> Result<GroupFile> {
        self.handle(&mut *self.state()?, number)
    }

    pub(crate) fn delete(&self, name: &str) -> Result<()> {
        let (mut state, number) = loop {
            let mut state = self.state()?;
            let number = self.find(&state, name)?;
            if state.open_file(number).is_some() {
                let text = format!("ASM file \"{name}\" not dropped; currently being accessed");
                return Err(Error::user(15028, text));
            }
            // A check writes to the units of a region that it has locked.
            let regions = state.regions_of(number);
            if !regions.is_locked() {
                break (state, number);
            }
            drop(state);
            regions.wait_unlocked();
        };
        let extents = state.directory.files.get(&number).map_or_else(Vec::new, |file| file.extents.clone());
        self.commit_in(&mut state, &Change::Delete { number })?;
        state.regions.remove(&number);
        state.space.give_back(&extents);
        Ok(())
    }

    /// Changes templates, all of them or none.
    pub(crate) fn change_templates(&self, requests: &[TemplateRequest]) -> Result<()> {
        let mut state = self.state()?;
        let redundancy = self.header.redundancy;
        let mut after = state.directory.templates.clone();
        for request in requests {
            match after.outcome(request, redundancy)? {
                (_, Some(template)) => after.set(template, redundancy),
                (name, None) => after.remove(&name)?,
            }
        }
        for request in requests {
            let change = match state.directory.templates.outcome(request, redundancy)? {
                (_, Some(template)) => Change::SetTemplate(template),
                (name, None) => Change::DropTemplate(name),
            };
            self.commit_in(&mut state, &change)?;
        }
        Ok(())
    }

    pub(crate) fn templates(&self) -> Result<Vec<Template>> {
        Ok(self.state()?.directory.templates.all(self.header.redundancy))
    }

    pub(crate) fn set_attribute(&self, name: &str, value: &str) -> Result<()> {
        let mut state = self.state()?;
        let (name, value) = state.directory.attributes.outcome(name, value)?;
        self.commit_in(&mut state, &Change::SetAttribute { name, value })
    }

    /// Cells may scan the group's disks.
    pub(crate) fn smart_scan(&self) -> bool {
        self.state().is_ok_and(|state| state.directory.attributes.smart_scan())
    }

    pub(crate) fn attributes(&self) -> Result<Vec<(String, String)>> {
        let mut attributes = self.state()?.directory.attributes.all();
        attributes.push(("au_size".to_owned(), self.unit_bytes().to_string()));
        attributes.sort();
        Ok(attributes)
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
        // The next mount has nothing to compare. If that cannot be noted, it compares.
        if self.check_taking(&state).is_ok() {
            let _ = self.clean_in(&mut state, 0).and_then(|()| self.note_repair_times(&mut state));
        }
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
        let carries = |disk: &Arc<Disk>| state.directory.disks.get(&disk.number).is_some_and(|entry| entry.carrier);
        Self::retire(&self.all_disks(), &state.headers, carries)
    }

    /// Turns the disks of a dropped group into former disks, those with the metadata last, and of them the first one
    /// last: as long as one is a member, that one is, and its metadata has the drop. A disk that is offline keeps its
    /// header.
    ///
    /// # Errors
    /// ORA-15080.
    pub(crate) fn retire(
        disks: &[Arc<Disk>],
        headers: &BTreeMap<u16, Header>,
        carries: impl Fn(&Arc<Disk>) -> bool,
    ) -> Result<()> {
        let mut in_order: Vec<_> = disks.iter().filter(|disk| disk.mode() == DiskMode::Online).collect();
        in_order.sort_by_key(|disk| (carries(disk), std::cmp::Reverse(disk.number)));
        for disk in in_order {
            if let Some(header) = headers.get(&disk.number) {
                let former = Header { state: MemberState::Former, ..header.clone() };
                former.write(&*disk.device).map_err(|error| disk.error("write", &error))?;
            }
        }
        Ok(())
    }

    /// Notes that the copies of these regions of a file may differ from now on; the caller is in them.
    ///
    /// # Errors
    /// HW-0070; ORA-15080 when the group has too many dirty regions and cannot clean some.
    pub(crate) fn note_dirty(&self, file: u32, regions: &Regions, entered: &[u32]) -> Result<()> {
        let mut state = self.state()?;
        let mut wanted = regions.still_clean(entered);
        if wanted.is_empty() {
            return Ok(());
        }
        // A file that is written in order is going to be written further on.
        if let Some(last) = wanted.last().copied()
            && last > 0
            && state.directory.dirty.contains(&Region::new(file, last - 1))
        {
            let directory = &state.directory;
            let there = |region: &u32| !directory.pointers_of(Region::new(file, *region)).1.is_empty();
            let ahead: Vec<_> = (last + 1..=last.saturating_add(REGIONS_AHEAD)).take_while(there).collect();
            wanted.extend(regions.still_clean(&ahead));
        }
        let most = self.environment.dirty_regions;
        if state.directory.dirty.len() + wanted.len() > most {
            self.clean_in(&mut state, most / 2)?;
        }
        let change = Change::Dirty { regions: wanted.iter().map(|region| Region::new(file, *region)).collect() };
        self.commit_in(&mut state, &change)?;
        regions.set_dirty(&wanted);
        Ok(())
    }

    /// Cleans regions without writes under way until `keep` are dirty, the region with the oldest last write first.
    ///
    /// # Errors
    /// Those of a failed sync that takes no disk offline, and HW-0070.
    pub(crate) fn clean_in(&self, state: &mut GroupState, keep: usize) -> Result<()> {
        let mut idle: Vec<(u64, u32, u32)> = Vec::new();
        let files: BTreeSet<u32> = state.directory.dirty.iter().map(|region| region.file()).collect();
        for file in files {
            let regions = state.regions_of(file).idle();
            idle.extend(regions.into_iter().map(|(entered, region)| (entered, file, region)));
        }
        idle.sort_unstable();
        idle.truncate(state.directory.dirty.len().saturating_sub(keep));
        self.clean_these(state, idle.into_iter().map(|(_, file, region)| (file, region)))
    }

    /// Cleans the regions without a write since the call before this one. The system monitor calls it now and then: it
    /// keeps the number of regions low that a mount after a crash has to compare.
    pub(crate) fn tidy(&self) -> Result<()> {
        let mut state = self.state()?;
        state.free_left();
        if state.stopped.is_some() {
            return Ok(());
        }
        let files: BTreeSet<u32> = state.directory.dirty.iter().map(|region| region.file()).collect();
        let quiet: Vec<_> = files
            .into_iter()
            .flat_map(|file| state.regions_of(file).quiet().into_iter().map(move |region| (file, region)))
            .collect();
        self.clean_these(&mut state, quiet.into_iter())
    }

    /// Notes that the copies of all regions without writes under way are alike, so that the next mount has
    /// nothing to compare.
    pub(crate) fn settle(&self) -> Result<()> {
        let mut state = self.state()?;
        self.check_taking(&state)?;
        self.clean_in(&mut state, 0)
    }

    fn clean_these(&self, state: &mut GroupState, regions: impl Iterator<Item = (u32, u32)>) -> Result<()> {
        let mut cleaned = Vec::new();
        for (file, region) in regions {
            if state.regions_of(file).set_clean(region) {
                cleaned.push(Region::new(file, region));
            }
        }
        if cleaned.is_empty() {
            return Ok(());
        }
        let done = self.sync_all(state).and_then(|()| self.note_clean(state, &cleaned));
        if done.is_err() {
            for region in cleaned {
                state.regions_of(region.file()).set_dirty(&[region.index()]);
            }
        }
        done
    }

    /// Notes that regions are clean: their writes are durable on all disks that are written to.
    pub(crate) fn note_clean(&self, state: &mut GroupState, regions: &[Region]) -> Result<()> {
        let directory = &state.directory;
        let has_stale = |region: &Region| {
            let (_, pointers) = directory.pointers_of(*region);
            pointers.iter().any(|pointer| !pointer.is_none() && !directory.is_good(*pointer))
        };
        let (stale, good): (Vec<_>, Vec<_>) = regions.iter().copied().partition(has_stale);
        for (regions, stale) in [(good, false), (stale, true)] {
            // So many fit into the journal.
            for regions in regions.chunks(4096) {
                self.commit_in(state, &Change::Clean { regions: regions.to_vec(), stale })?;
            }
        }
        Ok(())
    }

    /// Makes all writes durable; a disk that cannot goes offline, if it may.
    pub(crate) fn sync_all(&self, state: &mut GroupState) -> Result<()> {
        let disks: Vec<_> = self.all_disks().into_iter().filter(|disk| disk.mode() != DiskMode::Offline).collect();
        let started: Vec<_> = disks.iter().map(|disk| disk.start_sync(disk.written())).collect();
        let ended: Vec<_> = started.into_iter().map(DiskSync::wait).collect();
        (ended.into_iter().zip(&disks))
            .try_for_each(|(ended, disk)| ended.or_else(|error| self.offline_in(state, disk, error::from_io(error))))
    }

    pub(crate) fn files(&self) -> Result<Vec<FileInfo>> {
        let state = self.state()?;
        let info = |file: &FileEntry| FileInfo {
            name: self.file_name(file),
            bytes: file.size,
            space: file.extents.iter().map(|pointer| u64::from(pointer.units()) * self.unit_bytes()).sum(),
            copies: file.copies,
            striping: file.striping,
            created_us: file.created_us,
            open: state.open_file(file.number).is_some(),
            alias: self.alias_of(&state, file.number),
        };
        Ok(state.directory.files.values().map(info).collect())
    }

    pub(crate) fn extents(&self, number: u32) -> Result<Vec<ExtentPlace>> {
        let state = self.state()?;
        let file = state.directory.files.get(&number);
        let file = file.ok_or_else(|| error::no_file(format!("+{}.{number}", self.group_name())))?;
        let shape = state.directory.shape(file);
        let mut places = Vec::with_capacity(file.extents.len());
        for (extent, copies) in file.extents.chunks(file.copies()).enumerate() {
            for (copy, pointer) in copies.iter().enumerate().filter(|(_, pointer)| !pointer.is_none()) {
                places.push(ExtentPlace {
                    file_offset: shape.bytes_of(extent as u64),
                    copy: copy as u8,
                    disk: pointer.disk(),
                    offset: u64::from(pointer.unit()) * self.unit_bytes(),
                    bytes: u64::from(pointer.units()) * self.unit_bytes(),
                });
            }
        }
        Ok(places)
    }

    pub(crate) fn statistics(&self) -> GroupStatistics {
        let state = self.state.lock();
        let disks: Vec<_> = (state.directory.disks.values())
            .map(|entry| {
                let disk = self.disk(entry.number);
                let free = u64::from(state.space.free(entry.number)) * self.unit_bytes();
                let total = u64::from(entry.units) * self.unit_bytes();
                let repair_left_us = self.repair_left_us(&state, entry.number);
                DiskStatistics { repair_left_us, ..DiskStatistics::new(entry, disk.as_deref(), total, free) }
            })
            .collect();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        GroupStatistics {
            name: self.group_name().to_owned(),
            au_size: self.header.au,
            redundancy: self.header.redundancy,
            total_bytes: disks.iter().map(|disk| disk.total_bytes).sum(),
            free_bytes: disks.iter().map(|disk| disk.free_bytes).sum(),
            files: state.directory.files.len(),
            open_files: state.open_files().count(),
            reads: count(&self.counts.reads),
            writes: count(&self.counts.writes),
            reads_cut: count(&self.counts.reads_cut),
            writes_cut: count(&self.counts.writes_cut),
            repairs: count(&self.counts.repairs),
            dirty_regions: state.directory.dirty.len(),
            stale_regions: state.directory.stale.len(),
            disks,
        }
    }
}

/// Fills a part of a disk with zeros; returns the number of the last write.
pub(crate) fn fill_range(disk: &Disk, mut at: u64, bytes: u64, zeros: &[u8]) -> io::Result<u64> {
    let end = at + bytes;
    let mut last = 0;
    while at < end {
        let here = (end - at).min(zeros.len() as u64) as usize;
        last = disk.write(at, &[&zeros[..here]])?;
        at += here as u64;
    }
    Ok(last)
}
