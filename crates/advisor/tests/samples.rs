//! Real reports: a mask leaves no name and changes no finding; one window in two forms differs in nothing; all of them
//! in one run.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use advisor::files::{Options, analyze};
use report::input::{self, Content};
use serde_json::Value;

/// The folder of the samples, if it exists.
fn samples() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/samples");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: {} is not there", folder.display());
    None
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if path.extension().is_none_or(|end| end != "md") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn printed(paths: &[PathBuf], options: &Options) -> String {
    let mut out = Vec::new();
    analyze(paths, options, &mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

fn json(paths: &[PathBuf], mask: bool) -> Value {
    serde_json::from_str(&printed(paths, &Options { json: true, mask, ..Options::default() })).unwrap()
}

/// Names of a report that only its database has: long enough, and without words that reports use themselves.
fn names(path: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    // A table may be named with a word that stands in an event's name: "service".
    let mut events = String::new();
    let mut add = |name: &str| {
        let name = name.trim().to_lowercase();
        let own = ["sys", "system", "sysman", "dbsnmp", "public", "mdsys", "xdb", "unknown", "sqlplus"];
        if name.len() >= 5 && !own.contains(&name.as_str()) && !name.contains('$') && !name.starts_with("**") {
            names.insert(name);
        }
    };
    input::open(path, &mut |piece| {
        if let Content::Report(document) = piece.content {
            let report = report::read::report(&document);
            let identity = &report.identity;
            for name in
                [&identity.database, &identity.unique_name, &identity.instance, &identity.container, &report.host.name]
            {
                name.iter().for_each(|name| add(name));
            }
            for segment in report.segments.iter().flatten().flat_map(|section| &section.segments) {
                add(&segment.owner);
                add(&segment.object);
            }
            for line in report.sql.iter().flatten().flat_map(|section| &section.statements) {
                // A module may be named with a word that everybody uses: "service".
                let named = |module: &&String| module.contains(|c: char| !c.is_alphabetic());
                line.module.iter().filter(named).for_each(|module| add(module));
                add(&line.text);
                // And each word of it that is long enough to be a name.
                line.text
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
                    .filter(|word| word.contains('_'))
                    .for_each(&mut add);
            }
            for event in [&report.foreground_events, &report.background_events].into_iter().flatten().flatten() {
                events.push_str(&event.name.to_lowercase());
                events.push('\n');
            }
            for file in report.files.iter().flatten() {
                file.file.iter().for_each(|file| add(file));
            }
        }
        Ok(())
    })
    .unwrap();
    names.retain(|name| !is_there(&events, name));
    names
}

#[test]
fn no_name_of_a_real_report_survives_the_mask() {
    let Some(folder) = samples() else { return };
    let page = tempfile::NamedTempFile::new().unwrap();
    let mut seen_open = 0;
    for path in files(&folder) {
        let one = [path.clone()];
        let mut own = BTreeSet::new();
        keys(&json(&one, false), &mut own);
        let names: BTreeSet<String> = names(&path).difference(&own).cloned().collect();
        let mut texts = vec![printed(&one, &Options { json: true, mask: true, ..Options::default() })];
        texts.push(printed(&one, &Options { mask: true, html: Some(page.path().to_owned()), ..Options::default() }));
        texts.push(std::fs::read_to_string(page.path()).unwrap());
        let file = path.file_name().unwrap().to_string_lossy().to_lowercase();
        for text in texts.iter().map(|text| text.to_lowercase()) {
            assert!(!text.contains(&file), "the name of the file is in the masked output");
            let left: Vec<&String> = names.iter().filter(|name| is_there(&text, name)).collect();
            assert!(left.is_empty(), "{}: {left:?}", path.display());
        }
        let open = printed(&one, &Options { json: true, ..Options::default() }).to_lowercase();
        seen_open += names.iter().filter(|name| is_there(&open, name)).count();
    }
    assert!(seen_open > 0, "the names would not have been there without the mask either");
}

/// The names of fields: words of ours that columns may have too.
fn keys(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                found.insert(key.to_lowercase());
                keys(value, found);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// True: the name stands in the text as a whole word.
fn is_there(text: &str, name: &str) -> bool {
    let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '#'));
    text.match_indices(name)
        .any(|(at, _)| !word(text[..at].chars().next_back()) && !word(text[at + name.len()..].chars().next()))
}

#[test]
fn a_mask_changes_no_finding_of_a_real_report() {
    let Some(folder) = samples() else { return };
    for path in files(&folder) {
        let one = [path.clone()];
        let (open, masked) = (json(&one, false), json(&one, true));
        let told = |file: &Value| -> Vec<(Value, Value, Value)> {
            let list = file["files"][0]["findings"].as_array().unwrap();
            list.iter().map(|f| (f["id"].clone(), f["severity"].clone(), f["saving"]["low"].clone())).collect()
        };
        assert_eq!(told(&open), told(&masked), "{}", path.display());
        assert_eq!(open["files"][0]["figures"], masked["files"][0]["figures"], "{}", path.display());
        let ids = |file: &Value, part: &str| -> Vec<Value> {
            file["files"][0][part].as_array().unwrap().iter().map(|line| line["id"].clone()).collect()
        };
        assert_eq!(ids(&open, "ruled_out"), ids(&masked, "ruled_out"), "{}", path.display());
    }
}

#[test]
fn one_window_in_two_forms_is_no_difference() {
    let Some(folder) = samples() else { return };
    let forms =
        ["awr_text/top14_awr_1830_1845.txt", "awr_html/top14_awr_1830_1845.html", "statspack/top14_sp_1830_1845.txt"];
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let output = json(&[folder.join(forms[one]), folder.join(forms[other])], false);
        let comparison = &output["comparison"];
        let differences = comparison["differences"].as_array().unwrap();
        assert!(differences.len() > 20, "{}", differences.len());
        let exceeding: Vec<&Value> = differences.iter().filter(|line| line["exceeds_load"] == true).collect();
        assert!(exceeding.is_empty(), "{exceeding:#?}");
        for finding in comparison["findings"].as_array().unwrap() {
            assert!(finding["before"].is_object() && finding["after"].is_object(), "{finding}");
        }
    }
}

#[test]
fn all_samples_in_one_run() {
    let Some(folder) = samples() else { return };
    let mut said = Vec::new();
    let mut out = Vec::new();
    let options = Options { json: true, ..Options::default() };
    let outcome =
        analyze(std::slice::from_ref(&folder), &options, &mut out, &mut |line| said.push(line.to_owned())).unwrap();
    assert_eq!((outcome.analysed, outcome.failed), (files(&folder).len(), 0), "{said:#?}");
    assert_eq!(outcome.exit_code(), 0);
    let output: Value = serde_json::from_slice(&out).unwrap();
    let kinds: BTreeSet<&str> =
        output["files"].as_array().unwrap().iter().map(|file| file["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["statspack", "awr-text", "awr-html", "trace", "tkprof"]));
}
