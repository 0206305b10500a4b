//! Sessions and processes, including background processes.

use engine::instance::{SessionFigures, SessionKind, SessionStatus};
use scalar::Datum;

use super::locks::Waiters;
use super::session_wait::wait_columns;
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
            raw("PADDR", 8),
            number("USER#"),
            text("USERNAME", 128),
            text("TADDR", 16),
            text("STATUS", 8),
            text("SCHEMANAME", 128),
            text("PROCESS", 24),
            text("PROGRAM", 48),
            text("TYPE", 10),
            text("SQL_ID", 13),
            number("SQL_HASH_VALUE"),
            text("PREV_SQL_ID", 13),
            number("PREV_HASH_VALUE"),
            text("MODULE", 64),
            text("ACTION", 64),
            text("CLIENT_INFO", 64),
            text("CLIENT_IDENTIFIER", 64),
            date("LOGON_TIME"),
            number("LAST_CALL_ET"),
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
            number("TIME_SINCE_LAST_WAIT_MICRO"),
        ],
        rows: |cx, rows| {
            let process = std::process::id().to_string();
            let instance = cx.session.instance();
            let (waiters, live) = (Waiters::now(instance), live(instance));
            instance.sessions().iter().try_for_each(|session| {
                let user = is_users(session).then_some(&session.user);
                let transaction = live.iter().find(|transaction| transaction.sid == session.sid);
                let waits = session.wait.is_some();
                let mut values = vec![
                    Datum::Raw(session_address(session.sid)),
                    n(session.sid),
                    n(session.serial),
                    // Background processes have none of their own.
                    n(if is_users(session) { session.serial } else { 0 }),
                    Datum::Raw(process_address(session)),
                    maybe(cx.catalog.user(&session.user), |user| n(user.number.0)),
                    maybe(user, s),
                    maybe(transaction, |transaction| s(hexadecimal(&address(transaction.xid)))),
                    s(status(session.status)),
                    s(&session.user),
                    s(&process),
                    s(&session.program),
                    s(match session.kind {
                        SessionKind::User => "USER",
                        SessionKind::Recursive => "RECURSIVE",
                        SessionKind::Background => "BACKGROUND",
                    }),
                ];
                for statement in [&session.statement, &session.previous_statement] {
                    let statement = statement.as_deref();
                    values.push(maybe(statement, |text| s(waits::sql_id(text))));
                    values.push(maybe(statement, |text| n(waits::sql_hash(text))));
                }
                let work = &session.work;
                let said = [&work.module, &work.action, &work.client_info, &work.client_identifier];
                values.extend(said.map(|text| maybe(text.as_ref(), s)));
                values.extend([
                    at(session.logon_us)?,
                    n(session.since_call_us / 1_000_000),
                    maybe(session.wait.filter(|wait| wait.object >= 0), |wait| n(wait.object)),
                ]);
                let holder = waiters.of(session.sid).map(|waiter| waiter.holder);
                values.extend(blocker_columns(holder, waits));
                values.extend(blocker_columns(waiters.last_holder(session.sid), waits));
                values.extend(wait_columns(session));
                rows.add(&values)
            })
        },
    },
    View {
        name: "V$PROCESS",
        columns: &[
            raw("ADDR", 8),
            number("PID"),
            text("SPID", 24),
            text("STID", 24),
            text("PNAME", 5),
            text("USERNAME", 15),
            number("SERIAL#"),
            text("PROGRAM", 48),
            text("BACKGROUND", 1),
        ],
        rows: |cx, rows| {
            let process = std::process::id().to_string();
            cx.session.instance().sessions().iter().try_for_each(|session| {
                let background = !is_users(session);
                rows.add(&[
                    Datum::Raw(process_address(session)),
                    n(session.process.0),
                    s(&process),
                    maybe(session.thread, |thread| s(thread.0.to_string())),
                    maybe(background.then(|| session.program.to_uppercase()), s),
                    s(&session.user),
                    n(session.serial),
                    s(&session.program),
                    maybe(background.then_some("1"), s),
                ])
            })
        },
    },
];

fn is_users(session: &SessionFigures) -> bool {
    session.kind != SessionKind::Background
}

fn status(status: SessionStatus) -> &'static str {
    match status {
        SessionStatus::Active => "ACTIVE",
        SessionStatus::Inactive => "INACTIVE",
        SessionStatus::Killed => "KILLED",
    }
}

/// V$PROCESS.ADDR, made like [`session_address`].
fn process_address(session: &SessionFigures) -> Vec<u8> {
    u64::from(session.process.0).to_be_bytes().to_vec()
}

/// Status, instance and session of a blocker. A transaction left by a crash has no session to show.
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
