//! Sessions and processes, including background processes.

use engine::instance::{SessionFigures, SessionKind, SessionStatus};
use scalar::Datum;

use super::locks::Waiters;
use super::session_wait::{OfSession, wait_columns};
use super::transactions::{address, live, session_address};
use super::view::{Column, Table, View, date, maybe, n, number, raw, s, text, unless_zero};

/// A session, its transaction's address, and the sessions that it waits for: the next one, and the last of the chain.
struct SessionRow {
    figures: SessionFigures,
    user: Option<u32>,
    transaction: Option<Vec<u8>>,
    holder: Option<u32>,
    last_holder: Option<u32>,
}

impl OfSession for SessionRow {
    fn figures(&self) -> &SessionFigures {
        &self.figures
    }
}

impl SessionRow {
    fn blocking_status(&self, holder: Option<u32>) -> Datum {
        s(match holder {
            // A transaction left by a crash has no session to show.
            Some(0) => "UNKNOWN",
            Some(_) => "VALID",
            None if self.figures.wait.is_some() => "NO HOLDER",
            None => "NOT IN WAIT",
        })
    }
}

fn blocker(holder: Option<u32>) -> Option<u32> {
    holder.filter(|sid| *sid != 0)
}

fn sql_id(statement: Option<&str>) -> Datum {
    maybe(statement, |text| s(waits::sql_id(text)))
}

fn sql_hash(statement: Option<&str>) -> Datum {
    maybe(statement, |text| n(waits::sql_hash(text)))
}

const SESSIONS: &[Column<SessionRow>] = &[
    raw("SADDR", 8, |row| Datum::Raw(session_address(row.figures.sid))),
    number("SID", |row| n(row.figures.sid)),
    number("SERIAL#", |row| n(row.figures.serial)),
    // Background processes have none of their own.
    number("AUDSID", |row| n(if is_users(&row.figures) { row.figures.serial } else { 0 })),
    raw("PADDR", 8, |row| Datum::Raw(process_address(&row.figures))),
    number("USER#", |row| maybe(row.user, n)),
    text("USERNAME", 128, |row| maybe(is_users(&row.figures).then_some(&row.figures.user), s)),
    text("TADDR", 16, |row| maybe(row.transaction.as_ref(), |address| s(hexadecimal(address)))),
    text("STATUS", 8, |row| s(status(row.figures.status))),
    text("SCHEMANAME", 128, |row| s(&row.figures.user)),
    text("PROCESS", 24, |_| s(std::process::id().to_string())),
    text("PROGRAM", 48, |row| s(&row.figures.program)),
    text("TYPE", 10, |row| {
        s(match row.figures.kind {
            SessionKind::User => "USER",
            SessionKind::Recursive => "RECURSIVE",
            SessionKind::Background => "BACKGROUND",
        })
    }),
    text("SQL_ID", 13, |row| sql_id(row.figures.statement.as_deref())),
    number("SQL_HASH_VALUE", |row| sql_hash(row.figures.statement.as_deref())),
    text("PREV_SQL_ID", 13, |row| sql_id(row.figures.previous_statement.as_deref())),
    number("PREV_HASH_VALUE", |row| sql_hash(row.figures.previous_statement.as_deref())),
    text("MODULE", 64, |row| maybe(row.figures.work.module.as_ref(), s)),
    text("ACTION", 64, |row| maybe(row.figures.work.action.as_ref(), s)),
    text("CLIENT_INFO", 64, |row| maybe(row.figures.work.client_info.as_ref(), s)),
    text("CLIENT_IDENTIFIER", 64, |row| maybe(row.figures.work.client_identifier.as_ref(), s)),
    date("LOGON_TIME", |row| unless_zero(row.figures.logon_us)),
    number("LAST_CALL_ET", |row| n(row.figures.since_call_us / 1_000_000)),
    number("ROW_WAIT_OBJ#", |row| maybe(row.figures.wait.filter(|wait| wait.object >= 0), |wait| n(wait.object))),
    text("BLOCKING_SESSION_STATUS", 11, |row| row.blocking_status(row.holder)),
    number("BLOCKING_INSTANCE", |row| maybe(blocker(row.holder), |_| n(1))),
    number("BLOCKING_SESSION", |row| maybe(blocker(row.holder), n)),
    text("FINAL_BLOCKING_SESSION_STATUS", 11, |row| row.blocking_status(row.last_holder)),
    number("FINAL_BLOCKING_INSTANCE", |row| maybe(blocker(row.last_holder), |_| n(1))),
    number("FINAL_BLOCKING_SESSION", |row| maybe(blocker(row.last_holder), n)),
];

const PROCESSES: &[Column<SessionFigures>] = &[
    raw("ADDR", 8, |process| Datum::Raw(process_address(process))),
    number("PID", |process| n(process.process.0)),
    text("SPID", 24, |_| s(std::process::id().to_string())),
    text("STID", 24, |process| maybe(process.thread, |thread| s(thread.0.to_string()))),
    text("PNAME", 5, |process| maybe((!is_users(process)).then(|| process.program.to_uppercase()), s)),
    text("USERNAME", 15, |process| s(&process.user)),
    number("SERIAL#", |process| n(process.serial)),
    text("PROGRAM", 48, |process| s(&process.program)),
    text("BACKGROUND", 1, |process| maybe((!is_users(process)).then_some("1"), s)),
];

pub(crate) const VIEWS: &[&dyn View] = &[
    &Table::new("V$SESSION", &[SESSIONS, &wait_columns()], |cx, each| {
        let instance = cx.session.instance();
        let (waiters, live) = (Waiters::now(instance), live(instance));
        instance.sessions().into_iter().try_for_each(|figures| {
            let transaction = live.iter().find(|transaction| transaction.sid == figures.sid);
            each(SessionRow {
                user: cx.catalog.user(&figures.user).map(|user| user.number.0),
                transaction: transaction.map(|transaction| address(transaction.xid)),
                holder: waiters.of(figures.sid).map(|waiter| waiter.holder),
                last_holder: waiters.last_holder(figures.sid),
                figures,
            })
        })
    }),
    &Table::new("V$PROCESS", &[PROCESSES], |cx, each| cx.session.instance().sessions().into_iter().try_for_each(each)),
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

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}
