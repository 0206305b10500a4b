//! `highwater verify`: a closed database, block by block and then segment by segment.
//!
//! | stage | looks at | by |
//! | --- | --- | --- |
//! | 1 | each block: type, address, head against tail, checksum, the rules of its type; each file's headers and extent bitmap | `blocks.rs` |
//! | 2 | each segment: extents against the files' bitmaps and each other, high-water marks, freelists or bitmaps, rows, indexes | `segments.rs` |
//!
//! Nothing is written: stage 2 opens an instance over files that refuse to be changed (`read_only.rs`). It is left out when stage 1 has found
//! something, because what it would say then follows from that. A line a problem on stdout, with file and block; exit code 1 when there is one.

mod blocks;
mod lists;
mod maps;
mod read_only;
mod rows;
mod segments;

use std::fmt::Display;
use std::io::{self, Write};

use common::{BlockAddress, Error, ErrorKind, Number, Result};
use engine::instance::Shutdown;

use crate::command_line::Verify;
use crate::failure::{self, Outcome};
use crate::offline::Offline;

/// Problems that are printed; beyond, they are only counted.
const PRINTED_MAX: usize = 100;

/// What has been looked at, and what is wrong.
#[derive(Default)]
struct Findings {
    blocks: u64,
    formatted: u64,
    segments: u64,
    rows: u64,
    entries: u64,
    problems: Vec<String>,
    unprinted: u64,
}

impl Findings {
    fn problem(&mut self, text: String) {
        if self.problems.len() < PRINTED_MAX {
            self.problems.push(text);
        } else {
            self.unprinted += 1;
        }
    }

    fn block(&mut self, address: BlockAddress, why: impl Display) {
        self.problem(format!("file {} block {}: {why}", address.file.0, address.block));
    }

    fn count(&self) -> u64 {
        self.problems.len() as u64 + self.unprinted
    }
}

pub(crate) fn run(arguments: &Verify) -> Result<Outcome> {
    // Looked at first without the lock, which leaves a file in the directory.
    Offline::open(&arguments.data)?;
    let lock = device::lock_directory(&arguments.data).map_err(|error| locked(arguments, &error))?;
    let database = Offline::open(&arguments.data)?;
    let mut findings = Findings::default();
    let clean = database.control.shutdown == Shutdown::Clean;
    if !clean {
        findings.problem("the database was not shut down cleanly".to_owned());
    }
    for record in &database.control.datafiles {
        let checked = database.open_file(record).and_then(|file| blocks::verify_file(&database, &file, &mut findings));
        if let Err(error) = checked {
            findings.problem(error.to_string());
        }
    }
    if findings.problems.is_empty()
        && let Err(error) = segments::verify(&arguments.data, lock, &mut findings)
    {
        findings.problem(error.to_string());
    }
    failure::written(print(&database, &findings))?;
    Ok(if findings.problems.is_empty() { Outcome::DONE } else { Outcome(1) })
}

fn locked(arguments: &Verify, error: &io::Error) -> Error {
    let directory = arguments.data.display();
    let text = match error.kind() {
        io::ErrorKind::WouldBlock => format!("{directory} is in use by another process"),
        _ => format!("{directory}: {error}"),
    };
    Error::new(ErrorKind::User, Number::Ora(1102), text)
}

fn print(database: &Offline, findings: &Findings) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for problem in &findings.problems {
        writeln!(out, "{problem}")?;
    }
    if findings.unprinted > 0 {
        writeln!(out, "and {} more", findings.unprinted)?;
    }
    let files = database.control.datafiles.len();
    writeln!(out, "{files} files, {} blocks, {} of them not empty", findings.blocks, findings.formatted)?;
    if findings.segments > 0 {
        let Findings { segments, rows, entries, .. } = findings;
        writeln!(out, "{segments} segments, {rows} rows, {entries} index entries")?;
    }
    match findings.count() {
        0 => writeln!(out, "no problems")?,
        1 => writeln!(out, "1 problem")?,
        n => writeln!(out, "{n} problems")?,
    }
    out.flush()
}
