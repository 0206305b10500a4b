//! A file of any kind: packed or not, in UTF-8, UTF-16 or Windows-1252, holding reports, traces, TKPROF output, or
//! something else.

#![no_main]

use std::io::{Read, Write};

use highwater_fuzz::{Input, reports};
use libfuzzer_sys::fuzz_target;
use report::input::{self, Content};

/// The bytes in some other encoding or packing.
fn wrapped(bytes: Vec<u8>, how: u8) -> Vec<u8> {
    match how {
        0 => bytes,
        1 => String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_le_bytes).collect(),
        2 => [0xFE, 0xFF]
            .into_iter()
            .chain(String::from_utf8_lossy(&bytes).encode_utf16().flat_map(u16::to_be_bytes))
            .collect(),
        3 => [0xEF, 0xBB, 0xBF].into_iter().chain(bytes).collect(),
        _ => {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&bytes).expect("memory takes what is written");
            gzip.finish().expect("memory takes what is written")
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input::new(data);
    let bytes = if data.first().is_some_and(|first| first % 2 == 1) {
        let choice = input.byte() / 2;
        let how = choice % 8;
        let content = match choice / 8 % 4 {
            0 => reports::html(&mut input).into_bytes(),
            1 => reports::text(&mut input).into_bytes(),
            2 => {
                let half = data.len() / 2;
                let mut both = reports::text(&mut Input::new(&data[..half])).into_bytes();
                both.extend(reports::html(&mut Input::new(&data[half..])).into_bytes());
                both
            }
            _ => input.rest().to_vec(),
        };
        let mut bytes = wrapped(content, how);
        if choice / 32 == 1 {
            // Cut, or with a byte changed.
            let place = data.len() * 7 % (bytes.len() + 1);
            bytes.truncate(place);
        }
        bytes
    } else {
        data.to_vec()
    };
    let mut parts = 0;
    let mut visit = |piece: input::Piece<'_>| {
        assert!(piece.line > 0 && piece.part > 0 && !piece.name.is_empty());
        parts += 1;
        match piece.content {
            // Packed text has more cells than bytes.
            Content::Report(document) => reports::check(&[document], bytes.len().saturating_mul(1100)),
            Content::Trace(trace) => {
                let mut start = Vec::new();
                let _ = trace.take(1 << 20).read_to_end(&mut start);
            }
            Content::Tkprof(text) => {
                let _ = report::tkprof::read(&text);
            }
            Content::Refused(error) => assert!(error.number.to_string().starts_with("HW-"), "{error}"),
        }
        Ok(())
    };
    if bytes.starts_with(b"PK") {
        // Only a file can be a zip.
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(&bytes).expect("a temporary file is written");
        input::open(file.path(), &mut visit).expect("the visitor returns no error");
    } else {
        input::read("input", &mut &bytes[..], &mut visit).expect("the visitor returns no error");
    }
    assert!(parts > 0, "nothing is passed over in silence");
});
