//! Judges the measured figures: a function for each expectation of the data file.
//!
//! Bytes and requests decide the exact ones, whatever the machine. Times are the model's; a ratio is taken run by
//! run, and its interval decides. What the model has no mechanism for is not supported, and the finding says so.

use common::Result;
use serde_json::json;

use super::Comparison;
use super::measured::Run;
use super::setting::{AU_MB, first, inner, rebuilt};
use super::split::{Split, UNITS};
use super::work::Work;
use crate::experiment::declaration::Judge;
use crate::experiment::expectation::{ExpectationSpec, Finding, Tally};
use crate::experiment::setting::Setting;
use crate::interval::{Estimate, LEAST_RUNS};
use crate::text::{grouped, number};

pub(super) static JUDGES: [(&str, Judge<Work>); 7] = [
    ("eligible_bytes", eligible),
    ("pct_saved", saved),
    ("requests", requests),
    ("four_fastest", four_fastest),
    ("place_is_the_models", place),
    ("place_share", share),
    ("four_beats_others_in_place", unit),
];

const UNSUPPORTED: &str = "not supported by the model";

fn eligible(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let mut tally = Tally::new();
    let mut all = Vec::new();
    for arm in &of.measured.arms {
        let run = arm.last()?;
        let same = arm.runs.iter().all(|run| run.eligible_bytes == run.segment_bytes);
        all.extend(arm.runs.iter().map(|run| run.eligible_bytes));
        let known = of.known(arm.setting).and_then(|known| known.eligible_bytes);
        let words = format!(
            "{}: {} of {} in data blocks below the high-water mark",
            arm.setting.name(),
            grouped(run.eligible_bytes),
            grouped(run.segment_bytes)
        );
        let measured = json!({"arm": arm.setting.name(), "eligible": run.eligible_bytes, "segment": run.segment_bytes});
        tally.add(json!(known), measured, words, same && run.eligible_bytes > 0);
    }
    let alike = all.windows(2).all(|two| two[0] == two[1]);
    let mut found = tally.finding("bytes eligible: ");
    found.holds = found.holds.map(|holds| holds && alike);
    Ok(found)
}

fn saved(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let least = spec.least()?;
    let mut tally = Tally::new();
    for arm in &of.measured.arms {
        let run = arm.last()?;
        // The three counters are apart: what went over the interconnect has at least the cells' answers in it.
        let holds =
            |run: &Run| run.pct_kept() < 0.7 && run.pct_saved() > least && run.returned_bytes <= run.interconnect_bytes;
        let known = of.known(arm.setting).and_then(|known| known.pct_saved);
        let words = format!(
            "{}: {:.2} % saved, {:.2} % of the bytes kept",
            arm.setting.name(),
            run.pct_saved(),
            run.pct_kept()
        );
        let measured = json!({"arm": arm.setting.name(), "pct_saved": run.pct_saved(), "pct_kept": run.pct_kept()});
        tally.add(json!(known), measured, words, arm.runs.iter().all(holds));
    }
    Ok(tally.finding(""))
}

/// The least number of requests is that of units without cuts; each smaller unit has more.
fn requests(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let mut counts = Vec::new();
    for arm in &of.measured.arms {
        let unit = arm.setting.number(&AU_MB);
        counts.extend(arm.runs.iter().map(|run| (unit, run.scan_requests)));
    }
    let range = |unit: u32| {
        let of_unit = || counts.iter().filter(move |(found, _)| *found == unit).map(|(_, requests)| *requests);
        of_unit().min().zip(of_unit().max())
    };
    let ranges: Vec<_> = [1, 4, 8].into_iter().filter_map(|unit| Some((unit, range(unit)?))).collect();
    let holds = ranges.len() == 3 && ranges.windows(2).all(|two| two[0].1.0 > two[1].1.1);
    let words: Vec<_> = ranges.iter().map(|(unit, (_, most))| format!("{unit} MB: {}", grouped(*most))).collect();
    Ok(Finding::new(json!(null), json!(ranges), format!("requests: {}", words.join(", ")), holds))
}

fn few(of: &Comparison) -> Option<String> {
    let runs = of.measured.plan.repetitions as usize;
    (runs < LEAST_RUNS).then(|| format!("{runs} repetitions are too few for an interval; {LEAST_RUNS} decide"))
}

fn ratio(of: &Comparison, over: Setting, under: Setting) -> Option<Estimate> {
    of.measured.ratio(over, under, |run| run.elapsed_s)
}

fn known_ratio(of: &Comparison, over: Setting, under: Setting) -> Option<f64> {
    Some(of.known(over)?.query_s / of.known(under)?.query_s)
}

fn words(name: &str, published: Option<f64>, found: Option<Estimate>) -> String {
    let published = published.map_or_else(String::new, |ratio| format!(" ({ratio:.2})"));
    match found {
        Some(found) => format!("{name}: {:.2}, {:.2} to {:.2}{published}", found.median, found.low, found.high),
        None => format!("{name}: not measured{published}"),
    }
}

/// Ratios of times that must all lie above something.
fn above(of: &Comparison, pairs: &[(Setting, Setting)], least: f64) -> (Finding, Option<bool>) {
    let mut verdict = Some(true);
    let (mut published, mut measured, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for (over, under) in pairs {
        let (known, found) = (known_ratio(of, *over, *under), ratio(of, *over, *under));
        let name = format!("{} over {}", over.name(), under.name());
        let holds = found.and_then(|found| found.within(least, f64::INFINITY));
        verdict = match (verdict, holds) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        all.push(words(&name, known, found));
        published.push(known);
        measured.push(json!({"ratio": name, "estimate": found}));
    }
    (Finding::new(json!(published), json!(measured), all.join("; "), verdict == Some(true)), verdict)
}

fn decided(of: &Comparison, found: Finding, verdict: Option<bool>, open: &str) -> Finding {
    match few(of) {
        Some(why) => found.undecided(why),
        None if verdict.is_none() => found.undecided(open.to_owned()),
        None => found,
    }
}

fn four_fastest(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let pairs = UNITS.map(|unit| (first(unit), first(4)));
    let (found, verdict) = above(of, &pairs, 1.0_f64.next_up());
    Ok(decided(of, found, verdict, "an interval reaches over 1"))
}

/// The ratio of the places is that of the model alone.
fn place(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let (rest, found) = (of.measured.rest, ratio(of, inner(), rebuilt(4)));
    let verdict = found.and_then(|found| found.within(rest.ratio() * low, rest.ratio() * high));
    let figures =
        format!("{}; the model alone: {:.2}", words("4 MB inside over 4 MB outside", None, found), rest.ratio());
    let measured = json!({"estimate": found, "model_alone": rest.ratio()});
    let finding = Finding::new(json!(null), measured, figures, verdict == Some(true));
    Ok(decided(of, finding, verdict, "the interval reaches over an end of the range"))
}

/// The share of the first round's gaps that the place explains.
fn share(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let mut verdict = Some(true);
    let (mut published, mut measured, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for unit in UNITS {
        let split = Split::of(of, unit);
        let range = split.published_share.map(|share| (share + low, share + high));
        let holds = split.share.zip(range).and_then(|(found, (low, high))| found.within(low, high));
        verdict = match (verdict, holds) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let shown = split.share.map_or_else(
            || "not measured".to_owned(),
            |found| format!("{} %, {} to {}", number(found.median, 0), number(found.low, 0), number(found.high, 0)),
        );
        let known = split.published_share.map_or_else(|| "-".to_owned(), |share| number(share, 0));
        all.push(format!("{unit} MB: {shown} ({known} %)"));
        published.push(split.published_share);
        measured.push(json!({"au_mb": unit, "share": split.share}));
    }
    let unsupported = if verdict == Some(false) { format!("; {UNSUPPORTED}") } else { String::new() };
    let figures = format!("the place's share of the gap: {}{unsupported}", all.join("; "));
    let finding = Finding::new(json!(published), json!(measured), figures, verdict == Some(true));
    Ok(decided(of, finding, verdict, "an interval reaches over an end of the range"))
}

/// In the same place, units of 1 and of 8 MB are slower than those of 4 MB.
fn unit(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let pairs = UNITS.map(|unit| (rebuilt(unit), rebuilt(4)));
    let (mut found, verdict) = above(of, &pairs, spec.least()?);
    if verdict == Some(false) {
        found.figures.push_str(&format!("; {UNSUPPORTED}"));
    }
    Ok(decided(of, found, verdict, "an interval reaches over the end of the range"))
}
