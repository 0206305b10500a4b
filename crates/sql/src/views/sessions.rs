//! Sessions, what they wait for, and processes.

use std::sync::Arc;

use common::Result;
use engine::instance::Session;
use scalar::Datum;
use waits::CurrentWait;

use super::locks::Waiters;
use super::transactions::{address, live, session_address};
use super::view::{View, at, date, maybe, n, number, raw, s, text};

pub(crate) const VIEWS: &[View] = &[
    View {
        name: "V$SESSION",
        columns: &[
            raw("SADDR", 8),
            number("SID"),
            number("SERIAL#"),
            number("AUDSID"),
            number("USER#"),
            text("USERNAME", 128),
            text("TADDR", 16),
            text("STATUS", 8),
            text("SCHEMANAME", 128),
            text("PROCESS", 24),
            text("PROGRAM", 48),
            text("TYPE", 10),
            date("LOGON_TIME"),
            number("ROW_WAIT_OBJ#"),
            text("BLOCKING_SESSION_STATUS", 11),
            number("BLOCKING_INSTANCE"),
            number("BLOCKING_SESSION"),
            text("FINAL_BLOCKING_SESSION_STATUS", 11),
            number("FINAL_BLOCKING_INSTANCE"),
            number("FINAL_BLOCKING_SESSION"),
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
            let (waiters, live) = (Waiters::now(cx.session.instance()), live(cx.session.instance()));
            cx.database.sessions().iter().try_for_each(|session| {
                let user = session.user();
                let number = cx.catalog.user(&user).map(|user| user.number.0);
                let wait = session.meter().current_wait();
                let transaction = live.iter().find(|transaction| transaction.sid == session.sid());
                let mut values = vec![
                    Datum::Raw(session_address(session.sid())),
                    n(session.sid()),
                    n(session.meter().serial()),
                    n(session.meter().serial()),
                    maybe(number, n),
                    s(&user),
                    maybe(transaction, |transaction| s(hexadecimal(&address(transaction.xid)))),
                    s(if session.in_call() { "ACTIVE" } else { "INACTIVE" }),
                    s(&user),
                    s(&process),
                    s("highwater"),
                    s("USER"),
                    at(session.logon_us())?,
                    maybe(wait.filter(|wait| wait.object >= 0), |wait| n(wait.object)),
                ];
                let holder = waiters.of(session.sid()).map(|waiter| waiter.holder);
                values.extend(blocker_columns(holder, wait.is_some()));
                values.extend(blocker_columns(waiters.last_holder(session.sid()), wait.is_some()));
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

/// Status, instance and session of a blocker. What a crash has left is rolled back by no session that is shown.
fn blocker_columns(holder: Option<u32>, waits: bool) -> [Datum; 3] {
    match holder {
        Some(0) => [s("UNKNOWN"), Datum::Null, Datum::Null],
        Some(sid) => [s("VALID"), n(1), n(sid)],
        None => [s(if waits { "NO HOLDER" } else { "NOT IN WAIT" }), Datum::Null, Datum::Null],
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

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
