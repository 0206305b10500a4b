//! The rows that experiments insert: where they come from, and their values both as the engine stores them and as text.
//!
//! | source | rows |
//! | --- | --- |
//! | (default) | [`objects`]: made up in the shape of DBA_OBJECTS, six copies |
//! | `tpch:lineitem` | [`lineitem`]: the first rows of TPC-H's line items |
//! | `FILE.csv` | [`file`]: a CSV file with a header line |
//!
//! All are deterministic: the same source and scale give the same rows in the same order.

pub mod file;
pub mod lineitem;
pub mod objects;
mod value;

use std::path::PathBuf;
use std::str::FromStr;

use common::{DataType, Error, Result};

pub use value::{Row, Value};

/// Rows of the made-up sources at scale 1.
pub(crate) const ROWS: f64 = 303_666.0;

/// A column of a source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    pub name: String,
    pub data_type: DataType,
}

impl Column {
    fn new(name: &str, data_type: DataType) -> Self {
        Self { name: name.to_owned(), data_type }
    }
}

/// Facts of a source that are known before its rows are made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shape {
    pub description: String,
    pub columns: Vec<Column>,
    /// Position of the column that is indexed.
    pub key: usize,
    pub rows: u64,
    /// True: the rows have the number and the shape of the published experiment's.
    pub published_shape: bool,
    /// The part of the rows that was fitted to a published figure, and that figure.
    pub fitted: Option<&'static str>,
}

impl Shape {
    /// Name of the column that is indexed.
    #[must_use]
    pub fn key_name(&self) -> &str {
        self.columns.get(self.key).map_or("", |column| &column.name)
    }

    /// The columns of CREATE TABLE.
    #[must_use]
    pub fn column_list(&self) -> String {
        let columns: Vec<String> =
            self.columns.iter().map(|column| format!("{} {}", column.name, column.data_type)).collect();
        columns.join(", ")
    }
}

/// Makes the rows of a source.
pub trait Rows {
    /// Puts the next row into `row`; false at the end.
    ///
    /// # Errors
    /// Those of reading it.
    fn next(&mut self, row: &mut Row) -> Result<bool>;
}

/// The choice of a source.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum SourceName {
    #[default]
    Objects,
    Lineitem,
    File(PathBuf),
}

impl FromStr for SourceName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "objects" => Ok(Self::Objects),
            "tpch:lineitem" => Ok(Self::Lineitem),
            _ if text.starts_with("tpch:") => Err(Error::unsupported(format!("the source {text}; tpch:lineitem is"))),
            _ => Ok(Self::File(PathBuf::from(text))),
        }
    }
}

impl SourceName {
    /// The shape of the source and its rows. `scale` multiplies the number of rows; of a file it takes the first part,
    /// at most all.
    ///
    /// # Errors
    /// HW-0002 when a file cannot be read, HW-0003 when it has no rows or no column of numbers, or when the scale gives
    /// no rows.
    pub fn open(&self, scale: f64) -> Result<(Shape, Box<dyn Rows>)> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(wrong(format!("a scale is a number above 0, not {scale}")));
        }
        match self {
            Self::Objects => {
                let rows = objects::Objects::new(scale);
                Ok((rows.shape(), Box::new(rows)))
            }
            Self::Lineitem => {
                let rows = lineitem::Lineitems::new(scale);
                Ok((rows.shape(), Box::new(rows)))
            }
            Self::File(path) => {
                let (shape, rows) = file::File::open(path, scale)?;
                Ok((shape, Box::new(rows)))
            }
        }
    }
}

/// A source asked for wrongly.
fn wrong(text: impl Into<String>) -> Error {
    Error::own(common::ErrorKind::User, 3, text)
}
