//! A pass over a whole trace: joins records that span lines, counts damage, and passes each record to a visitor.

use std::io::Read;

use common::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use super::encoding::{self, Encoding};
use super::header::{self, Header, LONGEST_HEADER};
use super::lines::Lines;
use super::parse::{self, CursorHead, Line};
use super::{Binds, Mark, ParseError, Parsing, Record, binds};

/// Lines not understood that are kept word for word.
pub const KEPT_FAULTS: usize = 10;

/// Characters of such a line that are kept.
const KEPT_CHARACTERS: usize = 200;

/// Bytes of a statement's text, and of a bind block, that are kept.
const LONGEST_TEXT: usize = 16 << 20;

/// The extent and quality of a reading.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Reading {
    pub encoding: Encoding,
    pub bytes: u64,
    pub lines: u64,
    pub records: u64,
    /// Lines that are neither a record nor part of one.
    pub not_understood: u64,
    /// The first of them.
    pub misread: Vec<MisreadLine>,
    /// Statements whose text ended without `END OF STMT`.
    pub unfinished_statements: u64,
    /// Lines longer than the reader keeps.
    pub overlong_lines: u64,
    /// Lines with bytes that are not UTF-8; those became replacement characters.
    pub repaired_lines: u64,
    /// Heads of files within the file: a process began it anew, or several were joined. The first head counts.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub later_headers: u64,
    /// Why the trace is not whole, if it is not.
    pub truncation: Option<Truncation>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A line that was not understood.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MisreadLine {
    /// From 1.
    pub line: u64,
    /// Its beginning.
    pub text: String,
}

/// Why a trace is not whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Truncation {
    /// The file ends within a line.
    LastLineCut,
    /// The file ends within a statement's text.
    StatementUnfinished,
    /// The database stopped at the size a trace file may have.
    SizeLimit,
}

/// Reads a trace from start to end and passes each record to `visit`. The first record is always [`Record::Header`].
///
/// # Errors
///
/// HW-0801 for an empty file, HW-0802 for one that is not text, HW-0803 for text without a line of a trace, HW-0804
/// when reading fails, and errors of `visit`.
pub fn read(source: impl Read, visit: &mut dyn FnMut(&Record<'_>) -> Result<()>) -> Result<Reading> {
    let (encoding, stream) = encoding::open(source)?;
    let mut pass = Pass {
        visit,
        reading: Reading { encoding, ..Reading::default() },
        header: Header::default(),
        in_header: true,
        later_header: 0,
        evident: false,
        block: Block::None,
        text: String::new(),
        incomplete: false,
    };
    let mut lines = Lines::new(stream);
    let mut last_cut = false;
    while lines.advance()? {
        let number = lines.count;
        let understood = pass.line(lines.line(), number)?;
        pass.reading.overlong_lines += u64::from(lines.overlong);
        pass.reading.repaired_lines += u64::from(lines.repaired());
        last_cut = !lines.terminated && !understood;
    }
    pass.reading.lines = lines.count;
    pass.reading.bytes = lines.bytes;
    pass.finish(last_cut)
}

/// True: a line within a statement's text is a record all the same.
fn is_certain(line: &str) -> bool {
    matches!(parse::line(line), Some(Line::Call(_) | Line::Wait(_) | Line::Stat(_) | Line::Parsing(_)))
}

/// The owner of the lines that follow.
enum Block {
    None,
    Statement(Head),
    ParseError(Head),
    Binds(u64),
}

/// [`CursorHead`] without borrows, because its line is gone when the text ends.
struct Head {
    fields: CursorHead<'static>,
    address: Option<String>,
    sql_id: Option<String>,
}

impl Head {
    fn new(head: &CursorHead<'_>) -> Self {
        Self {
            fields: CursorHead { address: None, sql_id: None, ..*head },
            address: head.address.map(str::to_owned),
            sql_id: head.sql_id.map(str::to_owned),
        }
    }
}

struct Pass<'v> {
    visit: &'v mut dyn FnMut(&Record<'_>) -> Result<()>,
    reading: Reading,
    header: Header,
    in_header: bool,
    /// Lines that may still belong to a head within the file.
    later_header: u32,
    /// A record was seen that only a trace has.
    evident: bool,
    block: Block,
    /// The block's lines so far, each ended by LF.
    text: String,
    /// Part of the block's text was too much to keep.
    incomplete: bool,
}

impl Pass<'_> {
    /// Takes one line; false if it was not understood.
    fn line(&mut self, line: &str, number: u64) -> Result<bool> {
        match &self.block {
            Block::None => {}
            Block::Statement(head) => {
                if line.trim_end() == "END OF STMT" {
                    self.end_block(false)?;
                    return Ok(true);
                }
                // A text shorter than it should be is over only at a line that can be nothing but a record.
                let whole = head.fields.length.is_none_or(|length| self.text.len() as u64 > length);
                if !(parse::begins_record(line) && (whole || is_certain(line))) {
                    self.keep(line);
                    return Ok(true);
                }
                self.reading.unfinished_statements += 1;
                self.end_block(true)?;
            }
            Block::ParseError(head) => {
                let whole = head.fields.length.is_some_and(|length| self.text.len() as u64 > length);
                if !whole && !parse::begins_record(line) && !line.starts_with("*** ") {
                    self.keep(line);
                    return Ok(true);
                }
                self.end_block(false)?;
            }
            Block::Binds(_) => {
                if !parse::begins_record(line) && binds::continues(&self.text, line) {
                    self.keep(line);
                    return Ok(true);
                }
                self.end_block(false)?;
            }
        }
        self.outside(line, number)
    }

    /// Takes a line outside any block.
    fn outside(&mut self, line: &str, number: u64) -> Result<bool> {
        let parsed = parse::line(line);
        if self.in_header {
            let blank = matches!(parsed, Some(Line::Nothing)) && !line.starts_with('=');
            if parsed.is_none() && self.header.lines < LONGEST_HEADER {
                self.header.take(line);
                return Ok(true);
            }
            if blank {
                return Ok(true);
            }
            self.end_header()?;
        }
        match &parsed {
            None if header::begins(line) && self.later_header == 0 => {
                self.reading.later_headers += 1;
                self.later_header = LONGEST_HEADER;
            }
            // The time and the session's names may stand between its lines.
            Some(Line::Nothing | Line::Mark(_)) => {}
            None => self.later_header = self.later_header.saturating_sub(1),
            Some(_) => self.later_header = 0,
        }
        match parsed {
            None if self.later_header > 0 => {}
            None => {
                self.misread(line, number);
                return Ok(false);
            }
            Some(Line::Nothing) => {}
            Some(Line::Parsing(head)) => self.begin(Block::Statement(Head::new(&head))),
            Some(Line::ParseError(head)) => self.begin(Block::ParseError(Head::new(&head))),
            Some(Line::Binds { cursor }) => self.begin(Block::Binds(cursor)),
            // The end of a text whose beginning was lost.
            Some(Line::EndOfStatement) => {
                self.misread(line, number);
                return Ok(false);
            }
            Some(Line::Call(call)) => self.give(&Record::Call(call))?,
            Some(Line::Wait(wait)) => self.give(&Record::Wait(wait))?,
            Some(Line::Stat(stat)) => self.give(&Record::Stat(stat))?,
            Some(Line::TransactionEnd(end)) => self.give(&Record::TransactionEnd(end))?,
            Some(Line::Error(error)) => self.give(&Record::Error(error))?,
            Some(Line::Application(application)) => self.give(&Record::Application(application))?,
            Some(Line::Lob(lob)) => self.give(&Record::Lob(lob))?,
            Some(Line::Mark(mark)) => {
                if matches!(mark, Mark::SizeLimit { .. }) {
                    self.reading.truncation = Some(Truncation::SizeLimit);
                }
                self.give(&Record::Mark(mark))?;
            }
        }
        Ok(true)
    }

    fn give(&mut self, record: &Record<'_>) -> Result<()> {
        self.reading.records += 1;
        // Any text may hold a line of asterisks or a date.
        self.evident |= !matches!(record, Record::Mark(Mark::Other(_) | Mark::Time { .. }));
        (self.visit)(record)
    }

    fn misread(&mut self, line: &str, number: u64) {
        self.reading.not_understood += 1;
        if self.reading.misread.len() < KEPT_FAULTS {
            let text = line.chars().take(KEPT_CHARACTERS).collect();
            self.reading.misread.push(MisreadLine { line: number, text });
        }
    }

    fn end_header(&mut self) -> Result<()> {
        self.in_header = false;
        (self.visit)(&Record::Header(&self.header))
    }

    fn begin(&mut self, block: Block) {
        self.block = block;
        self.text.clear();
        self.incomplete = false;
    }

    fn keep(&mut self, line: &str) {
        if self.text.len() + line.len() < LONGEST_TEXT {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.incomplete = true;
        }
    }

    /// Gives the record of the block that is over.
    fn end_block(&mut self, cut: bool) -> Result<()> {
        let text = std::mem::take(&mut self.text);
        let incomplete = self.incomplete || cut;
        let statement = text.strip_suffix('\n').unwrap_or(&text);
        match std::mem::replace(&mut self.block, Block::None) {
            Block::None => {}
            Block::Statement(Head { fields, address, sql_id }) => self.give(&Record::Parsing(Parsing {
                cursor: fields.cursor,
                length: fields.length,
                depth: fields.depth,
                user: fields.user,
                privilege_user: fields.privilege_user,
                command: fields.command,
                time: fields.time,
                hash_value: fields.hash_value,
                address: address.as_deref(),
                sql_id: sql_id.as_deref(),
                text: statement,
                incomplete,
            }))?,
            Block::ParseError(Head { fields, .. }) => self.give(&Record::ParseError(ParseError {
                cursor: fields.cursor,
                length: fields.length,
                depth: fields.depth,
                user: fields.user,
                privilege_user: fields.privilege_user,
                command: fields.command,
                time: fields.time,
                error: fields.error.unwrap_or_default(),
                text: statement,
            }))?,
            Block::Binds(cursor) => self.give(&Record::Binds(Binds { cursor, text: &text }))?,
        }
        self.text = text;
        Ok(())
    }

    fn finish(mut self, last_cut: bool) -> Result<Reading> {
        let in_statement = matches!(self.block, Block::Statement(_));
        if in_statement {
            self.reading.unfinished_statements += 1;
        }
        self.end_block(in_statement)?;
        if self.in_header {
            self.end_header()?;
        }
        if self.reading.truncation.is_none() {
            self.reading.truncation = match (in_statement, last_cut) {
                (true, _) => Some(Truncation::StatementUnfinished),
                (false, true) => Some(Truncation::LastLineCut),
                (false, false) => None,
            };
        }
        if !self.evident && !self.header.recognised() {
            return Err(Error::own(ErrorKind::User, 803, "the file holds no line of a 10046 trace"));
        }
        Ok(self.reading)
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
