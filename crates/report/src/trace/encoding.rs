//! The encoding of a file, decided by its first bytes: text in UTF-8 (or any encoding that contains ASCII), text in
//! UTF-16, or no text.

use std::io::{self, Cursor, Read};

use common::{Error, ErrorKind, Result};
use encoding_rs::{UTF_16BE, UTF_16LE};
use encoding_rs_io::DecodeReaderBytesBuilder;
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
        Encoding::Utf16Little => (encoding, decoded(whole, UTF_16LE)),
        Encoding::Utf16Big => (encoding, decoded(whole, UTF_16BE)),
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

/// Text in UTF-8 from UTF-16. What is no character becomes the replacement character.
fn decoded<'a>(source: impl Read + 'a, encoding: &'static encoding_rs::Encoding) -> Box<dyn Read + 'a> {
    Box::new(DecodeReaderBytesBuilder::new().encoding(Some(encoding)).build(source))
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
        // What is left of the last pair is no character.
        assert!(text(&bytes).1.ends_with("\u{1f600}\u{fffd}"));
    }

    #[test]
    fn half_a_pair_is_one_replacement_and_marks_within_the_text_stay() {
        let units = [0x78, 0xd83d, 0x79, 0xdc00, 0x0a, 0xfeff, 0x7a, 0xd83d, 0xd83d, 0xde00, 0x21];
        let start = utf16("\u{feff}WAIT #1: nam='a'\n", u16::to_be_bytes);
        let bytes: Vec<u8> = start.into_iter().chain(units.into_iter().flat_map(u16::to_be_bytes)).collect();
        let decoded = text(&bytes).1;
        assert_eq!(decoded, "WAIT #1: nam='a'\nx\u{fffd}y\u{fffd}\n\u{feff}z\u{fffd}\u{1f600}!");
        // The same in pieces of every size that a reader may ask for.
        for size in 1..12 {
            let (_, mut stream) = open(&bytes[..]).unwrap();
            let (mut pieces, mut piece) = (Vec::new(), vec![0; size]);
            loop {
                let count = stream.read(&mut piece).unwrap();
                if count == 0 {
                    break;
                }
                pieces.extend_from_slice(&piece[..count]);
            }
            assert_eq!(String::from_utf8(pieces).unwrap(), decoded, "pieces of {size} bytes");
        }
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
