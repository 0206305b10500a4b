//! The metadata in memory: the group's disks, its files and the locations of their extents.
//!
//! The extents of the files alone define the use of space. The allocation table is derived from them at mount
//! (`space.rs`) and is not on the disks, so the two cannot disagree; two extents in one unit are detected then.
//!
//! Every modification of the metadata is a [`Change`]. [`Directory::apply`] applies it when it happens and when the
//! journal is read again.

use std::collections::BTreeMap;

use common::Result;
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::corrupt;
use crate::header::Id;
use crate::layout::AuSize;
use crate::name::FileKind;

/// The number of a group's first file: those below are Oracle's for metadata.
pub(crate) const FIRST_FILE: u32 = 256;

/// Location of one copy of an extent.
///
/// An extent of an unmirrored file has one pointer; the format has room for more (`FileEntry::copies`), and for extents
/// of several units (`units`), neither of which is used today.
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
    pub(crate) fn new(disk: u16, unit: u32) -> Self {
        Self { unit: unit.into(), disk: disk.into(), units: 1.into() }
    }

    pub(crate) fn disk(self) -> usize {
        usize::from(self.disk.get())
    }

    pub(crate) fn unit(self) -> u32 {
        self.unit.get()
    }

    pub(crate) fn units(self) -> u16 {
        self.units.get()
    }
}

/// A disk of the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DiskEntry {
    pub(crate) number: u16,
    pub(crate) id: Id,
    pub(crate) name: String,
    pub(crate) units: u32,
}

/// A file of the group.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct FileEntry {
    pub(crate) number: u32,
    pub(crate) incarnation: u32,
    pub(crate) kind: FileKind,
    pub(crate) tag: String,
    pub(crate) created_us: u64,
    /// Bytes of the file as its users see it.
    pub(crate) size: u64,
    /// Pointers for each extent: the primary and its mirrors. Always 1 today.
    pub(crate) copies: u8,
    pub(crate) extents: Vec<Pointer>,
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
}

/// All of a group's metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Directory {
    pub(crate) au: AuSize,
    pub(crate) disks: Vec<DiskEntry>,
    pub(crate) files: BTreeMap<u32, FileEntry>,
    /// The incarnation of the next file that is made.
    pub(crate) next_incarnation: u32,
    pub(crate) dropped: bool,
}

impl Directory {
    /// A group without files.
    pub(crate) fn new(au: AuSize, disks: Vec<DiskEntry>) -> Self {
        Self { au, disks, files: BTreeMap::new(), next_incarnation: 1, dropped: false }
    }

    /// Extents of a file of so many bytes.
    pub(crate) fn extents_of(&self, size: u64) -> u64 {
        size.div_ceil(self.au.bytes())
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
            Change::Create(file) => {
                self.check(file)?;
                if self.files.contains_key(&file.number) || file.incarnation < self.next_incarnation {
                    return Err(corrupt(format!("file {} is made twice", file.number)));
                }
                self.next_incarnation = file.incarnation + 1;
                self.files.insert(file.number, file.clone());
            }
            Change::Extend { number, size, extents } => {
                let wanted = self.extents_of(*size);
                let file = self.file_mut(*number)?;
                if *size < file.size || (file.extents.len() + extents.len()) as u64 != wanted {
                    return Err(corrupt(format!("file {number} is extended to {size} bytes by other extents")));
                }
                file.size = *size;
                file.extents.extend(extents);
            }
            Change::Shrink { number, size } => {
                let keep = self.extents_of(*size) as usize;
                let file = self.file_mut(*number)?;
                if *size > file.size {
                    return Err(corrupt(format!("file {number} grows by being shrunk")));
                }
                file.size = *size;
                file.extents.truncate(keep);
            }
            Change::Delete { number } => {
                self.file_mut(*number)?;
                self.files.remove(number);
            }
            Change::Drop => self.dropped = true,
        }
        Ok(())
    }

    fn file_mut(&mut self, number: u32) -> Result<&mut FileEntry> {
        self.files.get_mut(&number).ok_or_else(|| corrupt(format!("a change of file {number}, which is not there")))
    }

    /// Checks a file's own fields; its extents are checked when space is claimed for them.
    ///
    /// # Errors
    /// ORA-15196.
    pub(crate) fn check(&self, file: &FileEntry) -> Result<()> {
        let wanted = self.extents_of(file.size);
        if file.copies != 1 || file.extents.iter().any(|pointer| pointer.units() != 1) {
            return Err(corrupt(format!(
                "file {} has mirrored or large extents, which this version does not know",
                file.number
            )));
        }
        if file.number < FIRST_FILE || file.incarnation == u32::MAX || file.extents.len() as u64 != wanted {
            return Err(corrupt(format!(
                "file {} has {} extents for {} bytes",
                file.number,
                file.extents.len(),
                file.size
            )));
        }
        Ok(())
    }
}
