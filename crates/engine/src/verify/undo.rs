//! Undo segments: the chain of their headers, their extents, and the owner of each block of records.

use std::collections::HashSet;

use common::{BlockAddress, BlockRange};
use format::block::{self, BlockType};
use format::undo;

use super::image::Image;
use super::report::Report;
use super::space::Claims;
use storage::tablespace::Tablespace;
use storage::undo::first_header;

/// Checks the undo segments of a tablespace. Returns false when their extents could not be read.
pub(super) fn check(image: &Image, tablespace: &Tablespace, claims: &mut Claims, report: &mut Report) -> bool {
    let mut seen = HashSet::new();
    let mut complete = true;
    let mut next = first_header(tablespace);
    while let Some(address) = next {
        let name = format!("undo segment at {address} of {}", tablespace.name());
        if !seen.insert(address) {
            report.problem(Some(&name), Some(address), "the chain of undo segments runs in a circle");
            return false;
        }
        let Some(header) = image.block_of(address, BlockType::UndoSegmentHeader, &name, report) else { return false };
        if let Err(why) = undo::validate_header(&header) {
            report.problem(Some(&name), Some(address), why);
            return false;
        }
        complete &= check_segment(image, tablespace, address, &header, claims, report);
        next = Some(undo::header(&header).next_header()).filter(|next| !next.is_none());
    }
    complete
}

fn check_segment(
    image: &Image,
    tablespace: &Tablespace,
    address: BlockAddress,
    header: &[u8],
    claims: &mut Claims,
    report: &mut Report,
) -> bool {
    let fields = undo::header(header);
    let name = format!("_SYSSMU{}$", fields.segment.get());
    report.checked.segments += 1;
    report.checked.extents += u64::from(fields.extents.get());
    if fields.tablespace.get() != tablespace.number().0 {
        report.problem(Some(&name), Some(address), "the segment is of another tablespace");
    }
    let claimant = claims.claimant(&name);
    let extents: Vec<_> = (0..fields.extents.get() as usize).map(|n| *undo::extent(header, n)).collect();
    let claimed = extents.iter().fold(true, |claimed, extent| {
        let range = BlockRange { start: extent.address(), blocks: extent.blocks.get() };
        claims.claim(claimant, range, report) && claimed
    });
    if !claimed {
        return false;
    }
    if !extents.iter().any(|extent| extent.contains(address)) {
        report.problem(Some(&name), Some(address), "the header is in none of the segment's extents");
    }
    // Only the used part of the current extent is of the segment's present life.
    let current = extents[fields.current_extent.get() as usize];
    for n in 0..fields.current_block.get() {
        let at = current.address().plus(n);
        if at == address {
            continue;
        }
        let Some(bytes) = image.block_of(at, BlockType::UndoBlock, &name, report) else { continue };
        let found = undo::block_header(&bytes);
        if found.segment != fields.segment || found.life != fields.life {
            report.problem(
                Some(&name),
                Some(at),
                format!("is of undo segment {}, life {}", found.segment.get(), found.life.get()),
            );
        }
    }
    check_pool(image, &name, header, &extents, report);
    check_active(image, &name, header, report);
    true
}

fn check_pool(image: &Image, name: &str, header: &[u8], extents: &[undo::Extent], report: &mut Report) {
    for entry in undo::header(header).pool.iter().filter(|entry| entry.block.get() != 0) {
        let at = BlockAddress::unpack(entry.block.get());
        if !extents.iter().any(|extent| extent.contains(at)) {
            report.problem(Some(name), Some(at), "a block of the free block pool is in none of the segment's extents");
            continue;
        }
        let Some(bytes) = image.block_of(at, BlockType::UndoBlock, name, report) else { continue };
        let found = undo::block_header(&bytes);
        let same = found.life == entry.life && found.records == entry.records;
        if !same || undo::room(&bytes) != usize::from(entry.room.get()) {
            report.problem(Some(name), Some(at), "a block of the free block pool is not as the pool says");
        }
    }
}

/// Checks that the newest record of each active transaction exists.
fn check_active(image: &Image, name: &str, header: &[u8], report: &mut Report) {
    let fields = undo::header(header);
    for number in 0..fields.slots.get() {
        let slot = undo::slot(header, number);
        let at = slot.current_block();
        if !slot.is_active() || at.is_none() {
            continue;
        }
        let xid = slot.xid(fields.segment.get(), number);
        let Some(bytes) = image.block_of(at, BlockType::UndoBlock, name, report) else { continue };
        let last = undo::block_header(&bytes).last_record();
        if undo::owner(&bytes) != xid || last.is_none() {
            continue;
        }
        let found = image.block(last.block).filter(|bytes| block::kind(bytes) == Some(BlockType::UndoBlock));
        let found = found.is_some_and(|bytes| {
            undo::block_header(&bytes).life.get() == last.sequence
                && undo::record(&bytes, last.record).is_some_and(|record| record.xid == xid)
        });
        if !found {
            report.problem(Some(name), Some(at), format!("transaction {xid} has no record at {last}"));
        }
    }
}
