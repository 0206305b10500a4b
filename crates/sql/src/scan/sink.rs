//! Rows of blocks into Arrow arrays.

use std::sync::Arc;

use common::{BlockAddress, DataType, Error, ObjectNumber, Result, Rowid};
use datafusion::arrow::array::{
    ArrayRef, BinaryArray, LargeBinaryArray, LargeStringArray, NullBufferBuilder, StringArray,
    TimestampMicrosecondArray, TimestampSecondArray,
};
use datafusion::arrow::buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::record_batch::{RecordBatch, RecordBatchOptions};
use scalar::DatumType;
use scan::RowSink;

use super::source::ReadSink;

/// Values of one column, gathered.
#[derive(Debug)]
enum Values {
    /// NUMBER and VARCHAR2: 32-bit offsets.
    Short {
        offsets: Vec<i32>,
        bytes: Vec<u8>,
    },
    /// CHAR and RAW: 64-bit offsets.
    Long {
        offsets: Vec<i64>,
        bytes: Vec<u8>,
    },
    Seconds(Vec<i64>),
    Micros(Vec<i64>),
}

#[derive(Debug)]
struct ColumnBuffer {
    kind: DatumType,
    values: Values,
    validity: NullBufferBuilder,
}

impl ColumnBuffer {
    fn new(kind: DatumType) -> Self {
        let values = match kind {
            DatumType::Number | DatumType::Varchar2 | DatumType::Rowid | DatumType::Null => {
                Values::Short { offsets: vec![0], bytes: Vec::new() }
            }
            DatumType::Char | DatumType::Raw => Values::Long { offsets: vec![0], bytes: Vec::new() },
            DatumType::Date => Values::Seconds(Vec::new()),
            DatumType::Timestamp => Values::Micros(Vec::new()),
        };
        Self { kind, values, validity: NullBufferBuilder::new(1024) }
    }

    #[inline]
    fn push(&mut self, value: Option<&[u8]>) {
        let value = match value {
            Some(value) => {
                self.validity.append_non_null();
                value
            }
            None => {
                self.validity.append_null();
                &[]
            }
        };
        match &mut self.values {
            Values::Short { offsets, bytes } => {
                bytes.extend_from_slice(value);
                offsets.push(bytes.len() as i32);
            }
            Values::Long { offsets, bytes } => {
                bytes.extend_from_slice(value);
                offsets.push(bytes.len() as i64);
            }
            Values::Seconds(seconds) => {
                seconds.push(if value.is_empty() { 0 } else { format::date::decode(value).unix_seconds() })
            }
            Values::Micros(micros) => micros.push(if value.is_empty() {
                0
            } else {
                let at = format::date::decode(value);
                at.unix_seconds() * 1_000_000 + i64::from(at.nanosecond / 1000)
            }),
        }
    }

    fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let nulls = self.validity.finish();
        Ok(match &mut self.values {
            Values::Short { offsets, bytes } => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(taken(offsets, true)));
                let bytes = Buffer::from_vec(taken(bytes, false));
                if self.kind == DatumType::Number {
                    Arc::new(BinaryArray::try_new(offsets, bytes, nulls)?)
                } else {
                    Arc::new(StringArray::try_new(offsets, bytes, nulls)?)
                }
            }
            Values::Long { offsets, bytes } => {
                let offsets = OffsetBuffer::new(ScalarBuffer::from(taken(offsets, true)));
                let bytes = Buffer::from_vec(taken(bytes, false));
                if self.kind == DatumType::Char {
                    Arc::new(LargeStringArray::try_new(offsets, bytes, nulls)?)
                } else {
                    Arc::new(LargeBinaryArray::try_new(offsets, bytes, nulls)?)
                }
            }
            Values::Seconds(seconds) => {
                Arc::new(TimestampSecondArray::try_new(ScalarBuffer::from(taken(seconds, false)), nulls)?)
            }
            Values::Micros(micros) => {
                Arc::new(TimestampMicrosecondArray::try_new(ScalarBuffer::from(taken(micros, false)), nulls)?)
            }
        })
    }
}

/// Takes the gathered values; leaves an empty vector, or one with a zero, of the same capacity: the next fetch will be
/// like this one.
fn taken<T: Default>(values: &mut Vec<T>, zero: bool) -> Vec<T> {
    let mut next = Vec::with_capacity(values.len() + values.len() / 8);
    if zero {
        next.push(T::default());
    }
    std::mem::replace(values, next)
}

/// Gathers rows until they are taken as a batch.
#[derive(Debug)]
pub(crate) struct ArrowSink {
    schema: SchemaRef,
    /// For each field of the schema: the index of the scan's projected column, or None for ROWID.
    sources: Vec<Option<usize>>,
    columns: Vec<ColumnBuffer>,
    rows: usize,
    object: ObjectNumber,
    block: BlockAddress,
}

impl ArrowSink {
    /// `kinds[i]` and `sources[i]` describe field i of `schema`.
    pub(crate) fn new(schema: SchemaRef, kinds: &[DatumType], sources: Vec<Option<usize>>) -> Self {
        Self {
            schema,
            sources,
            columns: kinds.iter().map(|kind| ColumnBuffer::new(*kind)).collect(),
            rows: 0,
            object: ObjectNumber(0),
            block: BlockAddress::NONE,
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Adds a row without a block: the bytes of each of the columns that sources count.
    #[inline]
    pub(crate) fn values<'a>(&mut self, value: impl Fn(usize) -> Option<&'a [u8]>) {
        self.rows += 1;
        for (column, source) in self.columns.iter_mut().zip(&self.sources) {
            column.push(source.and_then(&value));
        }
    }

    /// Takes the rows gathered since the last time.
    pub(crate) fn take(&mut self) -> Result<RecordBatch> {
        let arrays = self.columns.iter_mut().map(ColumnBuffer::finish).collect::<Result<Vec<_>, _>>();
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        arrays.and_then(|arrays| RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)).map_err(
            |error| Error::own(common::ErrorKind::Corrupt, 30, format!("stored values cannot be read: {error}")),
        )
    }
}

impl RowSink for ArrowSink {
    fn block(&mut self, object: ObjectNumber, address: BlockAddress) {
        self.object = object;
        self.block = address;
    }

    fn row(&mut self, slot: u16, columns: &[Option<&[u8]>]) {
        self.rows += 1;
        for (column, source) in self.columns.iter_mut().zip(&self.sources) {
            match source {
                Some(at) => column.push(columns[*at]),
                None => {
                    let rowid = Rowid { data_object: self.object, block: self.block, slot };
                    column.push(Some(&rowid.text()));
                }
            }
        }
    }

    fn rows(&mut self, count: usize) {
        self.rows += count;
    }
}

impl ReadSink for ArrowSink {
    fn held(&self) -> usize {
        self.rows
    }
}

/// The kinds of a table's columns, ROWID last.
pub(crate) fn kinds(columns: &[engine::dictionary::ColumnDef]) -> Vec<DatumType> {
    columns.iter().map(|column| DatumType::from(column.data_type)).chain([DatumType::Rowid]).collect()
}

/// The declared type of ROWID.
pub(crate) const ROWID_TYPE: DataType = DataType::Varchar2 { bytes: 18 };
