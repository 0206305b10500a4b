//! One-block reads take long.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};

pub(super) const ID: &str = "slow-reads";

/// What a disk is expected to need for a one-block read: the default of Oracle's own advisor (DBIO_EXPECTED, 10,000 microseconds).
pub(super) const EXPECTED_MS: f64 = 10.0;
/// Fewer reads have no average to speak of.
const ENOUGH: f64 = 100.0;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let reads = &case.sums.reads;
    let single_s = case.sums.foreground.measured(reads.single_s);
    let share = match case.weigh("one-block reads", single_s) {
        Ok(share) => share,
        Err(Verdict::RuledOut(reason)) => {
            let average =
                reads.single_ms.map_or_else(String::new, |average| format!(", {} each", milliseconds(average)));
            return Verdict::RuledOut(format!("{reason}{average}"));
        }
        Err(other) => return other,
    };
    let Some(average) = reads.single_ms.filter(|_| reads.single_waits >= ENOUGH) else {
        return Verdict::CannotTell(format!(
            "reads enough for an average: {} one-block reads",
            number(reads.single_waits)
        ));
    };
    if average < EXPECTED_MS {
        return Verdict::RuledOut(format!(
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
        finding(ID, title, case.unless_starved(Confidence::High)).weight(share, reads.single_s),
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
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}

/// How much of the waits is slow, where a histogram is there: an average of 10 ms may be a thousand fast reads and one stall.
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
