//! Undo segments, their extents, and the cost of undo.

use common::Result;
use scalar::Datum;
use storage::parameters::Parameter;
use storage::undo::{ExtentStatus, SegmentFigures};

use super::view::{View, ViewContext, at, date, n, number, s, text};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$ROLLNAME",
        columns: &[number("USN"), text("NAME", 30)],
        rows: |cx, rows| {
            let online = segments(cx)?.into_iter().filter(|segment| segment.status != Status::Offline);
            online
                .map(|segment| segment.figures)
                .try_for_each(|segment| rows.add(&[n(segment.number), s(&segment.name)]))
        },
    },
    View {
        name: "V$ROLLSTAT",
        columns: &[
            number("USN"),
            number("EXTENTS"),
            number("RSSIZE"),
            number("WRITES"),
            number("XACTS"),
            number("GETS"),
            number("WAITS"),
            number("WRAPS"),
            number("EXTENDS"),
            number("OPTSIZE"),
            number("HWMSIZE"),
            number("SHRINKS"),
            number("AVESHRINK"),
            text("STATUS", 15),
            number("CUREXT"),
            number("CURBLK"),
        ],
        rows: |cx, rows| {
            for Segment { figures, block_bytes, status, .. } in segments(cx)? {
                if status == Status::Offline {
                    continue;
                }
                rows.add(&[
                    n(figures.number),
                    n(figures.extents),
                    n(u64::from(figures.blocks) * block_bytes),
                    n(figures.writes),
                    n(figures.transactions),
                    n(figures.gets),
                    n(figures.waits),
                    n(figures.wraps),
                    n(figures.extends),
                    // No size is set for an undo segment.
                    Datum::Null,
                    n(u64::from(figures.most_blocks) * block_bytes),
                    n(figures.shrinks),
                    n(figures.shrunk_bytes.checked_div(figures.shrinks).unwrap_or(0)),
                    s(status.name()),
                    n(figures.current_extent),
                    n(figures.current_block),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "V$UNDOSTAT",
        columns: &[
            date("BEGIN_TIME"),
            date("END_TIME"),
            number("UNDOTSN"),
            number("UNDOBLKS"),
            number("TXNCOUNT"),
            number("MAXQUERYLEN"),
            number("MAXCONCURRENCY"),
            number("UNXPSTEALCNT"),
            number("UNXPBLKRELCNT"),
            number("UNXPBLKREUCNT"),
            number("EXPSTEALCNT"),
            number("EXPBLKRELCNT"),
            number("EXPBLKREUCNT"),
            number("SSOLDERRCNT"),
            number("NOSPACEERRCNT"),
            number("ACTIVEBLKS"),
            number("UNEXPIREDBLKS"),
            number("EXPIREDBLKS"),
            number("TUNED_UNDORETENTION"),
        ],
        rows: |cx, rows| {
            let instance = cx.session.instance();
            let name = instance.parameters().text(Parameter::UndoTablespace).to_uppercase();
            let tablespace = instance.tablespaces().named(&name).map_or(0, |tablespace| tablespace.number().0);
            instance.undo().sample(&cx.session)?;
            for interval in instance.undo().intervals(&cx.session) {
                rows.add(&[
                    at(interval.begin_us)?,
                    at(interval.end_us)?,
                    n(tablespace),
                    n(interval.undo_blocks),
                    n(interval.transactions),
                    n(interval.max_query_s),
                    n(interval.max_concurrency),
                    n(interval.unexpired_steals),
                    n(interval.unexpired_blocks_released),
                    n(interval.unexpired_blocks_reused),
                    n(interval.expired_steals),
                    n(interval.expired_blocks_released),
                    n(interval.expired_blocks_reused),
                    n(interval.too_old_errors),
                    n(interval.no_space_errors),
                    n(interval.active_blocks),
                    n(interval.unexpired_blocks),
                    n(interval.expired_blocks),
                    n(interval.tuned_retention_s()),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "DBA_ROLLBACK_SEGS",
        columns: &[
            text("SEGMENT_NAME", 30),
            text("OWNER", 6),
            text("TABLESPACE_NAME", 30),
            number("SEGMENT_ID"),
            number("FILE_ID"),
            number("BLOCK_ID"),
            text("STATUS", 16),
            number("RELATIVE_FNO"),
        ],
        rows: |cx, rows| {
            for Segment { figures, tablespace, status, .. } in segments(cx)? {
                rows.add(&[
                    s(&figures.name),
                    s("PUBLIC"),
                    s(tablespace),
                    n(figures.number),
                    n(figures.header.file.0),
                    n(figures.header.block),
                    s(status.name()),
                    n(figures.header.file.0),
                ])?;
            }
            Ok(())
        },
    },
    View {
        name: "DBA_UNDO_EXTENTS",
        columns: &[
            text("OWNER", 3),
            text("SEGMENT_NAME", 30),
            text("TABLESPACE_NAME", 30),
            number("EXTENT_ID"),
            number("FILE_ID"),
            number("BLOCK_ID"),
            number("BYTES"),
            number("BLOCKS"),
            number("RELATIVE_FNO"),
            text("STATUS", 9),
        ],
        rows: |cx, rows| {
            let segments = segments(cx)?;
            for extent in cx.session.instance().undo().extents(&cx.session)? {
                let Some(segment) = segments.iter().find(|segment| segment.figures.number == extent.segment) else {
                    continue;
                };
                rows.add(&[
                    s("SYS"),
                    s(&segment.figures.name),
                    s(&segment.tablespace),
                    n(extent.number),
                    n(extent.start.file.0),
                    n(extent.start.block),
                    n(u64::from(extent.blocks) * segment.block_bytes),
                    n(extent.blocks),
                    n(extent.start.file.0),
                    s(match extent.status {
                        ExtentStatus::Active => "ACTIVE",
                        ExtentStatus::Unexpired => "UNEXPIRED",
                        ExtentStatus::Expired => "EXPIRED",
                    }),
                ])?;
            }
            Ok(())
        },
    },
];

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
