//! A copy of the control file that cannot be replaced by a rename, as in a disk group: the file has two slots, and each
//! document is written to both, one after the other.
//!
//! ```text
//! | slot 0 | slot 1 | slot 0 | slot 1 | …            parts of 1 MB: a slot grows at the end of the file
//!
//! slot:    0  magic "HWCTLSLT"
//!          8  version of this layout, u32 (1)
//!         12  CRC-32C of bytes 16 to 4096 and of the document, u32
//!         16  sequence of the document, u64
//!         24  bytes of the document, u32
//!         28  zeros
//!       4096  the document, as in a file of its own
//! ```
//!
//! - A write begins with the slot that does not hold the newest document, so a torn write leaves the other slot.
//! - After a write that counts both slots hold it: a slot that is damaged later takes nothing away.

use std::io;

use common::sync::Arc;
use device::{AlignedBuffer, Device};

const MAGIC: &[u8; 8] = b"HWCTLSLT";
const VERSION: u32 = 1;
const HEAD: usize = 4096;
/// Bytes of a part.
const PART: u64 = 1 << 20;
/// Documents are far shorter; a longer length is damage.
const DOCUMENT_MAX: usize = 256 << 20;

/// The two slots of an open file.
#[derive(Debug)]
pub(super) struct Slots {
    device: Arc<dyn Device>,
    /// Which slots hold the newest document.
    newest: [bool; 2],
}

/// A document and its sequence.
type Document = (u64, Vec<u8>);

fn damaged(text: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text.into())
}

/// Places in the file of a slot's bytes from 0 to `bytes`.
fn parts(slot: usize, bytes: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let part = PART as usize;
    (0..bytes.div_ceil(part)).map(move |at| {
        let from = at * part;
        ((2 * at + slot) as u64 * PART, from..(from + part).min(bytes))
    })
}

impl Slots {
    /// Bytes of a new file.
    pub(super) const BYTES: u64 = 2 * PART;

    /// A file without a document.
    pub(super) fn new(device: Arc<dyn Device>) -> Self {
        Self { device, newest: [false; 2] }
    }

    /// The newest document of the file.
    ///
    /// # Errors
    /// When neither slot has one.
    pub(super) fn open(device: Arc<dyn Device>) -> io::Result<(Self, Vec<u8>)> {
        let found = [0, 1].map(|slot| read_any(&*device, slot));
        let sequence = |found: &io::Result<Document>| found.as_ref().map_or(0, |found| found.0);
        let newest = sequence(&found[0]).max(sequence(&found[1]));
        let holds = [0, 1].map(|slot| found[slot].is_ok() && sequence(&found[slot]) == newest);
        let [first, second] = found;
        let document = match (first, second) {
            (Ok(first), Ok(second)) => {
                if holds[0] {
                    first.1
                } else {
                    second.1
                }
            }
            (Ok(one), Err(_)) | (Err(_), Ok(one)) => one.1,
            (Err(first), Err(second)) => return Err(damaged(format!("slot 0: {first}; slot 1: {second}"))),
        };
        Ok((Self { device, newest: holds }, document))
    }

    /// Writes a document to both slots, durably. After an error the file holds it or the one before.
    ///
    /// # Errors
    /// Errors of the device; [`io::ErrorKind::StorageFull`] when the file cannot grow.
    pub(super) fn write(&mut self, sequence: u64, document: &[u8]) -> io::Result<()> {
        debug_assert!(document.len() <= DOCUMENT_MAX, "a document of {} bytes", document.len());
        let mut bytes = AlignedBuffer::zeroed((HEAD + document.len()).next_multiple_of(HEAD));
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&sequence.to_le_bytes());
        bytes[24..28].copy_from_slice(&(document.len() as u32).to_le_bytes());
        bytes[HEAD..HEAD + document.len()].copy_from_slice(document);
        let sum = crc32c::crc32c(&bytes[16..HEAD + document.len()]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        let wanted = (bytes.len() as u64).div_ceil(PART) * 2 * PART;
        if self.device.size()? < wanted {
            self.device.set_size(wanted)?;
            self.device.sync()?;
        }
        let first = usize::from(self.newest[0] && !self.newest[1]);
        for slot in [first, 1 - first] {
            self.newest[slot] = false;
            for (at, range) in parts(slot, bytes.len()) {
                self.device.write_durable(at, &[&bytes[range]])?;
            }
            self.newest = [slot == 0, slot == 1].map(|this| this || (slot != first));
        }
        Ok(())
    }
}

/// A slot's document, the newest of all copies of a mirrored device: after a crash they may differ.
fn read_any(device: &dyn Device, slot: usize) -> io::Result<Document> {
    let read = |offset, bytes: &mut [u8]| device.read_at(offset, &mut [bytes]);
    let mut result = read_slot(device, slot, &read);
    for copy in 0..if device.copies() > 1 { device.copies() } else { 0 } {
        let read = |offset, bytes: &mut [u8]| device.read_copy(copy, offset, &mut [bytes]);
        let other = read_slot(device, slot, &read);
        if let Ok((sequence, _)) = &other
            && result.as_ref().map_or(0, |found| found.0) < *sequence
        {
            result = other;
        }
    }
    result
}

fn read_slot(
    device: &dyn Device,
    slot: usize,
    read: &dyn Fn(u64, &mut [u8]) -> io::Result<()>,
) -> io::Result<Document> {
    let mut head = AlignedBuffer::zeroed(HEAD);
    read(slot as u64 * PART, &mut head)?;
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    if &head[..8] != MAGIC {
        let empty = head.iter().all(|byte| *byte == 0);
        return Err(damaged(if empty { "nothing was written to it" } else { "not a control file" }));
    }
    if number(8) != VERSION {
        return Err(damaged(format!("version {} of its layout is not one that this release reads", number(8))));
    }
    let length = number(24) as usize;
    let room = device.size()? / (2 * PART) * PART;
    if length > DOCUMENT_MAX || (HEAD + length) as u64 > room {
        return Err(damaged("its length is not right"));
    }
    let mut bytes = AlignedBuffer::zeroed((HEAD + length).next_multiple_of(HEAD));
    for (at, range) in parts(slot, bytes.len()) {
        read(at, &mut bytes[range])?;
    }
    if crc32c::crc32c(&bytes[16..HEAD + length]) != number(12) {
        return Err(damaged("checksum does not match"));
    }
    let sequence = u64::from(number(16)) | u64::from(number(20)) << 32;
    Ok((sequence, bytes[HEAD..HEAD + length].to_vec()))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use device::{Fault, FaultyFileSystem, FileSystem, MemoryFileSystem};

    use super::*;

    fn file() -> (Arc<FaultyFileSystem>, Arc<dyn Device>) {
        let files = Arc::new(FaultyFileSystem::new(Arc::new(MemoryFileSystem::new())));
        let device = files.create(Path::new("/c"), Slots::BYTES).unwrap();
        (files, device)
    }

    fn held(device: &Arc<dyn Device>) -> Vec<u8> {
        Slots::open(Arc::clone(device)).unwrap().1
    }

    #[test]
    fn a_document_of_any_length_is_read_again() {
        let (_, device) = file();
        assert!(Slots::open(Arc::clone(&device)).unwrap_err().to_string().contains("nothing was written"));
        let mut slots = Slots::new(Arc::clone(&device));
        for (sequence, length) in (1..).zip([10, 0, 5000, (1 << 20) - HEAD, (1 << 20) - HEAD + 1, 3 << 20, 7]) {
            let document: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            slots.write(sequence, &document).unwrap();
            assert_eq!(held(&device), document, "{length} bytes");
        }
        assert_eq!(device.size().unwrap(), 8 << 20);
    }

    #[test]
    fn a_write_that_fails_leaves_the_document_before_or_the_new_one() {
        let documents = [vec![1; 5000], vec![2; (1 << 20) + 5000], vec![3; 100]];
        for bytes in [0, 512, 4096, 8192, 1 << 20] {
            for nth in 1..=4 {
                let (files, device) = file();
                let mut slots = Slots::new(Arc::clone(&device));
                slots.write(1, &documents[0]).unwrap();
                files.fail(nth, Fault::TornWrite { bytes });
                assert!(slots.write(2, &documents[1]).is_err(), "{bytes} {nth}");
                // The first of the two slots is whole after its second write, which fails with all of it written where
                // the tear is behind its end.
                let whole = nth > 2 || (nth == 2 && bytes == 1 << 20);
                let expected = &documents[usize::from(whole)];
                assert_eq!(&held(&device), expected, "{bytes} {nth}");
                // What is written next may be torn as well.
                for again in 1..=4 {
                    files.fail(again, Fault::TornWrite { bytes });
                    let written = slots.write(3, &documents[2]);
                    files.heal();
                    let now = held(&device);
                    assert!(now == documents[2] || (written.is_err() && now == *expected), "{bytes} {nth} {again}");
                }
                let (mut slots, _) = Slots::open(Arc::clone(&device)).unwrap();
                slots.write(4, &documents[0]).unwrap();
                assert_eq!(held(&device), documents[0]);
            }
        }
    }

    #[test]
    fn either_slot_may_be_damaged() {
        for place in [3, 12, 17, 25, HEAD as u64 + 7] {
            for slot in 0..2 {
                let (files, device) = file();
                Slots::new(Arc::clone(&device)).write(1, &[9; 100]).unwrap();
                files.flip(Path::new("/c"), slot * PART + place).unwrap();
                assert_eq!(held(&device), [9; 100], "slot {slot} at {place}");
                files.flip(Path::new("/c"), (1 - slot) * PART + place).unwrap();
                assert!(Slots::open(Arc::clone(&device)).is_err());
            }
        }
    }
}
