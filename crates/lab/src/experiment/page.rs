//! A sweep as one HTML page that needs nothing beside it: charts as SVG within it, and a table of all points.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::chart::{Axes, Line, chart, code, colour};
use super::factor::{Factor, Role};
use super::figure::{Cells, Figure};
use super::setting::Setting;
use super::sweep::Sweep;
use super::workload::Workload;
use crate::interval::Estimate;

/// Values of a crossed factor that have lines of their own in a chart over another.
const CROSSED_MAX: usize = 5;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:1.5rem auto;max-width:1220px;padding:0 1rem;background:#fff;color:#1b1f24}\
h1{font-size:1.35rem;line-height:1.25;margin:0 0 .3rem}h2{font-size:1.1rem;margin:1.6rem 0 .4rem}p{margin:.25rem 0}.faint{color:#5d6878}\
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin:1rem 0}\
figure{margin:0;padding:.7rem;border:1px solid #d5dbe3;border-radius:.5rem;background:#fff;color:#1b1f24}figcaption{font-weight:600}\
svg{display:block;width:100%;height:auto}svg text{font-family:inherit}\
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;margin:.2rem 0 0;padding:0;font-size:.9rem}\
.legend i{display:inline-block;width:1rem;height:.25rem;margin-right:.35rem;vertical-align:middle}\
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .8rem .25rem 0;text-align:right;border-bottom:1px solid #d5dbe3;white-space:nowrap}th:first-child,td:first-child,td.text,th.text{text-align:left}\
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}.faint{color:#9aa5b4}th,td{border-color:#323c4b}}";

pub(super) fn page<W: Workload>(sweep: &Sweep<W>) -> String {
    let first = sweep.points.first().and_then(|point| point.estimate(|_| 0.0));
    let coverage = first.filter(|interval| interval.runs > 1).map(|interval| interval.coverage * 100.0);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Highwater: " (sweep.texts.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (sweep.texts.title) }
                p { ((sweep.texts.about)(&sweep.plan)) " Each point: " (sweep.plan.words()) "." }
                @if let Some(coverage) = coverage {
                    p {
                        "Marks are medians; the lines through them go from one repetition to another, with the median "
                        "between them in " (format!("{coverage:.1}")) " % of all cases."
                    }
                }
                @for note in sweep.notes.iter().chain(&sweep.device_lines()) { p.faint { (note) } }
                @for (factor, values) in &sweep.crossed {
                    h2 { "Over the number of " (factor.name) }
                    (charts(sweep, factor, values, &sweep.arms(factor, values)))
                }
                @for (factor, values) in &sweep.swept {
                    @if values.len() > 1 || sweep.crossed.is_empty() {
                        h2 { "Over " (factor.name) }
                        (charts(sweep, factor, values, &sweep.lines()))
                    }
                }
                h2 { "All points" }
                (table(sweep))
            }
        }
    }
    .into_string()
}

/// Charts over a factor: a line for each of these settings, by its name.
fn charts<W: Workload>(sweep: &Sweep<W>, factor: &Factor, values: &[u32], lines: &[(String, Setting)]) -> Markup {
    let axis =
        if factor.unit.is_empty() { factor.name.to_owned() } else { format!("{}, {}", factor.name, factor.unit) };
    let lines = |figure: &Figure<W::Run>| -> Vec<Line> {
        let line = |(place, (name, base)): (usize, &(String, Setting))| {
            // Beside the others where the factor means nothing.
            let counts = (factor.counts)(base);
            let of = |value: &u32| {
                let setting = if counts { base.with(factor, *value) } else { *base };
                Some((f64::from(*value), sweep.estimate(setting, figure)?))
            };
            let points = values.iter().filter_map(of).collect();
            Line { name: name.clone(), colour: colour(place), beside: !counts, points }
        };
        lines.iter().enumerate().map(line).collect()
    };
    let drawn = sweep.declaration.figures.iter().filter_map(|figure| Some((figure.chart?, lines(figure))));
    html! {
        @if !factor.why.is_empty() { p { (factor.why) "." } }
        div.charts {
            @for (about, lines) in drawn {
                figure {
                    figcaption { (about.title) }
                    (PreEscaped(chart(
                        &Axes { about: &format!("{} over {}", about.title, factor.name), x: &axis, y: about.axis },
                        &lines,
                    )))
                    ul.legend {
                        @for line in &lines { li { i style=(format!("background:{}", code(line.colour))) {} (line.name) } }
                    }
                }
            }
        }
    }
}

impl<W: Workload> Sweep<W> {
    fn estimate(&self, setting: Setting, figure: &Figure<W::Run>) -> Option<Estimate> {
        let point = self.points.iter().find(|point| point.setting == setting)?;
        point.estimate(|run| (figure.of)(run, &setting))
    }

    /// Lines over a crossed factor: a setting each.
    fn arms(&self, factor: &Factor, values: &[u32]) -> Vec<(String, Setting)> {
        let first = self
            .points
            .iter()
            .map(|point| point.setting)
            .filter(|point| point.value(factor) == values.first().copied());
        first.map(|setting| (setting.label(), setting)).collect()
    }

    /// Lines over another factor: `manual`, and `manual, 3 sessions` if there are several numbers of sessions.
    fn lines(&self) -> Vec<(String, Setting)> {
        let is_shown = |base: &&Setting| {
            self.crossed.iter().all(|(factor, all)| {
                let count = all.len().min(CROSSED_MAX);
                (0..count).any(|at| all[at * (all.len() - 1) / (count - 1).max(1)] == base.number(factor))
            })
        };
        let factors = self.declaration.of_role(Role::Line).chain(self.crossed.iter().map(|(factor, _)| *factor));
        let factors: Vec<&Factor> = factors.collect();
        let name = |base: &Setting| {
            let words = factors.iter().map(|factor| (factor.words)(base.number(factor)));
            let name = words.collect::<Vec<_>>().join(", ");
            if name.is_empty() { "measured".to_owned() } else { name }
        };
        self.bases.iter().filter(is_shown).map(|base| (name(base), *base)).collect()
    }
}

fn table<W: Workload>(sweep: &Sweep<W>) -> Markup {
    let (heads, rows) = sweep.table(|cells| cells != Cells::None);
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        @for head in heads { th { (head) } }
                        @if let Some((head, _)) = &sweep.texts.remark { th.text { (head) } }
                    }
                }
                tbody {
                    @for (row, point) in rows.iter().zip(&sweep.points) {
                        tr {
                            @for cell in row { td { (cell) } }
                            @if let Some((_, words)) = &sweep.texts.remark { td.text { (words(point)) } }
                        }
                    }
                }
            }
        }
    }
}
