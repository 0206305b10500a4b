//! Disks as one HTML page that needs no other file: a cell for so many tracks or allocation units, coloured by extent.

use std::fmt::Write as _;

use maud::{PreEscaped, html};

use super::super::page::{CELL, COLUMNS, STEP, document};
use super::{DiskMap, GroupMap, MappedDisk, Shown, heads, rows};

/// Lines of cells of a disk.
const LINES_MAX: usize = 32;
/// The hues of two extents in turn lie so many degrees apart: the golden angle keeps all of them different.
const HUE_STEP: f64 = 137.508;

const STYLE: &str = ".no{fill:#e9ecef}.mx{fill:#6c757d}h2{font-size:1rem;margin:1rem 0 .3rem}table{border-collapse:collapse;font-size:.85rem;margin:.5rem 0}\
td,th{padding:.1rem .8rem .1rem 0;text-align:right;font-variant-numeric:tabular-nums}\
@media(prefers-color-scheme:dark){.no{fill:#30363d}}";

/// The document.
#[must_use]
pub fn page(maps: &[DiskMap]) -> String {
    let title = maps.iter().map(|map| map.name.as_str()).collect::<Vec<_>>().join(", ");
    let body = html! {
        @for map in maps {
            section {
                h1 { (map.name) }
                p { (map.about) }
                @for group in &map.groups {
                    p {
                        "disk group " (group.name) ", allocation units of " (group.unit_bytes / 1024) " KB, disks: "
                        (group.disks.len()) ". A colour is an extent; grey is several, and the faint one none of them."
                        @if group.is_mirrored() { " Mirrors are paler than primary copies." }
                    }
                    @for disk in &group.disks { (of_disk(group, disk)) }
                }
            }
        }
    };
    document(&title, STYLE, &body)
}

fn of_disk(group: &GroupMap, disk: &MappedDisk) -> maud::Markup {
    let (step, cells) = disk.cells((COLUMNS * LINES_MAX) as u64);
    html! {
        h2 { (disk.about(disk.unit())) @if step > 1 { ", a cell for " (step) } }
        div.map { (PreEscaped(picture(disk, step, &cells))) }
        @if !disk.parts.is_empty() {
            details {
                summary { (disk.parts.len()) " parts" }
                table {
                    tr { @for head in heads(group, disk) { th { (head) } } }
                    @for row in rows(group, disk) { tr { @for cell in row { td { (cell) } } } }
                }
            }
        }
    }
}

fn picture(disk: &MappedDisk, step: u64, cells: &[Shown]) -> String {
    let (first, unit) = (disk.slots().start, disk.unit());
    let mut rects = String::new();
    for (number, cell) in cells.iter().enumerate() {
        let (left, top) = (number % COLUMNS * STEP, number / COLUMNS * STEP);
        let from = first + number as u64 * step;
        let slots = if step == 1 { format!("{unit} {from}") } else { format!("{unit}s from {from} on") };
        let fill = match &cell[..] {
            [] => "class=no".to_owned(),
            [(extent, copy), rest @ ..] if rest.iter().all(|(other, _)| other == extent) => {
                let hue = (*extent as f64 * HUE_STEP) % 360.0;
                let pale = if *copy > 0 { " fill-opacity=.45" } else { "" };
                format!("fill=\"hsl({hue:.0},60%,48%)\"{pale}")
            }
            _ => "class=mx".to_owned(),
        };
        let extents: Vec<String> = cell
            .iter()
            .map(|(extent, copy)| match copy {
                0 => format!("extent {extent}"),
                _ => format!("extent {extent}, mirror {copy}"),
            })
            .collect();
        let about = if extents.is_empty() { slots } else { format!("{slots}: {}", extents.join("; ")) };
        let _ = write!(rects, "<rect {fill} x={left} y={top} width={CELL} height={CELL}><title>{about}</title></rect>");
    }
    format!(
        "<svg role=img width={} height={} aria-label=\"disk {}\">{rects}</svg>",
        COLUMNS * STEP,
        cells.len().div_ceil(COLUMNS) * STEP,
        disk.number
    )
}
