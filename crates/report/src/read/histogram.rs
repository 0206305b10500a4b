//! Distributions of waits: one table of ranges in old releases, one and its enlargements in newer ones.
//!
//! For ascending bounds a table gives the share of an event's waits between two of them; the first share is of all
//! shorter waits, the last of all longer ones. So each table gives the share *below* each of its bounds, and tables
//! with other bounds for the same event can be merged.

use std::collections::{HashMap, HashSet};

use super::Reading;
use crate::figure::Figure;
use crate::grid::view::View;
use crate::model::{Bucket, EventHistogram};
use crate::names::{Names, whole};

#[derive(Default)]
pub(super) struct Histograms {
    spreads: Vec<Spread>,
    /// Where an event's spread is.
    places: HashMap<String, usize>,
    /// Some bound is in microseconds: then they are powers of two of a microsecond, else of a millisecond.
    micro: bool,
}

struct Spread {
    name: String,
    cut: bool,
    waits: Option<Figure>,
    /// Bound and the share of the waits below it, by rising bounds.
    below: Vec<(Bound, f64)>,
    /// The share of the waits longer than the last bound of one table: (that bound, share).
    open: Option<(Bound, f64)>,
}

/// A bound as printed: a number of a unit. Ordered by nominal microseconds.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
struct Bound {
    nominal_us: f64,
    number: f64,
    unit: Scale,
}

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
enum Scale {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
}

impl Bound {
    fn microseconds(self, micro: bool) -> f64 {
        let of_unit = match (self.unit, micro) {
            (Scale::Microsecond, _) => 1.0,
            (Scale::Millisecond, true) => 1024.0,
            (Scale::Millisecond, false) => 1000.0,
            (Scale::Second, true) => f64::from(1 << 20),
            (Scale::Second, false) => 1_024_000.0,
            (Scale::Minute, true) => f64::from(1 << 26),
            (Scale::Minute, false) => 65_536_000.0,
            (Scale::Hour, true) => 4_294_967_296.0,
            (Scale::Hour, false) => 4_194_304_000.0,
        };
        self.number * of_unit
    }
}

enum Heading {
    Below(Bound),
    Open,
}

/// "% of Waits <1ms", "<=1s", "<1/8s", "<128u" (cut), "<512" (cut), ">1s", ">=32m" (cut).
fn heading(text: &str) -> Option<Heading> {
    let at = text.rfind(['<', '>'])?;
    if text.as_bytes().get(at) == Some(&b'>') {
        return Some(Heading::Open);
    }
    let text = text.get(at + 1..)?.trim_start_matches('=').trim();
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: f64 = match digits.trim().split_once('/') {
        Some((one, other)) => one.parse::<f64>().ok()? / other.parse::<f64>().ok()?,
        None => digits.trim().parse().ok()?,
    };
    let (unit, nominal) = match text.get(digits.len()..)? {
        "" | "u" | "us" => (Scale::Microsecond, 1.0),
        "ms" => (Scale::Millisecond, 1e3),
        "s" => (Scale::Second, 1e6),
        "m" => (Scale::Minute, 6e7),
        "h" => (Scale::Hour, 3.6e9),
        _ => return None,
    };
    Some(Heading::Below(Bound { nominal_us: number * nominal, number, unit }))
}

impl Reading {
    pub(super) fn histogram(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["event"]);
        let headings: Vec<(usize, Heading)> =
            view.table.columns.iter().enumerate().filter_map(|(at, text)| Some((at, heading(text)?))).collect();
        let bounds: Vec<Bound> = headings
            .iter()
            .filter_map(|(_, heading)| if let Heading::Below(bound) = heading { Some(*bound) } else { None })
            .collect();
        if name.is_none() || bounds.len() < 2 || !bounds.windows(2).all(|pair| pair[0] < pair[1]) {
            return false;
        }
        self.histograms.micro |= bounds.iter().any(|bound| bound.unit == Scale::Microsecond);
        let waits = view.find(&["totalwaits"]);
        let width = view.width(name);
        let mut seen = HashSet::new();
        for line in view.lines() {
            let (full, cut) = whole(Names::Events, line.text(name), width);
            if full.is_empty() {
                continue;
            }
            let spread = self.histograms.of(full, cut, &mut seen);
            if spread.waits.is_none() {
                spread.waits = line.count(waits);
            }
            let mut share = 0.0;
            for (at, heading) in &headings {
                // Nothing printed is truly none.
                let part = line.number(Some(view.column(*at))).unwrap_or(0.0);
                match heading {
                    Heading::Below(bound) => {
                        share += part;
                        spread.add(*bound, share);
                    }
                    Heading::Open => {
                        if let Some(last) = bounds.last()
                            && spread.open.is_none_or(|(bound, _)| bound < *last)
                        {
                            spread.open = Some((*last, part));
                        }
                    }
                }
            }
        }
        true
    }
}

impl Spread {
    /// The first table with a bound decides the share below it.
    fn add(&mut self, bound: Bound, share: f64) {
        let at = self.below.partition_point(|(other, _)| other.nominal_us < bound.nominal_us);
        if self.below.get(at).is_none_or(|(other, _)| other.nominal_us != bound.nominal_us) {
            self.below.insert(at, (bound, share));
        }
    }
}

impl Histograms {
    /// The event's spread. A name that stands twice in one table is of two events, cut to the same letters.
    fn of(&mut self, name: String, cut: bool, seen: &mut HashSet<usize>) -> &mut Spread {
        let known = self.places.get(&name).copied().filter(|at| seen.insert(*at));
        let at = known.unwrap_or_else(|| {
            let at = self.spreads.len();
            self.places.entry(name.clone()).or_insert(at);
            self.spreads.push(Spread { name, cut, waits: None, below: Vec::new(), open: None });
            seen.insert(at);
            at
        });
        &mut self.spreads[at]
    }

    /// All histograms, by the order of their events in the report.
    pub(super) fn take(&mut self) -> Option<Vec<EventHistogram>> {
        let micro = self.micro;
        let spreads = std::mem::take(&mut self.spreads);
        let histograms: Vec<EventHistogram> = spreads.into_iter().map(|spread| spread.histogram(micro)).collect();
        (!histograms.is_empty()).then_some(histograms)
    }
}

impl Spread {
    fn histogram(self, micro: bool) -> EventHistogram {
        let mut buckets = Vec::with_capacity(self.below.len() + 1);
        let mut before = 0.0_f64;
        for (bound, share) in &self.below {
            // Shares are rounded, so one table's sum may lie below another's by a tenth.
            buckets.push(Bucket { below_us: Some(bound.microseconds(micro)), percent: round(share - before).max(0.0) });
            before = before.max(*share);
        }
        if let Some((_, percent)) = self.open {
            buckets.push(Bucket { below_us: None, percent });
        }
        EventHistogram { name: self.name, cut: self.cut, waits: self.waits, buckets }
    }
}

/// Sums of printed tenths, without what binary fractions add to them.
fn round(percent: f64) -> f64 {
    (percent * 1e6).round() / 1e6
}
