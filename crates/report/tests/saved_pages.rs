//! AWR pages saved as text by a browser: page and text have the same content.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test")]

use std::path::Path;

use report::grid::{html, text};
use report::model::{Kind, Report, SectionState};

/// The text of a page as browsers write it: a row a line with something between its cells, headings, notes and links as
/// lines of their own. Knows what such pages hold, and no more.
fn saved(page: &str, between: &str, blank_lines: bool) -> String {
    let mut text = String::new();
    let mut line = String::new();
    let mut cells: Vec<String> = Vec::new();
    let (mut in_cell, mut hidden) = (false, false);
    for part in page.split('<').skip(1) {
        let (tag, words) = part.split_once('>').unwrap();
        let closes = tag.starts_with('/');
        let name = tag.trim_start_matches('/').split([' ', '\n', '\r']).next().unwrap().to_ascii_lowercase();
        match name.as_str() {
            "style" | "script" | "title" => hidden = !closes,
            // The ends of cells and rows are often left out.
            "td" | "th" | "tr" | "table" => {
                if in_cell {
                    cells.push(folded(&std::mem::take(&mut line)));
                }
                if matches!(name.as_str(), "tr" | "table") && !cells.is_empty() {
                    text.push_str(&cells.join(between));
                    text.push('\n');
                    cells.clear();
                }
                if name == "table" {
                    end(&mut line, &mut text);
                    text.push_str(if blank_lines { "\n" } else { "" });
                }
                in_cell = !closes && matches!(name.as_str(), "td" | "th");
            }
            "h1" | "h2" | "h3" | "p" | "li" | "ul" | "br" | "div" | "pre" | "html" if in_cell => line.push(' '),
            "h1" | "h2" | "h3" | "p" | "li" | "ul" | "br" | "div" | "pre" | "html" => end(&mut line, &mut text),
            _ => {}
        }
        if !hidden {
            line.push_str(&entities(words));
        }
    }
    end(&mut line, &mut text);
    text
}

fn folded(words: &str) -> String {
    words.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

fn end(line: &mut String, text: &mut String) {
    let words = folded(&std::mem::take(line));
    if !words.is_empty() {
        text.push_str(&words);
        text.push('\n');
    }
}

fn entities(words: &str) -> String {
    [
        ("&#160;", "\u{a0}"),
        ("&nbsp;", "\u{a0}"),
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ]
    .iter()
    .fold(words.to_owned(), |words, (entity, character)| words.replace(entity, character))
}

fn read(page: &str, text: &str) -> (Report, Report) {
    let (page, text) = (html::documents(page), text::documents(text));
    assert_eq!((page.len(), text.len()), (1, 1));
    assert_eq!(text[0].kind, Kind::AwrHtml);
    (report::read::report(&page[0]), report::read::report(&text[0]))
}

/// Lists of the model, line by line.
fn same_lines<T: PartialEq + std::fmt::Debug>(text: &Option<Vec<T>>, page: &Option<Vec<T>>) {
    let (text, page) = (text.as_deref().unwrap_or_default(), page.as_deref().unwrap_or_default());
    for (text, page) in text.iter().zip(page) {
        assert_eq!(text, page);
    }
    assert_eq!(text.len(), page.len());
}

fn same(page: &Report, text: &Report) {
    assert_eq!(text.identity, page.identity);
    assert_eq!(text.window, page.window);
    assert_eq!(text.host, page.host);
    assert_eq!(text.caches, page.caches);
    assert_eq!(text.efficiencies, page.efficiencies);
    same_lines(&text.load_profile, &page.load_profile);
    same_lines(&text.memory, &page.memory);
    same_lines(&text.time_model, &page.time_model);
    same_lines(&text.top_events, &page.top_events);
    same_lines(&text.foreground_events, &page.foreground_events);
    same_lines(&text.background_events, &page.background_events);
    same_lines(&text.all_events, &page.all_events);
    same_lines(&text.wait_classes, &page.wait_classes);
    same_lines(&text.all_wait_classes, &page.all_wait_classes);
    same_lines(&text.histograms, &page.histograms);
    let statements = |report: &Report| {
        let sections = report.sql.iter().flatten();
        let all = sections.flat_map(|section| {
            section.statements.iter().cloned().map(|mut statement| {
                statement.text = folded(&statement.text);
                (section.order, section.captured_percent, statement)
            })
        });
        Some(all.collect::<Vec<_>>())
    };
    same_lines(&statements(text), &statements(page));
    same_lines(&text.statistics, &page.statistics);
    same_lines(&text.absolute_statistics, &page.absolute_statistics);
    same_lines(&text.thread_activity, &page.thread_activity);
    same_lines(&text.tablespaces, &page.tablespaces);
    same_lines(&text.files, &page.files);
    same_lines(&text.buffer_waits, &page.buffer_waits);
    same_lines(&text.enqueues, &page.enqueues);
    same_lines(&text.segments, &page.segments);
    same_lines(&text.parameters, &page.parameters);
    // Every section that was read from the page was read from the text.
    let read = |report: &Report| -> Vec<String> {
        // Of a cluster's own sections any figure is taken, and the text does not show how far groups of columns reach.
        let cluster = |title: &str| title.starts_with("Global ") || title.starts_with("Interconnect ");
        let seen = report.sections.iter().filter(|section| section.state == SectionState::Read);
        let seen = seen.filter(|section| !cluster(&section.title));
        seen.map(|section| section.title.clone()).collect()
    };
    same_lines(&Some(read(text)), &Some(read(page)));
    let warnings = |report: &Report| -> Vec<String> {
        // Some made-up pages lack their last line, and text has no other sign of its end.
        report.warnings.iter().filter(|warning| !warning.contains("cut")).cloned().collect()
    };
    assert_eq!(warnings(text), warnings(page));
}

fn check(path: &Path) {
    let Ok(page) = std::fs::read_to_string(path) else {
        println!("skipped: {} is not there", path.display());
        return;
    };
    for (between, blank_lines) in [("\t", true), ("\t", false), (" | ", true), (" | ", false)] {
        let text = saved(&page, between, blank_lines);
        if let Ok(place) = std::env::var("SAVED") {
            std::fs::write(place, &text).unwrap();
        }
        let (page, text) = read(&page, &text);
        same(&page, &text);
    }
}

#[test]
fn real_pages() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples/awr_html");
    for name in ["top14_awr_1830_1845.html", "kevinc_awr.html", "pcam_awrrpt_1_18175_18176.html"] {
        println!("{name}");
        check(&samples.join(name));
    }
}

#[test]
fn made_up_pages() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/awr");
    for name in ["10g.html", "11g_rac.html", "18c_pdb.html", "19c_exadata.html", "23ai_global.html"] {
        println!("{name}");
        check(&fixtures.join(name));
    }
}

#[test]
fn losses_of_a_copy_are_reported() {
    let head = "WORKLOAD REPOSITORY report for\nDB Name\tDB Id\tInstance\tInst num\tRelease\tRAC\nSHOP\t1029384756\tshop1\t1\t19.0.0.0.0\tNO\n\
        \tSnap Id\tSnap Time\tSessions\nBegin Snap:\t10\t01-Mar-23 10:00:00\t50\nEnd Snap:\t11\t01-Mar-23 11:00:00\t51\n\
        Elapsed:\t\t60.00 (mins)\t\nDB Time:\t\t552.55 (mins)\t\n";
    let events = "Foreground Wait Events\nmade up note\nEvent\tWaits\tTotal Wait Time (s)\n\
        db file sequential read\t520,207\t4,568\nBack to Top\n";
    let lost = "Time Model Statistics\nOrdered by statistic name\nStatistic Name Time (s) % of DB Time\nDB CPU 4,737.01 14.29\nBack to Top\n";
    let of = |page: &str| {
        let documents = text::documents(page);
        assert_eq!(documents.len(), 1);
        report::read::report(&documents[0])
    };
    let report = of(&format!("{head}{events}{lost}End of Report\n"));
    assert_eq!(report.window.elapsed_s, Some(3600.0));
    assert_eq!(report.window.db_time_s, Some(552.55 * 60.0));
    assert_eq!(report.foreground_events.as_ref().unwrap().len(), 1);
    assert_eq!(
        report.warnings,
        [
            "line 14: Time Model Statistics: no table was found under it",
            "not found in the report: instance activity, statements"
        ]
    );
    let report = of(&format!("{head}{events}End of Report\n"));
    assert_eq!(report.warnings, ["not found in the report: time model, instance activity, statements"]);

    // Nothing stands between the cells: only their words are left.
    let report = of(&format!("{head}{events}{lost}End of Report\n").replace('\t', " "));
    assert_eq!(report.warnings.len(), 1);
    assert!(report.warnings[0].starts_with("hardly anything of the report could be read"), "{:?}", report.warnings);
}

#[test]
fn dashes_of_statements_and_stars_are_no_rulers_and_no_lists() {
    let mut page = String::from(
        "WORKLOAD REPOSITORY report for\n| Snap Id | Snap Time | Sessions |\nBegin Snap: | 10 | 01-Mar-13 10:00:00 | 50 |\n\
         Complete List of SQL Text\nSQL Id | SQL Text |\n",
    );
    for number in 0..20 {
        page.push_str(&format!(
            "made{number:09} | select {number} from till\n-----------------------------\n  || 'a' |\n"
        ));
    }
    page.push_str("Segments by Logical Reads\nOwner | Tablespace Name | Object Name | Subobject Name | Obj. Type | Logical Reads | %Total |\n");
    page.push_str("** MISSING ** | TEMP | ** MISSING: 1/2 | ** MISSING ** | UNDEFINED | 27 | 0.01 |\nEnd of Report\n");
    let documents = text::documents(&page);
    let report = report::read::report(&documents[0]);
    assert_eq!(report.window.begin.id, Some(10));
    assert_eq!(documents[0].sections[1].tables[0].rows.len(), 20);
    assert_eq!(
        documents[0].sections[1].tables[0].rows[3].cells[1],
        "select 3 from till ----------------------------- || 'a'"
    );
    assert_eq!(report.segments.unwrap()[0].segments[0].owner, "** MISSING **");
}
