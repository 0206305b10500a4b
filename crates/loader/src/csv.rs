//! Rows of comma-separated values: fields in quotation marks may hold delimiters, line ends and doubled quotation
//! marks.

use std::io::Read;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::fields::{Place, Split};
use crate::records::{Buffer, Stopped};

/// The rows of one file.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    buffer: Buffer<R>,
    reader: Reader,
    delimiter: u8,
    most: usize,
    /// The next bytes are the first of the file.
    fresh: bool,
    /// The fields' bytes, concatenated, and the end of each.
    values: Vec<u8>,
    ends: Vec<usize>,
    /// The line of the last row's beginning, from 1.
    line: u64,
    /// Range of the last row in the buffer.
    raw: (usize, usize),
}

/// Result of reading a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Row,
    /// A row whose last quotation mark is missing.
    Unclosed,
    End,
}

impl<R: Read> Rows<R> {
    pub(crate) fn new(input: R, delimiter: u8, most: usize) -> Self {
        Self {
            buffer: Buffer::new(input),
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            delimiter,
            most,
            fresh: true,
            values: vec![0; 4096],
            ends: vec![0; 64],
            line: 1,
            raw: (0, 0),
        }
    }

    /// The line of the last row's beginning, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// The bytes that the last row's ranges are in.
    pub(crate) fn values(&self) -> &[u8] {
        &self.values
    }

    /// The last row as it is in the file.
    pub(crate) fn raw(&self) -> &[u8] {
        let record = self.buffer.at(self.raw.0, self.raw.1);
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        record.strip_suffix(b"\r").unwrap_or(record)
    }

    /// Reads the next row into `split`. Empty lines are no rows.
    pub(crate) fn next(&mut self, split: &mut Split) -> Result<Next, Stopped> {
        if std::mem::take(&mut self.fresh) {
            self.buffer.pass_mark().map_err(Stopped::Io)?;
        }
        // Line ends before the row are no part of it.
        loop {
            let rest = self.buffer.rest();
            let skipped = rest.iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            if skipped > 0 {
                let mut nothing = [0u8; 1];
                let mut ends = [0usize; 1];
                // The reader counts lines, and skips them itself.
                let (_, read, _, _) = self.reader.read_record(&rest[..skipped], &mut nothing, &mut ends);
                self.buffer.start += read.max(1).min(skipped);
                continue;
            }
            if !rest.is_empty() {
                break;
            }
            if self.buffer.ended {
                return Ok(Next::End);
            }
            self.buffer.fill().map_err(Stopped::Io)?;
        }
        self.line = self.reader.line();
        let (mut read, mut written, mut fields) = (0, 0, 0);
        loop {
            let rest = self.buffer.rest();
            let input = &rest[read..];
            // An empty input signals the end to the reader.
            if input.is_empty() && !self.buffer.ended {
                if rest.len() > self.most {
                    return Err(Stopped::TooLong(self.line));
                }
                self.buffer.fill().map_err(Stopped::Io)?;
                continue;
            }
            let (result, taken, put, ended) =
                self.reader.read_record(input, &mut self.values[written..], &mut self.ends[fields..]);
            read += taken;
            written += put;
            fields += ended;
            if read > self.most {
                return Err(Stopped::TooLong(self.line));
            }
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.values.resize(self.values.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::End => return Ok(Next::End),
                ReadRecordResult::Record => break,
            }
        }
        split.clear();
        let mut start = 0;
        for end in &self.ends[..fields] {
            split.push(Place::Record(start as u32, *end as u32));
            start = *end;
        }
        self.raw = (self.buffer.start, self.buffer.start + read);
        self.buffer.start += read;
        // Only the end of the file ends a row within quotation marks.
        let last = self.buffer.ended && self.buffer.rest().is_empty();
        let open = last && is_open(self.buffer.at(self.raw.0, self.raw.1), self.delimiter);
        Ok(if open { Next::Unclosed } else { Next::Row })
    }
}

/// True: the row ends within quotation marks that begin at the beginning of a field.
fn is_open(row: &[u8], delimiter: u8) -> bool {
    let (mut begins, mut open) = (true, false);
    let mut bytes = row.iter().peekable();
    while let Some(byte) = bytes.next() {
        if open {
            // A doubled mark is one of the value's.
            if *byte == b'"' && bytes.next_if_eq(&&b'"').is_none() {
                open = false;
            }
            continue;
        }
        open = begins && *byte == b'"';
        begins = *byte == delimiter;
    }
    open
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(text: &str, most: usize) -> Result<Vec<(u64, Vec<String>, String)>, Stopped> {
        let mut rows = Rows::new(text.as_bytes(), b',', most);
        let mut split = Split::default();
        let mut found = Vec::new();
        loop {
            match rows.next(&mut split)? {
                Next::End => return Ok(found),
                Next::Unclosed => found.push((rows.line(), vec!["unclosed".to_owned()], String::new())),
                Next::Row => {
                    let fields = (0..)
                        .map_while(|at| split.field(at, &rows.values))
                        .map(|field| String::from_utf8(field.to_vec()).unwrap())
                        .collect();
                    found.push((rows.line(), fields, String::from_utf8(rows.raw().to_vec()).unwrap()));
                }
            }
        }
    }

    #[test]
    fn rows_know_their_lines() {
        let found = all("a,b\r\n\n\"c\nd\",\"e\"\"f\"\ng,\n,", 100).unwrap();
        let lines: Vec<u64> = found.iter().map(|row| row.0).collect();
        assert_eq!(lines, [1, 3, 5, 6]);
        assert_eq!(found[1].1, ["c\nd", "e\"f"]);
        assert_eq!(found[1].2, "\"c\nd\",\"e\"\"f\"");
        assert_eq!(found[2].1, ["g", ""]);
        assert_eq!(found[3].1, ["", ""]);
        assert!(all("", 10).unwrap().is_empty());
        assert_eq!(all("a,\"b\nc", 100).unwrap()[0].1, ["unclosed"]);
        assert_eq!(all("a,\"b\"\"", 100).unwrap()[0].1, ["unclosed"]);
        assert_eq!(all("5,6\" pipe", 100).unwrap()[0].1, ["5", "6\" pipe"]);
        assert_eq!(all("\u{feff}a,b", 100).unwrap()[0].1, ["a", "b"]);
    }

    #[test]
    fn long_rows_are_refused() {
        let long = "x".repeat(1 << 20);
        assert!(matches!(all(&format!("a\n{long}\n"), 1000), Err(Stopped::TooLong(2))));
        assert!(matches!(all(&format!("a\n\"{long}\n"), 1000), Err(Stopped::TooLong(2))));
        assert_eq!(all(&format!("a\n{long}\n"), 2 << 20).unwrap()[1].1[0].len(), 1 << 20);
    }

    proptest! {
        #[test]
        fn written_values_come_back(rows in proptest::collection::vec(proptest::collection::vec("[a,\"\n]{0,4}", 2..4), 0..6)) {
            let text: String = rows.iter().map(|row| {
                let fields: Vec<String> = row.iter().map(|value| format!("\"{}\"", value.replace('"', "\"\""))).collect();
                format!("{}\n", fields.join(","))
            }).collect();
            let found: Vec<Vec<String>> = all(&text, 1000).unwrap().into_iter().map(|row| row.1).collect();
            prop_assert_eq!(found, rows);
        }
    }
}
