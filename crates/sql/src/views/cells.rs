//! Storage cells, as V$CELL views. Counts are those since the instance was started.

use common::Result;
use storage::cells::{FlashState, TrafficFigures, hash};

use super::view::{Column, Each, Table, View, ViewContext, n, number, s, text};

/// A cell that a disk of the instance is in.
struct Cell {
    path: String,
    name: String,
}

const CELLS: &[Column<Cell>] =
    &[text("CELL_PATH", 400, |cell| s(&cell.path)), number("CELL_HASHVAL", |cell| n(hash(&cell.name)))];

/// One figure of a cell.
struct Metric {
    cell: String,
    id: u32,
    name: &'static str,
    value: u64,
    unit: &'static str,
}

const METRICS: &[Column<Metric>] = &[
    text("CELL_NAME", 256, |metric| s(&metric.cell)),
    number("CELL_HASH", |metric| n(hash(&metric.cell))),
    number("METRIC_ID", |metric| n(metric.id)),
    text("METRIC_NAME", 257, |metric| s(metric.name)),
    number("METRIC_VALUE", |metric| n(metric.value)),
    text("METRIC_TYPE", 17, |metric| s(metric.unit)),
];

pub(crate) const VIEWS: &[&dyn View] =
    &[&Table::new("V$CELL", &[CELLS], cells), &Table::new("V$CELL_GLOBAL", &[METRICS], metrics)];

fn cells(cx: &ViewContext, each: Each<'_, Cell>) -> Result<()> {
    let cells = cx.session.store().cells().all();
    cells
        .into_iter()
        .try_for_each(|(folder, cell)| each(Cell { path: folder.display().to_string(), name: cell.name().to_owned() }))
}

fn metrics(cx: &ViewContext, each: Each<'_, Metric>) -> Result<()> {
    for (_, cell) in cx.session.store().cells().all() {
        let TrafficFigures { reads, writes, scans, bytes_sent, bytes_received } = cell.traffic();
        let FlashState { cache_bytes, log_bytes, cache, log } = cell.flash().unwrap_or_default();
        let figures = [
            ("Read requests", reads, "requests"),
            ("Write requests", writes, "requests"),
            ("Smart scan requests", scans, "requests"),
            ("Bytes sent to the cell", bytes_sent, "bytes"),
            ("Bytes received from the cell", bytes_received, "bytes"),
            ("Size of the flash cache", cache_bytes, "bytes"),
            ("Flash cache read hits", cache.hits, "requests"),
            ("Bytes read from the flash cache", cache.bytes_hit, "bytes"),
            ("Bytes written to the flash cache", cache.bytes_filled, "bytes"),
            ("Size of the flash log", log_bytes, "bytes"),
            ("Flash log writes: flash first", log.flash_first, "requests"),
            ("Flash log writes: disk first", log.disk_first, "requests"),
            ("Flash log writes: no room", log.full, "requests"),
        ];
        for ((name, value, unit), id) in figures.into_iter().zip(1..) {
            each(Metric { cell: cell.name().to_owned(), id, name, value, unit })?;
        }
    }
    Ok(())
}
