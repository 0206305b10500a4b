//! The metadata in memory: the group's disks, its files and the locations of their extents.
//!
//! The extents of the files alone define the use of space. The allocation table is derived from them at mount
//! (`space.rs`) and is not on the disks, so the two cannot disagree; two extents in one unit are detected then.
//!
//! Every modification of the metadata is a [`Change`]. [`Directory::apply`] applies it when it happens and when the
//! journal is read again.

use std::collections::{BTreeMap, BTreeSet};

use common::Result;
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::alias::{NameChange, Names};
use crate::attribute::Attributes;
use crate::error::corrupt;
use crate::header::Id;
use crate::layout::{AuSize, MB};
use crate::name::FileKind;
use crate::redundancy::Redundancy;
use crate::shape::{ExtentGrowth, Shape, Striping};
use crate::template::{Template, Templates};

/// The number of a group's first file: those below are Oracle's for metadata.
pub(crate) const FIRST_FILE: u32 = 256;
/// Bytes of a region's extents, where they have one unit each.
const REGION_BYTES: u64 = 8 * MB;

/// Location of one copy of an extent.
#[derive(
    FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug,
)]
#[repr(C)]
pub(crate) struct Pointer {
    unit: U32,
    disk: U16,
    units: U16,
}

pub(crate) const POINTER_BYTES: usize = 8;
const _: () = assert!(size_of::<Pointer>() == POINTER_BYTES);

impl Pointer {
    /// A copy that does not exist: its disk was dropped by force, or there was none for it.
    pub(crate) const NONE: Self =
        Self { unit: U32::from_bytes([0; 4]), disk: U16::from_bytes([0xff; 2]), units: U16::from_bytes([0; 2]) };

    pub(crate) fn new(disk: u16, unit: u32, units: u16) -> Self {
        Self { unit: unit.into(), disk: disk.into(), units: units.into() }
    }

    pub(crate) fn is_none(self) -> bool {
        self == Self::NONE
    }

    pub(crate) fn disk(self) -> u16 {
        self.disk.get()
    }

    pub(crate) fn unit(self) -> u32 {
        self.unit.get()
    }

    pub(crate) fn units(self) -> u16 {
        self.units.get()
    }
}

/// Whether a disk takes part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskMode {
    /// It is read and written.
    Online = 1,
    /// It is neither read nor written; writes to other copies make its own stale.
    Offline = 2,
    /// It is written, and its stale copies are being copied from others; it is not read.
    Syncing = 3,
}

impl DiskMode {
    /// As MODE_STATUS of V$ASM_DISK.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Online => "ONLINE",
            Self::Offline => "OFFLINE",
            Self::Syncing => "SYNCING",
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        [Self::Online, Self::Offline, Self::Syncing].into_iter().find(|one| *one as u8 == code)
    }
}

/// A disk of the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DiskEntry {
    pub(crate) number: u16,
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) failure_group: String,
    pub(crate) units: u32,
    pub(crate) mode: DiskMode,
    /// Its extents are to be moved to other disks; then it leaves the group.
    pub(crate) dropping: bool,
    /// All its copies are stale, not only those in stale regions.
    pub(crate) outdated: bool,
    /// It has a current copy of the metadata.
    pub(crate) carrier: bool,
    /// The epoch in its header, at the least.
    pub(crate) epoch: u64,
    /// When it went offline, microseconds since 1970-01-01 UTC; 0 while it is online.
    pub(crate) offline_since_us: u64,
}

impl DiskEntry {
    /// New extents may lie on it.
    pub(crate) fn takes_extents(&self) -> bool {
        self.mode == DiskMode::Online && !self.dropping
    }
}

/// Consecutive extents of a file, the unit in which the group knows where copies may differ.
#[derive(
    FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug,
)]
#[repr(C)]
pub(crate) struct Region {
    file: U32,
    index: U32,
}

pub(crate) const REGION_ENTRY_BYTES: usize = 8;
const _: () = assert!(size_of::<Region>() == REGION_ENTRY_BYTES);

impl Region {
    pub(crate) fn new(file: u32, index: u32) -> Self {
        Self { file: file.into(), index: index.into() }
    }

    pub(crate) fn file(self) -> u32 {
        self.file.get()
    }

    pub(crate) fn index(self) -> u32 {
        self.index.get()
    }

    /// Extents of a region in a group with such allocation units.
    pub(crate) fn extents(au: AuSize) -> u64 {
        (REGION_BYTES / au.bytes()).max(1)
    }

    /// All regions of a file.
    pub(crate) fn all_of(file: &FileEntry, au: AuSize) -> impl Iterator<Item = Self> + use<> {
        let number = file.number;
        let count = (file.extents.len() / file.copies()).div_ceil(Self::extents(au) as usize) as u32;
        (0..count).map(move |index| Self::new(number, index))
    }
}

/// A file of the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileEntry {
    pub(crate) number: u32,
    pub(crate) incarnation: u32,
    pub(crate) kind: FileKind,
    pub(crate) tag: String,
    pub(crate) created_us: u64,
    /// Bytes of the file as its users see them.
    pub(crate) size: u64,
    /// Pointers for each extent: the primary and its mirrors.
    pub(crate) copies: u8,
    pub(crate) striping: Striping,
    /// Its extents have more units the larger it is.
    pub(crate) growing: bool,
    /// The pointers of the first extent, the primary first, then those of the second, and so on.
    pub(crate) extents: Vec<Pointer>,
}

impl FileEntry {
    pub(crate) fn copies(&self) -> usize {
        usize::from(self.copies)
    }
}

/// The copy of an extent that a change moves: the pointer at this position of a file is another one now.
#[derive(
    FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug,
)]
#[repr(C)]
pub(crate) struct Move {
    file: U32,
    position: U32,
    to: Pointer,
}

pub(crate) const MOVE_BYTES: usize = 16;
const _: () = assert!(size_of::<Move>() == MOVE_BYTES);

impl Move {
    pub(crate) fn new(file: u32, position: u32, to: Pointer) -> Self {
        Self { file: file.into(), position: position.into(), to }
    }

    pub(crate) fn file(self) -> u32 {
        self.file.get()
    }

    pub(crate) fn position(self) -> usize {
        self.position.get() as usize
    }

    pub(crate) fn to(self) -> Pointer {
        self.to
    }
}

/// Something that happens to the metadata, whole or not at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    Create(FileEntry),
    /// The file has this size now, and these extents at its end.
    Extend {
        number: u32,
        size: u64,
        extents: Vec<Pointer>,
    },
    /// The file has this size now; the extents behind it are free.
    Shrink {
        number: u32,
        size: u64,
    },
    Delete {
        number: u32,
    },
    /// The group is no more.
    Drop,
    /// The copies of these regions may differ from now on.
    Dirty {
        regions: Vec<Region>,
    },
    /// The copies of these regions are alike; with `stale`, only those on disks that are online.
    Clean {
        regions: Vec<Region>,
        stale: bool,
    },
    /// A disk has this mode and this plan now. A disk that comes online has no stale copies any more.
    Mode {
        number: u16,
        mode: DiskMode,
        dropping: bool,
        at_us: u64,
    },
    /// Disks belong to the group now.
    AddDisks(Vec<DiskEntry>),
    /// The disk belongs to the group no more; copies on it do not exist any more.
    RemoveDisk {
        number: u16,
    },
    ResizeDisk {
        number: u16,
        units: u32,
    },
    /// Copies of extents lie elsewhere now.
    Moves(Vec<Move>),
    /// A rebalance is to be done with this power, or none.
    Rebalance {
        power: Option<u16>,
    },
    /// A file is made, with an alias.
    CreateNamed(FileEntry, String),
    /// Aliases and directories change, one after the other.
    Names(Vec<NameChange>),
    /// There is this template now.
    SetTemplate(Template),
    /// A user's template is gone.
    DropTemplate(String),
    SetAttribute {
        name: String,
        value: String,
    },
    /// A disk that is offline is dropped when the group has been mounted for so long.
    RepairTime {
        number: u16,
        left_us: u64,
    },
}

/// All of a group's metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Directory {
    pub(crate) au: AuSize,
    pub(crate) redundancy: Redundancy,
    pub(crate) growth: ExtentGrowth,
    /// Grows with each mount and with each change of the disks that take part.
    pub(crate) epoch: u64,
    pub(crate) disks: BTreeMap<u16, DiskEntry>,
    pub(crate) files: BTreeMap<u32, FileEntry>,
    /// Regions whose copies may differ from each other.
    pub(crate) dirty: BTreeSet<Region>,
    /// Regions whose copies on disks that are not online are old.
    pub(crate) stale: BTreeSet<Region>,
    /// Power of the rebalance that is to be done.
    pub(crate) rebalance: Option<u16>,
    /// Aliases and directories of users.
    pub(crate) names: Names,
    pub(crate) templates: Templates,
    pub(crate) attributes: Attributes,
    /// Microseconds after which disks that are not online are dropped.
    pub(crate) repair: BTreeMap<u16, u64>,
    /// The incarnation of the next file that is made.
    pub(crate) next_incarnation: u32,
    pub(crate) dropped: bool,
}

impl Directory {
    /// A group without files.
    pub(crate) fn new(au: AuSize, redundancy: Redundancy, growth: ExtentGrowth, disks: Vec<DiskEntry>) -> Self {
        Self {
            au,
            redundancy,
            growth,
            epoch: 1,
            disks: disks.into_iter().map(|disk| (disk.number, disk)).collect(),
            files: BTreeMap::new(),
            dirty: BTreeSet::new(),
            stale: BTreeSet::new(),
            rebalance: None,
            names: Names::default(),
            templates: Templates::default(),
            attributes: Attributes::default(),
            repair: BTreeMap::new(),
            next_incarnation: 1,
            dropped: false,
        }
    }

    /// The shape of a file.
    pub(crate) fn shape(&self, file: &FileEntry) -> Shape {
        Shape::new(self.au, file.striping, file.growing, self.growth)
    }

    /// The disk with this number.
    ///
    /// # Errors
    /// ORA-15196.
    fn disk_mut(&mut self, number: u16) -> Result<&mut DiskEntry> {
        self.disks.get_mut(&number).ok_or_else(|| corrupt(format!("a change of disk {number}, which is not there")))
    }

    /// True: all disks take part.
    pub(crate) fn all_online(&self) -> bool {
        self.disks.values().all(|disk| disk.mode == DiskMode::Online)
    }

    /// The copy is there and current.
    pub(crate) fn is_good(&self, pointer: Pointer) -> bool {
        self.disks.get(&pointer.disk()).is_some_and(|disk| disk.mode == DiskMode::Online)
    }

    /// True: copies of extents are on the disk.
    pub(crate) fn uses(&self, number: u16) -> bool {
        let here = |pointer: &Pointer| !pointer.is_none() && pointer.disk() == number;
        self.files.values().any(|file| file.extents.iter().any(here))
    }

    /// True: each extent with a copy on the disk has another one that is good, and another disk is online.
    pub(crate) fn can_do_without(&self, number: u16) -> bool {
        let another = self.disks.values().any(|disk| disk.number != number && disk.mode == DiskMode::Online);
        let kept = |pointers: &[Pointer]| {
            let here = pointers.iter().any(|pointer| !pointer.is_none() && pointer.disk() == number);
            !here || pointers.iter().any(|pointer| pointer.disk() != number && self.is_good(*pointer))
        };
        another && self.files.values().all(|file| file.extents.chunks(file.copies()).all(kept))
    }

    /// The pointers of a region, with the position of the first one.
    pub(crate) fn pointers_of(&self, region: Region) -> (usize, &[Pointer]) {
        let Some(file) = self.files.get(&region.file()) else { return (0, &[]) };
        let each = Region::extents(self.au) as usize * file.copies();
        let first = (region.index() as usize).saturating_mul(each).min(file.extents.len());
        (first, &file.extents[first..file.extents.len().min(first + each)])
    }

    /// Applies a change, or refuses it and does nothing.
    ///
    /// # Errors
    /// ORA-15196 when the change does not fit the metadata.
    pub(crate) fn apply(&mut self, change: &Change) -> Result<()> {
        if self.dropped {
            return Err(corrupt("a change after the group was dropped"));
        }
        match change {
            Change::Create(file) => self.create(file)?,
            Change::CreateNamed(file, path) => {
                self.names.apply(&NameChange::AddAlias { path: path.clone(), file: file.number })?;
                if let Err(error) = self.create(file) {
                    self.names.forget_file(file.number);
                    return Err(error);
                }
            }
            Change::Extend { number, size, extents } => {
                let file = self.file(*number)?;
                let wanted = self.shape(file).extents_of(*size) * u64::from(file.copies);
                if *size < file.size || (file.extents.len() + extents.len()) as u64 != wanted {
                    return Err(corrupt(format!("file {number} is extended to {size} bytes by other extents")));
                }
                let file = self.file_mut(*number)?;
                file.size = *size;
                file.extents.extend(extents);
            }
            Change::Shrink { number, size } => {
                let file = self.file(*number)?;
                if *size > file.size {
                    return Err(corrupt(format!("file {number} grows by being shrunk")));
                }
                let keep = (self.shape(file).extents_of(*size) * u64::from(file.copies)) as usize;
                let file = self.file_mut(*number)?;
                file.size = *size;
                file.extents.truncate(keep);
                let regions = (keep / file.copies()).div_ceil(Region::extents(self.au) as usize) as u32;
                self.forget_regions(*number, regions);
            }
            Change::Delete { number } => {
                self.file(*number)?;
                self.files.remove(number);
                self.names.forget_file(*number);
                self.forget_regions(*number, 0);
            }
            Change::Drop => self.dropped = true,
            Change::Dirty { regions } => self.dirty.extend(regions),
            Change::Clean { regions, stale } => {
                for region in regions {
                    self.dirty.remove(region);
                    if *stale {
                        self.stale.insert(*region);
                    }
                }
            }
            Change::Mode { number, mode, dropping, at_us } => {
                let disk = self.disk_mut(*number)?;
                let before = disk.mode;
                disk.mode = *mode;
                disk.dropping = *dropping;
                match mode {
                    DiskMode::Online => {
                        disk.offline_since_us = 0;
                        disk.outdated = false;
                        self.repair.remove(number);
                    }
                    DiskMode::Offline | DiskMode::Syncing if before == DiskMode::Online => {
                        disk.offline_since_us = *at_us;
                        disk.carrier = false;
                        self.repair.insert(*number, self.attributes.repair_us());
                    }
                    DiskMode::Offline | DiskMode::Syncing => {}
                }
                if before != *mode {
                    self.epoch += 1;
                    let epoch = self.epoch;
                    // Its header has this epoch: an older one is that of a disk that was put back from a copy.
                    if *mode == DiskMode::Online {
                        self.disk_mut(*number)?.epoch = epoch;
                    }
                }
                if self.all_online() {
                    self.stale.clear();
                }
            }
            Change::AddDisks(disks) => {
                if disks.iter().any(|disk| self.disks.contains_key(&disk.number)) {
                    return Err(corrupt("a disk is added a second time"));
                }
                self.disks.extend(disks.iter().map(|disk| (disk.number, disk.clone())));
                self.epoch += 1;
            }
            Change::RemoveDisk { number } => {
                self.disk_mut(*number)?;
                self.disks.remove(number);
                self.repair.remove(number);
                for file in self.files.values_mut() {
                    for pointer in &mut file.extents {
                        if pointer.disk() == *number && !pointer.is_none() {
                            *pointer = Pointer::NONE;
                        }
                    }
                }
                if self.all_online() {
                    self.stale.clear();
                }
                self.epoch += 1;
            }
            Change::ResizeDisk { number, units } => self.disk_mut(*number)?.units = *units,
            Change::Moves(moves) => {
                for one in moves {
                    let file = self.file(one.file())?;
                    let there = file.extents.get(one.position());
                    let units = self.shape(file).units_of((one.position() / file.copies()) as u64);
                    if there.is_none() || (one.to().units() != units && !one.to().is_none()) {
                        return Err(corrupt(format!("file {} has no extent to be moved", one.file())));
                    }
                }
                for one in moves {
                    self.file_mut(one.file())?.extents[one.position()] = one.to();
                }
            }
            Change::Rebalance { power } => self.rebalance = *power,
            Change::Names(changes) => {
                let mut names = self.names.clone();
                for change in changes {
                    if let NameChange::AddAlias { file, .. } = change {
                        self.file(*file)?;
                    }
                    names.apply(change)?;
                }
                self.names = names;
            }
            Change::SetTemplate(template) => self.templates.set(template.clone(), self.redundancy),
            Change::DropTemplate(name) => self.templates.remove(name)?,
            Change::SetAttribute { name, value } => {
                if !self.attributes.set(name, value) {
                    return Err(corrupt(format!("a change of attribute {name}, which is unknown")));
                }
            }
            Change::RepairTime { number, left_us } => {
                if self.disk_mut(*number)?.mode == DiskMode::Online {
                    return Err(corrupt(format!("a time for the repair of disk {number}, which is online")));
                }
                self.repair.insert(*number, *left_us);
            }
        }
        Ok(())
    }

    /// Adds a file.
    ///
    /// # Errors
    /// ORA-15196.
    fn create(&mut self, file: &FileEntry) -> Result<()> {
        self.check(file)?;
        if self.files.contains_key(&file.number) || file.incarnation < self.next_incarnation {
            return Err(corrupt(format!("file {} is made a second time", file.number)));
        }
        self.next_incarnation = file.incarnation + 1;
        self.files.insert(file.number, file.clone());
        Ok(())
    }

    fn forget_regions(&mut self, file: u32, from: u32) {
        self.dirty.retain(|region| region.file() != file || region.index() < from);
        self.stale.retain(|region| region.file() != file || region.index() < from);
    }

    fn file(&self, number: u32) -> Result<&FileEntry> {
        self.files.get(&number).ok_or_else(|| corrupt(format!("a change of file {number}, which is not there")))
    }

    fn file_mut(&mut self, number: u32) -> Result<&mut FileEntry> {
        self.files.get_mut(&number).ok_or_else(|| corrupt(format!("a change of file {number}, which is not there")))
    }

    /// Checks a file's own fields; its extents are checked when space is claimed for them.
    ///
    /// # Errors
    /// ORA-15196.
    pub(crate) fn check(&self, file: &FileEntry) -> Result<()> {
        if !(1..=3).contains(&file.copies) {
            return Err(corrupt(format!("file {} has {} copies of each extent", file.number, file.copies)));
        }
        let shape = self.shape(file);
        let wanted = shape.extents_of(file.size) * u64::from(file.copies);
        if file.number < FIRST_FILE || file.incarnation == u32::MAX || file.extents.len() as u64 != wanted {
            return Err(corrupt(format!(
                "file {} has {} extents for {} bytes",
                file.number,
                file.extents.len(),
                file.size
            )));
        }
        let fits = |(position, pointer): (usize, &Pointer)| {
            pointer.is_none() || pointer.units() == shape.units_of((position / file.copies()) as u64)
        };
        if !file.extents.iter().enumerate().all(fits) {
            return Err(corrupt(format!("file {} has extents of another size", file.number)));
        }
        Ok(())
    }
}
