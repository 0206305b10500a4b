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
                @for note in &sweep.notes { p.faint { (note) } }
                @for (factor, _) in sweep.crossed().filter(|(_, values)| values.len() > 1) {
                    h2 { "Over the number of " (factor.name) }
                    (charts(sweep, factor, |figure| over_crossed(sweep, factor, figure)))
                }
                @for (factor, values) in &sweep.swept {
                    @if values.len() > 1 || sweep.crossed().all(|(_, values)| values.len() == 1) {
                        h2 { "Over " (factor.name) }
                        (charts(sweep, factor, |figure| over_factor(sweep, factor, values, figure)))
                    }
                }
                h2 { "All points" }
                (table(sweep))
            }
        }
    }
    .into_string()
}

fn charts<W: Workload>(
    sweep: &Sweep<W>,
    factor: &Factor,
    lines: impl Fn(&'static Figure<W::Run>) -> Vec<Line>,
) -> Markup {
    let axis =
        if factor.unit.is_empty() { factor.name.to_owned() } else { format!("{}, {}", factor.name, factor.unit) };
    let drawn = sweep.declaration.figures.iter().filter_map(|figure| Some((figure.chart?, lines(figure))));
    html! {
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

/// A line for each setting.
fn over_crossed<W: Workload>(sweep: &Sweep<W>, factor: &Factor, figure: &Figure<W::Run>) -> Vec<Line> {
    let mut settings: Vec<Setting> = Vec::new();
    for point in &sweep.points {
        if !settings.iter().any(|setting| setting.is_arm(&point.setting)) {
            settings.push(point.setting);
        }
    }
    let line = |(place, setting): (usize, Setting)| {
        let points = sweep
            .values(factor)
            .into_iter()
            .filter_map(|value| Some((f64::from(value), sweep.estimate(setting.with(factor, value), figure)?)));
        Line { name: setting.label(), colour: colour(place), beside: false, points: points.collect() }
    };
    settings.into_iter().enumerate().map(line).collect()
}

/// A line for each value of the crossed factors and of those that are lines; beside the others where the factor means
/// nothing.
fn over_factor<W: Workload>(sweep: &Sweep<W>, factor: &Factor, values: &[u32], figure: &Figure<W::Run>) -> Vec<Line> {
    let mut lines = Vec::new();
    for base in sweep.shown() {
        let counts = (factor.counts)(base);
        let of = |value: &u32| {
            let setting = if counts { base.with(factor, *value) } else { *base };
            Some((f64::from(*value), sweep.estimate(setting, figure)?))
        };
        let points = values.iter().filter_map(of).collect();
        lines.push(Line { name: sweep.line_name(base), colour: colour(lines.len()), beside: !counts, points });
    }
    lines
}

impl<W: Workload> Sweep<W> {
    /// The values of a factor at the points, least first.
    fn values(&self, factor: &Factor) -> Vec<u32> {
        let mut values: Vec<u32> = self.points.iter().map(|point| point.setting.number(factor)).collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn estimate(&self, setting: Setting, figure: &Figure<W::Run>) -> Option<Estimate> {
        let point = self.points.iter().find(|point| point.setting == setting)?;
        point.estimate(|run| (figure.of)(run, &setting))
    }

    /// The crossed factors: their values at the points.
    fn crossed(&self) -> impl Iterator<Item = (&'static Factor, Vec<u32>)> {
        self.declaration.of_role(Role::Crossed).map(|factor| (factor, self.values(factor)))
    }

    /// The lines of a chart, with so many values of each crossed factor at most.
    fn shown(&self) -> impl Iterator<Item = &Setting> {
        let kept = self.crossed().map(|(factor, all)| {
            let count = all.len().min(CROSSED_MAX);
            let places = (0..count).map(|at| at * (all.len() - 1) / (count - 1).max(1));
            (factor, places.map(|place| all[place]).collect::<Vec<u32>>())
        });
        let kept: Vec<_> = kept.collect();
        self.bases.iter().filter(move |base| kept.iter().all(|(factor, values)| values.contains(&base.number(factor))))
    }

    /// `manual`, and `manual, 3 sessions` where there are several numbers of them.
    fn line_name(&self, base: &Setting) -> String {
        let crossed = self.crossed().filter(|(_, values)| values.len() > 1).map(|(factor, _)| factor);
        let factors = self.declaration.of_role(Role::Line).chain(crossed);
        let name = factors.map(|factor| (factor.words)(base.number(factor))).collect::<Vec<_>>().join(", ");
        if name.is_empty() { "measured".to_owned() } else { name }
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
