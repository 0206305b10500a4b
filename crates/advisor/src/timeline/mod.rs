//! Several windows in the order of time: the outliers, and the measures in which they stand out.
//!
//! An interval is held against the others of the same database and instance. It stands out in a measure where it lies
//! more than [`FAR`] deviations from their median (the modified z-score of Iglewicz and Hoaglin: 0.6745 times the
//! distance over the median absolute deviation, above 3.5) and is at least [`FACTOR`] times the median or at most that
//! part of it: a spread near nothing makes every small difference far.

mod csv;
mod screen;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::compare::measure;
use crate::files::Subject;

pub(crate) use self::csv::csv;
pub(crate) use self::screen::{outstanding, screen};

/// Modified z-score above which a value is an outlier.
const FAR: f64 = 3.5;
/// Factor that makes the median absolute deviation comparable to a standard deviation: 1 / 0.6745.
const LIKE_DEVIATION: f64 = 1.4826;
/// Least ratio of an outlier to the median, or of the median to it.
const FACTOR: f64 = 1.5;
/// Intervals of one instance below which none can stand out.
const FEWEST: usize = 4;

/// Pairs of overlapping windows that are named.
const OVERLAPS: usize = 5;

/// All intervals, by database and instance, the earliest first.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Timeline {
    pub(crate) intervals: Vec<Interval>,
    pub(crate) notes: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Interval {
    pub(crate) path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) part: Option<usize>,
    pub(crate) database: String,
    pub(crate) begin: Option<String>,
    pub(crate) end: Option<String>,
    /// Seconds since 1970 as the database's own clock shows them.
    pub(crate) begin_s: Option<i64>,
    pub(crate) elapsed_s: Option<f64>,
    /// By name: `average_active_sessions`, `executions_per_s`, …, and `EVENT_ms`.
    pub(crate) measures: BTreeMap<String, f64>,
    /// The farthest first.
    pub(crate) stands_out: Vec<StandsOut>,
    /// The worst finding.
    pub(crate) worst: Option<Worst>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct StandsOut {
    pub(crate) measure: String,
    pub(crate) value: f64,
    /// Of all intervals of the instance.
    pub(crate) median: f64,
    /// The modified z-score; None where all others are alike.
    pub(crate) score: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Worst {
    pub(crate) id: &'static str,
    pub(crate) severity: Option<f64>,
}

/// The time line of all reports among the subjects; None without reports. Traces have no snapshots and no place in it.
pub(crate) fn of(subjects: &[Subject]) -> Option<Timeline> {
    let mut intervals: Vec<Interval> =
        subjects.iter().filter(|subject| subject.report_like()).map(Interval::of).collect();
    if intervals.is_empty() {
        return None;
    }
    // Intervals without a time come last.
    let key =
        |interval: &Interval| (interval.database.clone(), interval.begin_s.unwrap_or(i64::MAX), interval.path.clone());
    intervals.sort_by_key(key);
    let mut notes = overlaps(&intervals);
    let mut few = Vec::new();
    let mut begin = 0;
    while begin < intervals.len() {
        let database = intervals[begin].database.clone();
        let end = begin + intervals[begin..].iter().take_while(|interval| interval.database == database).count();
        if end - begin < FEWEST {
            few.push(database);
        } else {
            mark(&mut intervals[begin..end]);
        }
        begin = end;
    }
    if !few.is_empty() {
        notes.push(format!("Fewer than {FEWEST} windows, so that none can stand out: {}.", few.join(", ")));
    }
    Some(Timeline { intervals, notes })
}

impl Interval {
    fn of(subject: &Subject) -> Self {
        let facts = &subject.facts;
        let window = &facts.window;
        let worst = subject.analysis.findings.first();
        Self {
            path: subject.path.clone(),
            part: subject.part,
            database: crate::screen::database(facts),
            begin: window.begin.time.clone(),
            end: window.end.time.clone(),
            begin_s: window.begin.time_s,
            elapsed_s: window.elapsed_s,
            measures: measures(subject),
            stands_out: Vec::new(),
            worst: worst.map(|finding| Worst { id: finding.id, severity: finding.severity }),
        }
    }
}

/// Rates a second, run queue, and the average of each I/O event.
pub(crate) fn measures(subject: &Subject) -> BTreeMap<String, f64> {
    let facts = &subject.facts;
    let mut measures = BTreeMap::new();
    let mut add = |name: String, value: Option<f64>| {
        if let Some(value) = value.filter(|value| value.is_finite()) {
            measures.insert(name, value);
        }
    };
    add("average_active_sessions".to_owned(), facts.average_active_sessions);
    add("sessions".to_owned(), facts.window.end.sessions.or(facts.window.begin.sessions));
    add("run_queue".to_owned(), facts.host.load_end.or(facts.host.load_begin));
    if let Some(elapsed) = facts.window.elapsed_s.filter(|elapsed| *elapsed > 0.0) {
        for (name, total) in measure::amounts(facts) {
            add(format!("{}_per_s", name.replace(' ', "_")), total.map(|total| total / elapsed));
        }
    }
    for (name, event) in measure::latencies(facts) {
        add(format!("{name}_ms"), event.average_ms);
    }
    measures
}

/// Windows of one instance that share time: the same work is counted twice then.
fn overlaps(intervals: &[Interval]) -> Vec<String> {
    let mut notes = Vec::new();
    for pair in intervals.windows(2) {
        let [one, other] = pair else { continue };
        let (Some(begin), Some(elapsed), Some(next)) = (one.begin_s, one.elapsed_s, other.begin_s) else { continue };
        // Two ways to one window differ by the seconds that a snapshot takes.
        if one.database == other.database && (next as f64) < begin as f64 + elapsed - 60.0 {
            notes.push(format!("{} and {} cover the same time, at least in part.", one.path, other.path));
        }
    }
    let more = notes.len().saturating_sub(OVERLAPS);
    notes.truncate(OVERLAPS);
    if more > 0 {
        notes.push(format!("So do {more} more pairs of neighbours."));
    }
    notes
}

fn mark(intervals: &mut [Interval]) {
    let names: Vec<String> = intervals.iter().flat_map(|interval| interval.measures.keys().cloned()).collect();
    let names: std::collections::BTreeSet<String> = names.into_iter().collect();
    for name in names {
        let values: Vec<f64> = intervals.iter().filter_map(|interval| interval.measures.get(&name).copied()).collect();
        if values.len() < FEWEST {
            continue;
        }
        let median = median(values.clone());
        let spread = self::median(values.iter().map(|value| (value - median).abs()).collect());
        for interval in intervals.iter_mut() {
            let Some(&value) = interval.measures.get(&name) else { continue };
            let score = (spread > 0.0).then(|| (value - median) / (LIKE_DEVIATION * spread));
            let far = score.is_none_or(|score| score.abs() > FAR);
            let (low, high) = (value.min(median), value.max(median));
            if far && high > low * FACTOR {
                interval.stands_out.push(StandsOut { measure: name.clone(), value, median, score });
            }
        }
    }
    for interval in intervals {
        let distance = |out: &StandsOut| out.score.map_or(f64::INFINITY, f64::abs);
        interval.stands_out.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}
