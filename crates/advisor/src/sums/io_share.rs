//! The shares of temp and undo in the I/O, from the tables of the report: tablespaces, files, file types, functions.
//!
//! They measure different things (requests, bytes, with and without utilities), so each is said with its section and
//! none is preferred.

use report::model::{FileIo, IoByFile, IoByFunction, Report};

use super::ledger::{Ledger, input};
use super::temp::{is_temp, sum};
use super::undo::is_undo;
use crate::screen::number::{bytes, milliseconds, number, percent};

/// One way to see it.
#[derive(Debug)]
pub(crate) struct Share {
    pub(crate) section: &'static str,
    pub(crate) text: String,
}

#[derive(Debug, Default)]
pub(crate) struct IoShares {
    pub(crate) temp: Vec<Share>,
    pub(crate) undo: Vec<Share>,
}

impl IoShares {
    pub(crate) fn of(report: &Report, ledger: &mut Ledger) -> Self {
        let mut shares = Self::default();
        let tablespaces = report.tablespaces.as_deref().unwrap_or_default();
        shares.temp.extend(by_tablespace(tablespaces, is_temp, "temp", "temp_io_share_by_tablespace", ledger));
        shares.undo.extend(by_tablespace(tablespaces, is_undo, "undo", "undo_io_share_by_tablespace", ledger));
        let files = report.files.as_deref().unwrap_or_default();
        shares.temp.extend(by_file(files, is_temp));
        shares.undo.extend(by_file(files, is_undo));
        shares.temp.extend(by_file_type(report.io_by_file_type.as_deref().unwrap_or_default(), ledger));
        shares.temp.extend(by_function(report.io_by_function.as_deref().unwrap_or_default()));
        shares
    }
}

fn requests(line: &FileIo) -> f64 {
    line.reads.map_or(0.0, |reads| reads.value) + line.writes.map_or(0.0, |writes| writes.value)
}

fn by_tablespace(
    lines: &[FileIo],
    is_one: fn(&str) -> bool,
    what: &'static str,
    name: &'static str,
    ledger: &mut Ledger,
) -> Option<Share> {
    let section = "Tablespace IO Stats";
    let part = sum(lines.iter().filter(|line| is_one(&line.tablespace)).map(requests))?;
    let all: f64 = lines.iter().map(requests).sum();
    if all <= 0.0 {
        return None;
    }
    let inputs =
        vec![input("reads and writes of it", part, "", section), input("reads and writes of all", all, "", section)];
    ledger.enter(name, part / all, "reads and writes of it / of all tablespaces", inputs);
    Some(Share {
        section,
        text: format!("{what} is {} of the reads and writes of all tablespaces", percent(part / all)),
    })
}

/// The file of the kind with most requests.
fn by_file(lines: &[FileIo], is_one: fn(&str) -> bool) -> Option<Share> {
    let most = lines
        .iter()
        .filter(|line| is_one(&line.tablespace) && requests(line) > 0.0)
        .max_by(|one, other| requests(one).total_cmp(&requests(other)))?;
    let each = |time: Option<report::figure::Figure>| {
        time.map_or_else(String::new, |time| format!(" of {}", milliseconds(time.value)))
    };
    let name = most.file.as_deref().unwrap_or(&most.tablespace);
    let (reads, writes) = (most.reads.map_or(0.0, |count| count.value), most.writes.map_or(0.0, |count| count.value));
    let text = format!(
        "{name}: {} reads{}, {} writes{}",
        number(reads),
        each(most.read_ms),
        number(writes),
        each(most.write_ms)
    );
    Some(Share { section: "File IO Stats", text })
}

fn by_file_type(lines: &[IoByFile], ledger: &mut Ledger) -> Option<Share> {
    let section = "IOStat by Filetype";
    let moved = |line: &IoByFile| {
        line.read_bytes.map_or(0.0, |read| read.value) + line.write_bytes.map_or(0.0, |written| written.value)
    };
    let part = moved(lines.iter().find(|line| line.name.eq_ignore_ascii_case("temp file"))?);
    let all: f64 = lines.iter().filter(|line| !line.name.starts_with("TOTAL")).map(moved).sum();
    if all <= 0.0 {
        return None;
    }
    let inputs = vec![input("Temp File", part, "bytes", section), input("all file types", all, "bytes", section)];
    ledger.enter("temp_bytes_share_by_file_type", part / all, "bytes of temp files / of all files", inputs);
    Some(Share { section, text: format!("temp files are {} of the bytes of all files", percent(part / all)) })
}

fn by_function(lines: &[IoByFunction]) -> Option<Share> {
    let temp = lines
        .iter()
        .filter(|line| line.file_type.as_deref().is_some_and(|kind| kind.eq_ignore_ascii_case("temp file")));
    let mut parts: Vec<(f64, &str)> = temp
        .map(|line| {
            let moved =
                line.read_bytes.map_or(0.0, |read| read.value) + line.write_bytes.map_or(0.0, |written| written.value);
            (moved, line.name.as_str())
        })
        .filter(|(moved, _)| *moved > 0.0)
        .collect();
    parts.sort_by(|one, other| other.0.total_cmp(&one.0));
    let parts: Vec<String> =
        parts.into_iter().take(3).map(|(moved, name)| format!("{name} {}", bytes(moved))).collect();
    (!parts.is_empty())
        .then(|| Share { section: "IOStat by Function", text: format!("temp files: {}", parts.join(", ")) })
}
