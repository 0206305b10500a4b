//! Statistics of each segment since the instance was started.

use std::collections::HashMap;
use std::sync::Arc;

use common::{ObjectNumber, Result};
use scalar::Datum;
use waits::{SegmentStatistic, SegmentTotals};

use super::segments::{self, FoundSegment};
use super::view::{Column, Each, Scope, Table, View, ViewContext, n, number, s, text};

/// A statistic of a used segment.
struct Figure {
    found: Arc<FoundSegment>,
    statistic: SegmentStatistic,
    value: u64,
}

const NAMES: &[Column<Figure>] = &[
    text("OWNER", 128, |row| s(&row.found.owner)),
    text("OBJECT_NAME", 128, |row| s(&row.found.name)),
    text("SUBOBJECT_NAME", 128, |_| Datum::Null),
    text("TABLESPACE_NAME", 30, |row| s(row.found.segment.tablespace().name())),
];

const NUMBERS: &[Column<Figure>] = &[
    number("TS#", |row| n(row.found.segment.tablespace().number().0)),
    number("OBJ#", |row| n(row.found.segment.object().0)),
    number("DATAOBJ#", |row| n(row.found.segment.data_object().0)),
];

const TYPE: &[Column<Figure>] = &[text("OBJECT_TYPE", 18, |row| s(row.found.kind))];

const STATISTIC: &[Column<Figure>] = &[
    text("STATISTIC_NAME", 64, |row| s(row.statistic.name())),
    number("STATISTIC#", |row| n(row.statistic.number())),
    number("VALUE", |row| n(row.value)),
];

const STATISTICS: &[Column<SegmentStatistic>] = &[
    number("STATISTIC#", |statistic| n(statistic.number())),
    text("NAME", 64, |statistic| s(statistic.name())),
    text("SAMPLED", 3, |_| s("NO")),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$SEGMENT_STATISTICS", &[NAMES, NUMBERS, TYPE, STATISTIC], figures),
    &Table::new("V$SEGSTAT", &[NUMBERS, STATISTIC], figures),
    &Table::new("V$SEGSTAT_NAME", &[STATISTICS], |_, each| SegmentStatistic::ALL.into_iter().try_for_each(each)),
];

/// Each statistic of each used segment.
fn figures(cx: &ViewContext, each: Each<'_, Figure>) -> Result<()> {
    let used: HashMap<ObjectNumber, SegmentTotals> =
        cx.session.instance().system_meter().segments().into_iter().collect();
    for found in segments::all(cx, Scope::Dba) {
        let Some(totals) = used.get(&found.segment.data_object()) else { continue };
        let found = Arc::new(found);
        for statistic in SegmentStatistic::ALL {
            each(Figure { found: Arc::clone(&found), statistic, value: totals.value(statistic) })?;
        }
    }
    Ok(())
}
