//! Datafiles, tablespaces and the buffer cache, as V$ views.

use common::{BlockClass, BlockRange, Result};

use super::view::{Rows, Scope, View, ViewContext, n, number, s, text, yes};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$TABLESPACE",
        columns: &[number("TS#"), text("NAME", 30), text("BIGFILE", 3)],
        rows: |cx, rows| {
            cx.session
                .instance()
                .tablespaces()
                .all()
                .iter()
                .try_for_each(|tablespace| rows.add(&[n(tablespace.number().0), s(tablespace.name()), yes(false)]))
        },
    },
    View {
        name: "V$DATAFILE",
        columns: &[
            number("FILE#"),
            number("TS#"),
            number("RFILE#"),
            text("STATUS", 7),
            number("BYTES"),
            number("BLOCKS"),
            number("BLOCK_SIZE"),
            text("NAME", 513),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let records = instance.control().data().datafiles.clone();
            for record in records {
                let file = instance.cache().file(record.file())?;
                rows.add(&[
                    n(record.number),
                    n(record.tablespace),
                    n(record.number),
                    s(if record.tablespace == 0 { "SYSTEM" } else { "ONLINE" }),
                    n(u64::from(file.blocks()) * file.block_size().bytes() as u64),
                    n(file.blocks()),
                    n(file.block_size().bytes() as u64),
                    s(instance.resolve(&record.name).to_string_lossy()),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "V$FILESTAT",
        columns: &[
            number("FILE#"),
            number("PHYRDS"),
            number("PHYWRTS"),
            number("PHYBLKRD"),
            number("PHYBLKWRT"),
            number("READTIM"),
            number("WRITETIM"),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let records = instance.control().data().datafiles.clone();
            for record in records {
                let figures = instance.cache().file(record.file())?.figures();
                rows.add(&[
                    n(record.number),
                    n(figures.reads),
                    n(figures.writes),
                    n(figures.blocks_read),
                    n(figures.blocks_written),
                    n(figures.read_us / 10_000),
                    n(figures.write_us / 10_000),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "V$BH",
        columns: &[
            number("FILE#"),
            number("BLOCK#"),
            number("CLASS#"),
            text("STATUS", 10),
            text("DIRTY", 1),
            number("OBJD"),
            number("TS#"),
        ],
        rows: buffers,
    },
    View {
        name: "V$BUFFER_POOL",
        columns: &[number("ID"), text("NAME", 20), number("BLOCK_SIZE"), number("CURRENT_SIZE"), number("BUFFERS")],
        rows: |cx, rows| {
            cx.session.instance().cache().figures().iter().enumerate().try_for_each(|(at, pool)| {
                let bytes = (pool.capacity as u64) * pool.size.bytes() as u64;
                rows.add(&[n(at + 1), s("DEFAULT"), n(pool.size.bytes() as u64), n(bytes >> 20), n(pool.capacity)])
            })
        },
    },
    View {
        name: "V$BUFFER_POOL_STATISTICS",
        columns: &[
            number("ID"),
            text("NAME", 20),
            number("BLOCK_SIZE"),
            number("SET_MSIZE"),
            number("CNUM_SET"),
            number("FREE_BUFFER_WAIT"),
            number("WRITE_COMPLETE_WAIT"),
            number("PHYSICAL_READS"),
            number("PHYSICAL_WRITES"),
        ],
        rows: |cx, rows| {
            cx.session.instance().cache().figures().iter().enumerate().try_for_each(|(at, pool)| {
                rows.add(&[
                    n(at + 1),
                    s("DEFAULT"),
                    n(pool.size.bytes() as u64),
                    n(pool.capacity),
                    n(pool.buffers),
                    n(pool.free_buffer_waits),
                    n(pool.write_complete_waits),
                    n(pool.physical_reads),
                    n(pool.physical_writes),
                ])
            })
        },
    },
];

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
fn buffers(cx: &ViewContext, rows: &mut Rows) -> Result<()> {
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
    for buffer in buffers {
        let at = extents.partition_point(|(extent, _)| extent.start <= buffer.address);
        let owner = at.checked_sub(1).map(|at| &extents[at]).filter(|(extent, _)| extent.contains(buffer.address));
        let class = BlockClass::ALL.into_iter().find(|class| *class as u8 == buffer.class);
        let (object, number) = match owner {
            Some((_, Owner::Object(object))) => (*object, u32::from(buffer.class)),
            Some((_, Owner::Undo(segment))) => (NO_OBJECT, class.map_or(0, |class| class.number(*segment))),
            None => (NO_OBJECT, u32::from(buffer.class)),
        };
        let tablespace = instance.cache().file(buffer.address.file).map(|file| file.tablespace().0).unwrap_or(0);
        rows.add(&[
            n(buffer.address.file.0),
            n(buffer.address.block),
            n(number),
            s(if buffer.clone {
                "cr"
            } else if buffer.reading {
                "read"
            } else {
                "xcur"
            }),
            s(if buffer.dirty { "Y" } else { "N" }),
            n(object),
            n(tablespace),
        ])?;
    }
    Ok(())
}
