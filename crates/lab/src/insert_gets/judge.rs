//! Judges the measured figures: a function for each expectation of the data file.
//!
//! An expectation is undecided when the published size of a table leaves it open for one of another size, and for no
//! other reason.

use common::{BlockClass, Error, Result};
use serde_json::{Value, json};

use super::measured::Statement;
use super::paper::Figures;
use super::work::Work;
use super::{Comparison, arms};
use crate::clustering;
use crate::experiment::declaration::Judge;
use crate::experiment::expectation::{ExpectationSpec, Finding, Tally};
use crate::text::{grouped, percent, signed};

/// The inserts into a table without an index.
const PLAIN_INSERTS: [&str; 2] = ["first_insert", "second_insert"];
/// Number of times that the source is inserted.
const INSERTS: u64 = 3;
/// Gets of a full scan beside those of its blocks and the segment header: the first block of bitmaps says how far to
/// read, and an extent map goes on in a block of its own. In a large table they are within the expectation's range.
const SCAN_EXTRA_GETS: u64 = 2;
/// Autoallocate extents in blocks of 8 KB: 64 KB, 1 MB, 8 MB, 64 MB.
const EXTENT_BLOCKS: [u64; 4] = [8, 128, 1024, 8192];

pub(super) static JUDGES: [(&str, Judge<Work>); 8] = [
    ("source_scan", source_scan),
    ("table_sizes", table_sizes),
    ("gets_add_up", gets_add_up),
    ("auto_costs_more", auto_costs_more),
    ("current_ratio", |spec, of| ratio(spec, of, |figures| figures.current)),
    ("consistent_ratio", |spec, of| ratio(spec, of, |figures| figures.query)),
    ("index_size", index_size),
    ("clustering", |_, of| clustering::judge(&of.measured.rest.clustering)),
];

/// Marks expectations that a fitted source weakens.
pub(super) fn qualify(spec: &ExpectationSpec, of: &Comparison, found: Finding) -> Finding {
    match weakened(&spec.id, of).filter(|_| of.measured.rest.source.fitted.is_some()) {
        Some(why) => found.weakened(why),
        None => found,
    }
}

/// The limit of an expectation when the rows of the source were fitted to a published figure.
fn weakened(id: &str, of: &Comparison) -> Option<String> {
    let (paper, [manual, _]) = (&of.published.paper, of.runs().ok()?);
    match id {
        "source_scan" => {
            Some("that this source's sum is near the published gets is the fit; its being a sum is not".to_owned())
        }
        "table_sizes" if of.measured.rest.source.rows == paper.rows => {
            // Sizes are whole extents: as many blocks of rows as end in the last one make the same size.
            let most = paper.segments.manual.table;
            let fewer = most.saturating_sub(manual.table_extents.last().copied().unwrap_or(0));
            Some(format!(
                "the length of the rows was fitted. Any source of {} to {} blocks, inserted {INSERTS} times, ends in the extent that makes {} blocks: \
                 this shows extents and equal sizes, not the length of rows",
                grouped(fewer / INSERTS + 1),
                grouped(most / INSERTS),
                grouped(most)
            ))
        }
        "current_ratio" | "consistent_ratio" => Some(
            "how many rows a block takes is fitted, and with it how gets of rows and gets of blocks are mixed"
                .to_owned(),
        ),
        _ => None,
    }
}

fn source_scan(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let ((low, high), [manual, auto]) = (spec.bounds()?, of.runs()?);
    let (blocks, published) = (of.measured.rest.source.blocks, of.published.paper.source_blocks_read);
    let due = blocks + 1;
    let manual = manual.statement("source_scan")?.figures.query;
    let auto = auto.statement("source_scan")?.figures.query;
    // In a small table the scan's fixed gets are more than the range leaves them.
    let most = (due as f64 * high).max((due + SCAN_EXTRA_GETS) as f64);
    let holds = [manual, auto].into_iter().all(|gets| (due as f64 * low..=most).contains(&(gets as f64)));
    Ok(Finding::new(
        json!(published),
        json!({"manual": manual, "auto": auto, "blocks_and_header": due}),
        format!(
            "{} and {} gets for {} blocks and a header (published {} gets)",
            grouped(manual),
            grouped(auto),
            grouped(blocks),
            grouped(published)
        ),
        holds,
    ))
}

fn table_sizes(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (runs, source, paper) = (of.runs()?, &of.measured.rest.source, &of.published.paper);
    let [manual, auto] = runs.map(|run| run.segments.table);
    let whole = runs.into_iter().all(|arm| {
        arm.table_extents.iter().all(|blocks| EXTENT_BLOCKS.contains(blocks))
            && arm.table_extents.iter().sum::<u64>() == arm.segments.table
    });
    let expected = paper.segments;
    let same_rows = source.rows == paper.rows && source.published_shape;
    let as_published = manual == expected.manual.table && auto == expected.auto.table;
    let found = Finding::new(
        json!({"manual": expected.manual.table, "auto": expected.auto.table}),
        json!({"manual": manual, "auto": auto, "whole_extents": whole}),
        format!(
            "{} and {} blocks{} (published{} {} and {})",
            grouped(manual),
            grouped(auto),
            if whole { ", whole extents" } else { ", NOT whole extents" },
            if same_rows { "" } else { " for other rows" },
            grouped(expected.manual.table),
            grouped(expected.auto.table)
        ),
        manual == auto && whole && (as_published || !same_rows),
    );
    // Bitmap blocks lie in the segment too. Where the rows fill its last extent to the end, they need one more.
    let last = runs[1].table_extents.last().copied().unwrap_or(0);
    Ok(if !same_rows && whole && auto > manual && auto - manual <= last {
        found.undecided("rows of this size end where bitmap blocks need one more extent; the published ones did not")
    } else {
        found
    })
}

/// The counters that gets by class are held against are no sums of them: the segment statistics, where a block is
/// latched; the kinds of consistent reads and the examinations, where a block is made as the query has to see it or
/// looked at as it is; and the trace, call by call.
fn gets_add_up(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (mut checked, mut traced) = (0_u64, 0_u64);
    let (mut gets, mut of_segments, mut consistent, mut examined) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for (arm, run) in arms().into_iter().zip(of.runs()?) {
        for statement in &run.statements {
            let query: u64 = statement.gets.iter().map(|gets| gets.query).sum();
            let current: u64 = statement.gets.iter().map(|gets| gets.current).sum();
            checked += 1;
            gets += query + current;
            of_segments += statement.segment_gets;
            consistent += statement.consistent_reads;
            examined += statement.examinations;
            let mut differ = |what: &str, mine: u64, theirs: u64| {
                if mine != theirs {
                    wrong.push(format!(
                        "{} ({}): {what}, {} and {}",
                        statement.id,
                        arm.name(),
                        grouped(mine),
                        grouped(theirs)
                    ));
                }
            };
            differ("query", query, statement.figures.query);
            differ("current", current, statement.figures.current);
            differ("blocks of segments", statement.gets_of_segments(), statement.segment_gets);
            // Headers and bitmaps are neither.
            let read = [BlockClass::Data, BlockClass::UndoBlock].map(|class| statement.gets_of(class.name()).query);
            let due = statement.consistent_reads + statement.examinations;
            differ("consistent gets of data and undo", read.iter().sum(), due);
            if let Some(tkprof) = &statement.tkprof {
                traced += 1;
                differ("query in the trace", query, tkprof.query);
                differ("current in the trace", current, tkprof.current);
            }
        }
    }
    let mut figures = format!(
        "{checked} statements, {} gets. Counted apart, and in parts by more than one: {} of blocks of segments, by the segment statistics; {} \
         consistent ones of data and undo, by those of reads ({} reads, {} examinations); all of {traced} statements, by TKPROF of the arm's trace",
        grouped(gets),
        grouped(of_segments),
        grouped(consistent + examined),
        grouped(consistent),
        grouped(examined)
    );
    if !wrong.is_empty() {
        figures = format!("{figures}; not: {}", wrong.join(", "));
    }
    Ok(Finding::new(
        Value::Null,
        json!({
            "statements": checked,
            "gets": gets,
            "also_by_segment": of_segments,
            "also_as_consistent_reads": consistent,
            "also_as_examinations": examined,
            "also_in_the_trace": traced,
            "disagree": wrong,
        }),
        figures,
        wrong.is_empty() && checked > 0,
    ))
}

fn auto_costs_more(_: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let (mut tally, [manual, auto]) = (Tally::new(), of.runs()?);
    for id in PLAIN_INSERTS {
        let known = of.published.paper.statement(id)?;
        let (manual, auto) = (manual.statement(id)?, auto.statement(id)?);
        let current = auto.figures.current as i64 - manual.figures.current as i64;
        let query = auto.figures.query as i64 - manual.figures.query as i64;
        let by_class = excess_by_class(manual, auto);
        let named: i64 = by_class.iter().map(|(_, _, excess)| excess).sum();
        // Every get of the excess has a class, or the sum is off.
        let holds = current > 0 && query >= 0 && named == current;
        let published = json!({
            "statement": id,
            "current": known.figures.auto.current as i64 - known.figures.manual.current as i64,
            "query": known.figures.auto.query as i64 - known.figures.manual.query as i64,
        });
        let classes: serde_json::Map<String, Value> =
            by_class.iter().map(|(class, _, excess)| (class.clone(), json!(excess))).collect();
        let list: Vec<String> =
            by_class.iter().map(|(class, _, excess)| format!("{} {class}", signed(*excess))).collect();
        let words =
            format!("{}: current {} ({}), consistent {}", known.name, signed(current), list.join(", "), signed(query));
        let measured = json!({"statement": id, "current": current, "query": query, "current_by_class": classes});
        tally.add(published, measured, words, holds);
    }
    Ok(tally.finding(""))
}

/// Class, current gets under freelists, and the additional ones under bitmaps; classes without a difference are left
/// out.
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

fn ratio(spec: &ExpectationSpec, of: &Comparison, figure: impl Fn(&Figures) -> u64) -> Result<Finding> {
    let ((low, high), [manual, auto]) = (spec.bounds()?, of.runs()?);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for id in PLAIN_INSERTS {
        let known = of.published.paper.statement(id)?;
        before.push(figure(&known.figures.auto) as f64 / figure(&known.figures.manual) as f64);
        let [manual, auto] = [manual, auto].map(|run| run.statement(id).map(|statement| figure(&statement.figures)));
        let (manual, auto) = (manual?, auto?);
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

fn index_size(spec: &ExpectationSpec, of: &Comparison) -> Result<Finding> {
    let ((low, high), known) = (spec.bounds()?, of.published.paper.segments);
    let before = known.auto.index as f64 / known.manual.index as f64 - 1.0;
    let [manual, auto] = of.runs()?.map(|run| run.segments.index);
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
