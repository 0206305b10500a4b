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
            let meters = cx.session.instance().meters();
            meters.iter().try_for_each(|meter| totals(Some(meter.sid()), &meter.snapshot(), rows))
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
    View {
        name: "V$EVENT_HISTOGRAM_MICRO",
        columns: &[
            number("EVENT#"),
            text("EVENT", 64),
            number("WAIT_TIME_MICRO"),
            number("WAIT_COUNT"),
            text("WAIT_TIME_FORMAT", 30),
        ],
        rows: |cx, rows| {
            let snapshot = cx.session.instance().system_meter().snapshot();
            for event in Event::ALL {
                let histogram = snapshot.event(event).histogram;
                // Up to the longest wait.
                let buckets = histogram.iter().rposition(|count| *count > 0).map_or(0, |longest| longest + 1);
                for (bucket, count) in histogram.iter().enumerate().take(buckets) {
                    // Waits shorter than this that are in no smaller bucket; in the last one all others.
                    let bound_us = 1u64 << bucket;
                    rows.add(&[n(event.number()), s(event.name()), n(bound_us), n(*count), s(readable(bound_us))])?;
                }
            }
            Ok(())
        },
    },
];

/// A bound of a bucket in words: `64 microseconds`, `1 millisecond`.
fn readable(micros: u64) -> String {
    // The bounds are powers of two, and 1024 of a unit count as the next one.
    let units = ["microsecond", "millisecond", "second"];
    let unit = (micros.ilog2() as usize / 10).min(units.len() - 1);
    let count = micros >> (10 * unit);
    format!("{count} {}{}", units[unit], if count == 1 { "" } else { "s" })
}

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

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn bounds_of_buckets_are_in_the_largest_unit_that_fits() {
        let shown = [0, 1, 9, 10, 19, 20, 26, 31].map(|bucket| readable(1 << bucket));
        assert_eq!(
            shown,
            [
                "1 microsecond",
                "2 microseconds",
                "512 microseconds",
                "1 millisecond",
                "512 milliseconds",
                "1 second",
                "64 seconds",
                "2048 seconds"
            ]
        );
    }
}
