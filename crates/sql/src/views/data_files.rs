//! Tablespaces, datafiles and free space, as DBA_ views.

use common::Result;
use storage::control::{ExtentManagement, SpaceManagement, TablespaceKind};

use super::view::{Rows, View, ViewContext, maybe, n, number, s, text, yes};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "DBA_TABLESPACES",
        columns: &[
            text("TABLESPACE_NAME", 30),
            number("BLOCK_SIZE"),
            number("INITIAL_EXTENT"),
            number("NEXT_EXTENT"),
            number("MIN_EXTENTS"),
            number("MAX_EXTENTS"),
            number("PCT_INCREASE"),
            number("MIN_EXTLEN"),
            text("STATUS", 9),
            text("CONTENTS", 9),
            text("LOGGING", 9),
            text("FORCE_LOGGING", 3),
            text("EXTENT_MANAGEMENT", 10),
            text("ALLOCATION_TYPE", 9),
            text("PLUGGED_IN", 3),
            text("SEGMENT_SPACE_MANAGEMENT", 6),
            text("DEF_TAB_COMPRESSION", 8),
            text("RETENTION", 11),
            text("BIGFILE", 3),
            text("ENCRYPTED", 3),
        ],
        rows: tablespaces,
    },
    View {
        name: "DBA_DATA_FILES",
        columns: &[
            text("FILE_NAME", 513),
            number("FILE_ID"),
            text("TABLESPACE_NAME", 30),
            number("BYTES"),
            number("BLOCKS"),
            text("STATUS", 9),
            number("RELATIVE_FNO"),
            text("AUTOEXTENSIBLE", 3),
            number("MAXBYTES"),
            number("MAXBLOCKS"),
            number("INCREMENT_BY"),
            number("USER_BYTES"),
            number("USER_BLOCKS"),
            text("ONLINE_STATUS", 7),
        ],
        rows: data_files,
    },
    View {
        name: "DBA_FREE_SPACE",
        columns: &[
            text("TABLESPACE_NAME", 30),
            number("FILE_ID"),
            number("BLOCK_ID"),
            number("BYTES"),
            number("BLOCKS"),
            number("RELATIVE_FNO"),
        ],
        rows: free_space,
    },
];

fn tablespaces(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    for tablespace in cx.session.instance().tablespaces().all() {
        let block_bytes = tablespace.block_size().bytes() as u64;
        let undo = tablespace.kind() == TablespaceKind::Undo;
        let uniform = match tablespace.extent_management() {
            ExtentManagement::Autoallocate => None,
            ExtentManagement::Uniform { blocks } => Some(u64::from(blocks) * block_bytes),
        };
        rows.add(&[
            s(tablespace.name()),
            n(block_bytes),
            n(uniform.unwrap_or(common::limits::AUTOALLOCATE_UNIT_BYTES)),
            maybe(uniform, n),
            n(1),
            n(super::segments::UNLIMITED_EXTENTS),
            maybe(uniform.map(|_| 0), n),
            n(u64::from(tablespace.unit_blocks()) * block_bytes),
            s("ONLINE"),
            s(if undo { "UNDO" } else { "PERMANENT" }),
            s(if tablespace.logging() { "LOGGING" } else { "NOLOGGING" }),
            yes(false),
            s("LOCAL"),
            s(if uniform.is_some() { "UNIFORM" } else { "SYSTEM" }),
            yes(false),
            s(match tablespace.space_management() {
                SpaceManagement::Manual => "MANUAL",
                SpaceManagement::Auto => "AUTO",
            }),
            s("DISABLED"),
            s(match (undo, tablespace.retention_guarantee()) {
                (false, _) => "NOT APPLY",
                (true, false) => "NOGUARANTEE",
                (true, true) => "GUARANTEE",
            }),
            yes(false),
            yes(false),
        ])?;
    }
    Ok(())
}

fn data_files(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    let instance = cx.session.instance();
    let records = instance.control().data().datafiles.clone();
    for record in records {
        let file = instance.cache().file(record.file())?;
        let tablespace = instance.tablespaces().numbered(file.tablespace())?;
        let block_bytes = file.block_size().bytes() as u64;
        let growth = record.autoextend;
        rows.add(&[
            s(instance.resolve(&record.name).to_string_lossy()),
            n(record.number),
            s(tablespace.name()),
            n(u64::from(file.blocks()) * block_bytes),
            n(file.blocks()),
            s("AVAILABLE"),
            n(record.number),
            yes(growth.is_some()),
            n(growth.map_or(0, |growth| u64::from(growth.max) * block_bytes)),
            n(growth.map_or(0, |growth| growth.max)),
            n(growth.map_or(0, |growth| growth.next)),
            n(u64::from(tablespace.user_blocks(file.blocks())) * block_bytes),
            n(tablespace.user_blocks(file.blocks())),
            s(if tablespace.name() == "SYSTEM" { "SYSTEM" } else { "ONLINE" }),
        ])?;
    }
    Ok(())
}

fn free_space(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
    for tablespace in cx.session.instance().tablespaces().all() {
        let block_bytes = tablespace.block_size().bytes() as u64;
        for free in tablespace.free_space(&cx.session)? {
            rows.add(&[
                s(tablespace.name()),
                n(free.start.file.0),
                n(free.start.block),
                n(u64::from(free.blocks) * block_bytes),
                n(free.blocks),
                n(free.start.file.0),
            ])?;
        }
    }
    Ok(())
}
