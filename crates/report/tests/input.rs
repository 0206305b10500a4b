//! Files as users have them: packed, in other encodings, several reports in one, cut, and files that are no report.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use common::Result;
use report::input::{self, Content, LARGEST_REPORT, Piece};
use report::model::Kind;

/// The pieces of the input, a line each.
fn pieces(path: &Path) -> Vec<String> {
    let mut met = Vec::new();
    input::open(path, &mut |piece| {
        met.push(line(piece));
        Ok(())
    })
    .unwrap();
    met
}

fn of_bytes(bytes: &[u8]) -> Vec<String> {
    let mut met = Vec::new();
    let mut source = bytes;
    input::read("stream", &mut source, &mut |piece| {
        met.push(line(piece));
        Ok(())
    })
    .unwrap();
    met
}

fn line(piece: Piece<'_>) -> String {
    let name = Path::new(piece.name).file_name().unwrap().to_string_lossy().into_owned();
    let what = match piece.content {
        Content::Report(document) => {
            let rows: usize =
                document.sections.iter().flat_map(|section| &section.tables).map(|table| table.rows.len()).sum();
            let first = document.sections.first().map_or(0, |section| section.line);
            format!(
                "{:?} {} sections {rows} rows cut {} first line {first}",
                document.kind,
                document.sections.len(),
                document.cut
            )
        }
        Content::Trace(source) => {
            let mut bytes = Vec::new();
            source.read_to_end(&mut bytes).unwrap();
            format!("trace of {} bytes", bytes.len())
        }
        Content::Tkprof(text) => format!("tkprof of {} bytes", text.len()),
        Content::Refused(error) => format!("{}: {}", error.number, error.text),
    };
    format!("{name} #{} line {}: {what}", piece.part, piece.line)
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

fn written(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

const HTML: &str = "<html><head><title>AWR</title></head><body class='awr'>\n<h1 class='awr'>\nWORKLOAD REPOSITORY report for\n</h1>\n\
    <table border=\"1\" summary=\"database\">\n<tr><th>DB Name</th><th>DB Id</th></tr>\n<tr><td>SHOP</td><td>1029384756</td></tr></table>\n\
    <h3>Foreground Wait Events</h3><table><tr><th>Event</th><th>Waits</th></tr><tr><td>log file sync</td><td>12</td></tr></table>\n\
    End of Report\n</body></html>\n";

#[test]
fn packed_files_are_read_through() {
    let folder = tempfile::tempdir().unwrap();
    let plain = fixture("statspack_8i.txt");
    let want = of_bytes(&plain)[0].replace("stream", "");
    assert!(want.contains("Statspack 9 sections") && want.contains("cut false"), "{want}");
    let same = |path: &Path| {
        assert_eq!(
            pieces(path).iter().map(|line| line[line.find(" #").unwrap()..].to_owned()).collect::<Vec<_>>(),
            std::slice::from_ref(&want)
        )
    };
    same(&written(&folder, "a.lst", &plain));
    same(&written(&folder, "a.txt.gz", &gzip(&plain)));
    same(&written(&folder, "twice.gz", &gzip(&gzip(&plain))));
    same(&written(&folder, "a.xz", &fixture("statspack_8i.txt.xz")));
    let path = folder.path().join("many.zip");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    let deflated = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in [
        ("may/sp.txt", plain.clone()),
        ("may/awr.html.gz", gzip(HTML.as_bytes())),
        ("may/notes.doc", b"nothing of interest\n".to_vec()),
    ] {
        zip.start_file(name, deflated).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap();
    let met = pieces(&path);
    assert_eq!(met.len(), 3, "{met:?}");
    assert!(met[0].ends_with(&want), "{met:?}");
    assert!(met[1].contains("AwrHtml") && met[1].contains("awr.html.gz"), "{met:?}");
    assert!(met[2].contains("HW-0812"), "{met:?}");
}

#[test]
fn utf16_and_latin_1_and_a_mark() {
    let plain = String::from_utf8(fixture("statspack_9i.txt")).unwrap();
    let want = of_bytes(plain.as_bytes());
    let utf16 = |mark: &str, unit: fn(u16) -> [u8; 2]| {
        format!("{mark}{plain}").encode_utf16().flat_map(unit).collect::<Vec<u8>>()
    };
    assert_eq!(of_bytes(&utf16("\u{feff}", u16::to_le_bytes)), want);
    assert_eq!(of_bytes(&utf16("", u16::to_be_bytes)), want);
    assert_eq!(of_bytes(format!("\u{feff}{plain}").as_bytes()), want);
    assert_eq!(of_bytes(plain.replace('\n', "\r\n").as_bytes()), want);
    let mut latin = plain.replace("buffer busy waits   ", "gr\u{1}\u{1}e           ").into_bytes();
    for byte in &mut latin {
        if *byte == 1 {
            *byte = 0xf6;
        }
    }
    let mut names = Vec::new();
    input::read("latin", &mut &latin[..], &mut |piece| {
        if let Content::Report(document) = piece.content {
            names.extend(
                document
                    .sections
                    .iter()
                    .flat_map(|section| &section.tables)
                    .flat_map(|table| &table.rows)
                    .map(|row| row.cells.clone())
                    .filter(|cells| cells[0].starts_with("gr")),
            );
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(
        names,
        [vec!["gr\u{f6}\u{f6}e", "41,002", "287", "3.04"], vec!["gr\u{f6}\u{f6}e", "41,002", "0", "287", "7", "0.7"]]
    );
}

#[test]
fn several_reports_in_one_file_text_and_html() {
    let text = String::from_utf8(fixture("statspack_9i.txt")).unwrap();
    let lines = text.lines().count();
    let whole = format!("SQL> @spreport\n{text}{HTML}{text}{HTML}{HTML}");
    let met = of_bytes(whole.as_bytes());
    assert_eq!(met.len(), 5, "{met:#?}");
    assert!(met[0].contains("#1 line 1: Statspack") && met[0].contains("first line 3"), "{met:#?}");
    assert!(met[1].contains(&format!("#2 line {}: AwrHtml", lines + 2)), "{met:#?}");
    assert!(met[2].contains("#3") && met[2].contains("Statspack"), "{met:#?}");
    assert!(met[4].contains("#5") && met[4].contains("AwrHtml"), "{met:#?}");
    let expected = lines + 1 + HTML.lines().count() + lines + HTML.lines().count();
    assert!(met[4].contains(&format!("line {}:", expected + 1)), "{met:#?}");
}

#[test]
fn html_under_any_name_and_text_within_a_page() {
    let folder = tempfile::tempdir().unwrap();
    assert!(pieces(&written(&folder, "awr.txt", HTML.as_bytes()))[0].contains("AwrHtml"));
    let text = String::from_utf8(fixture("statspack_9i.txt")).unwrap();
    let page = format!(
        "<html><body><pre>{}</pre></body></html>",
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
    );
    let within = of_bytes(page.as_bytes());
    let bare = of_bytes(text.as_bytes());
    assert_eq!(within.len(), 1);
    let what = |line: &str| line[line.find("Statspack").unwrap()..line.find(" first line").unwrap()].to_owned();
    assert_eq!(what(&within[0]), what(&bare[0]));
}

#[test]
fn input_that_is_no_report_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |bytes: &[u8], number: &str| {
        let met = of_bytes(bytes);
        assert!(met.len() == 1 && met[0].contains(number), "{met:?}");
    };
    refused(b"", "HW-0801");
    refused(b"hello\nthere\n", "HW-0812");
    refused(&[0; 4096], "HW-0802");
    refused(b"BZh91AY&SY", "HW-0813");
    refused(b"PK\x03\x04rest", "HW-0813");
    refused(b"The WORKLOAD REPOSITORY is a fine thing.\n", "HW-0812");
    refused(b"ASH Report For SHOP/shop1\n", "active session history");
    refused(b"WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n\nReport Summary\n", "comparison of two periods");
    let mut cut = gzip(&fixture("statspack_9i.txt"));
    cut.truncate(cut.len() / 2);
    let met = of_bytes(&cut);
    assert!(
        met.len() == 2 && met[0].contains("Statspack") && met[0].contains("cut true") && met[1].contains("HW-0814"),
        "{met:?}"
    );
    refused(&cut[..3], "HW-0814");
    let damaged = written(&folder, "damaged.zip", b"PK\x03\x04 and nothing more");
    assert!(pieces(&damaged)[0].contains("HW-0814"));
    let hollow = written(&folder, "hollow.zip", b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert!(pieces(&hollow)[0].contains("HW-0812"));
    let error = input::open(folder.path(), &mut |_| Ok(())).unwrap_err();
    assert_eq!(error.number.to_string(), "HW-0811");
    let error = input::open(&folder.path().join("none"), &mut |_| Ok(())).unwrap_err();
    assert!(error.text.contains("none"), "{error:?}");
}

#[test]
fn traces_and_tkprof_are_told_by_their_content() {
    let trace = fixture("11g.trc");
    assert_eq!(of_bytes(&trace), [format!("stream #1 line 1: trace of {} bytes", trace.len())]);
    let headless: Vec<u8> = trace.split(|&byte| byte == b'\n').skip(30).collect::<Vec<_>>().join(&b'\n');
    assert_eq!(of_bytes(&headless), [format!("stream #1 line 1: trace of {} bytes", headless.len())]);
    // A trace of the making of a report is still a trace.
    let speaking = [
        &headless[..],
        b"PARSING IN CURSOR #1 len=9\nselect 'WORKLOAD REPOSITORY report for' from dual\nEND OF STMT\n",
    ]
    .concat();
    assert!(of_bytes(&speaking)[0].contains("trace of"));
    assert_eq!(of_bytes(&gzip(&trace)), of_bytes(&trace));
    let met = of_bytes(b"\nTKPROF: Release 10.2.0.3.0 - Production\n\nTrace file: a.trc\n");
    assert_eq!(met, ["stream #1 line 1: tkprof of 60 bytes"]);
}

#[test]
fn a_trace_is_opened_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |path: &Path| {
        let mut bytes = Vec::new();
        input::open_trace(path).unwrap().read_to_end(&mut bytes).map(|_| bytes)
    };
    let trace = fixture("11g.trc");
    for (name, content) in [("a.trc", trace.clone()), ("a.trc.gz", gzip(&trace)), ("twice.gz", gzip(&gzip(&trace)))] {
        assert_eq!(bytes(&written(&folder, name, &content)).unwrap(), trace, "{name}");
    }
    // Its contents do not matter, nor that it ends before the first bytes of a packing would.
    assert_eq!(bytes(&written(&folder, "a.xz", &fixture("statspack_8i.txt.xz"))).unwrap(), fixture("statspack_8i.txt"));
    assert_eq!(bytes(&written(&folder, "short", b"abc")).unwrap(), b"abc");
    // The profile is the same.
    let profile = |source: Box<dyn Read + Send>| {
        report::profile::read(source, &report::tkprof::Options::default()).unwrap().elapsed_ns
    };
    let packed = written(&folder, "b.trc.gz", &gzip(&trace));
    assert_eq!(profile(input::open_trace(&packed).unwrap()), profile(Box::new(std::io::Cursor::new(trace.clone()))));

    let refused = |path: &Path, number: &str| {
        let error = input::open_trace(path).err().unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(error.number.to_string() == number && error.text.contains(&name), "{error:?}");
    };
    refused(&written(&folder, "a.zip", b"PK\x03\x04rest"), "HW-0813");
    refused(&written(&folder, "a.bz2", b"BZh91AY&SY"), "HW-0813");
    let deep = (0..5).fold(trace.clone(), |packed, _| gzip(&packed));
    refused(&written(&folder, "deep.gz", &deep), "HW-0813");
    let cut = gzip(&trace);
    refused(&written(&folder, "nothing.gz", &cut[..3]), "HW-0814");
    assert!(bytes(&written(&folder, "half.gz", &cut[..cut.len() / 2])).is_err());
    refused(&folder.path().join("none"), "HW-0811");
    refused(folder.path(), "HW-0811");
}

/// A source of any length that is not held anywhere.
struct Endless {
    start: Vec<u8>,
    pattern: Vec<u8>,
    given: u64,
    length: u64,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = buffer.len().min(usize::try_from(self.length - self.given).unwrap_or(usize::MAX));
        let at = usize::try_from(self.given).unwrap();
        let from = if at < self.start.len() {
            &self.start[at..]
        } else {
            &self.pattern[(at - self.start.len()) % self.pattern.len()..]
        };
        let count = count.min(from.len());
        buffer[..count].copy_from_slice(&from[..count]);
        self.given += count as u64;
        Ok(count)
    }
}

#[test]
fn a_huge_file_is_read_no_further_than_it_makes_sense() {
    let mut other = Endless { start: Vec::new(), pattern: b"some log line\n".to_vec(), given: 0, length: 50 << 30 };
    let mut met = Vec::new();
    input::read("log", &mut other, &mut |piece| {
        met.push(line(piece));
        Ok(())
    })
    .unwrap();
    assert!(met[0].contains("HW-0812"), "{met:?}");
    assert!(other.given < 4 << 20, "{} bytes were read", other.given);

    let start = fixture("statspack_9i.txt");
    let start = start[..start.len() - 20].to_vec();
    let length = LARGEST_REPORT as u64 + (20 << 20);
    let mut long = Endless { start, pattern: [vec![b'-'; 4_000], b"\n".to_vec()].concat(), given: 0, length };
    let mut met = Vec::new();
    input::read("long", &mut long, &mut |piece| {
        met.push(line(piece));
        Ok(())
    })
    .unwrap();
    assert_eq!(met.len(), 2, "{met:?}");
    assert!(met[0].contains("cut true") && met[1].contains("HW-0815"), "{met:?}");
}

#[test]
fn an_error_of_the_visitor_ends_the_reading() {
    let text = fixture("statspack_9i.txt").repeat(3);
    let mut seen = 0;
    let stopped: Result<()> = input::read("stop", &mut &text[..], &mut |piece| {
        assert!(matches!(&piece.content, Content::Report(document) if document.kind == Kind::Statspack));
        seen += 1;
        Err(common::Error::unsupported("enough"))
    });
    assert!(stopped.is_err());
    assert_eq!(seen, 1);
}

/// Every file of the samples is of its folder's kind, and is read whole.
#[test]
fn the_samples_are_what_they_are() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    if !samples.is_dir() {
        println!("skipped: {} is not there", samples.display());
        return;
    }
    let folders = [
        ("statspack", "Statspack"),
        ("awr_text", "AwrText"),
        ("awr_html", "AwrHtml"),
        ("trc10046", "trace of"),
        ("tkprof", "tkprof of"),
    ];
    for (folder, kind) in folders {
        let mut files = 0;
        for entry in std::fs::read_dir(samples.join(folder)).unwrap() {
            let met = pieces(&entry.unwrap().path());
            assert_eq!(met.len(), 1, "{met:?}");
            assert!(met[0].contains(kind) && !met[0].contains("cut true"), "{met:?}");
            files += 1;
        }
        assert!(files >= 2, "{folder}");
    }
}
