//! Files to rows.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use common::sync::atomic::{AtomicU64, Ordering};
use common::{Error, ErrorKind, Result};
use scalar::Context;

use crate::convert::{Column, Converter};
use crate::csv::{Next, Rows};
use crate::error;
use crate::fields::{Split, Splitter};
use crate::records::{Records, Stopped};
use crate::reject::{Outputs, Rejected, Rejects};
use crate::row::RowBytes;
use crate::spec::{Access, Characters, ComparedWith, DatetimeMask, FieldRule, NullIf, RECORD_BYTES};

/// A file to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    pub path: PathBuf,
    /// As messages name it.
    pub name: String,
    /// The name of its directory in messages; empty where there is none.
    pub directory: String,
}

/// The layout of the files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Layout {
    Loader(Box<Access>),
    /// Comma-separated values: every row has as many fields as there are columns, empty ones are NULL.
    Csv {
        delimiter: u8,
        /// The first row has names, and is passed over.
        header: bool,
        /// Bytes that a row may have.
        row_bytes: usize,
        /// The masks of dates and of times.
        masks: Vec<DatetimeMask>,
    },
}

/// Parameters of a scan.
#[derive(Clone, Debug)]
pub struct Setup {
    /// As messages name it.
    pub table: String,
    pub columns: Vec<Column>,
    pub layout: Layout,
    pub inputs: Vec<Input>,
    pub outputs: Outputs,
    /// Records that may be rejected; None for any number.
    pub reject_limit: Option<u64>,
    /// Set to the number of bytes read.
    pub progress: Option<Arc<AtomicU64>>,
    /// Set to the number of rejected records.
    pub rejected: Option<Arc<AtomicU64>>,
}

/// A file that reports the bytes read.
#[derive(Debug)]
struct Counted {
    file: File,
    progress: Option<Arc<AtomicU64>>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        if let Some(progress) = &self.progress {
            progress.fetch_add(count as u64, Ordering::Relaxed);
        }
        Ok(count)
    }
}

#[derive(Debug)]
enum Reading {
    Loader(Records<Counted>),
    Csv(Rows<Counted>),
}

/// A condition of NULLIF, its field resolved.
#[derive(Clone, Debug)]
struct Null {
    field: usize,
    equal: bool,
    with: ComparedWith,
}

/// Source of a column's values.
#[derive(Clone, Debug)]
struct Target {
    name: String,
    required: bool,
    /// None: there is no field of its name, and it is always NULL.
    field: Option<usize>,
    converter: Converter,
    null_if: Vec<Null>,
}

/// Rows of files, one file after the other.
#[derive(Debug)]
pub struct Scan {
    setup: Setup,
    context: Arc<dyn Context>,
    splitter: Splitter,
    field_names: Vec<String>,
    targets: Vec<Target>,
    reject_all_null: bool,
    rejects: Rejects,
    split: Split,
    row: RowBytes,
    /// The file being read, with its index.
    reading: Option<Reading>,
    at: usize,
    ended: bool,
}

impl Scan {
    /// Files are opened when the first row is read.
    ///
    /// # Errors
    /// ORA-01821 for an invalid date mask; ORA-29913 with KUP-04043 for an unknown field in NULLIF.
    pub fn new(setup: Setup, context: Arc<dyn Context>) -> Result<Self> {
        let named: Vec<FieldRule> = setup.columns.iter().map(|column| FieldRule::new(&column.name)).collect();
        let default = Access::default();
        let (access, list, masks) = match &setup.layout {
            Layout::Loader(access) => (&**access, access.fields.list.clone().unwrap_or(named), &access.fields.masks),
            Layout::Csv { masks, .. } => (&default, named, masks),
        };
        let mask_of = |rule: Option<&FieldRule>, column: &Column| {
            let timestamp = matches!(column.data_type, common::DataType::Timestamp { .. });
            let own = rule.and_then(|rule| rule.mask.clone());
            own.or_else(|| masks.iter().find(|mask| mask.timestamp == timestamp).cloned())
        };
        let targets = setup
            .columns
            .iter()
            .map(|column| {
                let field = list.iter().position(|rule| rule.name == column.name);
                let rule = field.map(|at| &list[at]);
                let mask = mask_of(rule, column);
                let characters = access.records.characters;
                let null_if = rule.map_or(&[][..], |rule| &rule.null_if).iter().map(|null| found(null, &list));
                Ok(Target {
                    name: column.name.clone(),
                    required: column.required,
                    field,
                    converter: Converter::new(column, mask.as_ref(), characters, &*context)?,
                    null_if: null_if.collect::<Result<_>>()?,
                })
            })
            .collect::<Result<_>>()?;
        let splitter = Splitter::new(&access.fields, &list);
        let reject_all_null = access.fields.reject_all_null;
        // A restarted statement reads again.
        for counter in [&setup.progress, &setup.rejected].into_iter().flatten() {
            counter.store(0, Ordering::Relaxed);
        }
        let inputs = setup.inputs.iter().map(|input| input.path.clone()).collect();
        let rejects =
            Rejects::new(&setup.table, inputs, setup.outputs.clone(), setup.reject_limit, &access.records.format);
        let field_names = list.into_iter().map(|rule| rule.name).collect();
        Ok(Self {
            setup,
            context,
            splitter,
            field_names,
            targets,
            reject_all_null,
            rejects,
            split: Split::default(),
            row: RowBytes::default(),
            reading: None,
            at: 0,
            ended: false,
        })
    }

    /// Records rejected so far.
    #[must_use]
    pub fn rejected(&self) -> Rejected {
        self.rejects.count()
    }

    /// The next row; None at the end of the last file.
    ///
    /// # Errors
    /// ORA-29913: a file that does not exist (KUP-04040) or cannot be read, a record that is too long (KUP-04020), more
    /// rejected records than the limit (ORA-30653).
    pub fn next_row(&mut self) -> Result<Option<&RowBytes>> {
        match self.advance() {
            Ok(true) => Ok(Some(&self.row)),
            Ok(false) => {
                self.rejects.finish()?;
                Ok(None)
            }
            Err(error) => {
                self.ended = true;
                // The first error is the one to report.
                let _ = self.rejects.finish();
                Err(error)
            }
        }
    }

    fn advance(&mut self) -> Result<bool> {
        while !self.ended {
            if self.reading.is_none() && !self.open()? {
                self.ended = true;
                break;
            }
            let Self { setup, context, splitter, field_names, targets, rejects, split, row, reading, .. } = self;
            let Some(reading) = reading else { break };
            let input = &setup.inputs[self.at];
            let found = match reading {
                Reading::Loader(records) => records.next().map(|more| if more { Next::Row } else { Next::End }),
                Reading::Csv(rows) => rows.next(split),
            };
            let found = found.map_err(|why| stopped(setup, input, why))?;
            if found == Next::End {
                self.reading = None;
                self.at += 1;
                continue;
            }
            // The record in its original form, the bytes of its fields' ranges, and its number.
            let reading = &*reading;
            let (raw, values, number) = match reading {
                Reading::Loader(records) => (records.record(), records.record(), records.number()),
                Reading::Csv(rows) => (rows.raw(), rows.values(), rows.line()),
            };
            let made = match reading {
                _ if found == Next::Unclosed => Err("a quotation mark is not closed".to_owned()),
                Reading::Loader(_) => splitter.split(values, split).map_err(|(field, wrong)| {
                    format!("KUP-04021: field formatting error for field {}: {}", field_names[field], wrong.text())
                }),
                Reading::Csv(_) if split.len() != targets.len() => {
                    Err(format!("the row has {} fields, and {} are to be", split.len(), targets.len()))
                }
                Reading::Csv(_) => Ok(()),
            };
            let made = made.and_then(|()| {
                row.clear();
                targets.iter().try_for_each(|target| target.append(split, values, &**context, row))?;
                if self.reject_all_null && row.all_null() {
                    return Err("KUP-04073: record ignored because all referenced fields are null".to_owned());
                }
                Ok(())
            });
            let Err(why) = made else { return Ok(true) };
            let what = if matches!(reading, Reading::Csv(_)) { "line" } else { "record" };
            if let Some(rejected) = &setup.rejected {
                rejected.fetch_add(1, Ordering::Relaxed);
            }
            rejects.add(raw, &format!("{what} {number} of {}", input.name), &why)?;
        }
        Ok(false)
    }

    /// Opens the next file; before the first, checks that all exist.
    fn open(&mut self) -> Result<bool> {
        if self.at == 0 {
            for input in &self.setup.inputs {
                let found = std::fs::metadata(&input.path);
                let found = found.map_err(|error| not_opened(input, &error))?;
                if found.is_dir() {
                    return Err(error::open(&format!(
                        "KUP-04001: error opening file {}: it is a directory",
                        input.name
                    )));
                }
            }
        }
        let Some(input) = self.setup.inputs.get(self.at) else { return Ok(false) };
        let file = File::open(&input.path).map_err(|error| not_opened(input, &error))?;
        let file = Counted { file, progress: self.setup.progress.clone() };
        let failed = |why| stopped(&self.setup, input, why);
        self.reading = Some(match &self.setup.layout {
            Layout::Loader(access) => {
                let records = &access.records;
                let mut reading = Records::new(file, &records.format, records.record_bytes);
                if records.characters == Characters::Utf8 {
                    reading.pass_mark().map_err(failed)?;
                }
                for _ in 0..records.skip {
                    if !reading.next().map_err(failed)? {
                        break;
                    }
                }
                Reading::Loader(reading)
            }
            Layout::Csv { delimiter, header, row_bytes, .. } => {
                let mut reading = Rows::new(file, *delimiter, *row_bytes);
                if *header {
                    reading.next(&mut self.split).map_err(failed)?;
                }
                Reading::Csv(reading)
            }
        });
        Ok(true)
    }
}

impl Target {
    /// Appends the column's value, or returns its error.
    #[inline]
    fn append(
        &self,
        split: &Split,
        values: &[u8],
        context: &dyn Context,
        row: &mut RowBytes,
    ) -> std::result::Result<(), String> {
        let field = self.field.and_then(|at| split.field(at, values)).filter(|field| !field.is_empty());
        let Some(field) = field else { return self.null(row) };
        if !self.null_if.is_empty() && self.null_if.iter().all(|null| null.holds(split, values)) {
            return self.null(row);
        }
        self.converter.append(field, context, row).map_err(|error| {
            const SHOWN: usize = 40;
            let text = match std::str::from_utf8(field) {
                Ok(text) => text.chars().take(SHOWN).flat_map(char::escape_debug).collect(),
                Err(_) => field[..field.len().min(SHOWN)].escape_ascii().to_string(),
            };
            let more = if field.len() > SHOWN { "…" } else { "" };
            format!("error processing column {}: {error}: '{text}{more}'", self.name)
        })
    }
}

impl Target {
    fn null(&self, row: &mut RowBytes) -> std::result::Result<(), String> {
        if self.required {
            return Err(format!("error processing column {}: ORA-01400: cannot insert NULL", self.name));
        }
        row.null();
        Ok(())
    }
}

impl Null {
    fn holds(&self, split: &Split, values: &[u8]) -> bool {
        let field = split.field(self.field, values).unwrap_or_default();
        let equal = match &self.with {
            ComparedWith::Text(text) => field == text,
            ComparedWith::Blanks => field.iter().all(|byte| *byte == b' '),
        };
        equal == self.equal
    }
}

/// The fields of the first row of comma-separated values, blanks around them left out; none where the file is empty.
///
/// # Errors
/// As [`Scan::next_row`]; HW-0002 for a row that is not whole, or not UTF-8.
pub fn header(input: &Input, delimiter: u8) -> Result<Vec<String>> {
    let file = File::open(&input.path).map_err(|error| not_opened(input, &error))?;
    let mut rows = Rows::new(file, delimiter, RECORD_BYTES);
    let mut split = Split::default();
    let wrong = |what: &str| Error::own(ErrorKind::User, 2, format!("{}: the first row {what}", input.name));
    match rows.next(&mut split) {
        Ok(Next::Row) => {}
        Ok(Next::End) => return Ok(Vec::new()),
        Ok(Next::Unclosed) => return Err(wrong("has a quotation mark that is not closed")),
        Err(Stopped::Io(error)) => return Err(error::file("reading", &input.name, &error)),
        Err(_) => return Err(wrong(&format!("has more than {RECORD_BYTES} bytes"))),
    }
    (0..split.len())
        .map(|at| {
            let name = std::str::from_utf8(split.field(at, rows.values()).unwrap_or_default());
            name.map(|name| name.trim().to_owned()).map_err(|_| wrong("is not UTF-8"))
        })
        .collect()
}

fn found(null: &NullIf, list: &[FieldRule]) -> Result<Null> {
    let field = list.iter().position(|rule| rule.name == null.field).ok_or_else(|| {
        error::open(&format!("KUP-04043: table column or field not found in external source: {}", null.field))
    })?;
    Ok(Null { field, equal: null.equal, with: null.with.clone() })
}

fn not_opened(input: &Input, error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::NotFound {
        let place = if input.directory.is_empty() { String::new() } else { format!(" in {}", input.directory) };
        return error::open(&format!("KUP-04040: file {}{place} not found", input.name));
    }
    Error { kind: ErrorKind::Io, ..error::open(&format!("KUP-04001: error opening file {}: {error}", input.name)) }
}

fn stopped(setup: &Setup, input: &Input, why: Stopped) -> Error {
    let most = match &setup.layout {
        Layout::Loader(access) => access.records.record_bytes,
        Layout::Csv { row_bytes, .. } => *row_bytes,
    };
    let csv = matches!(setup.layout, Layout::Csv { .. });
    match why {
        Stopped::Io(error) => error::file("reading", &input.name, &error),
        Stopped::TooLong(number) => {
            let what = if csv { "the row that begins at line" } else { "record" };
            error::fetch(&format!(
                "KUP-04020: found record longer than buffer size supported, {most}: {what} {number} of {}",
                input.name
            ))
        }
        Stopped::Short(number, bytes) => error::fetch(&format!(
            "KUP-04018: partial record at end of file {}: record {number} has {bytes} bytes",
            input.name
        )),
    }
}
