//! Making a group of disks.
//!
//! 1. Nothing is written before all disks are found fit.
//! 2. All get a header that says `forming`.
//! 3. The metadata is written: a snapshot without files.
//! 4. All get a header that says `member`, one after another. From the first one on the group exists.
//!
//! A crash before step 4 leaves disks that can be taken again; a crash in step 4 leaves a group whose next mount makes
//! members of the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Error, ErrorKind, Result};
use device::Claim;

use crate::attribute::Attributes;
use crate::availability::next_carrier;
use crate::directory::{Directory, DiskEntry, DiskMode};
use crate::discovery::{Candidate, probe};
use crate::disk::Disk;
use crate::environment::Environment;
use crate::error;
use crate::group::Group;
use crate::header::{Header, HeaderRead, MemberState};
use crate::layout::{Areas, AuSize, BLOCK, METADATA_AT, places, reserved_units};
use crate::metadata::{Copy, Metadata};
use crate::redundancy::Redundancy;
use crate::{DiskGroup, mount, name};

/// Disks of a group at most: their names have four digits.
const DISKS_MAX: usize = 10_000;

fn too_small(disk: &str, bytes: u64, least: u64) -> Error {
    let text = format!("disk \"{disk}\" of {bytes} bytes is smaller than minimum of {least} bytes");
    Error::user(15037, text)
}

/// Checks that a disk is large enough for a group with the smallest allocation units.
///
/// # Errors
/// ORA-15037.
pub(crate) fn check_size(disk: &str, bytes: u64) -> Result<()> {
    let au = AuSize::default();
    let least = reserved_units(1, Areas::for_units(0), au) * au.bytes() + au.bytes();
    if bytes < least { Err(too_small(disk, bytes, least)) } else { Ok(()) }
}

/// Takes a disk for this process.
pub(crate) fn claim(environment: &Environment, path: &Path) -> Result<Claim> {
    environment.files.claim(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::WouldBlock => {
            let text = format!("disk \"{}\" is already mounted, or is given twice by different names", path.display());
            Error::user(15029, text)
        }
        _ => error::cannot_open(path, &error),
    })
}

/// A disk that is to join a group.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NewDisk {
    pub path: PathBuf,
    /// None: after the group and its number.
    pub name: Option<String>,
    /// None: a failure group of its own, with the disk's name.
    pub failure_group: Option<String>,
    /// None: all of it.
    pub bytes: Option<u64>,
    /// It may be a member of a group that is not mounted.
    pub force: bool,
}

impl NewDisk {
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }
}

/// A group that is to be made.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct NewGroup {
    pub name: String,
    pub redundancy: Redundancy,
    pub au: AuSize,
    pub disks: Vec<NewDisk>,
    /// Names and values.
    pub attributes: Vec<(String, String)>,
}

/// A disk that was found fit, and its header.
pub(crate) struct Joining {
    pub(crate) disk: Arc<Disk>,
    pub(crate) header: Header,
}

/// Checks that a disk's content may be overwritten.
fn check_free(candidate: &Candidate, force: bool, dropped: &[Header]) -> Result<()> {
    let path = candidate.path.display();
    match &candidate.found {
        HeaderRead::Empty => Ok(()),
        HeaderRead::Header { header, .. } if header.state != MemberState::Member => Ok(()),
        HeaderRead::Header { header, .. } if dropped.contains(header) => Ok(()),
        HeaderRead::Header { .. } | HeaderRead::Damaged(_) if force => Ok(()),
        HeaderRead::Header { header, .. } => {
            let text = format!("disk \"{path}\" belongs to diskgroup \"{}\" as \"{}\"", header.group_name, header.name);
            Err(Error::user(15033, text))
        }
        HeaderRead::Damaged(why) => {
            let text = format!("disk \"{path}\" has the header of a disk group's disk, but {why}");
            Err(Error::own(ErrorKind::User, 73, text))
        }
        HeaderRead::Foreign => {
            let text = format!("disk \"{path}\" holds something else: its first {BLOCK} bytes are not zero");
            Err(Error::own(ErrorKind::User, 73, text))
        }
    }
}

/// Opens disks that are to join a group, and checks that they may.
pub(crate) fn find_fit(environment: &Environment, disks: &[NewDisk]) -> Result<Vec<Candidate>> {
    for (number, disk) in disks.iter().enumerate() {
        if disks[..number].iter().any(|other| other.path == disk.path) {
            return Err(Error::user(15020, format!("discovered duplicate ASM disk \"{}\"", disk.path.display())));
        }
    }
    let candidates = disks.iter().map(|disk| probe(environment, &disk.path)).collect::<Result<Vec<_>>>()?;
    // The mount of a dropped group finishes a drop that a crash has cut short; if all of its disks are here, that mount
    // is not needed.
    let dropped = mount::dropped_among(environment, &candidates);
    for (candidate, disk) in candidates.iter().zip(disks) {
        check_free(candidate, disk.force, &dropped)?;
    }
    Ok(candidates)
}

/// Units of a new disk.
///
/// # Errors
/// ORA-15036 when it is to have more bytes than there are; ORA-15037 when files get no unit of it.
fn units_of(disk: &NewDisk, candidate: &Candidate, places: u64, areas: Areas, au: AuSize) -> Result<u32> {
    let path = disk.path.display().to_string();
    let bytes = disk.bytes.unwrap_or(candidate.size);
    if bytes > candidate.size {
        let text = format!("disk \"{path}\" is truncated: it has {} bytes, and is to have {bytes}", candidate.size);
        return Err(Error::user(15036, text));
    }
    let units = u32::try_from(bytes / au.bytes()).unwrap_or(u32::MAX);
    let reserved = reserved_units(places, areas, au);
    if u64::from(units) <= reserved {
        return Err(too_small(&path, bytes, (reserved + 1) * au.bytes()));
    }
    debug_assert!(METADATA_AT + places * areas.bytes() <= reserved * au.bytes());
    Ok(units)
}

/// The headers of disks that join a group, given one for what they have in common, and the names and numbers in use.
pub(crate) fn join(
    environment: &Environment,
    common: &Header,
    disks: &[NewDisk],
    candidates: Vec<Candidate>,
    taken: &BTreeMap<u16, String>,
) -> Result<Vec<Joining>> {
    let mut taken = taken.clone();
    let mut joining = Vec::with_capacity(disks.len());
    for (disk, candidate) in disks.iter().zip(candidates) {
        let number = (0..).find(|number| !taken.contains_key(number)).unwrap_or(u16::MAX);
        let name = match &disk.name {
            Some(name) => name::disk_name(name)?,
            None => format!("{}_{number:04}", common.group_name),
        };
        if taken.values().any(|other| *other == name) {
            let text = format!("disk name \"{name}\" is in use by another disk of diskgroup \"{}\"", common.group_name);
            return Err(Error::user(15010, text));
        }
        taken.insert(number, name.clone());
        let units = units_of(disk, &candidate, u64::from(common.copies), common.areas, common.au)?;
        let header = Header {
            failure_group: match &disk.failure_group {
                Some(group) => name::disk_name(group)?,
                None => name.clone(),
            },
            name,
            disk: environment.id(),
            number,
            units,
            ..common.clone()
        };
        let claim = claim(environment, &candidate.path)?;
        let clock = Arc::clone(&environment.clock);
        let (name, path) = (header.name.clone(), candidate.path);
        let device = candidate.device.of_group(common.redundancy != Redundancy::External);
        let disk = Disk::new(number, name, path, device, candidate.size, Arc::new(claim), clock);
        joining.push(Joining { disk: Arc::new(disk), header });
    }
    Ok(joining)
}

/// The entries of new disks in the metadata.
pub(crate) fn entry_of(header: &Header) -> DiskEntry {
    DiskEntry {
        number: header.number,
        id: header.disk,
        name: header.name.clone(),
        failure_group: header.failure_group.clone(),
        units: header.units,
        mode: DiskMode::Online,
        dropping: false,
        outdated: false,
        carrier: false,
        epoch: header.epoch,
        offline_since_us: 0,
    }
}

/// Writes the headers of new disks with this state.
pub(crate) fn write_headers(joining: &[Joining], state: MemberState) -> Result<()> {
    joining.iter().try_for_each(|Joining { disk, header }| {
        let written = Header { state, ..header.clone() }.write(&*disk.device);
        written.map_err(|error| disk.error("write", &error))
    })
}

/// See [`DiskGroup::create_with`].
pub(crate) fn create(environment: &Environment, new: &NewGroup) -> Result<DiskGroup> {
    let name = name::group_name(&new.name)?;
    let mut attributes = Attributes::default();
    // The release of ASM is set before that of the database, which may not exceed it.
    for (name, value) in &new.attributes.iter().cloned().collect::<BTreeMap<_, _>>() {
        let (name, value) = attributes.outcome(name, value)?;
        attributes.set(&name, &value);
    }
    let disks = &new.disks;
    if disks.is_empty() || disks.len() > DISKS_MAX {
        let text = format!("diskgroup \"{name}\" is given {} disks; it has from 1 to {DISKS_MAX}", disks.len());
        return Err(Error::user(15031, text));
    }
    let candidates = find_fit(environment, disks)?;
    let all_units =
        disks.iter().zip(&candidates).map(|(disk, found)| disk.bytes.unwrap_or(found.size) / new.au.bytes());
    let common = Header {
        state: MemberState::Member,
        group_name: name.clone(),
        group: environment.id(),
        redundancy: new.redundancy,
        name: String::new(),
        failure_group: String::new(),
        epoch: 1,
        disk: [0; 16],
        number: 0,
        au: new.au,
        units: 0,
        copies: places(disks.len()) as u16,
        areas: Areas::for_units(all_units.sum()),
        created_us: environment.clock.wall_us(),
    };
    let joining = join(environment, &common, disks, candidates, &BTreeMap::new())?;
    let failure_groups: BTreeSet<_> = joining.iter().map(|one| one.header.failure_group.as_str()).collect();
    new.redundancy.check(&name, failure_groups.len())?;

    let mut entries: Vec<_> = joining.iter().map(|one| entry_of(&one.header)).collect();
    while let Some(number) = next_carrier(entries.iter()) {
        entries[usize::from(number)].carrier = true;
    }
    let mut directory = Directory::new(new.au, new.redundancy, environment.extent_growth, entries);
    directory.epoch = common.epoch;
    directory.attributes = attributes;
    write_headers(&joining, MemberState::Forming)?;
    let carries = |number: u16| directory.disks.get(&number).is_some_and(|disk| disk.carrier);
    let copies = joining.iter().filter(|one| carries(one.header.number));
    let copies = copies.flat_map(|one| copies_on(&one.disk, &one.header)).collect();
    let mirrored = new.redundancy != Redundancy::External;
    let mut metadata = Metadata::new(common.group, common.areas, mirrored, copies);
    // A disk that fails now is no disk for a new group.
    if let Some((_, error)) = metadata.checkpoint(&directory)?.failed.pop() {
        return Err(error);
    }
    write_headers(&joining, MemberState::Member)?;
    let headers: BTreeMap<_, _> = joining.iter().map(|one| (one.header.number, one.header.clone())).collect();
    let space = Group::space_of(&headers, &directory)?;
    let disks = joining.into_iter().map(|one| Some(one.disk)).collect();
    let group = Group::new(environment, common, disks, headers, directory, space, metadata);
    Ok(DiskGroup { group: Arc::new(group), repaired: Vec::new() })
}

/// The places for copies of the metadata on a disk.
pub(crate) fn copies_on(disk: &Arc<Disk>, header: &Header) -> Vec<Copy> {
    header.metadata().map(|offset| Copy { disk: Arc::clone(disk), offset }).collect()
}
