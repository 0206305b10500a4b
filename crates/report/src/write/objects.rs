//! Segments at the top of something, and the parameters.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, left, number, right, text};
use crate::model::SegmentOrder;

/// A section's title and the heading of its own measure. Those that Statspack has stand first, and say so where they
/// have no data.
const SECTIONS: [(SegmentOrder, &str, &[&str]); 7] = [
    (SegmentOrder::LogicalReads, "Segments by Logical Reads", &["Logical", "Reads"]),
    (SegmentOrder::PhysicalReads, "Segments by Physical Reads", &["Physical", "Reads"]),
    (SegmentOrder::RowLockWaits, "Segments by Row Lock Waits", &["Row", "Lock", "Waits"]),
    (SegmentOrder::ItlWaits, "Segments by ITL Waits", &["ITL", "Waits"]),
    (SegmentOrder::BufferBusyWaits, "Segments by Buffer Busy Waits", &["Buffer", "Busy", "Waits"]),
    (SegmentOrder::PhysicalWrites, "Segments by Physical Writes", &["Physical", "Writes"]),
    (SegmentOrder::BlockChanges, "Segments by DB Blocks Changes", &["DB Block", "Changes"]),
];

const STATSPACK_SECTIONS: usize = 5;

pub(super) fn segments(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    for (at, (order, title, measure)) in SECTIONS.into_iter().enumerate() {
        let columns: [Column; 7] = [
            left(&["Owner"], 10),
            left(&["Tablespace"], 10),
            left(&["Object Name"], 20),
            left(&["Subobject", "Name"], 12),
            left(&["Obj.", "Type"], 5),
            right(measure, 12),
            right(&["Pct", "Total"], 5),
        ];
        let list = report.segments.iter().flatten().find(|list| list.order == order);
        if list.is_none() && at >= STATSPACK_SECTIONS {
            continue;
        }
        let rows: Vec<Vec<_>> = list
            .into_iter()
            .flat_map(|list| &list.segments)
            .map(|segment| {
                vec![
                    text(segment.owner.clone()),
                    text(segment.tablespace.clone()),
                    text(segment.object.clone()),
                    text(segment.subobject.clone().unwrap_or_default()),
                    text(segment.object_type.chars().take(5).collect::<String>()),
                    count(segment.value),
                    number(segment.percent, 1),
                ]
            })
            .collect();
        page.section(title, &[], &columns, &rows)?;
    }
    Ok(())
}

pub(super) fn parameters(page: &mut Page<'_, impl Write>) -> Result<()> {
    const PARAMETERS: [Column; 3] =
        [left(&["Parameter Name"], 29), left(&["Begin value"], 33), left(&["End value", "(if different)"], 14)];
    let rows: Vec<Vec<_>> = page
        .report
        .parameters
        .iter()
        .flatten()
        .map(|parameter| {
            vec![
                text(parameter.name.clone()),
                text(parameter.value.clone()),
                text(parameter.end.clone().unwrap_or_default()),
            ]
        })
        .collect();
    page.section("init.ora Parameters", &[], &PARAMETERS, &rows)
}
