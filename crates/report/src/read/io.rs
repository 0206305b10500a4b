//! I/O by tablespace, file, function and file type; buffer pools.

use super::Reading;
use super::view::{Line, View, plain};
use crate::model::{BufferPool, FileHistogram, FileIo, IoByFile, IoByFunction};

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
    /// Tablespaces, or files where the table has a column for them.
    pub(super) fn file_io(&mut self, view: &View<'_>) -> bool {
        let tablespace = view.find(&["tablespace", "tablespacename"]);
        let file = view.find(&["filename", "file"]);
        let reads = view.find(&["reads"]);
        if tablespace.is_none() || reads.is_none() {
            return false;
        }
        let mut last = String::new();
        let mut lines = Vec::new();
        for line in view.lines() {
            // The second file of a tablespace may leave its name out.
            if !line.text(tablespace).is_empty() {
                line.text(tablespace).clone_into(&mut last);
            } else if file.is_none() {
                continue;
            }
            lines.push(file_line(view, line, last.clone(), line.owned(file)));
        }
        if lines.is_empty() {
            return false;
        }
        let list = if file.is_some() { &mut self.report.files } else { &mut self.report.tablespaces };
        list.get_or_insert_default().extend(lines);
        true
    }

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

    /// One-block reads of files by how long they took.
    pub(super) fn file_histogram(&mut self, view: &View<'_>) -> bool {
        let tablespace = view.find(&["tablespace"]);
        let file = view.find(&["filename"]);
        let ranges = ["02ms", "24ms", "48ms", "816ms", "1632ms", "32+ms"];
        let columns = ranges.map(|range| view.names.iter().position(|name| name == &plain(range)));
        if tablespace.is_none() || file.is_none() || columns.iter().any(Option::is_none) {
            return false;
        }
        let lines: Vec<FileHistogram> = view
            .lines()
            .filter(|line| !line.text(file).is_empty())
            .map(|line| FileHistogram {
                tablespace: line.text(tablespace).to_owned(),
                file: line.text(file).to_owned(),
                reads: columns.map(|at| line.number(at.map(|at| view.column(at)))),
            })
            .collect();
        if lines.is_empty() {
            return false;
        }
        self.report.file_histograms.get_or_insert_default().extend(lines);
        true
    }

    pub(super) fn buffer_pools(&mut self, view: &View<'_>) -> bool {
        let name = view.find(&["p", "pool", "name"]);
        let gets = view.find(&["buffergets", "gets"]);
        if name.is_none() || gets.is_none() {
            return false;
        }
        let pools: Vec<BufferPool> = view
            .lines()
            .filter(|line| !line.text(name).is_empty())
            .map(|line| BufferPool {
                name: line.text(name).to_owned(),
                buffers: line.number(view.find(&["numberofbuffers", "buffers"])),
                hit_percent: line.number(view.find(&["poolhit%", "cachehit%", "hit%"])),
                gets: line.number(gets),
                reads: line.number(view.find(&["physicalreads", "physreads"])),
                writes: line.number(view.find(&["physicalwrites", "physwrites"])),
                free_buffer_waits: line.number(view.find(&[
                    "freebuffwait",
                    "freebuffwaits",
                    "freebufferwaits",
                    "freebufferwait",
                ])),
                write_complete_waits: line.number(view.find(&[
                    "writcompwait",
                    "writcompwaits",
                    "writecompletewaits",
                    "writecompletewait",
                    "writecompwaits",
                ])),
                buffer_busy_waits: line.number(view.find(&["bufferbusywaits", "busywaits"])),
            })
            .collect();
        if pools.is_empty() {
            return false;
        }
        self.report.buffer_pools.get_or_insert_default().extend(pools);
        true
    }
}

fn file_line(view: &View<'_>, line: Line<'_>, tablespace: String, file: Option<String>) -> FileIo {
    let count = |names: &[&str]| line.count(view.find(names));
    let number = |names: &[&str]| line.number(view.find(names));
    let milliseconds = |names: &[&str]| line.milliseconds(view.find(names));
    FileIo {
        tablespace,
        file,
        reads: count(&["reads"]),
        reads_per_s: number(&["avreadss", "avrdss", "readsavgs", "avgreadss"]),
        read_ms: milliseconds(&["avrdms", "avgrdms", "avreadms"]),
        blocks_per_read: number(&["avblksrd", "avgblksrd"]),
        single_reads_per_s: number(&["1bkrdss", "1bkreadss", "av1bkrdss"]),
        single_read_ms: milliseconds(&["av1bkrdms", "av1bkreadms"]),
        writes: count(&["writes"]),
        writes_per_s: number(&["avwritess", "writesavgs", "avgwritess"]),
        write_ms: milliseconds(&["avwtms", "avwritems", "avgwrms"]),
        buffer_waits: number(&["bufferwaits", "bufwaits"]),
        buffer_wait_ms: milliseconds(&["avbufwtms", "avgbufwtms", "avgbufwaitms"]).map(|figure| figure.value),
    }
}

type Volumes = (super::view::Column, Option<super::view::Column>, super::view::Column, Option<super::view::Column>);

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
