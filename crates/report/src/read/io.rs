//! I/O by function and file type.

use super::Reading;
use crate::grid::view::{Column, View};
use crate::model::{IoByFile, IoByFunction};

/// Text cuts them at 15 or 18 letters.
const FUNCTIONS: [&str; 16] = [
    "ARCH",
    "Archive Manager",
    "ASM",
    "Buffer Cache Reads",
    "Data Pump",
    "DBWR",
    "Direct Reads",
    "Direct Writes",
    "Filesystem",
    "Flashback Logging",
    "Inmemory Populate",
    "LGWR",
    "Recovery",
    "RMAN",
    "Smart Scan",
    "Streams AQ",
];

fn function_name(printed: &str) -> String {
    let mut whole = FUNCTIONS.iter().filter(|name| printed.len() >= 13 && name.starts_with(printed));
    match (whole.next(), whole.next()) {
        (Some(name), None) => (*name).to_owned(),
        _ => printed.to_owned(),
    }
}

impl Reading {
    /// Reads stand left of writes, under names that occur twice ("Reqs per sec").
    pub(super) fn io_by_function(&mut self, view: &View<'_>, by_file_type: bool) -> bool {
        let name = view
            .find(&["functionname", "function", "functionfilename", "name"])
            .or_else(|| by_file_type.then(|| view.column(0)));
        let Some((read, read_requests, written, write_requests)) = volumes(view) else { return false };
        let waits = view.find_ending(written.at, &["waitscount", "waitcount", "count"]);
        let average = view.find_ending(written.at, &["avgtmms", "avgtime", "tmms", "avgms"]);
        let mut lines = Vec::new();
        for line in view.lines() {
            let printed = line.text(name);
            if printed.is_empty() || printed.trim_end_matches(':').eq_ignore_ascii_case("total") {
                continue;
            }
            let (function, file_type) = match printed.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
                Some((function, file_type)) if by_file_type => (function.to_owned(), Some(file_type.to_owned())),
                // The function's own line repeats the summary's.
                _ if by_file_type => continue,
                _ => (printed.to_owned(), None),
            };
            lines.push(IoByFunction {
                name: function_name(&function),
                file_type,
                read_bytes: line.bytes(Some(read)),
                reads_per_s: line.number(read_requests),
                write_bytes: line.bytes(Some(written)),
                writes_per_s: line.number(write_requests),
                waits: line.count(waits),
                wait_ms: line.milliseconds(average),
            });
        }
        let understood = name.is_some() && (by_file_type || !lines.is_empty());
        if !lines.is_empty() {
            self.report.io_by_function.get_or_insert_default().extend(lines);
        }
        understood
    }

    pub(super) fn io_by_file_type(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["filetypename", "filetype"]);
        let Some((read, read_requests, written, write_requests)) = volumes(view) else { return false };
        let lines: Vec<IoByFile> = view
            .lines()
            .filter(|line| {
                !line.text(name).is_empty() && !line.text(name).trim_end_matches(':').eq_ignore_ascii_case("total")
            })
            .map(|line| IoByFile {
                name: line.text(name).to_owned(),
                read_bytes: line.bytes(Some(read)),
                reads_per_s: line.number(read_requests),
                write_bytes: line.bytes(Some(written)),
                writes_per_s: line.number(write_requests),
                small_read_ms: line.milliseconds(view.find(&["smallread"])),
                large_read_ms: line.milliseconds(view.find(&["largeread"])),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.io_by_file_type.get_or_insert_default().extend(lines);
        true
    }
}

type Volumes = (Column, Option<Column>, Column, Option<Column>);

/// Volume read, requests a second, volume written, requests a second.
fn volumes(view: &View<'_>) -> Option<Volumes> {
    const VOLUME: [&str; 3] = ["sdata", "datavolume", "readdata"];
    const REQUESTS: [&str; 3] = ["reqspersec", "requestssec", "requestspersec"];
    let read = view.find_ending(0, &VOLUME)?;
    let read_requests = view.find_ending(read.at + 1, &REQUESTS);
    let written = view.find_ending(read.at + 1, &["sdata", "datavolume", "writedata"])?;
    let write_requests = view.find_ending(written.at + 1, &REQUESTS);
    Some((read, read_requests.filter(|column| column.at < written.at), written, write_requests))
}
