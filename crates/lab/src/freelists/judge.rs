//! Whether what was measured is what has to come out: a function for each expectation of the data file.
//!
//! A ratio of arms is taken repetition by repetition; its interval decides. Undecided is what the interval reaches over, what too few repetitions leave open, and
//! what was published for another number of sessions.

use common::{Error, Result};
use serde_json::{Value, json};

use super::measured::{Arm, Measured, Run};
use super::published::{Published, PublishedArm};
use super::setting::Setting;
use crate::clustering;
use crate::expectation::{Expectation, ExpectationSpec, Finding, Kind};
use crate::interval::{Estimate, LEAST_RUNS};
use crate::management::Management;

const MANUAL_1: Setting = Setting::manual(1);
const MANUAL_5: Setting = Setting::manual(5);
const AUTO_1: Setting = Setting::auto(1);
const AUTO_5: Setting = Setting::auto(5);
/// The event that the published waits are of.
const BUSY: &str = "buffer busy waits";

/// Judges every expectation of the data file.
///
/// # Errors
/// ORA-00600 when the data file has an expectation that no judge knows, or figures lack an arm.
pub fn judge(published: &Published, measured: &Measured) -> Result<Vec<Expectation>> {
    published.expectations.iter().map(|spec| judge_one(spec, published, measured)).collect()
}

fn judge_one(spec: &ExpectationSpec, published: &Published, measured: &Measured) -> Result<Expectation> {
    let at_least = |limit: f64| (limit, f64::INFINITY);
    let at_most = |limit: f64| (0.0, limit);
    let more_than = |limit: f64| (limit.next_up(), f64::INFINITY);
    let waits = |over, under, range| Ratio::new(published, measured, over, under, Figure::Waits, range);
    let rates = |over, under, range| Ratio::new(published, measured, over, under, Figure::Rate, range);
    let found = match spec.id.as_str() {
        "executes_per_transaction" => executes(spec, published, measured)?,
        "auto_ignores_freelists" => auto_ignores(measured)?,
        "freelists_spare_waits" => together(&[waits(MANUAL_1, MANUAL_5, at_least(spec.least()?))?]),
        "auto_waits_between" => {
            together(&[waits(AUTO_1, MANUAL_5, at_least(1.0))?, waits(AUTO_1, MANUAL_1, at_most(1.0))?])
        }
        "order_of_rates" => {
            together(&[rates(MANUAL_5, AUTO_1, more_than(1.0))?, rates(AUTO_1, MANUAL_1, at_least(1.0))?])
        }
        "auto_rates_alike" => together(&[rates(AUTO_1, AUTO_5, spec.bounds()?)?]),
        "clustering" => clustering::judge(&measured.clustering)?,
        _ => return Err(spec.unknown()),
    };
    // The clustering factor has a number of sessions of its own.
    let others = measured.sessions != published.sessions && spec.kind == Kind::Shape && spec.id != "clustering";
    Ok(spec.judged(if others {
        let (mine, theirs) = (measured.sessions, published.sessions);
        found.undecided(format!("it was published for {theirs} sessions, and this run had {mine}"))
    } else {
        found
    }))
}

fn arm(measured: &Measured, setting: Setting) -> Result<&Arm> {
    measured.arm(setting).ok_or_else(|| Error::bug(format!("'{}' was not run", setting.name())))
}

fn executes(spec: &ExpectationSpec, published: &Published, measured: &Measured) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let (mut before, mut after, mut words, mut holds) = (Vec::new(), Vec::new(), Vec::new(), true);
    for setting in Setting::ARMS {
        let runs: Vec<f64> = arm(measured, setting)?.runs.iter().map(Run::executes_per_transaction).collect();
        holds &= !runs.is_empty() && runs.iter().all(|executes| (low..=high).contains(executes));
        let known = published.arm(setting)?.executes_per_transaction;
        let most = runs.iter().copied().fold(f64::NAN, f64::max);
        before.push(known);
        words.push(format!("{}: {most:.3} ({known:.2})", setting.name()));
        after.push(json!({"arm": setting.name(), "runs": runs}));
    }
    let figures = format!("the greatest of each arm's runs (published, all sessions together): {}", words.join("; "));
    Ok(Finding::new(json!(before), json!(after), figures, holds))
}

fn auto_ignores(measured: &Measured) -> Result<Finding> {
    let (mut after, mut words, mut holds) = (Vec::new(), Vec::new(), true);
    for setting in Setting::ARMS.into_iter().filter(|setting| setting.management == Management::Auto) {
        let arm = arm(measured, setting)?;
        let bitmaps: u64 = arm.runs.iter().map(|run| run.bitmap_gets).sum();
        let freelists: u64 = arm.runs.iter().map(|run| run.freelist_gets).sum();
        holds &= arm.freelists_in_dictionary.is_none() && freelists == 0 && bitmaps > 0;
        let shown = arm.freelists_in_dictionary.map_or("nothing".to_owned(), |shown| shown.to_string());
        words.push(format!(
            "{}: accepted, USER_TABLES.FREELISTS shows {shown}, {bitmaps} gets of bitmap blocks and {freelists} of free list blocks",
            setting.name()
        ));
        after.push(json!({
            "arm": setting.name(),
            "freelists_in_dictionary": arm.freelists_in_dictionary,
            "bitmap_gets": bitmaps,
            "freelist_gets": freelists,
        }));
    }
    Ok(Finding::new(Value::Null, json!(after), words.join("; "), holds))
}

/// What two arms are compared by.
#[derive(Clone, Copy)]
enum Figure {
    Waits,
    Rate,
}

impl Figure {
    fn measured(self, run: &Run) -> f64 {
        match self {
            Self::Waits => run.buffer_busy_waits as f64,
            Self::Rate => run.transactions_per_s(),
        }
    }

    fn published(self, arm: &PublishedArm) -> Option<f64> {
        match self {
            Self::Waits => arm.event(BUSY)?.waits.map(|waits| waits as f64),
            Self::Rate => Some(arm.transactions_per_s),
        }
    }
}

/// A figure of one arm over that of another, and the range that it has to lie in.
struct Ratio {
    name: String,
    published: Option<f64>,
    measured: Option<Estimate>,
    range: (f64, f64),
}

impl Ratio {
    fn new(
        published: &Published,
        measured: &Measured,
        over: Setting,
        under: Setting,
        figure: Figure,
        range: (f64, f64),
    ) -> Result<Self> {
        arm(measured, over)?;
        arm(measured, under)?;
        let known = |setting| published.arm(setting).map(|arm| figure.published(arm));
        Ok(Self {
            name: format!("{} over {}", over.name(), under.name()),
            published: known(over)?.zip(known(under)?).map(|(over, under)| over / under),
            measured: measured.ratio(over, under, |run| figure.measured(run)),
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

    /// Whether it lies in the range, or why that is open.
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
