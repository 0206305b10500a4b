//! Text that is no report, or a report that was cut, folded or mixed up: no panic, nothing out of proportion, every row
//! as wide as its table.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use proptest::prelude::*;
use report::grid::{Document, text};

fn fixture(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

const FIXTURES: [&str; 3] = ["statspack_9i.txt", "statspack_8i.txt", "awr_10g.txt"];

/// Checks the invariants of any document, of a text with so many lines and bytes.
fn check(documents: &[Document], lines: usize, bytes: usize) {
    let mut held = 0;
    for document in documents {
        for section in &document.sections {
            assert!((1..=lines).contains(&section.line), "{} of {lines}", section.line);
            held += section.title.len() + section.notes.iter().map(String::len).sum::<usize>();
            for table in &section.tables {
                for row in &table.rows {
                    assert_eq!(row.cells.len(), table.columns.len(), "{table:?}");
                    assert!((1..=lines).contains(&row.line));
                    held += row.cells.iter().chain(&row.text).map(String::len).sum::<usize>();
                }
            }
        }
    }
    // Tablespaces are filled in, and the first line of nested rows is repeated.
    assert!(held <= bytes * 50 + 10_000, "{held} bytes of {bytes}");
}

#[test]
fn a_report_cut_anywhere_is_cut_and_keeps_what_came_before() {
    for name in FIXTURES {
        let whole = fixture(name);
        let all = text::documents(&whole).remove(0);
        let body = whole.find("End of Report").unwrap();
        for end in (0..whole.len()).step_by(11).filter(|&end| whole.is_char_boundary(end)) {
            let part = &whole[..end];
            let documents = text::documents(part);
            check(&documents, part.lines().count().max(1), part.len());
            if end > whole.find("for\n").or(whole.find("for\r")).unwrap() + 4 {
                assert_eq!(documents[0].cut, end < body + 13, "{name} at {end}");
                // All but the first, which names what later titles say, and the one that the cut is in are as in the
                // whole report.
                let sections = &documents[0].sections;
                for (cut, full) in sections.iter().zip(&all.sections).take(sections.len().saturating_sub(2)).skip(1) {
                    assert_eq!(cut, full, "{name} at {end}");
                }
            }
        }
        for start in (0..whole.len()).step_by(29).filter(|&start| whole.is_char_boundary(start)) {
            let part = &whole[start..];
            check(&text::documents(part), part.lines().count().max(1), part.len());
        }
    }
}

/// Lines of the kinds that reports are made of, in any order.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("STATSPACK report for".to_owned()),
        Just("End of Report".to_owned()),
        Just("          -------------------------------------------------------------".to_owned()),
        Just("            No data exists for this section of the report.".to_owned()),
        "[A-Z][a-z ]{0,20}  DB/Inst: A/a  Snaps: 1-2",
        "(SQL ordered by Gets|Top SQL with Top Events|Top PL/SQL Procedures|File IO Stats) for DB: A  Instance: a  Snaps: 1 -2",
        "->[ a-z]{0,40}",
        " {0,12}(-{1,12} {1,3}){1,60}",
        "~{1,14}( {1,20}-{3,9}){0,4}",
        " {0,30}(-{20,60})",
        "([ a-zA-Z%]{1,12} {0,14}){1,8}",
        " {0,20}([0-9,.#]{1,9} {1,9}){1,50}",
        "[a-z ]{1,20} {1,10}([0-9,.]{1,9} {1,9}){1,9}",
        "[A-Za-z ]{1,20}:  {1,9}[0-9.,]{1,9}   [A-Za-z ]{1,20}:  {1,9}[0-9.,]{1,9}",
        " {0,9}([0-9]{1,5} {1,5}){1,5}[0-9a-z]{13}",
        "([a-z0-9,]{0,9}\t){1,70}",
        "\\PC{0,90}",
        "Tablespace",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_in_any_order(lines in proptest::collection::vec(line(), 0..60), header in any::<bool>()) {
        let whole = format!("{}{}", if header { "STATSPACK report for\n" } else { "" }, lines.join("\n"));
        check(&text::documents(&whole), whole.split('\n').count(), whole.len());
    }

    #[test]
    fn any_text(body in "(\\PC|\n|\t|\r|-| ){0,1000}") {
        let whole = format!("WORKLOAD REPOSITORY report for\n{body}");
        check(&text::documents(&whole), whole.split(['\n', '\r']).count(), whole.len());
    }

    #[test]
    fn any_bytes_through_the_front(body in proptest::collection::vec(any::<u8>(), 0..3000), header in 0..5_usize) {
        let start: &[u8] = [&b""[..], b"STATSPACK report for\n", b"<html>WORKLOAD REPOSITORY report for\n", b"\x1f\x8b\x08\0", b"\xfd7zXZ\0"][header];
        let whole = [start, &body].concat();
        let mut pieces = 0;
        report::input::read("any", &mut &whole[..], &mut |_| { pieces += 1; Ok(()) }).unwrap();
        prop_assert!(pieces > 0);
    }

    #[test]
    fn a_report_with_lines_lost_doubled_or_shifted(at in 0..3_usize, changes in proptest::collection::vec((0..200_usize, 0..4_u8), 1..30)) {
        let whole = fixture(FIXTURES[at]);
        let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
        for (line, change) in changes {
            let line = line % lines.len();
            match change {
                0 => { lines.remove(line); }
                1 => lines.insert(line, lines[line].clone()),
                2 => lines[line].insert_str(0, "   "),
                _ => { let half = lines[line].chars().count() / 2; lines[line] = lines[line].chars().take(half).collect(); }
            }
        }
        let whole = lines.join("\n");
        check(&text::documents(&whole), lines.len(), whole.len());
    }
}
