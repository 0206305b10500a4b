//! The sweep as one HTML page that needs nothing beside it: charts as SVG within it, and a table of all points.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{GrowthSweep, seconds};
use crate::block_size::pctfree::measured::Run;
use crate::block_size::pctfree::setting::BLOCK_BYTES;
use crate::interval::Estimate;
use crate::sweep::chart::{Axes, Line, chart, code, colour};
use crate::sweep::page::STYLE;
use crate::text::grouped;

/// A figure that is drawn.
struct Drawn {
    title: &'static str,
    axis: &'static str,
    /// Of a run with blocks of so many bytes.
    of: fn(&Run, u32) -> f64,
}

const DRAWN: [Drawn; 6] = [
    Drawn {
        title: "Blocks of the table before the update, in MB",
        axis: "MB",
        of: |run, size| megabytes(run.blocks[0], size),
    },
    Drawn {
        title: "Blocks of the table after the update, in MB",
        axis: "MB",
        of: |run, size| megabytes(run.blocks[1], size),
    },
    Drawn { title: "Rows that migrated", axis: "rows", of: |run, _| run.migrated as f64 },
    Drawn { title: "Time of the update", axis: "s", of: |run, _| run.update_s },
    Drawn { title: "Time of a full scan after it", axis: "s", of: |run, _| run.scan_s },
    Drawn { title: "Gets of that scan", axis: "gets", of: |run, _| run.scan_gets as f64 },
];

fn megabytes(blocks: u64, block_bytes: u32) -> f64 {
    blocks as f64 * f64::from(block_bytes) / f64::from(1 << 20)
}

pub(super) fn page(sweep: &GrowthSweep) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Highwater: PCTFREE and block size" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "PCTFREE and block size" }
                p { (grouped(sweep.rows)) " rows of one number are inserted; then an update gives each of them a second one as long." }
                p { "Medians of " (sweep.repetitions) "; lines through marks go from one repetition to another." }
                @for note in &sweep.notes { p.faint { (note) } }
                div.charts { @for drawn in &DRAWN { (figure(sweep, drawn)) } }
                h2 { "All points" }
                (table(sweep))
            }
        }
    }
    .into_string()
}

fn figure(sweep: &GrowthSweep, drawn: &Drawn) -> Markup {
    let lines: Vec<Line> =
        BLOCK_BYTES.into_iter().enumerate().map(|(place, bytes)| line(sweep, drawn, place, bytes)).collect();
    let about = format!("{} over PCTFREE", drawn.title);
    html! {
        figure {
            figcaption { (drawn.title) }
            (PreEscaped(chart(&Axes { about: &about, x: "PCTFREE", y: drawn.axis }, &lines)))
            ul.legend {
                @for line in &lines { li { i style=(format!("background:{}", code(line.colour))) {} (line.name) } }
            }
        }
    }
}

/// The line of a block size.
fn line(sweep: &GrowthSweep, drawn: &Drawn, place: usize, block_bytes: u32) -> Line {
    let points = sweep.points.iter().filter(|point| point.setting.block_bytes == block_bytes);
    let points = points.filter_map(|point| {
        let values: Vec<f64> = point.runs.iter().map(|run| (drawn.of)(run, block_bytes)).collect();
        Some((f64::from(point.setting.pctfree), Estimate::of(&values)?))
    });
    Line { name: format!("{} KB", block_bytes / 1024), colour: colour(place), beside: false, points: points.collect() }
}

fn table(sweep: &GrowthSweep) -> Markup {
    html! {
        div.scroll {
            table {
                thead {
                    tr {
                        th { "setting" }
                        th { "blocks before" }
                        th { "after" }
                        th { "rows migrated" }
                        th { "update s" }
                        th { "scan s" }
                        th { "gets of the scan" }
                    }
                }
                tbody {
                    @for point in &sweep.points {
                        @if let Some(run) = point.last() {
                            tr {
                                td { (point.setting.name()) }
                                td { (grouped(run.blocks[0])) }
                                td { (grouped(run.blocks[1])) }
                                td { (grouped(run.migrated)) }
                                td { (seconds(point.update_s())) }
                                td { (seconds(point.scan_s())) }
                                td { (grouped(run.scan_gets)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
