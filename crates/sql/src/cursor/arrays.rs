//! Array fetch: rows of a query as arrays, one a column, in the plan's own form.

use common::{Error, Result};
use datafusion::arrow::record_batch::RecordBatch;
use scalar::Datum;

use crate::functions::rows::Argument;

/// Rows of a query, column by column.
#[derive(Clone, Debug)]
pub struct FetchedArrays {
    pub(super) batches: Vec<RecordBatch>,
    /// True: these are the last rows.
    pub end: bool,
}

impl FetchedArrays {
    /// The number of rows fetched.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// Bytes of the arrays, including offsets and validity bitmaps.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.batches.iter().map(RecordBatch::get_array_memory_size).sum()
    }

    /// A value. Both positions count from 0.
    ///
    /// # Errors
    /// ORA-00600 for a row or column out of range, and for stored bytes that are no value of the column's type.
    pub fn datum(&self, row: usize, column: usize) -> Result<Datum> {
        let mut at = row;
        for batch in &self.batches {
            if at < batch.num_rows() {
                let array = batch.columns().get(column).ok_or_else(|| Error::bug(format!("no column {column}")))?;
                return Argument::array(array)?.datum(at);
            }
            at -= batch.num_rows();
        }
        Err(Error::bug(format!("no row {row} among {}", self.rows())))
    }
}

/// The rows of batches, value by value.
///
/// # Errors
/// As [`FetchedArrays::datum`].
pub(crate) fn to_rows(batches: &[RecordBatch]) -> Result<Vec<Vec<Datum>>> {
    let mut rows = Vec::with_capacity(batches.iter().map(RecordBatch::num_rows).sum());
    for batch in batches {
        let columns = batch.columns().iter().map(Argument::array).collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            rows.push(columns.iter().map(|column| column.datum(row)).collect::<Result<Vec<_>>>()?);
        }
    }
    Ok(rows)
}
