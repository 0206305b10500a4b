//! A picture of a segment: every block a coloured cell, in the terminal and as one HTML page.
//!
//! ```text
//! kind.rs  what a cell shows, its letter and colours     text.rs  for the terminal     page.rs  HTML
//! disks/   where the extents are on the disks of a disk group, as text and as a page
//! ```

pub mod disks;
mod kind;
mod page;
mod text;

use std::collections::BTreeMap;

use common::{Error, Result};
use engine::instance::Session;
use kind::CellKind;
pub use page::page;
use storage::control::SpaceManagement;
use storage::segment::{BlockMap, BlockUse, Segment};
pub use text::text;

/// A segment's map, with further figures for a reader.
#[derive(Clone, Debug)]
pub struct SegmentMap {
    /// `OWNER.NAME`.
    pub name: String,
    pub tablespace: String,
    pub block_bytes: usize,
    pub freelists: u16,
    pub freelist_groups: u16,
    pub pctfree: u8,
    pub map: BlockMap,
}

/// Number of blocks of a kind, and of those in which rows have migrated or go on elsewhere.
#[derive(Clone, Default, Debug)]
struct Sums {
    blocks: u64,
    by_kind: BTreeMap<CellKind, u64>,
    rows: u64,
    migrated_away: u64,
    chained_pieces: u64,
}

impl SegmentMap {
    /// The map of a table or an index; `name` is `OWNER.NAME`, or `NAME` of SYSTEM's.
    ///
    /// # Errors
    /// ORA-00942 for an unknown table or index; those of reading its blocks.
    pub fn of(session: &Session, name: &str) -> Result<Self> {
        let name = name.to_uppercase();
        let (owner, object) = name.split_once('.').unwrap_or(("SYSTEM", &name));
        let catalog = session.catalog();
        let segment: &Segment = match (catalog.table(owner, object), catalog.index(owner, object)) {
            (Some(table), _) => &table.segment,
            (None, Some(index)) => &index.segment,
            (None, None) => return Err(Error::user(942, format!("table or index does not exist: {owner}.{object}"))),
        };
        let spec = segment.spec();
        Ok(Self {
            name: format!("{owner}.{object}"),
            tablespace: segment.tablespace().name().to_string(),
            block_bytes: segment.block_size().bytes(),
            freelists: spec.storage.freelists,
            freelist_groups: spec.storage.freelist_groups,
            pctfree: segment.pctfree(),
            map: segment.block_map(session)?,
        })
    }

    fn sums(&self) -> Sums {
        let mut sums = Sums::default();
        for block in self.map.extents.iter().flatten() {
            sums.blocks += 1;
            *sums.by_kind.entry(CellKind::of(block)).or_default() += 1;
            if let BlockUse::Rows(rows) = block.holds {
                sums.rows += u64::from(rows.rows);
                sums.migrated_away += u64::from(rows.migrated_away);
                sums.chained_pieces += u64::from(rows.chained);
            }
        }
        sums
    }

    /// One line: where it is and how its space is managed.
    fn about(&self) -> String {
        let management = match self.map.management {
            SpaceManagement::Manual => {
                let groups = if self.freelist_groups > 1 {
                    format!(", freelist groups {}", self.freelist_groups)
                } else {
                    String::new()
                };
                format!("manual space management, freelists {}{groups}", self.freelists)
            }
            SpaceManagement::Auto => "automatic space management".to_owned(),
        };
        format!(
            "{} in {}, {} KB blocks, PCTFREE {}, {management}, {} extents",
            self.name,
            self.tablespace,
            self.block_bytes / 1024,
            self.pctfree,
            self.map.extents.len()
        )
    }
}

impl Sums {
    /// One line: rows, and those that are not whole where they begin. A row that has migrated is counted where it is
    /// now.
    fn rows(&self) -> String {
        let Self { blocks, rows, migrated_away, chained_pieces, .. } = self;
        format!(
            "{blocks} blocks, {rows} rows, {migrated_away} of them migrated to another block, {chained_pieces} pieces of chained rows"
        )
    }
}
