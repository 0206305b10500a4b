//! Disks that join a group, leave it, and change their sizes.

use std::collections::{BTreeMap, BTreeSet};

use common::sync::Arc;
use common::{Error, ErrorKind, Number, Result};

use crate::create::{Joining, NewDisk, entry_of, find_fit, join, write_headers};
use crate::directory::{Change, DiskMode, Move, Pointer, Region};
use crate::discovery::Candidate;
use crate::error;
use crate::group::{Group, GroupState};
use crate::header::{Header, HeaderRead, MemberState};
use crate::redundancy::Redundancy;

impl Group {
    /// Adds disks. Their space is used by new extents, and by those that a rebalance moves.
    pub(crate) fn add_disks(&self, disks: &[NewDisk]) -> Result<()> {
        let candidates = find_fit(&self.environment, disks)?;
        let mut state = self.state()?;
        self.check_taking(&state)?;
        candidates.iter().try_for_each(|candidate| self.check_not_member(&state, candidate))?;
        // A number is used again after the next mount: requests under way may know the disk that had it.
        let mut taken: BTreeMap<u16, String> = state.left.iter().map(|number| (*number, String::new())).collect();
        taken.extend(state.directory.disks.values().map(|disk| (disk.number, disk.name.clone())));
        let common = Header { copies: 1, epoch: state.directory.epoch + 1, ..self.header().clone() };
        let joining = join(&self.environment, &common, disks, candidates, &taken)?;
        write_headers(&joining, MemberState::Forming)?;
        let entries = joining.iter().map(|one| entry_of(&one.header)).collect();
        self.commit_in(&mut state, &Change::AddDisks(entries))?;
        for Joining { disk, header } in &joining {
            state.headers.insert(header.number, header.clone());
            self.set_disk(header.number, Some(Arc::clone(disk)));
        }
        Self::refresh_space(&mut state);
        // From here on they are disks of the group; the next mount makes members of those that are not yet.
        for Joining { disk, header } in &joining {
            if let Err(error) = header.write(&*disk.device) {
                let error = disk.error("write", &error);
                self.note(format!("the header of disk \"{}\" could not be written: {error}", disk.name));
                // Without redundancy it stays: its files' requests tell whether it works.
                if self.mirrored() {
                    self.offline_in(&mut state, disk, error)?;
                }
            }
        }
        self.restore_carriers(&mut state)
    }

    /// Refuses a disk of this group, which may be one that was away at the mount: to take it, force or not, would end
    /// its way back.
    fn check_not_member(&self, state: &GroupState, candidate: &Candidate) -> Result<()> {
        let HeaderRead::Header { header, .. } = &candidate.found else { return Ok(()) };
        let member = state.directory.disks.get(&header.number);
        if header.group != self.header().group || member.is_none_or(|member| member.id != header.disk) {
            return Ok(());
        }
        let text = format!(
            "disk \"{}\" belongs to diskgroup \"{}\" as \"{}\", which has to be dropped first",
            candidate.path.display(),
            header.group_name,
            header.name
        );
        Err(Error::user(15033, text))
    }

    /// Drops disks: they leave the group when a rebalance has emptied them. With `force` they leave it now, and the
    /// copies on them are gone.
    pub(crate) fn drop_disks(&self, names: &[String], force: bool) -> Result<()> {
        self.drop_disks_in(&mut *self.state()?, names, force)
    }

    pub(crate) fn drop_disks_in(&self, state: &mut GroupState, names: &[String], force: bool) -> Result<()> {
        self.check_taking(state)?;
        let numbers = names.iter().map(|name| self.find_disk(state, name)).collect::<Result<BTreeSet<u16>>>()?;
        self.check_failure_groups_left(state, &numbers, force)?;
        if force {
            // All of them can go, or none goes.
            let mut without = state.directory.clone();
            for number in &numbers {
                if !without.can_do_without(*number) {
                    let name = without.disks.get(number).map_or("", |disk| disk.name.as_str());
                    let text = format!("dropping disk \"{name}\" by force would lose the only good copy of extents");
                    return Err(Error::user(15067, text));
                }
                without.apply(&Change::RemoveDisk { number: *number })?;
            }
            return numbers.into_iter().try_for_each(|number| self.drop_by_force(state, number));
        }
        if let Some(disk) =
            state.directory.disks.values().find(|disk| numbers.contains(&disk.number) && disk.mode != DiskMode::Online)
        {
            let text = format!("ASM disk \"{}\" is offline and cannot be dropped, but by FORCE", disk.name);
            return Err(Error::user(15084, text));
        }
        self.check_room_for(state, &numbers)?;
        for number in numbers {
            let change = Change::Mode { number, mode: DiskMode::Online, dropping: true, at_us: 0 };
            self.commit_in(state, &change)?;
        }
        Self::refresh_space(state);
        Ok(())
    }

    /// Takes back the drops that are not finished.
    pub(crate) fn undrop_disks(&self) -> Result<()> {
        let mut state = self.state()?;
        let dropping: Vec<_> =
            state.directory.disks.values().filter(|disk| disk.dropping).map(|disk| (disk.number, disk.mode)).collect();
        for (number, mode) in dropping {
            self.commit_in(&mut state, &Change::Mode { number, mode, dropping: false, at_us: 0 })?;
        }
        Self::refresh_space(&mut state);
        Ok(())
    }

    /// Enough failure groups are left for new extents.
    fn check_failure_groups_left(&self, state: &GroupState, going: &BTreeSet<u16>, force: bool) -> Result<()> {
        let redundancy = self.header().redundancy;
        if force && redundancy == Redundancy::External {
            let text =
                format!("FORCE is incompatible with the EXTERN redundancy of diskgroup \"{}\"", self.group_name());
            return Err(Error::user(15067, text));
        }
        let left = state.directory.disks.values().filter(|disk| !disk.dropping && !going.contains(&disk.number));
        let groups: BTreeSet<_> = left.clone().map(|disk| disk.failure_group.as_str()).collect();
        redundancy.check(self.group_name(), groups.len())?;
        // Disks of groups from before mirroring may have no place for metadata.
        let has_place = |number: &u16| state.headers.get(number).is_some_and(|header| header.copies > 0);
        if left.map(|disk| disk.number).any(|number| has_place(&number)) {
            return Ok(());
        }
        let text = format!("no other disk of diskgroup \"{}\" has a place for its metadata", self.group_name());
        Err(Error::user(15067, text))
    }

    /// The other disks have room for what is on these, and on those that are being dropped already.
    fn check_room_for(&self, state: &GroupState, going: &BTreeSet<u16>) -> Result<()> {
        let reserved = |number: u16| state.headers.get(&number).map_or(0, Header::reserved);
        let used: u64 = (state.directory.disks.values())
            .filter(|disk| disk.dropping || going.contains(&disk.number))
            .map(|disk| u64::from(state.space.used(disk.number, reserved(disk.number))))
            .sum();
        let free: u64 = (state.directory.disks.values())
            .filter(|disk| disk.takes_extents() && !going.contains(&disk.number))
            .map(|disk| u64::from(state.space.free(disk.number)))
            .sum();
        if used <= free {
            return Ok(());
        }
        let text = format!(
            "diskgroup \"{}\" space exhausted: {used} allocation units of {} MB have to move to other disks, which have \
             {free} free",
            self.group_name(),
            self.header().au.megabytes()
        );
        Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text))
    }

    fn drop_by_force(&self, state: &mut GroupState, number: u16) -> Result<()> {
        let Some(entry) = state.directory.disks.get(&number) else { return Ok(()) };
        let text = format!("dropping disk \"{}\" by force would lose the only good copy of extents", entry.name);
        self.offline_number(state, number, Error::user(15067, text))?;
        let disk = self.disk(number);
        self.commit_in(state, &Change::RemoveDisk { number })?;
        self.environment.epoch(self.group_name(), state.directory.epoch);
        // Open files do without the copies.
        let files: Vec<u32> = state.directory.files.keys().copied().collect();
        for file in files.into_iter().filter_map(|file| state.open_file(file)) {
            file.forget_disk(number);
        }
        state.left.insert(number);
        let header = state.headers.remove(&number);
        self.set_disk(number, None);
        Self::refresh_space(state);
        // The disk may be out of reach. Then its header says that it is a member of a group that does not know it.
        if let (Some(disk), Some(header)) = (disk, header) {
            let _ = Header { state: MemberState::Former, ..header }.write(&*disk.device);
        }
        Ok(())
    }

    /// Changes a disk's size; None: all that it has. A smaller disk's extents behind its new end move first.
    pub(crate) fn resize_disk(&self, name: &str, bytes: Option<u64>) -> Result<()> {
        let (number, units, before) = {
            let state = self.state()?;
            self.check_taking(&state)?;
            let number = self.find_disk(&state, name)?;
            let Some(entry) = state.directory.disks.get(&number) else { return Ok(()) };
            let Some(disk) = self.disk(number).filter(|_| entry.mode == DiskMode::Online) else {
                return Err(Error::user(15084, format!("ASM disk \"{name}\" is offline and cannot be resized")));
            };
            let size = disk.measure()?;
            let wanted = bytes.unwrap_or(size);
            if wanted > size {
                let text = format!("disk \"{name}\" is truncated: it has {size} bytes, and is to have {wanted}");
                return Err(Error::user(15036, text));
            }
            let reserved = state.headers.get(&number).map_or(0, Header::reserved);
            let units = u32::try_from(wanted / self.unit_bytes()).unwrap_or(u32::MAX);
            if units <= reserved {
                let least = u64::from(reserved + 1) * self.unit_bytes();
                let text = format!("disk \"{name}\" of {wanted} bytes is smaller than minimum of {least} bytes");
                return Err(Error::user(15037, text));
            }
            (number, units, entry.units)
        };
        if units < before {
            self.clear_behind(number, units)?;
        }
        let mut state = self.state()?;
        state.free_left();
        if units < before && !state.space.is_unused_from(number, units) {
            // Reads, or a file that grows, still use units behind the new end.
            state.space.limit(number, None);
            let text = format!("units of disk \"{name}\" behind its new end are in use; try again");
            return Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text));
        }
        let header = state.headers.get(&number).map(|header| Header { units, ..header.clone() });
        let (Some(header), Some(disk)) = (header, self.disk(number)) else { return Ok(()) };
        let write = || header.write(&*disk.device).map_err(|error| disk.error("write", &error));
        // The header never says less than the metadata.
        if units > before {
            write()?;
        }
        self.commit_in(&mut state, &Change::ResizeDisk { number, units })?;
        state.headers.insert(number, header.clone());
        Self::refresh_space(&mut state);
        if units < before { write() } else { Ok(()) }
    }

    /// Moves the extents behind a unit of a disk to units before it.
    fn clear_behind(&self, number: u16, units: u32) -> Result<()> {
        self.state()?.space.limit(number, Some(units));
        let cleared = self.move_from_behind(number, units);
        if cleared.is_err() {
            self.state()?.space.limit(number, None);
        }
        cleared
    }

    fn move_from_behind(&self, number: u16, units: u32) -> Result<()> {
        loop {
            let behind = |pointer: &Pointer| {
                !pointer.is_none() && pointer.disk() == number && pointer.unit() + u32::from(pointer.units()) > units
            };
            let mut found = Vec::new();
            for file in self.state()?.directory.files.values() {
                let positions = (0..file.extents.len()).filter(|position| behind(&file.extents[*position]));
                found.extend(positions.map(|position| (file.number, file.incarnation, position, file.copies())));
            }
            if found.is_empty() {
                return Ok(());
            }
            for (file, incarnation, position, copies) in found {
                let region = ((position / copies) as u64 / Region::extents(self.header().au)) as u32;
                let regions = self.state()?.regions_of(file);
                regions.lock(region);
                let moved = self.move_on_disk(file, incarnation, position);
                regions.unlock(region);
                moved?;
            }
        }
    }

    /// Moves a copy to another unit of its disk. The caller has its region.
    fn move_on_disk(&self, file: u32, incarnation: u32, position: usize) -> Result<()> {
        let current = |state: &GroupState| {
            let entry = state.directory.files.get(&file).filter(|entry| entry.incarnation == incarnation);
            entry.and_then(|entry| entry.extents.get(position)).copied()
        };
        let (from, to) = {
            let mut state = self.state()?;
            let Some(from) = current(&state) else { return Ok(()) };
            let Some(to) = state.space.take_of(from.disk(), from.units()) else {
                let text = format!("disk {} has no room for the extents behind its new end", from.disk());
                return Err(Error::new(ErrorKind::OutOfResource, Number::Ora(15041), text));
            };
            (from, to)
        };
        let Some(disk) = self.disk(to.disk()) else { return Ok(()) };
        let copied = self.copy_extent(&[from], to, &disk, None).map_err(std::io::Error::from);
        if let Err(error) = copied.and_then(|()| disk.sync(disk.written())) {
            self.release(&[to]);
            return Err(error::from_io(error));
        }
        let mut state = self.state()?;
        if current(&state) != Some(from) {
            state.space.give_back(&[to]);
            return Ok(());
        }
        self.commit_in(&mut state, &Change::Moves(vec![Move::new(file, position as u32, to)]))?;
        match state.open_file(file) {
            Some(open) => {
                open.note_write(to.disk(), disk.written());
                open.move_pointers(std::iter::once((position, to)));
                state.leave(open.readers(), vec![from]);
            }
            None => state.space.give_back(&[from]),
        }
        Ok(())
    }
}
