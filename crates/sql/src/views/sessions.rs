//! Sessions, what they wait for, and processes.

use std::sync::Arc;

use common::Result;
use engine::instance::Session;
use scalar::Datum;
use waits::CurrentWait;

use super::view::{View, at, date, maybe, n, number, s, text};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$SESSION",
        columns: &[
            number("SID"),
            number("SERIAL#"),
            number("AUDSID"),
            number("USER#"),
            text("USERNAME", 128),
            text("STATUS", 8),
            text("SCHEMANAME", 128),
            text("PROCESS", 24),
            text("PROGRAM", 48),
            text("TYPE", 10),
            date("LOGON_TIME"),
            number("ROW_WAIT_OBJ#"),
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
        ],
        rows: |cx, rows| {
            let process = std::process::id().to_string();
            cx.database.sessions().iter().try_for_each(|session| {
                let user = session.user();
                let number = cx.catalog.user(&user).map(|user| user.number.0);
                let wait = session.meter().current_wait();
                let mut values = vec![
                    n(session.sid()),
                    n(session.meter().serial()),
                    n(session.meter().serial()),
                    maybe(number, n),
                    s(&user),
                    s(if session.in_call() { "ACTIVE" } else { "INACTIVE" }),
                    s(&user),
                    s(&process),
                    s("highwater"),
                    s("USER"),
                    at(session.logon_us())?,
                    maybe(wait.filter(|wait| wait.object >= 0), |wait| n(wait.object)),
                ];
                values.extend(wait_columns(session, wait.as_ref()));
                rows.add(&values)
            })
        },
    },
    View {
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
        ],
        rows: |cx, rows| {
            cx.database.sessions().iter().try_for_each(|session| -> Result<()> {
                let mut values = vec![n(session.sid())];
                values.extend(wait_columns(session, session.meter().current_wait().as_ref()));
                rows.add(&values)
            })
        },
    },
    View {
        name: "V$PROCESS",
        columns: &[number("PID"), text("SPID", 24)],
        rows: |cx, rows| {
            let process = std::process::id().to_string();
            cx.session.instance().processes().iter().try_for_each(|pid| rows.add(&[n(pid.0), s(&process)]))
        },
    },
];

/// EVENT# to WAIT_TIME_MICRO. They are NULL where the session waits for nothing: what it waited for last is not kept.
fn wait_columns(session: &Arc<Session>, wait: Option<&CurrentWait>) -> Vec<Datum> {
    let Some(CurrentWait { event, parameters, since_us, .. }) = wait else { return vec![Datum::Null; 14] };
    let micros = session.meter().clock().monotonic_us().saturating_sub(*since_us);
    let mut values = vec![n(event.number()), s(event.name())];
    for (name, value) in event.parameters().iter().zip(parameters) {
        values.extend([s(name), n(*value)]);
    }
    let class = event.class();
    // A WAIT_TIME of 0 says that the wait is not over.
    values.extend([n(class.number()), s(class.name()), n(0), n(micros / 1_000_000), s("WAITING"), n(micros)]);
    values
}
