//! Comparison and time line on the page.

use maud::{Markup, PreEscaped, html};

use super::charts::{Bar, Column, NARROW, bars, columns};
use crate::compare::measure::What;
use crate::compare::{Comparison, Difference, share, side_line, times, words};
use crate::screen::number::{duration, milliseconds, number, percent, seconds};
use crate::timeline::{Interval, Timeline, outstanding};

/// Times that are drawn.
const DRAWN: usize = 8;

pub(super) fn comparison(comparison: &Comparison) -> Markup {
    let exceeding: Vec<&Difference> = comparison.differences.iter().filter(|line| line.exceeds_load).collect();
    html! {
        h1 { "Before and after" }
        dl.plain {
            dt { "before" } dd { (side_line(&comparison.before)) }
            dt { "after" } dd { (side_line(&comparison.after)) }
            @for load in &comparison.load {
                dt { (load.measure) " a second" } dd { (number(load.before_per_s)) " to " (number(load.after_per_s)) " (" (times(load.ratio)) ")" }
            }
        }
        h2 { "More or less than the load explains" }
        @if exceeding.is_empty() { p { "Nothing." } }
        ul { @for line in &exceeding { li.wrap { (words(line)) } } }
        div.charts { (times_a_second(comparison)) (latencies(comparison)) }
        h2 { "What else changed" }
        @if comparison.changed.is_empty() { p { "Nothing that both reports show." } }
        div.scroll { table {
            @if !comparison.changed.is_empty() { thead { tr { th { "what" } th { "before" } th { "after" } } } }
            tbody { @for change in &comparison.changed {
                tr { td { (change.what) } td { (change.before.as_deref().unwrap_or("not set")) } td { (change.after.as_deref().unwrap_or("not set")) } }
            } }
        } }
        @if !comparison.findings.is_empty() {
            h2 { "Findings before and after" }
            div.scroll { table {
                thead { tr { th { "finding" } th { "before" } th { "after" } } }
                tbody { @for finding in &comparison.findings {
                    tr { td { code { (finding.id) } } td { (share(finding.before)) } td { (share(finding.after)) } }
                } }
            } }
        }
        @for note in &comparison.notes { p.faint { (note) } }
    }
}

/// Foreground seconds a second before and after, of the events with the most.
fn times_a_second(comparison: &Comparison) -> Markup {
    let rate = |line: &Difference| line.before.per_second.unwrap_or(0.0).max(line.after.per_second.unwrap_or(0.0));
    let mut lines: Vec<&Difference> =
        comparison.differences.iter().filter(|line| line.what == What::Time && rate(line) > 0.0).collect();
    lines.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
    let mut drawn = Vec::new();
    for line in lines.into_iter().take(DRAWN) {
        for (name, rates, colour) in [("before", line.before, "unaccounted"), ("after", line.after, "bar")] {
            let value = rates.per_second.unwrap_or(0.0);
            let words = format!("{} a second", seconds(value));
            drawn.push(Bar { label: format!("{}, {name}", line.measure), value, words, colour });
        }
    }
    pair_chart("Time a second", &drawn)
}

fn latencies(comparison: &Comparison) -> Markup {
    let mut drawn = Vec::new();
    let mut lines: Vec<&Difference> = comparison.differences.iter().filter(|line| line.what == What::Latency).collect();
    let longest = |line: &Difference| line.before.value.max(line.after.value);
    lines.sort_by(|a, b| longest(b).total_cmp(&longest(a)));
    for line in lines.into_iter().take(DRAWN) {
        for (name, rates, colour) in [("before", line.before, "unaccounted"), ("after", line.after, "bar")] {
            let words = milliseconds(rates.value);
            drawn.push(Bar { label: format!("{}, {name}", line.measure), value: rates.value, words, colour });
        }
    }
    pair_chart("Average wait", &drawn)
}

fn pair_chart(name: &str, drawn: &[Bar]) -> Markup {
    html! {
        @if !drawn.is_empty() {
            figure { figcaption { (name) small { "before and after" } } (PreEscaped(bars(name, drawn))) }
        }
    }
}

pub(super) fn timeline(timeline: &Timeline) -> Markup {
    let mut groups: Vec<(&str, Vec<&Interval>)> = Vec::new();
    for interval in &timeline.intervals {
        match groups.last_mut() {
            Some((database, intervals)) if *database == interval.database => intervals.push(interval),
            _ => groups.push((&interval.database, vec![interval])),
        }
    }
    html! {
        h1 { "Time line" }
        @for (database, intervals) in &groups {
            h2 { (database) }
            @if intervals.len() > 1 { div.charts { (active_sessions(intervals)) } }
            div.scroll { table {
                thead { tr { th { "begin" } th { "length" } th.n { "active sessions" } th { "worst finding" } th { "stands out in" } } }
                tbody { @for interval in intervals { (row(interval)) } }
            } }
        }
        @for note in &timeline.notes { p.faint { (note) } }
    }
}

fn active_sessions(intervals: &[&Interval]) -> Markup {
    let drawn: Vec<Column> = intervals
        .iter()
        .map(|interval| {
            let value = interval.measures.get("average_active_sessions").copied().unwrap_or(0.0);
            let colour = if interval.stands_out.is_empty() { "bar" } else { "mark" };
            Column { label: interval.begin.clone().unwrap_or_default(), value, words: number(value), colour }
        })
        .collect();
    html! {
        figure.wide[intervals.len() > NARROW] {
            figcaption { "Average active sessions" small { "by interval; those that stand out in anything are marked" } }
            (PreEscaped(columns("Average active sessions by interval", &drawn)))
        }
    }
}

fn row(interval: &Interval) -> Markup {
    html! {
        tr.out[!interval.stands_out.is_empty()] {
            td { (interval.begin.as_deref().unwrap_or("not known")) br; span.faint.wrap { (interval.path) } }
            td { (interval.elapsed_s.map(duration).unwrap_or_default()) }
            td.n { (interval.measures.get("average_active_sessions").copied().map(number).unwrap_or_default()) }
            td { @if let Some(worst) = &interval.worst { (worst.id) " " (worst.severity.map(percent).unwrap_or_default()) } }
            td { @for line in outstanding(interval) { (line) br; } }
        }
    }
}
