//! One segment draws most of the work or the waits of the sessions.

use report::model::SegmentOrder;
use report::profile::{BlockWaits, Profile, Site};

use crate::judge::prelude::*;
use crate::sums::buffer_busy::SpacePart;
use crate::sums::counted;
use crate::sums::segments::{self, Leader, MOST};
use crate::traces::buffers::{Classes, DATA, NO_CLASSES, is_buffer_busy, places, total_s, waited};
use crate::traces::waits::describe;

/// Of the waits for data blocks of a trace: a block that has so much is named in the title.
const ONE_BLOCK: f64 = 0.5;

/// And it stands for a tenth of DB time.
const MUCH: f64 = 0.1;

pub(super) const ABOUT: About = About {
    id: "hot-segment",
    place: Place { report: 240, trace: 150 },
    title: "One segment draws most of what sessions do or wait for",
    looks_at: "Segments by buffer busy, row lock and ITL waits, physical reads, logical reads.",
    formula: "\
        share    = the segment's value / the total of the statistic; of waits, the printed share of all segments that \
        were captured\n\
        seconds  = share x the seconds that the measure stands for (its wait, or all reading)\n\
        severity = the largest of these seconds / DB time; none for logical reads\n\
        \n\
        Of buffer busy waits only those count that no other finding is about: not undo, bitmaps, segment headers and \
        free lists, nor data blocks that [freelist-contention](freelist-contention.md) claims; an index is \
        [right-hand-index](right-hand-index.md)'s.",
    limits: limits![Share(MOST), Share(MUCH), Share(ONE_BLOCK)],
    thresholds: &["{MOST} of a measure (`MOST`), and {MUCH} of DB time (`MUCH`): our own choice."],
    refuted_by: &[
        "Logical reads are no time: gets do not all cost the same, and the statements on a segment that had 98 % of \
            the gets took two thirds of the CPU. They get low confidence and no seconds, and are named only where that \
            part of the CPU would be {MUCH} of DB time. Shares of captured segments are larger than shares of all.",
    ],
    what_to_do: "The statements that use it; where sessions change it at once: partitions, reverse keys, another \
        order.",
    experiment: experiment::FREELISTS,
    in_report,
    in_trace: InTrace::Judge {
        page: "Data blocks that statements other than inserts wanted, with the object, the statement, and the block \
            where one has {ONE_BLOCK} of it. Without block classes it is told with low confidence, and not of which \
            object.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

struct Candidate {
    leader: Leader,
    measure: &'static str,
    seconds: f64,
    /// The seconds are a measure of time, and no guess from another one.
    measured: bool,
    how: &'static str,
    confidence: Confidence,
}

fn in_report(case: &Case<'_>) -> Verdict {
    if case.report.segments.is_none() {
        return cannot_tell("the lists of segments (Segment Statistics)");
    }
    let total = case.sums.db_time.total_s.or_missing("DB time")?;
    let mut candidates = candidates(case);
    // Measured candidates go before guessed ones.
    candidates.sort_by(|one, other| {
        let rank = |candidate: &Candidate| {
            candidate.measured && case.sums.db_time.share(candidate.seconds).is_some_and(|share| share >= MUCH)
        };
        rank(other).cmp(&rank(one)).then(other.seconds.total_cmp(&one.seconds))
    });
    let Some(first) = candidates.into_iter().next() else {
        return ruled_out("no segment has half of anything that is measured");
    };
    let figure = format!("{}: {} of the {}", first.leader.name, percent(first.leader.share), first.measure);
    case.not_idle(&figure)?;
    let Some(share) = case.sums.db_time.share(first.seconds) else {
        return cannot_tell(format!("figures that agree: {} is more than DB time", seconds(first.seconds)));
    };
    if share < MUCH {
        return ruled_out(format!(
            "{figure}, which is {} of {} DB time ({})",
            seconds(first.seconds),
            seconds(total),
            percent(share)
        ));
    }
    let has = format!("{} has {} of the {}", first.leader.name, percent(first.leader.share), first.measure);
    let found = if first.measured {
        finding(&ABOUT, format!("{has}: about {} of DB time", percent(share)), case.unless_starved(first.confidence))
            .weight(share, first.seconds)
    } else {
        let cpu = case.sums.db_time.cpu_s.unwrap_or(first.seconds);
        finding(
            &ABOUT,
            format!("{has}; how much of the CPU ({}) that is cannot be told", seconds(cpu)),
            Confidence::Low,
        )
    };
    found
        .evidence(section::SEGMENTS, figure)
        .doubt(first.how)
        .doubt_if(case.sums.busy.background_doubt().filter(|_| first.measure == BUFFERS))
        .doubt_if(case.starved_doubt().filter(|_| first.measure.ends_with("waits")))
        .advise("look at the statements that use it (sql-concentration): fewer executions, a plan that touches fewer of its blocks")
        .advise("where the waits are of concurrent changes, spread its rows: partitions, a reverse key, another order of inserts")
        .found()
}

/// The segments that have half of a measure, with the seconds that the measure stands for.
fn candidates(case: &Case<'_>) -> Vec<Candidate> {
    let sums = case.sums;
    let foreground = &sums.foreground;
    let row_locks = foreground.together(&["enq: TX - row lock"]).0;
    let slots = foreground.together(&["enq: TX - allocate ITL"]).0;
    let statistic = |name: &str| counted(case.report, name);
    let waits = "seconds of the wait, in proportion to the waits of the segments that were captured";
    let (buffers_s, buffers_how, buffers_confidence) = if sums.busy.by_class {
        (
            buffers(case),
            "seconds of the wait but for undo, bitmaps and lists of free blocks, in proportion to the waits of the segments that were captured",
            Confidence::Medium,
        )
    } else {
        (
            sums.busy.seconds,
            "waits by class are not in the report: those for undo, which is no segment of the list, may be among these",
            Confidence::Low,
        )
    };
    let measures = [
        (SegmentOrder::BufferBusyWaits, BUFFERS, buffers_s, None, buffers_how, buffers_confidence),
        (
            SegmentOrder::RowLockWaits,
            "row lock waits captured by segment",
            Some(row_locks),
            None,
            waits,
            Confidence::Medium,
        ),
        (SegmentOrder::ItlWaits, "ITL waits captured by segment", Some(slots), None, waits, Confidence::Medium),
        (
            SegmentOrder::PhysicalReads,
            "physical reads",
            sums.reads.seconds,
            statistic("physical reads"),
            "seconds of reading, in proportion to blocks read",
            Confidence::Medium,
        ),
        (
            SegmentOrder::LogicalReads,
            "logical reads",
            sums.db_time.cpu_s,
            statistic("session logical reads"),
            "gets do not all cost the same, and CPU is spent on other things too: no time is attributed to them",
            Confidence::Low,
        ),
    ];
    measures
        .into_iter()
        .filter_map(|(order, measure, seconds, whole, how, confidence)| {
            let leader = segments::leader(case.report, order, whole).filter(|leader| leader.share >= MOST)?;
            let seconds = seconds? * leader.share;
            let measured = order != SegmentOrder::LogicalReads;
            Some(Candidate { leader, measure, seconds, measured, how, confidence })
        })
        .collect()
}

const BUFFERS: &str = "buffer busy waits captured by segment";

/// Seconds in buffer busy waits that no other finding is about: not those for undo, for bitmaps and lists of free
/// blocks, of an index or of inserts.
fn buffers(case: &Case<'_>) -> Option<f64> {
    if segments::busy_index(case.report).is_some() {
        return Some(0.0);
    }
    let busy = &case.sums.busy;
    let own = busy.seconds_of(SpacePart::Data)? + busy.seconds_of(SpacePart::Other)?;
    Some((own - super::freelist_contention::claimed_data_s(case)).max(0.0))
}

/// Data blocks that are wanted by statements other than inserts.
fn in_trace(view: &View<'_>) -> Verdict {
    let (count, total) = waited(view)?;
    let Some(classes) = Classes::of(view) else { return without_classes(view, count, total) };
    // Inserts that are told by another id are not told again.
    let told = if classes.insert_s * 2.0 >= classes.data_s { classes.insert_s } else { classes.index_s };
    let (profile, hot_s) = (classes.profile, classes.data_s - told);
    if !view.matters(hot_s) {
        return ruled_out(format!(
            "data blocks that other sessions were changing or reading: {}",
            view.of_elapsed(hot_s)
        ));
    }
    let wanted = |site: &Site| site.class == Some(DATA);
    let busy = |site: &Site| wanted(site) && is_buffer_busy(&profile.events[site.event].name);
    let objects = profile.by(busy, |site| site.object);
    let object = objects.first().and_then(|(object, _, _)| *object);
    let statement = profile.by(busy, |site| site.statement).first().and_then(|(statement, _, _)| *statement);
    let by = statement.map_or_else(String::new, |statement| format!(", by {}", view.statement(statement)));
    let of = object.map_or_else(String::new, |object| format!(" of {}", view.object(object)));
    let one_block =
        hottest(profile).filter(|(_, share)| *share >= ONE_BLOCK).map_or_else(String::new, |(block, share)| {
            format!(": {} of it for file {} block {}", percent(share), block.file, block.block)
        });
    let title =
        format!("Waited {} for data blocks{of} that other sessions were using{by}{one_block}", view.of_elapsed(hot_s));
    let mut found = view.finding(&ABOUT, hot_s, title, Confidence::High);
    places(view, profile, &wanted, &mut found);
    found
        .doubt("what the other sessions did with the blocks is in their traces")
        .advise("spread the rows that are worked on at the same time: fewer rows a block (a larger PCTFREE, MINIMIZE RECORDS_PER_BLOCK, a smaller block size), hash partitions")
        .advise("let each session work on a range of blocks of its own")
        .found()
}

/// TKPROF's tables, and traces to 9i, have no block classes.
fn without_classes(view: &View<'_>, count: f64, total: f64) -> Verdict {
    let title = format!(
        "Waited {} for buffers that other sessions were using: {} waits",
        view.of_elapsed(total),
        number(count)
    );
    let mut found = view.finding(&ABOUT, total, title, Confidence::Low);
    describe(view, &is_buffer_busy, &mut found);
    found
        .doubt(format!("which object, and whether of it data blocks, is not told: missing {NO_CLASSES}"))
        .advise("trace the session again, or read its trace file, for the object and the block class")
        .found()
}

/// The data block with the longest waits, with its share of all such waits.
fn hottest(profile: &Profile) -> Option<(&BlockWaits, f64)> {
    let whole = total_s(profile, |site| site.class == Some(DATA));
    let mut blocks = profile.blocks.iter();
    let block = blocks.find(|block| block.class == Some(DATA) && is_buffer_busy(&profile.events[block.event].name))?;
    (whole > 0.0).then(|| (block, block.waits.total_ns as f64 / 1e9 / whole))
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain, segment};

    plain().waiting("enq: TX - row lock contention", 900.0, 2_000.0).with(|report| {
        report.segments = Some(vec![segment(SegmentOrder::RowLockWaits, "T", "TABLE", 900.0)]);
    })
}
