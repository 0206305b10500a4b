//! Wait events by session and for the instance.

use common::Result;
use waits::{Event, MeterSnapshot};

use super::view::{Rows, View, ViewColumn, n, number, s, text};

const TOTALS: &[ViewColumn] = &[
    number("SID"),
    text("EVENT", 64),
    number("TOTAL_WAITS"),
    number("TOTAL_TIMEOUTS"),
    number("TIME_WAITED"),
    number("AVERAGE_WAIT"),
    number("MAX_WAIT"),
    number("TIME_WAITED_MICRO"),
    number("EVENT_ID"),
    number("WAIT_CLASS#"),
    text("WAIT_CLASS", 64),
];

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$EVENT_NAME",
        columns: &[
            number("EVENT#"),
            number("EVENT_ID"),
            text("NAME", 64),
            text("PARAMETER1", 64),
            text("PARAMETER2", 64),
            text("PARAMETER3", 64),
            number("WAIT_CLASS#"),
            text("WAIT_CLASS", 64),
        ],
        rows: |_, rows| {
            Event::ALL.iter().try_for_each(|event| {
                let [p1, p2, p3] = event.parameters();
                rows.add(&[
                    n(event.number()),
                    n(waits::sql_hash(event.name())),
                    s(event.name()),
                    s(p1),
                    s(p2),
                    s(p3),
                    n(event.class().number()),
                    s(event.class().name()),
                ])
            })
        },
    },
    View {
        name: "V$SESSION_EVENT",
        columns: TOTALS,
        rows: |cx, rows| {
            let sessions = cx.database.sessions();
            sessions.iter().try_for_each(|one| totals(Some(one.sid()), &one.meter().snapshot(), rows))
        },
    },
    View {
        name: "V$SYSTEM_EVENT",
        columns: match TOTALS.split_first() {
            Some((_, rest)) => rest,
            None => TOTALS,
        },
        rows: |cx, rows| totals(None, &cx.session.instance().system_meter().snapshot(), rows),
    },
];

fn totals(sid: Option<u32>, snapshot: &MeterSnapshot, rows: &mut Rows) -> Result<()> {
    for event in Event::ALL {
        let totals = snapshot.event(event);
        if totals.waits == 0 {
            continue;
        }
        let centiseconds = totals.micros / 10_000;
        let mut row = Vec::new();
        row.extend(sid.map(n));
        row.extend([
            s(event.name()),
            n(totals.waits),
            n(totals.timeouts),
            n(centiseconds),
            n(totals.micros / totals.waits / 10_000),
            n(totals.max_micros / 10_000),
            n(totals.micros),
            n(waits::sql_hash(event.name())),
            n(event.class().number()),
            s(event.class().name()),
        ]);
        rows.add(&row)?;
    }
    Ok(())
}
