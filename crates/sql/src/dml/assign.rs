//! Assignment of a query's values to the columns of a table: lengths, precision and NOT NULL are checked, values
//! encoded as rows store them.

use common::{DataType, Error, Result};
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, LargeBinaryArray, LargeStringArray, StringArray,
};
use datafusion::arrow::datatypes::{TimestampMicrosecondType, TimestampSecondType};
use engine::dictionary::TableDef;
use format::date::DateTime;
use format::number;
use scalar::DatumType;

/// The assigning statement: the number of the error for a NULL depends on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Statement {
    Insert,
    Update,
    /// With BEFORE row triggers, which may replace a NULL: NULLs are checked after these have fired.
    InsertFiring,
    UpdateFiring,
}

impl Statement {
    pub(crate) fn insert(firing: bool) -> Self {
        if firing { Self::InsertFiring } else { Self::Insert }
    }

    pub(crate) fn update(firing: bool) -> Self {
        if firing { Self::UpdateFiring } else { Self::Update }
    }

    fn is_firing(self) -> bool {
        matches!(self, Self::InsertFiring | Self::UpdateFiring)
    }
}

/// A column of a table that a statement assigns.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// `"OWNER"."TABLE"."COLUMN"`.
    name: String,
    data_type: DataType,
    nullable: bool,
    statement: Statement,
    /// Values come from a column of the same type and fit unchecked.
    trusted: bool,
}

impl Target {
    pub(crate) fn new(table: &TableDef, column: usize, source: Option<DataType>, statement: Statement) -> Self {
        let definition = &table.columns[column];
        let name = format!("\"{}\".\"{}\".\"{}\"", table.owner, table.name, definition.name);
        let trusted = source.is_some_and(|source| fits(source, definition.data_type));
        Self {
            name,
            data_type: definition.data_type,
            nullable: statement.is_firing() || !table.refuses_null(column),
            statement,
            trusted,
        }
    }

    /// The values of a batch's column, ready to be stored.
    pub(crate) fn prepare<'a>(&self, array: &'a ArrayRef) -> Result<Ready<'a>> {
        if !self.nullable && array.null_count() > 0 {
            return Err(self.null_error());
        }
        match self.data_type {
            DataType::Number { precision, scale } => {
                let numbers: &BinaryArray = array.as_binary();
                if self.trusted || precision.is_none() && scale == 0 {
                    return Ok(Ready::Number(numbers));
                }
                Ready::encoded(numbers.len(), |row, out| {
                    if numbers.is_null(row) {
                        return Ok(false);
                    }
                    out.extend_from_slice(
                        &number::fit(numbers.value(row), precision, scale).map_err(|e| self.about(e))?,
                    );
                    Ok(true)
                })
            }
            DataType::Varchar2 { bytes } => {
                let texts: &StringArray = array.as_string();
                if !self.trusted {
                    for row in 0..texts.len() {
                        self.check_length(texts.value_length(row) as usize, bytes)?;
                    }
                }
                Ok(Ready::Text(texts))
            }
            DataType::Char { bytes } => {
                let texts: &LargeStringArray = array.as_string();
                if self.trusted {
                    return Ok(Ready::Char(texts));
                }
                Ready::encoded(texts.len(), |row, out| {
                    if texts.is_null(row) {
                        return Ok(false);
                    }
                    let text = texts.value(row).as_bytes();
                    self.check_length(text.len(), bytes)?;
                    out.extend_from_slice(text);
                    out.resize(out.len() + usize::from(bytes) - text.len(), b' ');
                    Ok(true)
                })
            }
            DataType::Date => {
                let seconds = array.as_primitive::<TimestampSecondType>();
                Ready::encoded(seconds.len(), |row, out| {
                    if seconds.is_null(row) {
                        return Ok(false);
                    }
                    out.extend_from_slice(&DateTime::from_unix_seconds(seconds.value(row))?.date());
                    Ok(true)
                })
            }
            DataType::Timestamp { precision } => {
                let micros = array.as_primitive::<TimestampMicrosecondType>();
                Ready::encoded(micros.len(), |row, out| {
                    if micros.is_null(row) {
                        return Ok(false);
                    }
                    let at = DateTime::from_unix_micros(micros.value(row))?;
                    let rounded = scalar::column::round_fraction(&at, precision)?.timestamp();
                    out.extend_from_slice(format::date::stored(&rounded));
                    Ok(true)
                })
            }
            DataType::Raw { bytes } => {
                let raws: &LargeBinaryArray = array.as_binary();
                if !self.trusted {
                    for row in 0..raws.len() {
                        self.check_length(raws.value_length(row) as usize, bytes)?;
                    }
                }
                Ok(Ready::Raw(raws))
            }
        }
    }

    /// Appends the bytes that the column stores for one value; false for NULL.
    pub(crate) fn store(
        &self,
        context: &dyn scalar::Context,
        value: &scalar::Datum,
        out: &mut Vec<u8>,
    ) -> Result<bool> {
        let stored = scalar::store(context, value, self.data_type, &self.name, out).map_err(|e| self.about(e))?;
        if !stored && !self.nullable {
            return Err(self.null_error());
        }
        Ok(stored)
    }

    /// Checks NOT NULL for a row after its BEFORE row triggers.
    ///
    /// # Errors
    /// ORA-01400 and ORA-01407.
    pub(crate) fn check_null(&self, is_null: bool) -> Result<()> {
        if is_null && !self.nullable { Err(self.null_error()) } else { Ok(()) }
    }

    fn null_error(&self) -> Error {
        match self.statement {
            Statement::Insert | Statement::InsertFiring => {
                Error::user(1400, format!("cannot insert NULL into ({})", self.name))
            }
            Statement::Update | Statement::UpdateFiring => {
                Error::user(1407, format!("cannot update ({}) to NULL", self.name))
            }
        }
    }

    fn check_length(&self, actual: usize, maximum: u16) -> Result<()> {
        if actual <= usize::from(maximum) {
            return Ok(());
        }
        let name = &self.name;
        Err(Error::user(12899, format!("value too large for column {name} (actual: {actual}, maximum: {maximum})")))
    }

    /// Adds the column's name to an error about a number's precision.
    fn about(&self, mut error: Error) -> Error {
        if error.is_ora(1438) && !error.text.contains(&self.name) {
            error.text = format!("{} ({})", error.text, self.name);
        }
        error
    }
}

/// True: every value of a column of type `source` can be stored in one of type `target` unchanged.
pub(crate) fn fits(source: DataType, target: DataType) -> bool {
    match (source, target) {
        (a, b) if a == b => true,
        (DataType::Number { .. }, DataType::Number { precision: None, scale: 0 }) => true,
        (DataType::Varchar2 { bytes: a }, DataType::Varchar2 { bytes: b })
        | (DataType::Raw { bytes: a }, DataType::Raw { bytes: b }) => a <= b,
        _ => false,
    }
}

/// A column of a batch as bytes to store.
#[derive(Debug)]
pub(crate) enum Ready<'a> {
    Number(&'a BinaryArray),
    Text(&'a StringArray),
    Char(&'a LargeStringArray),
    Raw(&'a LargeBinaryArray),
    /// The range of each value in `bytes`; an end before its start is NULL.
    Encoded {
        places: Vec<(u32, u32)>,
        bytes: Vec<u8>,
    },
    /// The same value for every row.
    Constant(Option<Vec<u8>>),
}

impl Ready<'_> {
    fn encoded(rows: usize, mut encode: impl FnMut(usize, &mut Vec<u8>) -> Result<bool>) -> Result<Self> {
        let mut places = Vec::with_capacity(rows);
        let mut bytes = Vec::with_capacity(rows * 8);
        for row in 0..rows {
            let start = bytes.len() as u32;
            let stored = encode(row, &mut bytes)?;
            places.push(if stored { (start, bytes.len() as u32) } else { (1, 0) });
        }
        Ok(Self::Encoded { places, bytes })
    }

    #[inline]
    pub(crate) fn value(&self, row: usize) -> Option<&[u8]> {
        match self {
            Self::Number(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Text(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::Char(array) => array.is_valid(row).then(|| array.value(row).as_bytes()),
            Self::Raw(array) => array.is_valid(row).then(|| array.value(row)),
            Self::Encoded { places, bytes } => {
                let (start, end) = places[row];
                bytes.get(start as usize..end as usize)
            }
            Self::Constant(value) => value.as_deref(),
        }
    }
}

/// The kind of values for a column.
pub(crate) fn kind(table: &TableDef, column: usize) -> DatumType {
    DatumType::from(table.columns[column].data_type)
}
