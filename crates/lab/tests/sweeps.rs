//! A sweep of the experiment `freelists`, small: its CSV, its page and its JSON.

#![expect(clippy::unwrap_used, reason = "a test")]

use lab::experiment::sweep::Sweep;
use lab::freelists::measured::Run;
use lab::freelists::setting::SESSIONS;
use lab::freelists::{DECLARATION, Work};
use lab::{Options, Silent, experiment};

/// A second, once.
fn options() -> Options {
    Options { minutes: Some(1.0 / 60.0), repetitions: Some(1), ..Options::default() }
}

fn swept() -> Sweep<Work> {
    DECLARATION.run_sweep(&options().with("freelists", &[2]).with("sessions", &[1, 3]), &mut Silent).unwrap()
}

/// Every element is closed, in the order in which they were opened.
fn check_elements(page: &str) {
    const EMPTY: [&str; 2] = ["meta", "!DOCTYPE"];
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page;
    while let Some((_, tail)) = rest.split_once('<') {
        let (tag, after) = tail.split_once('>').unwrap();
        rest = after;
        let name = tag.trim_start_matches('/').split([' ', '\n', '/']).next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if name == "style" {
            rest = rest.split_once("</style>").unwrap().1;
        } else if !tag.ends_with('/') && !EMPTY.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_sweep_becomes_csv_a_page_and_json() {
    let sweep = swept();
    assert_eq!(sweep.points.len(), 4);
    let sessions: Vec<u32> = sweep.points.iter().map(|point| point.setting.number(&SESSIONS)).collect();
    assert_eq!(sessions, [1, 1, 3, 3]);
    for point in &sweep.points {
        assert_eq!(point.runs.len(), 1);
        assert_eq!(point.runs[0].processes.len(), point.setting.number(&SESSIONS) as usize);
        assert!(point.estimate(Run::transactions_per_s).unwrap().median > 0.0);
    }

    let report = sweep.report().unwrap();
    let mut reader = csv::Reader::from_reader(&report.csv[..]);
    let head = reader.headers().unwrap().clone();
    let column = |name: &str| head.iter().position(|found| found == name).unwrap_or_else(|| panic!("{name}: {head:?}"));
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), 4);
    let freelists: Vec<&str> = rows.iter().map(|row| &row[column("freelists")]).collect();
    assert_eq!(freelists, ["2", "", "2", ""]);
    for row in &rows {
        assert!(row[column("transactions_per_s")].parse::<f64>().unwrap() > 0.0);
        row[column("waits: data block")].parse::<u64>().unwrap();
    }

    let page = &report.page;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"), "{}", &page[..40]);
    check_elements(page);
    assert_eq!(page.matches("<svg ").count(), 3, "a chart for each figure");
    assert!(page.contains("manual, freelists 2") && page.contains("seed 1"));
    for outside in ["http://", "https://", "src=", "@import", "url(", "<script", "<link"] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(outside), "the page needs {outside}");
    }

    let json = &report.json;
    assert_eq!(json["sweep"].as_array().unwrap().len(), 4);
    assert_eq!((&json["sweep"][0]["freelists"], &json["sweep"][1]["freelists"]), (&2.into(), &().into()));
    let text = String::from_utf8(report.printed).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
    assert!(text.contains("auto"));
}

#[test]
fn each_factor_has_its_sweep_on_one_page() {
    let options = options()
        .with("freelists", &[2])
        .with("freelist-groups", &[1, 2])
        .with("initrans", &[1, 3])
        .with("pctused", &[30])
        .with("index-freelists", &[1, 2])
        .with("sessions", &[2]);
    let sweep = DECLARATION.run_sweep(&options, &mut Silent).unwrap();
    let report = sweep.report().unwrap();
    let mut reader = csv::Reader::from_reader(&report.csv[..]);
    let head = reader.headers().unwrap().clone();
    let columns = ["management", "freelists", "freelist_groups", "initrans", "pctused", "index_freelists"];
    let places = columns.map(|name| head.iter().position(|found| found == name).unwrap());
    let rows: Vec<String> =
        reader.records().map(|row| row.unwrap()).map(|row| places.map(|place| &row[place]).join(" ")).collect();
    let expected = [
        "manual 2 1 1 30 1",
        "manual 2 1 1 30 2",
        "manual 2 1 3 30 1",
        "manual 2 2 1 30 1",
        "auto   1  ",
        "auto   3  ",
    ];
    assert_eq!(rows, expected);
    let page = &report.page;
    check_elements(page);
    for swept in ["Over FREELIST GROUPS", "Over INITRANS", "Over FREELISTS of the index"] {
        assert!(page.contains(swept), "{swept}");
    }
    assert_eq!(page.matches("<svg ").count(), 9, "a chart for each figure of each sweep");
    // With freelist groups and no more lists than sessions, the blocks of groups are got; without groups there are
    // none.
    let gets = |at: usize| sweep.points[at].runs[0].freelist_gets;
    assert!(gets(3) > 0 && gets(0) == 0, "{} {}", gets(3), gets(0));
}

#[test]
fn what_cannot_be_is_refused() {
    for (option, value) in [
        ("freelists", 0),
        ("freelists", 102),
        ("initrans", 0),
        ("pctused", 91),
        ("freelist-groups", 101),
        ("index-freelists", 0),
        ("sessions", 0),
        ("sessions", 2_000),
    ] {
        let options = Options::default().with(option, &[value]);
        let error = experiment("freelists").unwrap().check_sweep(&options).unwrap_err();
        assert!(error.text.contains(&format!(", not {value}")), "{error}");
    }
}
