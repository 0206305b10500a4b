//! Extents against the files' extent bitmaps: every allocated unit belongs to exactly one segment, every extent is
//! allocated.

use std::collections::{HashMap, HashSet};

use common::{BlockAddress, BlockRange, FileNumber};
use format::block::BlockType;
use format::{extent_bitmap, file};

use super::image::Image;
use super::report::Report;

/// The claims of allocation units.
#[derive(Default)]
pub(super) struct Claims {
    /// By file and unit: the claimant's index in `names` plus one; 0 for none.
    units: HashMap<FileNumber, Units>,
    names: Vec<String>,
    /// Corrupt blocks of a segment that are not formatted yet.
    pub(super) unused: HashSet<BlockAddress>,
}

struct Units {
    first_block: u32,
    unit_blocks: u32,
    owners: Vec<u32>,
}

impl Claims {
    /// Reads the files' extent bitmaps.
    pub(super) fn new(image: &Image, report: &mut Report) -> Self {
        let mut claims = Self::default();
        for number in image.files.keys() {
            let address = BlockAddress::new(*number, file::SPACE_HEADER_BLOCK);
            let Some(bytes) = image.block_of(address, BlockType::FileSpaceHeader, "extent bitmap", report) else {
                continue;
            };
            let header = file::space_header(&bytes);
            let (first_block, unit_blocks, units) =
                (header.first_block.get(), header.unit_blocks.get(), header.units.get());
            let blocks = image.files.get(number).map_or(0, |file| file.blocks.len());
            if unit_blocks == 0 || u64::from(first_block) + u64::from(units) * u64::from(unit_blocks) > blocks as u64 {
                report.problem(
                    None,
                    Some(address),
                    format!("{units} units of {unit_blocks} blocks do not fit into the file"),
                );
                continue;
            }
            let owners = vec![0; units as usize];
            claims.units.insert(*number, Units { first_block, unit_blocks, owners });
        }
        claims
    }

    /// Registers a claimant.
    pub(super) fn claimant(&mut self, name: &str) -> u32 {
        self.names.push(name.to_owned());
        self.names.len() as u32
    }

    /// Claims an extent for a segment. Returns false where it cannot be an extent.
    pub(super) fn claim(&mut self, claimant: u32, range: BlockRange, report: &mut Report) -> bool {
        let name = self.names[claimant as usize - 1].clone();
        let Some(units) = self.units.get_mut(&range.start.file) else {
            report.problem(Some(&name), Some(range.start), "has an extent in a file that is not there");
            return false;
        };
        let begin = range.start.block.wrapping_sub(units.first_block);
        let aligned = begin.is_multiple_of(units.unit_blocks) && range.blocks.is_multiple_of(units.unit_blocks);
        let (first, count) = (begin / units.unit_blocks, range.blocks / units.unit_blocks);
        let inside = u64::from(first) + u64::from(count) <= units.owners.len() as u64;
        if range.start.block < units.first_block || !aligned || !inside || count == 0 {
            report.problem(
                Some(&name),
                Some(range.start),
                format!("has an extent of {} blocks that cannot be one", range.blocks),
            );
            return false;
        }
        for owner in &mut units.owners[first as usize..(first + count) as usize] {
            if *owner != 0 {
                let other = &self.names[*owner as usize - 1];
                report.problem(Some(&name), Some(range.start), format!("has an extent that {other} has too"));
                return false;
            }
            *owner = claimant;
        }
        true
    }

    /// True: a corrupt block is in free space, or is a segment's block that is not formatted yet.
    pub(super) fn is_unused(&self, address: BlockAddress) -> bool {
        let nobodys = || {
            let units = self.units.get(&address.file)?;
            let unit = address.block.checked_sub(units.first_block)? / units.unit_blocks;
            units.owners.get(unit as usize).map(|owner| *owner == 0)
        };
        self.unused.contains(&address) || nobodys() == Some(true)
    }

    /// Compares the claims with the bitmaps. Unless `complete`, some segments' extents could not be read, and allocated
    /// space without an owner is not reported.
    pub(super) fn compare(&self, image: &Image, complete: bool, report: &mut Report) {
        for (number, units) in &self.units {
            let Some(file) = image.files.get(number) else { continue };
            let per_block = extent_bitmap::units_per_block(file.block_size.bytes());
            let mut used = 0;
            for (n, owners) in units.owners.chunks(per_block as usize).enumerate() {
                let address = BlockAddress::new(*number, file::FIRST_BITMAP_BLOCK + n as u32);
                let Some(bytes) = image.block_of(address, BlockType::FileSpaceBitmap, "extent bitmap", report) else {
                    return;
                };
                let first_unit = n as u32 * per_block;
                if extent_bitmap::header(&bytes).first_unit.get() != first_unit {
                    report.problem(None, Some(address), "the bitmap is of other units");
                    return;
                }
                let bits: Vec<bool> = (0..owners.len() as u32).map(|bit| extent_bitmap::is_used(&bytes, bit)).collect();
                let here = bits.iter().filter(|bit| **bit).count() as u32;
                let said = extent_bitmap::header(&bytes).used.get();
                if said != here {
                    report.problem(None, Some(address), format!("{here} bits are set, the block says {said}"));
                }
                used += here;
                self.compare_block(*number, units, first_unit, owners, &bits, complete, report);
            }
            let address = BlockAddress::new(*number, file::SPACE_HEADER_BLOCK);
            let said = image.block(address).map(|bytes| file::space_header(&bytes).free_units.get());
            let free = units.owners.len() as u32 - used;
            if said.is_some_and(|said| said != free) {
                report.problem(
                    None,
                    Some(address),
                    format!("{free} units are free, the header says {}", said.unwrap_or(0)),
                );
            }
        }
    }

    fn compare_block(
        &self,
        file: FileNumber,
        units: &Units,
        first_unit: u32,
        owners: &[u32],
        bits: &[bool],
        complete: bool,
        report: &mut Report,
    ) {
        // Adjacent units with the same fault are one problem.
        let fates: Vec<_> = owners.iter().zip(bits).collect();
        let mut n = 0;
        for run in fates.chunk_by(|a, b| a == b) {
            let start = units.first_block + (first_unit + n) * units.unit_blocks;
            let address = Some(BlockAddress::new(file, start));
            let blocks = run.len() as u32 * units.unit_blocks;
            match run[0] {
                (0, true) if complete => {
                    report.problem(None, address, format!("{blocks} blocks are allocated, and no segment has them"));
                }
                (owner, false) if *owner > 0 => {
                    let name = &self.names[*owner as usize - 1];
                    report.problem(
                        Some(name),
                        address,
                        format!("{blocks} blocks in use are free in the file's bitmap"),
                    );
                }
                _ => {}
            }
            n += run.len() as u32;
        }
    }
}
