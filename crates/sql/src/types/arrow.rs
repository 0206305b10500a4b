//! The Arrow form of a type.

use datafusion::arrow::datatypes::{DataType as ArrowType, TimeUnit};
use datafusion::common::ScalarValue;
use scalar::DatumType;

/// How columns and values of a type are held in Arrow.
pub(crate) trait ArrowForm {
    fn arrow(self) -> ArrowType;

    /// NULL of this type.
    fn null(self) -> ScalarValue;
}

impl ArrowForm for DatumType {
    fn arrow(self) -> ArrowType {
        match self {
            Self::Number => ArrowType::Binary,
            Self::Null | Self::Varchar2 | Self::Rowid => ArrowType::Utf8,
            Self::Char => ArrowType::LargeUtf8,
            Self::Date => ArrowType::Timestamp(TimeUnit::Second, None),
            Self::Timestamp => ArrowType::Timestamp(TimeUnit::Microsecond, None),
            Self::Raw => ArrowType::LargeBinary,
        }
    }

    fn null(self) -> ScalarValue {
        match self {
            Self::Number => ScalarValue::Binary(None),
            Self::Null | Self::Varchar2 | Self::Rowid => ScalarValue::Utf8(None),
            Self::Char => ScalarValue::LargeUtf8(None),
            Self::Date => ScalarValue::TimestampSecond(None, None),
            Self::Timestamp => ScalarValue::TimestampMicrosecond(None, None),
            Self::Raw => ScalarValue::LargeBinary(None),
        }
    }
}

/// The type of an Arrow type's values; None for an Arrow type that no column of ours has.
pub(crate) fn of_arrow(arrow: &ArrowType) -> Option<DatumType> {
    Some(match arrow {
        ArrowType::Binary => DatumType::Number,
        ArrowType::Utf8 => DatumType::Varchar2,
        ArrowType::LargeUtf8 => DatumType::Char,
        ArrowType::Timestamp(TimeUnit::Second, None) => DatumType::Date,
        ArrowType::Timestamp(TimeUnit::Microsecond, None) => DatumType::Timestamp,
        ArrowType::LargeBinary => DatumType::Raw,
        _ => return None,
    })
}
