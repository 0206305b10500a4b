//! The pieces of one text: a trace, TKPROF output, or one report after another.
//!
//! A report goes from its first line to the next one's first line (`STATSPACK report for`, `WORKLOAD REPOSITORY …`), a
//! report in HTML from `<html` to `</html>`. Only one is held in memory.

use std::io::{Cursor, Read};

use common::{Error, ErrorKind, Result};
use memchr::memmem;

use crate::grid::{Document, html, text as grid_text};
use crate::trace::encoding;

use super::kind::{self, InputKind};
use super::{Content, LARGEST_REPORT, Piece, SNIFFED, Visit, broken, decode, refuse};

/// Bytes read at once.
const CHUNK: usize = 1 << 20;

/// Passes on the content of an unpacked text.
pub(super) fn text(name: &str, source: &mut dyn Read, visit: &mut Visit<'_>) -> Result<()> {
    let (_, mut stream) = match encoding::open(source) {
        Ok(opened) => opened,
        Err(error) => return refuse(name, 1, 1, error, visit),
    };
    let mut start = Vec::new();
    let read = stream.by_ref().take(SNIFFED as u64).read_to_end(&mut start);
    // The part read before a failure is still useful.
    let failed = read.err();
    let kind = kind::of(&start);
    match kind {
        InputKind::Trace => {
            let mut whole = Cursor::new(start).chain(stream);
            visit(Piece { name, part: 1, line: 1, content: Content::Trace(&mut whole) })
        }
        InputKind::Tkprof => {
            let rest = stream.take((LARGEST_REPORT - SNIFFED) as u64).read_to_end(&mut start);
            let text = decode::text(&start).into_owned();
            visit(Piece { name, part: 1, line: 1, content: Content::Tkprof(text) })?;
            failed.or(rest.err()).map_or(Ok(()), |error| refuse(name, 1, 1, broken(&error), visit))
        }
        InputKind::Reports => {
            let otherwise = unknown(&start);
            Reports { name, buffer: start, start: 0, searched: 0, line: 1, part: 0, skipping: false, otherwise }.read(
                &mut stream,
                failed,
                visit,
            )
        }
        InputKind::Unknown => match failed {
            Some(error) => refuse(name, 1, 1, broken(&error), visit),
            None => refuse(name, 1, 1, unknown(&start), visit),
        },
    }
}

/// The error for an unknown kind of text, with its kind where it can be recognised.
fn unknown(start: &[u8]) -> Error {
    let holds = |mark: &str| memmem::find(start, mark.as_bytes()).is_some();
    let what = if holds("COMPARE PERIOD REPORT") {
        "is a comparison of two periods, which is not read: give the two reports themselves"
    } else if holds("WORKLOAD REPOSITORY SQL") || holds("AWR SQL Report") {
        "is a report on one statement, which is not read"
    } else if holds("ASH Report") {
        "is a report of active session history, which is not read"
    } else if holds("ADDM Report") {
        "is a report of the diagnostic monitor, which is not read"
    } else if holds("STATSPACK report") || holds("WORKLOAD REPOSITORY") {
        "speaks of a report, but holds none that could be read"
    } else {
        "is neither a Statspack or AWR report nor a 10046 trace nor TKPROF output"
    };
    Error::own(ErrorKind::User, 812, what)
}

/// Position of the next piece in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Text,
    Html,
    HtmlEnd,
}

struct Reports<'a> {
    name: &'a str,
    buffer: Vec<u8>,
    /// Where the piece to read next begins in the buffer.
    start: usize,
    /// The buffer up to here has no further marks.
    searched: usize,
    /// Line of that start.
    line: usize,
    part: usize,
    /// The rest of a report that is too long is passed over.
    skipping: bool,
    /// The error when no report is found.
    otherwise: Error,
}

impl Reports<'_> {
    fn read(mut self, stream: &mut dyn Read, mut failed: Option<std::io::Error>, visit: &mut Visit<'_>) -> Result<()> {
        let mut done = failed.is_some();
        loop {
            // A line that is cut off by the end of the buffer waits for its rest.
            while let Some(end) = self.piece_end() {
                self.hand_on(end, visit)?;
            }
            if self.rest().len() > LARGEST_REPORT {
                let too_long = !self.skipping;
                let line = self.line;
                let all = self.rest().len();
                self.hand_on(all, visit)?;
                self.skipping = true;
                if too_long {
                    let text =
                        format!("a report of more than {} MB: what comes after that is left out", LARGEST_REPORT >> 20);
                    refuse(self.name, self.part, line, Error::own(ErrorKind::User, 815, text), visit)?;
                }
            }
            if done {
                break;
            }
            self.compact();
            let before = self.buffer.len();
            if let Err(error) = stream.take(CHUNK as u64).read_to_end(&mut self.buffer) {
                failed = Some(error);
                done = true;
            }
            done |= self.buffer.len() == before;
        }
        let all = self.rest().len();
        if !self.skipping {
            self.hand_on(all, visit)?;
        }
        let line = self.line;
        if let Some(error) = failed {
            return refuse(self.name, self.part.max(1), line, broken(&error), visit);
        }
        if self.part == 0 {
            return refuse(self.name, 1, 1, self.otherwise, visit);
        }
        Ok(())
    }

    /// The buffered bytes that are not read yet.
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Forgets what was read, once that is most of the buffer.
    fn compact(&mut self) {
        if self.start * 2 >= self.buffer.len() {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
    }

    /// End of the piece at the buffer's start, once known.
    fn piece_end(&mut self) -> Option<usize> {
        if self.skipping && !self.skip() {
            return None;
        }
        let mut first = None;
        let mut from = self.searched;
        if from > 0 {
            first = mark(self.rest(), 0).map(|(_, kind)| kind);
        }
        while let Some((at, kind)) = mark(self.rest(), from) {
            match (first, kind) {
                (Some(Mark::Html), Mark::HtmlEnd) => return self.cut(at + "</html>".len()),
                (Some(Mark::Html), Mark::Html) | (Some(Mark::Text), Mark::Html | Mark::Text) => return self.cut(at),
                (None, Mark::Html) if !blank(&self.rest()[..at]) => return self.cut(at),
                (None, Mark::Html | Mark::Text) => first = Some(kind),
                _ => {}
            }
            from = at + 5;
        }
        let length = self.rest().len();
        self.searched = length.saturating_sub(LONGEST_MARK).max(from.min(length));
        None
    }

    /// Skips the rest of an overlong report; returns true when its end was found.
    fn skip(&mut self) -> bool {
        let next = mark(self.rest(), 0);
        let by = match next {
            Some((at, Mark::HtmlEnd)) => at + "</html>".len(),
            Some((at, _)) => at,
            None => self.rest().len().saturating_sub(LONGEST_MARK),
        };
        self.line += memchr::memchr_iter(b'\n', &self.rest()[..by]).count();
        self.start += by;
        self.skipping = next.is_none();
        next.is_some()
    }

    fn cut(&mut self, end: usize) -> Option<usize> {
        self.searched = 0;
        (end > 0).then_some(end)
    }

    /// Reads the piece that ends there and removes it from the buffer.
    fn hand_on(&mut self, end: usize, visit: &mut Visit<'_>) -> Result<()> {
        let bytes = &self.buffer[self.start..self.start + end];
        self.start += end;
        self.searched = 0;
        let line = self.line;
        self.line += memchr::memchr_iter(b'\n', bytes).count();
        if blank(bytes) {
            return Ok(());
        }
        let above = bytes.len() - bytes.trim_ascii_start().len();
        let begins = line + memchr::memchr_iter(b'\n', &bytes[..above]).count();
        let text = decode::text(bytes);
        let is_html = bytes.trim_ascii_start().starts_with(b"<");
        let mut documents = if is_html { html::documents(&text) } else { grid_text::documents(&text) };
        if is_html && documents.is_empty() {
            documents = grid_text::documents(&decode::without_tags(&text));
        }
        for mut document in documents {
            self.part += 1;
            move_lines(&mut document, line - 1);
            visit(Piece { name: self.name, part: self.part, line: begins, content: Content::Report(document) })?;
        }
        Ok(())
    }
}

fn blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// The next mark at or after a position. Looks ever further ahead, so that many marks cost no more than few.
fn mark(bytes: &[u8], from: usize) -> Option<(usize, Mark)> {
    let mut window = 1 << 10;
    let mut at = from;
    while at < bytes.len() {
        let end = bytes.len().min(at + window + LONGEST_MARK);
        if let Some(found) = mark_within(&bytes[..end], at) {
            return Some(found);
        }
        at += window;
        window *= 2;
    }
    None
}

/// The line that a mark is in is looked at so far.
const LONGEST_MARK: usize = 96;

fn mark_within(bytes: &[u8], from: usize) -> Option<(usize, Mark)> {
    let rest = bytes.get(from..)?;
    let marks: [(&[u8], Mark); 6] = [
        (b"STATSPACK report for", Mark::Text),
        (b"WORKLOAD REPOSITORY ", Mark::Text),
        (b"<html", Mark::Html),
        (b"<HTML", Mark::Html),
        (b"</html>", Mark::HtmlEnd),
        (b"</HTML>", Mark::HtmlEnd),
    ];
    marks
        .iter()
        .filter_map(|&(text, kind)| {
            let mut hits = memmem::find_iter(rest, text).map(|at| from + at);
            let at = match kind {
                Mark::Text => hits.find(|&at| begins_line(bytes, at) && is_header(bytes, at))?,
                Mark::Html => hits.find(|&at| begins_line(bytes, at))?,
                Mark::HtmlEnd => hits.next()?,
            };
            Some((at, kind))
        })
        .min_by_key(|&(at, _)| at)
}

/// Only white space before it in its line.
fn begins_line(bytes: &[u8], at: usize) -> bool {
    bytes[..at].iter().rev().take_while(|&&byte| byte != b'\n').all(|byte| byte.is_ascii_whitespace())
}

fn is_header(bytes: &[u8], at: usize) -> bool {
    let line = &bytes[at..];
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len()).min(80)];
    grid_text::is_header(&decode::text(line))
}

/// Lines of a report within a file, counted from the file's start.
fn move_lines(document: &mut Document, by: usize) {
    if by == 0 {
        return;
    }
    for section in &mut document.sections {
        section.line += by;
        for row in section.tables.iter_mut().flat_map(|table| &mut table.rows) {
            row.line += by;
        }
    }
}
