//! Real AWR reports beside the project: every table of them against a second, simpler way to read it. Skipped where
//! they are absent.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::path::Path;

use report::grid::html::documents;

/// The text between two others, and the rest after the second.
fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<(&'a str, &'a str)> {
    let start = text.find(open)? + open.len();
    let end = text[start..].find(close)? + start;
    Some((&text[start..end], &text[end + close.len()..]))
}

/// Text of a cell: tags dropped, the entities that such reports have replaced, white space dropped.
fn plain(cell: &str) -> String {
    let mut text = String::new();
    for part in cell.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    for (entity, character) in
        [("&#160;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")]
    {
        text = text.replace(entity, character);
    }
    text.split_whitespace().collect()
}

/// The rows of each table that have a value: their line, and their cells. Relies on what real reports have been seen to
/// keep to: every tag is closed, in lower case, and no table stands in another.
fn tables(report: &str) -> Vec<Vec<(usize, Vec<String>)>> {
    let mut tables = Vec::new();
    let mut rest = report;
    while let Some((table, after)) = between(rest, "<table", "</table>") {
        let mut rows = Vec::new();
        let mut inner = table;
        while let Some((row, after_row)) = between(inner, "<tr>", "</tr>") {
            let line = 1 + report[..row.as_ptr() as usize - report.as_ptr() as usize].matches('\n').count();
            let mut cells = Vec::new();
            let mut left = row;
            while let Some((cell, after_cell)) = between(left, "<td", "</td>") {
                cells.push(plain(cell.split_once('>').unwrap().1));
                left = after_cell;
            }
            if cells.iter().any(|cell| !cell.is_empty()) {
                rows.push((line, cells));
            }
            inner = after_row;
        }
        tables.push(rows);
        rest = after;
    }
    tables
}

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/awr_html").join(name);
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    let found = documents(&text);
    assert_eq!(found.len(), 1);
    let document = &found[0];
    assert!(!document.cut);

    let expected = tables(&text);
    let read: Vec<_> =
        document.sections.iter().flat_map(|section| section.tables.iter().map(move |table| (section, table))).collect();
    assert_eq!(read.len(), expected.len());
    let mut cells = 0;
    for ((section, table), expected) in read.iter().zip(&expected) {
        assert_eq!(table.rows.len(), expected.len(), "{}", section.title);
        for (row, (line, values)) in table.rows.iter().zip(expected) {
            assert_eq!(row.line, *line, "{}", section.title);
            assert_eq!(row.cells.len(), table.columns.len(), "{}, line {line}", section.title);
            let mut read: Vec<String> = row.cells.iter().map(|cell| cell.split_whitespace().collect()).collect();
            cells += values.len();
            // Rows that end early are made as long as the heading.
            assert!(read[values.len()..].iter().all(String::is_empty), "{}, line {line}", section.title);
            read.truncate(values.len());
            assert_eq!(read, *values, "{}, line {line}", section.title);
        }
    }
    assert!(cells > 5_000, "{cells}");

    // Sections: every <h3>, and those without data.
    let headings = text.matches("<h3 ").count();
    let titles: Vec<&str> = document.sections.iter().map(|section| section.title.as_str()).collect();
    // "Report Summary" only holds the sections of the first screen.
    let kept = text.split("<h3 ").skip(1).filter(|part| {
        let title = plain(part.split_once('>').unwrap().1.split_once("</h3>").unwrap().0);
        titles.iter().any(|found| found.split_whitespace().collect::<String>() == title)
    });
    assert_eq!(kept.count() + 1, headings);
    let empty = document.sections.iter().filter(|section| section.empty).count();
    assert_eq!(empty, text.matches("No data exists for this section of the report.").count());
    for section in document.sections.iter().filter(|section| section.empty) {
        assert!(section.tables.is_empty(), "{}", section.title);
    }
    for title in [
        "Load Profile",
        "Instance Efficiency Percentages (Target 100%)",
        "Foreground Wait Events",
        "Instance Activity Stats",
    ] {
        assert!(titles.contains(&title), "{title}");
    }
}

#[test]
fn one_instance_of_11g() {
    check("top14_awr_1830_1845.html");
}

#[test]
fn one_instance_of_12c() {
    check("kevinc_awr.html");
}

#[test]
fn a_cluster_of_19c() {
    check("pcam_awrrpt_1_18175_18176.html");
}
