//! HTML written in any style reads back unchanged; HTML damaged at random gives no panic, sound tables and memory in
//! proportion to its size.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;
use report::grid::html::documents;

/// The style of a page: releases differ in all of these.
#[derive(Clone, Copy, Debug)]
struct Style {
    upper: bool,
    close_cells: bool,
    close_rows: bool,
    crlf: bool,
    summary: bool,
    /// A cell's text stands on lines of its own.
    broken: bool,
}

fn style() -> impl Strategy<Value = Style> {
    any::<[bool; 6]>().prop_map(|[upper, close_cells, close_rows, crlf, summary, broken]| Style {
        upper,
        close_cells,
        close_rows,
        crlf,
        summary,
        broken,
    })
}

#[derive(Clone, Debug)]
struct Meant {
    title: String,
    /// Column names, some under a common title.
    groups: Vec<(Option<String>, Vec<String>)>,
    rows: Vec<Vec<String>>,
    notes: Vec<String>,
}

/// Words with what HTML must replace; never only white space, which would be no text.
fn words() -> impl Strategy<Value = String> {
    "[A-Za-z0-9%#.,:()/<>&'\"*é-]{1,12}( [A-Za-z0-9<>&;-]{1,8}){0,2}"
}

fn meant() -> impl Strategy<Value = Meant> {
    let groups =
        proptest::collection::vec((proptest::option::of(words()), proptest::collection::vec(words(), 1..4)), 1..4);
    (words(), groups, proptest::collection::vec(words(), 0..3)).prop_flat_map(|(title, groups, notes)| {
        let width = groups.iter().map(|(_, names)| names.len()).sum::<usize>();
        // The first cell has a text: a row without any is not kept to have one.
        let row = (words(), proptest::collection::vec(prop_oneof![2 => words(), 1 => Just(String::new())], width - 1))
            .prop_map(|(first, mut rest)| {
                rest.insert(0, first);
                rest
            });
        proptest::collection::vec(row, 0..6).prop_map(move |rows| Meant {
            title: format!("Section {title}"),
            groups: groups.clone(),
            rows,
            notes: notes.clone(),
        })
    })
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn write(sections: &[Meant], style: Style) -> String {
    let mut page = String::from(
        "<html><head><title>AWR Report</title></head><body>\n<h1>\nWORKLOAD REPOSITORY report for\n</h1>\n",
    );
    let cell = |page: &mut String, tag: &str, attributes: &str, text: &str| {
        let text = if text.is_empty() { "&#160;".to_owned() } else { escaped(text) };
        let text = if style.broken { format!("\n{text}\n") } else { text };
        write!(page, "<{tag}{attributes}>{text}").unwrap();
        if style.close_cells {
            write!(page, "</{tag}>").unwrap();
        }
    };
    for meant in sections {
        write!(page, "<h3 class=\"awr\">{}</h3>\n<ul>\n", escaped(&meant.title)).unwrap();
        for note in &meant.notes {
            writeln!(page, "<li class=\"awr\"> {} </li>", escaped(note)).unwrap();
        }
        page.push_str("</ul>\n<table border=\"1\"");
        if style.summary {
            write!(page, " summary=\"{}\"", escaped(&meant.title)).unwrap();
        }
        page.push('>');
        let close = if style.close_rows { "</tr>\n" } else { "\n" };
        let grouped = meant.groups.iter().any(|(group, _)| group.is_some());
        if grouped {
            page.push_str("<tr>\n");
            for (group, names) in &meant.groups {
                match group {
                    Some(group) => cell(&mut page, "th", &format!(" colspan=\" {}\" id=\"x\"", names.len()), group),
                    None => names.iter().for_each(|_| cell(&mut page, "td", "", "")),
                }
            }
            page.push_str(close);
        }
        page.push_str("<tr>");
        for name in meant.groups.iter().flat_map(|(_, names)| names) {
            cell(&mut page, "th", " class='awrbg' scope=\"col\"", name);
        }
        page.push_str(close);
        for row in &meant.rows {
            page.push_str("<tr>");
            row.iter().for_each(|text| cell(&mut page, "td", " align=\"right\" class='awrc'", text));
            page.push_str(close);
        }
        page.push_str("</table><p />\n<a class=\"awr\" href=\"#top\">Back to Top</a><p />\n");
    }
    page.push_str("End of Report\n</body></html>\n");
    if style.upper {
        for tag in ["table", "tr", "td", "th", "h1", "h3", "li", "ul", "p", "a"] {
            for open in ["<", "</"] {
                for end in [" ", ">"] {
                    page = page.replace(&format!("{open}{tag}{end}"), &format!("{open}{}{end}", tag.to_uppercase()));
                }
            }
        }
    }
    if style.crlf {
        page = page.replace('\n', "\r\n");
    }
    page
}

/// Invariants of any page, however damaged.
fn sound(page: &str) {
    let lines = page.matches('\n').count() + 1;
    let cells_printed = page.match_indices("<").count();
    let mut cells = 0;
    for document in documents(page) {
        let mut line = 0;
        for section in &document.sections {
            assert!(section.line <= lines);
            assert!(section.line >= line, "{} {}", section.line, section.title);
            line = section.line;
            for table in &section.tables {
                assert!(table.columns.len() <= 256);
                let mut line = 0;
                for row in &table.rows {
                    assert_eq!(row.cells.len(), table.columns.len());
                    assert!(row.line >= line && row.line <= lines && row.line > 0);
                    line = row.line;
                    cells += row.cells.len();
                    assert!(row.cells.iter().all(|cell| cell.trim() == cell));
                }
            }
        }
    }
    assert!(cells <= 100_000 + 5 * cells_printed, "{cells} cells of {cells_printed} tags");
}

const FIXTURES: [&str; 5] = ["10g", "11g_rac", "18c_pdb", "19c_exadata", "23ai_global"];

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/awr");
    std::fs::read_to_string(folder.join(format!("{name}.html"))).unwrap()
}

#[derive(Clone, Debug)]
enum Damage {
    Remove { at: usize, length: usize },
    Repeat { at: usize, length: usize, times: usize },
    Insert { at: usize, text: String },
    CutAt(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0..100_000usize;
    let pieces = &[
        "<",
        ">",
        "</",
        "\"",
        "'",
        "&",
        "&#",
        "&#160",
        "&#xffffffff;",
        "<!--",
        "-->",
        "<![CDATA[",
        "<table>",
        "</table>",
        "<tr>",
        "</tr>",
        "<td>",
        "<td colspan=200>",
        "<td rowspan=200>",
        "<th rowspan=9 colspan=300>x",
        "</td>",
        "<th>",
        "<h3>",
        "</h3>",
        "<h1>WORKLOAD REPOSITORY report for</h1>",
        "<pre>",
        "</pre>",
        "<li>",
        "<ul>",
        "<a href=x>",
        "</a>",
        "<script>",
        "</script>",
        "<title>",
        "<style>",
        "<textarea>",
        "<plaintext>",
        "<html>",
        "</html>",
        "<body>",
        "\0",
        "\r",
        "\u{a0}",
        "é",
        "End of Report",
        "No data exists for this section of the report.",
        "<p/>Load Profile<p/>",
        "<svg>",
        "<?x",
        "<!DOCTYPE html>",
    ][..];
    let text = prop_oneof![4 => proptest::sample::select(pieces).prop_map(str::to_owned), 1 => ".{1,12}"];
    prop_oneof![
        3 => (at.clone(), 1..300usize).prop_map(|(at, length)| Damage::Remove { at, length }),
        2 => (at.clone(), 1..400usize, 1..30usize).prop_map(|(at, length, times)| Damage::Repeat { at, length, times }),
        5 => (at.clone(), text).prop_map(|(at, text)| Damage::Insert { at, text }),
        1 => at.prop_map(Damage::CutAt),
    ]
}

fn apply(page: &mut String, damage: Damage) {
    let place = |at: usize| {
        let mut at = at % (page.len() + 1);
        while !page.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    match damage {
        Damage::Remove { at, length } => {
            let (from, to) = (place(at), place((at % (page.len() + 1) + length).min(page.len())));
            page.replace_range(from..to.max(from), "");
        }
        Damage::Repeat { at, length, times } => {
            let (from, to) = (place(at), place((at % (page.len() + 1) + length).min(page.len())));
            let piece = page[from..to.max(from)].repeat(times);
            page.insert_str(to.max(from), &piece);
        }
        Damage::Insert { at, text } => {
            let at = place(at);
            page.insert_str(at, &text);
        }
        Damage::CutAt(at) => {
            let at = place(at);
            page.truncate(at);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn html_of_any_style_reads_back(sections in proptest::collection::vec(meant(), 1..4), style in style()) {
        let page = write(&sections, style);
        sound(&page);
        let found = documents(&page);
        prop_assert_eq!(found.len(), 1);
        prop_assert!(!found[0].cut);
        let read = &found[0].sections[1..];
        prop_assert_eq!(read.len(), sections.len());
        for (read, meant) in read.iter().zip(&sections) {
            prop_assert_eq!(&read.title, &meant.title);
            prop_assert_eq!(&read.notes, &meant.notes);
            prop_assert_eq!(read.tables.len(), 1);
            let table = &read.tables[0];
            let names: Vec<String> = meant.groups.iter().flat_map(|(group, names)| names.iter().map(move |name| match group {
                // A name that only repeats its group's is not said twice.
                Some(group) if group != name => format!("{group} {name}"),
                _ => name.clone(),
            })).collect();
            prop_assert_eq!(&table.columns, &names);
            let cells: Vec<&Vec<String>> = table.rows.iter().map(|row| &row.cells).collect();
            prop_assert_eq!(cells, meant.rows.iter().collect::<Vec<_>>());
            prop_assert_eq!(&table.caption, if style.summary { &meant.title } else { "" });
        }
    }

    #[test]
    fn damage_gives_no_panic_and_sound_tables(
        name in proptest::sample::select(&FIXTURES[..]),
        damages in proptest::collection::vec(damage(), 1..12),
    ) {
        let mut page = fixture(name);
        damages.into_iter().for_each(|damage| apply(&mut page, damage));
        sound(&page);
    }

    #[test]
    fn any_text_gives_no_panic(page in "(<?/?(t[dhr]|table|h[13]|li|pre|a href=x)?>?[ -~\n\r\u{a0}é]{0,3}){0,60}") {
        sound(&page);
    }
}
