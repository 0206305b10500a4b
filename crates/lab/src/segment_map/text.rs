//! The map in a terminal: a letter a block, extents one after another.

use std::fmt::Write as _;

use storage::control::SpaceManagement;
use storage::segment::{BlockUse, MappedBlock};

use super::SegmentMap;
use super::kind::CellKind;

/// Blocks in a line, where the terminal is wide enough.
const COLUMNS_MAX: usize = 128;
/// Address and two blanks in front.
const MARGIN: usize = 14;

/// The whole map; `width` is the terminal's. `colours`: the terminal shows them.
#[must_use]
pub fn text(map: &SegmentMap, width: usize, colours: bool) -> String {
    let columns = (width.saturating_sub(MARGIN) / 8 * 8).clamp(16, COLUMNS_MAX);
    let sums = map.sums();
    let mut out = format!("{}\n{}\n\n", map.about(), sums.rows());
    for extent in &map.map.extents {
        for line in extent.chunks(columns) {
            let _ = write!(out, "{:>12}  ", line[0].address.to_string());
            for block in line {
                cell(&mut out, block, colours);
            }
            out.push('\n');
        }
    }
    out.push('\n');
    let automatic = map.map.management == SpaceManagement::Auto;
    for (kind, blocks) in &sums.by_kind {
        let _ = write!(out, "{blocks:>12}  ");
        letter(&mut out, *kind, kind.letter(), colours);
        let _ = writeln!(out, "  {}", kind.label(automatic));
    }
    if sums.migrated_away > 0 {
        out.push_str("              x  in place of the letter: rows have migrated from the block\n");
    }
    out
}

fn cell(out: &mut String, block: &MappedBlock, colours: bool) {
    let kind = CellKind::of(block);
    let migrated = matches!(block.holds, BlockUse::Rows(rows) if rows.migrated_away > 0);
    letter(out, kind, if migrated { 'x' } else { kind.letter() }, colours);
}

fn letter(out: &mut String, kind: CellKind, letter: char, colours: bool) {
    if colours {
        let _ = write!(out, "\x1b[38;5;{}m{letter}\x1b[0m", kind.terminal_colour());
    } else {
        out.push(letter);
    }
}
