//! The waits of foreground processes.
//!
//! Releases differ: from 11g on a report has a list of foreground waits; before, one list of all waits and one of
//! background waits, whose difference is the foreground's part; an excerpt may hold only its first screen.

use report::figure::Figure;
use report::model::{Event, Report};

use super::class;
use super::idle::is_idle;
use super::ledger::Ledger;
use super::possible;
use crate::screen::number::{number, seconds};

/// A wait of foreground processes.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub(crate) name: String,
    /// The name is cut, and may stand for several events.
    pub(crate) cut: bool,
    pub(crate) waits: Option<f64>,
    pub(crate) seconds: f64,
    /// Average in milliseconds, from whichever printed pair has more digits.
    pub(crate) average_ms: Option<f64>,
    pub(crate) class: &'static str,
}

impl Wait {
    /// True when the event is the one of that full name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name || (self.cut && self.name.len() >= 8 && name.starts_with(&self.name))
    }
}

/// The foreground's waits without idle ones, most time first.
#[derive(Debug, Default)]
pub(crate) struct Foreground {
    pub(crate) waits: Vec<Wait>,
    /// The section they stand in, for evidence.
    pub(crate) section: &'static str,
    /// None of the lists is there.
    pub(crate) absent: bool,
    /// Only the first screen's events are known, or those before a cut: an event that is missing may still have been
    /// waited for.
    pub(crate) partial: bool,
}

impl Foreground {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let (events, section, partial) = source(report);
        let Some(mut events) = events else {
            return Self { absent: true, section: "Foreground Wait Events", ..Self::default() };
        };
        // The first screen may have more digits of the same waits: an average of 482 us that stands as 0 in a list of
        // milliseconds and seconds.
        if report.foreground_events.is_some() {
            for event in &mut events {
                let same = |top: &&Event| top.name == event.name && top.waits.is_some() && top.waits == event.waits;
                let Some(top) = report.top_events.iter().flatten().find(same) else { continue };
                event.average_ms = match (event.average_ms, top.average_ms) {
                    (Some(own), Some(top)) => Some(own.finer(top)),
                    (own, top) => own.or(top),
                };
            }
        }
        let limit = possible_seconds(report);
        let mut waits = Vec::with_capacity(events.len());
        for event in events {
            let Some(figure) = event.seconds().filter(|time| possible(time.value)) else { continue };
            if limit.is_some_and(|limit| figure.value > limit * 1.05) {
                ledger.note(format!(
                    "{}: {} is more than all sessions together have in the window; the figure is refused",
                    event.name,
                    seconds(figure.value)
                ));
                continue;
            }
            waits.push(Wait {
                class: event.class.as_deref().and_then(class::full).unwrap_or_else(|| waits::event_class(&event.name)),
                waits: event.waits.map(|count| count.value).filter(|count| possible(*count)),
                seconds: figure.value,
                average_ms: event.milliseconds().map(|average| average.value).filter(|average| possible(*average)),
                cut: event.cut,
                name: event.name,
            });
        }
        waits.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        Self { waits, section, absent: false, partial }
    }

    /// The wait of that name.
    pub(crate) fn wait(&self, name: &str) -> Option<&Wait> {
        self.waits.iter().find(|wait| wait.is(name))
    }

    /// Seconds in the event; zero where the list is there and the event is not in it, None where that cannot be known.
    pub(crate) fn seconds(&self, name: &str) -> Option<f64> {
        match self.wait(name) {
            Some(wait) => Some(wait.seconds),
            None if self.absent || self.partial => None,
            None => Some(0.0),
        }
    }

    /// That total, unless the true one may be larger: None without a list, and for a total of 0 from the top of a list.
    pub(crate) fn measured(&self, total_s: f64) -> Option<f64> {
        (!self.absent && (!self.partial || total_s > 0.0)).then_some(total_s + 0.0)
    }

    /// The waits whose names begin with one of these.
    pub(crate) fn beginning<'a>(&'a self, beginnings: &'a [&'a str]) -> impl Iterator<Item = &'a Wait> {
        self.waits.iter().filter(move |wait| {
            beginnings.iter().any(|beginning| {
                wait.name.starts_with(beginning)
                    || (wait.cut && wait.name.len() >= 16 && beginning.starts_with(&wait.name))
            })
        })
    }

    /// Seconds in all waits whose names begin with one of these, and the waits themselves.
    pub(crate) fn together(&self, beginnings: &[&str]) -> (f64, Vec<Wait>) {
        let waits: Vec<&Wait> = self.beginning(beginnings).collect();
        (total(&waits), waits.into_iter().cloned().collect())
    }
}

/// Their seconds; 0 for none (the sum of nothing is -0, and would be printed so).
fn total(waits: &[&Wait]) -> f64 {
    waits.iter().map(|wait| wait.seconds).sum::<f64>() + 0.0
}

/// One wait as evidence: "182,738 waits, 94.0 s, 0.514 ms each".
pub(crate) fn described(wait: &Wait) -> String {
    let count = wait.waits.map_or_else(String::new, |count| format!("{} waits, ", number(count)));
    let average = wait
        .average_ms
        .map_or_else(String::new, |average| format!(", {} each", crate::screen::number::milliseconds(average)));
    format!("{}: {count}{}{average}", wait.name, seconds(wait.seconds))
}

/// The list to take, among those of the report.
fn source(report: &Report) -> (Option<Vec<Event>>, &'static str, bool) {
    let busy =
        |events: &[Event]| events.iter().filter(|event| !is_idle(event) && !is_cpu(event)).cloned().collect::<Vec<_>>();
    if let Some(events) = &report.foreground_events {
        // A report that ends here may have ended in the list.
        let ends_here = report.cut && report.background_events.is_none() && report.statistics.is_none();
        return (Some(busy(events)), "Foreground Wait Events", ends_here);
    }
    if let Some(events) = &report.all_events {
        let background = report.background_events.as_deref().unwrap_or_default();
        let events = busy(events).into_iter().filter_map(|event| without_background(event, background)).collect();
        return (Some(events), "Wait Events less Background Wait Events", report.cut && report.statistics.is_none());
    }
    if let Some(events) = &report.top_events {
        let background = report.background_events.as_deref().unwrap_or_default();
        let events = busy(events).into_iter().filter_map(|event| without_background(event, background)).collect();
        return (Some(events), "Top Timed Events", true);
    }
    (None, "", false)
}

fn is_cpu(event: &Event) -> bool {
    matches!(event.name.as_str(), "DB CPU" | "CPU time" | "CPU Time" | "CPU")
}

/// The foreground's part of an event of all sessions, without the background's; None when nothing remains.
fn without_background(mut event: Event, background: &[Event]) -> Option<Event> {
    if BACKGROUND_ONLY.iter().any(|name| event.name.starts_with(name)) {
        return None;
    }
    let Some(part) = background.iter().find(|part| part.name == event.name) else { return Some(event) };
    let total = event.seconds().zip(part.seconds()).map(|(all, part)| difference(all, part));
    let waits = event.waits.zip(part.waits).map(|(all, part)| difference(all, part));
    if waits.is_some_and(|waits| waits.value <= 0.0) {
        return None;
    }
    event.total_s = total.or(event.total_s);
    event.waits = waits.or(event.waits);
    event.average_ms = None;
    Some(event)
}

fn difference(all: Figure, part: Figure) -> Figure {
    Figure::new((all.value - part.value).max(0.0), all.step + part.step)
}

/// Events that only background processes wait for; a first screen shows them beside the foreground's.
const BACKGROUND_ONLY: &[&str] = &[
    "log file parallel write",
    "db file parallel write",
    "log file single write",
    "LGWR ",
    "db file async I/O submit",
    "log file sequential read",
    "ARCH ",
    "Log archive I/O",
    "control file parallel write",
];

/// The most that all sessions together can have waited: each of them all the time.
fn possible_seconds(report: &Report) -> Option<f64> {
    let sessions = match (report.window.begin.sessions, report.window.end.sessions) {
        (Some(begin), Some(end)) => begin.max(end),
        (begin, end) => begin.or(end)?,
    };
    // Sessions that came and went between the snapshots are not in either; no more than twice as many are assumed.
    Some((sessions * 2.0).max(50.0) * report.window.elapsed_s?)
}
