//! Buffer waits by class of block, enqueues.

use super::Section;
use super::column::Field::Text;
use super::column::{Column, column, count, milliseconds, of, seconds};
use crate::model::{BufferWait, Enqueue, Report};

pub(crate) static BUFFER_WAITS: Section<BufferWait> = Section::new(
    "Buffer wait Statistics",
    &["-> ordered by wait time desc, waits desc"],
    BUFFER_WAIT,
    of!(Report.buffer_waits),
);

const BUFFER_WAIT: &[Column<BufferWait>] = &[
    column(&[], Text(of!(BufferWait.class))).key().left(&["Class"], 22),
    column(&[], count(of!(BufferWait.waits))).needed().right(&["Waits"], 11),
    column(
        &["totwaittimes", "totaltimes", "waittimes", "times", "totwaittimecs", "totalwaittimecs"],
        seconds(2, of!(BufferWait.total_s)),
    )
    .right(&["Total Wait Time (s)"], 19),
    column(&["avgwaittimems", "avgwaitms", "avgtimecs", "avgtime"], milliseconds(3, of!(BufferWait.average_ms)))
        .right(&["Avg Time (ms)"], 13),
];

/// The kind of enqueue stands in a line of its own.
pub(crate) static ENQUEUES: Section<Enqueue> = Section::new(
    "Enqueue activity",
    &["-> only enqueues with waits are shown", "-> ordered by Wait Time desc, Waits desc"],
    ENQUEUE,
    of!(Report.enqueues),
)
.two_lines(1, false);

const ENQUEUE: &[Column<Enqueue>] = &[
    column(&["enqueuetype", "enqueue", "eq"], Text(of!(Enqueue.name)))
        .key()
        .left(&["Enqueue Type (Request Reason)"], 78),
    column(&[], count(of!(Enqueue.requests))).right(&["Requests"], 12),
    column(&["gets"], count(of!(Enqueue.gets))).right(&["Succ Gets"], 12),
    column(&[], count(of!(Enqueue.failed))).right(&["Failed Gets"], 11),
    column(&[], count(of!(Enqueue.waits))).needed().right(&["Waits"], 11),
    column(&["waittimes", "totalwttimes"], seconds(2, of!(Enqueue.total_s))).right(&["Wt Time (s)"], 12),
    column(&["avgwttimems", "avwaittimems"], milliseconds(3, of!(Enqueue.average_ms))).right(&["Av Wt Time(ms)"], 14),
];
