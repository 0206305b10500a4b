//! The kind of a value: Oracle's data type without its length.

use common::DataType;
use datafusion::arrow::datatypes::{DataType as ArrowType, TimeUnit};
use datafusion::common::ScalarValue;

/// The kind of a value in an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The literal NULL, which takes any required kind.
    Null,
    Number,
    Varchar2,
    Char,
    Date,
    Timestamp,
    Raw,
    Rowid,
}

impl Kind {
    #[must_use]
    pub fn of(data_type: DataType) -> Self {
        match data_type {
            DataType::Number { .. } => Self::Number,
            DataType::Varchar2 { .. } => Self::Varchar2,
            DataType::Char { .. } => Self::Char,
            DataType::Date => Self::Date,
            DataType::Timestamp { .. } => Self::Timestamp,
            DataType::Raw { .. } => Self::Raw,
        }
    }

    #[must_use]
    pub fn arrow(self) -> ArrowType {
        match self {
            Self::Number => ArrowType::Binary,
            Self::Null | Self::Varchar2 | Self::Rowid => ArrowType::Utf8,
            Self::Char => ArrowType::LargeUtf8,
            Self::Date => ArrowType::Timestamp(TimeUnit::Second, None),
            Self::Timestamp => ArrowType::Timestamp(TimeUnit::Microsecond, None),
            Self::Raw => ArrowType::LargeBinary,
        }
    }

    /// The kind of an Arrow type; None for a type that no column of ours has.
    #[must_use]
    pub fn from_arrow(arrow: &ArrowType) -> Option<Self> {
        Some(match arrow {
            ArrowType::Binary => Self::Number,
            ArrowType::Utf8 => Self::Varchar2,
            ArrowType::LargeUtf8 => Self::Char,
            ArrowType::Timestamp(TimeUnit::Second, None) => Self::Date,
            ArrowType::Timestamp(TimeUnit::Microsecond, None) => Self::Timestamp,
            ArrowType::LargeBinary => Self::Raw,
            _ => return None,
        })
    }

    /// NULL of this kind.
    #[must_use]
    pub fn null(self) -> ScalarValue {
        match self {
            Self::Number => ScalarValue::Binary(None),
            Self::Null | Self::Varchar2 | Self::Rowid => ScalarValue::Utf8(None),
            Self::Char => ScalarValue::LargeUtf8(None),
            Self::Date => ScalarValue::TimestampSecond(None, None),
            Self::Timestamp => ScalarValue::TimestampMicrosecond(None, None),
            Self::Raw => ScalarValue::LargeBinary(None),
        }
    }

    #[must_use]
    pub fn is_character(self) -> bool {
        matches!(self, Self::Varchar2 | Self::Char | Self::Rowid)
    }

    #[must_use]
    pub fn is_datetime(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp)
    }

    /// The name in error messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null | Self::Varchar2 => "VARCHAR2",
            Self::Char => "CHAR",
            Self::Number => "NUMBER",
            Self::Date => "DATE",
            Self::Timestamp => "TIMESTAMP",
            Self::Raw => "RAW",
            Self::Rowid => "ROWID",
        }
    }

    /// The type of a column made of a value of this kind whose length is unknown.
    #[must_use]
    pub fn declared(self, bytes: u32) -> DataType {
        let length = u16::try_from(bytes.clamp(1, 4000)).unwrap_or(4000);
        match self {
            Self::Null | Self::Varchar2 => DataType::Varchar2 { bytes: length },
            Self::Rowid => DataType::Varchar2 { bytes: 18 },
            Self::Char => DataType::Char { bytes: length.min(2000) },
            Self::Number => DataType::Number { precision: None, scale: 0 },
            Self::Date => DataType::Date,
            Self::Timestamp => DataType::Timestamp { precision: 6 },
            Self::Raw => DataType::Raw { bytes: length.min(2000) },
        }
    }
}
