//! Wait events, their classes and their histograms.

use serde::Serialize;

use crate::figure::Figure;

/// One event of a wait list.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Event {
    /// The full name where the printed one was cut and only one known event fits, else as printed.
    pub name: String,
    /// The printed name was cut, and `name` is still cut.
    pub cut: bool,
    pub waits: Option<Figure>,
    pub timeouts_percent: Option<f64>,
    /// Total as printed, in seconds.
    pub total_s: Option<Figure>,
    /// Average as printed, in milliseconds.
    pub average_ms: Option<Figure>,
    pub waits_per_transaction: Option<f64>,
    /// Of DB time, call time or background time: as printed.
    pub percent: Option<f64>,
    pub class: Option<String>,
}

impl Event {
    /// Total time in seconds: as printed, or count times average where that has more digits.
    #[must_use]
    pub fn seconds(&self) -> Option<Figure> {
        let counted = match (self.average_ms, self.waits) {
            (Some(average), Some(waits)) => Some(average.scaled(1e-3).times(waits)),
            _ => None,
        };
        better(self.total_s, counted)
    }

    /// Average wait in milliseconds: as printed, or total over count where that has more digits.
    #[must_use]
    pub fn milliseconds(&self) -> Option<Figure> {
        let divided = match (self.total_s, self.waits) {
            (Some(total), Some(waits)) => total.scaled(1e3).over(waits),
            _ => None,
        };
        better(self.average_ms, divided)
    }
}

fn better(one: Option<Figure>, other: Option<Figure>) -> Option<Figure> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.finer(other)),
        (one, other) => one.or(other),
    }
}

/// A line of the wait classes; "DB CPU" is one, without waits.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct WaitClass {
    pub name: String,
    pub waits: Option<Figure>,
    pub total_s: Option<Figure>,
    pub average_ms: Option<Figure>,
    pub percent: Option<f64>,
}

/// Distribution of an event's waits.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct EventHistogram {
    pub name: String,
    pub cut: bool,
    pub waits: Option<Figure>,
    pub buckets: Vec<Bucket>,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Bucket {
    /// Waits shorter than this; None is the last bucket, of all longer ones.
    pub below_us: Option<f64>,
    /// Share of all waits of the event.
    pub percent: f64,
}
