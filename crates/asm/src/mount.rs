//! Finding the disks of a group and reading its metadata.
//!
//! A group without redundancy is mounted with all of its disks or not at all. A mirrored group is mounted with all that
//! were online; with FORCE missing ones are taken offline where other copies are there. Errors name the disk. The two
//! copies on a disk, of header and metadata, are repaired from the good one.
//!
//! The metadata of a mirrored group that is mounted is always the newest: a disk takes no part in later changes only
//! when it is offline, and then the others say so. A disk whose own metadata has the others online is mounted with
//! those or by force.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;

use common::sync::Arc;
use common::{Error, ErrorKind, Result};

use crate::DiskGroup;
use crate::create::{claim, copies_on};
use crate::directory::{Change, DiskMode};
use crate::discovery::{Candidate, probe};
use crate::disk::Disk;
use crate::environment::Environment;
use crate::error;
use crate::group::{Group, GroupState};
use crate::header::{Header, HeaderRead, Id, MemberState};
use crate::layout::METADATA_DISKS;
use crate::metadata::{Loaded, Metadata};
use crate::redundancy::Redundancy;
use crate::{name, pattern};

/// Remarks that an error has at its end.
const REMARKS: usize = 8;

/// A disk whose header names the group.
struct Ours {
    candidate: Candidate,
    header: Header,
    whole: bool,
}

impl Ours {
    fn path(&self) -> &Path {
        &self.candidate.path
    }
}

/// Disks of a group of this name, and remarks about other paths that may have been some.
struct Search {
    ours: Vec<Ours>,
    remarks: Vec<String>,
}

fn search(environment: &Environment, name: &str, patterns: &str, known: Option<Id>) -> Result<Search> {
    let mut found = Search { ours: Vec::new(), remarks: Vec::new() };
    let mut identities = HashSet::new();
    for path in pattern::find(&*environment.files, patterns)? {
        // One file may be found by several paths.
        let identity = environment.files.identity(&path).ok().flatten();
        if identity.is_some_and(|identity| !identities.insert(identity)) {
            continue;
        }
        let candidate = match probe(environment, &path) {
            Ok(candidate) => candidate,
            Err(error) => {
                found.remarks.push(error.text);
                continue;
            }
        };
        match candidate.found.clone() {
            HeaderRead::Header { header, .. }
                if header.group_name == name && known.is_some_and(|known| known != header.group) =>
            {
                let text =
                    format!("\"{}\" belongs to another diskgroup of the name as \"{}\"", path.display(), header.name);
                found.remarks.push(text);
            }
            HeaderRead::Header { header, whole }
                if header.group_name == name && header.state != MemberState::Former =>
            {
                found.ours.push(Ours { candidate, header: *header, whole });
            }
            HeaderRead::Header { header, .. } if header.group_name == name => {
                found.remarks.push(format!("\"{}\" is a former disk of it, \"{}\"", path.display(), header.name));
            }
            HeaderRead::Damaged(why) => found.remarks.push(format!("\"{}\" has a header, but {why}", path.display())),
            HeaderRead::Header { header, .. } if header.state == MemberState::Member => found.remarks.push(format!(
                "\"{}\" belongs to diskgroup \"{}\" as \"{}\"",
                path.display(),
                header.group_name,
                header.name
            )),
            HeaderRead::Header { .. } | HeaderRead::Empty | HeaderRead::Foreign => {}
        }
    }
    Ok(found)
}

/// Remarks as the end of a sentence.
fn with(remarks: &[String]) -> String {
    let more = if remarks.len() > REMARKS { "; and others" } else { "" };
    let first = &remarks[..remarks.len().min(REMARKS)];
    if first.is_empty() { String::new() } else { format!(" ({}{more})", first.join("; ")) }
}

fn insufficient(name: &str, remarks: &[String]) -> Error {
    let text = format!("ASM discovered an insufficient number of disks for diskgroup \"{name}\"{}", with(remarks));
    Error::user(15063, text)
}

/// The one group with members, and only its disks.
fn one_group(name: &str, found: Search) -> Result<Search> {
    let groups: BTreeSet<Id> =
        found.ours.iter().filter(|one| one.header.state == MemberState::Member).map(|one| one.header.group).collect();
    let Some(group) = groups.first().copied() else { return Err(insufficient(name, &found.remarks)) };
    if groups.len() > 1 {
        let of_group = |group: Id| {
            let disks = found.ours.iter().filter(|one| one.header.group == group);
            disks
                .map(|one| format!("\"{}\" as \"{}\"", one.path().display(), one.header.name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let groups: Vec<_> = groups.into_iter().map(of_group).collect();
        let text = format!(
            "diskgroup name \"{name}\" is in use by another diskgroup: one has {}",
            groups.join(", another has ")
        );
        return Err(Error::user(15030, text));
    }
    let ours = found.ours.into_iter().filter(|one| one.header.group == group).collect();
    Ok(Search { ours, ..found })
}

fn check_duplicates(ours: &[Ours]) -> Result<()> {
    for (number, one) in ours.iter().enumerate() {
        for other in &ours[..number] {
            let both = format!("\"{}\" and \"{}\"", other.path().display(), one.path().display());
            if one.header.disk == other.header.disk {
                let (disk, group) = (&one.header.name, &one.header.group_name);
                let text = format!("discovered duplicate ASM disk \"{disk}\" of diskgroup \"{group}\": {both}");
                return Err(Error::user(15020, text));
            }
            // A mirrored group may have given the number of a disk that it dropped by force, and that has come back.
            if one.header.number == other.header.number && one.header.redundancy == Redundancy::External {
                let text = format!(
                    "discovered duplicately numbered ASM disk {} of diskgroup \"{}\": {both} both say they are \"{}\" and are not the same",
                    one.header.number, one.header.group_name, one.header.name
                );
                return Err(Error::user(15024, text));
            }
            one.header.agrees(&other.header)?;
        }
    }
    Ok(())
}

/// A mirrored group does without disks that have become shorter.
///
/// # Errors
/// ORA-15036 for one of a group without redundancy.
fn check_sizes(ours: &mut Vec<Ours>, remarks: &mut Vec<String>) -> Result<()> {
    ours.retain(|one| {
        let short = one.header.redundancy != Redundancy::External && one.candidate.size < one.header.size();
        if short {
            let path = one.path().display();
            let (has, had) = (one.candidate.size, one.header.size());
            remarks.push(format!("\"{path}\" is truncated: it has {has} bytes, and had {had}"));
        }
        !short
    });
    for one in ours.iter() {
        if one.candidate.size < one.header.size() {
            let text = format!(
                "disk \"{}\" of diskgroup \"{}\" ({}) is truncated: it has {} bytes, and had {}",
                one.header.name,
                one.header.group_name,
                one.path().display(),
                one.candidate.size,
                one.header.size()
            );
            return Err(Error::new(ErrorKind::Corrupt, common::Number::Ora(15036), text));
        }
    }
    Ok(())
}

fn missing(group: &str, names: &[String], remarks: &[String]) -> Error {
    let disks = names.iter().map(|name| format!("ASM disk \"{name}\"")).collect::<Vec<_>>().join(", ");
    let verb = if names.len() == 1 { "is" } else { "are" };
    Error::user(15042, format!("{disks} {verb} missing from diskgroup \"{group}\"{}", with(remarks)))
}

/// Disks, by number, that are not as the metadata has them.
#[derive(Default)]
struct Members {
    /// Online there and missing here.
    missing: Vec<u16>,
    /// Of older content than the group.
    old: Vec<u16>,
    /// Empty disks that have left the group, but for the note of it.
    left: Vec<u16>,
}

/// Checks the disks against those in the metadata.
fn check_members(group: &str, ours: &[Ours], loaded: &Loaded) -> Result<Members> {
    let disks = &loaded.directory.disks;
    let mirrored = loaded.directory.redundancy != Redundancy::External;
    let Members { mut missing, mut old, mut left } = Members::default();
    for disk in disks.values() {
        let online = disk.mode == DiskMode::Online;
        let same_number = || ours.iter().find(|one| one.header.number == disk.number && !mirrored);
        match ours.iter().find(|one| one.header.disk == disk.id).or_else(same_number) {
            Some(one) if one.header.disk == disk.id && one.header.units >= disk.units => {
                let is_old = mirrored && online && one.header.epoch < disk.epoch;
                old.extend(is_old.then_some(disk.number));
            }
            Some(one) => {
                let text = format!(
                    "disk \"{}\" says it is \"{}\" of diskgroup \"{group}\", and is not the disk that the group knows by this name",
                    one.path().display(),
                    disk.name
                );
                return Err(Error::own(ErrorKind::User, 74, text));
            }
            // Its drop was finished but for the last step.
            None if disk.dropping && !loaded.directory.uses(disk.number) => left.push(disk.number),
            None if online => missing.push(disk.number),
            None => {}
        }
    }
    Ok(Members { missing, old, left })
}

/// Disks that say they are of the group, and that the group does not know.
fn check_strangers(
    group: &str,
    ours: &mut Vec<Ours>,
    loaded: &Loaded,
    remarks: &mut Vec<String>,
    all_there: bool,
) -> Result<()> {
    let known = |one: &Ours| {
        let entry = loaded.directory.disks.get(&one.header.number);
        entry.is_some_and(|entry| entry.id == one.header.disk)
    };
    for one in ours.iter().filter(|one| !known(one)) {
        let text = format!(
            "disk \"{}\" says it is \"{}\" of diskgroup \"{group}\", which does not know it",
            one.path().display(),
            one.header.name
        );
        // A mirrored group may have dropped it by force while it was away, and any group while it was being added.
        let external = loaded.directory.redundancy == Redundancy::External;
        if external && all_there && one.header.state == MemberState::Member {
            return Err(Error::own(ErrorKind::User, 74, text));
        }
        remarks.push(text);
    }
    ours.retain(known);
    Ok(())
}

/// The names of missing disks that should carry metadata: all that is known without any metadata.
fn missing_carriers(ours: &[Ours]) -> Vec<String> {
    let Some(any) = ours.first() else { return Vec::new() };
    let there = |number: u16| ours.iter().any(|one| one.header.number == number);
    // A disk with two places is alone; with one there are at least two disks.
    let disks = ours.iter().map(|one| usize::from(one.header.number) + 1).max().unwrap_or(1).max(2);
    let alone = any.header.copies == 2;
    let carriers = (0..disks.min(METADATA_DISKS) as u16).filter(|_| !alone);
    carriers.filter(|number| !there(*number)).map(|number| format!("{}_{number:04}", any.header.group_name)).collect()
}

/// What a caller of a mount knows or wants.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MountOptions {
    /// The group's id: disks of another group of the same name are skipped.
    pub known: Option<[u8; 16]>,
    /// Missing disks of a mirrored group are taken offline.
    pub force: bool,
    /// Disks whose metadata has an older epoch are not the group: they were away when it changed.
    pub epoch: u64,
}

/// See [`DiskGroup::mount`] and [`DiskGroup::mount_with`].
pub(crate) fn mount(environment: &Environment, name: &str, patterns: &str, options: MountOptions) -> Result<DiskGroup> {
    let name = name::group_name(name)?;
    let Search { mut ours, mut remarks } = one_group(&name, search(environment, &name, patterns, options.known)?)?;
    ours.sort_by_key(|one| one.header.number);
    check_duplicates(&ours)?;
    check_sizes(&mut ours, &mut remarks)?;

    let mirrored = ours.first().is_some_and(|one| one.header.redundancy != Redundancy::External);
    let mut disks: BTreeMap<Id, Arc<Disk>> = BTreeMap::new();
    let mut failed = Vec::new();
    for one in &ours {
        let claim = Arc::new(claim(environment, one.path())?);
        let (device, clock) = (one.candidate.device.clone().of_group(mirrored), Arc::clone(&environment.clock));
        let (number, path) = (one.header.number, one.path().to_owned());
        let disk = Disk::new(number, one.header.name.clone(), path, device, one.candidate.size, claim, clock);
        // Writes of a killed process may not be durable: the newest metadata must not be overwritten by its durable
        // predecessor.
        match disk.sync(disk.written()) {
            Ok(()) => {
                disks.insert(one.header.disk, Arc::new(disk));
            }
            Err(error) if mirrored => {
                remarks.push(error.to_string());
                failed.push(one.header.disk);
            }
            Err(error) => return Err(error::from_io(error)),
        }
    }
    ours.retain(|one| !failed.contains(&one.header.disk));
    let Some(first) = ours.first() else { return Err(insufficient(&name, &remarks)) };
    let common = first.header.clone();
    let places = ours.iter().flat_map(|one| copies_on(&disks[&one.header.disk], &one.header)).collect();
    let loaded = match Metadata::load(common.group, common.areas, places) {
        Ok(loaded) => loaded,
        Err(error) => {
            let names = missing_carriers(&ours);
            if names.is_empty() {
                let text = format!("{} (diskgroup \"{name}\")", error.text);
                return Err(Error { text, ..error });
            }
            return Err(missing(&name, &names, &remarks));
        }
    };
    let carries = |number: u16| loaded.directory.disks.get(&number).is_some_and(|disk| disk.carrier);
    if loaded.directory.dropped {
        let headers = ours.iter().map(|one| (one.header.number, one.header.clone())).collect();
        let disks: Vec<_> = disks.into_values().collect();
        Group::retire(&disks, &headers, |disk| carries(disk.number))?;
        return Err(error::no_group(&name));
    }
    let Members { missing: absent, old, left } = check_members(&name, &ours, &loaded)?;
    check_strangers(&name, &mut ours, &loaded, &mut remarks, absent.is_empty())?;
    let disks: BTreeMap<u16, Arc<Disk>> =
        (ours.iter()).filter_map(|one| Some((one.header.number, disks.remove(&one.header.disk)?))).collect();
    if loaded.directory.epoch < options.epoch {
        let text = format!(
            "the disks that were found are older than diskgroup \"{name}\": their epoch is {}, and {} is known{}",
            loaded.directory.epoch,
            options.epoch,
            with(&remarks)
        );
        return Err(Error::own(ErrorKind::User, 74, text));
    }
    let named = |numbers: &[u16]| -> Vec<String> {
        numbers.iter().filter_map(|number| loaded.directory.disks.get(number)).map(|disk| disk.name.clone()).collect()
    };
    let mut without = loaded.directory.clone();
    for number in absent.iter().chain(&old) {
        if !without.can_do_without(*number) {
            let names = named(&absent);
            return Err(if names.is_empty() {
                outdated(&name, &named(&old))
            } else {
                missing(&name, &names, &remarks)
            });
        }
        without.apply(&Change::Mode { number: *number, mode: DiskMode::Offline, dropping: false, at_us: 1 })?;
    }
    let does_without = options.force && mirrored;
    if !absent.is_empty() && !does_without {
        return Err(missing(&name, &named(&absent), &remarks));
    }

    let Loaded { mut directory, metadata, behind: mut repaired } = loaded;
    for entry in directory.disks.values_mut() {
        if let Some(one) = ours.iter().find(|one| one.header.number == entry.number)
            && directory.redundancy == Redundancy::External
        {
            // Of version 1 all disks with a place for it have the metadata.
            entry.carrier &= one.header.copies > 0;
        }
        if entry.mode == DiskMode::Syncing {
            entry.mode = DiskMode::Offline;
        }
        entry.outdated |= old.contains(&entry.number);
    }
    let headers: BTreeMap<u16, Header> = (ours.iter())
        .map(|one| (one.header.number, Header { state: MemberState::Member, ..one.header.clone() }))
        .collect();
    // All checks come before the first write.
    let space = Group::space_of(&headers, &directory)?;
    let numbers = directory.disks.keys().max().map_or(0, |number| *number + 1);
    let in_place = (0..numbers).map(|number| disks.get(&number).cloned()).collect();
    let group = Group::new(environment, common, in_place, headers, directory, space, metadata);
    let mut state = group.state()?;
    let whole: BTreeSet<u16> = (ours.iter())
        .filter(|one| one.whole && one.header.state == MemberState::Member)
        .map(|one| one.header.number)
        .collect();
    let halves: Vec<_> = ours.iter().filter(|one| !one.whole).map(|one| one.header.name.clone()).collect();
    repaired.extend(halves.iter().map(|name| format!("one of the two headers of disk \"{name}\" was damaged")));
    for number in left {
        group.remove_disk(&mut state, number)?;
    }
    repaired.extend(group.begin_mount(&mut state, &absent, &old, &whole)?);
    drop(state);
    Ok(DiskGroup { group: Arc::new(group), repaired })
}

fn outdated(group: &str, names: &[String]) -> Error {
    let disks = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "the content of disk {disks} is older than diskgroup \"{group}\", and no other disk has all copies of its extents"
    );
    Error::own(ErrorKind::User, 74, text)
}

impl Group {
    /// The first writes of a mount. Returns what was done, a sentence each.
    fn begin_mount(
        &self,
        state: &mut GroupState,
        absent: &[u16],
        old: &[u16],
        whole: &BTreeSet<u16>,
    ) -> Result<Vec<String>> {
        let mut done = Vec::new();
        // The disks that take part now, in the metadata first.
        if !self.mirrored() {
            self.checkpoint_in(state)?;
            self.write_member_headers(state, |number| !whole.contains(&number))?;
            return Ok(done);
        }
        for number in absent.iter().chain(old) {
            let name = state.directory.disks.get(number).map_or_else(String::new, |disk| disk.name.clone());
            let why = if absent.contains(number) { "is missing" } else { "has older content than the group" };
            let text = format!("disk \"{name}\" {why}");
            done.push(format!("{text}; it is offline"));
            self.offline_number(state, *number, Error::user(15042, text))?;
        }
        // A mount that a crash cut short may have left a later epoch in some headers; a disk that had it then and is
        // put back from a copy must not pass for one of this mount.
        let in_headers = state.headers.values().map(|header| header.epoch).max().unwrap_or(0);
        let epoch = state.directory.epoch.max(in_headers) + 1;
        for header in state.headers.values_mut() {
            if state.directory.disks.get(&header.number).is_some_and(|disk| disk.mode == DiskMode::Online) {
                header.epoch = epoch;
            }
        }
        self.write_member_headers(state, |_| true)?;
        // Disks that went offline just now have made it later.
        state.directory.epoch = state.directory.epoch.max(epoch);
        for entry in state.directory.disks.values_mut().filter(|entry| entry.mode == DiskMode::Online) {
            entry.epoch = epoch;
        }
        self.checkpoint_in(state)?;
        self.restore_carriers(state)?;
        self.environment.epoch(self.group_name(), state.directory.epoch);
        done.extend(self.level_dirty_regions(state)?);
        Ok(done)
    }

    /// Writes the headers of disks that are online.
    fn write_member_headers(&self, state: &mut GroupState, wanted: impl Fn(u16) -> bool) -> Result<()> {
        for disk in self.all_disks() {
            let header = state.headers.get(&disk.number).filter(|header| wanted(header.number));
            let Some(header) = header.filter(|_| disk.mode() == DiskMode::Online) else { continue };
            if let Err(error) = header.write(&*disk.device) {
                let error = disk.error("write", &error);
                self.offline_in(state, &disk, error)?;
            }
        }
        Ok(())
    }
}

/// The headers of disks whose group has been dropped, as far as its metadata is on these disks.
pub(crate) fn dropped_among(environment: &Environment, candidates: &[Candidate]) -> Vec<Header> {
    let mut members = Vec::new();
    for candidate in candidates {
        if let HeaderRead::Header { header, .. } = &candidate.found
            && header.state == MemberState::Member
        {
            let (path, device) = (candidate.path.clone(), candidate.device.clone());
            let (claim, clock) = (Arc::default(), Arc::clone(&environment.clock));
            let disk = Disk::new(header.number, header.name.clone(), path, device, candidate.size, claim, clock);
            members.push((Arc::new(disk), Header::clone(header)));
        }
    }
    let groups: BTreeSet<Id> = members.iter().map(|(_, header)| header.group).collect();
    let mut dropped = Vec::new();
    for group in groups {
        let of_group: Vec<_> = members.iter().filter(|(_, header)| header.group == group).collect();
        let places = of_group.iter().flat_map(|(disk, header)| copies_on(disk, header)).collect();
        let loaded = Metadata::load(group, of_group[0].1.areas, places);
        if loaded.is_ok_and(|loaded| loaded.directory.dropped) {
            dropped.extend(of_group.into_iter().map(|(_, header)| header.clone()));
        }
    }
    dropped
}
