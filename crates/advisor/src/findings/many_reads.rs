//! DB time goes into reading, because there is so much of it: at the expected latency it would still be much.

use super::slow_reads::EXPECTED_MS;
use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, milliseconds, number, percent, seconds};
use crate::sums::counted;

pub(super) const ID: &str = "many-reads";

/// Share of DB time in reads of the expected latency.
const MUCH: f64 = 0.1;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let reads = &case.sums.reads;
    let share = match case.weigh("reads", reads.seconds) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let (Some(total), Some(db_time)) = (reads.seconds, case.sums.db_time.total_s) else {
        return Verdict::CannotTell("DB time".to_owned());
    };
    // What reading would take if each one-block read took no longer than a disk should need.
    let slow = reads
        .single_ms
        .filter(|average| *average > EXPECTED_MS)
        .map_or(0.0, |average| reads.single_s * (1.0 - EXPECTED_MS / average));
    if (total - slow) / db_time < MUCH {
        return Verdict::RuledOut(format!(
            "reads that take no longer than expected: {} of {} DB time ({})",
            seconds(total - slow),
            seconds(db_time),
            percent((total - slow) / db_time)
        ));
    }
    let direct: f64 = reads.direct.iter().map(|wait| wait.seconds).sum();
    let title = format!("{} of DB time is reading: {}", percent(share), seconds(total));
    let all: Vec<_> = {
        let mut all: Vec<_> = reads.cached.iter().chain(&reads.direct).cloned().collect();
        all.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
        all
    };
    let mut found = listed(
        finding(ID, title, case.unless_starved(Confidence::High)).weight(share, total),
        case.sums.foreground.section,
        &all,
    );
    if let (Some(blocks), Some(elapsed)) = (counted(case.report, "physical reads"), case.sums.db_time.elapsed_s) {
        let size = case
            .report
            .caches
            .block_bytes
            .map_or_else(String::new, |size| format!(", {} a second", bytes(blocks * size / elapsed)));
        found = found.evidence(section::ACTIVITY, format!("{} blocks read{size}", number(blocks)));
    }
    if let Some(share) = case.sums.host.oracle_memory_share.filter(|_| direct < 0.5 * total) {
        let cache = case
            .report
            .caches
            .buffer_cache_bytes
            .map_or_else(String::new, |size| format!("; buffer cache {}", bytes(size)));
        found =
            found.evidence(section::MEMORY, format!("SGA and PGA are {} of the host's memory{cache}", percent(share)));
        if share < 0.5 {
            found =
                found.advise("give the buffer cache memory that nobody uses: blocks that are found there are not read");
        }
    }
    if direct > 0.5 * total {
        found = found
            .doubt("direct path waits do not measure I/O time: many requests are in flight, so neither their number nor their average is a read's")
            .advise("read less: the scans of whole segments by the statements at the top, by an index, a partition, a result kept");
    } else {
        found = found.advise("read less: look at the statements at the top by reads and by gets for plans that touch more blocks than they return rows");
    }
    if let Some(average) = reads.single_ms.filter(|_| reads.single_s > 0.5 * total) {
        let high = reads.single_waits * (average - case.options.storage_ms).max(0.0) / 1000.0;
        let low = 0.5 * high;
        let assumption = format!(
            "the same one-block reads on {} instead of {}; half of it if the queue of the sessions moves on to CPU",
            case.target(),
            milliseconds(average)
        );
        found = found.saves(case.saving(low, high.min(reads.single_s), assumption));
    }
    found.doubt_if(case.slowed_doubt()).shown_by(experiment::BLOCK_SIZE).found()
}
