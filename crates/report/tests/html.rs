//! AWR HTML of each release's layout, made up, as sections and tables; and damaged pages.
//!
//! `UPDATE_GOLDEN=1 cargo test -p report --test html` rewrites the expected files; check the difference.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use report::grid::html::documents;
use report::grid::{Document, Section, Table};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/awr")
}

fn fixture(name: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{name}.html"))).unwrap()
}

fn one(text: &str) -> Document {
    let mut all = documents(text);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn section<'a>(document: &'a Document, title: &str) -> &'a Section {
    document.sections.iter().find(|section| section.title == title).unwrap()
}

fn rows(table: &Table) -> Vec<Vec<&str>> {
    table.rows.iter().map(|row| row.cells.iter().map(String::as_str).collect()).collect()
}

fn printed(document: &Document) -> String {
    let mut text = String::new();
    for section in &document.sections {
        let empty = if section.empty { " (no data)" } else { "" };
        writeln!(text, "{}: {}{empty}", section.line, section.title).unwrap();
        for note in &section.notes {
            writeln!(text, "  -> {note}").unwrap();
        }
        for table in &section.tables {
            writeln!(text, "  [{}]", table.caption).unwrap();
            writeln!(text, "  {}", table.columns.join(" | ")).unwrap();
            for row in &table.rows {
                writeln!(text, "  {}: {}", row.line, row.cells.join(" | ").replace('\n', "\\n")).unwrap();
            }
        }
    }
    writeln!(text, "{}", if document.cut { "cut" } else { "whole" }).unwrap();
    text
}

fn golden(name: &str) {
    let text = printed(&one(&fixture(name)));
    let path = folder().join(format!("{name}.grid"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} is not as expected:\n{text}");
}

#[test]
fn upper_case_tags_without_ends_of_10g() {
    golden("10g");
}

#[test]
fn headings_of_two_rows_of_11g_in_a_cluster() {
    golden("11g_rac");
}

#[test]
fn a_pluggable_database_of_18c() {
    golden("18c_pdb");
}

#[test]
fn spans_and_a_table_in_a_table_of_exadata() {
    golden("19c_exadata");
}

#[test]
fn all_instances_of_a_cluster_of_23ai() {
    golden("23ai_global");
}

const FIXTURES: [&str; 5] = ["10g", "11g_rac", "18c_pdb", "19c_exadata", "23ai_global"];

#[test]
fn a_group_heading_is_part_of_each_column_name() {
    let document = one(&fixture("11g_rac"));
    let histogram = &section(&document, "Wait Event Histogram").tables[0];
    assert_eq!(histogram.columns[..4], ["Event", "Total Waits", "% of Waits <1ms", "% of Waits <2ms"]);
    assert_eq!(histogram.columns.len(), 10);
    assert_eq!(rows(histogram)[1][..4], ["log file sync", "7204", ".0", "12.0"]);
    let transfer = &section(&document, "Global Cache Transfer Times (ms)").tables[0];
    assert_eq!(transfer.columns[2], "CR Avg Time (ms) All");
    assert_eq!(transfer.columns[6], "Current Avg Time (ms) All");
}

#[test]
fn windows_line_ends_change_nothing() {
    for name in FIXTURES {
        let text = fixture(name);
        assert_eq!(documents(&text.replace('\n', "\r\n")), documents(&text), "{name}");
    }
}

#[test]
fn the_case_of_tags_and_unclosed_cells_change_nothing() {
    let text = fixture("23ai_global");
    let upper =
        ["table", "tr", "td", "th", "h1", "h2", "h3", "li", "ul", "p"].iter().fold(text.clone(), |text, tag| {
            text.replace(&format!("<{tag} "), &format!("<{} ", tag.to_uppercase()))
                .replace(&format!("<{tag}>"), &format!("<{}>", tag.to_uppercase()))
                .replace(&format!("</{tag}>"), &format!("</{}>", tag.to_uppercase()))
        });
    assert_ne!(upper, text);
    assert_eq!(documents(&upper), documents(&text));
    let open =
        ["</td>", "</th>", "</tr>", "</li>", "<p />"].iter().fold(text.clone(), |text, tag| text.replace(tag, ""));
    assert_eq!(documents(&open), documents(&text));
}

#[test]
fn joined_reports_are_taken_apart() {
    let (first, second) = (fixture("10g"), fixture("18c_pdb"));
    let both = documents(&format!("{first}{second}"));
    assert_eq!(both.len(), 2);
    assert_eq!(both[0], one(&first));
    assert_eq!(both[1].sections.len(), one(&second).sections.len());
    // Lines go on counting through the file.
    let before = first.lines().count();
    assert_eq!(both[1].sections[0].line, one(&second).sections[0].line + before);
}

#[test]
fn a_report_cut_in_a_cell_does_not_eat_the_next_one() {
    let (first, second) = (fixture("11g_rac"), fixture("23ai_global"));
    let cut = first.find("31.5K").unwrap() + 2;
    let both = documents(&format!("{}{second}", &first[..cut]));
    assert_eq!(both.len(), 2);
    assert!(both[0].cut && !both[1].cut);
    // The figure at the cut is not there.
    assert!(section(&both[0], "Wait Event Histogram").tables[0].rows.is_empty());
    assert_eq!(both[1].sections.len(), one(&second).sections.len());
}

#[test]
fn a_cut_anywhere_gives_rows_of_the_whole_and_says_that_it_is_cut() {
    for name in FIXTURES {
        let text = fixture(name);
        let whole = one(&text);
        let all = |document: &Document| -> Vec<Vec<String>> {
            let tables = document.sections.iter().flat_map(|section| &section.tables);
            tables.flat_map(|table| table.rows.iter().map(|row| row.cells.clone())).collect()
        };
        let sound = all(&whole);
        let end = text.find("End of Report").unwrap();
        for cut in (0..end).filter(|&cut| text.is_char_boundary(cut)) {
            let found = documents(&text[..cut]);
            assert!(found.len() <= 1);
            for document in &found {
                assert!(document.cut, "{name} cut at {cut}");
                for row in all(document) {
                    // A heading that is cut has fewer columns; each cell still is one of the whole report.
                    assert!(
                        sound
                            .iter()
                            .any(|whole| whole.starts_with(&row) || *whole == row || filled(whole) == filled(&row)),
                        "{name} cut at {cut}: {row:?}"
                    );
                }
            }
        }
    }
}

fn filled(row: &[String]) -> Vec<&String> {
    row.iter().filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn another_heading_under_rows_begins_another_table() {
    let text = "<h3>Two</h3><table><tr><th>A<th>B<tr><td>1<td>2<tr><th>C<th>D<th>E<tr><td>3<td>4<td>5\
                <tr><th colspan=3>Group<tr><td>6<td>7<td>8</table></html>";
    let document = one(text);
    let tables = &section(&document, "Two").tables;
    assert_eq!(tables.len(), 2);
    assert_eq!(
        (&tables[0].columns[..], rows(&tables[0])),
        (&["A".to_owned(), "B".to_owned()][..], vec![vec!["1", "2"]])
    );
    assert_eq!(tables[1].columns, ["C", "D", "E"]);
    assert_eq!(rows(&tables[1]), [["3", "4", "5"], ["Group", "", ""], ["6", "7", "8"]]);
}

#[test]
fn rows_may_have_a_heading_of_their_own() {
    let document =
        one("<h3>Own</h3><table><tr><th><th>Begin<tr><th>Sessions<td>41<tr><th>Cursors<td>&nbsp;</table></html>");
    assert_eq!(rows(&section(&document, "Own").tables[0]), [["Sessions", "41"], ["Cursors", ""]]);
}

#[test]
fn html_without_a_report_gives_no_document() {
    assert!(documents("").is_empty());
    assert!(documents("Error: 404 not found").is_empty());
    assert!(documents("<p>Error <b>404").is_empty());
}

#[test]
fn entities_and_spaces_that_do_not_break() {
    let text = "<h3>A &amp; B</h3><table><tr><th>Name<th>&lt;1ms</tr><tr><td>&#x41;&nbsp;&eacute;<td>1&#160;234,5</table></html>";
    let document = one(text);
    let table = &section(&document, "A & B").tables[0];
    assert_eq!(table.columns, ["Name", "<1ms"]);
    assert_eq!(rows(table), [["A é", "1 234,5"]]);
}

#[test]
fn a_damaged_title_or_style_does_not_hide_the_report() {
    for name in FIXTURES {
        let text = fixture(name);
        let damaged = text
            .replace("</title>", "<title")
            .replace("</TITLE>", "<TITLE")
            .replace("</style>", "")
            .replace("</STYLE>", "");
        assert_eq!(documents(&damaged), documents(&text), "{name}");
    }
}

#[test]
fn a_cell_that_spans_more_than_a_table_can_have_asks_for_no_memory() {
    let mut text = String::from("<h3>Spans</h3><table>");
    for _ in 0..20_000 {
        text.push_str("<tr><td colspan=999999999 rowspan=999999999>text of a cell that is copied into every row below");
    }
    text.push_str("</table></html>");
    let document = one(&text);
    let spans = section(&document, "Spans");
    let table = &spans.tables[0];
    assert_eq!(table.columns.len(), 256);
    assert!(table.rows.iter().all(|row| row.cells.len() == 256));
    let cells = table.rows.len() * 256;
    assert!(cells < 400_000, "{cells} cells of 20,000");
    assert!(spans.notes.iter().any(|note| note.contains("rows left out")), "{:?}", spans.notes);
}

#[test]
fn rows_that_are_too_short_are_made_up_to_a_limit() {
    let mut text = String::from("<h3>Wide</h3><table><tr>");
    text.push_str(&"<th>x".repeat(300));
    text.push_str(&"<tr><td>1".repeat(50_000));
    text.push_str("</table></html>");
    let document = one(&text);
    let wide = section(&document, "Wide");
    assert_eq!(wide.tables[0].columns.len(), 256);
    assert!(wide.tables[0].rows.len() < 2_000);
    assert_eq!(wide.notes.len(), 1);
}

#[test]
fn tables_are_nested_only_so_deep() {
    let text = format!("<h3>Deep</h3>{}x</html>", "<table><tr><td>1".repeat(10_000));
    let document = one(&text);
    assert_eq!(section(&document, "Deep").tables.len(), 10_000);
}

/// Found by fuzzing: a damaged tag whose value is missing at the line's end.
#[test]
fn windows_line_ends_change_nothing_within_a_damaged_tag() {
    let page = "<h1>WORKLOAD REPOSITORY report for</h1><table summary=\n\"one\"><tr><th>A</th></tr><tr><td>1</td></tr></table>\n\
                <h3>Next</h3><table><tr><th>\"B\"</th></tr><tr><td>2</td></tr></table>";
    assert_eq!(documents(&page.replace('\n', "\r\n")), documents(page));
}
