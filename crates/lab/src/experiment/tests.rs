//! The generic part, tested on an invented experiment: a wall is painted.

use common::{Number, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::declaration::Declaration;
use super::expectation::{ExpectationKind, Finding};
use super::factor::{Factor, Role, Shown, Values};
use super::figure::{self, Cells};
use super::measured::{Arm, Measured};
use super::options::Options;
use super::plan::{Limits, Plan, Turn};
use super::registry::Experiment;
use super::reproduction::Reproduction;
use super::setting::Setting;
use super::sweep::{SweepTexts, Swept};
use super::table::{self, Table};
use super::workload::Workload;
use crate::progress::{Progress, Silent, Steps};

const FILE: &str = r#"
    title = "How long a wall takes"
    origin = "published nowhere: two colours, one brush"
    walls = 3

    [[arm]]
    colour = "white"
    brush = 2
    minutes = 20.0

    [[arm]]
    colour = "black"
    brush = 2
    minutes = 30.0

    [[expectation]]
    id = "black_takes_longer"
    kind = "shape"
    text = "Black takes at least 1.2 times as long as white"
    low = 1.2

    [[expectation]]
    id = "brush_is_dry"
    kind = "exact"
    text = "No paint is left in the brush"
"#;

static COLOUR: Factor = Factor {
    role: Role::Line,
    words: |value| ["white", "black"][value as usize].to_owned(),
    ..Factor::number("colour", "colour", Values::Words(&["white", "black"]), Some(0))
};
static BRUSH: Factor = Factor {
    unit: "cm",
    words: |value| format!("brush {value}"),
    why: "A wide brush has more paint",
    ..Factor::number("brush", "brush", Values::Range(1, 9), Some(2))
};
static COATS: Factor = Factor {
    short: "c",
    shown: Shown::Changed,
    words: |value| format!("coats {value}"),
    // White covers at once.
    counts: |setting| setting.is_on(&COLOUR),
    ..Factor::number("coats", "coats", Values::Range(1, 4), Some(1))
};
static PAINTERS: Factor = Factor {
    short: "p",
    shown: Shown::Apart,
    role: Role::Crossed,
    words: |value| format!("{value} painters"),
    ..Factor::number("painters", "painters", Values::Range(1, 8), Some(1))
};
static FACTORS: [&Factor; 4] = [&COLOUR, &BRUSH, &COATS, &PAINTERS];

type Figure = figure::Figure<Wall>;
type Column = table::Column<Painter>;

/// Paints in no time.
#[derive(Debug)]
struct Painter;

#[derive(Clone, PartialEq, Debug, Serialize)]
struct Wall {
    minutes: f64,
    drops: u64,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Known {
    minutes: f64,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
struct Paper {
    walls: u64,
}

impl Workload for Painter {
    type Run = Wall;
    type Rest = u64;
    type Known = Known;
    type Paper = Paper;

    fn open(_: &Plan, _: &mut dyn Progress) -> Result<Self> {
        Ok(Self)
    }

    /// A minute more in each repetition.
    fn run(&mut self, setting: Setting, turn: Turn, _: &mut dyn Progress) -> Result<Wall> {
        let base = if setting.is_on(&COLOUR) { 30.0 } else { 20.0 } * f64::from(setting.number(&COATS));
        let painters = f64::from(setting.number(&PAINTERS));
        let brush = 2.0 / f64::from(setting.number(&BRUSH));
        Ok(Wall { minutes: base * brush / painters + f64::from(turn.repetition), drops: 0 })
    }

    fn rest(&mut self, _: &mut dyn Progress) -> Result<u64> {
        Ok(7)
    }

    fn notes(&self) -> Vec<String> {
        vec!["the wall is dry".to_owned()]
    }

    fn close(self) -> Result<()> {
        Ok(())
    }
}

static DECLARATION: Declaration<Painter> = Declaration {
    limits: Limits { repetitions: 5, ..Limits::USUAL },
    shuffled: true,
    figures: &[
        Figure::listed("minutes", "minutes", 1, Cells::Interval, |wall, _| wall.minutes).drawn("Time of a wall", "min"),
        Figure::plain("drops", |wall, _| wall.drops as f64),
    ],
    tables: &[Table::Arms(&[
        Column::Name("wall"),
        Column::Known("published", 1, |known| Some(known.minutes)),
        Column::Estimate(["measured", "from", "to"], 1, |wall| wall.minutes),
    ])],
    judges: &[
        ("black_takes_longer", |spec, of| {
            let [white, black] = [arms()[0], arms()[1]];
            let ratio = of.measured.ratio(black, white, |wall| wall.minutes);
            let holds = ratio.and_then(|ratio| ratio.within(spec.low.unwrap_or(0.0), f64::INFINITY));
            let found = Finding::new(Value::Null, json!(ratio), format!("{ratio:?}"), holds == Some(true));
            Ok(if holds.is_none() { found.undecided("too few walls") } else { found })
        }),
        ("brush_is_dry", |_, of| {
            let drops: u64 = of.measured.arms.iter().flat_map(|arm| &arm.runs).map(|wall| wall.drops).sum();
            Ok(Finding::new(Value::Null, json!(drops), format!("{drops} drops"), drops == 0))
        }),
    ],
    about: |of| vec![("walls: ", format!("{} of {}", of.measured.rest, of.published.paper.walls))],
    sweep: Some(SweepTexts {
        title: "Walls",
        about: |_| "Walls are painted.".to_owned(),
        usual: Some((&BRUSH, &[2, 4])),
        work: |plan| json!({"repetitions": plan.repetitions}),
        remark: Some(("drops", |arm| format!("{} runs", arm.runs.len()))),
        columns: |wall| vec![("splashes".to_owned(), wall.drops as f64)],
    }),
    ..Declaration::new("paint", FILE, &FACTORS, arms)
};

const EXPERIMENT: Experiment = Experiment { name: "paint", title: "Walls", parts: &[&DECLARATION], device: None };

fn arms() -> Vec<Setting> {
    [0, 1].map(|colour| Setting::new(&FACTORS).with(&COLOUR, colour)).to_vec()
}

fn run(options: &Options) -> Result<Reproduction> {
    EXPERIMENT.reproduce(options, &mut Silent)
}

fn repetitions(repetitions: u32) -> Options {
    Options { repetitions: Some(repetitions), ..Options::default() }
}

fn sweep(options: &Options) -> Swept {
    assert!(EXPERIMENT.is_sweep(options));
    EXPERIMENT.sweep(options, &mut Silent).unwrap()
}

#[test]
fn a_factor_out_of_range_is_refused_with_its_range() {
    let error = EXPERIMENT.check_sweep(&Options::default().with("brush", &[3, 10])).unwrap_err();
    assert_eq!((error.number, &*error.text), (Number::Hw(3), "brush may be 1 to 9 cm, not 10"));
    let error = run(&Options::default().with("painters", &[0])).unwrap_err();
    assert_eq!((error.number, &*error.text), (Number::Hw(3), "painters may be 1 to 8, not 0"));
    assert_eq!(COLOUR.check(2).unwrap_err().text, "colour may be white, black, not 2");
    let some = Factor { values: Values::OneOf(&[2, 4]), ..BRUSH };
    assert_eq!(some.check(3).unwrap_err().text, "brush may be 2, 4 cm, not 3");
}

#[test]
fn what_an_experiment_has_no_use_for_is_refused() {
    let text = |options: &Options| run(options).unwrap_err().text;
    let minutes = Options { minutes: Some(1.0), ..Options::default() };
    assert_eq!(text(&minutes), "the experiment paint does not take --minutes");
    assert_eq!(text(&Options::default().with("freelists", &[1])), "the experiment paint does not take --freelists");
    let part = Options { part: Some("ceiling".to_owned()), ..Options::default() };
    assert_eq!(text(&part), "the experiment paint does not take --part");
    // A colour is of the arms, and no option.
    assert!(EXPERIMENT.check_sweep(&Options::default().with("colour", &[1])).is_err());
}

#[test]
fn repetitions_give_median_and_spread() {
    let report = run(&repetitions(5)).unwrap();
    let measured = &report.of::<Painter>().unwrap().measured;
    let estimates: Vec<_> = measured.arms.iter().map(|arm| arm.estimate(|wall| wall.minutes).unwrap()).collect();
    let ends = estimates.iter().map(|found| (found.median, found.low, found.high)).collect::<Vec<_>>();
    assert_eq!(ends, [(23.0, 21.0, 25.0), (33.0, 31.0, 35.0)]);
    assert_eq!((estimates[0].runs, estimates[0].coverage), (5, 0.9375));
    assert_eq!(measured.rest, 7);
    // The number of painters is the run's, and an arm is found all the same.
    let two = run(&repetitions(1).with("painters", &[2])).unwrap();
    let measured = &two.of::<Painter>().unwrap().measured;
    assert_eq!(measured.arm(arms()[0]).unwrap().runs[0].minutes, 11.0);
}

#[test]
fn expectations_hold_or_are_undecided_or_fail_the_run() {
    let found = |report: &Reproduction, id: &str| report.expectations.iter().find(|e| e.id == id).unwrap().clone();
    let five = run(&repetitions(5)).unwrap();
    assert_eq!(found(&five, "black_takes_longer").holds, Some(true));
    assert!(five.passed());
    let one = run(&repetitions(1)).unwrap();
    let undecided = found(&one, "black_takes_longer");
    assert_eq!((undecided.holds, undecided.because.as_deref()), (None, Some("too few walls")));
    assert!(printed(&one).contains("undecided: too few walls") && one.passed());
    let wet = Wall { minutes: 1.0, drops: 3 };
    let arms = arms().into_iter().map(|setting| Arm { setting, runs: vec![wet.clone()] }).collect();
    let plan = DECLARATION.plan(&Options::default()).unwrap();
    let comparison = DECLARATION.compare(Measured { plan, arms, rest: 0 }).unwrap();
    let report = Reproduction::new(vec![comparison.report(Vec::new()).unwrap()]);
    let dry = found(&report, "brush_is_dry");
    assert_eq!((dry.kind, dry.holds, report.passed()), (ExpectationKind::Exact, Some(false), false));
}

#[test]
fn an_expectation_without_a_judge_is_an_error() {
    static UNJUDGED: Declaration<Painter> =
        Declaration { judges: &[], ..Declaration::new("paint", FILE, &FACTORS, arms) };
    let (comparison, _) = UNJUDGED.run(&Options::default(), &mut Silent).unwrap();
    let error = comparison.judge().unwrap_err();
    assert!(error.text.contains("no judge for the expectation 'black_takes_longer'"), "{error}");
}

fn printed(report: &Reproduction) -> String {
    let mut out = Vec::new();
    super::print::print(report, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn print_and_json_have_each_arm_and_what_was_published() {
    let report = run(&repetitions(5)).unwrap();
    let text = printed(&report);
    for part in [
        "paint: How long a wall takes",
        "published nowhere",
        "walls: 7 of 3",
        "in random order, seed 1 (W2 is white, brush 2): ",
        "the wall is dry",
        "white, brush 2        20.0       23.0   21.0   25.0",
        "black, brush 2        30.0       33.0   31.0   35.0",
        "No exact expectation is false.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let json = report.json();
    assert_eq!((&json["experiment"], &json["passed"]), (&json!("paint"), &json!(true)));
    let arm = &json["arms"][1];
    assert_eq!(arm["name"], "black, brush 2");
    assert_eq!(arm["published"], json!({"colour": "black", "brush": 2, "minutes": 30.0}));
    assert_eq!(arm["measured"]["minutes"]["median"], 33.0);
    assert_eq!(arm["measured"]["runs"].as_array().unwrap().len(), 5);
    let mut lines = Vec::new();
    EXPERIMENT.reproduce(&repetitions(1), &mut Steps(&mut lines)).unwrap();
    assert!(String::from_utf8(lines).unwrap().contains("repetition 1 of 1: black, brush 2, painters: 1"));
}

#[test]
fn a_sweep_of_two_factors_has_every_point_everywhere() {
    let options = repetitions(1).with("brush", &[4, 2, 4]).with("coats", &[1, 3]).with("painters", &[2, 1]);
    let sweep = sweep(&options);
    let json = &sweep.json;
    let points: Vec<String> = json["sweep"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| ["painters", "colour", "brush", "coats"].map(|key| point[key].to_string()).join(" "))
        .collect();
    // White takes no notice of coats; every sweep has the other factor at its least value.
    let of = |painters: u32| {
        ["\"white\" 2 null", "\"white\" 4 null", "\"black\" 2 1", "\"black\" 2 3", "\"black\" 4 1"]
            .map(|point| format!("{painters} {point}"))
    };
    assert_eq!(points, [of(1), of(2)].concat());
    assert_eq!(json["sweep"][3]["measured"]["minutes"]["median"], 91.0);
    assert_eq!(json["work"], json!({"repetitions": 1}));
    let csv = String::from_utf8(sweep.csv.clone()).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "repetition,colour,brush,coats,painters,minutes,drops,splashes");
    assert_eq!((lines[1], lines[4], lines.len()), ("1,white,2,,1,21,0,0", "1,black,2,3,1,91,0,0", 11));
    let page = &sweep.page;
    // Over painters, the brush and coats.
    assert_eq!(page.matches("<svg ").count(), 3);
    for heading in ["Over the number of painters", "Over brush", "Over coats"] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}");
    }
    assert!(page.contains("brush, cm") && page.contains("black, 2 painters"), "{page}");
    assert_eq!(page.matches("<tr>").count(), 11);
    assert!(page.contains("<td>black, brush 2, coats 3</td>") && page.contains("<td>white, brush 4</td>"));
    let text = String::from_utf8(sweep.printed).unwrap();
    assert!(text.starts_with("paint: a sweep over brush, coats, 1 repetition\n"), "{text}");
    assert!(text.contains("black, brush 2, coats 3") && text.contains("p2"), "{text}");
}

#[test]
fn one_value_is_that_of_all_points_and_none_are_the_usual_ones() {
    let points = |options: &Options| {
        let json = sweep(options).json;
        json["sweep"]
            .as_array()
            .unwrap()
            .iter()
            .map(|point| (point["brush"].clone(), point["coats"].clone()))
            .collect::<Vec<_>>()
    };
    let (two, four, none) = (json!(2), json!(4), Value::Null);
    let usual = points(&repetitions(1).with("painters", &[1, 2]));
    assert_eq!(
        usual[..4],
        [(&two, &none), (&four, &none), (&two, &json!(1)), (&four, &json!(1))].map(|(a, b)| (a.clone(), b.clone()))
    );
    let one = points(&repetitions(1).with("brush", &[4]));
    assert_eq!(one, [(four.clone(), none), (four, json!(1))]);
    // One number of painters alone is no sweep.
    assert!(!EXPERIMENT.is_sweep(&Options::default().with("painters", &[2])));
}

/// Facts in which a declaration and its data file must agree.
fn check<W: Workload>(declared: &'static Declaration<W>) {
    let (published, arms) = (declared.published().unwrap(), (declared.arms)());
    let mut ids: Vec<&str> = published.expectations.iter().map(|spec| spec.id.as_str()).collect();
    let mut judged: Vec<&str> = declared.judges.iter().map(|(id, _)| *id).collect();
    ids.sort_unstable();
    judged.sort_unstable();
    assert_eq!(ids, judged, "{}", declared.name);
    for arm in &published.arms {
        assert!(arms.iter().any(|found| found.is_arm(&arm.setting)), "{}: {}", declared.name, arm.setting.name());
    }
    for factor in declared.factors {
        assert!(!factor.why.is_empty(), "{}: {factor:?}", declared.name);
        assert!(factor.default.is_none_or(|value| factor.check(value).is_ok()), "{}: {factor:?}", declared.name);
    }
    let mut keys: Vec<&str> = declared.figures.iter().map(|figure| figure.key).collect();
    keys.extend(declared.factors.iter().map(|factor| factor.key));
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all, "{}: two of one name", declared.name);
}

#[test]
fn declarations_and_their_data_files_agree() {
    check(&crate::insert_gets::DECLARATION);
    check(&crate::freelists::DECLARATION);
    check(&crate::block_size::pctfree::DECLARATION);
    check(&crate::block_size::multiblock::DECLARATION);
}
