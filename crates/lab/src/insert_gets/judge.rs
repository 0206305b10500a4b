//! Whether what was measured is what has to come out: a function for each expectation of the data file.
//!
//! Undecided is what other data or too few rows for the published sizes leave open, and a part that could not be run.

use common::{Error, Result};
use serde_json::{Value, json};

use super::measured::{Arm, Measured, Statement};
use super::published::{Figures, Published};
use crate::clustering;
use crate::expectation::{Expectation, ExpectationSpec, Finding};
use crate::management::Management;
use crate::text::{grouped, percent, signed};

/// The inserts into a table without an index.
const PLAIN_INSERTS: [&str; 2] = ["first_insert", "second_insert"];
/// Below this share of the published rows the fixed cost of a statement weighs so much that a false "exact" is no finding.
const LEAST_SHARE_OF_ROWS: f64 = 0.1;
/// Autoallocate extents in blocks of 8 KB: 64 KB, 1 MB, 8 MB, 64 MB.
const EXTENT_BLOCKS: [u64; 4] = [8, 128, 1024, 8192];

/// Judges every expectation of the data file.
///
/// # Errors
/// ORA-00600 when the data file has an expectation that no judge knows, or figures lack a statement.
pub fn judge(published: &Published, measured: &Measured) -> Result<Vec<Expectation>> {
    published.expectations.iter().map(|spec| judge_one(spec, published, measured)).collect()
}

fn judge_one(spec: &ExpectationSpec, published: &Published, measured: &Measured) -> Result<Expectation> {
    let mut found = match spec.id.as_str() {
        "source_scan" => source_scan(spec, published, measured)?,
        "table_sizes" => table_sizes(published, measured),
        "gets_add_up" => gets_add_up(measured),
        "auto_costs_more" => auto_costs_more(published, measured)?,
        "current_ratio" => ratio(spec, published, measured, |figures| figures.current)?,
        "consistent_ratio" => ratio(spec, published, measured, |figures| figures.query)?,
        "index_size" => index_size(spec, published, measured)?,
        "clustering" => clustering::judge(&measured.clustering),
        _ => return Err(spec.unknown()),
    };
    let few = (measured.source.rows as f64) < published.rows as f64 * LEAST_SHARE_OF_ROWS;
    if few && found.holds == Some(false) && spec.id != "gets_add_up" {
        let why = format!("{} rows are too few: fixed costs weigh more than rows", grouped(measured.source.rows));
        found = found.undecided(why);
    }
    Ok(spec.judged(found))
}

fn statement<'a>(arm: &'a Arm, id: &str) -> Result<&'a Statement> {
    arm.statement(id).ok_or_else(|| Error::bug(format!("the statement '{id}' was not run")))
}

fn source_scan(spec: &ExpectationSpec, published: &Published, measured: &Measured) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let due = measured.source.blocks + 1;
    let manual = statement(&measured.manual, "source_scan")?.figures.query;
    let auto = statement(&measured.auto, "source_scan")?.figures.query;
    let holds = [manual, auto].into_iter().all(|gets| (low..=high).contains(&(gets as f64 / due as f64)));
    Ok(Finding::new(
        json!(published.source_blocks_read),
        json!({"manual": manual, "auto": auto, "blocks_and_header": due}),
        format!(
            "{} and {} gets for {} blocks and a header (published {} gets)",
            grouped(manual),
            grouped(auto),
            grouped(measured.source.blocks),
            grouped(published.source_blocks_read)
        ),
        holds,
    ))
}

fn table_sizes(published: &Published, measured: &Measured) -> Finding {
    let (manual, auto) = (measured.manual.segments.table, measured.auto.segments.table);
    let whole = [&measured.manual, &measured.auto].into_iter().all(|arm| {
        arm.table_extents.iter().all(|blocks| EXTENT_BLOCKS.contains(blocks))
            && arm.table_extents.iter().sum::<u64>() == arm.segments.table
    });
    let expected = published.segments;
    let holds = manual == auto && whole && manual == expected.manual.table && auto == expected.auto.table;
    let found = Finding::new(
        json!({"manual": expected.manual.table, "auto": expected.auto.table}),
        json!({"manual": manual, "auto": auto, "whole_extents": whole}),
        format!(
            "{} and {} blocks{} (published {} and {})",
            grouped(manual),
            grouped(auto),
            if whole { ", whole extents" } else { ", NOT whole extents" },
            grouped(expected.manual.table),
            grouped(expected.auto.table)
        ),
        holds,
    );
    if measured.source.rows == published.rows && measured.source.published_shape {
        found
    } else {
        found.undecided("the published size belongs to the published rows, and this run inserted others")
    }
}

fn gets_add_up(measured: &Measured) -> Finding {
    let mut checked = 0_u64;
    let mut traced = 0_u64;
    let mut wrong = Vec::new();
    for arm in Management::ALL {
        for statement in &measured.arm(arm).statements {
            let query: u64 = statement.gets.iter().map(|gets| gets.query).sum();
            let current: u64 = statement.gets.iter().map(|gets| gets.current).sum();
            checked += 1;
            let mut agree = (query, current) == (statement.figures.query, statement.figures.current);
            if let Some(tkprof) = &statement.tkprof {
                traced += 1;
                agree &= (query, current) == (tkprof.query, tkprof.current);
            }
            if !agree {
                wrong.push(format!("{} ({})", statement.id, arm.as_str()));
            }
        }
    }
    let mut figures = format!("{checked} statements, {traced} of them also as TKPROF of the arm's trace has them");
    if !wrong.is_empty() {
        figures = format!("{figures}; not: {}", wrong.join(", "));
    }
    Finding::new(
        Value::Null,
        json!({"statements": checked, "also_in_the_trace": traced, "disagree": wrong}),
        figures,
        wrong.is_empty() && checked > 0,
    )
}

fn auto_costs_more(published: &Published, measured: &Measured) -> Result<Finding> {
    let (mut before, mut after, mut words) = (Vec::new(), Vec::new(), Vec::new());
    let mut holds = true;
    for id in PLAIN_INSERTS {
        let known = published.statement(id).ok_or_else(|| Error::bug(format!("no published figures of '{id}'")))?;
        let manual = statement(&measured.manual, id)?;
        let auto = statement(&measured.auto, id)?;
        let current = auto.figures.current as i64 - manual.figures.current as i64;
        let query = auto.figures.query as i64 - manual.figures.query as i64;
        let by_class = excess_by_class(manual, auto);
        let named: i64 = by_class.iter().map(|(_, _, excess)| excess).sum();
        // Every get of the excess has a class, or the sum is off.
        holds &= current > 0 && query >= 0 && named == current;
        before.push(json!({
            "statement": id,
            "current": known.figures.auto.current as i64 - known.figures.manual.current as i64,
            "query": known.figures.auto.query as i64 - known.figures.manual.query as i64,
        }));
        let classes: serde_json::Map<String, Value> =
            by_class.iter().map(|(class, _, excess)| (class.clone(), json!(excess))).collect();
        after.push(json!({"statement": id, "current": current, "query": query, "current_by_class": classes}));
        let list: Vec<String> =
            by_class.iter().map(|(class, _, excess)| format!("{} {class}", signed(*excess))).collect();
        words.push(format!(
            "{}: current {} ({}), consistent {}",
            known.name,
            signed(current),
            list.join(", "),
            signed(query)
        ));
    }
    Ok(Finding::new(json!(before), json!(after), words.join("; "), holds))
}

/// Class, current gets under freelists, and how many more there are under bitmaps; classes without a difference are left out.
fn excess_by_class(manual: &Statement, auto: &Statement) -> Vec<(String, u64, i64)> {
    let mut classes: Vec<&str> = manual.gets.iter().chain(&auto.gets).map(|gets| gets.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    let mut excess: Vec<(String, u64, i64)> = classes
        .into_iter()
        .map(|class| {
            let (before, after) = (manual.gets_of(class).current, auto.gets_of(class).current);
            (class.to_owned(), before, after as i64 - before as i64)
        })
        .filter(|(_, _, excess)| *excess != 0)
        .collect();
    excess.sort_by_key(|(_, _, excess)| -excess);
    excess
}

fn ratio(
    spec: &ExpectationSpec,
    published: &Published,
    measured: &Measured,
    figure: impl Fn(&Figures) -> u64,
) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for id in PLAIN_INSERTS {
        let known = published.statement(id).ok_or_else(|| Error::bug(format!("no published figures of '{id}'")))?;
        before.push(figure(&known.figures.auto) as f64 / figure(&known.figures.manual) as f64);
        let manual = figure(&statement(&measured.manual, id)?.figures);
        let auto = figure(&statement(&measured.auto, id)?.figures);
        after.push((manual > 0).then(|| auto as f64 / manual as f64));
    }
    let words = |values: &[Option<f64>]| {
        let list: Vec<String> =
            values.iter().map(|value| value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}"))).collect();
        list.join(" and ")
    };
    let holds = after.iter().all(|value| value.is_some_and(|v| (low..=high).contains(&v)));
    let before_known: Vec<Option<f64>> = before.iter().copied().map(Some).collect();
    Ok(Finding::new(
        json!(before),
        json!(after),
        format!("{} (published {})", words(&after), words(&before_known)),
        holds,
    ))
}

fn index_size(spec: &ExpectationSpec, published: &Published, measured: &Measured) -> Result<Finding> {
    let (low, high) = spec.bounds()?;
    let before = published.segments.auto.index as f64 / published.segments.manual.index as f64 - 1.0;
    let (manual, auto) = (measured.manual.segments.index, measured.auto.segments.index);
    if manual == 0 || auto == 0 {
        return Err(Error::bug("an index segment without blocks"));
    }
    let after = auto as f64 / manual as f64 - 1.0;
    Ok(Finding::new(
        json!(before),
        json!(after),
        format!("{}: {} and {} blocks (published {})", percent(after), grouped(manual), grouped(auto), percent(before)),
        (low..=high).contains(&after),
    ))
}
