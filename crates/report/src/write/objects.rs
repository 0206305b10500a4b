//! Segments at the top of something, and the parameters.

use std::io::{Result, Write};

use super::layout::{Column, Page, count, left, number, right};
use crate::model::SegmentOrder;

/// The title, and the heading of the section's own measure; None for what Statspack has no section for.
fn section(order: SegmentOrder) -> Option<(&'static str, &'static [&'static str])> {
    Some(match order {
        SegmentOrder::LogicalReads => ("Segments by Logical Reads", &["Logical", "Reads"]),
        SegmentOrder::PhysicalReads => ("Segments by Physical Reads", &["Physical", "Reads"]),
        SegmentOrder::PhysicalWrites => ("Segments by Physical Writes", &["Physical", "Writes"]),
        SegmentOrder::BlockChanges => ("Segments by DB Blocks Changes", &["DB Block", "Changes"]),
        SegmentOrder::RowLockWaits => ("Segments by Row Lock Waits", &["Row Lock", "Waits"]),
        SegmentOrder::ItlWaits => ("Segments by ITL Waits", &["ITL", "Waits"]),
        SegmentOrder::BufferBusyWaits => ("Segments by Buffer Busy Waits", &["Buffer Busy", "Waits"]),
        _ => return None,
    })
}

pub(super) fn write(page: &mut Page<'_, impl Write>) -> Result<()> {
    let report = page.report;
    for list in report.segments.iter().flatten() {
        let Some((title, measure)) = section(list.order) else { continue };
        let columns: [Column; 7] = [
            left(&["Owner"], 10),
            left(&["Tablespace"], 10),
            left(&["Object Name"], 20),
            left(&["Subobject", "Name"], 12),
            left(&["Obj.", "Type"], 5),
            right(measure, 12),
            right(&["Pct", "Total"], 5),
        ];
        let rows: Vec<Vec<String>> = list
            .segments
            .iter()
            .map(|segment| {
                vec![
                    segment.owner.clone(),
                    segment.tablespace.clone(),
                    segment.object.clone(),
                    segment.subobject.clone().unwrap_or_default(),
                    segment.object_type.clone(),
                    count(segment.value),
                    number(segment.percent, 1),
                ]
            })
            .collect();
        page.section(title, &columns, &rows)?;
    }
    const PARAMETERS: [Column; 3] =
        [left(&["Parameter Name"], 29), left(&["Begin value"], 33), left(&["End value", "(if different)"], 14)];
    let rows: Vec<Vec<String>> = report
        .parameters
        .iter()
        .flatten()
        .map(|parameter| {
            vec![parameter.name.clone(), parameter.value.clone(), parameter.end.clone().unwrap_or_default()]
        })
        .collect();
    page.section("init.ora Parameters", &PARAMETERS, &rows)
}
