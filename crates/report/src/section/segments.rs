//! Segments at the top of something.

use std::io::Result;

use super::column::Field::{Optional, Other, Text};
use super::column::{Column, column, count, number, of, rows};
use super::{Layout, print};
use crate::grid::view::View;
use crate::model::{Report, Segment, SegmentOrder, SegmentSection};
use crate::page::{Page, text};

/// A section that is printed: what it is ordered by, its title and the heading of its own measure.
struct PrintedSegments(SegmentOrder, &'static str, &'static [&'static str]);

/// Those that Statspack has stand first, and say so where they have no data.
const ORDERS: [PrintedSegments; 7] = [
    PrintedSegments(SegmentOrder::LogicalReads, "Segments by Logical Reads", &["Logical", "Reads"]),
    PrintedSegments(SegmentOrder::PhysicalReads, "Segments by Physical Reads", &["Physical", "Reads"]),
    PrintedSegments(SegmentOrder::RowLockWaits, "Segments by Row Lock Waits", &["Row", "Lock", "Waits"]),
    PrintedSegments(SegmentOrder::ItlWaits, "Segments by ITL Waits", &["ITL", "Waits"]),
    PrintedSegments(SegmentOrder::BufferBusyWaits, "Segments by Buffer Busy Waits", &["Buffer", "Busy", "Waits"]),
    PrintedSegments(SegmentOrder::PhysicalWrites, "Segments by Physical Writes", &["Physical", "Writes"]),
    PrintedSegments(SegmentOrder::BlockChanges, "Segments by DB Blocks Changes", &["DB Block", "Changes"]),
];

const STATSPACK_ORDERS: usize = 5;

const fn columns(measure: &'static [&'static str]) -> [Column<Segment>; 8] {
    const SHARES: &[&str] = &["pcttotal", "%total", "%ofcapture", "%capture", "pctofcapture", "%oftotal"];
    [
        column(&[], Text(of!(Segment.owner))).needed().left(&["Owner"], 10),
        column(&["tablespacename"], Text(of!(Segment.tablespace))).left(&["Tablespace"], 10),
        column(&["object"], Text(of!(Segment.object))).key().left(&["Object Name"], 20),
        column(&["subobject"], Optional(of!(Segment.subobject))).left(&["Subobject", "Name"], 12),
        column(
            &["objecttype"],
            Other {
                read: |segment: &mut Segment, line, column| {
                    line.text(Some(column)).clone_into(&mut segment.object_type)
                },
                cell: |segment, _| text(segment.object_type.chars().take(5).collect::<String>()),
            },
        )
        .left(&["Obj.", "Type"], 5),
        column(&["pdbname", "containername"], Optional(of!(Segment.container))),
        // The section's own measure stands before its share, whatever it is called.
        column(&[], count(of!(Segment.value))).before(SHARES).needed().right(measure, 12),
        column(SHARES, number(1, of!(Segment.percent))).right(&["Pct", "Total"], 5),
    ]
}

/// Adds a table's rows to those of their order.
pub(crate) fn read_segments(report: &mut Report, order: SegmentOrder, view: &View<'_>) -> bool {
    let segments = rows(&columns(&[]), view, false).unwrap_or_default();
    if segments.is_empty() {
        return false;
    }
    let sections = report.segments.get_or_insert_default();
    match sections.iter_mut().find(|section| section.order == order) {
        Some(section) => section.segments.extend(segments),
        None => sections.push(SegmentSection { order, segments }),
    }
    true
}

pub(crate) fn write_segments(page: &mut Page<'_>) -> Result<()> {
    let report = page.report;
    for (at, PrintedSegments(order, title, measure)) in ORDERS.into_iter().enumerate() {
        let section = report.segments.iter().flatten().find(|section| section.order == order);
        if section.is_some() || at < STATSPACK_ORDERS {
            let segments = section.into_iter().flat_map(|section| &section.segments);
            print(page, title, &[], &columns(measure), Layout::Line, segments)?;
        }
    }
    Ok(())
}
