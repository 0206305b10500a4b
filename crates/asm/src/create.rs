//! Making a group of disks.
//!
//! 1. Nothing is written before all disks are found fit.
//! 2. All get a header that says `forming`.
//! 3. The metadata is written: a snapshot without files.
//! 4. All get a header that says `member`, one after another. From the first one on the group exists.
//!
//! A crash before step 4 leaves disks that can be taken again; a crash in step 4 leaves a group whose next mount makes
//! members of the rest.

use std::path::{Path, PathBuf};

use common::sync::Arc;
use common::{Error, ErrorKind, Result};
use device::Claim;

use crate::directory::{Directory, DiskEntry};
use crate::discovery::{Candidate, probe};
use crate::disk::Disk;
use crate::environment::Environment;
use crate::error;
use crate::group::Group;
use crate::header::{Header, HeaderRead, MemberState};
use crate::layout::{Areas, AuSize, BLOCK, METADATA_AT, copies_on, reserved_units};
use crate::metadata::{Copy, Metadata};
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

/// Checks that a disk's content may be overwritten.
fn check_free(candidate: &Candidate, dropped: &[Header]) -> Result<()> {
    let path = candidate.path.display();
    match &candidate.found {
        HeaderRead::Empty => Ok(()),
        HeaderRead::Header { header, .. } if header.state != MemberState::Member => Ok(()),
        HeaderRead::Header { header, .. } if dropped.contains(header) => Ok(()),
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

/// See [`DiskGroup::create`].
pub(crate) fn create(environment: &Environment, name: &str, paths: &[PathBuf], au: AuSize) -> Result<DiskGroup> {
    let name = name::group_name(name)?;
    if paths.is_empty() || paths.len() > DISKS_MAX {
        let text = format!("diskgroup \"{name}\" is given {} disks; it has from 1 to {DISKS_MAX}", paths.len());
        return Err(Error::user(15031, text));
    }
    for (number, path) in paths.iter().enumerate() {
        if paths[..number].contains(path) {
            return Err(Error::user(15020, format!("discovered duplicate ASM disk \"{}\"", path.display())));
        }
    }
    let candidates = paths.iter().map(|path| probe(environment, path)).collect::<Result<Vec<_>>>()?;
    // The mount of a dropped group finishes a drop that a crash has cut short; if all of its disks are here, that mount
    // is not needed.
    let dropped = mount::dropped_among(environment, &candidates);
    candidates.iter().try_for_each(|candidate| check_free(candidate, &dropped))?;

    let headers = plan(environment, &name, &candidates, au)?;
    let mut disks = Vec::with_capacity(headers.len());
    for (candidate, header) in candidates.into_iter().zip(&headers) {
        let claim = claim(environment, &candidate.path)?;
        let clock = Arc::clone(&environment.clock);
        disks.push(Arc::new(Disk::new(header.name.clone(), candidate.path, candidate.device, claim, clock)));
    }

    let write = |state: MemberState| {
        disks.iter().zip(&headers).try_for_each(|(disk, header)| {
            let written = Header { state, ..header.clone() }.write(&*disk.device);
            written.map_err(|error| disk.error("write", &error))
        })
    };
    write(MemberState::Forming)?;
    let entries = headers.iter().map(|header| DiskEntry {
        number: header.number,
        id: header.disk,
        name: header.name.clone(),
        units: header.units,
    });
    let directory = Directory::new(au, entries.collect());
    let copies = copies(&disks, &headers);
    let mut metadata = Metadata::new(headers[0].group, headers[0].areas, copies);
    metadata.checkpoint(&directory)?;
    write(MemberState::Member)?;
    let space = Group::space_of(&headers, &directory)?;
    let group = Group::new(environment, disks, headers, directory, space, metadata);
    Ok(DiskGroup { group: Arc::new(group), repaired: Vec::new() })
}

/// Locations of the copies of the metadata.
pub(crate) fn copies(disks: &[Arc<Disk>], headers: &[Header]) -> Vec<Copy> {
    let of_disk = |(disk, header): (&Arc<Disk>, &Header)| {
        let disk = Arc::clone(disk);
        header.metadata().map(move |offset| Copy { disk: Arc::clone(&disk), offset }).collect::<Vec<_>>()
    };
    disks.iter().zip(headers).flat_map(of_disk).collect()
}

/// The headers of a new group's disks.
fn plan(environment: &Environment, name: &str, candidates: &[Candidate], au: AuSize) -> Result<Vec<Header>> {
    let units = |candidate: &Candidate| u32::try_from(candidate.size / au.bytes()).unwrap_or(u32::MAX);
    let areas = Areas::for_units(candidates.iter().map(|candidate| u64::from(units(candidate))).sum());
    let group = environment.id();
    let created_us = environment.clock.wall_us();
    let mut headers = Vec::with_capacity(candidates.len());
    for (number, candidate) in candidates.iter().enumerate() {
        let copies = copies_on(number, candidates.len());
        let header = Header {
            state: MemberState::Member,
            group_name: name.to_owned(),
            group,
            name: format!("{name}_{number:04}"),
            disk: environment.id(),
            number: number as u16,
            au,
            units: units(candidate),
            copies: copies as u16,
            areas,
            created_us,
        };
        let reserved = reserved_units(copies, areas, au);
        if u64::from(header.units) <= reserved {
            let least = (reserved + 1) * au.bytes();
            return Err(too_small(&candidate.path.display().to_string(), candidate.size, least));
        }
        debug_assert!(METADATA_AT + copies * areas.bytes() <= reserved * au.bytes());
        headers.push(header);
    }
    Ok(headers)
}
