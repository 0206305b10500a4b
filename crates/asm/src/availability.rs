//! Disks that go offline and come back.
//!
//! A mirrored group takes a disk offline when a request to it fails, before the request is answered: from then on the
//! other copies alone count, and the metadata says so. A disk may go only while each extent keeps a good copy; a
//! failure that would take the last one is the caller's.
//!
//! A disk that comes back first gets all new writes (`Syncing`), then the stale regions one by one, each locked against
//! writes, and then is read again.

use std::io;

use common::sync::Arc;
use common::{Error, Result};

use crate::create::claim;
use crate::directory::{Change, DiskEntry, DiskMode, Pointer, Region};
use crate::discovery::probe;
use crate::disk::Disk;
use crate::error;
use crate::file::LOOKS;
use crate::group::{Group, GroupState};
use crate::header::{Header, HeaderRead, MemberState};
use crate::judge::JudgedFile;
use crate::layout::METADATA_DISKS;
use crate::metadata::Copy;
use crate::pattern;
use crate::shape::Shape;

/// Bytes of a request when extents are copied.
pub(crate) const COPY_BYTES: usize = 1 << 20;

impl Group {
    /// Takes a disk offline after a failed request to it. A disk that was replaced by itself meanwhile stays.
    ///
    /// # Errors
    /// The request's error, when the disk may not go.
    pub(crate) fn take_offline(&self, disk: &Arc<Disk>, why: io::Error) -> io::Result<()> {
        if !self.mirrored() {
            return Err(why);
        }
        let mut state = self.state().map_err(error::to_io)?;
        self.offline_in(&mut state, disk, error::from_io(why)).map_err(error::to_io)
    }

    /// As [`take_offline`](Self::take_offline), for a caller that has the group's lock.
    pub(crate) fn offline_in(&self, state: &mut GroupState, disk: &Arc<Disk>, why: Error) -> Result<()> {
        let current = self.disk(disk.number).is_some_and(|current| Arc::ptr_eq(&current, disk));
        if current { self.offline_number(state, disk.number, why) } else { Ok(()) }
    }

    /// Takes a disk offline that may not be there.
    ///
    /// # Errors
    /// `why` when it may not go; HW-0070.
    pub(crate) fn offline_number(&self, state: &mut GroupState, number: u16, why: Error) -> Result<()> {
        // In a group that has stopped it is not known whether the disks know of an earlier change.
        self.check_taking(state)?;
        let Some(entry) = state.directory.disks.get(&number) else { return Ok(()) };
        if entry.mode == DiskMode::Offline {
            return Ok(());
        }
        if !self.mirrored() || !state.directory.can_do_without(number) {
            return Err(why);
        }
        let (name, dropping) = (entry.name.clone(), entry.dropping);
        state.metadata.remove_copies(number);
        self.begin_repair_times(state);
        let at_us = self.environment.clock.wall_us().max(1);
        self.commit_in(state, &Change::Mode { number, mode: DiskMode::Offline, dropping, at_us })?;
        self.environment.epoch(self.group_name(), state.directory.epoch);
        // Only now may writes do without it: one that was acknowledged before would be lost with the change.
        if let Some(disk) = self.disk(number) {
            disk.set_mode(DiskMode::Offline);
        }
        Self::refresh_space(state);
        self.note(format!("disk \"{name}\" is offline: {why}"));
        self.restore_carriers(state)
    }

    /// Makes other disks carriers of the metadata in the place of those that are gone, and begins a new generation.
    pub(crate) fn restore_carriers(&self, state: &mut GroupState) -> Result<()> {
        let mut added = false;
        while let Some(number) = next_carrier(state.directory.disks.values()) {
            let (Some(disk), Some(header)) = (self.disk(number), state.headers.get(&number)) else { break };
            let places: Vec<_> = header.metadata().map(|offset| Copy { disk: Arc::clone(&disk), offset }).collect();
            if places.is_empty() {
                break;
            }
            state.metadata.add_copies(places.into_iter());
            if let Some(entry) = state.directory.disks.get_mut(&number) {
                entry.carrier = true;
            }
            added = true;
        }
        if added { self.checkpoint_in(state) } else { Ok(()) }
    }

    /// ALTER DISKGROUP … OFFLINE.
    ///
    /// # Errors
    /// ORA-15054 without such a disk; ORA-15066 when an extent would have no good copy left.
    pub(crate) fn offline(&self, name: &str) -> Result<()> {
        let mut state = self.state()?;
        let number = self.find_disk(&state, name)?;
        let Some(disk) = self.disk(number) else { return Ok(()) };
        if !self.mirrored() || !state.directory.can_do_without(number) {
            let text =
                format!("offlining disk \"{}\" in group \"{}\" may result in a data loss", name, self.group_name());
            return Err(Error::user(15066, text));
        }
        // What is durable on it now is not stale when it comes back. A failure here is that of a disk that goes anyway.
        let _ = self.clean_in(&mut state, 0);
        self.offline_in(&mut state, &disk, Error::user(15066, "a statement has taken it offline"))
    }

    /// The number of the disk with this name.
    ///
    /// # Errors
    /// ORA-15054.
    pub(crate) fn find_disk(&self, state: &GroupState, name: &str) -> Result<u16> {
        let found = state.directory.disks.values().find(|disk| disk.name.eq_ignore_ascii_case(name));
        found.map(|disk| disk.number).ok_or_else(|| {
            Error::user(15054, format!("disk \"{name}\" does not exist in diskgroup \"{}\"", self.group_name()))
        })
    }

    /// Opens the disk of an entry again.
    fn find_again(&self, entry: &DiskEntry, patterns: &str) -> Result<(Arc<Disk>, Header)> {
        let missing = |more: &str| {
            let text = format!("ASM disk \"{}\" is missing from diskgroup \"{}\"{more}", entry.name, self.group_name());
            Error::user(15042, text)
        };
        let before = self.disk(entry.number);
        let known = before.as_ref().map(|disk| disk.path.clone());
        let found = pattern::find(&*self.environment.files, patterns).unwrap_or_default();
        for path in known.into_iter().chain(found) {
            let Ok(candidate) = probe(&self.environment, &path) else { continue };
            let HeaderRead::Header { header, .. } = &candidate.found else { continue };
            if header.group != self.header().group || header.disk != entry.id || header.state != MemberState::Member {
                continue;
            }
            if candidate.size < header.size() {
                return Err(missing(&format!(": \"{}\" has become shorter", path.display())));
            }
            let header = Header::clone(header);
            let same = before.as_ref().filter(|disk| disk.path == path);
            let clock = Arc::clone(&self.environment.clock);
            let claim = match same {
                // The last of the two that is dropped gives the claim up.
                Some(earlier) => earlier.claim(),
                None => Arc::new(claim(&self.environment, &path)?),
            };
            let device = candidate.device.of_group(self.mirrored());
            let disk = Disk::new(entry.number, entry.name.clone(), path, device, candidate.size, claim, clock);
            return Ok((Arc::new(disk.following(before.as_ref())), header));
        }
        Err(missing(""))
    }

    /// ALTER DISKGROUP … ONLINE: brings a disk back. Returns when all its copies are current.
    ///
    /// # Errors
    /// ORA-15054 without such a disk; ORA-15042 when it is not to be found; ORA-15080 when it fails again, or a good
    /// copy cannot be read; HW-0070.
    pub(crate) fn online(&self, name: &str, patterns: &str) -> Result<()> {
        let number = {
            let mut state = self.state()?;
            let number = self.find_disk(&state, name)?;
            let Some(entry) = state.directory.disks.get(&number).cloned() else { return Ok(()) };
            if entry.mode != DiskMode::Offline {
                return Ok(());
            }
            let (disk, header) = self.find_again(&entry, patterns)?;
            let outdated = entry.outdated || header.epoch < entry.epoch;
            if let Some(entry) = state.directory.disks.get_mut(&number) {
                entry.outdated = outdated;
            }
            disk.set_mode(DiskMode::Syncing);
            self.set_disk(number, Some(Arc::clone(&disk)));
            state.headers.insert(number, header);
            let change = Change::Mode { number, mode: DiskMode::Syncing, dropping: entry.dropping, at_us: 0 };
            self.commit_in(&mut state, &change)?;
            number
        };
        self.synchronise(number)
    }

    /// Copies all stale extents of a disk that is being synchronised, and puts it online.
    ///
    /// # Errors
    /// ORA-15080: then it is offline again.
    pub(crate) fn synchronise(&self, number: u16) -> Result<()> {
        let Some(disk) = self.disk(number) else { return Ok(()) };
        let regions = self.regions_to_copy(&*self.state()?, number);
        for region in regions {
            if let Err(error) = self.refresh_region(region, &disk) {
                let _ = self.take_offline(&disk, io::Error::other(error.to_string()));
                return Err(error);
            }
        }
        let mut state = self.state()?;
        if let Err(error) = disk.sync(disk.written()) {
            let error = error::from_io(error);
            let _ = self.offline_in(&mut state, &disk, error.clone());
            return Err(error);
        }
        let Some(entry) = state.directory.disks.get(&number).cloned() else { return Ok(()) };
        if entry.mode != DiskMode::Syncing {
            let text = format!("disk \"{}\" failed again while it was synchronised", entry.name);
            return Err(Error::user(15080, text));
        }
        // Its header says first that it is as new as the group.
        let epoch = state.directory.epoch + 1;
        if let Some(header) = state.headers.get_mut(&number) {
            header.epoch = epoch;
            if let Err(error) = header.write(&*disk.device) {
                let error = disk.error("write", &error);
                let _ = self.offline_in(&mut state, &disk, error.clone());
                return Err(error);
            }
        }
        let change = Change::Mode { number, mode: DiskMode::Online, dropping: entry.dropping, at_us: 0 };
        self.commit_in(&mut state, &change)?;
        disk.set_mode(DiskMode::Online);
        Self::refresh_space(&mut state);
        self.note(format!("disk \"{}\" is online", disk.name));
        self.restore_carriers(&mut state)
    }

    /// The regions in which copies on this disk may be old.
    fn regions_to_copy(&self, state: &GroupState, number: u16) -> Vec<Region> {
        let directory = &state.directory;
        let outdated = directory.disks.get(&number).is_some_and(|disk| disk.outdated);
        let has_copy = |region: &Region| {
            let (_, pointers) = directory.pointers_of(*region);
            pointers.iter().any(|pointer| !pointer.is_none() && pointer.disk() == number)
        };
        if outdated {
            let all = directory.files.values().flat_map(|file| Region::all_of(file, directory.au));
            return all.filter(has_copy).collect();
        }
        directory.stale.union(&directory.dirty).copied().filter(has_copy).collect()
    }

    /// Copies the extents of a region that this disk has from good copies, each under the region's lock.
    fn refresh_region(&self, region: Region, disk: &Arc<Disk>) -> Result<()> {
        let each = Region::extents(self.header().au);
        for extent in 0..each as usize {
            let regions = {
                let mut state = self.state()?;
                if !state.directory.files.contains_key(&region.file()) {
                    return Ok(());
                }
                state.regions_of(region.file())
            };
            regions.lock(region.index());
            let copied = self.refresh_extent(region, extent, disk);
            regions.unlock(region.index());
            if !copied? {
                break;
            }
        }
        Ok(())
    }

    /// Copies an extent of a locked region to its copy on this disk. False when the region has no such extent.
    fn refresh_extent(&self, region: Region, extent: usize, disk: &Arc<Disk>) -> Result<bool> {
        let (copies, own, judged) = {
            let state = self.state()?;
            let Some(file) = state.directory.files.get(&region.file()) else { return Ok(false) };
            let (first, pointers) = state.directory.pointers_of(region);
            let judged = JudgedExtent {
                file: JudgedFile { name: self.file_name(file), alias: self.alias_of(&state, file.number) },
                shape: state.directory.shape(file),
                extent: (first / file.copies() + extent) as u64,
            };
            let Some(copies) = pointers.chunks(file.copies()).nth(extent) else { return Ok(false) };
            let own = copies.iter().copied().filter(|copy| !copy.is_none() && copy.disk() == disk.number);
            (copies.to_vec(), own.collect::<Vec<_>>(), judged)
        };
        for own in own {
            self.copy_extent(&copies, own, disk, Some(&judged)).map_err(|failure| error::from_io(failure.into()))?;
        }
        Ok(true)
    }

    /// Copies an extent from a good one of its copies to another place.
    ///
    /// # Errors
    /// When no good copy can be read, or the other place cannot be written.
    pub(crate) fn copy_extent(
        &self,
        copies: &[Pointer],
        to: Pointer,
        disk: &Arc<Disk>,
        judged: Option<&JudgedExtent>,
    ) -> Result<(), CopyFailure> {
        let unit = self.unit_bytes();
        let bytes = u64::from(to.units()) * unit;
        let mut buffer = self.buffers.take(COPY_BYTES.min(bytes as usize));
        let mut at = 0;
        while at < bytes {
            let here = (bytes - at).min(buffer.len() as u64) as usize;
            let mut failure = None;
            let mut read = false;
            // One disk may come online and another go offline between the looks at the two.
            for _ in 0..LOOKS {
                for copy in copies.iter().filter(|copy| !copy.is_none() && **copy != to) {
                    let Some(from) = self.disk(copy.disk()).filter(|disk| disk.mode() == DiskMode::Online) else {
                        continue;
                    };
                    match from.read(u64::from(copy.unit()) * unit + at, &mut [&mut buffer[..here]]) {
                        Ok(()) => {
                            read = true;
                            if let Some(judged) = judged {
                                let others: Vec<_> =
                                    copies.iter().copied().filter(|other| other != copy && *other != to).collect();
                                self.mend_from(&others, judged, at, &mut buffer[..here]);
                            }
                            break;
                        }
                        Err(error) => failure = Some(error),
                    }
                }
                if read || failure.is_some() {
                    break;
                }
                std::thread::yield_now();
            }
            if !read {
                let failure = failure.unwrap_or_else(|| io::Error::other("there is no good copy of an extent"));
                return Err(CopyFailure::Read(failure));
            }
            disk.write(u64::from(to.unit()) * unit + at, &[&buffer[..here]]).map_err(CopyFailure::Write)?;
            at += here as u64;
        }
        Ok(())
    }
}

/// An extent whose blocks can be told from damage.
pub(crate) struct JudgedExtent {
    pub(crate) file: JudgedFile,
    pub(crate) shape: Shape,
    pub(crate) extent: u64,
}

impl Group {
    /// Puts blocks of other copies where a part of an extent, read from one, has damaged ones, or zeros.
    fn mend_from(&self, others: &[Pointer], judged: &JudgedExtent, at: u64, part: &mut [u8]) {
        let Some(judge) = &self.environment.judge else { return };
        let Some(block_bytes) = judge.block_bytes(&judged.file).map(|bytes| bytes as usize) else { return };
        let place = |from: usize| judged.shape.offset_of(judged.extent, at + from as u64);
        // Later blocks are more; damaged ones are less than zeros.
        let rank = |from: usize, block: &[u8]| {
            let sound = judge.is_sound(&judged.file, place(from), block);
            sound.then(|| judge.version(&judged.file, place(from), block))
        };
        let doubtful: Vec<_> = (0..part.len())
            .step_by(block_bytes)
            .map(|from| from..part.len().min(from + block_bytes))
            .filter(|range| rank(range.start, &part[range.clone()]).unwrap_or(0) == 0)
            .collect();
        if doubtful.is_empty() {
            return;
        }
        let mut other = self.buffers.take(part.len());
        for copy in others.iter().filter(|copy| !copy.is_none()) {
            let disk = self.disk(copy.disk()).filter(|disk| disk.mode() == DiskMode::Online);
            let offset = u64::from(copy.unit()) * self.unit_bytes() + at;
            if disk.is_none_or(|disk| disk.read(offset, &mut [&mut other]).is_err()) {
                continue;
            }
            for range in &doubtful {
                if rank(range.start, &other[range.clone()]) > rank(range.start, &part[range.clone()]) {
                    part[range.clone()].copy_from_slice(&other[range.clone()]);
                }
            }
        }
    }
}

/// Which side of a copy failed.
#[derive(Debug)]
pub(crate) enum CopyFailure {
    /// No copy of the extent can be read.
    Read(io::Error),
    /// The new place cannot be written.
    Write(io::Error),
}

impl From<CopyFailure> for io::Error {
    fn from(failure: CopyFailure) -> Self {
        match failure {
            CopyFailure::Read(error) | CopyFailure::Write(error) => error,
        }
    }
}

/// The disk that is to carry the metadata next; None when enough do, or no other can. Disks of failure groups without a
/// carrier come first.
pub(crate) fn next_carrier<'d>(disks: impl Iterator<Item = &'d DiskEntry>) -> Option<u16> {
    let disks: Vec<_> = disks.collect();
    let carriers: Vec<_> = disks.iter().filter(|disk| disk.carrier && disk.mode == DiskMode::Online).collect();
    if carriers.len() >= METADATA_DISKS {
        return None;
    }
    let candidates = disks.iter().filter(|disk| disk.takes_extents() && !disk.carrier);
    let in_use = |disk: &&&DiskEntry| carriers.iter().any(|carrier| carrier.failure_group == disk.failure_group);
    candidates.min_by_key(|disk| (in_use(disk), disk.number)).map(|disk| disk.number)
}
