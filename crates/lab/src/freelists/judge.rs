//! Judges the measured figures: a function for each expectation of the data file.
//!
//! A ratio of arms is taken repetition by repetition; its interval decides. An expectation is undecided when the
//! interval reaches over its bounds, when the repetitions are too few, and when it was published for another number of
//! sessions.

use common::Result;
use serde_json::{Value, json};

use super::measured::Run;
use super::print::BUSY;
use super::setting::{SESSIONS, arms, auto, manual};
use super::work::Work;
use super::{Comparison, Known};
use crate::clustering;
use crate::experiment::declaration::Judge;
use crate::experiment::expectation::{ExpectationKind, ExpectationSpec, Finding, Tally};
use crate::experiment::setting::Setting;
use crate::interval::{Estimate, LEAST_RUNS};
use crate::management::is_auto;

/// Allowed range of a ratio.
type Range = (f64, f64);

pub(super) static JUDGES: [(&str, Judge<Work>); 7] = [
    ("executes_per_transaction", executes),
    ("auto_ignores_freelists", auto_ignores),
    ("freelists_spare_waits", |spec, of| {
        Ok(together(&[Ratio::waits(of, manual(1), manual(5), (spec.least()?, f64::INFINITY))?]))
    }),
    ("auto_waits_between", |_, of| {
        let above = Ratio::waits(of, auto(1), manual(5), (1.0, f64::INFINITY))?;
        Ok(together(&[above, Ratio::waits(of, auto(1), manual(1), (0.0, 1.0))?]))
    }),
    ("order_of_rates", |_, of| {
        let more = Ratio::rates(of, manual(5), auto(1), (1.0_f64.next_up(), f64::INFINITY))?;
        Ok(together(&[more, Ratio::rates(of, auto(1), manual(1), (1.0, f64::INFINITY))?]))
    }),
    ("auto_rates_alike", |spec, of| Ok(together(&[Ratio::rates(of, auto(1), auto(5), spec.bounds()?)?]))),
    ("clustering", |_, of| clustering::judge(&of.measured.rest)),
];

/// Another number of sessions than the published decides no shape; the clustering factor has a number of its own.
pub(super) fn qualify(spec: &ExpectationSpec, of: &Comparison, found: Finding) -> Finding {
    let (mine, theirs) = (of.measured.plan.most(&SESSIONS), of.published.paper.sessions);
    if mine == theirs || spec.kind == ExpectationKind::Exact || spec.id == "clustering" {
        return found;
    }
    found.undecided(format!("it was published for {theirs} sessions, and this run had {mine}"))
}

fn executes(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let mut tally = Tally::new();
    for setting in arms() {
        let runs: Vec<f64> = of.measured.arm(setting)?.runs.iter().map(Run::executes_per_transaction).collect();
        let holds = !runs.is_empty() && runs.iter().all(|executes| (low..=high).contains(executes));
        let known = of.published.arm(setting)?.executes_per_transaction;
        let most = runs.iter().copied().fold(f64::NAN, f64::max);
        let (name, words) = (setting.name(), format!("{}: {most:.3} ({known:.2})", setting.name()));
        tally.add(json!(known), json!({"arm": name, "runs": runs}), words, holds);
    }
    Ok(tally.finding("the greatest of each arm's runs (published, all sessions together): "))
}

fn auto_ignores(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let mut tally = Tally::new();
    for setting in arms().into_iter().filter(is_auto) {
        let (arm, name) = (of.measured.arm(setting)?, setting.name());
        let bitmaps: u64 = arm.runs.iter().map(|run| run.bitmap_gets).sum();
        let freelists: u64 = arm.runs.iter().map(|run| run.freelist_gets).sum();
        let listed = arm.freelists_in_dictionary();
        let shown = listed.map_or("nothing".to_owned(), |listed| listed.to_string());
        let words = format!(
            "{name}: accepted, USER_TABLES.FREELISTS shows {shown}, {bitmaps} gets of bitmap blocks and {freelists} of \
             free list blocks"
        );
        let measured = json!({
            "arm": name,
            "freelists_in_dictionary": listed,
            "bitmap_gets": bitmaps,
            "freelist_gets": freelists,
        });
        tally.add(Value::Null, measured, words, listed.is_none() && freelists == 0 && bitmaps > 0);
    }
    Ok(tally.finding(""))
}

/// A figure of one arm over that of another, and the range that it has to lie in.
struct Ratio {
    name: String,
    published: Option<f64>,
    measured: Option<Estimate>,
    range: Range,
}

impl Ratio {
    fn waits(of: &Comparison, over: Setting, under: Setting, range: Range) -> Result<Self> {
        let published = |known: &Known| Some(known.event(BUSY)?.waits? as f64);
        Self::new(of, over, under, range, published, |run| run.buffer_busy_waits as f64)
    }

    fn rates(of: &Comparison, over: Setting, under: Setting, range: Range) -> Result<Self> {
        Self::new(of, over, under, range, |known| Some(known.transactions_per_s), Run::transactions_per_s)
    }

    fn new(
        of: &Comparison,
        over: Setting,
        under: Setting,
        range: Range,
        published: fn(&Known) -> Option<f64>,
        measured: fn(&Run) -> f64,
    ) -> Result<Self> {
        of.measured.arm(over).and(of.measured.arm(under))?;
        let known = of.published.arm(over).map(published)?.zip(of.published.arm(under).map(published)?);
        Ok(Self {
            name: format!("{} over {}", over.name(), under.name()),
            published: known.map(|(over, under)| over / under),
            measured: of.measured.ratio(over, under, measured),
            range,
        })
    }

    fn words(&self) -> String {
        let published = self.published.map_or("not published".to_owned(), |ratio| format!("published {ratio:.2}"));
        let Some(Estimate { median, low, high, coverage, runs }) = self.measured else {
            return format!("{}: nothing to divide by ({published})", self.name);
        };
        if runs == 1 {
            return format!("{}: {median:.2}, one run ({published})", self.name);
        }
        let percent = coverage * 100.0;
        format!("{}: {median:.2}, {percent:.1} % interval {low:.2} to {high:.2} ({published})", self.name)
    }

    /// True: the ratio lies in the range. The error is the reason why that is open.
    fn holds(&self) -> Result<bool, String> {
        let Some(measured) = self.measured else {
            return Err(format!("{}: a repetition without waits on either side has no ratio", self.name));
        };
        if measured.is_too_few() {
            let runs = measured.runs;
            return Err(format!("{runs} repetitions are too few for an interval; {LEAST_RUNS} have one of 93.8 %"));
        }
        let (low, high) = self.range;
        measured.within(low, high).ok_or_else(|| {
            let end = if measured.low < low { low } else { high };
            format!("{}: the interval reaches over {end:.2}; more or longer repetitions narrow it", self.name)
        })
    }
}

/// All of them have to hold: one that is false decides, then one that is open.
fn together(ratios: &[Ratio]) -> Finding {
    let words: Vec<String> = ratios.iter().map(Ratio::words).collect();
    let published: Vec<Option<f64>> = ratios.iter().map(|ratio| ratio.published).collect();
    let measured: Vec<Value> =
        ratios.iter().map(|ratio| json!({"ratio": ratio.name, "estimate": ratio.measured})).collect();
    let verdicts: Vec<Result<bool, String>> = ratios.iter().map(Ratio::holds).collect();
    let holds = verdicts.iter().all(|verdict| *verdict == Ok(true));
    let found = Finding::new(json!(published), json!(measured), words.join("; "), holds);
    let open = verdicts.iter().find_map(|verdict| verdict.as_ref().err());
    match open {
        Some(why) if !verdicts.contains(&Ok(false)) => found.undecided(why.clone()),
        _ => found,
    }
}
