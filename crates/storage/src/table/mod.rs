//! Rows of tables: inserting, reading, updating and deleting them, and keeping the table's indexes in step.
//!
//! See README.md in this folder for the places of rows and for the numbered rules that the code cites.

mod append;
mod chained;
mod change;
mod definition;
mod delete;
mod fetch;
mod index_keys;
mod insert;
mod keys;
mod place;
mod row;
mod scan;
pub mod shrink;
mod update;

use crate::control::SpaceManagement;
pub use append::Appender;
#[cfg(any(test, feature = "testing"))]
pub use append::MOST;
pub use chained::{BlockFigures, chained_rows};
pub use change::row_holder;
pub use change::{RESTART, lock_row};
pub use definition::{ColumnDef, HeapTable};
pub use delete::{Deleter, delete};
pub use fetch::{Fetcher, fetch, fetch_row};
pub use index_keys::build_index;
pub use insert::Inserter;
pub use row::Row;
pub use scan::TableScan;
pub use update::{Updater, update};

use common::{Error, Result, Rowid};
use format::block::{self, BlockType};
use format::heap::{self, RowAddress};
use format::transaction::{self, Owner};

/// The largest row piece that an empty block of the table takes.
fn piece_capacity(table: &HeapTable) -> usize {
    let segment = &table.segment;
    let assm = segment.management() == SpaceManagement::Auto;
    heap::capacity(segment.block_size().bytes(), segment.itl_slots(), assm)
}

/// True: the block has rows of the table. A rowid that a user wrote may name any block.
fn is_block_of(table: &HeapTable, bytes: &[u8]) -> bool {
    let owner = transaction::header(bytes);
    block::kind(bytes) == Some(BlockType::Data)
        && owner.owner == Owner::Table as u8
        && owner.object_number() == table.segment.data_object()
}

/// The address that a rowid names. Refuses a rowid of another segment.
fn address_in(table: &HeapTable, rowid: Rowid) -> Result<RowAddress> {
    if rowid.data_object != table.segment.data_object() {
        return Err(Error::user(1410, format!("invalid ROWID: {rowid} is not a row of {}", table.qualified_name())));
    }
    Ok(RowAddress::from(rowid))
}

/// Checks that a row has as many columns as its table.
fn check_width(table: &HeapTable, columns: usize) -> Result<()> {
    if columns == table.columns.len() {
        Ok(())
    } else {
        Err(Error::bug(format!("a row of {columns} columns for {}, which has {}", table.name, table.columns.len())))
    }
}
