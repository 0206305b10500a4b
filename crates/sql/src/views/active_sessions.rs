//! Samples of active sessions.

use scalar::Datum;
use waits::ActiveSessionSample;

use super::transactions::packed;
use super::view::{View, maybe, n, number, raw, s, text, timestamp};
use crate::cursor::context::local_time;

pub(crate) const VIEWS: &[View] = &[View {
    name: "V$ACTIVE_SESSION_HISTORY",
    columns: &[
        number("SAMPLE_ID"),
        timestamp("SAMPLE_TIME"),
        number("SESSION_ID"),
        number("SESSION_SERIAL#"),
        text("SESSION_TYPE", 10),
        number("USER_ID"),
        text("SQL_ID", 13),
        text("EVENT", 64),
        number("EVENT_ID"),
        number("EVENT#"),
        text("P1TEXT", 64),
        number("P1"),
        text("P2TEXT", 64),
        number("P2"),
        text("P3TEXT", 64),
        number("P3"),
        text("WAIT_CLASS", 64),
        text("SESSION_STATE", 7),
        number("TIME_WAITED"),
        text("BLOCKING_SESSION_STATUS", 11),
        number("BLOCKING_SESSION"),
        number("CURRENT_OBJ#"),
        text("PROGRAM", 48),
        text("MODULE", 64),
        text("ACTION", 64),
        raw("XID", 8),
    ],
    rows: |cx, rows| {
        cx.session.instance().active_sessions().since(0).iter().try_for_each(|sample| {
            let mut values = vec![
                n(sample.sample),
                Datum::timestamp(&local_time(sample.taken_us)?),
                n(sample.sid),
                n(sample.serial),
                s(if sample.background { "BACKGROUND" } else { "FOREGROUND" }),
                maybe(cx.catalog.user(&sample.user), |user| n(user.number.0)),
                maybe(sample.sql_id.as_ref(), s),
            ];
            values.extend(wait_columns(sample));
            values.extend(blocker_columns(sample));
            values.extend([
                n(sample.object),
                s(&sample.program),
                maybe(sample.module.as_ref(), s),
                maybe(sample.action.as_ref(), s),
                maybe(sample.xid, |xid| Datum::Raw(packed(xid))),
            ]);
            rows.add(&values)
        })
    },
}];

/// EVENT to TIME_WAITED. A session without a wait was on the processor, or ready to run.
fn wait_columns(sample: &ActiveSessionSample) -> Vec<Datum> {
    let Some((event, parameters)) = sample.wait else {
        let mut values = vec![Datum::Null; 10];
        values.extend([s("ON CPU"), n(0)]);
        return values;
    };
    let mut values = vec![s(event.name()), n(waits::sql_hash(event.name())), n(event.number())];
    for (name, value) in event.parameters().iter().zip(parameters) {
        values.extend([s(name), n(value)]);
    }
    values.extend([s(event.class().name()), s("WAITING"), n(sample.waited_us)]);
    values
}

/// Status and session of the blocker.
fn blocker_columns(sample: &ActiveSessionSample) -> [Datum; 2] {
    match sample.blocking_session {
        Some(0) => [s("UNKNOWN"), Datum::Null],
        Some(sid) => [s("VALID"), n(sid)],
        None => [s(if sample.wait.is_some() { "NO HOLDER" } else { "NOT IN WAIT" }), Datum::Null],
    }
}
