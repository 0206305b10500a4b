//! Current and last waits of sessions.

use engine::instance::SessionFigures;
use scalar::Datum;
use waits::Event;

use super::view::{View, n, number, s, text};

/// Microseconds in the unit of V$SESSION.WAIT_TIME.
const CENTISECOND_US: u64 = 10_000;

pub(crate) const VIEWS: &[View] = &[View {
    name: "V$SESSION_WAIT",
    columns: &[
        number("SID"),
        number("EVENT#"),
        text("EVENT", 64),
        text("P1TEXT", 64),
        number("P1"),
        text("P2TEXT", 64),
        number("P2"),
        text("P3TEXT", 64),
        number("P3"),
        number("WAIT_CLASS#"),
        text("WAIT_CLASS", 64),
        number("WAIT_TIME"),
        number("SECONDS_IN_WAIT"),
        text("STATE", 19),
        number("WAIT_TIME_MICRO"),
        number("TIME_SINCE_LAST_WAIT_MICRO"),
    ],
    rows: |cx, rows| {
        cx.session.instance().sessions().iter().try_for_each(|session| {
            let mut values = vec![n(session.sid)];
            values.extend(wait_columns(session));
            rows.add(&values)
        })
    },
}];

/// EVENT# to TIME_SINCE_LAST_WAIT_MICRO; NULL where the session has never waited.
pub(super) fn wait_columns(session: &SessionFigures) -> Vec<Datum> {
    if let Some(wait) = session.wait {
        let mut values = event_columns(wait.event, wait.parameters);
        // A WAIT_TIME of 0 says that the wait is not over.
        values.extend([n(0), n(session.waiting_us / 1_000_000), s("WAITING"), n(session.waiting_us), n(0)]);
        return values;
    }
    let Some(last) = session.last_wait else { return vec![Datum::Null; 15] };
    let mut values = event_columns(last.event, last.parameters);
    let short = last.micros < CENTISECOND_US;
    values.extend([
        if short { Datum::integer(-1) } else { n(last.micros / CENTISECOND_US) },
        n((session.since_wait_us + last.micros) / 1_000_000),
        s(if short { "WAITED SHORT TIME" } else { "WAITED KNOWN TIME" }),
        n(last.micros),
        n(session.since_wait_us),
    ]);
    values
}

fn event_columns(event: Event, parameters: [u64; 3]) -> Vec<Datum> {
    let mut values = vec![n(event.number()), s(event.name())];
    for (name, value) in event.parameters().iter().zip(parameters) {
        values.extend([s(name), n(value)]);
    }
    values.extend([n(event.class().number()), s(event.class().name())]);
    values
}
