//! `block-size` with a flame graph, on a twentieth of the rows: the stacks name the search for space.

use lab::block_size::pctfree::{Work, flamegraph};
use lab::{Options, Silent, reproduce};

fn options(path: &std::path::Path) -> Options {
    Options {
        scale: Some(0.05),
        repetitions: Some(1),
        part: Some("pctfree".to_owned()),
        flamegraph: Some(path.to_owned()),
        ..Options::default()
    }
}

#[test]
fn the_legacy_search_is_where_the_time_goes() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("update.svg");
    let report = reproduce("block-size", &Options { repetitions: Some(1), ..options(&path) }, &mut Silent).unwrap();
    let profile = &report.of::<Work>().unwrap().measured.rest.flame.as_ref().unwrap().profile;
    let searches = |name: &str| name.contains("bitmap_search");
    let functions = profile.functions(&flamegraph::CRATES);
    let searching = functions.iter().filter(|function| searches(&function.name)).map(|function| function.total).max();
    assert!(searching.unwrap() * 3 > profile.ticks(), "{functions:?}");
    let hottest = profile.hottest_stacks(20);
    assert!(hottest.iter().filter(|(stack, _)| searches(stack)).count() >= 10, "{hottest:#?}");
    // Stacks from before the update and of other threads are absent.
    assert!(!profile.collapsed().contains("dbms_stats"), "{}", profile.collapsed());
    let svg = std::fs::read_to_string(&path).unwrap();
    assert!(svg.contains("bitmap_search") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    let mut printed = Vec::new();
    lab::print::print(&report, &mut printed).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    assert!(printed.contains("where the time went") && printed.contains("bitmap_search"), "{printed}");
    let json = report.json();
    assert!(json["profile"]["functions"][0]["self"].as_u64().unwrap() > 0, "{json}");
    assert!(json["profile"]["path"].to_string().contains("bitmap_search"), "{json}");
}

#[test]
fn what_cannot_be_written_is_said_before_the_work() {
    let directory = tempfile::tempdir().unwrap();
    let error = |path: &std::path::Path| reproduce("block-size", &options(path), &mut Silent).unwrap_err();
    assert!(error(&directory.path().join("none/update.svg")).is_own(2));
    assert!(error(directory.path()).is_own(2));
    let path = directory.path().join("update.svg");
    for name in ["insert-gets", "freelists"] {
        assert!(
            reproduce(name, &Options { part: None, repetitions: None, ..options(&path) }, &mut Silent)
                .unwrap_err()
                .text
                .contains("--flamegraph")
        );
    }
    let part = Options { part: Some("multiblock".to_owned()), ..options(&path) };
    assert!(reproduce("block-size", &part, &mut Silent).is_err());
    assert!(!path.exists());
}
