//! Column data types as declared.

use std::fmt;

/// The data type of a column. Lengths are in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataType {
    /// `precision` is None for plain NUMBER, which keeps any scale.
    Number {
        precision: Option<u8>,
        scale: i8,
    },
    Varchar2 {
        bytes: u16,
    },
    /// Blank-padded to `bytes`.
    Char {
        bytes: u16,
    },
    Date,
    /// Fractional-second digits, 0 to 9.
    Timestamp {
        precision: u8,
    },
    Raw {
        bytes: u16,
    },
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { precision: None, scale: 0 } => f.write_str("NUMBER"),
            Self::Number { precision: None, scale } => write!(f, "NUMBER(*,{scale})"),
            Self::Number { precision: Some(p), scale: 0 } => write!(f, "NUMBER({p})"),
            Self::Number { precision: Some(p), scale } => write!(f, "NUMBER({p},{scale})"),
            Self::Varchar2 { bytes } => write!(f, "VARCHAR2({bytes})"),
            Self::Char { bytes } => write!(f, "CHAR({bytes})"),
            Self::Date => f.write_str("DATE"),
            Self::Timestamp { precision } => write!(f, "TIMESTAMP({precision})"),
            Self::Raw { bytes } => write!(f, "RAW({bytes})"),
        }
    }
}
