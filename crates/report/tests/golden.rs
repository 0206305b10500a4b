//! The output, as text and as JSON, for a made-up trace of each release.
//!
//! `UPDATE_GOLDEN=1 cargo test -p report --test golden` rewrites the expected files; check the difference.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use report::profile::{self, ProfileOptions};
use report::tkprof::{self, Options, ReportJson};

fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} is not as expected:\n{text}");
}

fn golden(fixture: &str, expected: &str, words: &[&str]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture);
    let mut options = Options::default();
    words.iter().for_each(|word| options.apply(word).unwrap());
    let mut report = tkprof::summarise(std::fs::File::open(path).unwrap(), &options).unwrap();
    report.name = Some(fixture.to_owned());
    let mut out = Vec::new();
    tkprof::print(&report, &options, &mut out).unwrap();
    check(&format!("{expected}.txt"), &String::from_utf8(out).unwrap());
    let json = tkprof::json(&report, &options);
    let text = serde_json::to_string_pretty(&json).unwrap();
    assert_eq!(serde_json::from_str::<ReportJson>(&text).unwrap(), json);
    check(&format!("{expected}.json"), &format!("{text}\n"));
}

/// The sections of the profile.
fn golden_profile(fixture: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture);
    let profile = profile::read(std::fs::File::open(path).unwrap(), &Options::default()).unwrap();
    let options = ProfileOptions::default();
    let mut out = Vec::new();
    profile::print(&profile, &options, &mut out).unwrap();
    check(&format!("{expected}.txt"), &String::from_utf8(out).unwrap());
    let mut json = tkprof::json(&profile.summary, &Options::default());
    json.profile = Some(profile::json(&profile, &options));
    // Not through text: its floating point numbers lose their last digit there.
    let value = serde_json::to_value(&json).unwrap();
    assert_eq!(serde_json::from_value::<ReportJson>(value).unwrap(), json);
    let text = serde_json::to_string_pretty(&json.profile).unwrap();
    check(&format!("{expected}.json"), &format!("{text}\n"));
}

#[test]
fn profile_of_8i_whose_waits_have_no_time() {
    golden_profile("8i.trc", "8i-profile");
}

#[test]
fn profile_of_two_sessions_of_10g_in_units_of_1024_ns() {
    golden_profile("10g.trc", "10g-profile");
}

#[test]
fn profile_of_recursion_in_11g() {
    golden_profile("11g.trc", "11g-profile");
}

#[test]
fn profile_of_a_cut_23ai() {
    golden_profile("23ai.trc", "23ai-profile");
}

#[test]
fn centiseconds_of_8i() {
    golden("8i.trc", "8i", &[]);
}

#[test]
fn errors_of_9i() {
    golden("9i.trc", "9i", &[]);
}

#[test]
fn two_sessions_and_a_cursor_without_text_of_10g() {
    golden("10g.trc", "10g", &[]);
}

#[test]
fn recursion_and_captured_plans_of_11g() {
    golden("11g.trc", "11g", &[]);
}

#[test]
fn recursion_left_in() {
    golden("11g.trc", "11g-inclusive", &["inclusive=yes", "sort=execpu", "print=2", "waits=no"]);
}

#[test]
fn cuts_and_garbage_of_23ai() {
    golden("23ai.trc", "23ai", &[]);
}
