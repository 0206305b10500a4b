//! Scalar types with their constraints, and what a variable of such a type makes of a value.

use std::sync::Arc;

use common::{DataType, Error, Result};
use format::number;
use scalar::DatumType;

use super::Value;

/// The family of a scalar type and its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Boolean,
    /// PLS_INTEGER and its kin: 32 bits. SIMPLE_INTEGER goes round at its ends.
    Integer {
        wrap: bool,
    },
    /// A scale without a precision is that of INTEGER.
    Number {
        precision: Option<u8>,
        scale: Option<i8>,
    },
    /// None: a parameter, as long as it comes.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Length {
    pub most: u32,
    /// Counted in characters, not in bytes.
    pub characters: bool,
}

/// A scalar type as declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarType {
    pub kind: Kind,
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

impl From<Kind> for ScalarType {
    fn from(kind: Kind) -> Self {
        Self { kind, not_null: false, range: None }
    }
}

impl ScalarType {
    pub const NUMBER: Self = Self::of(Kind::Number { precision: None, scale: None });
    pub const INTEGER: Self = Self::of(Kind::Integer { wrap: false });
    pub const VARCHAR2: Self = Self::of(Kind::Varchar2(None));
    pub const CHAR: Self = Self::of(Kind::Char(None));
    pub const BOOLEAN: Self = Self::of(Kind::Boolean);
    pub const DATE: Self = Self::of(Kind::Date);
    pub const TIMESTAMP: Self = Self::of(Kind::Timestamp(9));
    pub const RAW: Self = Self::of(Kind::Raw(None));

    const fn of(kind: Kind) -> Self {
        Self { kind, not_null: false, range: None }
    }

    /// Without size and limits: what a formal parameter of the type is.
    #[must_use]
    pub fn unconstrained(&self) -> Self {
        let kind = match self.kind {
            Kind::Number { .. } => Kind::Number { precision: None, scale: None },
            Kind::Varchar2(_) => Kind::Varchar2(None),
            Kind::Char(_) => Kind::Char(None),
            Kind::Raw(_) => Kind::Raw(None),
            Kind::Timestamp(_) => Kind::Timestamp(9),
            other => other,
        };
        Self { kind, not_null: false, range: None }
    }

    /// Whether every value of the family is one of this type as it stands.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.not_null
            && self.range.is_none()
            && matches!(
                self.kind,
                Kind::Boolean
                    | Kind::Number { precision: None, scale: None }
                    | Kind::Varchar2(None)
                    | Kind::Char(None)
                    | Kind::Raw(None)
                    | Kind::Date
                    | Kind::Timestamp(9)
            )
    }

    /// None for BOOLEAN, which SQL does not know.
    #[must_use]
    pub fn datum_type(&self) -> Option<DatumType> {
        Some(match self.kind {
            Kind::Boolean => return None,
            Kind::Integer { .. } | Kind::Number { .. } => DatumType::Number,
            Kind::Varchar2(_) | Kind::Rowid => DatumType::Varchar2,
            Kind::Char(_) => DatumType::Char,
            Kind::Date => DatumType::Date,
            Kind::Timestamp(_) => DatumType::Timestamp,
            Kind::Raw(_) => DatumType::Raw,
        })
    }

    /// What a variable of this type holds after `value`, which is of its family already, was assigned to it.
    ///
    /// # Errors
    /// ORA-06502 and ORA-01426.
    pub fn hold(&self, value: Value) -> Result<Value> {
        if value.is_null() {
            return if self.not_null { Err(value_error("")) } else { Ok(Value::Null) };
        }
        let held = match (self.kind, value) {
            (Kind::Integer { .. }, value) => whole(&value)?,
            (Kind::Number { precision, scale }, value) => fit(value, precision, scale)?,
            (Kind::Varchar2(length), Value::Varchar2(text) | Value::Char(text)) => {
                check_length(&text, length)?;
                Value::Varchar2(text)
            }
            (Kind::Char(length), Value::Varchar2(text) | Value::Char(text)) => padded(text, length)?,
            (Kind::Raw(Some(most)), Value::Raw(bytes)) => {
                if bytes.len() > most as usize {
                    return Err(value_error("raw variable length too long"));
                }
                Value::Raw(bytes)
            }
            (Kind::Timestamp(digits), Value::Timestamp(bytes)) if digits < 9 => {
                let rounded = scalar::column::round_fraction(&format::date::decode(&bytes), digits)?;
                Value::Timestamp(rounded.timestamp())
            }
            (Kind::Rowid, Value::Char(text)) => Value::Varchar2(text),
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
            DataType::Number { precision: None, scale: 0 } => Kind::Number { precision: None, scale: None },
            DataType::Number { precision, scale } => Kind::Number { precision, scale: Some(scale) },
            DataType::Varchar2 { bytes } => Kind::Varchar2(length(bytes)),
            DataType::Char { bytes } => Kind::Char(length(bytes)),
            DataType::Date => Kind::Date,
            DataType::Timestamp { precision } => Kind::Timestamp(precision),
            DataType::Raw { bytes } => Kind::Raw(Some(u32::from(bytes))),
        })
    }
}
