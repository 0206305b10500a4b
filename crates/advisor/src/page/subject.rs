//! One report on the page.

use maud::{Markup, PreEscaped, html};
use report::model::EventHistogram;

use super::charts::{Bar, Column, Part, bars, columns, stacked};
use crate::analysis::{Analysis, DbTime, Finding};
use crate::files::{EventLine, Facts, Side, Subject};
use crate::screen::bar::look_of;
use crate::screen::number::{bytes, milliseconds, number, percent, range, seconds};
use crate::screen::{OVERLAP, cannot_tell, confidence, database, none_found, weight, window};

/// Bars of a chart.
const BARS: usize = 12;
/// Histograms.
const HISTOGRAMS: usize = 9;

pub(super) fn subject(subject: &Subject, number: usize) -> Markup {
    let (facts, analysis) = (&subject.facts, &subject.analysis);
    html! {
        section.subject id=(format!("report-{number}")) {
            h1 { (database(facts)) }
            p.faint.wrap {
                (subject.source.words())
                @if let Some(release) = &facts.identity.release { ", release " (release) }
                @if let Some(host) = &facts.host.name { ", on " (host) }
                @if let Some(platform) = &facts.host.platform { ", " (platform) }
                ", " (subject.label())
            }
            @if let Some(window) = window(facts) { p { (window) } }
            (tiles(facts))
            @if let Some(db_time) = &analysis.db_time { (whole(db_time, subject.source.whole())) }
            h2 { "Findings" }
            @if analysis.findings.is_empty() { p { (none_found(analysis)) } }
            @for finding in &analysis.findings { (one_finding(finding, subject)) }
            @if analysis.findings.len() > 1 { p.faint { (OVERLAP) } }
            (excluded(analysis))
            (charts(facts, number))
            (sums(analysis))
            @if !analysis.notes.is_empty() {
                h2 { "Notes" }
                ul { @for note in &analysis.notes { li.wrap { (note) } } }
            }
            @if !subject.warnings.is_empty() {
                h2 { "Not read" }
                ul { @for warning in &subject.warnings { li.wrap { (warning) } } }
            }
        }
    }
}

fn tiles(facts: &Facts) -> Markup {
    let host = &facts.host;
    let pair = |one: Option<f64>, other: Option<f64>, show: fn(f64) -> String| match (one, other) {
        (Some(one), Some(other)) if one != other => Some(format!("{} to {}", show(one), show(other))),
        (one, other) => one.or(other).map(show),
    };
    let tiles: Vec<(&str, Option<String>, Option<String>)> = vec![
        (
            "Average active sessions",
            facts.average_active_sessions.map(number),
            host.cpus.map(|cpus| format!("on {} CPUs", number(cpus))),
        ),
        (
            "Run queue",
            pair(host.load_begin, host.load_end, number),
            host.load_most.map(|most| format!("up to {}", number(most))),
        ),
        ("Host busy", host.busy_percent.map(|busy| percent(busy / 100.0)), None),
        (
            "Swap free",
            pair(host.swap_free_begin_bytes, host.swap_free_end_bytes, bytes),
            host.paged_out_bytes.filter(|out| *out > 0.0).map(|out| format!("{} paged out", bytes(out))),
        ),
        ("Sessions", pair(facts.window.begin.sessions, facts.window.end.sessions, number), None),
        ("Transactions", facts.work.transactions.map(number), rate(facts, facts.work.transactions)),
        ("Redo", facts.work.redo_bytes.map(bytes), None),
        ("Blocks read", facts.work.physical_reads.map(number), rate(facts, facts.work.physical_reads)),
    ];
    html! {
        dl.tiles {
            @for (name, value, more) in tiles {
                @if let Some(value) = value {
                    div { dt { (name) } dd { (value) @if let Some(more) = more { small { (more) } } } }
                }
            }
        }
    }
}

fn rate(facts: &Facts, total: Option<f64>) -> Option<String> {
    let elapsed = facts.window.elapsed_s.filter(|elapsed| *elapsed > 0.0)?;
    Some(format!("{} a second", number(total? / elapsed)))
}

/// The bar of DB time with its legend.
fn whole(db_time: &DbTime, name: &str) -> Markup {
    let parts = db_time.parts();
    let drawn: Vec<Part> = parts.iter().map(|part| Part { value: part.seconds, colour: part.look.token }).collect();
    let share = |part: f64| percent(part / db_time.total_s.max(f64::MIN_POSITIVE));
    let about: Vec<String> = parts.iter().map(|part| format!("{} {}", part.name, share(part.seconds))).collect();
    html! {
        figure.bar {
            figcaption { (name) " " (seconds(db_time.total_s)) }
            (PreEscaped(stacked(&format!("{name}: {}", about.join(", ")), &drawn, db_time.bar_s())))
            ul.legend {
                @for part in &parts {
                    li { i class=(format!("c-{}", part.look.token)) {} (part.name) " " (seconds(part.seconds)) " " span.faint { (share(part.seconds)) } }
                }
            }
            @match db_time.unaccounted_s {
                Some(rest) if rest < 0.0 => { p.faint { (seconds(-rest)) " more is counted than " (name) " holds." } }
                None => { p.faint { "What is unaccounted for cannot be told: a part is missing." } }
                _ => {}
            }
        }
    }
}

fn one_finding(finding: &Finding, subject: &Subject) -> Markup {
    let class = match finding.severity {
        Some(severity) if severity >= 0.2 => "finding much",
        Some(severity) if severity >= 0.05 => "finding some",
        _ => "finding",
    };
    html! {
        article class=(class) {
            h3 { code { (finding.id) } " " (finding.title) }
            p.weight { (weight(finding, subject.source)) }
            @if !finding.evidence.is_empty() {
                h4 { "Evidence" }
                ul { @for line in &finding.evidence { li { (line.text) " " span.faint { "(" (line.section) ")" } } } }
            }
            @if !finding.doubts.is_empty() {
                h4 { "What argues against it, or is not proved (" (confidence(finding.confidence)) " confidence)" }
                ul { @for doubt in &finding.doubts { li { (doubt) } } }
            }
            @if let Some(saving) = &finding.saving {
                h4 { "What it is worth" }
                p { (range(saving.low_s, saving.high_s)) " of " (subject.source.whole()) ", assuming: " (saving.assumption) }
            }
            @if !finding.advice.is_empty() {
                h4 { "What to do" }
                ul { @for advice in &finding.advice { li { (advice) } } }
            }
            @if let Some(experiment) = finding.experiment {
                p.faint { "To see it happen: " code { (experiment.command()) } @if experiment.planned { " (planned)" } }
            }
        }
    }
}

fn excluded(analysis: &Analysis) -> Markup {
    html! {
        @if !analysis.ruled_out.is_empty() {
            details open[analysis.ruled_out.len() <= 12] {
                summary { "Ruled out (" (analysis.ruled_out.len()) ")" }
                dl.plain { @for ruled in &analysis.ruled_out { dt { (ruled.id) } dd { (ruled.reason) } } }
            }
        }
        @if !analysis.cannot_tell.is_empty() {
            details open {
                summary { "Cannot tell (" (analysis.cannot_tell.len()) ")" }
                dl.plain {
                    @for (missing, ids) in cannot_tell(&analysis.cannot_tell) { dt { (ids.join(", ")) } dd { (missing) } }
                }
            }
        }
    }
}

fn charts(facts: &Facts, place: usize) -> Markup {
    let foreground: Vec<&EventLine> = facts.events.iter().filter(|event| event.side != Side::Background).collect();
    let background: Vec<&EventLine> = facts.events.iter().filter(|event| event.side == Side::Background).collect();
    let together = foreground.iter().any(|event| event.side == Side::Both);
    let name = if together { "Waits, foreground and background" } else { "Waits in the foreground" };
    let histograms = histograms(facts);
    html! {
        h2 id=(format!("charts-{place}")) { "Charts" }
        div.charts {
            (events(name, &foreground))
            (events("Waits in the background", &background))
            (files(facts, "Read latency", |file| file.read_ms, |file| file.reads))
            (files(facts, "Write latency", |file| file.write_ms, |file| file.writes))
            @for histogram in histograms { (one_histogram(histogram)) }
        }
    }
}

fn events(name: &str, lines: &[&EventLine]) -> Markup {
    let drawn: Vec<Bar> = lines
        .iter()
        .filter(|event| event.total_s.is_some_and(|total| total > 0.0))
        .take(BARS)
        .map(|event| {
            let total = event.total_s.unwrap_or(0.0);
            let words = match event.average_ms {
                Some(average) => format!("{}, {} each", seconds(total), milliseconds(average)),
                None => seconds(total),
            };
            Bar { label: event.name.clone(), value: total, words, colour: look_of(event.class.as_deref()).token }
        })
        .collect();
    html! {
        @if !drawn.is_empty() {
            figure { figcaption { (name) small { "total time and average of each event" } } (PreEscaped(bars(name, &drawn))) }
        }
    }
}

fn files(
    facts: &Facts,
    name: &str,
    latency: impl Fn(&crate::files::FileLine) -> Option<f64>,
    requests: impl Fn(&crate::files::FileLine) -> Option<f64>,
) -> Markup {
    let mut lines: Vec<(&crate::files::FileLine, f64, f64)> = facts
        .files
        .iter()
        .filter_map(|file| Some((file, latency(file)?, requests(file).filter(|count| *count > 0.0)?)))
        .collect();
    lines.sort_by(|a, b| b.2.total_cmp(&a.2));
    let drawn: Vec<Bar> = lines
        .iter()
        .take(BARS)
        .map(|(file, latency, count)| Bar {
            label: file.file.clone().unwrap_or_else(|| file.tablespace.clone()),
            value: *latency,
            words: format!("{} x {}", milliseconds(*latency), number(*count)),
            colour: "bar",
        })
        .collect();
    let by = if facts.files.iter().any(|file| file.file.is_some()) { "file" } else { "tablespace" };
    html! {
        @if !drawn.is_empty() {
            figure {
                figcaption { (name) " by " (by) small { "average of those with the most requests, and how many there were" } }
                (PreEscaped(bars(name, &drawn)))
            }
        }
    }
}

/// The histograms of the events with the most time, and of the redo events whatever their time.
fn histograms(facts: &Facts) -> Vec<&EventHistogram> {
    let rank = |histogram: &EventHistogram| {
        let redo = ["log file parallel write", "log file sync"].contains(&histogram.name.as_str());
        let place = facts.events.iter().position(|event| event.name == histogram.name);
        (!redo, place.unwrap_or(usize::MAX))
    };
    let wanted = |histogram: &&EventHistogram| {
        let filled = histogram.buckets.iter().any(|bucket| bucket.percent > 0.0);
        filled && rank(histogram) != (true, usize::MAX)
    };
    let mut found: Vec<&EventHistogram> = facts.histograms.iter().filter(wanted).collect();
    found.sort_by_key(|histogram| rank(histogram));
    // One event may have several tables, in finer and coarser steps: the finest stays.
    let mut kept: Vec<&EventHistogram> = Vec::new();
    for histogram in found {
        match kept.iter_mut().find(|known| known.name == histogram.name) {
            Some(known) if known.buckets.len() < histogram.buckets.len() => *known = histogram,
            Some(_) => {}
            None => kept.push(histogram),
        }
    }
    kept.truncate(HISTOGRAMS);
    kept
}

fn one_histogram(histogram: &EventHistogram) -> Markup {
    let mut last = None;
    let mut drawn: Vec<Column> = Vec::new();
    for bucket in &histogram.buckets {
        let label = match (bucket.below_us, last) {
            (Some(below), _) => format!("<{}", short_time(below)),
            (None, Some(last)) => format!(">{}", short_time(last)),
            (None, None) => String::new(),
        };
        last = bucket.below_us.or(last);
        let words = if bucket.percent >= 1.0 { format!("{:.0} %", bucket.percent) } else { String::new() };
        drawn.push(Column { label, value: bucket.percent, words, colour: "bar" });
    }
    // Empty ends say nothing.
    let filled = |column: &Column| column.value > 0.0;
    let first = drawn.iter().position(filled).unwrap_or(0);
    let end = drawn.iter().rposition(filled).map_or(0, |at| at + 1);
    let about = format!("How the waits for {} are spread", histogram.name);
    html! {
        figure {
            figcaption {
                (histogram.name)
                small {
                    @if let Some(waits) = histogram.waits { (number(waits.value)) " waits, " }
                    "share by length"
                }
            }
            (PreEscaped(columns(&about, &drawn[first..end])))
        }
    }
}

/// A bucket's bound without more digits than it has.
fn short_time(microseconds: f64) -> String {
    match microseconds {
        _ if microseconds < 1e3 => format!("{}us", number(microseconds)),
        _ if microseconds < 1e6 => format!("{}ms", number((microseconds / 1e3).round())),
        _ => format!("{}s", number((microseconds / 1e6).round())),
    }
}

fn sums(analysis: &Analysis) -> Markup {
    html! {
        @if !analysis.sums.is_empty() {
            details {
                summary { "Sums and their inputs (" (analysis.sums.len()) ")" }
                div.scroll { table {
                    thead { tr { th { "figure" } th.n { "value" } th { "formula" } th { "inputs" } } }
                    tbody {
                        @for sum in &analysis.sums {
                            tr {
                                td { code { (sum.name) } }
                                td.n { (number(sum.value)) }
                                td { (sum.formula) }
                                td {
                                    @for input in &sum.inputs {
                                        (input.name) " = " (number(input.value)) " " (input.unit) " " span.faint { "(" (input.section) ")" } br;
                                    }
                                }
                            }
                        }
                    }
                } }
            }
        }
    }
}
