//! One segment draws most of what sessions do or wait for.

use report::model::SegmentOrder;

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{percent, seconds};
use crate::sums::buffer_busy::Kind;
use crate::sums::counted;
use crate::sums::segments::{self, Leader, MOST};

pub(super) const ID: &str = "hot-segment";

/// And it stands for a tenth of DB time.
const MUCH: f64 = 0.1;

struct Candidate {
    leader: Leader,
    measure: &'static str,
    seconds: f64,
    /// The seconds are a measure of time, and no guess from another one.
    measured: bool,
    how: &'static str,
    confidence: Confidence,
}

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    if case.report.segments.is_none() {
        return Verdict::CannotTell("the lists of segments (Segment Statistics)".to_owned());
    }
    let Some(total) = case.sums.db_time.total_s else {
        return Verdict::CannotTell("DB time".to_owned());
    };
    let mut candidates = candidates(case);
    // What is measured goes before what is guessed.
    candidates.sort_by(|one, other| {
        let rank = |candidate: &Candidate| {
            candidate.measured && case.sums.db_time.share(candidate.seconds).is_some_and(|share| share >= MUCH)
        };
        rank(other).cmp(&rank(one)).then(other.seconds.total_cmp(&one.seconds))
    });
    let Some(first) = candidates.into_iter().next() else {
        return Verdict::RuledOut("no segment has half of anything that is measured".to_owned());
    };
    let figure = format!("{}: {} of the {}", first.leader.name, percent(first.leader.share), first.measure);
    if let Some(idle) = case.idle() {
        return Verdict::RuledOut(format!("{figure}; {idle}"));
    }
    let Some(share) = case.sums.db_time.share(first.seconds) else {
        return Verdict::CannotTell(format!("figures that agree: {} is more than DB time", seconds(first.seconds)));
    };
    if share < MUCH {
        return Verdict::RuledOut(format!(
            "{figure}, which is {} of {} DB time ({})",
            seconds(first.seconds),
            seconds(total),
            percent(share)
        ));
    }
    let has = format!("{} has {} of the {}", first.leader.name, percent(first.leader.share), first.measure);
    let found = if first.measured {
        finding(ID, format!("{has}: about {} of DB time", percent(share)), case.unless_starved(first.confidence))
            .weight(share, first.seconds)
    } else {
        let cpu = case.sums.db_time.cpu_s.unwrap_or(first.seconds);
        finding(ID, format!("{has}; how much of the CPU ({}) that is cannot be told", seconds(cpu)), Confidence::Low)
    };
    found
        .evidence(section::SEGMENTS, figure)
        .doubt(first.how)
        .doubt_if(case.sums.busy.background_doubt().filter(|_| first.measure == BUFFERS))
        .doubt_if(case.starved_doubt().filter(|_| first.measure.ends_with("waits")))
        .advise("look at the statements that use it (sql-concentration): fewer executions, a plan that touches fewer of its blocks")
        .advise("where the waits are of concurrent changes, spread its rows: partitions, a reverse key, another order of inserts")
        .shown_by(experiment::FREELISTS)
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

/// Seconds in buffer busy waits that no other finding is about: not those for undo, for bitmaps and lists of free blocks, of an index or of inserts.
fn buffers(case: &Case<'_>) -> Option<f64> {
    if segments::busy_index(case.report).is_some() {
        return Some(0.0);
    }
    let busy = &case.sums.busy;
    let own = busy.seconds_of(Kind::Data)? + busy.seconds_of(Kind::Other)?;
    Some((own - super::freelist_contention::claimed_data_s(case)).max(0.0))
}
