//! Two windows side by side: normalised a second and a transaction, changes that exceed the difference in load, and
//! other changes.
//!
//! A rate that changed as the load did is explained by it. The load is the work asked of the database: transactions,
//! executions and user calls a second. A change exceeds the load when after over before lies, by more than [`MARGIN`],
//! outside the values that any of the three (or no change at all) would give.
//!
//! Two windows show that something differs, never why: nothing here is called a cause.

mod changes;
pub(crate) mod measure;
mod screen;

use serde::Serialize;

use self::measure::{Measure, What};
use crate::files::{Facts, Subject};

pub(crate) use self::changes::Change;
pub(crate) use self::screen::{screen, share, side_line, times, words};

/// Margin beyond the load: a fifth covers the difference between two quiet windows of the same work.
const MARGIN: f64 = 1.2;
/// Least ratio of two average waits that counts as a difference.
const LATENCY_MARGIN: f64 = 1.5;
/// Times below this share of the larger DB time are not called differences.
const LEAST_SHARE: f64 = 0.01;
/// Transactions below which figures a transaction say little.
const FEWEST_TRANSACTIONS: f64 = 100.0;

/// One of the two windows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct OneSide {
    pub(crate) path: String,
    pub(crate) database: String,
    pub(crate) window: Option<String>,
    pub(crate) elapsed_s: f64,
    pub(crate) transactions: Option<f64>,
    pub(crate) average_active_sessions: Option<f64>,
}

/// One measure of the load, a second.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Load {
    pub(crate) measure: &'static str,
    pub(crate) before_per_s: f64,
    pub(crate) after_per_s: f64,
    pub(crate) ratio: f64,
}

/// One measure in both windows.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Difference {
    pub(crate) measure: String,
    pub(crate) what: What,
    pub(crate) before: Rates,
    pub(crate) after: Rates,
    /// After over before: of the rates a second, for a latency of the averages. None where there was nothing before.
    pub(crate) ratio: Option<f64>,
    pub(crate) ratio_per_transaction: Option<f64>,
    /// Seconds of the later window beyond (below zero: short of) those that any of the loads would give. Times only.
    pub(crate) excess_s: Option<f64>,
    pub(crate) exceeds_load: bool,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Rates {
    /// Seconds or amounts over the window; of a latency, milliseconds a wait.
    pub(crate) value: f64,
    pub(crate) per_second: Option<f64>,
    pub(crate) per_transaction: Option<f64>,
}

/// A finding of either window.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) id: &'static str,
    pub(crate) before: Option<Weight>,
    pub(crate) after: Option<Weight>,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Weight {
    pub(crate) severity: Option<f64>,
    pub(crate) seconds: Option<f64>,
}

/// Before and after.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Comparison {
    pub(crate) before: OneSide,
    pub(crate) after: OneSide,
    pub(crate) load: Vec<Load>,
    /// Those that exceed the load first, the most seconds first.
    pub(crate) differences: Vec<Difference>,
    pub(crate) changed: Vec<Change>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) notes: Vec<String>,
}

/// Compares two windows; None where one is a trace and the other a report, or a window's length is not known.
pub(crate) fn compare(before: &Subject, after: &Subject) -> Option<Comparison> {
    if before.report.is_some() != after.report.is_some() {
        return None;
    }
    let one = OneSide::of(before)?;
    let other = OneSide::of(after)?;
    let load = load(&one, &before.facts, &other, &after.facts);
    let loads: Vec<f64> = load.iter().map(|load| load.ratio).collect();
    let mut differences = differences(&one, &measure::measures(before), &other, &measure::measures(after), &loads);
    differences.sort_by(|a, b| {
        let weight = |difference: &Difference| difference.excess_s.map_or(0.0, f64::abs);
        (b.exceeds_load, weight(b)).partial_cmp(&(a.exceeds_load, weight(a))).unwrap_or(std::cmp::Ordering::Equal)
    });
    Some(Comparison {
        notes: notes(&one, before, &other, after, &load),
        changed: changes::changes(before, after),
        findings: findings(before, after),
        before: one,
        after: other,
        load,
        differences,
    })
}

impl OneSide {
    fn of(subject: &Subject) -> Option<Self> {
        let facts = &subject.facts;
        Some(Self {
            path: subject.label(),
            database: crate::screen::database(facts),
            window: crate::screen::window(facts),
            elapsed_s: facts.window.elapsed_s.filter(|elapsed| *elapsed > 0.0)?,
            transactions: facts.work.transactions,
            average_active_sessions: facts.average_active_sessions,
        })
    }

    fn rates(&self, measure: &Measure) -> Rates {
        if measure.what == What::Latency {
            return Rates { value: measure.value, per_second: None, per_transaction: None };
        }
        let transactions = self.transactions.filter(|transactions| *transactions >= FEWEST_TRANSACTIONS);
        Rates {
            value: measure.value,
            per_second: Some(measure.value / self.elapsed_s),
            per_transaction: transactions.map(|transactions| measure.value / transactions),
        }
    }
}

fn load(one: &OneSide, before: &Facts, other: &OneSide, after: &Facts) -> Vec<Load> {
    let asked = ["transactions", "executions", "user calls"];
    let pairs = measure::amounts(before).into_iter().zip(measure::amounts(after));
    pairs
        .filter(|((name, _), _)| asked.contains(name))
        .filter_map(|((measure, before), (_, after))| {
            let (before_per_s, after_per_s) = (before? / one.elapsed_s, after? / other.elapsed_s);
            let ratio = after_per_s / before_per_s;
            (ratio.is_finite() && ratio > 0.0).then_some(Load { measure, before_per_s, after_per_s, ratio })
        })
        .collect()
}

fn differences(
    one: &OneSide,
    before: &[Measure],
    other: &OneSide,
    after: &[Measure],
    loads: &[f64],
) -> Vec<Difference> {
    let db_time = |measures: &[Measure]| {
        measures.iter().find(|measure| measure.name == "DB time").map_or(0.0, |measure| measure.value)
    };
    // The same share of each window.
    let least = (LEAST_SHARE * db_time(before) / one.elapsed_s).max(LEAST_SHARE * db_time(after) / other.elapsed_s);
    let mut names: Vec<(&str, What)> = Vec::new();
    for measure in before.iter().chain(after) {
        let key = (measure.name.as_str(), measure.what);
        if !names.contains(&key) {
            names.push(key);
        }
    }
    let find = |measures: &[Measure], (name, what): (&str, What)| {
        measures.iter().find(|measure| measure.name == name && measure.what == what).cloned()
    };
    let mut differences = Vec::new();
    for key in names {
        let (mut earlier, mut later) = (find(before, key), find(after, key));
        // An event without waits has no line: its time is 0. A missing amount or average is unknown.
        if key.1 == What::Time && key.0 != "DB time" && key.0 != "CPU" {
            let none = || Measure { name: key.0.to_owned(), what: What::Time, value: 0.0, seconds: Some(0.0) };
            earlier = earlier.or_else(|| Some(none()));
            later = later.or_else(|| Some(none()));
        }
        let (Some(earlier), Some(later)) = (earlier, later) else { continue };
        differences.push(difference(one, &earlier, other, &later, loads, least));
    }
    differences
}

/// `least`: seconds a second below which no time is a difference.
fn difference(
    one: &OneSide,
    earlier: &Measure,
    other: &OneSide,
    later: &Measure,
    loads: &[f64],
    least: f64,
) -> Difference {
    let (before, after) = (one.rates(earlier), other.rates(later));
    let over = |after: Option<f64>, before: Option<f64>| match (after, before) {
        (Some(after), Some(before)) if before > 0.0 => Some(after / before),
        _ => None,
    };
    let ratio_per_transaction = over(after.per_transaction, before.per_transaction);
    let lowest = loads.iter().copied().fold(1.0, f64::min);
    let highest = loads.iter().copied().fold(1.0, f64::max);
    let (ratio, excess_s, exceeds_load) = match earlier.what {
        What::Latency => {
            let ratio = over(Some(after.value), Some(before.value));
            let behind =
                (earlier.seconds.unwrap_or(0.0) / one.elapsed_s).max(later.seconds.unwrap_or(0.0) / other.elapsed_s);
            let far = ratio.is_some_and(|ratio| !(1.0 / LATENCY_MARGIN..=LATENCY_MARGIN).contains(&ratio));
            (ratio, None, far && behind >= least)
        }
        What::Amount | What::Time => {
            let (was, is) = (earlier.value / one.elapsed_s, later.value / other.elapsed_s);
            let beyond = is > was * highest * MARGIN || is < was * lowest / MARGIN;
            let excess = if is > was * highest {
                is - was * highest
            } else if is < was * lowest {
                is - was * lowest
            } else {
                0.0
            };
            if earlier.what == What::Time {
                (over(Some(is), Some(was)), Some(excess * other.elapsed_s), beyond && excess.abs() >= least)
            } else {
                (over(Some(is), Some(was)), None, beyond)
            }
        }
    };
    Difference {
        measure: earlier.name.clone(),
        what: earlier.what,
        before,
        after,
        ratio,
        ratio_per_transaction,
        excess_s,
        exceeds_load,
    }
}

fn findings(before: &Subject, after: &Subject) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let weight = |finding: &crate::analysis::Finding| Weight { severity: finding.severity, seconds: finding.seconds };
    for finding in &after.analysis.findings {
        findings.push(Finding { id: finding.id, before: None, after: Some(weight(finding)) });
    }
    for finding in &before.analysis.findings {
        match findings.iter_mut().find(|known| known.id == finding.id) {
            Some(known) => known.before = Some(weight(finding)),
            None => findings.push(Finding { id: finding.id, before: Some(weight(finding)), after: None }),
        }
    }
    findings
}

fn notes(one: &OneSide, before: &Subject, other: &OneSide, after: &Subject, load: &[Load]) -> Vec<String> {
    let mut notes =
        vec!["Two windows show what differs, not why: a difference beside a change is no proof of a cause.".to_owned()];
    if one.database != other.database {
        notes.push(format!("The databases or instances differ: {} and {}.", one.database, other.database));
    }
    if let (Some(earlier), Some(later)) = (before.facts.window.begin.time_s, after.facts.window.begin.time_s)
        && later < earlier
    {
        notes.push("The second file's window is the earlier one.".to_owned());
    }
    if let (Some(a), Some(b)) = (before.facts.window.begin.time_s, after.facts.window.begin.time_s)
        && one.database == other.database
        && (a as f64) < b as f64 + other.elapsed_s / 2.0
        && (b as f64) < a as f64 + one.elapsed_s / 2.0
    {
        notes.push("Both files cover the same time, at least in part: there is no before and after.".to_owned());
    }
    let longest = one.elapsed_s.max(other.elapsed_s) / one.elapsed_s.min(other.elapsed_s);
    if longest > 2.0 {
        notes.push(format!(
            "One window is {} times as long as the other; averages over the longer one hide its peaks.",
            crate::screen::number::number(longest)
        ));
    }
    if load.is_empty() {
        notes.push(
            "Neither transactions nor executions nor user calls are known in both: no load explains anything here."
                .to_owned(),
        );
    }
    let few = |side: &OneSide| side.transactions.is_some_and(|count| count < FEWEST_TRANSACTIONS);
    if few(one) || few(other) {
        notes.push(format!(
            "A window has fewer than {FEWEST_TRANSACTIONS} transactions: figures a transaction are left out."
        ));
    }
    if before.source != after.source {
        notes.push(format!(
            "The reports are of different kinds: {} and {}.",
            before.source.words(),
            after.source.words()
        ));
    }
    notes
}
