//! `freelists`: expectations judged on made-up measurements, the printed and written output, and a run of a second of
//! every arm.

#![expect(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use lab::clustering::{Clustering, ClusteringCase};
use lab::experiment::expectation::Expectation;
use lab::experiment::measured;
use lab::experiment::setting::Setting;
use lab::freelists::measured::{Arm, ClassWaits, Run, TimedEvent};
use lab::freelists::setting::arms;
use lab::freelists::{DECLARATION, Work};
use lab::management::is_auto;
use lab::print::print;
use lab::progress::Steps;
use lab::{Options, Reproduction, Silent, reproduce};

type Measured = measured::Measured<Run, Clustering>;

const SECONDS: u32 = 10;

/// A run with so many transactions a second and buffer busy waits; the machine's mood multiplies both.
fn run(repetition: u32, setting: Setting, rate: f64, waits: f64, mood: f64) -> Run {
    let transactions = (rate * mood * f64::from(SECONDS)).round() as u64;
    let waits = (waits * mood).round();
    let auto = is_auto(&setting);
    let class = if auto { "1st level bmb" } else { "segment header" };
    Run {
        repetition,
        position: repetition,
        elapsed_s: f64::from(SECONDS),
        transactions,
        executes: transactions * 2 + 5,
        buffer_busy_waits: waits as u64,
        buffer_busy_s: waits / 1_000.0,
        waits_by_class: vec![
            ClassWaits { class: "data block".to_owned(), waits: waits * 0.75, time_s: waits * 0.75 / 1_000.0 },
            ClassWaits { class: class.to_owned(), waits: waits * 0.25, time_s: waits * 0.25 / 1_000.0 },
        ],
        events: vec![
            TimedEvent { event: "CPU time".to_owned(), waits: None, time_s: 9.5 },
            TimedEvent { event: "buffer busy waits".to_owned(), waits: Some(waits), time_s: waits / 1_000.0 },
            TimedEvent { event: "log file parallel write".to_owned(), waits: Some(800.0), time_s: 0.4 },
        ],
        bitmap_gets: if auto { 900 } else { 0 },
        freelist_gets: 0,
        blocks: 1_500,
        processes: vec![11, 12, 13, 14, 15],
        freelists_in_dictionary: (!auto).then_some(u64::from(setting.number(&lab::freelists::setting::FREELISTS))),
    }
}

fn arm(setting: Setting, rate: f64, waits: f64, repetitions: u32) -> Arm {
    let runs = (1..=repetitions).map(|at| run(at, setting, rate, waits, 0.9 + f64::from(at) * 0.05)).collect();
    Arm { setting, runs }
}

fn case(name: &str, clustering_factor: u64) -> ClusteringCase {
    ClusteringCase { name: name.to_owned(), clustering_factor, blocks: 900, buffer_busy_waits: 12, elapsed_s: 1.5 }
}

/// Rates and waits of the four arms, in their order.
fn of(rates: [f64; 4], waits: [f64; 4], repetitions: u32) -> Measured {
    let options = Options { repetitions: Some(repetitions), ..Options::default() };
    let arms = arms().into_iter().zip(rates).zip(waits);
    Measured {
        plan: DECLARATION.plan(&options).unwrap(),
        arms: arms.map(|((setting, rate), waits)| arm(setting, rate, waits, repetitions)).collect(),
        rest: Clustering {
            sessions: 5,
            rows: 100_000,
            cases: vec![
                case(Clustering::ONE_FREELIST, 1_000),
                case(Clustering::FREELIST_EACH, 50_000),
                case(Clustering::BITMAPS, 60_000),
            ],
        },
    }
}

const RATES: [f64; 4] = [10_000.0, 12_500.0, 12_000.0, 11_900.0];
const WAITS: [f64; 4] = [6_000.0, 1_000.0, 1_750.0, 1_800.0];

/// Figures with which everything holds.
fn measured() -> Measured {
    of(RATES, WAITS, 5)
}

fn judged(measured: &Measured) -> Vec<Expectation> {
    DECLARATION.compare(measured.clone()).unwrap().judge().unwrap()
}

fn found(measured: &Measured, id: &str) -> Expectation {
    judged(measured).into_iter().find(|e| e.id == id).unwrap()
}

fn holds(measured: &Measured, id: &str) -> Option<bool> {
    found(measured, id).holds
}

fn report(measured: Measured) -> Reproduction {
    Reproduction::new(vec![DECLARATION.compare(measured).unwrap().report(vec!["a note".to_owned()]).unwrap()])
}

#[test]
fn everything_holds_with_figures_that_fit() {
    for expectation in judged(&measured()) {
        assert_eq!(expectation.holds, Some(true), "{expectation:?}");
    }
    assert_eq!(judged(&measured()).len(), 7);
    assert!(report(measured()).passed());
}

#[test]
fn ratios_outside_their_range_are_false() {
    let few = of(RATES, [3_000.0, 1_000.0, 1_750.0, 1_750.0], 5);
    assert_eq!(holds(&few, "freelists_spare_waits"), Some(false));
    for auto in [500.0, 7_000.0] {
        let outside = of(RATES, [6_000.0, 1_000.0, auto, auto], 5);
        assert_eq!(holds(&outside, "auto_waits_between"), Some(false), "{auto}");
    }
    for rates in [[10_000.0, 11_000.0, 12_000.0, 12_000.0], [10_000.0, 12_500.0, 9_000.0, 9_000.0]] {
        assert_eq!(holds(&of(rates, WAITS, 5), "order_of_rates"), Some(false), "{rates:?}");
    }
    for other in [10_000.0, 14_000.0] {
        let apart = of([10_000.0, 12_500.0, 12_000.0, other], WAITS, 5);
        assert_eq!(holds(&apart, "auto_rates_alike"), Some(false), "{other}");
    }
    // None of them fails the run.
    assert!(report(few).passed());
}

#[test]
fn too_few_repetitions_decide_nothing_but_what_is_exact() {
    for repetitions in [1, 4] {
        let few = of(RATES, WAITS, repetitions);
        for expectation in judged(&few) {
            let ratio =
                !["executes_per_transaction", "auto_ignores_freelists", "clustering"].contains(&&*expectation.id);
            assert_eq!(expectation.holds, (!ratio).then_some(true), "{expectation:?}");
            assert_eq!(expectation.because.is_some_and(|why| why.contains("too few")), ratio);
        }
    }
}

#[test]
fn an_interval_that_reaches_over_the_limit_is_undecided() {
    let mut spread = measured();
    // In one repetition of five the one freelist had hardly more waits.
    spread.arms[0].runs[2].buffer_busy_waits = 1_100;
    let expectation = found(&spread, "freelists_spare_waits");
    assert_eq!(expectation.holds, None);
    assert!(expectation.because.unwrap().contains("reaches over 4.00"));
    assert!(expectation.figures.contains("93.8 % interval 1.05 to 6.00 (published 6.25)"), "{}", expectation.figures);
}

#[test]
fn what_is_false_weighs_more_than_what_is_open() {
    let mut mixed = of(RATES, [6_000.0, 1_000.0, 7_000.0, 7_000.0], 5);
    // Above one freelist for certain; above five in all repetitions but one.
    mixed.arms[2].runs[0].buffer_busy_waits = 6_000;
    mixed.arms[1].runs[0].buffer_busy_waits = 6_100;
    assert_eq!(holds(&mixed, "auto_waits_between"), Some(false));
}

#[test]
fn without_waits_there_is_no_ratio_and_with_none_below_it_is_endless() {
    let none = of(RATES, [0.0; 4], 5);
    let expectation = found(&none, "freelists_spare_waits");
    assert_eq!(expectation.holds, None);
    assert!(expectation.because.unwrap().contains("no ratio"));
    let endless = of(RATES, [6_000.0, 0.0, 1_000.0, 1_000.0], 5);
    assert_eq!(holds(&endless, "freelists_spare_waits"), Some(true));
}

#[test]
fn other_sessions_than_the_published_ones_decide_no_shape() {
    let two = Measured { plan: DECLARATION.plan(&Options::default().with("sessions", &[2])).unwrap(), ..measured() };
    assert_eq!(holds(&two, "order_of_rates"), None);
    assert!(found(&two, "order_of_rates").because.unwrap().contains("published for 5 sessions"));
    assert_eq!(holds(&two, "executes_per_transaction"), Some(true));
    assert_eq!(holds(&two, "clustering"), Some(true));
}

#[test]
fn a_third_statement_a_transaction_fails_the_run_in_any_arm() {
    for at in 0..4 {
        let mut wrong = measured();
        let run = &mut wrong.arms[at].runs[3];
        run.executes = run.transactions * 2 + run.transactions / 100;
        assert_eq!(holds(&wrong, "executes_per_transaction"), Some(false));
        assert!(!report(wrong).passed());
    }
}

#[test]
fn freelists_that_are_used_under_bitmaps_fail_the_run() {
    let mut shown = measured();
    shown.arms[3].runs[4].freelists_in_dictionary = Some(5);
    assert_eq!(holds(&shown, "auto_ignores_freelists"), Some(false));
    let mut used = measured();
    used.arms[3].runs[0].freelist_gets = 3;
    assert_eq!(holds(&used, "auto_ignores_freelists"), Some(false));
    let mut no_bitmaps = measured();
    no_bitmaps.arms[2].runs.iter_mut().for_each(|run| run.bitmap_gets = 0);
    assert_eq!(holds(&no_bitmaps, "auto_ignores_freelists"), Some(false));
}

#[test]
fn published_ratios_are_those_of_the_data_file() {
    let all = judged(&measured());
    let published = |id: &str| all.iter().find(|e| e.id == id).unwrap().published.clone();
    let ratio = published("freelists_spare_waits")[0].as_f64().unwrap();
    assert!((ratio - 20_307.0 / 3_248.0).abs() < 1e-9);
    let order = published("order_of_rates");
    assert!((order[0].as_f64().unwrap() - 670.30 / 646.65).abs() < 1e-9);
    assert!((order[1].as_f64().unwrap() - 646.65 / 537.17).abs() < 1e-9);
}

#[test]
fn printed_report() {
    let report = report(measured());
    let mut out = Vec::new();
    print(&report, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    for line in text.lines() {
        assert!(line.chars().count() <= 120, "too wide: {line}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/freelists.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(&path).unwrap(), "UPDATE_GOLDEN=1 writes it anew");
}

#[test]
fn json_has_the_documented_shape() {
    let json = report(measured()).json();
    assert_eq!(json["experiment"], "freelists");
    assert_eq!((&json["work"]["sessions"], &json["work"]["repetitions"]), (&5.into(), &5.into()));
    let arms = json["arms"].as_array().unwrap();
    let names: Vec<&str> = arms.iter().map(|arm| arm["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["manual, freelists 1", "manual, freelists 5", "auto, freelists 1", "auto, freelists 5"]);
    assert_eq!(arms[0]["published"]["top"][0]["waits"], 20_307);
    assert_eq!(arms[1]["published"]["transactions_per_s"], 670.30);
    let measured = &arms[2]["measured"];
    assert_eq!(measured["transactions_per_s"]["runs"], 5);
    assert_eq!(measured["transactions_per_s"]["coverage"], 0.9375);
    assert_eq!(measured["runs"].as_array().unwrap().len(), 5);
    assert_eq!(measured["waits_by_class"][1]["class"], "1st level bmb");
    assert_eq!(measured["top"][0]["event"], "CPU time");
    for expectation in json["expectations"].as_array().unwrap() {
        for key in ["text", "kind", "published", "measured", "holds"] {
            assert!(expectation.get(key).is_some(), "{key}: {expectation}");
        }
    }
    assert_eq!(json["passed"], true);
}

#[test]
fn a_second_of_every_arm() {
    let data = tempfile::tempdir().unwrap();
    let options = Options {
        // A second; and a hundredth of the rows whose clustering is measured.
        minutes: Some(100.0 / 60.0),
        scale: Some(0.01),
        repetitions: Some(1),
        seed: Some(7),
        data: Some(data.path().join("d")),
        ..Options::default()
    };
    let mut lines = Vec::new();
    let report = reproduce("freelists", &options, &mut Steps(&mut lines)).unwrap();
    let measured = &report.of::<Work>().unwrap().measured;
    assert_eq!(measured.arms.len(), 4);
    for arm in &measured.arms {
        let [run] = &arm.runs[..] else { panic!("{arm:?}") };
        assert!(run.transactions > 10 && run.elapsed_s > 0.5 && run.elapsed_s < 60.0, "{run:?}");
        assert_eq!(run.processes.len(), 5);
        assert!(run.blocks > 0 && run.events.iter().any(|line| line.event == "CPU time"));
        // The sum of the waits by class is the number of waits for the event.
        let by_class: f64 = run.waits_by_class.iter().map(|waits| waits.waits).sum();
        assert!(by_class >= run.buffer_busy_waits as f64, "{run:?}");
    }
    // One for each freelist: the numbers of the processes follow each other.
    let lists: std::collections::BTreeSet<u32> = measured.arms[1].runs[0].processes.iter().map(|p| p % 5).collect();
    assert_eq!(lists.len(), 5, "{:?}", measured.arms[1].runs[0].processes);
    assert_eq!(measured.arms[1].freelists_in_dictionary(), Some(5));
    assert_eq!(measured.arms[3].freelists_in_dictionary(), None);
    let holds = |id: &str| report.expectations.iter().find(|e| e.id == id).unwrap();
    assert_eq!(holds("executes_per_transaction").holds, Some(true), "{:?}", holds("executes_per_transaction"));
    assert_eq!(holds("auto_ignores_freelists").holds, Some(true), "{:?}", holds("auto_ignores_freelists"));
    assert_eq!(holds("order_of_rates").holds, None);
    assert_eq!(measured.rest.cases.len(), 3, "{:?}", measured.rest);
    let order = report.notes.iter().find(|note| note.starts_with("in random order, seed 7")).unwrap();
    assert!(["M1", "M5", "A1", "A5"].iter().all(|arm| order.contains(arm)), "{order}");
    assert!(String::from_utf8(lines).unwrap().contains("repetition 1 of 1: auto, freelists 5"));
    // A directory with a database in it is not written over.
    assert!(reproduce("freelists", &options, &mut Silent).is_err());
}

#[test]
fn options_out_of_range_are_refused_before_anything_is_made() {
    for options in [
        Options::default().with("sessions", &[0]),
        Options { minutes: Some(0.0), ..Options::default() },
        Options { minutes: Some(f64::NAN), ..Options::default() },
        Options { repetitions: Some(0), ..Options::default() },
    ] {
        let error = reproduce("freelists", &options, &mut Silent).unwrap_err();
        assert_eq!(error.number, common::Number::Hw(3), "{error}");
    }
}
