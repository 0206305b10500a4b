//! The double-write area: the writer writes each batch of blocks here, and syncs it, before it writes the blocks to
//! their places. Recovery takes a block that a crash has torn in its place from here, whole.
//!
//! ```text
//! offset   0  magic "HWDW0001"    8  number of blocks    12  CRC-32C of the entries
//!         16  entries: block address (4), bytes (4)
//!    16384    the blocks, one after another
//! ```

use std::path::{Path, PathBuf};

use common::sync::{Arc, Mutex, MutexGuard};
use common::{BlockAddress, Error, ErrorKind, Number, Result};
use device::{AlignedBuffer, Device, FileSystem};

/// The last four letters are the version of the format.
const MAGIC: &[u8; 8] = b"HWDW0001";
const FAMILY: usize = 4;
const HEAD: usize = 16 << 10;
const ENTRIES: usize = 16;
/// Most bytes of blocks in a batch.
pub(super) const BATCH: usize = 4 << 20;

/// Most blocks in a batch: the head has room for so many entries.
pub(super) const BLOCKS_MAX: usize = (HEAD - ENTRIES) / 8;

/// The area, open for writing.
#[derive(Debug)]
pub struct DoubleWrite {
    device: Arc<dyn Device>,
    path: PathBuf,
    head: Mutex<AlignedBuffer>,
    made: bool,
}

/// Refuses a magic of the area's family with another version behind it.
fn check_version(device: &dyn Device, path: &Path) -> Result<()> {
    let mut first = AlignedBuffer::zeroed(HEAD);
    device.read_at(0, &mut [&mut first[..]]).map_err(|e| failed(path, &e))?;
    let (family, version) = MAGIC.split_at(FAMILY);
    if first.starts_with(family) && first[FAMILY..MAGIC.len()] != *version {
        let text = format!(
            "the double-write area '{}' has format version {}, this release reads {}: open the database with the release that wrote it, and close it \
             cleanly there",
            path.display(),
            String::from_utf8_lossy(&first[FAMILY..MAGIC.len()]),
            String::from_utf8_lossy(version),
        );
        return Err(Error::new(ErrorKind::Corrupt, Number::Ora(1130), text));
    }
    Ok(())
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        ErrorKind::Io,
        Number::Ora(1114),
        format!("I/O error on the double-write area '{}': {error}", path.display()),
    )
}

impl DoubleWrite {
    /// Its name in the data directory.
    pub const NAME: &str = "doublewrite.dbf";

    /// Opens the area. Makes it where there is none, or where its making was cut short.
    ///
    /// # Errors
    /// ORA-01114; ORA-01130 for an area of another version.
    pub fn open(files: &dyn FileSystem, directory: &Path) -> Result<Self> {
        let path = directory.join(Self::NAME);
        let error = |e: std::io::Error| failed(&path, &e);
        if files.exists(&path).map_err(error)? {
            let device = files.open(&path).map_err(error)?;
            if device.size().map_err(error)? >= (HEAD + BATCH) as u64 {
                check_version(&*device, &path)?;
                return Ok(Self { device, path, head: Mutex::new(AlignedBuffer::zeroed(HEAD)), made: false });
            }
            files.remove(&path).map_err(error)?;
        }
        let device = files.create(&path, (HEAD + BATCH) as u64).map_err(error)?;
        // Its size before its name: a crash leaves a whole area or none.
        device.sync().map_err(error)?;
        files.sync_directory(directory).map_err(error)?;
        Ok(Self { device, path, head: Mutex::new(AlignedBuffer::zeroed(HEAD)), made: true })
    }

    /// True: the opening made the area anew.
    pub fn was_made(&self) -> bool {
        self.made
    }

    /// Makes a batch of sealed blocks durable in the area. The caller owns the area until it drops the guard, which
    /// must not happen before the blocks are durable in their places.
    ///
    /// # Errors
    /// ORA-01114.
    pub(super) fn write(&self, addresses: &[BlockAddress], blocks: &[u8]) -> Result<MutexGuard<'_, AlignedBuffer>> {
        let mut head = self.head.lock();
        debug_assert!(
            (1..=BLOCKS_MAX).contains(&addresses.len()) && blocks.len() <= BATCH,
            "{} blocks",
            addresses.len()
        );
        debug_assert!(blocks.len().is_multiple_of(addresses.len()), "blocks of a batch have one size");
        let bytes = (blocks.len() / addresses.len().max(1)) as u32;
        for (n, address) in addresses.iter().enumerate() {
            let at = ENTRIES + n * 8;
            head[at..at + 4].copy_from_slice(&address.pack().to_le_bytes());
            head[at + 4..at + 8].copy_from_slice(&bytes.to_le_bytes());
        }
        let end = ENTRIES + addresses.len() * 8;
        let sum = crc32c::crc32c(&head[ENTRIES..end]);
        head[..8].copy_from_slice(MAGIC);
        head[8..12].copy_from_slice(&(addresses.len() as u32).to_le_bytes());
        head[12..16].copy_from_slice(&sum.to_le_bytes());
        self.device
            .write_at(0, &[&head[..], blocks])
            .and_then(|()| self.device.sync())
            .map_err(|e| failed(&self.path, &e))?;
        Ok(head)
    }

    /// The whole blocks in the area. A crash during the write of a batch may leave some of its blocks torn here; those
    /// blocks are then not torn in their places, because the writer had not begun there.
    ///
    /// # Errors
    /// ORA-01114.
    pub fn blocks(&self) -> Result<Vec<(BlockAddress, Vec<u8>)>> {
        let mut area = AlignedBuffer::zeroed(HEAD + BATCH);
        self.device.read_at(0, &mut [&mut area[..]]).map_err(|e| failed(&self.path, &e))?;
        let number = |at: usize| u32::from_le_bytes([area[at], area[at + 1], area[at + 2], area[at + 3]]);
        let count = number(8) as usize;
        let end = ENTRIES + count.saturating_mul(8);
        if area[..8] != MAGIC[..] || end > HEAD || crc32c::crc32c(&area[ENTRIES..end]) != number(12) {
            return Ok(Vec::new());
        }
        let mut found = Vec::new();
        let mut at = HEAD;
        for n in 0..count {
            let address = BlockAddress::unpack(number(ENTRIES + n * 8));
            let bytes = number(ENTRIES + n * 8 + 4) as usize;
            let Some(block) = area.get(at..at + bytes) else { break };
            at += bytes;
            if bytes > 0 && format::block::check(block, address).is_ok() {
                found.push((address, block.to_vec()));
            }
        }
        Ok(found)
    }
}
