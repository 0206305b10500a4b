//! Files named on a command line, and the output about them.
//!
//! ```text
//! paths -> walk.rs     files and folders, in the order of their names
//!       -> load.rs     each file's reports and traces, read and analysed (masked before that, where asked)
//!       -> one: screen        two: compare        more, or a folder: timeline
//!       -> --json, --html, --csv
//! ```
//!
//! A file that cannot be read is said and passed over; the others are analysed all the same.

mod facts;
mod load;
mod profile;
mod subject;
mod walk;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use common::{Error, ErrorKind, Result};

pub use facts::{EventLine, Facts, FileLine, Machine, Side, Work};
pub use subject::{Source, Subject};

use crate::compare::{self, Comparison};
use crate::mask::Names;
use crate::screen::Terminal;
use crate::timeline::{self, Timeline};
use crate::{findings, json, page, screen};

/// HW number of a file that cannot be read or written.
const FILE: u32 = 2;
/// HW number of a wrong use of a command.
const WRONG_USE: u32 = 3;

/// Largest number of files whose findings the screen lists one by one.
const SHORT: usize = 14;

/// The output, and where it goes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// JSON instead of the screen.
    pub json: bool,
    /// One line a report, instead of the screen.
    pub csv: bool,
    /// The page goes to this file, in addition to the printed output.
    pub html: Option<PathBuf>,
    /// Replace the names of databases, hosts, schemas, objects and modules, and the text of statements.
    pub mask: bool,
    pub terminal: Terminal,
    /// Assumptions for savings.
    pub findings: findings::Options,
}

/// The numbers of reports and traces that were analysed, and of named files that could not be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    pub analysed: usize,
    pub failed: usize,
}

impl Outcome {
    /// 0 when every named file was analysed, otherwise 1.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        u8::from(self.failed > 0 || self.analysed == 0)
    }
}

/// All that was made of the files.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Results {
    pub(crate) subjects: Vec<Subject>,
    pub(crate) comparison: Option<Comparison>,
    pub(crate) timeline: Option<Timeline>,
    pub(crate) masked: bool,
}

/// Analyses the files and folders and prints the output that [`Options`] ask for. `say` gets a line for each part that
/// could not be read, with its file and place.
///
/// # Errors
///
/// HW-0002 when the output cannot be written, HW-0003 when the page would overwrite an input. A faulty input is
/// reported and counted instead.
pub fn analyze(
    paths: &[PathBuf],
    options: &Options,
    out: &mut dyn Write,
    say: &mut dyn FnMut(&str),
) -> Result<Outcome> {
    if let Some(page) = &options.html {
        not_an_input(page, paths)?;
    }
    let mut names = options.mask.then(Names::default);
    let mut outcome = Outcome::default();
    let mut results = Results { masked: options.mask, ..Results::default() };
    let mut folder = false;
    for path in paths {
        let found = walk::files(path, say);
        folder |= found.folder;
        let before = results.subjects.len();
        let mut unread = 0;
        for file in &found.files {
            unread += usize::from(!load::file(file, &options.findings, names.as_mut(), &mut results.subjects, say));
            forget(&mut results.subjects, options.html.is_some());
        }
        // In a folder other things may lie about; a file that was named was meant.
        let nothing = results.subjects.len() == before;
        if nothing && found.folder && found.readable {
            say(&format!("{}: no report and no trace in this folder", path.display()));
        }
        outcome.failed += if found.folder { usize::from(nothing) } else { unread.max(usize::from(nothing)) };
    }
    outcome.analysed = results.subjects.len();
    if !folder && let [before, after] = results.subjects.as_slice() {
        results.comparison = compare::compare(before, after);
    }
    if results.comparison.is_none() && results.subjects.len() > 1 {
        results.timeline = timeline::of(&results.subjects);
    }
    print(&results, options, out)?;
    Ok(outcome)
}

/// Drops data that is no longer needed, so that a folder of thousands of reports fits in memory: whole models serve the
/// comparison of two reports, charts the reports that the page shows in full.
fn forget(subjects: &mut [Subject], page: bool) {
    if subjects.len() > 2 {
        subjects.iter_mut().for_each(|subject| subject.report = None);
    }
    let shown = if page { page::FULL } else { 0 };
    for subject in subjects.iter_mut().skip(shown) {
        subject.facts.histograms = Vec::new();
        subject.facts.files = Vec::new();
    }
}

/// Refuses to write the page over a file that is to be read.
fn not_an_input(page: &Path, paths: &[PathBuf]) -> Result<()> {
    let Ok(page) = page.canonicalize() else { return Ok(()) };
    match paths.iter().find(|path| path.canonicalize().is_ok_and(|path| path == page)) {
        Some(path) => {
            let text = format!("{}: the page would overwrite the report", path.display());
            Err(Error::own(ErrorKind::User, WRONG_USE, text))
        }
        None => Ok(()),
    }
}

fn print(results: &Results, options: &Options, out: &mut dyn Write) -> Result<()> {
    if let Some(path) = &options.html {
        let file = File::create(path).map_err(|error| unwritten(path, &error))?;
        let mut file = BufWriter::new(file);
        file.write_all(page::page(results).as_bytes())
            .and_then(|()| file.flush())
            .map_err(|error| unwritten(path, &error))?;
    }
    let written = if options.json {
        json::write(results, out)
    } else if options.csv {
        timeline::csv(&results.subjects, out)
    } else {
        out.write_all(on_screen(results, options.terminal.usable()).as_bytes())
    };
    match written.and_then(|()| out.flush()) {
        // A reader that has seen enough and left is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Error::own(ErrorKind::Io, FILE, format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn on_screen(results: &Results, terminal: Terminal) -> String {
    if let [one] = results.subjects.as_slice() {
        return screen::one(one, terminal);
    }
    let mut parts = Vec::new();
    if let Some(comparison) = &results.comparison {
        parts.push(compare::screen(comparison, terminal));
    }
    if let Some(timeline) = &results.timeline {
        parts.push(timeline::screen(timeline, terminal));
    }
    // The time line names each interval's worst finding; beyond a few files that has to do.
    let few = results.subjects.len() <= SHORT;
    let told = results.subjects.iter().filter(|subject| few || !subject.report_like()).take(SHORT);
    parts.extend(told.map(|subject| screen::short(subject, terminal)));
    if !few {
        parts.push("All findings of a file: name it alone. All of all files: --json, --csv.\n".to_owned());
    }
    parts.join("\n")
}

fn unwritten(path: &Path, error: &io::Error) -> Error {
    Error::own(ErrorKind::Io, FILE, format!("{}: {error}", path.display()))
}
