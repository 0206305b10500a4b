//! The library cache.

use super::Section;
use super::column::Field::Text;
use super::column::{column, count, number, of};
use crate::model::{LibraryCacheLine, Report};

/// Namespaces of the library cache.
pub(crate) static LIBRARY_CACHE: Section<LibraryCacheLine> = Section::new(
    "Library Cache Activity",
    &["->\"Pct Misses\"  should be very low"],
    &[
        column(&[], Text(of!(LibraryCacheLine.namespace))).key().left(&["Namespace"], 15),
        column(&[], count(of!(LibraryCacheLine.gets))).needed().right(&["Get", "Requests"], 12),
        // Both shares have one name: that of gets stands first.
        column(&[], number(1, of!(LibraryCacheLine.get_miss_percent))).nth(0).right(&["Pct", "Miss"], 6),
        column(&[], count(of!(LibraryCacheLine.pins))).right(&["Pin", "Requests"], 14),
        column(&[], number(1, of!(LibraryCacheLine.pin_miss_percent))).nth(1).right(&["Pct", "Miss"], 6),
        column(&[], count(of!(LibraryCacheLine.reloads))).right(&["Reloads"], 10),
        column(&[], count(of!(LibraryCacheLine.invalidations))).right(&["Invali-", "dations"], 8),
    ],
    of!(Report.library_cache),
);
