//! Current and last waits of sessions.

use engine::instance::SessionFigures;
use scalar::Datum;
use waits::Event;

use super::view::{Column, Table, View, maybe, n, number, s, text};

/// Microseconds in the unit of V$SESSION.WAIT_TIME.
const CENTISECOND_US: u64 = 10_000;

/// A row of a session.
pub(super) trait OfSession {
    fn figures(&self) -> &SessionFigures;

    /// The event that the session waits for or has waited for, with its parameters; None where it has never waited.
    fn waited(&self) -> Option<(Event, [u64; 3])> {
        let figures = self.figures();
        let current = figures.wait.map(|wait| (wait.event, wait.parameters));
        current.or_else(|| figures.last_wait.map(|last| (last.event, last.parameters)))
    }

    fn event(&self, value: fn(Event) -> Datum) -> Datum {
        maybe(self.waited(), |(event, _)| value(event))
    }

    fn parameter_name(&self, at: usize) -> Datum {
        maybe(self.waited(), |(event, _)| s(event.parameters()[at]))
    }

    fn parameter(&self, at: usize) -> Datum {
        maybe(self.waited(), |(_, parameters)| n(parameters[at]))
    }

    /// A figure of the current wait, or of the last one: its microseconds.
    fn wait(&self, current: fn(&SessionFigures) -> Datum, last: fn(&SessionFigures, u64) -> Datum) -> Datum {
        let figures = self.figures();
        match (figures.wait, figures.last_wait) {
            (Some(_), _) => current(figures),
            (None, Some(wait)) => last(figures, wait.micros),
            (None, None) => Datum::Null,
        }
    }
}

impl OfSession for SessionFigures {
    fn figures(&self) -> &SessionFigures {
        self
    }
}

/// EVENT# to TIME_SINCE_LAST_WAIT_MICRO; NULL where the session has never waited.
pub(super) const fn wait_columns<R: OfSession>() -> [Column<R>; 15] {
    [
        number("EVENT#", |row: &R| row.event(|event| n(event.number()))),
        text("EVENT", 64, |row: &R| row.event(|event| s(event.name()))),
        text("P1TEXT", 64, |row: &R| row.parameter_name(0)),
        number("P1", |row: &R| row.parameter(0)),
        text("P2TEXT", 64, |row: &R| row.parameter_name(1)),
        number("P2", |row: &R| row.parameter(1)),
        text("P3TEXT", 64, |row: &R| row.parameter_name(2)),
        number("P3", |row: &R| row.parameter(2)),
        number("WAIT_CLASS#", |row: &R| row.event(|event| n(event.class().number()))),
        text("WAIT_CLASS", 64, |row: &R| row.event(|event| s(event.class().name()))),
        // 0 says that the wait is not over.
        number("WAIT_TIME", |row: &R| {
            row.wait(
                |_| n(0),
                |_, micros| if micros < CENTISECOND_US { Datum::integer(-1) } else { n(micros / CENTISECOND_US) },
            )
        }),
        number("SECONDS_IN_WAIT", |row: &R| {
            row.wait(
                |figures| n(figures.waiting_us / 1_000_000),
                |figures, micros| n((figures.since_wait_us + micros) / 1_000_000),
            )
        }),
        text("STATE", 19, |row: &R| {
            row.wait(
                |_| s("WAITING"),
                |_, micros| s(if micros < CENTISECOND_US { "WAITED SHORT TIME" } else { "WAITED KNOWN TIME" }),
            )
        }),
        number("WAIT_TIME_MICRO", |row: &R| row.wait(|figures| n(figures.waiting_us), |_, micros| n(micros))),
        number("TIME_SINCE_LAST_WAIT_MICRO", |row: &R| row.wait(|_| n(0), |figures, _| n(figures.since_wait_us))),
    ]
}

const SID: &[Column<SessionFigures>] = &[number("SID", |session| n(session.sid))];

pub(crate) const VIEWS: &[&dyn View] = &[&Table::new("V$SESSION_WAIT", &[SID, &wait_columns()], |cx, each| {
    cx.session.instance().sessions().into_iter().try_for_each(each)
})];
