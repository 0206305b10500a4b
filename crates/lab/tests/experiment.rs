//! `insert-gets` from end to end on a hundredth of the rows: every statement runs through SQL, and the expectations
//! that must not depend on size hold.

#![expect(clippy::unwrap_used, reason = "a test")]

use lab::insert_gets::{Comparison, Work};
use lab::progress::Steps;
use lab::source::SourceName;
use lab::{Options, Reproduction, Silent, reproduce};

fn holds(report: &Reproduction, id: &str) -> Option<bool> {
    report.expectations.iter().find(|e| e.id == id).unwrap().holds
}

fn found(report: &Reproduction) -> &Comparison {
    report.of::<Work>().unwrap()
}

#[test]
fn a_hundredth_of_the_rows() {
    let data = tempfile::tempdir().unwrap();
    let options = Options { scale: Some(0.01), data: Some(data.path().join("d")), ..Options::default() };
    let mut lines = Vec::new();
    let report = reproduce("insert-gets", &options, &mut Steps(&mut lines)).unwrap();

    let rows = found(&report).measured.rest.source.rows;
    assert_eq!(rows, 6 * 506);
    for arm in found(&report).runs().unwrap() {
        for id in ["first_insert", "second_insert", "indexed_insert"] {
            let statement = arm.statement(id).unwrap();
            assert_eq!(statement.rows, rows, "{id}");
            assert!(statement.figures.current > 0 && statement.figures.query > 0, "{statement:?}");
            assert!(statement.tkprof.is_some(), "{id} is not in the trace");
        }
        assert_eq!(arm.index.distinct_keys, 506);
        assert!(arm.index.leaf_blocks > 0 && arm.index.clustering_factor > 0, "{:?}", arm.index);
        assert_eq!(arm.table_extents.iter().sum::<u64>(), arm.segments.table);
    }
    assert_eq!(holds(&report, "gets_add_up"), Some(true), "{:?}", report.expectations);
    let clustering = &found(&report).measured.rest.clustering;
    assert_eq!(clustering.cases.len(), 3);
    assert!(report.passed(), "{:?}", report.expectations);

    // The traces stay beside the data.
    let traces: Vec<&String> = report.notes.iter().filter(|note| note.starts_with("trace of the")).collect();
    assert_eq!(traces.len(), 2, "{:?}", report.notes);
    let text = String::from_utf8(lines).unwrap();
    assert!(text.contains("manual: first insert") && text.contains("auto: create index"), "{text}");

    // A directory with a database in it is not written over.
    assert!(reproduce("insert-gets", &options, &mut Silent).is_err());
}

#[test]
fn other_data() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("parts.csv");
    let mut text = "name,part,made\n".to_owned();
    for number in 0..2_000 {
        text.push_str(&format!("part number {number},{number},2008-08-{:02}\n", number % 28 + 1));
    }
    std::fs::write(&file, text).unwrap();
    let options = Options { source: Some(SourceName::File(file)), ..Options::default() };
    let report = reproduce("insert-gets", &options, &mut Silent).unwrap();
    assert_eq!(found(&report).measured.rest.source.key, "PART");
    assert_eq!(found(&report).runs().unwrap()[0].statement("indexed_insert").unwrap().rows, 2_000);
    assert_eq!(found(&report).runs().unwrap()[1].index.distinct_keys, 2_000);
    assert_ne!(holds(&report, "table_sizes"), Some(false), "{:?}", report.expectations);
    assert_eq!(holds(&report, "gets_add_up"), Some(true), "{:?}", report.expectations);
}

#[test]
fn unknown_names_are_refused() {
    assert!(reproduce("no-such", &Options::default(), &mut Silent).is_err());
    assert!(reproduce("insert-gets", &Options { scale: Some(0.0), ..Options::default() }, &mut Silent).is_err());
    // An option of another experiment is not passed over.
    let options = Options { minutes: Some(1.0), ..Options::default() };
    assert!(reproduce("insert-gets", &options, &mut Silent).unwrap_err().text.contains("--minutes"));
    let options = Options { source: Some(SourceName::Lineitem), ..Options::default() };
    assert!(reproduce("freelists", &options, &mut Silent).unwrap_err().text.contains("--source"));
    assert!("tpch:orders".parse::<SourceName>().is_err());
    assert_eq!("tpch:lineitem".parse::<SourceName>().unwrap(), SourceName::Lineitem);
}
