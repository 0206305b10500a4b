//! Values of dictionary columns: Rust types to stored bytes and back.

use common::{DataType, Error, ErrorKind, Result};
use format::{date, number};

/// A point in time in a DATE column: microseconds since 1970, kept to the second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Moment(pub(crate) u64);

impl Moment {
    /// The microseconds as a DATE column returns them: rounded down to whole seconds.
    fn to_second(self) -> u64 {
        self.0 / 1_000_000
    }
}

/// A point in time in a TIMESTAMP(6) column: microseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Timestamp(pub(crate) u64);

/// A type that a dictionary column can hold.
pub(crate) trait Field: Sized {
    const TYPE: DataType;
    const NULLABLE: bool = false;

    fn encode(&self) -> Result<Option<Vec<u8>>>;
    fn decode(bytes: Option<&[u8]>) -> Result<Self>;
}

/// HW-0020: a dictionary row without a value that it must have.
pub(crate) fn damaged(what: impl std::fmt::Display) -> Error {
    Error::own(ErrorKind::Corrupt, 20, format!("the dictionary is damaged: {what}"))
}

fn present(bytes: Option<&[u8]>) -> Result<&[u8]> {
    bytes.ok_or_else(|| damaged("a value is missing"))
}

macro_rules! number_field {
    ($($type:ty),*) => {$(
        impl Field for $type {
            const TYPE: DataType = DataType::Number { precision: None, scale: 0 };

            fn encode(&self) -> Result<Option<Vec<u8>>> {
                let value = i64::try_from(*self).map_err(|_| Error::bug("a dictionary number is too large"))?;
                Ok(Some(number::encode_i64(value).to_vec()))
            }

            fn decode(bytes: Option<&[u8]>) -> Result<Self> {
                let bytes = present(bytes)?;
                if !number::is_valid(bytes) {
                    return Err(damaged("a number is not one"));
                }
                number::decode_i64(bytes)
                    .and_then(|value| Self::try_from(value).ok())
                    .ok_or_else(|| damaged("a number is out of range"))
            }
        }
    )*};
}

number_field!(u8, u16, u32, u64, i64);

/// Length of a field of bytes.
const BYTES_MAX: u16 = 32;

impl Field for i128 {
    const TYPE: DataType = u8::TYPE;

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        Ok(Some(number::encode_i128(*self, 0)?.to_vec()))
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        let bytes = present(bytes)?;
        if !number::is_valid(bytes) {
            return Err(damaged("a number is not one"));
        }
        number::decode_i128(bytes, 0).ok_or_else(|| damaged("a number is out of range"))
    }
}

impl Field for bool {
    const TYPE: DataType = u8::TYPE;

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        u8::from(*self).encode()
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        Ok(u8::decode(bytes)? != 0)
    }
}

impl Field for String {
    const TYPE: DataType = DataType::Varchar2 { bytes: common::limits::VARCHAR2_BYTES_MAX as u16 };

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        Ok(Some(self.clone().into_bytes()).filter(|bytes| !bytes.is_empty()))
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        Self::from_utf8(bytes.unwrap_or_default().to_vec()).map_err(|_| damaged("a text is not UTF-8"))
    }
}

/// Bytes of a value, such as the least one of a column; at most [`BYTES_MAX`].
impl Field for Vec<u8> {
    const TYPE: DataType = DataType::Raw { bytes: BYTES_MAX };

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        Ok(Some(self.clone()).filter(|bytes| !bytes.is_empty()))
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        Ok(bytes.unwrap_or_default().to_vec())
    }
}

impl Field for Moment {
    const TYPE: DataType = DataType::Date;

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        let seconds = i64::try_from(self.to_second()).map_err(|_| Error::bug("a time is too late"))?;
        Ok(Some(date::DateTime::from_unix_seconds(seconds)?.date().to_vec()))
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        let bytes = present(bytes)?;
        if !date::is_valid(bytes) {
            return Err(damaged("a date is not one"));
        }
        let seconds = u64::try_from(date::decode(bytes).unix_seconds()).map_err(|_| damaged("a date is too early"))?;
        Ok(Self(seconds * 1_000_000))
    }
}

impl Field for Timestamp {
    const TYPE: DataType = DataType::Timestamp { precision: 6 };

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        let micros = i64::try_from(self.0).map_err(|_| Error::bug("a time is too late"))?;
        Ok(Some(date::stored(&date::DateTime::from_unix_micros(micros)?.timestamp()).to_vec()))
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        let bytes = present(bytes)?;
        if !date::is_valid(bytes) {
            return Err(damaged("a timestamp is not one"));
        }
        let at = date::decode(bytes);
        let seconds = u64::try_from(at.unix_seconds()).map_err(|_| damaged("a timestamp is too early"))?;
        Ok(Self(seconds * 1_000_000 + u64::from(at.nanosecond / 1000)))
    }
}

impl<F: Field> Field for Option<F> {
    const TYPE: DataType = F::TYPE;
    const NULLABLE: bool = true;

    fn encode(&self) -> Result<Option<Vec<u8>>> {
        self.as_ref().map_or(Ok(None), Field::encode)
    }

    fn decode(bytes: Option<&[u8]>) -> Result<Self> {
        bytes.map(|bytes| F::decode(Some(bytes))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip<F: Field + PartialEq + std::fmt::Debug>(value: F) {
        let bytes = value.encode().unwrap();
        assert_eq!(F::decode(bytes.as_deref()).unwrap(), value);
    }

    #[test]
    fn values_come_back() {
        round_trip(0u32);
        round_trip(u32::MAX);
        round_trip(-237i64);
        round_trip(Some(1u64 << 40));
        round_trip(None::<u64>);
        round_trip("SYS".to_owned());
        round_trip(None::<String>);
        round_trip(true);
        round_trip(Moment(1_700_000_000_000_000));
        round_trip(Timestamp(1_700_000_000_000_000));
        round_trip(Timestamp(1_700_000_000_000_017));
    }

    #[test]
    fn damage_is_an_error() {
        assert!(u32::decode(None).is_err());
        assert!(u32::decode(Some(&[0xff, 0xff])).is_err());
        assert!(u8::decode((-5i64).encode().unwrap().as_deref()).is_err());
        assert!(Moment::decode(Some(&[1, 2, 3])).is_err());
        assert!(Timestamp::decode(Some(&[120, 124, 1, 1, 1, 1, 1, 0, 0, 0, 0])).is_err());
        assert!(String::decode(Some(&[0xff])).is_err());
    }
}
