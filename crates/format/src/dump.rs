//! Blocks as text: `highwater dump`.

use std::fmt::Write;

use crate::block::{self, BlockType};
use crate::segment::SEGMENT_HEADER_BYTES;
use crate::transaction::Owner;
use crate::{bitmap, extent_bitmap, file, freelist, heap, index, segment, transaction, undo};

/// The block's header, then its body by type. A damaged block is dumped as far as it can be decoded, and else as bytes.
#[must_use]
pub fn dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    let header = block::header(bytes);
    let kind = BlockType::from_byte(header.kind);
    let _ = writeln!(
        out,
        "block {} type {:#04x} ({}) {} bytes\nscn {} seq {} flags {:#04x} checksum {:#010x}",
        header.address(),
        header.kind,
        kind.map_or("unknown", BlockType::name),
        bytes.len(),
        header.scn().0,
        header.seq,
        header.flags,
        header.checksum.get(),
    );
    if let Err(error) = block::check(bytes, header.address()) {
        let _ = writeln!(out, "CHECK: {error}");
        hex(&mut out, bytes);
        return out;
    }
    match kind {
        Some(BlockType::FileHeader) => dump_file_header(&mut out, bytes),
        Some(BlockType::FileSpaceHeader) => dump_space_header(&mut out, bytes),
        Some(BlockType::FileSpaceBitmap) => dump_extent_bitmap(&mut out, bytes),
        Some(BlockType::SegmentHeader | BlockType::PagetableSegmentHeader) => dump_segment_header(&mut out, bytes),
        Some(BlockType::ExtentMap) => dump_extent_map(&mut out, bytes),
        Some(BlockType::FreeListGroup) => dump_freelists(&mut out, bytes),
        Some(BlockType::FirstLevelBitmap) => match bitmap::validate_first_level(bytes) {
            Ok(()) => dump_first_level(&mut out, bytes),
            Err(why) => broken(&mut out, bytes, &why),
        },
        Some(BlockType::SecondLevelBitmap) => dump_second_level(&mut out, bytes),
        Some(BlockType::ThirdLevelBitmap) => dump_third_level(&mut out, bytes),
        Some(BlockType::Data) => {
            dump_transaction(&mut out, bytes);
            let owner = transaction::header(bytes).owner;
            let free_index = owner == Owner::Index as u8 && transaction::header(bytes).on_freelist();
            let (checked, body): (_, fn(&[u8]) -> String) = if owner == Owner::Index as u8 {
                (index::validate(bytes, header.address()).map_err(|e| e.to_string()), index::dump)
            } else {
                (heap::validate(bytes).map_err(|e| e.to_string()), heap::dump)
            };
            match checked {
                _ if free_index => out.push_str("free index block\n"),
                Ok(()) => out.push_str(&body(bytes)),
                Err(why) => broken(&mut out, bytes, &why),
            }
        }
        Some(BlockType::Unformatted) => out.push_str("unformatted\n"),
        Some(BlockType::UndoBlock) => match undo::validate_block(bytes) {
            Ok(()) => out.push_str(&undo::dump(bytes)),
            Err(why) => broken(&mut out, bytes, &why),
        },
        Some(BlockType::UndoSegmentHeader) => match undo::validate_header(bytes) {
            Ok(()) => out.push_str(&undo::dump(bytes)),
            Err(why) => broken(&mut out, bytes, &why),
        },
        None => hex(&mut out, bytes),
    }
    out
}

/// A body against the rules of its type: the fault, and the bytes.
fn broken(out: &mut String, bytes: &[u8], why: &str) {
    let _ = writeln!(out, "INVALID: {why}");
    hex(out, bytes);
}

/// Sixteen bytes a line; lines of zeros are left out.
fn hex(out: &mut String, bytes: &[u8]) {
    for (n, line) in bytes.chunks(16).enumerate() {
        if line.iter().all(|byte| *byte == 0) {
            continue;
        }
        let _ = write!(out, "{:08x} ", n * 16);
        for byte in line {
            let _ = write!(out, " {byte:02x}");
        }
        out.push('\n');
    }
}

fn dump_file_header(out: &mut String, bytes: &[u8]) {
    let header = file::file_header(bytes);
    let _ = writeln!(
        out,
        "database {} id {:#018x}\nfile {} of tablespace {} {}\nblocks {} of {} bytes\ncreated {} us, scn {}\ncheckpoint scn {} count {}",
        file::name(&header.database_name),
        header.database_id.get(),
        header.file.get(),
        header.tablespace.get(),
        file::name(&header.tablespace_name),
        header.blocks.get(),
        header.block_bytes.get(),
        header.created_us.get(),
        header.creation_scn.get(),
        header.checkpoint_scn.get(),
        header.checkpoint_count.get(),
    );
}

fn dump_space_header(out: &mut String, bytes: &[u8]) {
    let space = file::space_header(bytes);
    let _ = writeln!(
        out,
        "file {} blocks {} unit {} blocks, first at {}\nunits {} free {} first free {}",
        space.file.get(),
        space.blocks.get(),
        space.unit_blocks.get(),
        space.first_block.get(),
        space.units.get(),
        space.free_units.get(),
        space.first_free.get(),
    );
}

fn dump_extent_bitmap(out: &mut String, bytes: &[u8]) {
    let header = extent_bitmap::header(bytes);
    let _ = writeln!(out, "first unit {} used {}", header.first_unit.get(), header.used.get());
    let mut run = None;
    for bit in 0..=extent_bitmap::units_per_block(bytes.len()) {
        let used = bit < extent_bitmap::units_per_block(bytes.len()) && extent_bitmap::is_used(bytes, bit);
        match (used, run) {
            (true, None) => run = Some(bit),
            (false, Some(first)) => {
                let unit = u64::from(header.first_unit.get());
                let _ = writeln!(out, "used units {} to {}", unit + u64::from(first), unit + u64::from(bit) - 1);
                run = None;
            }
            _ => {}
        }
    }
}

fn dump_segment_header(out: &mut String, bytes: &[u8]) {
    let header = segment::header(bytes);
    let automatic = block::kind(bytes) == Some(BlockType::PagetableSegmentHeader);
    let _ = writeln!(
        out,
        "object {} owner {}\nextents {} blocks {} map blocks {} ({} bytes of header)\nhigh-water mark: extent {} block {}, {} blocks below",
        header.object.get(),
        if header.owner == Owner::Index as u8 { "index" } else { "table" },
        header.extents.get(),
        header.blocks.get(),
        header.map_blocks.get(),
        SEGMENT_HEADER_BYTES,
        header.high.extent.get(),
        header.high.block.get(),
        header.high.blocks.get(),
    );
    if automatic {
        let _ = writeln!(
            out,
            "low high-water mark: extent {} block {}, {} blocks below\nL1 {} L2 {} L3 {} hint {}",
            header.low.extent.get(),
            header.low.block.get(),
            header.low.blocks.get(),
            header.first_level_blocks.get(),
            header.second_level_blocks.get(),
            header.third_level_blocks.get(),
            common::BlockAddress::unpack(header.second_level_hint.get()),
        );
        for n in 0..(header.second_level_blocks.get() as usize).min(segment::SECOND_LEVEL_INLINE) {
            let _ = writeln!(out, "L2 {n}: {}", segment::second_level(bytes, n));
        }
    } else {
        let _ = writeln!(out, "freelists {} groups {}", header.freelists.get(), header.freelist_groups.get());
        dump_freelists(out, bytes);
    }
    let inline = (header.extents.get() as usize).min(segment::extents_inline(bytes));
    for n in 0..inline {
        dump_extent(out, n, segment::extent(bytes, n));
    }
    if header.first_map.get() != 0 {
        let _ = writeln!(out, "next map block {}", common::BlockAddress::unpack(header.first_map.get()));
    }
}

fn dump_extent(out: &mut String, ordinal: usize, entry: &segment::ExtentEntry) {
    let _ = write!(
        out,
        "extent {ordinal}: {} length {} metadata {}",
        entry.address(),
        entry.blocks.get(),
        entry.metadata.get()
    );
    if entry.first_level.get() != 0 {
        let _ = write!(out, " L1 {}", common::BlockAddress::unpack(entry.first_level.get()));
    }
    out.push('\n');
}

fn dump_extent_map(out: &mut String, bytes: &[u8]) {
    let header = segment::map_header(bytes);
    let next = common::BlockAddress::unpack(header.next.get());
    let _ = writeln!(out, "object {} entries {} next {next}", header.object.get(), header.entries.get());
    for n in 0..(header.entries.get() as usize).min(segment::extents_per_map(bytes.len())) {
        dump_extent(out, header.first.get() as usize + n, segment::map_extent(bytes, n));
    }
}

fn dump_freelists(out: &mut String, bytes: &[u8]) {
    for slot in 0..freelist::slots(bytes.len()) {
        let list = freelist::list(bytes, slot);
        if list.used.get() != 0 {
            let name = match list.owner() {
                Some(xid) => format!("transaction {slot} of {xid}"),
                None if slot == 0 => "master".to_owned(),
                None => format!("process {slot}"),
            };
            let _ = writeln!(
                out,
                "freelist {name}: head {} tail {} blocks {}",
                list.first(),
                list.last(),
                list.blocks.get()
            );
        }
    }
}

fn dump_first_level(out: &mut String, bytes: &[u8]) {
    let header = bitmap::first_level(bytes);
    let _ = writeln!(
        out,
        "object {} parent {} slot {} covers {} of {} blocks",
        header.object.get(),
        common::BlockAddress::unpack(header.parent.get()),
        header.parent_slot.get(),
        header.covered.get(),
        header.limit.get(),
    );
    for range in bitmap::ranges(bytes) {
        let offset = usize::from(range.offset.get());
        let _ = writeln!(out, "range {} length {} offset {offset}", range.address(), range.blocks.get());
        for index in offset..offset + usize::from(range.blocks.get()) {
            let _ =
                writeln!(out, "  {}: {:?}", range.address().plus((index - offset) as u32), bitmap::state(bytes, index));
        }
    }
}

fn dump_second_level(out: &mut String, bytes: &[u8]) {
    let header = bitmap::upper(bytes);
    let entries = (header.entries.get() as usize).min(bitmap::second_level_capacity(bytes.len()));
    let _ = writeln!(
        out,
        "object {} parent {} entries {entries}",
        header.object.get(),
        common::BlockAddress::unpack(header.parent.get())
    );
    for slot in 0..entries {
        let entry = bitmap::second_level_entry(bytes, slot);
        let l1 = common::BlockAddress::unpack(entry.first_level.get());
        let _ = writeln!(out, "  {slot}: L1 {l1} states {:#08b}", entry.states);
    }
}

fn dump_third_level(out: &mut String, bytes: &[u8]) {
    let header = bitmap::upper(bytes);
    let entries = (header.entries.get() as usize).min(bitmap::third_level_capacity(bytes.len()));
    let next = common::BlockAddress::unpack(header.next.get());
    let _ = writeln!(out, "object {} entries {entries} next {next}", header.object.get());
    for slot in 0..entries {
        let _ = writeln!(out, "  {slot}: L2 {}", bitmap::third_level_entry(bytes, slot));
    }
}

fn dump_transaction(out: &mut String, bytes: &[u8]) {
    let header = transaction::header(bytes);
    let _ = writeln!(
        out,
        "object {} {} itl {} cleanout scn {}{}{}",
        header.object.get(),
        if header.owner == Owner::Index as u8 { "index" } else { "table" },
        header.itl_count,
        header.cleanout().0,
        if header.on_freelist() { format!(" on freelist, next {}", header.next_free()) } else { String::new() },
        if header.flags & transaction::ASSM != 0 { format!(" L1 {}", header.bitmap_block()) } else { String::new() },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::{BlockAddress, FileNumber, ObjectNumber};

    #[test]
    fn every_kind_of_block_is_dumped() {
        let at = BlockAddress::new(FileNumber(4), 130);
        let mut bytes = vec![0; 2048];
        segment::init(&mut bytes, true, at, ObjectNumber(7), Owner::Table);
        block::seal(&mut bytes);
        assert!(dump(&bytes).contains("low high-water mark"));
        bitmap::init_first_level(&mut bytes, at, ObjectNumber(7), 16);
        bitmap::add_range(&mut bytes, at.plus(1), 2, bitmap::BlockState::Unformatted);
        block::seal(&mut bytes);
        assert!(dump(&bytes).contains("4.132: Unformatted"));
        bytes[700] ^= 1;
        assert!(dump(&bytes).contains("CHECK: ORA-01578"));
    }

    #[test]
    fn unit_numbers_past_32_bits_are_only_printed() {
        let at = BlockAddress::new(FileNumber(4), 3);
        let mut bytes = vec![0; 2048];
        extent_bitmap::init(&mut bytes, at, u32::MAX - 1);
        extent_bitmap::set(&mut bytes, 1, 4, true);
        block::seal(&mut bytes);
        assert!(dump(&bytes).contains("used units 4294967295 to 4294967298"));
    }

    #[test]
    fn arbitrary_bytes_never_panic() {
        // Sealed blocks of every type with random bodies, as a bug, not a disk, would leave them.
        let mut seed = 0x2545_F491_4F6C_DD1Du64;
        for round in 0..2_000u32 {
            let mut bytes = vec![0u8; 2048];
            for byte in &mut bytes {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                *byte = seed as u8;
            }
            let kinds = [0x06, 0x0b, 0x10, 0x12, 0x14, 0x1d, 0x1e, 0x20, 0x21, 0x22, 0x23];
            bytes[0] = kinds[round as usize % kinds.len()];
            bytes[1] = 0x62;
            block::seal(&mut bytes);
            let _ = dump(&bytes);
        }
    }
}
