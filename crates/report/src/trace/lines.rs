//! Lines of a stream as text, each of bounded length.
//!
//! A line ends with LF or CR LF. Bytes that are not UTF-8 become the replacement character. A line longer than
//! [`LONGEST_LINE`] is given up to there and the rest of it is skipped.

use std::io::Read;
use std::ops::Range;

use common::Result;

use super::encoding::read_failed;

/// Bytes of a line that are kept.
pub(super) const LONGEST_LINE: usize = 1 << 20;

const CHUNK: usize = 1 << 18;

/// One pass over a stream.
pub(super) struct Lines<'a> {
    source: Box<dyn Read + 'a>,
    buffer: Vec<u8>,
    /// Where the next line starts in `buffer`, and where what was read ends.
    next: usize,
    filled: usize,
    at_end: bool,
    /// The current line without its end.
    line: Range<usize>,
    /// The current line when its bytes are not UTF-8.
    repaired: Option<String>,
    /// Lines given so far.
    pub(super) count: u64,
    /// Bytes of all lines given so far.
    pub(super) bytes: u64,
    /// The current line ended with a line end, not with the file.
    pub(super) terminated: bool,
    /// The current line was longer than the limit.
    pub(super) overlong: bool,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: Box<dyn Read + 'a>) -> Self {
        Self {
            source,
            buffer: vec![0; CHUNK],
            next: 0,
            filled: 0,
            at_end: false,
            line: 0..0,
            repaired: None,
            count: 0,
            bytes: 0,
            terminated: false,
            overlong: false,
        }
    }

    /// Moves to the next line; false after the last.
    pub(super) fn advance(&mut self) -> Result<bool> {
        self.overlong = false;
        let mut searched = self.next;
        let end = loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[searched..self.filled]) {
                self.terminated = true;
                break searched + found;
            }
            if self.filled - self.next > LONGEST_LINE {
                return self.give_overlong();
            }
            let known = self.filled - self.next;
            if !self.fill()? {
                if known == 0 {
                    return Ok(false);
                }
                self.terminated = false;
                break self.filled;
            }
            searched = self.next + known;
        };
        self.give(self.next..end);
        self.next = (end + 1).min(self.filled);
        Ok(true)
    }

    /// The current line.
    pub(super) fn line(&mut self) -> &str {
        let Self { buffer, line, repaired, overlong, .. } = self;
        if *overlong {
            return repaired.as_deref().unwrap_or_default();
        }
        let bytes = &buffer[line.clone()];
        match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => repaired.insert(String::from_utf8_lossy(bytes).into_owned()),
        }
    }

    /// True: the current line has bytes that are not UTF-8; known once its text was requested.
    pub(super) fn repaired(&self) -> bool {
        self.repaired.is_some()
    }

    fn give(&mut self, range: Range<usize>) {
        self.count += 1;
        self.bytes += range.len() as u64 + u64::from(self.terminated);
        let mut line = range;
        if self.buffer[line.clone()].last() == Some(&b'\r') {
            line.end -= 1;
        }
        self.repaired = None;
        self.line = line;
    }

    /// Gives the first part of an overlong line and skips to its end.
    fn give_overlong(&mut self) -> Result<bool> {
        let kept = self.buffer[self.next..self.next + LONGEST_LINE].to_vec();
        self.bytes += (self.filled - self.next - LONGEST_LINE) as u64;
        self.terminated = false;
        self.next = self.filled;
        while !self.terminated && self.fill()? {
            let found = memchr::memchr(b'\n', &self.buffer[self.next..self.filled]);
            self.terminated = found.is_some();
            let skipped = found.map_or(self.filled - self.next, |at| at + 1);
            self.bytes += skipped as u64;
            self.next += skipped;
        }
        self.count += 1;
        self.bytes += kept.len() as u64;
        self.overlong = true;
        self.repaired = Some(String::from_utf8_lossy(&kept).into_owned());
        Ok(true)
    }

    /// Reads more behind what is there; false at the end of the stream.
    fn fill(&mut self) -> Result<bool> {
        if self.at_end {
            return Ok(false);
        }
        self.buffer.copy_within(self.next..self.filled, 0);
        self.filled -= self.next;
        self.next = 0;
        if self.buffer.len() - self.filled < CHUNK / 2 {
            self.buffer.resize(self.filled + CHUNK, 0);
        }
        let read = loop {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                result => break result.map_err(|e| read_failed(&e))?,
            }
        };
        self.filled += read;
        self.at_end = read == 0;
        Ok(read > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte a read, the worst case for what spans reads.
    struct Drip<'a>(&'a [u8]);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    fn all(bytes: &[u8]) -> Vec<(String, bool)> {
        let gather = |source: Box<dyn Read + '_>| {
            let mut lines = Lines::new(source);
            let mut out = Vec::new();
            while lines.advance().unwrap() {
                out.push((lines.line().to_owned(), lines.terminated));
            }
            assert_eq!(lines.bytes, bytes.len() as u64);
            out
        };
        let whole = gather(Box::new(bytes));
        assert_eq!(whole, gather(Box::new(Drip(bytes))));
        whole
    }

    #[test]
    fn both_line_ends_and_none() {
        let expected = [("a", true), ("b", true), ("", true), ("c", false)].map(|(text, end)| (text.to_owned(), end));
        assert_eq!(all(b"a\nb\r\n\nc"), expected);
        assert!(all(b"").is_empty());
    }

    #[test]
    fn bytes_that_are_no_utf8_are_replaced() {
        assert_eq!(all(b"gr\xf6\xdfe\nb\n"), [("gr\u{fffd}\u{fffd}e".into(), true), ("b".into(), true)]);
    }

    #[test]
    fn an_overlong_line_is_cut_and_the_next_is_found() {
        let mut bytes = vec![b'x'; LONGEST_LINE * 3 + 17];
        bytes.extend_from_slice(b"\nnext\n");
        let mut lines = Lines::new(Box::new(&bytes[..]));
        assert!(lines.advance().unwrap());
        assert!(lines.overlong);
        assert_eq!(lines.line().len(), LONGEST_LINE);
        assert!(lines.advance().unwrap());
        assert!(!lines.overlong);
        assert_eq!(lines.line(), "next");
        assert!(!lines.advance().unwrap());
        assert_eq!(lines.bytes, bytes.len() as u64);
    }
}
