//! Tablespaces, datafiles and free space, as DBA_ views.

use std::sync::Arc;

use storage::control::{Autoextend, ExtentManagement, SpaceManagement, TablespaceKind};
use storage::tablespace::Tablespace;

use super::segments::UNLIMITED_EXTENTS;
use super::view::{Column, Table, View, maybe, n, number, s, text, yes};

fn block_bytes(tablespace: &Tablespace) -> u64 {
    tablespace.block_size().bytes() as u64
}

/// Bytes of uniform extents.
fn uniform(tablespace: &Tablespace) -> Option<u64> {
    match tablespace.extent_management() {
        ExtentManagement::Autoallocate => None,
        ExtentManagement::Uniform { blocks } => Some(u64::from(blocks) * block_bytes(tablespace)),
    }
}

const TABLESPACES: &[Column<Arc<Tablespace>>] = &[
    text("TABLESPACE_NAME", 30, |row| s(row.name())),
    number("BLOCK_SIZE", |row| n(block_bytes(row))),
    number("INITIAL_EXTENT", |row| n(uniform(row).unwrap_or(common::limits::AUTOALLOCATE_UNIT_BYTES))),
    number("NEXT_EXTENT", |row| maybe(uniform(row), n)),
    number("MIN_EXTENTS", |_| n(1)),
    number("MAX_EXTENTS", |_| n(UNLIMITED_EXTENTS)),
    number("PCT_INCREASE", |row| maybe(uniform(row).map(|_| 0), n)),
    number("MIN_EXTLEN", |row| n(u64::from(row.unit_blocks()) * block_bytes(row))),
    text("STATUS", 9, |_| s("ONLINE")),
    text("CONTENTS", 9, |row| s(if row.kind() == TablespaceKind::Undo { "UNDO" } else { "PERMANENT" })),
    text("LOGGING", 9, |row| s(if row.logging() { "LOGGING" } else { "NOLOGGING" })),
    text("FORCE_LOGGING", 3, |_| yes(false)),
    text("EXTENT_MANAGEMENT", 10, |_| s("LOCAL")),
    text("ALLOCATION_TYPE", 9, |row| s(if uniform(row).is_some() { "UNIFORM" } else { "SYSTEM" })),
    text("PLUGGED_IN", 3, |_| yes(false)),
    text("SEGMENT_SPACE_MANAGEMENT", 6, |row| {
        s(match row.space_management() {
            SpaceManagement::Manual => "MANUAL",
            SpaceManagement::Auto => "AUTO",
        })
    }),
    text("DEF_TAB_COMPRESSION", 8, |_| s("DISABLED")),
    text("RETENTION", 11, |row| {
        s(match (row.kind() == TablespaceKind::Undo, row.retention_guarantee()) {
            (false, _) => "NOT APPLY",
            (true, false) => "NOGUARANTEE",
            (true, true) => "GUARANTEE",
        })
    }),
    text("BIGFILE", 3, |_| yes(false)),
    text("ENCRYPTED", 3, |_| yes(false)),
];

/// A datafile and its tablespace.
struct DataFile {
    name: String,
    number: u32,
    blocks: u32,
    growth: Option<Autoextend>,
    tablespace: Arc<Tablespace>,
}

impl DataFile {
    fn bytes(&self, blocks: u32) -> u64 {
        u64::from(blocks) * block_bytes(&self.tablespace)
    }

    fn user_blocks(&self) -> u32 {
        self.tablespace.user_blocks(self.blocks)
    }

    fn most_blocks(&self) -> u32 {
        self.growth.map_or(0, |growth| growth.max)
    }
}

const DATA_FILES: &[Column<DataFile>] = &[
    text("FILE_NAME", 513, |row| s(&row.name)),
    number("FILE_ID", |row| n(row.number)),
    text("TABLESPACE_NAME", 30, |row| s(row.tablespace.name())),
    number("BYTES", |row| n(row.bytes(row.blocks))),
    number("BLOCKS", |row| n(row.blocks)),
    text("STATUS", 9, |_| s("AVAILABLE")),
    number("RELATIVE_FNO", |row| n(row.number)),
    text("AUTOEXTENSIBLE", 3, |row| yes(row.growth.is_some())),
    number("MAXBYTES", |row| n(row.bytes(row.most_blocks()))),
    number("MAXBLOCKS", |row| n(row.most_blocks())),
    number("INCREMENT_BY", |row| n(row.growth.map_or(0, |growth| growth.next))),
    number("USER_BYTES", |row| n(row.bytes(row.user_blocks()))),
    number("USER_BLOCKS", |row| n(row.user_blocks())),
    text("ONLINE_STATUS", 7, |row| s(if row.tablespace.name() == "SYSTEM" { "SYSTEM" } else { "ONLINE" })),
];

/// A range of free blocks.
struct Free {
    tablespace: Arc<Tablespace>,
    file: u32,
    block: u32,
    blocks: u32,
}

const FREE_SPACE: &[Column<Free>] = &[
    text("TABLESPACE_NAME", 30, |row| s(row.tablespace.name())),
    number("FILE_ID", |row| n(row.file)),
    number("BLOCK_ID", |row| n(row.block)),
    number("BYTES", |row| n(u64::from(row.blocks) * block_bytes(&row.tablespace))),
    number("BLOCKS", |row| n(row.blocks)),
    number("RELATIVE_FNO", |row| n(row.file)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("DBA_TABLESPACES", &[TABLESPACES], |cx, each| {
        cx.session.instance().tablespaces().all().into_iter().try_for_each(each)
    }),
    &Table::new("DBA_DATA_FILES", &[DATA_FILES], |cx, each| {
        let instance = cx.session.instance();
        let records = instance.control().data().datafiles.clone();
        for record in records {
            let file = instance.cache().file(record.file())?;
            each(DataFile {
                name: instance.resolve(&record.name).to_string_lossy().into_owned(),
                number: u32::from(record.number),
                blocks: file.blocks(),
                growth: record.autoextend,
                tablespace: instance.tablespaces().numbered(file.tablespace())?,
            })?;
        }
        Ok(())
    }),
    &Table::new("DBA_FREE_SPACE", &[FREE_SPACE], |cx, each| {
        for tablespace in cx.session.instance().tablespaces().all() {
            for free in tablespace.free_space(&cx.session)? {
                each(Free {
                    tablespace: Arc::clone(&tablespace),
                    file: u32::from(free.start.file.0),
                    block: free.start.block,
                    blocks: free.blocks,
                })?;
            }
        }
        Ok(())
    }),
];
