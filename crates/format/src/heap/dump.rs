//! A heap block as readable text.

use std::fmt::Write;

use super::header::{self, FREE_SLOT};
use super::row::{self, CONTINUED, CONTINUES, DELETED, FIRST, HEAD, LAST};
use crate::itl;
use crate::{block, transaction};

/// Headers, ITL slots and every row of a heap block, one line each. Unreadable parts are reported, not skipped.
#[must_use]
pub fn dump(block: &[u8]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_block(block, &mut text);
    text
}

fn write_block(block: &[u8], out: &mut String) -> std::fmt::Result {
    let transaction = transaction::header(block);
    let cache = block::header(block);
    writeln!(out, "table block {}  scn {}  object {}", cache.address(), cache.scn().0, transaction.object_number().0)?;
    if transaction.flags & transaction::ASSM != 0 {
        writeln!(out, "  covered by bitmap block {}", transaction.bitmap_block())?;
    } else if transaction.on_freelist() {
        writeln!(out, "  on a freelist, next {}", transaction.next_free())?;
    }
    for number in 1..=transaction.itl_count {
        // Slots beyond the block's end do not exist.
        let Some(itl) = itl::slot(block, number) else { continue };
        write!(out, "  itl {number}: xid {}  uba {}  ", itl.xid(), itl.uba())?;
        let flags: String = [(0x8000, 'C'), (0x4000, 'B'), (0x2000, 'U'), (0x1000, 'T')]
            .iter()
            .map(|(bit, name)| if itl.flags.get() & bit != 0 { *name } else { '-' })
            .collect();
        write!(out, "flags {flags}  locks {}  ", itl.lock_count())?;
        match itl.committed() {
            Some(scn) => writeln!(out, "scn {}", scn.0)?,
            None => writeln!(out, "credit {}", itl.credit())?,
        }
    }
    if !header::is_within(block) {
        return writeln!(out, "  the directories do not fit the block");
    }
    let header = header::header(block);
    writeln!(
        out,
        "  slots {}  first free {:#x}  free space {} to {}  available {} of {}",
        header.slots, header.first_free, header.begin, header.end, header.available, header.total
    )?;
    for (slot, entry) in header::directory(block).iter().enumerate() {
        if entry.get() & FREE_SLOT != 0 {
            writeln!(out, "  slot {slot}: free, next {:#x}", entry.get() & !FREE_SLOT)?;
            continue;
        }
        write_row(block, slot as u16, entry.get(), out)?;
    }
    Ok(())
}

fn write_row(block: &[u8], slot: u16, at: u16, out: &mut String) -> std::fmt::Result {
    let Some(piece) = row::row(block, slot) else {
        return writeln!(out, "  slot {slot} @{at}: not a row piece");
    };
    let names = [(HEAD, 'H'), (DELETED, 'D'), (FIRST, 'F'), (LAST, 'L'), (CONTINUED, 'P'), (CONTINUES, 'N')];
    let flags: String = names.iter().map(|(bit, name)| if piece.flags() & bit != 0 { *name } else { '-' }).collect();
    write!(out, "  slot {slot} @{at}: {flags} lock {} columns {}", piece.lock(), piece.column_count())?;
    if let Some(head) = piece.head_address() {
        write!(out, " head {}.{}", head.block, head.slot)?;
    }
    if let Some(next) = piece.next_address() {
        write!(out, " next {}.{}", next.block, next.slot)?;
    }
    match piece.stored_bytes() {
        Some(bytes) => writeln!(out, " bytes {bytes}")?,
        None => writeln!(out, " columns leave the block")?,
    }
    for (number, column) in piece.columns().enumerate() {
        write!(out, "    {number}: ")?;
        match column {
            None => writeln!(out, "NULL")?,
            Some(data) => {
                write!(out, "[{}]", data.len())?;
                for byte in data.iter().take(40) {
                    write!(out, " {byte:02x}")?;
                }
                let printable = !data.is_empty() && data.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
                if printable {
                    let shown = &data[..data.len().min(40)];
                    write!(out, "  '{}'", String::from_utf8_lossy(shown))?;
                }
                writeln!(out, "{}", if data.len() > 40 { " …" } else { "" })?;
            }
        }
    }
    Ok(())
}
