//! Disks in a terminal: a sign for each cell, and a table of the extents.

use std::fmt::Write as _;

use super::{DiskMap, GroupMap, MappedDisk, heads, rows};
use crate::grid::Grid;

/// Cells in a line, where the terminal is wide enough.
const COLUMNS_MAX: usize = 128;
/// The number of a line's first slot, and two blanks.
const MARGIN: usize = 14;
/// Lines of a disk.
const LINES_MAX: usize = 8;
/// Signs of extents, in turn.
const SIGNS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The whole map; `width` is the terminal's.
#[must_use]
pub fn text(map: &DiskMap, width: usize) -> String {
    let mut out = format!("{}\n", map.about);
    for group in &map.groups {
        let (name, disks) = (&group.name, group.disks.len());
        let _ = writeln!(out, "disk group {name}, allocation units of {} KB, disks: {disks}", group.unit_bytes / 1024);
        for disk in &group.disks {
            of_disk(&mut out, group, disk, width);
        }
    }
    let last = SIGNS.len() - 1;
    let _ =
        writeln!(out, "\n0-9, a-z, A-Z: extents 0 to {last}, and so on in turn; +: several extents; ·: none of them");
    out
}

fn of_disk(out: &mut String, group: &GroupMap, disk: &MappedDisk, width: usize) {
    let columns = (width.saturating_sub(MARGIN) / 8 * 8).clamp(16, COLUMNS_MAX);
    let (step, cells) = disk.cells((columns * LINES_MAX) as u64);
    let each = if step == 1 { String::new() } else { format!(" (a sign for {step} of them)") };
    let _ = writeln!(out, "\n{}{each}", disk.about(disk.unit()));
    let first = disk.slots().start;
    for (line, cells) in cells.chunks(columns).enumerate() {
        let _ = write!(out, "{:>12}  ", first + (line * columns) as u64 * step);
        for cell in cells {
            out.push(match &cell[..] {
                [] => '·',
                [(extent, _)] => char::from(SIGNS[extent % SIGNS.len()]),
                [(extent, _), rest @ ..] if rest.iter().all(|(other, _)| other == extent) => {
                    char::from(SIGNS[extent % SIGNS.len()])
                }
                _ => '+',
            });
        }
        out.push('\n');
    }
    if disk.parts.is_empty() {
        return;
    }
    let heads = heads(group, disk);
    let mut grid = Grid::new(&heads.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    rows(group, disk).into_iter().for_each(|row| grid.row(row));
    for line in grid.lines() {
        let _ = writeln!(out, "{:12}  {line}", "");
    }
}
