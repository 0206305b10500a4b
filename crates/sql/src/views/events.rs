//! Wait events by session and for the instance.

use common::Result;
use waits::{Event, EventTotals, MeterSnapshot};

use super::view::{Column, Each, Table, View, maybe, n, number, s, text};

const NAMES: &[Column<Event>] = &[
    number("EVENT#", |event| n(event.number())),
    number("EVENT_ID", |event| n(waits::sql_hash(event.name()))),
    text("NAME", 64, |event| s(event.name())),
    text("PARAMETER1", 64, |event| s(event.parameters()[0])),
    text("PARAMETER2", 64, |event| s(event.parameters()[1])),
    text("PARAMETER3", 64, |event| s(event.parameters()[2])),
    number("WAIT_CLASS#", |event| n(event.class().number())),
    text("WAIT_CLASS", 64, |event| s(event.class().name())),
];

/// The waits of a session for an event; of all sessions, where there is no number.
struct Waits {
    sid: Option<u32>,
    event: Event,
    totals: EventTotals,
}

const TOTALS: &[Column<Waits>] = &[
    number("SID", |row| maybe(row.sid, n)),
    text("EVENT", 64, |row| s(row.event.name())),
    number("TOTAL_WAITS", |row| n(row.totals.waits)),
    number("TOTAL_TIMEOUTS", |row| n(row.totals.timeouts)),
    // Centiseconds.
    number("TIME_WAITED", |row| n(row.totals.micros / 10_000)),
    number("AVERAGE_WAIT", |row| n(row.totals.micros / row.totals.waits / 10_000)),
    number("MAX_WAIT", |row| n(row.totals.max_micros / 10_000)),
    number("TIME_WAITED_MICRO", |row| n(row.totals.micros)),
    number("EVENT_ID", |row| n(waits::sql_hash(row.event.name()))),
    number("WAIT_CLASS#", |row| n(row.event.class().number())),
    text("WAIT_CLASS", 64, |row| s(row.event.class().name())),
];

/// The waits of a histogram's bucket: shorter than its bound, and in no smaller bucket; in the last one all others.
struct Bucket {
    event: Event,
    bound_us: u64,
    count: u64,
}

const BUCKETS: &[Column<Bucket>] = &[
    number("EVENT#", |row| n(row.event.number())),
    text("EVENT", 64, |row| s(row.event.name())),
    number("WAIT_TIME_MICRO", |row| n(row.bound_us)),
    number("WAIT_COUNT", |row| n(row.count)),
    text("WAIT_TIME_FORMAT", 30, |row| s(readable(row.bound_us))),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$EVENT_NAME", &[NAMES], |_, each| Event::ALL.into_iter().try_for_each(each)),
    &Table::new("V$SESSION_EVENT", &[TOTALS], |cx, each| {
        let meters = cx.session.instance().meters();
        meters.iter().try_for_each(|meter| totals(Some(meter.sid()), &meter.snapshot(), each))
    }),
    &Table::new("V$SYSTEM_EVENT", &[TOTALS], |cx, each| {
        totals(None, &cx.session.instance().system_meter().snapshot(), each)
    })
    .without(&["SID"]),
    &Table::new("V$EVENT_HISTOGRAM_MICRO", &[BUCKETS], |cx, each| {
        let snapshot = cx.session.instance().system_meter().snapshot();
        for event in Event::ALL {
            let histogram = snapshot.event(event).histogram;
            // Up to the longest wait.
            let buckets = histogram.iter().rposition(|count| *count > 0).map_or(0, |longest| longest + 1);
            for (bucket, count) in histogram.iter().enumerate().take(buckets) {
                each(Bucket { event, bound_us: 1u64 << bucket, count: *count })?;
            }
        }
        Ok(())
    }),
];

/// A bound of a bucket in words: `64 microseconds`, `1 millisecond`.
fn readable(micros: u64) -> String {
    // The bounds are powers of two, and 1024 of a unit count as the next one.
    let units = ["microsecond", "millisecond", "second"];
    let unit = (micros.ilog2() as usize / 10).min(units.len() - 1);
    let count = micros >> (10 * unit);
    format!("{count} {}{}", units[unit], if count == 1 { "" } else { "s" })
}

fn totals(sid: Option<u32>, snapshot: &MeterSnapshot, each: Each<'_, Waits>) -> Result<()> {
    for event in Event::ALL {
        let totals = snapshot.event(event);
        if totals.waits > 0 {
            each(Waits { sid, event, totals })?;
        }
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
