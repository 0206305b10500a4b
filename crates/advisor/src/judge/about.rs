//! The description of a finding. Its page in docs/findings is printed from it (reference.rs).

use std::fmt;

use super::case::{IDLE_SESSIONS, IDLE_SESSIONS_PER_CPU, STORAGE_MS};
use super::{Case, NOTABLE, UNACCOUNTED, Verdict, View};
use crate::experiment::Experiment;
use crate::screen::number::{bytes, duration, milliseconds, number, percent};
use crate::traces::view::ENOUGH_S;
use crate::traces::waits::Waits;

/// A finding: its page, its experiment and its judges. Texts are Markdown; `{NAME}` in them is the value of that limit.
#[derive(Debug)]
pub(crate) struct About {
    pub(crate) id: &'static str,
    pub(crate) place: Place,
    /// One sentence without its full stop.
    pub(crate) title: &'static str,
    pub(crate) looks_at: &'static str,
    /// The first paragraph is the formula, a line each; the others explain it.
    pub(crate) formula: &'static str,
    /// The constants that the texts name.
    pub(crate) limits: &'static [Limit],
    pub(crate) thresholds: &'static [&'static str],
    pub(crate) refuted_by: &'static [&'static str],
    pub(crate) what_to_do: &'static str,
    /// The experiment that shows the finding.
    pub(crate) experiment: Experiment,
    pub(crate) in_report: fn(&Case<'_>) -> Verdict,
    pub(crate) in_trace: InTrace,
    /// A report made up to show this finding and no other.
    #[cfg(test)]
    pub(crate) made_up: fn() -> report::model::Report,
}

/// The order of answers, and of findings of the same severity: smaller first, by tens. The list in docs/findings has
/// that of reports.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) report: u16,
    /// Of two findings of a trace with the same seconds, the more special one goes first.
    pub(crate) trace: u16,
}

/// The judgement of a trace.
#[derive(Debug)]
pub(crate) enum InTrace {
    /// `page`: the description of the judge on the page.
    Judge { page: &'static str, judge: fn(&View<'_>) -> Verdict },
    /// Waiting for certain events is the finding.
    Waits(Waits),
    /// The missing input.
    CannotTell(&'static str),
    /// The reason why no trace shows it.
    RuledOut(&'static str),
}

/// A constant by its name, as texts show it.
#[derive(Debug)]
pub(crate) struct Limit {
    pub(crate) name: &'static str,
    pub(crate) value: Value,
}

#[derive(Debug)]
pub(crate) enum Value {
    Share(f64),
    Count(f64),
    Whole(u32),
    Ms(f64),
    Seconds(f64),
    Bytes(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Share(value) => percent(*value),
            Self::Count(value) => number(*value),
            Self::Whole(value) => value.to_string(),
            Self::Ms(value) => milliseconds(*value),
            Self::Seconds(value) => duration(*value),
            Self::Bytes(value) => bytes(*value),
        })
    }
}

/// `limits![Share(MUCH), Ms(SLOW_MS)]`: constants with their units, each under its own name.
macro_rules! limits {
    ($($kind:ident($name:ident)),* $(,)?) => {
        &[$($crate::judge::Limit { name: stringify!($name), value: $crate::judge::Value::$kind($name) }),*]
    };
}
pub(crate) use limits;

/// Limits that every page may name.
pub(crate) const SHARED: &[Limit] = limits![
    Share(NOTABLE),
    Share(UNACCOUNTED),
    Count(IDLE_SESSIONS),
    Count(IDLE_SESSIONS_PER_CPU),
    Ms(STORAGE_MS),
    Seconds(ENOUGH_S)
];

/// The threshold of every finding that is weighed by [`Case::weigh`] alone.
pub(crate) const OF_DB_TIME: &str = "{NOTABLE} of DB time (`NOTABLE`): our own choice. It is about what the smallest \
    findings of Oracle's own advisor are worth, and less cannot be told from the change of the load between two windows.";

/// Refutes findings of sessions that wait for one another.
pub(crate) const STARVED: &str = "On a starved host ([host-starved](host-starved.md)) confidence is low: who holds \
    what others wait for may be waiting for the machine himself.";
