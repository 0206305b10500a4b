//! Samples of active sessions.

use scalar::Datum;
use waits::{ActiveSessionSample, Event};

use super::transactions::packed;
use super::view::{Column, Table, View, maybe, n, number, raw, s, text, timestamp};

/// A sample, and the number of its user, who may be gone.
struct Sampled {
    sample: ActiveSessionSample,
    user: Option<u32>,
}

impl Sampled {
    fn event(&self) -> Option<Event> {
        self.sample.wait.map(|(event, _)| event)
    }

    fn parameter_name(&self, at: usize) -> Datum {
        maybe(self.event(), |event| s(event.parameters()[at]))
    }

    fn parameter(&self, at: usize) -> Datum {
        maybe(self.sample.wait, |(_, parameters)| n(parameters[at]))
    }
}

const SAMPLES: &[Column<Sampled>] = &[
    number("SAMPLE_ID", |row| n(row.sample.sample)),
    timestamp("SAMPLE_TIME", |row| Some(row.sample.taken_us)),
    number("SESSION_ID", |row| n(row.sample.sid)),
    number("SESSION_SERIAL#", |row| n(row.sample.serial)),
    text("SESSION_TYPE", 10, |row| s(if row.sample.background { "BACKGROUND" } else { "FOREGROUND" })),
    number("USER_ID", |row| maybe(row.user, n)),
    text("SQL_ID", 13, |row| maybe(row.sample.sql_id.as_ref(), s)),
    text("EVENT", 64, |row| maybe(row.event(), |event| s(event.name()))),
    number("EVENT_ID", |row| maybe(row.event(), |event| n(waits::sql_hash(event.name())))),
    number("EVENT#", |row| maybe(row.event(), |event| n(event.number()))),
    text("P1TEXT", 64, |row| row.parameter_name(0)),
    number("P1", |row| row.parameter(0)),
    text("P2TEXT", 64, |row| row.parameter_name(1)),
    number("P2", |row| row.parameter(1)),
    text("P3TEXT", 64, |row| row.parameter_name(2)),
    number("P3", |row| row.parameter(2)),
    text("WAIT_CLASS", 64, |row| maybe(row.event(), |event| s(event.class().name()))),
    // A session without a wait was on the processor, or ready to run.
    text("SESSION_STATE", 7, |row| s(if row.sample.wait.is_some() { "WAITING" } else { "ON CPU" })),
    number("TIME_WAITED", |row| n(if row.sample.wait.is_some() { row.sample.waited_us } else { 0 })),
    text("BLOCKING_SESSION_STATUS", 11, |row| {
        s(match row.sample.blocking_session {
            Some(0) => "UNKNOWN",
            Some(_) => "VALID",
            None if row.sample.wait.is_some() => "NO HOLDER",
            None => "NOT IN WAIT",
        })
    }),
    number("BLOCKING_SESSION", |row| maybe(row.sample.blocking_session.filter(|sid| *sid != 0), n)),
    number("CURRENT_OBJ#", |row| n(row.sample.object)),
    text("PROGRAM", 48, |row| s(&row.sample.program)),
    text("MODULE", 64, |row| maybe(row.sample.module.as_ref(), s)),
    text("ACTION", 64, |row| maybe(row.sample.action.as_ref(), s)),
    raw("XID", 8, |row| maybe(row.sample.xid, |xid| Datum::Raw(packed(xid)))),
];

pub(crate) const VIEWS: &[&dyn View] = &[&Table::new("V$ACTIVE_SESSION_HISTORY", &[SAMPLES], |cx, each| {
    cx.session.instance().active_sessions().since(0).into_iter().try_for_each(|sample| {
        let user = cx.catalog.user(&sample.user).map(|user| user.number.0);
        each(Sampled { sample, user })
    })
})];
