//! One file: its type, its reports and traces, read and analysed.

use std::io::{self, Read};
use std::path::Path;

use common::{Error, Number, Result};
use report::grid::Document;
use report::input::{self, Content, Piece};
use report::profile;
use report::tkprof::{self, Printed};
use report::trace::{MisreadLine, Reading, Truncation};

use super::facts::Facts;
use super::subject::{Source, Subject};
use crate::analysis::Analysis;
use crate::findings;
use crate::mask::Names;

/// Lines about one report or trace that are said; the page and the JSON have them all.
const SAID: usize = 5;

/// Faults of a file that is no report at all, rather than a damaged one: neither report nor trace, empty, not text.
const NO_REPORT: Number = Number::Hw(812);
const EMPTY: Number = Number::Hw(801);
const NO_TEXT: Number = Number::Hw(802);

/// Reads the file and adds its reports and traces; false when part of it cannot be analysed. `say` gets the faults.
pub(super) fn file(
    path: &Path,
    options: &findings::Options,
    names: Option<&mut Names>,
    subjects: &mut Vec<Subject>,
    say: &mut dyn FnMut(&str),
) -> bool {
    let first = subjects.len();
    let name = path.display().to_string();
    let mut load = Load { file: &name, options, names, subjects, say, refused: false };
    let read = input::open(path, &mut |piece| load.piece(piece));
    let mut refused = load.refused;
    if let Err(error) = read {
        // The text names the file.
        say(&error.to_string());
        refused = true;
    }
    number_parts(&mut subjects[first..]);
    !refused && subjects.len() > first
}

struct Load<'a> {
    file: &'a str,
    options: &'a findings::Options,
    names: Option<&'a mut Names>,
    subjects: &'a mut Vec<Subject>,
    say: &'a mut dyn FnMut(&str),
    refused: bool,
}

impl Load<'_> {
    /// One report or trace. Nothing that is wrong with it keeps the others from being read.
    fn piece(&mut self, piece: Piece<'_>) -> Result<()> {
        if let Some(names) = &mut self.names {
            names.next_file();
        }
        let made = match piece.content {
            Content::Report(document) => Ok(self.report(&document)),
            Content::Trace(trace) => self.trace(trace),
            Content::Tkprof(text) => self.tkprof(&text),
            Content::Refused(error) => Err(error),
        };
        let place = if piece.line > 1 { format!("{}: line {}", piece.name, piece.line) } else { piece.name.to_owned() };
        match made {
            Ok((mut subject, told)) => {
                self.tell(&place, piece.name, &told);
                subject.path = match &mut self.names {
                    Some(names) => names.input(piece.name),
                    None => piece.name.to_owned(),
                };
                subject.part = Some(piece.part);
                self.subjects.push(subject);
            }
            Err(error) => {
                // An archive may hold other things, as a folder may.
                let other = piece.name != self.file && [NO_REPORT, EMPTY, NO_TEXT].contains(&error.number);
                self.refused |= !other;
                (self.say)(&one_line(&Error { text: format!("{place}: {}", error.text), ..error }.to_string()));
            }
        }
        Ok(())
    }

    fn tell(&mut self, place: &str, name: &str, told: &[String]) {
        for line in told.iter().take(SAID) {
            let place = if line.starts_with("line ") { name } else { place };
            (self.say)(&one_line(&format!("{place}: {line}")));
        }
        if told.len() > SAID {
            (self.say)(&format!("{place}: and {} more", told.len() - SAID));
        }
    }

    fn report(&mut self, document: &Document) -> (Subject, Vec<String>) {
        let mut report = report::read::report(document);
        let told = report.warnings.clone();
        if let Some(names) = &mut self.names {
            names.report(&mut report);
        }
        let mut analysis = findings::examine_with(&report, self.options);
        if let Some(names) = &self.names {
            names.analysis(&mut analysis);
        }
        let warnings = report.warnings.clone();
        let subject = Subject {
            path: String::new(),
            part: None,
            source: report.kind.into(),
            facts: Facts::of_report(&report),
            analysis,
            report: Some(Box::new(report)),
            warnings,
        };
        (subject, told)
    }

    fn trace(&mut self, trace: &mut dyn Read) -> Result<(Subject, Vec<String>)> {
        let mut trace = UpToDamage { source: trace, damage: None };
        let mut profile = profile::read(&mut trace, &tkprof::Options::default())?;
        let mut told = faults(&profile.summary.reading);
        let damage = trace.damage.map(|error| format!("cannot be read to its end: {error}"));
        self.refused |= damage.is_some();
        told.extend(damage.clone());
        if let Some(names) = &mut self.names {
            names.profile(&mut profile);
        }
        let mut warnings = faults(&profile.summary.reading);
        warnings.extend(damage);
        let subject =
            self.without_report(Source::Trace, Facts::of_profile(&profile), crate::examine_trace(&profile), warnings);
        Ok((subject, told))
    }

    fn tkprof(&mut self, text: &str) -> Result<(Subject, Vec<String>)> {
        let mut printed = tkprof::read(text)?;
        let told = misread(&printed);
        if let Some(names) = &mut self.names {
            names.printed(&mut printed);
        }
        let facts = Facts::of_tkprof(&printed.report);
        let subject =
            self.without_report(Source::Tkprof, facts, crate::examine_tkprof(&printed.report), misread(&printed));
        Ok((subject, told))
    }

    fn without_report(&self, source: Source, facts: Facts, mut analysis: Analysis, warnings: Vec<String>) -> Subject {
        if let Some(names) = &self.names {
            names.analysis(&mut analysis);
        }
        Subject { path: String::new(), part: None, source, facts, analysis, report: None, warnings }
    }
}

/// A damaged archive ends at the damage: the data before it is analysed.
struct UpToDamage<'a> {
    source: &'a mut dyn Read,
    damage: Option<io::Error>,
}

impl Read for UpToDamage<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => {
                self.damage.get_or_insert(error);
                Ok(0)
            }
            read => read,
        }
    }
}

/// The parts of TKPROF's output that were not read.
fn misread(printed: &Printed) -> Vec<String> {
    let mut faults = lines_misread(&printed.misread, printed.not_understood);
    if printed.cut {
        faults.push("the output of TKPROF is cut: its tail is missing".to_owned());
    }
    faults
}

/// The first lines that were not understood, and the number of others.
fn lines_misread(lines: &[MisreadLine], all: u64) -> Vec<String> {
    let mut faults = Vec::new();
    for line in lines {
        let text = if line.text.is_empty() { String::new() } else { format!(": {}", line.text) };
        faults.push(format!("line {}: not understood{text}", line.line));
    }
    let others = all.saturating_sub(lines.len() as u64);
    if others > 0 {
        faults.push(format!("{others} more lines are not understood"));
    }
    faults
}

/// The parts of a trace that were not read, in words; each line with its place.
fn faults(reading: &Reading) -> Vec<String> {
    // The line that the cut goes through is said once.
    let cut_through =
        |line: &MisreadLine| reading.truncation == Some(Truncation::LastLineCut) && line.line == reading.lines;
    let (misread, others) = match reading.misread.split_last() {
        Some((last, before)) if cut_through(last) => (before, reading.not_understood.saturating_sub(1)),
        _ => (reading.misread.as_slice(), reading.not_understood),
    };
    let mut faults = lines_misread(misread, others);
    if reading.unfinished_statements > 0 {
        faults.push(format!("{} statements whose text has no end", reading.unfinished_statements));
    }
    if reading.overlong_lines > 0 {
        faults.push(format!("{} lines are longer than is kept", reading.overlong_lines));
    }
    let mut cut = |how: &str| {
        faults.push(format!("line {}: the trace {how}: what stood behind that is not judged", reading.lines));
    };
    match reading.truncation {
        Some(Truncation::LastLineCut) => cut("ends within this line"),
        Some(Truncation::StatementUnfinished) => cut("ends within a statement's text"),
        Some(Truncation::SizeLimit) => cut("was stopped by the database at its largest size"),
        None => {}
    }
    faults
}

/// Drops the number of a part that is its file's only one.
fn number_parts(subjects: &mut [Subject]) {
    let names: Vec<String> = subjects.iter().map(|subject| subject.path.clone()).collect();
    for subject in subjects {
        if names.iter().filter(|name| **name == subject.path).count() == 1 {
            subject.part = None;
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
