//! The kind of a text, by its first part.

use memchr::memmem;

use crate::grid;

use super::decode;

/// Bytes looked at: a report may come after the session that made it.
pub const SNIFFED: usize = 1 << 20;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InputKind {
    /// Statspack or AWR, as text or HTML or both.
    Reports,
    Trace,
    Tkprof,
    Unknown,
}

/// Starts of lines that only a trace has.
const RECORDS: [&[u8]; 10] = [
    b"PARSING IN CURSOR #",
    b"EXEC #",
    b"PARSE #",
    b"FETCH #",
    b"WAIT #",
    b"CLOSE #",
    b"BINDS #",
    b"STAT #",
    b"XCTEND ",
    b"*** SESSION ID:",
];

pub(super) fn of(start: &[u8]) -> InputKind {
    if memmem::find(&start[..start.len().min(16 << 10)], b"TKPROF: Release").is_some() {
        return InputKind::Tkprof;
    }
    if first_line(start).is_some_and(|line| {
        line.starts_with(b"Trace file ") || line.starts_with(b"Dump file ") && memmem::find(line, b".trc").is_some()
    }) {
        return InputKind::Trace;
    }
    let holds = |mark: &[u8]| memmem::find(start, mark).is_some();
    let is_page = start.trim_ascii_start().starts_with(b"<") || holds(b"<html") || holds(b"<HTML");
    if is_page && (holds(b"STATSPACK report for") || holds(b"WORKLOAD REPOSITORY")) {
        return InputKind::Reports;
    }
    let mut titles = 0;
    for line in start.split(|&byte| byte == b'\n').take(100_000) {
        if line.len() < 200 && grid::text::is_header(&decode::text(line)) {
            return InputKind::Reports;
        }
        if RECORDS.iter().any(|record| line.starts_with(record)) {
            return InputKind::Trace;
        }
        titles += usize::from(
            memmem::find(line, b"Snap").is_some()
                && (memmem::find(line, b"DB/Inst:").is_some() || memmem::find(line, b" for DB:").is_some()),
        );
    }
    // A report whose head is missing.
    if titles > 0 { InputKind::Reports } else { InputKind::Unknown }
}

/// The first line with anything in it.
fn first_line(text: &[u8]) -> Option<&[u8]> {
    text.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty())
}
