//! One-block reads take long.

use crate::judge::prelude::*;
use crate::traces::reads::is_single;
use crate::traces::waits::describe;

/// Expected time of a one-block read on a disk: the default of Oracle's own advisor (DBIO_EXPECTED, 10,000
/// microseconds).
pub(super) const EXPECTED_MS: f64 = 10.0;
/// Fewer reads have no average to speak of.
pub(super) const ENOUGH: f64 = 100.0;

pub(super) const ABOUT: About = About {
    id: "slow-reads",
    place: Place { report: 90, trace: 180 },
    title: "One-block reads take long",
    looks_at: "`db file sequential read`, `cell single block physical read`; the event's histogram; tablespaces.",
    formula: "\
        average  = total / waits, or the printed average, whichever has more digits\n\
        severity = seconds of one-block reads / DB time\n\
        saving   = reads x (average - {EXPECTED_MS}) to reads x (average - target), never above the wait",
    limits: limits![Ms(EXPECTED_MS), Count(ENOUGH)],
    thresholds: &[
        OF_DB_TIME,
        "{EXPECTED_MS} (`EXPECTED_MS`): what a disk is expected to need for a block, the default of Oracle's own \
            advisor (DBIO_EXPECTED, 10,000 us).",
        "At least {ENOUGH} reads (`ENOUGH`): fewer have no average to speak of.",
    ],
    refuted_by: &[
        "The time is as the session saw it: a queue of the host and a slow device look alike. Below {EXPECTED_MS}, \
            much time in reads is [many-reads](many-reads.md). Direct path waits are never taken: they do not measure \
            I/O time.",
    ],
    what_to_do: "Compare with the storage's own figures; look for the files ([file-skew](file-skew.md)) and statements \
        that the reads belong to.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge {
        page: "Single-block reads by the same thresholds; half of them and 99 of 100 are told by their length, since an \
            average of 12 ms may be 2 ms and a second.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let reads = &case.sums.reads;
    let single_s = case.sums.foreground.measured(reads.single_s);
    let share = match case.weigh("one-block reads", single_s) {
        Ok(share) => share,
        Err(NotFound::RuledOut(reason)) => {
            let average =
                reads.single_ms.map_or_else(String::new, |average| format!(", {} each", milliseconds(average)));
            return ruled_out(format!("{reason}{average}"));
        }
        Err(other) => return Err(other),
    };
    let Some(average) = reads.single_ms.filter(|_| reads.single_waits >= ENOUGH) else {
        return cannot_tell(format!("reads enough for an average: {} one-block reads", number(reads.single_waits)));
    };
    if average < EXPECTED_MS {
        return ruled_out(format!(
            "one-block reads average {}, below the {} that a disk is expected to need; see many-reads",
            milliseconds(average),
            milliseconds(EXPECTED_MS)
        ));
    }
    let title = format!(
        "One-block reads take {} each: {} ({} of DB time)",
        milliseconds(average),
        seconds(reads.single_s),
        percent(share)
    );
    let low = reads.single_waits * (average - EXPECTED_MS).max(0.0) / 1000.0;
    let high = reads.single_waits * (average - case.options.storage_ms).max(0.0) / 1000.0;
    let mut found = listed(
        finding(&ABOUT, title, case.unless_starved(Confidence::High)).weight(share, reads.single_s),
        case.sums.foreground.section,
        &reads.cached,
    );
    if let Some(spread) = spread(case) {
        found = found.evidence("Wait Event Histogram", spread);
    }
    for line in case
        .report
        .tablespaces
        .iter()
        .flatten()
        .filter(|line| line.read_ms.is_some_and(|time| time.value >= EXPECTED_MS))
        .take(3)
    {
        if let (Some(count), Some(time)) = (line.reads.filter(|count| count.value >= ENOUGH), line.read_ms) {
            found = found.evidence(
                section::TABLESPACES,
                format!("{}: {} reads, {} each", line.tablespace, number(count.value), milliseconds(time.value)),
            );
        }
    }
    found
        .saves(case.saving(low, high.min(reads.single_s), format!("from a disk's {} at the one end to {} at the other, the number of reads unchanged", milliseconds(EXPECTED_MS), case.target())))
        .doubt("the time is as the session saw it: a queue of the host or of the storage and a slow device look alike")
        .doubt_if(case.slowed_doubt())
        .advise("compare with the storage's own figures: if it answers fast, the time is lost between it and the database")
        .advise("look for the files and the statements that the reads belong to (file-skew, sql-concentration) before moving everything")
        .found()
}

/// The share of slow waits, if the report has a histogram: an average of 10 ms may be a thousand fast reads and one
/// stall.
fn spread(case: &Case<'_>) -> Option<String> {
    let histogram = case
        .report
        .histograms
        .as_ref()?
        .iter()
        .find(|line| line.name == "db file sequential read" && line.buckets.len() > 4)?;
    let below = |limit_us: f64| {
        histogram
            .buckets
            .iter()
            .filter(|bucket| bucket.below_us.is_some_and(|below| below <= limit_us))
            .map(|bucket| bucket.percent)
            .sum::<f64>()
    };
    let known: f64 = histogram.buckets.iter().map(|bucket| bucket.percent).sum();
    (90.0..=101.0).contains(&known).then(|| {
        format!(
            "db file sequential read: {} below 1 ms, {} below 8 ms, {} of 32 ms and more",
            percent(below(1_024.0) / 100.0),
            percent(below(8_192.0) / 100.0),
            percent((100.0 - below(32_768.0)).max(0.0) / 100.0)
        )
    })
}

/// The single-block reads of a trace.
#[derive(Debug)]
pub(super) struct Single {
    pub(super) count: f64,
    pub(super) total_s: f64,
    pub(super) average_ms: Option<f64>,
    pub(super) slow: bool,
}

impl Single {
    pub(super) fn of(view: &View<'_>) -> Self {
        let (count, total_s) = view.waited(&is_single);
        let average_ms = (count > 0.0).then(|| total_s / count * 1e3);
        let slow = average_ms.is_some_and(|average| average >= EXPECTED_MS) && count >= ENOUGH;
        Self { count, total_s, average_ms, slow }
    }
}

fn in_trace(view: &View<'_>) -> Verdict {
    view.need_waits()?;
    let single = Single::of(view);
    let text = single.average_ms.map_or_else(
        || "no single-block read".to_owned(),
        |average| format!("{} single-block reads of {}", number(single.count), milliseconds(average)),
    );
    if !single.slow || !view.matters(single.total_s) {
        return ruled_out(format!("{text}; slow is {EXPECTED_MS:.0} ms and more"));
    }
    let title = format!("Waited {} for slow reads: {text}", view.of_elapsed(single.total_s));
    let mut found = view.finding(&ABOUT, single.total_s, title, Confidence::High);
    describe(view, &is_single, &mut found);
    found
        .evidence_if("Waits by length", lengths(view))
        .doubt(
            "the average of one session in one stretch of time: a report over the same time tells whether all suffer",
        )
        .advise(
            "find what queues on the device: other load, a degraded array, a full cache of the array; then fewer reads",
        )
        .found()
}

/// The distribution of the single-block reads of a trace.
fn lengths(view: &View<'_>) -> Option<String> {
    let event = view.profile?.event("db file sequential read")?;
    let below = |share: f64| event.histogram.percentile_us(share).map(|us| milliseconds(us as f64 / 1e3));
    Some(format!("half of the reads took less than {}, 99 of 100 less than {}", below(0.5)?, below(0.99)?))
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("db file sequential read", 100_000.0, 2_500.0)
}
