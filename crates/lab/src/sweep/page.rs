//! A sweep as one HTML page that needs nothing beside it: charts as SVG within it, and a table of all points.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::{AUTO, Axes, Line, chart, code, colour};
use super::{Point, Sweep};
use crate::freelists::factor::Factor;
use crate::freelists::measured::Run;
use crate::freelists::setting::Setting;
use crate::interval::Estimate;
use crate::management::Management;
use crate::text::grouped;

/// Numbers of sessions that have a line of their own in a chart over FREELISTS.
const LINES_MAX: usize = 5;

pub(crate) const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:1220px;padding:0 1rem;background:#fff;color:#1b1f24}\
h1{font-size:1.35rem;line-height:1.25;margin:0 0 .3rem}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}p{margin:.25rem 0}.faint{color:#5d6878}\
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin:1rem 0}\
figure{margin:0;padding:.7rem;border:1px solid #d5dbe3;border-radius:.5rem;background:#fff;color:#1b1f24}figcaption{font-weight:600}\
svg{display:block;width:100%;height:auto}svg text{font-family:inherit}\
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;margin:.2rem 0 0;padding:0;font-size:.9rem}\
.legend i{display:inline-block;width:1rem;height:.25rem;margin-right:.35rem;vertical-align:middle}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .8rem .25rem 0;text-align:right;border-bottom:1px solid #d5dbe3;white-space:nowrap}th:first-child,td:first-child,td.text,th.text{text-align:left}\
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}.faint{color:#9aa5b4}th,td{border-color:#323c4b}}";

/// A figure that is drawn.
struct Drawn {
    title: &'static str,
    axis: &'static str,
    of: fn(&Run) -> f64,
}

const DRAWN: [Drawn; 3] = [
    Drawn { title: "Transactions a second", axis: "transactions/s", of: Run::transactions_per_s },
    Drawn { title: "Buffer busy waits of 1,000 transactions", axis: "waits", of: Run::waits_per_thousand },
    Drawn {
        title: "Time waited for busy buffers, of all sessions' time",
        axis: "% of sessions' time",
        of: share_of_time,
    },
];

/// Percent of the jobs' time; each session of a run counts for its whole length.
fn share_of_time(run: &Run) -> f64 {
    run.buffer_busy_s / (run.elapsed_s.max(1e-6) * run.processes.len().max(1) as f64) * 100.0
}

pub(super) fn page(sweep: &Sweep) -> String {
    let interval = sweep.points.iter().find_map(|point| point.arm.estimate(Run::transactions_per_s));
    let coverage = interval.filter(|interval| interval.runs > 1).map(|interval| interval.coverage * 100.0);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Highwater: freelists, bitmaps and sessions" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "Freelists, bitmaps and sessions" }
                p { "Jobs insert and commit single rows into one table. " "Each point: " (sweep.plan.words()) "." }
                @if let Some(coverage) = coverage {
                    p { "Marks are medians; the lines through them go from one repetition to another, with the median between them in " (format!("{coverage:.1}")) " % of all cases." }
                }
                @for note in &sweep.notes { p.faint { (note) } }
                @if sweep.sessions().len() > 1 {
                    h2 { "Over the number of sessions" }
                    (charts("sessions", &over_sessions(sweep)))
                }
                @for (factor, values) in &sweep.swept {
                    @if values.len() > 1 || sweep.sessions().len() == 1 {
                        h2 { "Over " (factor.name()) }
                        (charts(factor.name(), &over_factor(sweep, *factor, values)))
                    }
                }
                h2 { "All points" }
                (table(sweep))
            }
        }
    }
    .into_string()
}

/// The lines of each figure that is drawn.
type Lines = Vec<Vec<Line>>;

fn charts(x: &str, figures: &[Vec<Line>]) -> Markup {
    html! {
        div.charts {
            @for (drawn, lines) in DRAWN.iter().zip(figures) {
                figure {
                    figcaption { (drawn.title) }
                    (PreEscaped(chart(&Axes { about: &format!("{} over {x}", drawn.title), x, y: drawn.axis }, lines)))
                    ul.legend {
                        @for line in lines { li { i style=(format!("background:{}", code(line.colour))) {} (line.name) } }
                    }
                }
            }
        }
    }
}

/// A line for each setting.
fn over_sessions(sweep: &Sweep) -> Lines {
    let line = |(place, setting): (usize, Setting), of: fn(&Run) -> f64| {
        let points = sweep.sessions().into_iter().filter_map(|sessions| {
            let estimate = sweep.point(setting, sessions)?.arm.estimate(of)?;
            Some((f64::from(sessions), estimate))
        });
        let auto = setting.management == Management::Auto;
        Line {
            name: label(setting),
            colour: if auto { AUTO } else { colour(place) },
            beside: false,
            points: points.collect(),
        }
    };
    let of_figure = |drawn: &Drawn| sweep.settings().into_iter().enumerate().map(|at| line(at, drawn.of)).collect();
    DRAWN.iter().map(of_figure).collect()
}

/// A line for each number of sessions, and one of what bitmaps have: beside it where they take no notice of the factor.
fn over_factor(sweep: &Sweep, factor: Factor, values: &[u16]) -> Lines {
    let all = sweep.sessions();
    let shown: Vec<u32> = if all.len() <= LINES_MAX {
        all
    } else {
        (0..LINES_MAX).map(|at| all[at * (all.len() - 1) / (LINES_MAX - 1)]).collect()
    };
    let alone = shown.len() == 1;
    let name = |management: &str, sessions| {
        if alone { management.to_owned() } else { format!("{management}, {}", jobs(sessions)) }
    };
    let bitmaps = sweep.bitmaps();
    let lines = |drawn: &Drawn| {
        let mut lines = Vec::new();
        for (place, sessions) in shown.iter().copied().enumerate() {
            let of = |setting: Setting| sweep.point(setting, sessions).and_then(|point| point.arm.estimate(drawn.of));
            let over = |base: Setting| {
                values.iter().filter_map(|value| Some((f64::from(*value), of(factor.with(base, *value))?))).collect()
            };
            let points = over(sweep.base);
            lines.push(Line { name: name("manual", sessions), colour: colour(place), beside: false, points });
            let Some(bitmaps) = bitmaps else { continue };
            let counts = factor.counts_under(Management::Auto);
            let points = if counts {
                over(bitmaps)
            } else {
                let ends = [values.first(), values.last()].into_iter().flatten();
                ends.filter_map(|value| Some((f64::from(*value), of(bitmaps)?))).collect()
            };
            let colour = if alone { AUTO } else { colour(place) };
            lines.push(Line { name: name("auto", sessions), colour, beside: !counts, points });
        }
        lines
    };
    DRAWN.iter().map(lines).collect()
}

fn jobs(sessions: u32) -> String {
    if sessions == 1 { "1 session".to_owned() } else { format!("{sessions} sessions") }
}

/// A setting's name; of FREELISTS and the like nothing is said under bitmaps, where they mean nothing.
pub(super) fn label(setting: Setting) -> String {
    if setting.management == Management::Manual {
        return setting.name();
    }
    let others = setting.others().filter(|(factor, _)| factor.counts_under(setting.management));
    let others: String = others.map(|(factor, value)| format!(", {} {value}", factor.name())).collect();
    let index = if setting.index_freelists.is_some() { ", an index" } else { "" };
    format!("{}{others}{index}", setting.management.as_str())
}

/// The median, and the interval where there is one.
fn shown(estimate: Option<Estimate>, show: fn(f64) -> String) -> String {
    estimate.map_or("-".to_owned(), |estimate| {
        if estimate.runs == 1 {
            return show(estimate.median);
        }
        format!("{} ({} to {})", show(estimate.median), show(estimate.low), show(estimate.high))
    })
}

fn whole(value: f64) -> String {
    grouped(value.round() as u64)
}

fn parts(value: f64) -> String {
    format!("{value:.2}")
}

fn table(sweep: &Sweep) -> Markup {
    let classes = |point: &Point| {
        let mut classes = point.arm.waits_by_class();
        classes.sort_by(|a, b| b.waits.total_cmp(&a.waits));
        let words: Vec<String> =
            classes.iter().take(3).map(|waits| format!("{} {}", waits.class, whole(waits.waits))).collect();
        if words.is_empty() { "none".to_owned() } else { words.join(", ") }
    };
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th { "setting" }
                        th { "sessions" }
                        th { "transactions/s" }
                        th { "buffer busy waits of 1,000" }
                        th { "% of sessions' time" }
                        th.text { "most waits by block class" }
                    }
                }
                tbody {
                    @for point in &sweep.points {
                        tr {
                            td { (label(point.arm.setting)) }
                            td { (point.sessions) }
                            td { (shown(point.arm.estimate(Run::transactions_per_s), whole)) }
                            td { (shown(point.arm.estimate(Run::waits_per_thousand), parts)) }
                            td { (shown(point.arm.estimate(share_of_time), parts)) }
                            td.text { (classes(point)) }
                        }
                    }
                }
            }
        }
    }
}
