//! Metadata as bytes: changes for the journal, and all of it for a snapshot. docs/formats/disk-group.md has the tables.
//!
//! The bytes have passed a checksum. They are checked all the same: no value is used as a length or an offset before.

use common::Result;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::alias::{NameChange, key};
use crate::directory::{
    Change, Directory, DiskEntry, DiskMode, FileEntry, Move, POINTER_BYTES, REGION_ENTRY_BYTES, Region,
};
use crate::error::corrupt;
use crate::header::Id;
use crate::layout::AuSize;
use crate::name::FileKind;
use crate::redundancy::Redundancy;
use crate::shape::{ExtentGrowth, Striping};
use crate::template::{Protection, Template};

/// The version of metadata that is written.
pub(crate) const VERSION: u32 = 3;
/// The version before aliases, templates and attributes.
pub(crate) const UNNAMED: u32 = 2;
/// The version before mirroring.
pub(crate) const UNMIRRORED: u32 = 1;

/// Bytes of a file in a snapshot, without its tag and its extents.
const FILE_BYTES: usize = 35;
/// Bytes of a disk, without its name and its failure group's.
const DISK_BYTES: usize = 44;
/// Bytes of a snapshot, without the entries of its lists.
const SNAPSHOT_BYTES: usize = 61;
/// Bytes of an alias or a directory, without its path.
const NAME_BYTES: usize = 5;
/// Bytes of a template, without its name.
const TEMPLATE_BYTES: usize = 4;
/// Bytes of an attribute, without its name and its value.
const ATTRIBUTE_BYTES: usize = 2;
/// Bytes of the time after which a disk is dropped.
const REPAIR_BYTES: usize = 10;

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (now, later) = self.0.split_at_checked(bytes).ok_or_else(|| corrupt("it ends too early"))?;
        self.0 = later;
        Ok(now)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    fn u8(&mut self) -> Result<u8> {
        Ok(self.array::<1>()?[0])
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<String> {
        let bytes = usize::from(self.u8()?);
        let text = std::str::from_utf8(self.take(bytes)?).map_err(|_| corrupt("a name in it is no text"))?;
        Ok(text.to_owned())
    }

    /// A list of values of one size, with their number before it.
    fn list<T: FromBytes + Immutable + KnownLayout + Unaligned + Clone>(&mut self) -> Result<Vec<T>> {
        let count = self.u32()? as usize;
        let bytes = count.checked_mul(size_of::<T>()).ok_or_else(|| corrupt("a list in it is too long"))?;
        let bytes = self.take(bytes)?;
        let values = <[T]>::ref_from_bytes(bytes).map_err(|_| corrupt("a list in it is cut off"))?;
        Ok(values.to_vec())
    }

    fn flag(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(corrupt(format!("{other} where yes or no is expected"))),
        }
    }

    fn mode(&mut self) -> Result<DiskMode> {
        DiskMode::from_code(self.u8()?).ok_or_else(|| corrupt("a disk in an unknown mode"))
    }

    fn disk(&mut self) -> Result<DiskEntry> {
        Ok(DiskEntry {
            number: self.u16()?,
            id: self.array::<{ size_of::<Id>() }>()?,
            units: self.u32()?,
            mode: self.mode()?,
            dropping: self.flag()?,
            outdated: self.flag()?,
            carrier: self.flag()?,
            epoch: self.u64()?,
            offline_since_us: self.u64()?,
            name: self.text()?,
            failure_group: self.text()?,
        })
    }

    /// A disk as the version before mirroring has it. Which disks have the metadata is in their headers.
    fn unmirrored_disk(&mut self) -> Result<DiskEntry> {
        let (number, id, units, name) = (self.u16()?, self.array::<{ size_of::<Id>() }>()?, self.u32()?, self.text()?);
        Ok(DiskEntry {
            number,
            id,
            failure_group: name.clone(),
            name,
            units,
            mode: DiskMode::Online,
            dropping: false,
            outdated: false,
            carrier: true,
            epoch: 0,
            offline_since_us: 0,
        })
    }

    fn file(&mut self) -> Result<FileEntry> {
        let number = self.u32()?;
        let incarnation = self.u32()?;
        let kind = FileKind::from_code(self.u8()?).ok_or_else(|| corrupt("a file of an unknown kind"))?;
        let copies = self.u8()?;
        let created_us = self.u64()?;
        let size = self.u64()?;
        let striping = Striping::from_code(self.u8()?).ok_or_else(|| corrupt("a file of an unknown striping"))?;
        let growing = self.flag()?;
        if self.u16()? != 0 {
            return Err(corrupt("a file with attributes that this version does not know"));
        }
        let tag = self.text()?;
        let extents = self.list()?;
        Ok(FileEntry { number, incarnation, kind, tag, created_us, size, copies, striping, growing, extents })
    }

    /// A path of an alias or a directory.
    fn path(&mut self) -> Result<String> {
        let path = self.text()?;
        if path.split('/').any(str::is_empty) || !path.is_ascii() {
            return Err(corrupt("a name in it is no path"));
        }
        Ok(path)
    }

    fn template(&mut self) -> Result<Template> {
        let protection = Protection::from_code(self.u8()?).ok_or_else(|| corrupt("a template of an unknown kind"))?;
        let striping = Striping::from_code(self.u8()?).ok_or_else(|| corrupt("a template of an unknown striping"))?;
        let system = self.flag()?;
        Ok(Template { protection, striping, system, name: self.text()? })
    }

    fn name_change(&mut self) -> Result<NameChange> {
        Ok(match self.u8()? {
            1 => NameChange::AddDirectory(self.path()?),
            2 => NameChange::AddAlias { file: self.u32()?, path: self.path()? },
            3 => NameChange::Remove(self.path()?),
            4 => NameChange::Rename { from: self.path()?, to: self.path()? },
            kind => return Err(corrupt(format!("a change of a name of the unknown kind {kind}"))),
        })
    }

    /// A list of values that may have different sizes, with their number before it.
    fn each<T>(&mut self, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let count = self.u32()?;
        (0..count).map(|_| one(self)).collect()
    }

    fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(corrupt(format!("{} bytes too many", self.0.len()))) }
    }
}

fn text(to: &mut Vec<u8>, text: &str) {
    to.push(text.len() as u8);
    to.extend(text.as_bytes());
}

fn list<T: IntoBytes + Immutable>(to: &mut Vec<u8>, values: &[T]) {
    to.extend((values.len() as u32).to_le_bytes());
    to.extend(values.as_bytes());
}

fn disk(to: &mut Vec<u8>, disk: &DiskEntry) {
    to.extend(disk.number.to_le_bytes());
    to.extend(disk.id);
    to.extend(disk.units.to_le_bytes());
    to.extend([disk.mode as u8, u8::from(disk.dropping), u8::from(disk.outdated), u8::from(disk.carrier)]);
    to.extend(disk.epoch.to_le_bytes());
    to.extend(disk.offline_since_us.to_le_bytes());
    text(to, &disk.name);
    text(to, &disk.failure_group);
}

fn file(to: &mut Vec<u8>, file: &FileEntry) {
    to.extend(file.number.to_le_bytes());
    to.extend(file.incarnation.to_le_bytes());
    to.push(file.kind as u8);
    to.push(file.copies);
    to.extend(file.created_us.to_le_bytes());
    to.extend(file.size.to_le_bytes());
    to.extend([file.striping as u8, u8::from(file.growing), 0, 0]);
    text(to, &file.tag);
    list(to, &file.extents);
}

fn template(to: &mut Vec<u8>, template: &Template) {
    to.extend([template.protection as u8, template.striping as u8, u8::from(template.system)]);
    text(to, &template.name);
}

fn name_change(to: &mut Vec<u8>, change: &NameChange) {
    match change {
        NameChange::AddDirectory(path) => {
            to.push(1);
            text(to, path);
        }
        NameChange::AddAlias { path, file } => {
            to.push(2);
            to.extend(file.to_le_bytes());
            text(to, path);
        }
        NameChange::Remove(path) => {
            to.push(3);
            text(to, path);
        }
        NameChange::Rename { from, to: new } => {
            to.push(4);
            text(to, from);
            text(to, new);
        }
    }
}

/// A change in its form in the journal.
pub(crate) fn encode_change(change: &Change) -> Vec<u8> {
    let mut to = Vec::new();
    match change {
        Change::Create(entry) => {
            to.push(1);
            file(&mut to, entry);
        }
        Change::Extend { number, size, extents } => {
            to.push(2);
            to.extend(number.to_le_bytes());
            to.extend(size.to_le_bytes());
            list(&mut to, extents);
        }
        Change::Shrink { number, size } => {
            to.push(3);
            to.extend(number.to_le_bytes());
            to.extend(size.to_le_bytes());
        }
        Change::Delete { number } => {
            to.push(4);
            to.extend(number.to_le_bytes());
        }
        Change::Drop => to.push(5),
        Change::Dirty { regions } => {
            to.push(6);
            list(&mut to, regions);
        }
        Change::Clean { regions, stale } => {
            to.extend([7, u8::from(*stale)]);
            list(&mut to, regions);
        }
        Change::Mode { number, mode, dropping, at_us } => {
            to.push(8);
            to.extend(number.to_le_bytes());
            to.extend([*mode as u8, u8::from(*dropping)]);
            to.extend(at_us.to_le_bytes());
        }
        Change::AddDisks(disks) => {
            to.push(9);
            to.extend((disks.len() as u32).to_le_bytes());
            disks.iter().for_each(|one| disk(&mut to, one));
        }
        Change::RemoveDisk { number } => {
            to.push(10);
            to.extend(number.to_le_bytes());
        }
        Change::ResizeDisk { number, units } => {
            to.push(11);
            to.extend(number.to_le_bytes());
            to.extend(units.to_le_bytes());
        }
        Change::Moves(moves) => {
            to.push(12);
            list(&mut to, moves);
        }
        Change::Rebalance { power } => {
            to.extend([13, u8::from(power.is_some())]);
            to.extend(power.unwrap_or(0).to_le_bytes());
        }
        Change::CreateNamed(entry, path) => {
            to.push(14);
            file(&mut to, entry);
            text(&mut to, path);
        }
        Change::Names(changes) => {
            to.push(15);
            to.extend((changes.len() as u32).to_le_bytes());
            changes.iter().for_each(|one| name_change(&mut to, one));
        }
        Change::SetTemplate(one) => {
            to.push(16);
            template(&mut to, one);
        }
        Change::DropTemplate(name) => {
            to.push(17);
            text(&mut to, name);
        }
        Change::SetAttribute { name, value } => {
            to.push(18);
            text(&mut to, name);
            text(&mut to, value);
        }
        Change::RepairTime { number, left_us } => {
            to.push(19);
            to.extend(number.to_le_bytes());
            to.extend(left_us.to_le_bytes());
        }
    }
    to
}

/// Decodes the output of [`encode_change`].
///
/// # Errors
/// ORA-15196.
pub(crate) fn decode_change(bytes: &[u8]) -> Result<Change> {
    let mut from = Reader(bytes);
    let change = match from.u8()? {
        1 => Change::Create(from.file()?),
        2 => Change::Extend { number: from.u32()?, size: from.u64()?, extents: from.list()? },
        3 => Change::Shrink { number: from.u32()?, size: from.u64()? },
        4 => Change::Delete { number: from.u32()? },
        5 => Change::Drop,
        6 => Change::Dirty { regions: from.list()? },
        7 => {
            let stale = from.flag()?;
            Change::Clean { regions: from.list()?, stale }
        }
        8 => Change::Mode { number: from.u16()?, mode: from.mode()?, dropping: from.flag()?, at_us: from.u64()? },
        9 => Change::AddDisks(from.each(Reader::disk)?),
        10 => Change::RemoveDisk { number: from.u16()? },
        11 => Change::ResizeDisk { number: from.u16()?, units: from.u32()? },
        12 => Change::Moves(from.list::<Move>()?),
        13 => {
            let (there, power) = (from.flag()?, from.u16()?);
            Change::Rebalance { power: there.then_some(power) }
        }
        14 => Change::CreateNamed(from.file()?, from.path()?),
        15 => Change::Names(from.each(Reader::name_change)?),
        16 => Change::SetTemplate(from.template()?),
        17 => Change::DropTemplate(from.text()?),
        18 => Change::SetAttribute { name: from.text()?, value: from.text()? },
        19 => Change::RepairTime { number: from.u16()?, left_us: from.u64()? },
        kind => return Err(corrupt(format!("a change of the unknown kind {kind}"))),
    };
    from.end()?;
    Ok(change)
}

/// Bytes that [`encode`] will make.
pub(crate) fn encoded_bytes(directory: &Directory) -> u64 {
    let regions = (directory.dirty.len() + directory.stale.len()) * REGION_ENTRY_BYTES;
    whole_bytes(directory) + regions as u64
}

/// Bytes of a snapshot without its regions.
fn whole_bytes(directory: &Directory) -> u64 {
    let disks = directory.disks.values().map(disk_bytes).sum::<u64>();
    let files = directory.files.values().map(file_bytes).sum::<u64>();
    let names = directory.names.entries();
    let names: usize = names.keys().map(|path| NAME_BYTES + path.len()).sum();
    let templates: usize = directory.templates.stored().map(|one| TEMPLATE_BYTES + one.name.len()).sum();
    let attributes = directory.attributes.stored();
    let attributes: usize = attributes.map(|(name, value)| ATTRIBUTE_BYTES + name.len() + value.len()).sum();
    // Each disk may go offline.
    let repair = REPAIR_BYTES * directory.repair.len();
    SNAPSHOT_BYTES as u64 + disks + files + (names + templates + attributes + repair) as u64
}

/// Bytes of the largest snapshot that this directory can have without another file, extent or disk: all regions are
/// dirty and stale.
pub(crate) fn largest_bytes(directory: &Directory) -> u64 {
    let regions = directory.files.values().map(|file| region_bytes(directory.au, file.copies, file.extents.len()));
    let online = (directory.disks.len() - directory.repair.len().min(directory.disks.len())) as u64;
    whole_bytes(directory) + regions.sum::<u64>() + online * REPAIR_BYTES as u64
}

/// Bytes that a change may add to a snapshot, but for those of new regions.
pub(crate) fn added_bytes(directory: &Directory, change: &Change) -> u64 {
    let au = directory.au;
    let of_file = |file: &FileEntry| file_bytes(file) + region_bytes(au, file.copies, file.extents.len());
    let of_name = |path: &str| (NAME_BYTES + path.len()) as u64;
    match change {
        Change::Create(file) => of_file(file),
        Change::CreateNamed(file, path) => of_file(file) + of_name(path),
        Change::Extend { number, extents, .. } => {
            let copies = directory.files.get(number).map_or(1, |file| file.copies);
            (extents.len() * POINTER_BYTES) as u64 + region_bytes(au, copies, extents.len())
        }
        Change::AddDisks(disks) => disks.iter().map(|disk| disk_bytes(disk) + REPAIR_BYTES as u64).sum(),
        Change::Names(changes) => {
            let of_change = |change: &NameChange| match change {
                NameChange::AddDirectory(path) | NameChange::AddAlias { path, .. } => of_name(path),
                NameChange::Remove(_) => 0,
                NameChange::Rename { from, to } => {
                    let moved = directory.names.beneath(&key(from)).count() + 1;
                    (moved * to.len().saturating_sub(from.len())) as u64
                }
            };
            changes.iter().map(of_change).sum()
        }
        Change::SetTemplate(template) => (TEMPLATE_BYTES + template.name.len()) as u64,
        Change::SetAttribute { name, value } => (ATTRIBUTE_BYTES + name.len() + value.len()) as u64,
        _ => 0,
    }
}

/// Bytes that the regions of so many pointers can have in a snapshot.
pub(crate) fn region_bytes(au: AuSize, copies: u8, pointers: usize) -> u64 {
    if copies < 2 {
        return 0;
    }
    let extents = pointers as u64 / u64::from(copies);
    // One more than there are: added pointers may begin within a region.
    2 * (extents.div_ceil(Region::extents(au)) + 1) * REGION_ENTRY_BYTES as u64
}

/// Bytes that a file adds to a snapshot.
pub(crate) fn file_bytes(file: &FileEntry) -> u64 {
    (FILE_BYTES + file.tag.len() + POINTER_BYTES * file.extents.len()) as u64
}

/// Bytes that a disk adds to a snapshot.
pub(crate) fn disk_bytes(disk: &DiskEntry) -> u64 {
    (DISK_BYTES + disk.name.len() + disk.failure_group.len()) as u64
}

/// All of the metadata in its form in a snapshot.
pub(crate) fn encode(directory: &Directory) -> Vec<u8> {
    let mut to = Vec::with_capacity(encoded_bytes(directory) as usize);
    to.extend((directory.au.bytes() as u32).to_le_bytes());
    to.extend(directory.next_incarnation.to_le_bytes());
    to.extend([u8::from(directory.dropped), directory.redundancy as u8]);
    to.extend(directory.growth.four_from.to_le_bytes());
    to.extend(directory.growth.sixteen_from.to_le_bytes());
    to.extend(directory.epoch.to_le_bytes());
    to.push(u8::from(directory.rebalance.is_some()));
    to.extend(directory.rebalance.unwrap_or(0).to_le_bytes());
    to.extend((directory.disks.len() as u32).to_le_bytes());
    to.extend((directory.files.len() as u32).to_le_bytes());
    directory.disks.values().for_each(|one| disk(&mut to, one));
    directory.files.values().for_each(|one| file(&mut to, one));
    for regions in [&directory.dirty, &directory.stale] {
        list(&mut to, &regions.iter().copied().collect::<Vec<_>>());
    }
    to.extend((directory.names.entries().len() as u32).to_le_bytes());
    for (path, file) in directory.names.stored() {
        to.extend(file.unwrap_or(0).to_le_bytes());
        text(&mut to, &path);
    }
    to.extend((directory.templates.stored_count() as u32).to_le_bytes());
    directory.templates.stored().for_each(|one| template(&mut to, one));
    to.extend((directory.attributes.stored_count() as u32).to_le_bytes());
    for (name, value) in directory.attributes.stored() {
        text(&mut to, name);
        text(&mut to, value);
    }
    to.extend((directory.repair.len() as u32).to_le_bytes());
    for (number, left_us) in &directory.repair {
        to.extend(number.to_le_bytes());
        to.extend(left_us.to_le_bytes());
    }
    to
}

/// Decodes the output of [`encode`], of this version or of those before it.
///
/// # Errors
/// ORA-15196.
pub(crate) fn decode(version: u32, bytes: &[u8]) -> Result<Directory> {
    let mut from = Reader(bytes);
    let mirrored = match version {
        VERSION | UNNAMED => true,
        UNMIRRORED => false,
        _ => return Err(corrupt(format!("it has version {version}, which is unknown"))),
    };
    let au = AuSize::new(u64::from(from.u32()?)).map_err(|error| corrupt(error.text))?;
    let next_incarnation = from.u32()?;
    let dropped = from.u8()? != 0;
    let (mut redundancy, mut growth) = (Redundancy::External, ExtentGrowth::default());
    let (mut epoch, mut rebalance) = (0, None);
    if mirrored {
        redundancy = Redundancy::from_code(from.u8()?).ok_or_else(|| corrupt("an unknown redundancy"))?;
        growth = ExtentGrowth { four_from: from.u32()?, sixteen_from: from.u32()? };
        if growth.four_from > growth.sixteen_from {
            return Err(corrupt("its extents grow before they grow"));
        }
        epoch = from.u64()?;
        let (there, power) = (from.flag()?, from.u16()?);
        rebalance = there.then_some(power);
    }
    let (disks, files) = (from.u32()?, from.u32()?);
    let mut directory = Directory::new(au, redundancy, growth, Vec::new());
    for number in 0..disks {
        let disk = if mirrored { from.disk()? } else { from.unmirrored_disk()? };
        if !mirrored && u32::from(disk.number) != number {
            return Err(corrupt(format!("disk {number} has the number {}", disk.number)));
        }
        if directory.disks.insert(disk.number, disk).is_some() {
            return Err(corrupt("a disk is there twice"));
        }
    }
    for _ in 0..files {
        let file = from.file()?;
        directory.check(&file)?;
        if file.incarnation >= next_incarnation || directory.files.insert(file.number, file).is_some() {
            return Err(corrupt("a file is there twice, or its incarnation is still to come"));
        }
    }
    if mirrored {
        directory.dirty = from.list::<Region>()?.into_iter().collect();
        directory.stale = from.list::<Region>()?.into_iter().collect();
    }
    if version == VERSION {
        names(&mut from, &mut directory)?;
    } else {
        // Disks that are offline have all of their time left.
        let repair_us = directory.attributes.repair_us();
        let offline = directory.disks.values().filter(|disk| disk.mode != DiskMode::Online);
        directory.repair = offline.map(|disk| (disk.number, repair_us)).collect();
    }
    from.end()?;
    directory.next_incarnation = next_incarnation;
    directory.dropped = dropped;
    directory.epoch = epoch;
    directory.rebalance = rebalance;
    Ok(directory)
}

/// What version 3 has beyond the one before: names, templates, attributes, times of repair.
fn names(from: &mut Reader<'_>, directory: &mut Directory) -> Result<()> {
    let name = |from: &mut Reader<'_>| {
        let (file, path) = (from.u32()?, from.path()?);
        Ok(if file == 0 { NameChange::AddDirectory(path) } else { NameChange::AddAlias { path, file } })
    };
    directory.apply(&Change::Names(from.each(name)?))?;
    for template in from.each(Reader::template)? {
        directory.apply(&Change::SetTemplate(template))?;
    }
    for (name, value) in from.each(|from| Ok((from.text()?, from.text()?)))? {
        directory.apply(&Change::SetAttribute { name, value })?;
    }
    for (number, left_us) in from.each(|from| Ok((from.u16()?, from.u64()?)))? {
        directory.apply(&Change::RepairTime { number, left_us })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::Pointer;
    use crate::layout::MB;

    fn directory() -> Directory {
        let growth = ExtentGrowth::default();
        let mut directory = Directory::new(AuSize::default(), Redundancy::Normal, growth, vec![disk(0), disk(1)]);
        for change in changes() {
            directory.apply(&change).unwrap();
        }
        directory
    }

    fn disk(number: u16) -> DiskEntry {
        DiskEntry {
            number,
            id: [number as u8; 16],
            name: format!("DATA_{number:04}"),
            failure_group: format!("CELL{number}"),
            units: 64,
            mode: DiskMode::Online,
            dropping: number == 1,
            outdated: false,
            carrier: number == 0,
            epoch: 7,
            offline_since_us: 0,
        }
    }

    fn changes() -> Vec<Change> {
        let file = |number, incarnation, extents: u32| FileEntry {
            number,
            incarnation,
            kind: FileKind::DataFile,
            tag: "USERS".into(),
            created_us: 77,
            size: u64::from(extents) * MB,
            copies: 2,
            striping: Striping::Coarse,
            growing: true,
            extents: (0..2 * extents).map(|unit| Pointer::new((unit % 2) as u16, 10 + unit, 1)).collect(),
        };
        let more = [Pointer::new(0, 20, 1), Pointer::new(1, 20, 1), Pointer::NONE, Pointer::new(1, 21, 1)];
        let mode = |number, mode| Change::Mode { number, mode, dropping: false, at_us: 99 };
        vec![
            Change::Create(file(256, 1, 3)),
            Change::Create(file(257, 2, 0)),
            Change::Extend { number: 257, size: MB + 1, extents: more.to_vec() },
            Change::Shrink { number: 256, size: 5 },
            Change::Delete { number: 257 },
            Change::Create(file(257, 3, 1)),
            Change::Dirty { regions: vec![Region::new(256, 0), Region::new(257, 0)] },
            Change::AddDisks(vec![disk(2), disk(3)]),
            mode(3, DiskMode::Offline),
            Change::Clean { regions: vec![Region::new(257, 0)], stale: true },
            mode(3, DiskMode::Syncing),
            Change::ResizeDisk { number: 2, units: 80 },
            Change::Moves(vec![Move::new(257, 1, Pointer::new(2, 70, 1))]),
            Change::RemoveDisk { number: 1 },
            Change::Rebalance { power: Some(11) },
            mode(2, DiskMode::Offline),
            Change::RepairTime { number: 2, left_us: 12 },
            Change::Names(vec![
                NameChange::AddDirectory("Mine".into()),
                NameChange::AddDirectory("mine/Sub".into()),
                NameChange::AddAlias { path: "mine/users.dbf".into(), file: 256 },
            ]),
            Change::Create(FileEntry { number: 258, ..file(258, 4, 0) }),
            Change::CreateNamed(file(259, 5, 1), "mine/sub/New.dbf".into()),
            Change::Names(vec![
                NameChange::Rename { from: "mine/SUB".into(), to: "mine/Other".into() },
                NameChange::AddDirectory("gone".into()),
                NameChange::Remove("Gone".into()),
            ]),
            Change::SetTemplate(template("MINE", false)),
            Change::SetTemplate(template("OTHER", false)),
            Change::SetTemplate(template("DATAFILE", true)),
            Change::DropTemplate("OTHER".into()),
            Change::SetAttribute { name: "disk_repair_time".into(), value: "2h".into() },
        ]
    }

    fn template(name: &str, system: bool) -> Template {
        Template { name: name.into(), protection: Protection::High, striping: Striping::Fine, system }
    }

    /// What the encoding of a version before has of the metadata, when there is nothing in it that it did not know.
    fn without_names(directory: &Directory) -> (Directory, Vec<u8>) {
        let mut before = directory.clone();
        (before.names, before.templates, before.attributes) = Default::default();
        let repair_us = before.attributes.repair_us();
        before.repair.values_mut().for_each(|left_us| *left_us = repair_us);
        let mut bytes = encode(&before);
        bytes.truncate(bytes.len() - 16 - REPAIR_BYTES * before.repair.len());
        (before, bytes)
    }

    #[test]
    fn metadata_from_before_aliases_is_read() {
        let (before, bytes) = without_names(&directory());
        assert_eq!(decode(UNNAMED, &bytes).unwrap(), before);
        decode(VERSION, &bytes).unwrap_err();
        // It has room for no file less: what is new takes bytes only where it is used.
        assert_eq!(encode(&before).len(), bytes.len() + 16 + REPAIR_BYTES * before.repair.len());
    }

    #[test]
    fn encoding_and_decoding_agree() {
        let directory = directory();
        let bytes = encode(&directory);
        assert_eq!(bytes.len() as u64, encoded_bytes(&directory));
        assert_eq!(decode(VERSION, &bytes).unwrap(), directory);
        assert!(largest_bytes(&directory) >= encoded_bytes(&directory));
        for change in changes().into_iter().chain([Change::Drop, Change::Rebalance { power: None }]) {
            assert_eq!(decode_change(&encode_change(&change)).unwrap(), change);
        }
    }

    /// A snapshot as the version before mirroring has it: two disks, one file of two extents.
    #[test]
    fn metadata_from_before_mirroring_is_read() {
        let mut bytes = Vec::new();
        bytes.extend((MB as u32).to_le_bytes());
        bytes.extend(5_u32.to_le_bytes());
        bytes.push(0);
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
        for number in 0..2_u16 {
            bytes.extend(number.to_le_bytes());
            bytes.extend([number as u8; 16]);
            bytes.extend(64_u32.to_le_bytes());
            text(&mut bytes, &format!("DATA_{number:04}"));
        }
        bytes.extend(256_u32.to_le_bytes());
        bytes.extend(4_u32.to_le_bytes());
        bytes.extend([FileKind::DataFile as u8, 1]);
        bytes.extend(77_u64.to_le_bytes());
        bytes.extend((MB + 9).to_le_bytes());
        bytes.extend(0_u32.to_le_bytes());
        text(&mut bytes, "USERS");
        list(&mut bytes, &[Pointer::new(0, 10, 1), Pointer::new(1, 10, 1)]);
        let directory = decode(UNMIRRORED, &bytes).unwrap();
        assert_eq!((directory.redundancy, directory.next_incarnation, directory.epoch), (Redundancy::External, 5, 0));
        let disk = &directory.disks[&1];
        assert_eq!((disk.failure_group.as_str(), disk.mode, disk.carrier), ("DATA_0001", DiskMode::Online, true));
        let file = &directory.files[&256];
        assert_eq!((file.size, file.copies, file.growing, file.extents.len()), (MB + 9, 1, false, 2));
        // It is written as this version, and nothing is lost by that.
        assert_eq!(decode(VERSION, &encode(&directory)).unwrap(), directory);
        for end in 0..bytes.len() {
            decode(UNMIRRORED, &bytes[..end]).unwrap_err();
        }
    }

    /// Bytes that were cut off, added or changed are an error or other metadata, and never a panic or a huge
    /// allocation.
    #[test]
    fn damaged_bytes_are_refused_in_an_orderly_way() {
        let bytes = encode(&directory());
        for end in 0..bytes.len() {
            decode(VERSION, &bytes[..end]).unwrap_err();
            let _ = decode(UNMIRRORED, &bytes[..end]);
        }
        for at in 0..bytes.len() {
            for with in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = with;
                let _ = decode(VERSION, &changed);
            }
        }
        for change in changes() {
            let bytes = encode_change(&change);
            for end in 0..bytes.len() {
                decode_change(&bytes[..end]).unwrap_err();
            }
            decode_change(&[&bytes[..], &[0]].concat()).unwrap_err();
        }
    }

    /// A region is dirty, then stale, and current when no disk is offline any more.
    #[test]
    fn regions_are_stale_until_all_disks_are_online() {
        let mut directory = directory();
        let (dirty, stale) = (Region::new(256, 0), Region::new(257, 0));
        assert_eq!((directory.dirty.len(), directory.stale.len()), (1, 1));
        assert!(directory.dirty.contains(&dirty) && directory.stale.contains(&stale));
        for number in [2, 3] {
            let change = Change::Mode { number, mode: DiskMode::Online, dropping: false, at_us: 0 };
            directory.apply(&change).unwrap();
        }
        assert!(directory.stale.is_empty() && directory.dirty.contains(&dirty));
        directory.apply(&Change::Delete { number: 256 }).unwrap();
        assert!(directory.dirty.is_empty());
    }

    #[test]
    fn changes_that_do_not_fit_are_refused_and_change_nothing() {
        let before = directory();
        let mut directory = before.clone();
        let file = before.files[&256].clone();
        let wrong = [
            Change::Create(file.clone()),
            Change::Create(FileEntry { number: 300, ..file.clone() }),
            Change::Create(FileEntry { number: 300, incarnation: 9, copies: 1, ..file.clone() }),
            Change::Create(FileEntry { number: 300, incarnation: 9, copies: 4, ..file.clone() }),
            Change::Create(FileEntry { number: 300, incarnation: 9, size: 7 * MB, ..file.clone() }),
            Change::Create(FileEntry { number: 3, incarnation: 9, ..file }),
            Change::Extend { number: 256, size: 2 * MB, extents: vec![] },
            Change::Extend { number: 256, size: 1, extents: vec![] },
            Change::Shrink { number: 256, size: 6 },
            Change::Shrink { number: 400, size: 0 },
            Change::Delete { number: 400 },
            Change::AddDisks(vec![disk(9), disk(0)]),
            Change::RemoveDisk { number: 7 },
            Change::ResizeDisk { number: 7, units: 1 },
            Change::Moves(vec![Move::new(256, 9, Pointer::new(0, 1, 1))]),
            Change::Moves(vec![Move::new(256, 0, Pointer::new(0, 1, 4))]),
            Change::CreateNamed(FileEntry { number: 300, incarnation: 9, ..before.files[&258].clone() }, "MINE".into()),
            Change::CreateNamed(FileEntry { number: 300, ..before.files[&258].clone() }, "other".into()),
            Change::Names(vec![
                NameChange::AddDirectory("new".into()),
                NameChange::AddAlias { path: "new/x".into(), file: 400 },
            ]),
            Change::Names(vec![NameChange::AddDirectory("new".into()), NameChange::Remove("nothing".into())]),
            Change::DropTemplate("OTHER".into()),
            Change::DropTemplate("DATAFILE".into()),
            Change::SetAttribute { name: "other".into(), value: "1".into() },
            Change::RepairTime { number: 0, left_us: 1 },
        ];
        for change in wrong {
            assert!(directory.apply(&change).unwrap_err().is_ora(15196), "{change:?}");
            assert_eq!(directory, before);
        }
        directory.apply(&Change::Drop).unwrap();
        assert!(directory.apply(&Change::Delete { number: 256 }).unwrap_err().is_ora(15196));
    }
}
