//! Storage cells, as our own reports have them; those of Exadata have any columns, and are read by `read/cluster.rs`.

use super::Section;
use super::column::Field::Text;
use super::column::{column, count, figure, of};
use crate::model::{Report, StorageCell};

/// Messages between the instance and each cell.
pub(crate) static STORAGE_CELLS: Section<StorageCell> = Section::new(
    "Storage Cell Messages",
    &[
        "->requests for blocks, with blocks, and for scans; MB of requests and of answers",
        "->ordered by MB received desc",
    ],
    &[
        column(&["cellname"], Text(of!(StorageCell.cell))).key().left(&["Cell Name"], 22),
        column(&[], count(of!(StorageCell.reads))).needed().right(&["Read", "Requests"], 12),
        column(&[], count(of!(StorageCell.writes))).right(&["Write", "Requests"], 12),
        column(&[], count(of!(StorageCell.scans))).right(&["Scan", "Requests"], 10),
        column(&[], figure(2, of!(StorageCell.sent_mb))).right(&["MB", "Sent"], 9),
        column(&[], figure(2, of!(StorageCell.received_mb))).right(&["MB", "Received"], 9),
    ],
    of!(Report.storage_cells),
)
.left_out_without_data();
