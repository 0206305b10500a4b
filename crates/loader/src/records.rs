//! Records of a file: a buffer that is filled again and again, and the bytes between delimiters in it.
//!
//! ```text
//! buffer   ....|record|record|rec
//!              ^start             ^end     the rest moves to the front before more is read
//! ```
//!
//! The buffer holds at most one record of maximum size, and one read.

use std::io::{self, Read};

use memchr::memchr;
use memchr::memmem::Finder;

use crate::spec::RecordFormat;

/// Bytes of one read.
const READ_BYTES: usize = 256 << 10;

/// The mark at the beginning of a file that it is UTF-8, written by some programs.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reason for the end.
#[derive(Debug)]
pub(crate) enum Stopped {
    Io(io::Error),
    /// A record has more than the most bytes; its number.
    TooLong(u64),
    /// The last record of the file has fewer bytes than all have: its number and its bytes.
    Short(u64, usize),
}

/// Bytes of a file, read ahead.
#[derive(Debug)]
pub(crate) struct Buffer<R> {
    input: R,
    bytes: Vec<u8>,
    pub(crate) start: usize,
    end: usize,
    pub(crate) ended: bool,
}

impl<R: Read> Buffer<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input, bytes: Vec::new(), start: 0, end: 0, ended: false }
    }

    /// Bytes read and not consumed.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    pub(crate) fn at(&self, from: usize, to: usize) -> &[u8] {
        &self.bytes[from..to]
    }

    /// Passes over the mark of UTF-8 at the beginning of the file.
    pub(crate) fn pass_mark(&mut self) -> io::Result<()> {
        while self.rest().len() < BYTE_ORDER_MARK.len() && !self.ended {
            self.fill()?;
        }
        if self.rest().starts_with(BYTE_ORDER_MARK) {
            self.start += BYTE_ORDER_MARK.len();
        }
        Ok(())
    }

    /// Reads on; the rest moves to the front.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.bytes.len() < self.end + READ_BYTES {
            self.bytes.resize(self.end + READ_BYTES, 0);
        }
        loop {
            match self.input.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

/// The end of a record.
#[derive(Debug)]
enum Delimiter {
    Byte(u8),
    /// The byte, and a carriage return before it.
    Line,
    Bytes(Box<Finder<'static>>),
    Length(usize),
}

/// The records of one file.
#[derive(Debug)]
pub(crate) struct Records<R> {
    buffer: Buffer<R>,
    delimiter: Delimiter,
    most: usize,
    /// Number of the last record, from 1.
    number: u64,
    /// Range of the last record in the buffer.
    last: (usize, usize),
}

impl<R: Read> Records<R> {
    pub(crate) fn new(input: R, format: &RecordFormat, most: usize) -> Self {
        let delimiter = match format {
            RecordFormat::Newline => Delimiter::Byte(b'\n'),
            RecordFormat::DetectedNewline => Delimiter::Line,
            RecordFormat::Delimiter(bytes) => match bytes.as_slice() {
                [byte] => Delimiter::Byte(*byte),
                bytes => Delimiter::Bytes(Box::new(Finder::new(bytes).into_owned())),
            },
            RecordFormat::Fixed(length) => Delimiter::Length((*length).max(1)),
        };
        Self { buffer: Buffer::new(input), delimiter, most, number: 0, last: (0, 0) }
    }

    /// Number of the last record, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Passes over the mark of UTF-8 at the beginning of the file.
    pub(crate) fn pass_mark(&mut self) -> Result<(), Stopped> {
        self.buffer.pass_mark().map_err(Stopped::Io)
    }

    /// Finds the next record; false at the end of the file. The last record needs no delimiter.
    pub(crate) fn next(&mut self) -> Result<bool, Stopped> {
        // Searched bytes are not searched again after the next read.
        let mut searched = 0;
        loop {
            let rest = self.buffer.rest();
            let found = self.delimiter.find(rest, searched);
            if let Some((length, delimiter)) = found {
                return self.give(length, delimiter);
            }
            if rest.len() > self.most.saturating_add(self.delimiter.length()) {
                return Err(Stopped::TooLong(self.number + 1));
            }
            if self.buffer.ended {
                let length = rest.len();
                // The last of records of fixed length may be followed by the end of a line.
                let fixed = matches!(self.delimiter, Delimiter::Length(_));
                if rest.is_empty() || (fixed && matches!(rest, b"\n" | b"\r\n")) {
                    return Ok(false);
                }
                if fixed {
                    return Err(Stopped::Short(self.number + 1, length));
                }
                return self.give(length, 0);
            }
            searched = (rest.len() + 1).saturating_sub(self.delimiter.length());
            self.buffer.fill().map_err(Stopped::Io)?;
        }
    }

    fn give(&mut self, length: usize, delimiter: usize) -> Result<bool, Stopped> {
        self.number += 1;
        if length > self.most {
            return Err(Stopped::TooLong(self.number));
        }
        let start = self.buffer.start;
        self.buffer.start += length + delimiter;
        self.last = (start, start + length);
        Ok(true)
    }

    /// The bytes of the last record, without its delimiter.
    pub(crate) fn record(&self) -> &[u8] {
        let record = self.buffer.at(self.last.0, self.last.1);
        match (&self.delimiter, record) {
            (Delimiter::Line, [most @ .., b'\r']) => most,
            _ => record,
        }
    }
}

impl Delimiter {
    /// Bytes of the delimiter.
    fn length(&self) -> usize {
        match self {
            Self::Byte(_) | Self::Line => 1,
            Self::Bytes(finder) => finder.needle().len(),
            Self::Length(_) => 0,
        }
    }

    /// Bytes of the record at the beginning of `rest`, and of its delimiter; the first `searched` bytes do not contain
    /// the start of one.
    fn find(&self, rest: &[u8], searched: usize) -> Option<(usize, usize)> {
        let tail = rest.get(searched..).unwrap_or_default();
        match self {
            Self::Byte(byte) => memchr(*byte, tail).map(|at| (at + searched, 1)),
            Self::Line => memchr(b'\n', tail).map(|at| (at + searched, 1)),
            Self::Bytes(finder) => finder.find(tail).map(|at| (at + searched, finder.needle().len())),
            Self::Length(length) => (rest.len() >= *length).then_some((*length, 0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives its bytes a few at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn all(bytes: &[u8], step: usize, format: &RecordFormat, most: usize) -> Result<Vec<Vec<u8>>, Stopped> {
        let mut records = Records::new(Drip(bytes, step), format, most);
        let mut found = Vec::new();
        while records.next()? {
            found.push(records.record().to_vec());
        }
        assert_eq!(records.number(), found.len() as u64);
        Ok(found)
    }

    /// The expected records, without buffers: cut at every delimiter, nothing behind the last.
    fn model(bytes: &[u8], delimiter: &[u8]) -> Vec<Vec<u8>> {
        let mut found = vec![Vec::new()];
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at..].starts_with(delimiter) {
                found.push(Vec::new());
                at += delimiter.len();
            } else {
                found.last_mut().unwrap().push(bytes[at]);
                at += 1;
            }
        }
        if found.last().unwrap().is_empty() {
            found.pop();
        }
        found
    }

    proptest! {
        #[test]
        fn records_are_those_of_the_model(
            bytes in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'\n'), Just(b'|'), Just(b'#')], 0..60),
            step in 1..9usize,
            delimiter in prop_oneof![Just(b"\n".to_vec()), Just(b"|".to_vec()), Just(b"#|".to_vec()), Just(b"||".to_vec()), Just(b"a#a".to_vec())],
        ) {
            let format = RecordFormat::Delimiter(delimiter.clone());
            prop_assert_eq!(all(&bytes, step, &format, 1000).unwrap(), model(&bytes, &delimiter));
        }
    }

    #[test]
    fn the_last_line_needs_no_end_and_empty_ones_count() {
        let lines = |text: &str| all(text.as_bytes(), 2, &RecordFormat::Newline, 100).unwrap();
        assert_eq!(lines("a\nb"), [b"a", b"b"]);
        assert_eq!(lines("a\n\nb\n"), [&b"a"[..], b"", b"b"]);
        assert_eq!(lines("a\r\n"), [b"a\r"]);
        assert!(lines("").is_empty());
        let detected = all(b"a\r\nb\nc\r", 1, &RecordFormat::DetectedNewline, 100).unwrap();
        assert_eq!(detected, [b"a", b"b", b"c"]);
    }

    #[test]
    fn records_of_one_length_leave_no_rest() {
        let fixed = |text: &str| all(text.as_bytes(), 3, &RecordFormat::Fixed(4), 100);
        assert_eq!(fixed("abcdefgh").unwrap(), [b"abcd", b"efgh"]);
        assert_eq!(fixed("abcdefgh\n").unwrap(), [b"abcd", b"efgh"]);
        assert!(matches!(fixed("abcdef"), Err(Stopped::Short(2, 2))));
    }

    #[test]
    fn a_record_without_an_end_takes_no_more_memory_than_one_may_have() {
        /// An endless file that counts the bytes read.
        struct Endless(usize);
        impl Read for Endless {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                out.fill(b'x');
                self.0 += out.len();
                Ok(out.len())
            }
        }
        let mut records = Records::new(Endless(0), &RecordFormat::Newline, 1 << 20);
        assert!(matches!(records.next(), Err(Stopped::TooLong(1))));
        assert!(records.buffer.input.0 <= (1 << 20) + 2 * READ_BYTES);
        assert_eq!(all(b"abc\nabcd\n", 2, &RecordFormat::Newline, 4).unwrap().len(), 2);
        assert!(matches!(all(b"abc\nabcde\n", 2, &RecordFormat::Newline, 4), Err(Stopped::TooLong(2))));
        assert!(matches!(all(b"abc\nabcde", 2, &RecordFormat::Newline, 4), Err(Stopped::TooLong(2))));
    }
}
