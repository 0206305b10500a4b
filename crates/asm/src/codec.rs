//! Metadata as bytes: changes for the journal, and all of it for a snapshot. docs/formats/disk-group.md has the tables.
//!
//! The bytes have passed a checksum. They are checked all the same: no value is used as a length or an offset before.

use common::Result;
use zerocopy::{FromBytes, IntoBytes};

use crate::directory::{Change, Directory, DiskEntry, FileEntry, POINTER_BYTES, Pointer};
use crate::error::corrupt;
use crate::header::Id;
use crate::layout::AuSize;
use crate::name::FileKind;

/// Bytes of a file in a snapshot, without its tag and its extents.
const FILE_BYTES: usize = 35;
/// Bytes of a disk, without its name.
const DISK_BYTES: usize = 23;
/// Bytes of a snapshot, without disks and files.
const SNAPSHOT_BYTES: usize = 17;

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

    fn pointers(&mut self) -> Result<Vec<Pointer>> {
        let count = self.u32()? as usize;
        let bytes = count.checked_mul(POINTER_BYTES).ok_or_else(|| corrupt("it has too many extents"))?;
        let bytes = self.take(bytes)?;
        let pointers = <[Pointer]>::ref_from_bytes(bytes).map_err(|_| corrupt("its extents are cut off"))?;
        Ok(pointers.to_vec())
    }

    fn file(&mut self) -> Result<FileEntry> {
        let number = self.u32()?;
        let incarnation = self.u32()?;
        let kind = FileKind::from_code(self.u8()?).ok_or_else(|| corrupt("a file of an unknown kind"))?;
        let copies = self.u8()?;
        let created_us = self.u64()?;
        let size = self.u64()?;
        // Room for a striping and a size of extents of its own.
        if self.u32()? != 0 {
            return Err(corrupt("a file with attributes that this version does not know"));
        }
        let tag = self.text()?;
        let extents = self.pointers()?;
        Ok(FileEntry { number, incarnation, kind, tag, created_us, size, copies, extents })
    }

    fn end(&self) -> Result<()> {
        if self.0.is_empty() { Ok(()) } else { Err(corrupt(format!("{} bytes too many", self.0.len()))) }
    }
}

fn text(to: &mut Vec<u8>, text: &str) {
    to.push(text.len() as u8);
    to.extend(text.as_bytes());
}

fn pointers(to: &mut Vec<u8>, pointers: &[Pointer]) {
    to.extend((pointers.len() as u32).to_le_bytes());
    to.extend(pointers.as_bytes());
}

fn file(to: &mut Vec<u8>, file: &FileEntry) {
    to.extend(file.number.to_le_bytes());
    to.extend(file.incarnation.to_le_bytes());
    to.push(file.kind as u8);
    to.push(file.copies);
    to.extend(file.created_us.to_le_bytes());
    to.extend(file.size.to_le_bytes());
    to.extend(0_u32.to_le_bytes());
    text(to, &file.tag);
    pointers(to, &file.extents);
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
            pointers(&mut to, extents);
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
        2 => Change::Extend { number: from.u32()?, size: from.u64()?, extents: from.pointers()? },
        3 => Change::Shrink { number: from.u32()?, size: from.u64()? },
        4 => Change::Delete { number: from.u32()? },
        5 => Change::Drop,
        kind => return Err(corrupt(format!("a change of the unknown kind {kind}"))),
    };
    from.end()?;
    Ok(change)
}

/// Bytes that [`encode`] will make.
pub(crate) fn encoded_bytes(directory: &Directory) -> u64 {
    let disks = directory.disks.iter().map(|disk| DISK_BYTES + disk.name.len()).sum::<usize>();
    let files = directory.files.values().map(file_bytes).sum::<u64>();
    (SNAPSHOT_BYTES + disks) as u64 + files
}

/// Bytes that a file adds to a snapshot.
pub(crate) fn file_bytes(file: &FileEntry) -> u64 {
    (FILE_BYTES + file.tag.len() + POINTER_BYTES * file.extents.len()) as u64
}

/// All of the metadata in its form in a snapshot.
pub(crate) fn encode(directory: &Directory) -> Vec<u8> {
    let mut to = Vec::with_capacity(encoded_bytes(directory) as usize);
    to.extend((directory.au.bytes() as u32).to_le_bytes());
    to.extend(directory.next_incarnation.to_le_bytes());
    to.push(u8::from(directory.dropped));
    to.extend((directory.disks.len() as u32).to_le_bytes());
    to.extend((directory.files.len() as u32).to_le_bytes());
    for disk in &directory.disks {
        to.extend(disk.number.to_le_bytes());
        to.extend(disk.id);
        to.extend(disk.units.to_le_bytes());
        text(&mut to, &disk.name);
    }
    for entry in directory.files.values() {
        file(&mut to, entry);
    }
    to
}

/// Decodes the output of [`encode`].
///
/// # Errors
/// ORA-15196.
pub(crate) fn decode(bytes: &[u8]) -> Result<Directory> {
    let mut from = Reader(bytes);
    let au = AuSize::new(u64::from(from.u32()?)).map_err(|error| corrupt(error.text))?;
    let next_incarnation = from.u32()?;
    let dropped = from.u8()? != 0;
    let (disks, files) = (from.u32()?, from.u32()?);
    let mut directory = Directory::new(au, Vec::new());
    for number in 0..disks {
        let disk = DiskEntry {
            number: from.u16()?,
            id: from.array::<{ size_of::<Id>() }>()?,
            units: from.u32()?,
            name: from.text()?,
        };
        if u32::from(disk.number) != number {
            return Err(corrupt(format!("disk {number} has the number {}", disk.number)));
        }
        directory.disks.push(disk);
    }
    for _ in 0..files {
        let file = from.file()?;
        directory.check(&file)?;
        if file.incarnation >= next_incarnation || directory.files.insert(file.number, file).is_some() {
            return Err(corrupt("a file is there twice, or its incarnation is still to come"));
        }
    }
    from.end()?;
    directory.next_incarnation = next_incarnation;
    directory.dropped = dropped;
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::MB;

    fn directory() -> Directory {
        let disk =
            |number: u16| DiskEntry { number, id: [number as u8; 16], name: format!("DATA_{number:04}"), units: 64 };
        let mut directory = Directory::new(AuSize::default(), vec![disk(0), disk(1)]);
        for change in changes() {
            directory.apply(&change).unwrap();
        }
        directory
    }

    fn changes() -> Vec<Change> {
        let file = |number, incarnation, extents: u32| FileEntry {
            number,
            incarnation,
            kind: FileKind::DataFile,
            tag: "USERS".into(),
            created_us: 77,
            size: u64::from(extents) * MB,
            copies: 1,
            extents: (0..extents).map(|unit| Pointer::new((unit % 2) as u16, 10 + unit)).collect(),
        };
        vec![
            Change::Create(file(256, 1, 3)),
            Change::Create(file(257, 2, 0)),
            Change::Extend { number: 257, size: MB + 1, extents: vec![Pointer::new(0, 20), Pointer::new(1, 20)] },
            Change::Shrink { number: 256, size: 5 },
            Change::Delete { number: 257 },
            Change::Create(file(257, 3, 1)),
        ]
    }

    #[test]
    fn encoding_and_decoding_agree() {
        let directory = directory();
        let bytes = encode(&directory);
        assert_eq!(bytes.len() as u64, encoded_bytes(&directory));
        assert_eq!(decode(&bytes).unwrap(), directory);
        for change in changes().into_iter().chain([Change::Drop]) {
            assert_eq!(decode_change(&encode_change(&change)).unwrap(), change);
        }
    }

    /// Bytes that were cut off, added or changed are an error or other metadata, and never a panic or a huge
    /// allocation.
    #[test]
    fn damaged_bytes_are_refused_in_an_orderly_way() {
        let bytes = encode(&directory());
        for end in 0..bytes.len() {
            decode(&bytes[..end]).unwrap_err();
        }
        for at in 0..bytes.len() {
            for with in [0, 1, 0x7f, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = with;
                let _ = decode(&changed);
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

    #[test]
    fn changes_that_do_not_fit_are_refused_and_change_nothing() {
        let before = directory();
        let mut directory = before.clone();
        let file = before.files[&256].clone();
        let wrong = [
            Change::Create(file.clone()),
            Change::Create(FileEntry { number: 300, ..file.clone() }),
            Change::Create(FileEntry { number: 300, incarnation: 9, copies: 2, ..file.clone() }),
            Change::Create(FileEntry { number: 300, incarnation: 9, size: 7 * MB, ..file.clone() }),
            Change::Create(FileEntry { number: 3, incarnation: 9, ..file }),
            Change::Extend { number: 256, size: 2 * MB, extents: vec![] },
            Change::Extend { number: 256, size: 1, extents: vec![] },
            Change::Shrink { number: 256, size: 6 },
            Change::Shrink { number: 400, size: 0 },
            Change::Delete { number: 400 },
        ];
        for change in wrong {
            assert!(directory.apply(&change).unwrap_err().is_ora(15196), "{change:?}");
            assert_eq!(directory, before);
        }
        directory.apply(&Change::Drop).unwrap();
        assert!(directory.apply(&Change::Delete { number: 256 }).unwrap_err().is_ora(15196));
    }
}
