//! Statistics of each segment since the instance was started.

use std::collections::HashMap;

use common::{ObjectNumber, Result};
use scalar::Datum;
use waits::{SegmentStatistic, SegmentTotals};

use super::segments::{self, Found};
use super::view::{Rows, Scope, View, ViewContext, n, number, s, text};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$SEGMENT_STATISTICS",
        columns: &[
            text("OWNER", 128),
            text("OBJECT_NAME", 128),
            text("SUBOBJECT_NAME", 128),
            text("TABLESPACE_NAME", 30),
            number("TS#"),
            number("OBJ#"),
            number("DATAOBJ#"),
            text("OBJECT_TYPE", 18),
            text("STATISTIC_NAME", 64),
            number("STATISTIC#"),
            number("VALUE"),
        ],
        rows: |cx, rows| {
            each(cx, rows, |found| {
                let segment = &found.segment;
                vec![
                    s(&found.owner),
                    s(&found.name),
                    Datum::Null,
                    s(segment.tablespace().name()),
                    n(segment.tablespace().number().0),
                    n(segment.object().0),
                    n(segment.data_object().0),
                    s(found.kind),
                ]
            })
        },
    },
    View {
        name: "V$SEGSTAT",
        columns: &[
            number("TS#"),
            number("OBJ#"),
            number("DATAOBJ#"),
            text("STATISTIC_NAME", 64),
            number("STATISTIC#"),
            number("VALUE"),
        ],
        rows: |cx, rows| {
            each(cx, rows, |found| {
                let segment = &found.segment;
                vec![n(segment.tablespace().number().0), n(segment.object().0), n(segment.data_object().0)]
            })
        },
    },
    View {
        name: "V$SEGSTAT_NAME",
        columns: &[number("STATISTIC#"), text("NAME", 64), text("SAMPLED", 3)],
        rows: |_, rows| {
            SegmentStatistic::ALL
                .into_iter()
                .try_for_each(|statistic| rows.add(&[n(statistic.number()), s(statistic.name()), s("NO")]))
        },
    },
];

/// A row for each statistic of each used segment: `place` gives the segment's columns; then the statistic and its
/// value.
fn each(cx: &ViewContext, rows: &mut Rows, place: impl Fn(&Found) -> Vec<Datum>) -> Result<()> {
    let used: HashMap<ObjectNumber, SegmentTotals> =
        cx.session.instance().system_meter().segments().into_iter().collect();
    for found in segments::all(cx, Scope::Dba) {
        let Some(totals) = used.get(&found.segment.data_object()) else { continue };
        for statistic in SegmentStatistic::ALL {
            let mut row = place(&found);
            row.extend([s(statistic.name()), n(statistic.number()), n(totals.value(statistic))]);
            rows.add(&row)?;
        }
    }
    Ok(())
}
