//! The layout of a file, from access parameters.

/// Default maximum of a record in bytes.
pub const RECORD_BYTES: usize = 512 << 10;
/// Default maximum of a field in bytes.
pub const FIELD_BYTES: usize = 255;

/// Access parameters.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Access {
    pub records: Records,
    pub fields: Fields,
}

/// Delimiter of records.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum RecordFormat {
    /// At a line feed; a carriage return before it belongs to the record.
    #[default]
    Newline,
    /// At a line feed, or at a carriage return and a line feed.
    DetectedNewline,
    /// At these bytes; never empty.
    Delimiter(Vec<u8>),
    /// After so many bytes; never 0.
    Fixed(usize),
}

/// Encoding of text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Characters {
    #[default]
    Utf8,
    Ascii,
    Latin1,
}

/// A file for rejected records, or for their errors.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub enum Output {
    /// A name made of the table's and the process's number, in the default directory.
    #[default]
    Usual,
    Nowhere,
    Named {
        directory: Option<String>,
        name: String,
    },
}

/// RECORDS.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Records {
    pub format: RecordFormat,
    /// Records at the beginning of each file that are no rows.
    pub skip: u64,
    pub bad: Output,
    pub log: Output,
    pub characters: Characters,
    /// Bytes that a record may have.
    pub record_bytes: usize,
}

impl Default for Records {
    fn default() -> Self {
        Self {
            format: RecordFormat::default(),
            skip: 0,
            bad: Output::default(),
            log: Output::default(),
            characters: Characters::default(),
            record_bytes: RECORD_BYTES,
        }
    }
}

/// The end of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Terminator {
    /// Never empty.
    Text(Vec<u8>),
    /// Any number of blanks, tabs and line ends; those before the field go with them.
    Whitespace,
}

/// Enclosure of a field; the right one doubled stands for itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Enclosure {
    pub left: Vec<u8>,
    pub right: Vec<u8>,
    pub optional: bool,
}

/// Blanks trimmed around a field. A field of blanks alone is NULL.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Trim {
    None,
    Left,
    Right,
    Both,
    /// As SQL*Loader: on the right of a field without a delimiter; on the left of one whose optional enclosure is
    /// missing.
    #[default]
    Loader,
}

/// FIELDS.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Fields {
    /// Default terminator of fields; None: they have a length.
    pub terminator: Option<Terminator>,
    pub enclosure: Option<Enclosure>,
    pub trim: Trim,
    /// A record without the last fields has NULLs there, instead of being rejected.
    pub missing_are_null: bool,
    /// A record of NULLs alone is rejected.
    pub reject_all_null: bool,
    /// The mask of dates that have none of their own.
    pub masks: Vec<DatetimeMask>,
    /// None: the columns of the table in their order, each up to [`FIELD_BYTES`] long.
    pub list: Option<Vec<FieldRule>>,
}

/// Format of a date or time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DatetimeMask {
    /// For TIMESTAMP; else for DATE.
    pub timestamp: bool,
    pub mask: String,
}

/// Start of a field at a fixed position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Origin {
    /// At this byte, from 0.
    At(usize),
    /// Bytes behind the end of the previous field.
    Behind(isize),
}

/// POSITION.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    pub origin: Origin,
    pub extent: Option<Extent>,
}

/// End of a field at a fixed position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// To the end of this byte, from 1.
    To(usize),
    Bytes(usize),
}

/// A field of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldRule {
    /// In the dictionary's case.
    pub name: String,
    pub position: Option<Position>,
    /// Its length in bytes, or its maximum if it has a terminator.
    pub bytes: Option<usize>,
    pub terminator: Option<Terminator>,
    pub enclosure: Option<Enclosure>,
    pub trim: Option<Trim>,
    pub mask: Option<DatetimeMask>,
    pub null_if: Vec<NullIf>,
}

impl FieldRule {
    /// A field with a name alone.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            position: None,
            bytes: None,
            terminator: None,
            enclosure: None,
            trim: None,
            mask: None,
            null_if: Vec::new(),
        }
    }
}

/// The right side of a field's comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ComparedWith {
    Text(Vec<u8>),
    Blanks,
}

/// A condition of NULLIF: the field is NULL when all of them hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NullIf {
    pub field: String,
    pub equal: bool,
    pub with: ComparedWith,
}
