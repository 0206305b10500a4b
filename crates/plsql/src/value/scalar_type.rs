//! Scalar types with their constraints, and the assignment of values to their variables.

use std::sync::Arc;

use common::{DataType, Error, Result};
use format::number;
use scalar::DatumType;

use super::Value;

/// The family of a scalar type and its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ScalarKind {
    Boolean,
    /// PLS_INTEGER and its kin: 32 bits. SIMPLE_INTEGER wraps around.
    Integer {
        wrap: bool,
    },
    /// A scale without a precision is that of INTEGER.
    Number {
        precision: Option<u8>,
        scale: Option<i8>,
    },
    /// None: a parameter, of any length.
    Varchar2(Option<Length>),
    Char(Option<Length>),
    Date,
    /// Digits of the fraction of a second.
    Timestamp(u8),
    /// Most bytes.
    Raw(Option<u32>),
    /// Travels as its text.
    Rowid,
}

/// The most that a text may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Length {
    pub most: u32,
    /// Counted in characters, not in bytes.
    pub characters: bool,
}

/// A scalar type as declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScalarType {
    pub kind: ScalarKind,
    pub not_null: bool,
    /// NATURAL, POSITIVE, and subtypes with RANGE: both ends included.
    pub range: Option<(i64, i64)>,
}

/// Most bytes of a text or RAW variable.
pub const LONGEST: u32 = 32_767;

/// ORA-06502, with what is wrong behind it.
#[must_use]
pub fn value_error(what: &str) -> Error {
    let colon = if what.is_empty() { "" } else { ": " };
    Error::user(6502, format!("PL/SQL: numeric or value error{colon}{what}"))
}

impl From<ScalarKind> for ScalarType {
    fn from(kind: ScalarKind) -> Self {
        Self { kind, not_null: false, range: None }
    }
}

impl ScalarType {
    pub const NUMBER: Self = Self::of(ScalarKind::Number { precision: None, scale: None });
    pub const INTEGER: Self = Self::of(ScalarKind::Integer { wrap: false });
    pub const VARCHAR2: Self = Self::of(ScalarKind::Varchar2(None));
    pub const CHAR: Self = Self::of(ScalarKind::Char(None));
    pub const BOOLEAN: Self = Self::of(ScalarKind::Boolean);
    pub const DATE: Self = Self::of(ScalarKind::Date);
    pub const TIMESTAMP: Self = Self::of(ScalarKind::Timestamp(9));
    pub const RAW: Self = Self::of(ScalarKind::Raw(None));

    const fn of(kind: ScalarKind) -> Self {
        Self { kind, not_null: false, range: None }
    }

    /// Without size and limits: the type of a formal parameter.
    #[must_use]
    pub fn unconstrained(&self) -> Self {
        let kind = match self.kind {
            ScalarKind::Number { .. } => ScalarKind::Number { precision: None, scale: None },
            ScalarKind::Varchar2(_) => ScalarKind::Varchar2(None),
            ScalarKind::Char(_) => ScalarKind::Char(None),
            ScalarKind::Raw(_) => ScalarKind::Raw(None),
            ScalarKind::Timestamp(_) => ScalarKind::Timestamp(9),
            other => other,
        };
        Self { kind, not_null: false, range: None }
    }

    /// True: the type has no constraints beyond its family.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.not_null
            && self.range.is_none()
            && matches!(
                self.kind,
                ScalarKind::Boolean
                    | ScalarKind::Number { precision: None, scale: None }
                    | ScalarKind::Varchar2(None)
                    | ScalarKind::Char(None)
                    | ScalarKind::Raw(None)
                    | ScalarKind::Date
                    | ScalarKind::Timestamp(9)
            )
    }

    /// None for BOOLEAN, which SQL does not have.
    #[must_use]
    pub fn datum_type(&self) -> Option<DatumType> {
        Some(match self.kind {
            ScalarKind::Boolean => return None,
            ScalarKind::Integer { .. } | ScalarKind::Number { .. } => DatumType::Number,
            ScalarKind::Varchar2(_) | ScalarKind::Rowid => DatumType::Varchar2,
            ScalarKind::Char(_) => DatumType::Char,
            ScalarKind::Date => DatumType::Date,
            ScalarKind::Timestamp(_) => DatumType::Timestamp,
            ScalarKind::Raw(_) => DatumType::Raw,
        })
    }

    /// The content of a variable of this type after the assignment of `value`, which is of its family already.
    ///
    /// # Errors
    /// ORA-06502 and ORA-01426.
    pub fn hold(&self, value: Value) -> Result<Value> {
        if value.is_null() {
            return if self.not_null { Err(value_error("")) } else { Ok(Value::Null) };
        }
        let held = match (self.kind, value) {
            (ScalarKind::Integer { .. }, value) => whole(&value)?,
            (ScalarKind::Number { precision, scale }, value) => fit(value, precision, scale)?,
            (ScalarKind::Varchar2(length), Value::Varchar2(text) | Value::Char(text)) => {
                check_length(&text, length)?;
                Value::Varchar2(text)
            }
            (ScalarKind::Char(length), Value::Varchar2(text) | Value::Char(text)) => padded(text, length)?,
            (ScalarKind::Raw(Some(most)), Value::Raw(bytes)) => {
                if bytes.len() > most as usize {
                    return Err(value_error("raw variable length too long"));
                }
                Value::Raw(bytes)
            }
            (ScalarKind::Timestamp(digits), Value::Timestamp(bytes)) if digits < 9 => {
                let rounded = scalar::column::round_fraction(&format::date::decode(&bytes), digits)?;
                Value::Timestamp(rounded.timestamp())
            }
            (ScalarKind::Rowid, Value::Char(text)) => Value::Varchar2(text),
            (_, value) => value,
        };
        if let (Some((low, high)), Value::Int(number)) = (self.range, &held)
            && !(low..=high).contains(number)
        {
            return Err(value_error(""));
        }
        Ok(held)
    }
}

fn whole(value: &Value) -> Result<Value> {
    let number = match value {
        Value::Int(number) => Some(*number),
        other => match other.as_number() {
            Some(number) => number::decode_i64(&number::round(&number, 0)?),
            None => return Err(Error::bug(format!("{other:?} for an integer"))),
        },
    };
    match number {
        Some(number) if i32::try_from(number).is_ok() => Ok(Value::Int(number)),
        _ => Err(number::overflow()),
    }
}

fn fit(value: Value, precision: Option<u8>, scale: Option<i8>) -> Result<Value> {
    if precision.is_none() && scale.is_none() {
        return Ok(value);
    }
    if let (Value::Int(number), Some(0..)) = (&value, scale.or(Some(0)))
        && number.unsigned_abs() < whole_limit(precision, scale)
    {
        return Ok(value);
    }
    let Some(number) = value.as_number() else { return Err(Error::bug(format!("{value:?} for a number"))) };
    let fitted = number::fit(&number, precision, scale.unwrap_or(0));
    fitted.map(Value::from).map_err(|_| value_error("number precision too large"))
}

/// Integers below this fit for certain.
fn whole_limit(precision: Option<u8>, scale: Option<i8>) -> u64 {
    let digits = i32::from(precision.unwrap_or(38)) - i32::from(scale.unwrap_or(0));
    u32::try_from(digits).ok().and_then(|digits| 10u64.checked_pow(digits)).unwrap_or(if digits > 0 {
        u64::MAX
    } else {
        0
    })
}

fn check_length(text: &str, length: Option<Length>) -> Result<()> {
    let Some(Length { most, characters }) = length else { return Ok(()) };
    let most = most as usize;
    // As many bytes are at least as many characters.
    if text.len() <= most || (characters && text.chars().count() <= most) {
        return Ok(());
    }
    Err(value_error("character string buffer too small"))
}

fn padded(text: Arc<str>, length: Option<Length>) -> Result<Value> {
    check_length(&text, length)?;
    let Some(Length { most, characters }) = length else { return Ok(Value::Char(text)) };
    let used = if characters { text.chars().count() } else { text.len() };
    if used == most as usize {
        return Ok(Value::Char(text));
    }
    Ok(Value::Char(format!("{text}{}", " ".repeat(most as usize - used)).into()))
}

impl From<DataType> for ScalarType {
    fn from(column: DataType) -> Self {
        let length = |bytes: u16| Some(Length { most: u32::from(bytes), characters: false });
        Self::from(match column {
            DataType::Number { precision: None, scale: 0 } => ScalarKind::Number { precision: None, scale: None },
            DataType::Number { precision, scale } => ScalarKind::Number { precision, scale: Some(scale) },
            DataType::Varchar2 { bytes } => ScalarKind::Varchar2(length(bytes)),
            DataType::Char { bytes } => ScalarKind::Char(length(bytes)),
            DataType::Date => ScalarKind::Date,
            DataType::Timestamp { precision } => ScalarKind::Timestamp(precision),
            DataType::Raw { bytes } => ScalarKind::Raw(Some(u32::from(bytes))),
        })
    }
}
