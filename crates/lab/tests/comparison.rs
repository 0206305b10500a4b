//! Printing and judging, with made-up measured figures: the printed report, and a check that no expectation holds by
//! itself.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use common::Result;
use lab::clustering::{Clustering, ClusteringCase};
use lab::experiment::expectation::Expectation;
use lab::experiment::measured;
use lab::index::IndexFigures;
use lab::insert_gets::measured::{ClassGets, Rest, Run, Source, Statement};
use lab::insert_gets::paper::{Figure, Figures, SegmentBlocks};
use lab::insert_gets::{Comparison, DECLARATION, arms};
use lab::print::print;
use lab::{Options, Reproduction};

/// The figures of both arms, and those that no arm has.
#[derive(Clone)]
struct Measured {
    source: Source,
    manual: Run,
    auto: Run,
    clustering: Clustering,
}

fn compare(measured: &Measured) -> Comparison {
    let Measured { source, manual, auto, clustering } = measured.clone();
    let arm = |(setting, run)| measured::Arm { setting, runs: vec![run] };
    DECLARATION
        .compare(measured::Measured {
            plan: DECLARATION.plan(&Options::default()).unwrap(),
            arms: arms().into_iter().zip([manual, auto]).map(arm).collect(),
            rest: Rest { source, clustering },
        })
        .unwrap()
}

fn statement(id: &str, rows: u64, gets: &[(&str, u64, u64)]) -> Statement {
    let gets: Vec<ClassGets> = gets
        .iter()
        .map(|(class, query, current)| ClassGets { class: (*class).to_owned(), query: *query, current: *current })
        .collect();
    let figures = Figures {
        query: gets.iter().map(|g| g.query).sum(),
        current: gets.iter().map(|g| g.current).sum(),
        disk: 7,
        cpu_s: 0.25,
        elapsed_s: 0.5,
    };
    let segment_gets = gets.iter().map(|g| g.query + g.current).sum();
    let scanned_blocks: u64 = gets.iter().filter(|g| g.class == "data block").map(|g| g.query).sum();
    // The indexed insert looks at branches as they are.
    let examinations = if id == "indexed_insert" { scanned_blocks / 3 } else { 0 };
    Statement {
        id: id.to_owned(),
        sql: format!("/* {id} */"),
        rows,
        figures,
        gets,
        segment_gets,
        consistent_reads: scanned_blocks - examinations,
        examinations,
        scanned_blocks,
        tkprof: Some(figures),
    }
}

fn arm(bitmap: u64, index: u64) -> Run {
    let insert = |id: &str| {
        statement(
            id,
            303_666,
            &[("data block", 4_192, 10_000), ("segment header", 1, 500), ("1st level bmb", 0, bitmap)],
        )
    };
    Run {
        statements: vec![
            statement("source_scan", 1, &[("data block", 4_192, 0), ("segment header", 1, 0)]),
            insert("first_insert"),
            insert("second_insert"),
            statement("create_index", 0, &[("data block", 8_400, 0), ("segment header", 3, 40)]),
            insert("indexed_insert"),
        ],
        segments: SegmentBlocks { table: 13_312, index },
        table_extents: std::iter::repeat_n(8, 16).chain(std::iter::repeat_n(128, 63)).chain([1024; 5]).collect(),
        index: IndexFigures {
            blevel: 2,
            leaf_blocks: 2_500,
            distinct_keys: 50_611,
            clustering_factor: 600_000,
            num_rows: 910_998,
        },
    }
}

fn case(name: &str, clustering_factor: u64) -> ClusteringCase {
    ClusteringCase { name: name.to_owned(), clustering_factor, blocks: 900, buffer_busy_waits: 12, elapsed_s: 1.5 }
}

/// Figures with which everything holds.
fn measured() -> Measured {
    Measured {
        source: Source {
            description: "made up".to_owned(),
            rows: 303_666,
            blocks: 4_192,
            key: "OBJECT_ID".to_owned(),
            published_shape: true,
            fitted: Some("in this test"),
        },
        manual: arm(0, 2_688),
        auto: arm(6_000, 2_816),
        clustering: Clustering {
            sessions: 5,
            rows: 100_000,
            cases: vec![
                case(Clustering::ONE_FREELIST, 1_000),
                case("manual, freelists 5", 50_000),
                case(Clustering::BITMAPS, 60_000),
            ],
        },
    }
}

fn report(measured: Measured, notes: Vec<String>) -> Result<Reproduction> {
    Ok(Reproduction::new(vec![compare(&measured).report(notes)?]))
}

fn judged(measured: &Measured) -> Vec<Expectation> {
    compare(measured).judge().unwrap()
}

fn holds(measured: &Measured, id: &str) -> Option<bool> {
    judged(measured).into_iter().find(|e| e.id == id).unwrap().holds
}

#[test]
fn printed_report() {
    // A table of fewer rows that ends where bitmaps need one more extent.
    let mut half = measured();
    half.source.rows = 150_000;
    half.source.published_shape = false;
    half.source.fitted = None;
    half.auto.segments.table = 14_336;
    half.auto.table_extents.push(1024);
    for (name, measured) in [("all-holds.txt", measured()), ("undecided.txt", half)] {
        let report = report(measured, vec!["a note".to_owned()]).unwrap();
        let mut out = Vec::new();
        print(&report, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        for line in text.lines() {
            assert!(line.chars().count() <= 120, "too wide: {line}");
        }
        golden(name, &text);
    }
}

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, expected, "{name}; UPDATE_GOLDEN=1 writes it anew");
}

#[test]
fn everything_holds_with_figures_that_fit() {
    for expectation in judged(&measured()) {
        assert_eq!(expectation.holds, Some(true), "{expectation:?}");
    }
}

#[test]
fn json_has_the_documented_shape() {
    let report = report(measured(), Vec::new()).unwrap();
    let json = report.json();
    assert_eq!(json["experiment"], "insert-gets");
    let arms = json["arms"].as_array().unwrap();
    assert_eq!(arms.iter().map(|arm| arm["name"].as_str().unwrap()).collect::<Vec<_>>(), ["manual", "auto"]);
    assert_eq!(arms[1]["published"]["statements"][0]["current"], 38_462);
    assert_eq!(arms[1]["measured"]["statements"][1]["gets"][2]["current"], 6_000);
    assert_eq!(arms[0]["published"]["segments"]["index"], 2_688);
    for expectation in json["expectations"].as_array().unwrap() {
        for key in ["text", "kind", "published", "measured", "holds"] {
            assert!(expectation.get(key).is_some(), "{key}: {expectation}");
        }
    }
    assert_eq!(json["expectations"].as_array().unwrap().len(), 8);
}

#[test]
fn a_source_scan_with_other_gets_is_false() {
    let mut measured = measured();
    measured.auto.statements[0] = statement("source_scan", 1, &[("data block", 4_300, 0)]);
    assert_eq!(holds(&measured, "source_scan"), Some(false));
    measured.auto.statements[0] = statement("source_scan", 1, &[("data block", 4_100, 0)]);
    assert_eq!(holds(&measured, "source_scan"), Some(false));
}

#[test]
fn table_sizes_must_agree_and_be_whole_extents() {
    let mut other = measured();
    other.auto.segments.table = 12_288;
    other.auto.table_extents.pop();
    assert_eq!(holds(&other, "table_sizes"), Some(false));
    let mut odd = measured();
    odd.manual.table_extents = vec![13_312];
    assert_eq!(holds(&odd, "table_sizes"), Some(false));
    // Expectations that do not depend on the published size are decided all the same.
    let mut fewer = measured();
    fewer.source.rows = 200_000;
    for arm in [&mut fewer.manual, &mut fewer.auto] {
        arm.segments.table -= arm.table_extents.pop().unwrap();
    }
    assert_eq!(holds(&fewer, "table_sizes"), Some(true));
    fewer.source.rows = 303_666;
    assert_eq!(holds(&fewer, "table_sizes"), Some(false));
    let mut foreign = measured();
    foreign.source.published_shape = false;
    foreign.manual.table_extents = vec![13_312];
    assert_eq!(holds(&foreign, "table_sizes"), Some(false));
    // Rows that end where bitmaps need one more extent, and two more.
    let mut end = measured();
    end.source.rows = 200_000;
    end.auto.segments.table += 1024;
    end.auto.table_extents.push(1024);
    assert_eq!(holds(&end, "table_sizes"), None);
    end.auto.segments.table += 1024;
    end.auto.table_extents.push(1024);
    assert_eq!(holds(&end, "table_sizes"), Some(false));
}

#[test]
fn gets_that_do_not_add_up_are_found_in_any_statement_and_counter() {
    type Counter = fn(&mut Statement) -> &mut u64;
    let counters: [(&str, Counter); 8] = [
        ("query", |statement| &mut statement.figures.query),
        ("current", |statement| &mut statement.figures.current),
        ("segments", |statement| &mut statement.segment_gets),
        ("consistent reads", |statement| &mut statement.consistent_reads),
        ("examinations", |statement| &mut statement.examinations),
        ("query in the trace", |statement| &mut statement.tkprof.as_mut().unwrap().query),
        ("current in the trace", |statement| &mut statement.tkprof.as_mut().unwrap().current),
        ("scanned", |statement| &mut statement.scanned_blocks),
    ];
    for index in 0..5 {
        for is_auto in [false, true] {
            for (name, counter) in counters {
                for by in [1, -1] {
                    let mut wrong = measured();
                    let arm = if is_auto { &mut wrong.auto } else { &mut wrong.manual };
                    let Some(figure) = counter(&mut arm.statements[index]).checked_add_signed(by) else { continue };
                    *counter(&mut arm.statements[index]) = figure;
                    // Another expectation judges the gets of full scans.
                    let found = holds(&wrong, "gets_add_up");
                    assert_eq!(found, Some(name == "scanned"), "{name} of statement {index}, {by}");
                }
            }
        }
        // A get that the cache has counted once too often, or not at all, in every figure that is made of its counts.
        for by in [1, -1] {
            let mut wrong = measured();
            let statement = &mut wrong.manual.statements[index];
            let add = |figure: &mut u64| *figure = figure.checked_add_signed(by).unwrap();
            add(&mut statement.gets[0].query);
            add(&mut statement.figures.query);
            add(&mut statement.tkprof.as_mut().unwrap().query);
            let said = judged(&wrong).into_iter().find(|e| e.id == "gets_add_up").unwrap();
            assert_eq!(said.holds, Some(false), "statement {index}, {by}");
            let disagree = said.measured["disagree"].as_array().unwrap();
            assert_eq!(disagree.len(), 2, "{disagree:?}");
            // If the segments' counter has it too, the third finds it.
            let mut wrong = wrong.clone();
            let statement = &mut wrong.manual.statements[index];
            statement.segment_gets = statement.segment_gets.checked_add_signed(by).unwrap();
            assert_eq!(holds(&wrong, "gets_add_up"), Some(false), "statement {index}, {by}");
        }
    }
    assert!(report(measured(), Vec::new()).unwrap().passed());
    let mut wrong = measured();
    wrong.manual.statements[3].figures.query += 1;
    assert!(!report(wrong, Vec::new()).unwrap().passed());
}

#[test]
fn bitmaps_that_cost_no_more_are_false_and_out_of_range() {
    let mut same = measured();
    same.auto = arm(0, 2_816);
    assert_eq!(holds(&same, "auto_costs_more"), Some(false));
    assert_eq!(holds(&same, "current_ratio"), Some(false));
    assert_eq!(holds(&same, "consistent_ratio"), Some(true));
    let mut dear = measured();
    dear.auto = arm(20_000, 2_816);
    assert_eq!(holds(&dear, "auto_costs_more"), Some(true));
    assert_eq!(holds(&dear, "current_ratio"), Some(false));
}

#[test]
fn the_excess_is_named_by_class() {
    let found = judged(&measured()).into_iter().find(|e| e.id == "auto_costs_more").unwrap();
    assert_eq!(found.measured[0]["current_by_class"]["1st level bmb"], 6_000);
    assert_eq!(found.measured[0]["current"], 6_000);
}

#[test]
fn index_sizes_and_clustering() {
    let mut measured = measured();
    measured.auto.segments.index = 3_000;
    assert_eq!(holds(&measured, "index_size"), Some(false));
    measured.auto.segments.index = 2_600;
    assert_eq!(holds(&measured, "index_size"), Some(false));
    measured.clustering.cases[2].clustering_factor = 1_000;
    assert_eq!(holds(&measured, "clustering"), Some(false));
}

#[test]
fn few_rows_decide_as_well_as_many() {
    let mut few = measured();
    few.source.rows = 3_036;
    assert_eq!(holds(&few, "auto_costs_more"), Some(true));
    few.auto = arm(0, 2_816);
    assert_eq!(holds(&few, "auto_costs_more"), Some(false));
    few.manual.statements[1].figures.query += 1;
    assert_eq!(holds(&few, "gets_add_up"), Some(false));
}

#[test]
fn a_fitted_source_is_said_with_what_it_weakens() {
    let weakened = |measured: &Measured| -> Vec<String> {
        judged(measured).into_iter().filter(|e| e.weakened.is_some()).map(|e| e.id).collect()
    };
    let mut measured = measured();
    assert_eq!(weakened(&measured), ["source_scan", "table_sizes", "current_ratio", "consistent_ratio"]);
    measured.source.fitted = None;
    assert!(weakened(&measured).is_empty());
}

#[test]
fn figures_far_from_the_published_are_named_with_their_classes() {
    let found = compare(&measured()).differences().unwrap();
    let first = found.iter().find(|d| d.statement == "first_insert" && d.figure == Figure::Query).unwrap();
    assert_eq!((first.measured.manual, first.published.manual), (4_193, 8_771));
    assert_eq!(first.by_class.manual, "4,192 data block, 1 segment header, full scans 4,192");
    // Of other rows nothing is said.
    let mut fewer = measured();
    fewer.source.rows = 3_036;
    assert!(compare(&fewer).differences().unwrap().is_empty());
}

#[test]
fn arms_have_names() {
    assert_eq!(arms().map(|arm| arm.name()), ["manual", "auto"]);
}
