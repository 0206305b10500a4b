//! An index block as text.

use std::fmt::Write;

use common::{BlockAddress, ObjectNumber, Rowid};

use super::branch::Branch;
use super::header;
use super::key::Columns;
use super::leaf::Leaf;
use crate::transaction;

/// Header and entries of an index block, one line each. Column data in hexadecimal: a block does not know its types.
#[must_use]
pub fn dump(block: &[u8]) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_dump(&mut text, block);
    text
}

fn write_dump(out: &mut String, block: &[u8]) -> std::fmt::Result {
    let address = crate::block::header(block).address();
    if let Err(error) = header::check(block, address) {
        return writeln!(out, "index block: {error}");
    }
    let common = header::common(block);
    let shape = header::shape(block);
    let kind = if common.level == 0 { "leaf" } else { "branch" };
    writeln!(out, "index {kind} block, level {}", common.level)?;
    writeln!(
        out,
        "  object {}  {} column{}{}",
        transaction::header(block).object_number().0,
        shape.columns,
        if shape.columns == 1 { "" } else { "s" },
        if shape.unique { ", unique" } else { " and rowid" },
    )?;
    writeln!(
        out,
        "  entries {}  free {} to {}  available {}  structure changes {}",
        common.entries, common.free_begin, common.free_end, common.available, common.structure_changes
    )?;
    if common.level == 0 { leaf(out, block) } else { branch(out, block) }
}

fn leaf(out: &mut String, block: &[u8]) -> std::fmt::Result {
    let leaf = Leaf::of(block);
    writeln!(
        out,
        "  previous {}  next {}  deleted {}  usable {}",
        link(leaf.previous()),
        link(leaf.next()),
        leaf.deleted(),
        header::leaf(block).usable
    )?;
    for i in 0..leaf.entries() {
        let entry = leaf.entry(i);
        let row = Rowid::from_restricted(ObjectNumber(0), entry.rowid);
        let flag = if entry.deleted() { "D" } else { "-" };
        write!(out, "  entry {i} flags {flag} lock {} row {} slot {}", entry.lock, row.block, row.slot)?;
        columns(out, entry.columns())?;
    }
    Ok(())
}

fn branch(out: &mut String, block: &[u8]) -> std::fmt::Result {
    let branch = Branch::of(block);
    writeln!(out, "  leftmost child {}  usable {}", link(branch.child(0)), header::branch(block).usable)?;
    for i in 0..branch.separators() {
        write!(out, "  entry {i} child {}", link(branch.child(i + 1)))?;
        columns(out, Columns::of(branch.separator(i)))?;
    }
    Ok(())
}

fn link(address: BlockAddress) -> String {
    if address.is_none() { "none".to_owned() } else { address.to_string() }
}

fn columns<'a>(out: &mut String, columns: impl Iterator<Item = Option<&'a [u8]>>) -> std::fmt::Result {
    for (i, column) in columns.enumerate() {
        match column {
            None => write!(out, "  col {i} NULL")?,
            Some(data) => {
                write!(out, "  col {i} ({})", data.len())?;
                for byte in data {
                    write!(out, " {byte:02x}")?;
                }
            }
        }
    }
    writeln!(out)
}
