//! The bytes of messages: little-endian numbers, lengths in as few bytes as they need.
//!
//! A reader believes no length that the message has no bytes for, so a message that is cut short or made up is an
//! error, and never a large allocation.

use std::error;
use std::fmt;
use std::io;

/// Version of the messages; a cell of another one is refused.
pub(crate) const VERSION: u8 = 4;

/// A message that cannot be read, with the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed(pub &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the message cannot be read: {}", self.0)
    }
}

impl error::Error for Malformed {}

impl From<Malformed> for io::Error {
    fn from(error: Malformed) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

pub(crate) type Result<T, E = Malformed> = std::result::Result<T, E>;

/// Writes a number in groups of seven bits, the lowest first.
pub(crate) fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

pub(crate) fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    put_number(to, bytes.len() as u64);
    to.extend_from_slice(bytes);
}

/// The rest of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'m> {
    message: &'m [u8],
    pub(crate) at: usize,
}

impl<'m> Reader<'m> {
    pub(crate) fn new(message: &'m [u8], at: usize) -> Self {
        Self { message, at }
    }

    pub(crate) fn left(&self) -> usize {
        self.message.len().saturating_sub(self.at)
    }

    /// So many bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<&'m [u8]> {
        let taken = self.at.checked_add(bytes).and_then(|end| self.message.get(self.at..end));
        let taken = taken.ok_or(Malformed("it ends too early"))?;
        self.at += bytes;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self) -> Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn flag(&mut self) -> Result<bool> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Malformed("a flag is neither set nor clear")),
        }
    }

    pub(crate) fn number(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.u8()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Malformed("a number is too large"))
    }

    /// A count of things of which each has at least so many bytes.
    pub(crate) fn count(&mut self, bytes_each: usize) -> Result<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| Malformed("a count is too large"))?;
        if count > self.left() / bytes_each.max(1) {
            return Err(Malformed("it has more parts than bytes for them"));
        }
        Ok(count)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'m [u8]> {
        let bytes = self.count(1)?;
        self.take(bytes)
    }

    pub(crate) fn version(&mut self) -> Result<()> {
        if self.u8()? == VERSION { Ok(()) } else { Err(Malformed("it is of another version")) }
    }

    pub(crate) fn end(&self) -> Result<()> {
        if self.left() == 0 { Ok(()) } else { Err(Malformed("something follows its end")) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(number in 0..u64::MAX >> 1, bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let mut message = Vec::new();
            put_number(&mut message, number);
            put_bytes(&mut message, &bytes);
            let mut reader = Reader::new(&message, 0);
            prop_assert_eq!(reader.number(), Ok(number));
            prop_assert_eq!(reader.bytes(), Ok(&bytes[..]));
            prop_assert_eq!(reader.end(), Ok(()));
            prop_assert!(reader.u8().is_err());
        }
    }

    #[test]
    fn lengths_beyond_the_message_are_refused() {
        let mut message = Vec::new();
        put_number(&mut message, 1 << 40);
        message.push(7);
        assert!(Reader::new(&message, 0).bytes().is_err());
        assert!(Reader::new(&message, 0).count(4).is_err());
        assert!(Reader::new(&[0xff; 20], 0).number().is_err());
    }
}
