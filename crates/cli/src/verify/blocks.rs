//! Stage 1: each block by itself, and each file's own headers and extent bitmap.

use common::{BlockAddress, Result};
use format::block::{self, BlockType};
use format::file::{self as file_format, FILE_HEADER_BLOCK, FIRST_BITMAP_BLOCK, OS_BLOCK, SPACE_HEADER_BLOCK};
use format::transaction::{self, Owner};
use format::{bitmap, extent_bitmap, heap, index};

use super::Findings;
use crate::offline::{Offline, OfflineFile};

/// Bytes a read.
const READ_BYTES: usize = 1 << 20;

/// Every block of a file.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn verify_file(database: &Offline, file: &OfflineFile, findings: &mut Findings) -> Result<()> {
    let size = file.block_size.bytes();
    let on_disk = file.bytes()? / size as u64;
    if on_disk < u64::from(file.blocks) {
        findings.problem(format!(
            "file {} ({}) has {on_disk} blocks, the control file says {}",
            file.number.0,
            file.path.display(),
            file.blocks
        ));
    }
    let blocks = file.blocks.min(u32::try_from(on_disk).unwrap_or(u32::MAX));
    let mut space = Space::default();
    let mut buffer = vec![0; READ_BYTES];
    let mut next = 0;
    while next < blocks {
        let count = ((READ_BYTES / size) as u32).min(blocks - next);
        let bytes = &mut buffer[..count as usize * size];
        file.read(next, bytes)?;
        for (at, bytes) in bytes.chunks_exact(size).enumerate() {
            let address = file.address(next + at as u32);
            findings.blocks += 1;
            if bytes.iter().any(|byte| *byte != 0) {
                findings.formatted += 1;
                if let Err(why) = verify_block(database, file, address, bytes) {
                    findings.block(address, why);
                    continue;
                }
            }
            space.block(file, address, bytes);
        }
        next += count;
    }
    for (address, why) in space.problems(file) {
        findings.block(address, why);
    }
    Ok(())
}

/// A block by itself, and the headers of a file against the control file.
fn verify_block(database: &Offline, file: &OfflineFile, address: BlockAddress, bytes: &[u8]) -> Result<(), String> {
    if address.block == OS_BLOCK {
        let (size, id) = file_format::read_os_block(bytes).map_err(|error| error.text)?;
        if size != file.block_size {
            return Err(format!("block size {size} is not the tablespace's, {}", file.block_size));
        }
        if id != database.control.database_id {
            return Err("the file belongs to another database".to_owned());
        }
        let mut whole = vec![0; bytes.len()];
        file_format::write_os_block(&mut whole, id);
        return match bytes.iter().zip(&whole).position(|(found, expected)| found != expected) {
            Some(at) => Err(format!("wrong byte at offset {at}")),
            None => Ok(()),
        };
    }
    block::check(bytes, address).map_err(|error| error.text)?;
    match block::kind(bytes) {
        Some(BlockType::FileHeader) => {
            let header = file_format::file_header(bytes);
            let same = header.database_id.get() == database.control.database_id
                && header.file.get() == u32::from(file.number.0)
                && header.block_bytes.get() as usize == bytes.len();
            if same { Ok(()) } else { Err("the file header is another file's".to_owned()) }
        }
        Some(BlockType::FirstLevelBitmap) => bitmap::validate_first_level(bytes),
        Some(BlockType::Data) => {
            let header = transaction::header(bytes);
            if header.owner != Owner::Index as u8 {
                heap::validate(bytes).map_err(|error| error.to_string())
            } else if header.on_freelist() {
                // A free block of an index keeps whatever it held.
                Ok(())
            } else {
                index::validate(bytes, address).map_err(|error| error.text)
            }
        }
        _ => Ok(()),
    }
}

/// What a file's space header and extent bitmap say about each other.
#[derive(Default)]
struct Space {
    header: Option<file_format::SpaceHeader>,
    used: u64,
    problems: Vec<(BlockAddress, String)>,
}

impl Space {
    fn block(&mut self, file: &OfflineFile, address: BlockAddress, bytes: &[u8]) {
        if address.block == OS_BLOCK || address.block >= file_format::header_area_blocks(file.block_size) {
            return;
        }
        let expected = match address.block {
            FILE_HEADER_BLOCK => BlockType::FileHeader,
            SPACE_HEADER_BLOCK => BlockType::FileSpaceHeader,
            _ => BlockType::FileSpaceBitmap,
        };
        let kind = block::kind(bytes);
        if kind != Some(expected) {
            let optional = address.block > FIRST_BITMAP_BLOCK;
            if !(optional && bytes.iter().all(|byte| *byte == 0)) {
                let found = kind.map_or("nothing", BlockType::name);
                self.problems.push((address, format!("{} is expected here, not {found}", expected.name())));
            }
            return;
        }
        match expected {
            BlockType::FileSpaceHeader => self.header = Some(*file_format::space_header(bytes)),
            BlockType::FileSpaceBitmap => {
                let bits = (0..extent_bitmap::units_per_block(bytes.len()))
                    .filter(|bit| extent_bitmap::is_used(bytes, *bit))
                    .count();
                let counted = extent_bitmap::header(bytes).used.get();
                if bits != counted as usize {
                    self.problems
                        .push((address, format!("the extent bitmap has {bits} bits set and counts {counted}")));
                }
                self.used += bits as u64;
            }
            _ => {}
        }
    }

    fn problems(mut self, file: &OfflineFile) -> Vec<(BlockAddress, String)> {
        let address = file.address(SPACE_HEADER_BLOCK);
        if let Some(header) = self.header {
            let (units, free) = (u64::from(header.units.get()), u64::from(header.free_units.get()));
            if header.blocks.get() != file.blocks {
                self.problems.push((
                    address,
                    format!("the space header says {} blocks, the control file {}", header.blocks.get(), file.blocks),
                ));
            }
            if free + self.used != units {
                self.problems
                    .push((address, format!("{units} units, {free} of them free, but {} are used", self.used)));
            }
        } else {
            self.problems.push((address, "there is no space header".to_owned()));
        }
        self.problems
    }
}
