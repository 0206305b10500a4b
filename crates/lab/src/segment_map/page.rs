//! The map as one HTML page that needs no other file: a cell a block, with the figures of the block behind it.

use std::fmt::Write as _;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use storage::control::SpaceManagement;
use storage::segment::{BlockUse, Freelist, MappedBlock};

use super::SegmentMap;
use super::kind::CellKind;

/// Cells in a row.
pub(super) const COLUMNS: usize = 128;
/// Pixels from cell to cell, and of a cell.
pub(super) const STEP: usize = 9;
pub(super) const CELL: usize = 8;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:1180px;padding:0 1rem;background:#fff;color:#1b1f24}\
h1{font-size:1.25rem;margin:0 0 .3rem}section+section{margin-top:2rem}p{margin:.2rem 0}.legend{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;margin:1rem 0;padding:0;list-style:none}\
.legend svg{vertical-align:-1px;margin-right:.35rem}.map{overflow-x:auto}.map svg{display:block}.mg{fill:none;stroke:#e03131;stroke-width:1.6}\
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}}";

/// The document.
#[must_use]
pub fn page(maps: &[SegmentMap]) -> String {
    let mut style = String::new();
    let mut dark = String::new();
    for kind in KINDS {
        let (class, light, at_night) = kind.page_colour();
        let _ = write!(style, ".{class}{{fill:{light}}}");
        let _ = write!(dark, ".{class}{{fill:{at_night}}}");
    }
    let _ = write!(style, "@media(prefers-color-scheme:dark){{{dark}}}");
    let title = maps.iter().map(|map| map.name.as_str()).collect::<Vec<_>>().join(", ");
    let body = html! {
        @for map in maps {
            @let sums = map.sums();
            @let automatic = map.map.management == SpaceManagement::Auto;
            section {
                h1 { (map.name) }
                p { (map.about()) }
                p { (sums.rows()) }
                ul.legend {
                    @for (kind, blocks) in &sums.by_kind {
                        li { (swatch(*kind)) (kind.label(automatic)) ": " (blocks) }
                    }
                    @if sums.migrated_away > 0 { li { (PreEscaped("<svg width=11 height=11><rect class=mg x=1 y=1 width=9 height=9 /></svg>")) "rows have migrated from it" } }
                }
                div.map { (PreEscaped(cells(map))) }
            }
        }
    };
    document(&title, &style, &body)
}

/// A page of maps; `style` adds to the common one.
pub(super) fn document(title: &str, style: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "Highwater: map of " (title) }
                style { (PreEscaped(STYLE)) (PreEscaped(style)) }
            }
            body { (body) }
        }
    }
    .into_string()
}

const KINDS: [CellKind; 19] = [
    CellKind::Header,
    CellKind::ExtentMap,
    CellKind::FreelistGroup,
    CellKind::Bitmap3,
    CellKind::Bitmap2,
    CellKind::Bitmap1,
    CellKind::Master,
    CellKind::Process,
    CellKind::Transaction,
    CellKind::Full,
    CellKind::Free25,
    CellKind::Free50,
    CellKind::Free75,
    CellKind::Free100,
    CellKind::Branch,
    CellKind::Leaf,
    CellKind::FreeIndexBlock,
    CellKind::Unformatted,
    CellKind::AboveHighWater,
];

fn swatch(kind: CellKind) -> PreEscaped<String> {
    PreEscaped(format!("<svg width=11 height=11><rect class={} width=11 height=11 /></svg>", kind.page_colour().0))
}

/// A row of cells for each part of an extent; a gap of half a row before the next extent.
fn cells(map: &SegmentMap) -> String {
    let mut rects = String::new();
    let mut top = 0;
    for extent in &map.map.extents {
        for row in extent.chunks(COLUMNS) {
            for (at, block) in row.iter().enumerate() {
                let (left, kind) = (at * STEP, CellKind::of(block));
                let _ = write!(
                    rects,
                    "<rect class={} x={left} y={top} width={CELL} height={CELL}><title>{}</title></rect>",
                    kind.page_colour().0,
                    about(block, map)
                );
                if matches!(block.holds, BlockUse::Rows(rows) if rows.migrated_away > 0) {
                    let _ = write!(
                        rects,
                        "<rect class=mg x={} y={} width={} height={} pointer-events=none />",
                        left + 1,
                        top + 1,
                        CELL - 2,
                        CELL - 2
                    );
                }
            }
            top += STEP;
        }
        top += 3;
    }
    format!(
        "<svg role=img width={} height={top} aria-label=\"blocks of {}\">{rects}</svg>",
        COLUMNS * STEP,
        map.name.replace(['"', '<', '&'], "_")
    )
}

fn about(block: &MappedBlock, map: &SegmentMap) -> String {
    let automatic = map.map.management == SpaceManagement::Auto;
    let mut text = format!("{}: {}", block.address, CellKind::of(block).label(automatic));
    if let Some((group, list)) = block.freelist {
        let group = if map.freelist_groups > 1 { format!(" of group {group}") } else { String::new() };
        if let Freelist::Process(number) = list {
            let _ = write!(text, " {number}");
        }
        text.push_str(&group);
    }
    match block.holds {
        BlockUse::Rows(rows) => {
            let _ = write!(text, "; {} rows, {} % used", rows.rows, rows.used_percent);
            for (count, what) in [
                (rows.migrated_away, "migrated away"),
                (rows.migrated_here, "migrated here"),
                (rows.chained, "chained pieces"),
            ] {
                if count > 0 {
                    let _ = write!(text, ", {count} {what}");
                }
            }
        }
        BlockUse::Index { level, entries } => {
            let _ = write!(text, "; level {level}, {entries} entries");
        }
        _ => {}
    }
    text
}
