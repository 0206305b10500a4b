//! Finding the disks of a group and reading its metadata.
//!
//! A group without redundancy is mounted with all of its disks or not at all. Errors name the disk. The two copies on a
//! disk, of header and metadata, are repaired from the good one.

use std::collections::BTreeSet;
use std::path::Path;

use common::sync::Arc;
use common::{Error, ErrorKind, Result};

use crate::DiskGroup;
use crate::create::{claim, copies};
use crate::discovery::{Candidate, probe};
use crate::disk::Disk;
use crate::environment::Environment;
use crate::error;
use crate::group::Group;
use crate::header::{Header, HeaderRead, Id, MemberState};
use crate::layout::copies_on;
use crate::metadata::{Loaded, Metadata};
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
    for path in pattern::find(&*environment.files, patterns)? {
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
                found.ours.push(Ours { candidate, header, whole });
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
            if one.header.number == other.header.number {
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

fn check_sizes(ours: &[Ours]) -> Result<()> {
    for one in ours {
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

/// Checks the disks against those in the metadata.
fn check_members(group: &str, ours: &[Ours], loaded: &Loaded, remarks: &[String]) -> Result<()> {
    let disks = &loaded.directory.disks;
    let mut names = Vec::new();
    for disk in disks {
        match ours.iter().find(|one| one.header.number == disk.number) {
            Some(one) if one.header.disk == disk.id && one.header.units == disk.units => {}
            Some(one) => {
                let text = format!(
                    "disk \"{}\" says it is \"{}\" of diskgroup \"{group}\", and is not the disk that the group knows by this name",
                    one.path().display(),
                    disk.name
                );
                return Err(Error::own(ErrorKind::User, 74, text));
            }
            None => names.push(disk.name.clone()),
        }
    }
    if !names.is_empty() {
        return Err(missing(group, &names, remarks));
    }
    if let Some(one) = ours.iter().find(|one| usize::from(one.header.number) >= disks.len()) {
        let text = format!(
            "disk \"{}\" says it is \"{}\" of diskgroup \"{group}\", which has no such disk",
            one.path().display(),
            one.header.name
        );
        return Err(Error::own(ErrorKind::User, 74, text));
    }
    Ok(())
}

/// The names of missing disks that should carry metadata: all that is known without any metadata.
fn missing_carriers(ours: &[Ours]) -> Vec<String> {
    let Some(any) = ours.first() else { return Vec::new() };
    let there = |number: u16| ours.iter().any(|one| one.header.number == number);
    // A disk with two copies is alone; with one there are at least two disks.
    let disks = ours.iter().map(|one| usize::from(one.header.number) + 1).max().unwrap_or(1).max(2);
    let alone = any.header.copies == 2;
    let carriers = (0..disks as u16).filter(|number| copies_on(usize::from(*number), disks) > 0 && !alone);
    carriers.filter(|number| !there(*number)).map(|number| format!("{}_{number:04}", any.header.group_name)).collect()
}

/// See [`DiskGroup::mount`] and [`DiskGroup::mount_known`].
pub(crate) fn mount(environment: &Environment, name: &str, patterns: &str, known: Option<Id>) -> Result<DiskGroup> {
    let name = name::group_name(name)?;
    let Search { mut ours, remarks } = one_group(&name, search(environment, &name, patterns, known)?)?;
    ours.sort_by_key(|one| one.header.number);
    check_duplicates(&ours)?;
    check_sizes(&ours)?;

    let mut disks = Vec::with_capacity(ours.len());
    for one in &ours {
        let claim = claim(environment, one.path())?;
        let (device, clock) = (Arc::clone(&one.candidate.device), Arc::clone(&environment.clock));
        disks.push(Arc::new(Disk::new(one.header.name.clone(), one.path().to_owned(), device, claim, clock)));
    }
    let headers: Vec<_> = ours.iter().map(|one| one.header.clone()).collect();
    // Writes of a killed process may not be durable: the newest metadata must not be overwritten by its durable
    // predecessor.
    for disk in &disks {
        disk.sync(disk.written()).map_err(error::from_io)?;
    }
    let (group_id, areas) = (headers[0].group, headers[0].areas);
    let loaded = match Metadata::load(group_id, areas, copies(&disks, &headers)) {
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
    if loaded.directory.dropped {
        Group::retire(&disks, &headers)?;
        return Err(error::no_group(&name));
    }
    check_members(&name, &ours, &loaded, &remarks)?;

    let Loaded { directory, mut metadata, behind: mut repaired } = loaded;
    let members: Vec<_> =
        headers.iter().map(|header| Header { state: MemberState::Member, ..header.clone() }).collect();
    // All checks come before the first write.
    let space = Group::space_of(&members, &directory)?;
    metadata.checkpoint(&directory)?;
    for ((one, member), disk) in ours.iter().zip(&members).zip(&disks) {
        if one.whole && one.header.state == MemberState::Member {
            continue;
        }
        member.write(&*disk.device).map_err(|error| disk.error("write", &error))?;
        if !one.whole {
            repaired.push(format!("one of the two headers of disk \"{}\" was damaged", disk.name));
        }
    }
    let group = Group::new(environment, disks, members, directory, space, metadata);
    Ok(DiskGroup { group: Arc::new(group), repaired })
}

/// The headers of disks whose group has been dropped, as far as its metadata is on these disks.
pub(crate) fn dropped_among(environment: &Environment, candidates: &[Candidate]) -> Vec<Header> {
    let mut members = Vec::new();
    for candidate in candidates {
        if let HeaderRead::Header { header, .. } = &candidate.found
            && header.state == MemberState::Member
        {
            let (path, device) = (candidate.path.clone(), Arc::clone(&candidate.device));
            let (claim, clock) = (device::Claim::default(), Arc::clone(&environment.clock));
            let disk = Disk::new(header.name.clone(), path, device, claim, clock);
            members.push((Arc::new(disk), header.clone()));
        }
    }
    let groups: BTreeSet<Id> = members.iter().map(|(_, header)| header.group).collect();
    let mut dropped = Vec::new();
    for group in groups {
        let (disks, headers): (Vec<_>, Vec<_>) =
            members.iter().filter(|(_, header)| header.group == group).cloned().unzip();
        let loaded = Metadata::load(group, headers[0].areas, copies(&disks, &headers));
        if loaded.is_ok_and(|loaded| loaded.directory.dropped) {
            dropped.extend(headers);
        }
    }
    dropped
}
