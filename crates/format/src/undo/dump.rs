//! Undo blocks as text.

use std::fmt::Write;

use common::BlockAddress;

use super::{Previous, block_header, extent, header, record, slot};
use crate::block::{self, BlockType};

/// The body of an undo block or an undo segment header that has been validated.
#[must_use]
pub fn dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    if block::kind(bytes) == Some(BlockType::UndoSegmentHeader) {
        dump_header(&mut out, bytes);
    } else {
        dump_block(&mut out, bytes);
    }
    out
}

fn dump_header(out: &mut String, bytes: &[u8]) {
    let fields = header(bytes);
    let _ = writeln!(
        out,
        "undo segment {} of tablespace {}, next header {}\nextents {} blocks {}\ncurrent extent {} block {} life {}\nfree slots {} to {} recycled scn {}",
        fields.segment.get(),
        fields.tablespace.get(),
        fields.next_header(),
        fields.extents.get(),
        fields.blocks.get(),
        fields.current_extent.get(),
        fields.current_block.get(),
        fields.life.get(),
        fields.first_free.get(),
        fields.last_free.get(),
        fields.recycled_scn.get(),
    );
    for (n, entry) in fields.pool.iter().enumerate().filter(|(_, entry)| entry.block.get() != 0) {
        let block = BlockAddress::unpack(entry.block.get());
        let (life, room, records) = (entry.life.get(), entry.room.get(), entry.records);
        let _ = writeln!(out, "pool {n}: block {block} life {life} room {room} records {records}");
    }
    for n in 0..fields.extents.get() as usize {
        let entry = extent(bytes, n);
        let _ = writeln!(
            out,
            "extent {n}: {} blocks {} committed {} s, scn {}",
            entry.address(),
            entry.blocks.get(),
            entry.committed_s.get(),
            entry.scn.get()
        );
    }
    for n in 0..fields.slots.get() {
        let slot = slot(bytes, n);
        let _ = writeln!(
            out,
            "slot {n}: state {} flags {:#04x} sequence {} scn {} before {} next {} block {} newest {} blocks {} records {} begun {} ended {}",
            slot.state,
            slot.flags,
            slot.sequence.get(),
            slot.scn.get(),
            slot.previous_scn.get(),
            slot.next.get(),
            slot.current_block(),
            slot.newest_block(),
            slot.used_blocks.get(),
            slot.used_records.get(),
            slot.begun_s.get(),
            slot.ended_s.get(),
        );
    }
}

fn dump_block(out: &mut String, bytes: &[u8]) {
    let fields = block_header(bytes);
    let _ = writeln!(
        out,
        "transaction {} life {} records {} down to {}\nlast {} block before {}",
        fields.xid(),
        fields.life.get(),
        fields.records,
        fields.record_end.get(),
        fields.last_record(),
        fields.before_block(),
    );
    for number in 0..fields.records {
        let Some(view) = record(bytes, number) else { continue };
        if view.piece {
            let _ = writeln!(out, "record {number}: {} piece of {} bytes", view.xid, view.record.payload.len());
            continue;
        }
        let previous = match view.record.previous {
            Previous::Itl(itl) => format!("ITL {}", itl.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
            Previous::Uba(uba) => format!("UBA {uba}"),
        };
        let record = view.record;
        let _ = writeln!(
            out,
            "record {number}: {} operation {} object {} block {} itl {} chain {} previous {previous} payload {} bytes",
            view.xid,
            record.operation,
            record.object.0,
            record.block,
            record.itl,
            view.chain,
            record.payload.len(),
        );
    }
}
