//! Contents of a file: reports, traces, TKPROF output, in any packing and encoding.
//!
//! ```text
//! file -> unpack.rs   gzip, xz, each member of a zip
//!      -> (trace::encoding)  UTF-16 becomes UTF-8; what is no text is refused
//!      -> kind.rs     what it is, by its content, never by its name
//!      -> split.rs    several reports in one file, one after another; HTML and text told apart
//!      -> decode.rs   bytes that are not UTF-8 are Windows-1252
//!      -> grid::text or grid::html -> the visitor
//! ```
//!
//! Memory: one report at a time, at most [`LARGEST_REPORT`] bytes of it; a trace is passed on as a stream; of anything
//! else only the first [`kind::SNIFFED`] bytes are read.
//!
//! An error in one report or one member of a zip is a [`Content::Refused`] of its own, and the rest is still read.

mod decode;
mod kind;
mod split;
mod unpack;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use common::{Error, ErrorKind, Result};

use crate::grid::Document;

pub use kind::SNIFFED;

/// Most bytes of one report. The largest AWR reports are a tenth of it.
pub const LARGEST_REPORT: usize = 64 << 20;

/// A part of a file.
pub struct Piece<'a> {
    /// The file's name; of a zip's member `reports.zip: may/awr_1.html`.
    pub name: &'a str,
    /// Which report of the file or member it is, from 1.
    pub part: usize,
    /// The line that it begins in, from 1.
    pub line: usize,
    pub content: Content<'a>,
}

/// The content of a part.
pub enum Content<'a> {
    /// A Statspack or AWR report. Lines are counted from the start of the file.
    Report(Document),
    /// A 10046 trace, unpacked, its characters ASCII-compatible: for [`crate::trace::read`].
    Trace(&'a mut dyn Read),
    /// The output of TKPROF.
    Tkprof(String),
    /// Not read, with the reason. The name is not in the text.
    Refused(Error),
}

impl std::fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Piece")
            .field("name", &self.name)
            .field("part", &self.part)
            .field("line", &self.line)
            .field("content", &self.content)
            .finish()
    }
}

impl std::fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Report(document) => write!(f, "Report({:?}, {} sections)", document.kind, document.sections.len()),
            Self::Trace(_) => f.write_str("Trace"),
            Self::Tkprof(text) => write!(f, "Tkprof({} bytes)", text.len()),
            Self::Refused(error) => write!(f, "Refused({error:?})"),
        }
    }
}

/// Receives a file's content, piece by piece. An error that it returns ends the reading.
pub type Visit<'a> = dyn FnMut(Piece<'_>) -> Result<()> + 'a;

/// Reads a file and passes on each piece of it.
///
/// # Errors
/// HW-0811 when the file cannot be opened, and errors of `visit`. An error in the content is a [`Content::Refused`].
pub fn open(path: &Path, visit: &mut Visit<'_>) -> Result<()> {
    let name = path.display().to_string();
    unpack::file(&name, opened(&name, path)?, visit)
}

/// Opens a file known to be a trace, packed in gzip or xz or not at all, for [`crate::trace::read`] and its callers.
/// Its kind is not checked.
///
/// # Errors
/// HW-0811 when the file cannot be opened, HW-0813 for packings that are not read (of a zip each member is a file of
/// its own: [`open`] reads them), HW-0814 for a damaged one. Damage further on comes from the reader.
pub fn open_trace(path: &Path) -> Result<Box<dyn Read + Send>> {
    let name = path.display().to_string();
    unpack::reader(&name, opened(&name, path)?)
}

fn opened(name: &str, path: &Path) -> Result<File> {
    let failed = |error: &std::io::Error| Error::own(ErrorKind::Io, 811, format!("cannot read {name}: {error}"));
    let file = File::open(path).map_err(|error| failed(&error))?;
    if file.metadata().map_err(|error| failed(&error))?.is_dir() {
        return Err(Error::own(ErrorKind::Io, 811, format!("cannot read {name}: it is a directory")));
    }
    Ok(file)
}

/// Reads a stream (standard input, say) under a name. A zip cannot be read this way and is refused.
///
/// # Errors
/// Whatever `visit` returns.
pub fn read(name: &str, source: &mut dyn Read, visit: &mut Visit<'_>) -> Result<()> {
    unpack::stream(name, source, 0, visit)
}

/// Passes on a refusal.
fn refuse(name: &str, part: usize, line: usize, error: Error, visit: &mut Visit<'_>) -> Result<()> {
    visit(Piece { name, part, line, content: Content::Refused(error) })
}

/// A read that failed in the middle: a damaged archive, or a bad disk.
fn broken(error: &std::io::Error) -> Error {
    Error::own(ErrorKind::Io, 814, format!("cannot be read to its end: {error}"))
}
