//! Wait event histograms: seven bounds a table, so that each fits a line.
//!
//! The first column of each table is all waits below its first bound and the last all from its last bound on, so every
//! row adds up to 100. Shares are rounded where they are sums from below, so that the tables agree.

use std::io::Result;

use crate::model::{Bucket, EventHistogram};
use crate::names::Names;
use crate::page::{Block, Page, figure, name};

const BOUNDS_A_TABLE: usize = 7;

/// Statspack's bounds, in milliseconds.
const MILLISECONDS: [f64; BOUNDS_A_TABLE] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 1024.0];

pub(super) fn write(page: &mut Page<'_>) -> Result<()> {
    const TITLE: &str = "Wait Event Histogram";
    let histograms = page.report.histograms.as_deref().unwrap_or_default();
    let mut bounds: Vec<f64> =
        histograms.iter().flat_map(|histogram| &histogram.buckets).filter_map(|bucket| bucket.below_us).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    let units = Units::of(&bounds);
    let mut tables: Vec<(String, Vec<f64>)> = Vec::new();
    let familiar = MILLISECONDS.map(|bound| bound * units.millisecond());
    if familiar.iter().all(|bound| bounds.contains(bound)) {
        tables.push((TITLE.to_owned(), familiar.to_vec()));
        bounds.retain(|bound| !familiar.contains(bound));
    }
    for chunk in bounds.chunks(BOUNDS_A_TABLE) {
        let last = chunk.last().map_or(String::new(), |last| units.long_name(*last));
        tables.push((format!("{TITLE} (up to {last})"), chunk.to_vec()));
    }
    if tables.is_empty() {
        return page.blocks(TITLE, &[], &[], &[]);
    }
    tables.iter().try_for_each(|(title, bounds)| table(page, title, units, bounds, histograms))
}

fn table(page: &mut Page<'_>, title: &str, units: Units, bounds: &[f64], histograms: &[EventHistogram]) -> Result<()> {
    const NAME: usize = 26;
    const COUNT: usize = 5;
    let names: Vec<String> = bounds
        .iter()
        .map(|bound| units.name(*bound))
        .chain(bounds.last().map(|last| units.name(*last).replace("<=", ">").replace('<', ">")))
        .collect();
    let widths: Vec<usize> = names.iter().map(|name| name.len().max(5)).collect();
    let total: usize = widths.iter().map(|width| width + 1).sum::<usize>() - 1;
    let ruled = |text: &str| {
        let dashes = total.saturating_sub(text.len() + 2);
        format!("{} {text} {}", "-".repeat(dashes / 2), "-".repeat(dashes - dashes / 2))
    };
    let right = |texts: &[String]| {
        let cells = texts.iter().zip(&widths).map(|(text, width)| format!("{text:>width$}"));
        cells.collect::<Vec<_>>().join(" ")
    };
    let heading = [
        format!("{:NAME$} {:>COUNT$} {}", "", "Total", ruled("% of Waits")),
        format!("{:NAME$} {:>COUNT$} {}", "Event", "Waits", right(&names)),
        format!(
            "{} {} {}",
            "-".repeat(NAME),
            "-".repeat(COUNT),
            right(&widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>())
        ),
    ];
    let blocks: Vec<Block> = histograms
        .iter()
        .map(|histogram| {
            let event = name(Names::Events, &histogram.name).line(NAME);
            let waits = figure(histogram.waits, 0).line(COUNT);
            vec![format!("{event:NAME$} {waits:>COUNT$} {}", right(&shares(histogram, bounds)))]
        })
        .collect();
    let mut notes = vec!["-> Total Waits - units: K is 1000, M is 1000000, G is 1000000000".to_owned()];
    if names.iter().any(|name| name == "<=1s") {
        notes.push("-> % of Waits - column heading: <=1s is truly <1024ms, >1s is truly >=1024ms".to_owned());
    }
    notes.push("-> % of Waits - value: 0.0 indicates value was <.05%, null is truly 0".to_owned());
    notes.push("-> Ordered by Event (idle events last)".to_owned());
    page.blocks(title, &notes, &heading, &blocks)
}

/// The shares between the bounds, and above the last. Nothing where there are no waits.
fn shares(histogram: &EventHistogram, bounds: &[f64]) -> Vec<String> {
    let tenths = |percent: f64| (percent * 10.0).round();
    let (mut sum, mut from) = (0.0, 0.0);
    let ends = bounds.iter().copied().chain([f64::INFINITY]);
    ends.map(|to| {
        let of = |bucket: &&Bucket| {
            let below = bucket.below_us.unwrap_or(f64::INFINITY);
            from < below && below <= to
        };
        let shares: Vec<f64> = histogram.buckets.iter().filter(of).map(|bucket| bucket.percent).collect();
        let before = sum;
        sum += shares.iter().sum::<f64>();
        from = to;
        let printed = tenths(sum) - tenths(before);
        if shares.iter().all(|share| *share == 0.0) { String::new() } else { format!("{:.1}", printed / 10.0) }
    })
    .collect()
}

/// The style in which a report names its bounds.
#[derive(Clone, Copy, PartialEq)]
enum Units {
    /// Milliseconds of 1,000 µs, as Statspack has them.
    Decimal,
    /// Milliseconds of 1,024 µs, which begin below one.
    Binary,
    Microseconds,
}

impl Units {
    fn of(bounds: &[f64]) -> Self {
        if bounds.iter().all(|bound| bound % 1000.0 == 0.0) {
            Units::Decimal
        } else if bounds.iter().any(|bound| *bound < 1024.0) {
            Units::Binary
        } else {
            Units::Microseconds
        }
    }

    fn millisecond(self) -> f64 {
        if self == Units::Decimal { 1000.0 } else { 1024.0 }
    }

    fn parts(self, bound: f64) -> (f64, &'static str) {
        let scales: &[(&str, f64)] = match self {
            Units::Decimal => &[("s", 1_024_000.0), ("ms", 1000.0)],
            Units::Binary => &[("s", 1_048_576.0), ("ms", 1024.0)],
            Units::Microseconds => &[],
        };
        let fitting = scales.iter().find(|(_, factor)| bound % factor == 0.0);
        fitting.map_or((bound, "us"), |(unit, factor)| (bound / factor, unit))
    }

    fn long_name(self, bound: f64) -> String {
        let (count, unit) = self.parts(bound);
        format!("{count} {unit}")
    }

    /// In five characters where that is possible.
    fn name(self, bound: f64) -> String {
        match self.parts(bound) {
            (1.0, "s") => "<=1s".to_owned(),
            (count, "us") if count >= 100.0 => format!("<{count}u"),
            (count, unit) => format!("<{count}{unit}"),
        }
    }
}
