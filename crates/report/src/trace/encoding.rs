//! The encoding of a file, decided by its first bytes: text in UTF-8 (or any encoding that contains ASCII), text in
//! UTF-16, or no text.

use std::io::{self, Cursor, Read};

use common::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// Bytes looked at to decide.
const SNIFFED: usize = 4096;

/// One control byte in this many makes a file binary.
const BINARY_SHARE: usize = 32;

/// The encoding of a trace's text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// UTF-8 or another encoding in which ASCII is ASCII.
    #[default]
    Ascii,
    Utf16Little,
    Utf16Big,
}

/// Detects the encoding by the first bytes of `source` and returns a stream of ASCII-compatible text.
pub(crate) fn open<'a>(mut source: impl Read + 'a) -> Result<(Encoding, Box<dyn Read + 'a>)> {
    let mut start = Vec::with_capacity(SNIFFED);
    source.by_ref().take(SNIFFED as u64).read_to_end(&mut start).map_err(|e| read_failed(&e))?;
    if start.is_empty() {
        return Err(Error::own(ErrorKind::User, 801, "the file is empty"));
    }
    let (encoding, mark) = sniff(&start)?;
    start.drain(..mark);
    let whole = Cursor::new(start).chain(source);
    Ok(match encoding {
        Encoding::Ascii => (encoding, Box::new(whole)),
        Encoding::Utf16Little => (encoding, Box::new(Utf16::new(whole, u16::from_le_bytes))),
        Encoding::Utf16Big => (encoding, Box::new(Utf16::new(whole, u16::from_be_bytes))),
    })
}

/// A failed read as an error with a number.
pub(super) fn read_failed(error: &io::Error) -> Error {
    Error::own(ErrorKind::Io, 804, format!("cannot read the trace file: {error}"))
}

/// The encoding, and the length of the byte order mark.
fn sniff(start: &[u8]) -> Result<(Encoding, usize)> {
    match start {
        [0xef, 0xbb, 0xbf, ..] => return Ok((Encoding::Ascii, 3)),
        [0xff, 0xfe, ..] => return Ok((Encoding::Utf16Little, 2)),
        [0xfe, 0xff, ..] => return Ok((Encoding::Utf16Big, 2)),
        [0x1f, 0x8b, ..] | [b'P', b'K', 3, 4, ..] | [0x28, 0xb5, 0x2f, 0xfd, ..] | [b'B', b'Z', b'h', ..] => {
            return Err(Error::own(ErrorKind::User, 802, "the file is packed: unpack it first"));
        }
        _ => {}
    }
    // UTF-16 without a mark: ASCII text has a zero in every second byte.
    let zeros_at = |odd: usize| start.iter().skip(odd).step_by(2).filter(|b| **b == 0).count();
    let pairs = start.len() / 2;
    if pairs >= 4 {
        let (even, odd) = (zeros_at(0), zeros_at(1));
        if odd * 10 >= pairs * 9 && even * 10 <= pairs {
            return Ok((Encoding::Utf16Little, 0));
        }
        if even * 10 >= pairs * 9 && odd * 10 <= pairs {
            return Ok((Encoding::Utf16Big, 0));
        }
    }
    let control = start.iter().filter(|b| **b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b)).count();
    if control * BINARY_SHARE >= start.len() {
        return Err(Error::own(ErrorKind::User, 802, "the file is not a text file"));
    }
    Ok((Encoding::Ascii, 0))
}

/// Turns UTF-16 into UTF-8 as it is read. A lone surrogate becomes the replacement character; an odd last byte is
/// dropped.
struct Utf16<R> {
    source: R,
    unit: fn([u8; 2]) -> u16,
    input: Vec<u8>,
    /// Bytes of `input` in use.
    filled: usize,
    high: Option<u16>,
    output: Vec<u8>,
    given: usize,
}

impl<R: Read> Utf16<R> {
    fn new(source: R, unit: fn([u8; 2]) -> u16) -> Self {
        Self { source, unit, input: vec![0; 64 * 1024], filled: 0, high: None, output: Vec::new(), given: 0 }
    }

    /// Decodes one more piece into `output`; false at the end of the file.
    fn more(&mut self) -> io::Result<bool> {
        let read = self.source.read(&mut self.input[self.filled..])?;
        let available = self.filled + read;
        self.output.clear();
        self.given = 0;
        let whole = available & !1;
        let units: Vec<u16> = self
            .high
            .take()
            .into_iter()
            .chain(self.input[..whole].chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]])))
            .collect();
        let mut units = &units[..];
        if read > 0
            && let Some((last, before)) = units.split_last()
            && (0xd800..0xdc00).contains(last)
        {
            // The other half of the pair is in the next piece.
            self.high = Some(*last);
            units = before;
        }
        let mut utf8 = [0; 4];
        for character in char::decode_utf16(units.iter().copied()) {
            let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.output.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
        }
        self.input.copy_within(whole..available, 0);
        self.filled = available - whole;
        Ok(read > 0 || !self.output.is_empty())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() {
            if !self.more()? {
                return Ok(0);
            }
        }
        let count = buffer.len().min(self.output.len() - self.given);
        buffer[..count].copy_from_slice(&self.output[self.given..self.given + count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> (Encoding, String) {
        let (encoding, mut stream) = open(bytes).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (encoding, text)
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf16_is_recognised_with_and_without_its_mark() {
        let sample = "WAIT #1: nam='größe \u{1f600}' ela= 1\n";
        assert_eq!(
            text(&utf16(&format!("\u{feff}{sample}"), u16::to_le_bytes)),
            (Encoding::Utf16Little, sample.into())
        );
        assert_eq!(text(&utf16(&format!("\u{feff}{sample}"), u16::to_be_bytes)), (Encoding::Utf16Big, sample.into()));
        let plain = "EXEC #1:c=0,e=0\n";
        assert_eq!(text(&utf16(plain, u16::to_le_bytes)), (Encoding::Utf16Little, plain.into()));
        assert_eq!(text(&utf16(plain, u16::to_be_bytes)), (Encoding::Utf16Big, plain.into()));
    }

    #[test]
    fn a_pair_across_two_pieces_stays_whole() {
        let long = "\u{1f600}".repeat(40_000);
        let mut bytes = utf16("\u{feff}x", u16::to_le_bytes);
        bytes.extend(utf16(&long, u16::to_le_bytes));
        assert_eq!(text(&bytes).1, format!("x{long}"));
        bytes.pop();
        assert!(text(&bytes).1.ends_with('\u{fffd}'));
    }

    #[test]
    fn binary_input_is_refused() {
        let number = |bytes: &[u8]| open(bytes).err().map(|e| e.number.to_string());
        assert_eq!(number(b"").as_deref(), Some("HW-0801"));
        assert_eq!(number(&[0; 5000]).as_deref(), Some("HW-0802"));
        assert_eq!(number(b"\x1f\x8b\x08rest").as_deref(), Some("HW-0802"));
        assert_eq!(number(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0").as_deref(), Some("HW-0802"));
        assert_eq!(text(b"\xef\xbb\xbfabc").1, "abc");
    }
}
