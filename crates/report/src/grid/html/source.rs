//! The bytes of a report for the tokenizer, whose position is shared through a cell.

use std::cell::Cell;
use std::convert::Infallible;

use html5gum::Reader;

/// A reader over memory that reports its position.
#[derive(Debug)]
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    /// Bytes given to the tokenizer so far.
    place: &'a Cell<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8], place: &'a Cell<usize>) -> Self {
        place.set(0);
        Self { bytes, place }
    }
}

impl Reader for Source<'_> {
    type Error = Infallible;

    #[inline]
    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        let place = self.place.get();
        let byte = self.bytes.get(place).copied();
        if byte.is_some() {
            self.place.set(place + 1);
        }
        Ok(byte)
    }

    #[inline]
    fn try_read_string(&mut self, wanted: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        let place = self.place.get();
        let Some(found) = self.bytes.get(place..place + wanted.len()) else { return Ok(false) };
        let same = found == wanted || (!case_sensitive && found.eq_ignore_ascii_case(wanted));
        if same {
            self.place.set(place + wanted.len());
        }
        Ok(same)
    }

    #[inline]
    fn read_until<'b>(&'b mut self, needle: &[u8], _: &'b mut [u8; 4]) -> Result<Option<&'b [u8]>, Infallible> {
        let place = self.place.get();
        let rest = &self.bytes[place..];
        if rest.is_empty() {
            return Ok(None);
        }
        let before = rest.iter().position(|byte| needle.contains(byte)).unwrap_or(rest.len());
        // A needle in front is given alone.
        let given = before.max(1);
        self.place.set(place + given);
        Ok(Some(&rest[..given]))
    }
}
