//! Sessions and processes.

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
            text("EVENT", 64),
        ],
        rows: |cx, rows| {
            let process = std::process::id().to_string();
            for session in cx.database.sessions() {
                let user = session.user();
                let number = cx.catalog.user(&user).map(|user| user.number.0);
                let asking = session.sid() == cx.session.sid();
                let wait = session.meter().current_wait();
                rows.add(&[
                    n(session.sid()),
                    n(session.meter().serial()),
                    n(session.meter().serial()),
                    maybe(number, n),
                    s(&user),
                    s(if asking || wait.is_some() { "ACTIVE" } else { "INACTIVE" }),
                    s(&user),
                    s(&process),
                    s("highwater"),
                    s("USER"),
                    at(session.logon_us())?,
                    maybe(wait, |wait| s(wait.event.name())),
                ])?;
            }
            Ok(())
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
