//! Datafiles, tablespaces and the buffer cache, as V$ views.

use std::sync::Arc;

use common::{BlockClass, BlockRange, Result};
use storage::cache::{BufferState, PoolFigures};
use storage::datafile::FileFigures;
use storage::tablespace::Tablespace;

use super::view::{Column, Each, Scope, Table, View, ViewContext, n, number, s, text, yes};

const TABLESPACES: &[Column<Arc<Tablespace>>] = &[
    number("TS#", |tablespace| n(tablespace.number().0)),
    text("NAME", 30, |tablespace| s(tablespace.name())),
    text("BIGFILE", 3, |_| yes(false)),
];

struct DataFile {
    number: u32,
    tablespace: u32,
    blocks: u32,
    block_bytes: u64,
    path: String,
}

const DATA_FILES: &[Column<DataFile>] = &[
    number("FILE#", |file| n(file.number)),
    number("TS#", |file| n(file.tablespace)),
    number("RFILE#", |file| n(file.number)),
    text("STATUS", 7, |file| s(if file.tablespace == 0 { "SYSTEM" } else { "ONLINE" })),
    number("BYTES", |file| n(u64::from(file.blocks) * file.block_bytes)),
    number("BLOCKS", |file| n(file.blocks)),
    number("BLOCK_SIZE", |file| n(file.block_bytes)),
    text("NAME", 513, |file| s(&file.path)),
];

/// The number of a datafile, and its figures.
struct FileStatistics(u32, FileFigures);

const FILE_STATISTICS: &[Column<FileStatistics>] = &[
    number("FILE#", |FileStatistics(file, _)| n(*file)),
    number("PHYRDS", |FileStatistics(_, figures)| n(figures.reads)),
    number("PHYWRTS", |FileStatistics(_, figures)| n(figures.writes)),
    number("PHYBLKRD", |FileStatistics(_, figures)| n(figures.blocks_read)),
    number("PHYBLKWRT", |FileStatistics(_, figures)| n(figures.blocks_written)),
    // Centiseconds.
    number("READTIM", |FileStatistics(_, figures)| n(figures.read_us / 10_000)),
    number("WRITETIM", |FileStatistics(_, figures)| n(figures.write_us / 10_000)),
];

/// A buffer, and what its block belongs to.
struct Buffer {
    state: BufferState,
    class: u32,
    object: u32,
    tablespace: u32,
}

const BUFFERS: &[Column<Buffer>] = &[
    number("FILE#", |row| n(row.state.address.file.0)),
    number("BLOCK#", |row| n(row.state.address.block)),
    number("CLASS#", |row| n(row.class)),
    text("STATUS", 10, |row| {
        s(if row.state.clone {
            "cr"
        } else if row.state.reading {
            "read"
        } else {
            "xcur"
        })
    }),
    text("DIRTY", 1, |row| s(if row.state.dirty { "Y" } else { "N" })),
    number("OBJD", |row| n(row.object)),
    number("TS#", |row| n(row.tablespace)),
];

/// The number of a buffer pool, and its figures.
struct BufferPool(usize, PoolFigures);

impl BufferPool {
    fn block_bytes(&self) -> u64 {
        self.1.size.bytes() as u64
    }
}

const POOLS: &[Column<BufferPool>] = &[
    number("ID", |pool| n(pool.0)),
    text("NAME", 20, |_| s("DEFAULT")),
    number("BLOCK_SIZE", |pool| n(pool.block_bytes())),
    // Megabytes.
    number("CURRENT_SIZE", |pool| n((pool.1.capacity as u64 * pool.block_bytes()) >> 20)),
    number("BUFFERS", |pool| n(pool.1.capacity)),
];

const POOL_STATISTICS: &[Column<BufferPool>] = &[
    number("ID", |pool| n(pool.0)),
    text("NAME", 20, |_| s("DEFAULT")),
    number("BLOCK_SIZE", |pool| n(pool.block_bytes())),
    number("SET_MSIZE", |pool| n(pool.1.capacity)),
    number("CNUM_SET", |pool| n(pool.1.buffers)),
    number("FREE_BUFFER_WAIT", |pool| n(pool.1.free_buffer_waits)),
    number("WRITE_COMPLETE_WAIT", |pool| n(pool.1.write_complete_waits)),
    number("PHYSICAL_READS", |pool| n(pool.1.physical_reads)),
    number("PHYSICAL_WRITES", |pool| n(pool.1.physical_writes)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$TABLESPACE", &[TABLESPACES], |cx, each| {
        cx.session.instance().tablespaces().all().into_iter().try_for_each(each)
    }),
    &Table::new("V$DATAFILE", &[DATA_FILES], |cx, each| {
        let instance = cx.session.instance();
        let records = instance.control().data().datafiles.clone();
        for record in records {
            let file = instance.cache().file(record.file())?;
            each(DataFile {
                number: u32::from(record.number),
                tablespace: record.tablespace,
                blocks: file.blocks(),
                block_bytes: file.block_size().bytes() as u64,
                path: instance.resolve(&record.name).to_string_lossy().into_owned(),
            })?;
        }
        Ok(())
    }),
    &Table::new("V$FILESTAT", &[FILE_STATISTICS], |cx, each| {
        let instance = cx.session.instance();
        let records = instance.control().data().datafiles.clone();
        for record in records {
            let figures = instance.cache().file(record.file())?.figures();
            each(FileStatistics(u32::from(record.number), figures))?;
        }
        Ok(())
    }),
    &Table::new("V$BH", &[BUFFERS], buffers),
    &Table::new("V$BUFFER_POOL", &[POOLS], pools),
    &Table::new("V$BUFFER_POOL_STATISTICS", &[POOL_STATISTICS], pools),
];

fn pools(cx: &ViewContext, each: Each<'_, BufferPool>) -> Result<()> {
    let pools = cx.session.instance().cache().figures();
    pools.into_iter().enumerate().try_for_each(|(at, figures)| each(BufferPool(at + 1, figures)))
}

/// OBJD of blocks without an object in the dictionary.
const NO_OBJECT: u32 = u32::MAX;

/// The owner of an extent.
enum Owner {
    /// By data object number.
    Object(u32),
    /// By undo segment number.
    Undo(u16),
}

/// The buffers, each with the segment whose extent covers it, if any.
fn buffers(cx: &ViewContext, each: Each<'_, Buffer>) -> Result<()> {
    let instance = cx.session.instance();
    let mut buffers = instance.cache().buffers();
    buffers.sort_by_key(|buffer| buffer.address);
    let mut extents = Vec::new();
    let undo = instance.undo().extents(&cx.session)?;
    extents.extend(undo.iter().map(|extent| {
        let range = BlockRange { start: extent.start, blocks: extent.blocks };
        (range, Owner::Undo(extent.segment))
    }));
    for found in super::segments::all(cx, Scope::Dba) {
        for extent in found.segment.extents(&cx.session)? {
            extents.push((extent, Owner::Object(found.segment.data_object().0)));
        }
    }
    extents.sort_by_key(|(extent, _)| extent.start);
    for state in buffers {
        let at = extents.partition_point(|(extent, _)| extent.start <= state.address);
        let owner = at.checked_sub(1).map(|at| &extents[at]).filter(|(extent, _)| extent.contains(state.address));
        let class = BlockClass::ALL.into_iter().find(|class| *class as u8 == state.class);
        let (object, class) = match owner {
            Some((_, Owner::Object(object))) => (*object, u32::from(state.class)),
            Some((_, Owner::Undo(segment))) => (NO_OBJECT, class.map_or(0, |class| class.number(*segment))),
            None => (NO_OBJECT, u32::from(state.class)),
        };
        let tablespace = instance.cache().file(state.address.file).map(|file| file.tablespace().0).unwrap_or(0);
        each(Buffer { state, class, object, tablespace })?;
    }
    Ok(())
}
