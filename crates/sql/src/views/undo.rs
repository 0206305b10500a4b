//! Undo segments, their extents, and the cost of undo.

use common::{BlockAddress, Result};
use scalar::Datum;
use storage::parameters::Parameter;
use storage::undo::{ExtentStatus, SegmentFigures, UndoInterval};

use super::view::{Column, Each, Table, View, ViewContext, date, n, number, s, text, unless_zero};

const NAMES: &[Column<Segment>] =
    &[number("USN", |row| n(row.figures.number)), text("NAME", 30, |row| s(&row.figures.name))];

const STATISTICS: &[Column<Segment>] = &[
    number("USN", |row| n(row.figures.number)),
    number("EXTENTS", |row| n(row.figures.extents)),
    number("RSSIZE", |row| n(u64::from(row.figures.blocks) * row.block_bytes)),
    number("WRITES", |row| n(row.figures.writes)),
    number("XACTS", |row| n(row.figures.transactions)),
    number("GETS", |row| n(row.figures.gets)),
    number("WAITS", |row| n(row.figures.waits)),
    number("WRAPS", |row| n(row.figures.wraps)),
    number("EXTENDS", |row| n(row.figures.extends)),
    // No size is set for an undo segment.
    number("OPTSIZE", |_| Datum::Null),
    number("HWMSIZE", |row| n(u64::from(row.figures.most_blocks) * row.block_bytes)),
    number("SHRINKS", |row| n(row.figures.shrinks)),
    number("AVESHRINK", |row| n(row.figures.shrunk_bytes.checked_div(row.figures.shrinks).unwrap_or(0))),
    text("STATUS", 15, |row| s(row.status.name())),
    number("CUREXT", |row| n(row.figures.current_extent)),
    number("CURBLK", |row| n(row.figures.current_block)),
];

const SEGMENTS: &[Column<Segment>] = &[
    text("SEGMENT_NAME", 30, |row| s(&row.figures.name)),
    text("OWNER", 6, |_| s("PUBLIC")),
    text("TABLESPACE_NAME", 30, |row| s(&row.tablespace)),
    number("SEGMENT_ID", |row| n(row.figures.number)),
    number("FILE_ID", |row| n(row.figures.header.file.0)),
    number("BLOCK_ID", |row| n(row.figures.header.block)),
    text("STATUS", 16, |row| s(row.status.name())),
    number("RELATIVE_FNO", |row| n(row.figures.header.file.0)),
];

/// An interval of undo, and the number of the tablespace.
struct Interval {
    interval: UndoInterval,
    tablespace: u32,
}

const INTERVALS: &[Column<Interval>] = &[
    date("BEGIN_TIME", |row| unless_zero(row.interval.begin_us)),
    date("END_TIME", |row| unless_zero(row.interval.end_us)),
    number("UNDOTSN", |row| n(row.tablespace)),
    number("UNDOBLKS", |row| n(row.interval.undo_blocks)),
    number("TXNCOUNT", |row| n(row.interval.transactions)),
    number("MAXQUERYLEN", |row| n(row.interval.max_query_s)),
    number("MAXCONCURRENCY", |row| n(row.interval.max_concurrency)),
    number("UNXPSTEALCNT", |row| n(row.interval.unexpired_steals)),
    number("UNXPBLKRELCNT", |row| n(row.interval.unexpired_blocks_released)),
    number("UNXPBLKREUCNT", |row| n(row.interval.unexpired_blocks_reused)),
    number("EXPSTEALCNT", |row| n(row.interval.expired_steals)),
    number("EXPBLKRELCNT", |row| n(row.interval.expired_blocks_released)),
    number("EXPBLKREUCNT", |row| n(row.interval.expired_blocks_reused)),
    number("SSOLDERRCNT", |row| n(row.interval.too_old_errors)),
    number("NOSPACEERRCNT", |row| n(row.interval.no_space_errors)),
    number("ACTIVEBLKS", |row| n(row.interval.active_blocks)),
    number("UNEXPIREDBLKS", |row| n(row.interval.unexpired_blocks)),
    number("EXPIREDBLKS", |row| n(row.interval.expired_blocks)),
    number("TUNED_UNDORETENTION", |row| n(row.interval.tuned_retention_s())),
];

/// An extent of an undo segment.
struct Extent {
    segment: String,
    tablespace: String,
    number: u32,
    start: BlockAddress,
    blocks: u32,
    block_bytes: u64,
    status: ExtentStatus,
}

const EXTENTS: &[Column<Extent>] = &[
    text("OWNER", 3, |_| s("SYS")),
    text("SEGMENT_NAME", 30, |row| s(&row.segment)),
    text("TABLESPACE_NAME", 30, |row| s(&row.tablespace)),
    number("EXTENT_ID", |row| n(row.number)),
    number("FILE_ID", |row| n(row.start.file.0)),
    number("BLOCK_ID", |row| n(row.start.block)),
    number("BYTES", |row| n(u64::from(row.blocks) * row.block_bytes)),
    number("BLOCKS", |row| n(row.blocks)),
    number("RELATIVE_FNO", |row| n(row.start.file.0)),
    text("STATUS", 9, |row| {
        s(match row.status {
            ExtentStatus::Active => "ACTIVE",
            ExtentStatus::Unexpired => "UNEXPIRED",
            ExtentStatus::Expired => "EXPIRED",
        })
    }),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$ROLLNAME", &[NAMES], online),
    &Table::new("V$ROLLSTAT", &[STATISTICS], online),
    &Table::new("V$UNDOSTAT", &[INTERVALS], |cx, each| {
        let instance = cx.session.instance();
        let name = instance.parameters().text(Parameter::UndoTablespace).to_uppercase();
        let tablespace = instance.tablespaces().named(&name).map_or(0, |tablespace| tablespace.number().0);
        instance.undo().sample(&cx.session)?;
        let intervals = instance.undo().intervals(&cx.session);
        intervals.into_iter().try_for_each(|interval| each(Interval { interval, tablespace }))
    }),
    &Table::new("DBA_ROLLBACK_SEGS", &[SEGMENTS], |cx, each| segments(cx)?.into_iter().try_for_each(each)),
    &Table::new("DBA_UNDO_EXTENTS", &[EXTENTS], |cx, each| {
        let segments = segments(cx)?;
        for extent in cx.session.instance().undo().extents(&cx.session)? {
            let Some(segment) = segments.iter().find(|segment| segment.figures.number == extent.segment) else {
                continue;
            };
            each(Extent {
                segment: segment.figures.name.clone(),
                tablespace: segment.tablespace.clone(),
                number: extent.number,
                start: extent.start,
                blocks: extent.blocks,
                block_bytes: segment.block_bytes,
                status: extent.status,
            })?;
        }
        Ok(())
    }),
];

/// The segments that are in use.
fn online(cx: &ViewContext, each: Each<'_, Segment>) -> Result<()> {
    segments(cx)?.into_iter().filter(|segment| segment.status != Status::Offline).try_for_each(each)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Online,
    /// Its tablespace is no longer the one for new transactions, and has old ones in it.
    PendingOffline,
    /// It takes no new transactions, for now or as long as its tablespace is not the current one.
    Offline,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::Online => "ONLINE",
            Self::PendingOffline => "PENDING OFFLINE",
            Self::Offline => "OFFLINE",
        }
    }
}

pub(super) struct Segment {
    pub(super) figures: SegmentFigures,
    pub(super) tablespace: String,
    pub(super) block_bytes: u64,
    status: Status,
}

/// The undo segments of all undo tablespaces, by number.
pub(super) fn segments(cx: &ViewContext) -> Result<Vec<Segment>> {
    let instance = cx.session.instance();
    let current = instance.parameters().text(Parameter::UndoTablespace).to_uppercase();
    let tablespaces = instance.tablespaces().all();
    let mut segments = Vec::new();
    for figures in instance.undo().segments(&cx.session)? {
        // A tablespace that is being dropped may be gone already.
        let Some(tablespace) = tablespaces.iter().find(|tablespace| tablespace.number() == figures.tablespace) else {
            continue;
        };
        let status = match figures.transactions {
            _ if tablespace.name() == current && figures.online => Status::Online,
            0 => Status::Offline,
            _ => Status::PendingOffline,
        };
        let block_bytes = tablespace.block_size().bytes() as u64;
        segments.push(Segment { figures, tablespace: tablespace.name().to_owned(), block_bytes, status });
    }
    segments.sort_by_key(|segment| segment.figures.number);
    Ok(segments)
}
