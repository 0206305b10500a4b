//! DB time goes into reading because of the number of reads: at the expected latency it would still be much.

use crate::judge::prelude::*;
use crate::sums::counted;
use crate::traces::reads::{is_read, is_single};
use crate::traces::waits::describe;

use super::slow_reads::{EXPECTED_MS, Single};

/// Share of DB time in reads of the expected latency.
const MUCH: f64 = 0.1;

pub(super) const ABOUT: About = About {
    id: "many-reads",
    place: Place { report: 100, trace: 190 },
    title: "DB time goes into reading, because there is so much of it",
    looks_at: "All foreground waits for reads, `read by other session` and direct path reads among them; blocks read; \
        memory of the host that nobody uses.",
    formula: "\
        severity = seconds of all read waits / DB time\n\
        judged   = the same with one-block reads at no more than {EXPECTED_MS} each: what remains when they are not \
        slow\n\
        saving   = one-block reads x (average - target), half of it to all of it",
    limits: limits![Share(MUCH), Ms(EXPECTED_MS)],
    thresholds: &["{MUCH} of DB time (`MUCH`): reading is what databases do, and less of it is no finding."],
    refuted_by: &[
        "Direct path waits measure neither the number nor the latency of reads: no saving is computed of them.",
    ],
    what_to_do: "Read less: statements at the top by reads and gets; the buffer cache where the host has memory to \
        spare; faster storage last.",
    experiment: experiment::BLOCK_SIZE,
    in_report,
    in_trace: InTrace::Judge {
        page: "All reads, without the single-block reads where these are [slow](slow-reads.md).",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let reads = &case.sums.reads;
    let share = case.weigh("reads", reads.seconds)?;
    let (Some(total), Some(db_time)) = (reads.seconds, case.sums.db_time.total_s) else {
        return cannot_tell("DB time");
    };
    // The time of the reads if each one-block read took no longer than a disk should need.
    let slow = reads
        .single_ms
        .filter(|average| *average > EXPECTED_MS)
        .map_or(0.0, |average| reads.single_s * (1.0 - EXPECTED_MS / average));
    if (total - slow) / db_time < MUCH {
        return ruled_out(format!(
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
        finding(&ABOUT, title, case.unless_starved(Confidence::High)).weight(share, total),
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
    found.doubt_if(case.slowed_doubt()).found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    view.need_waits()?;
    let single = Single::of(view);
    let (all, all_s) = view.waited(&is_read);
    let (rest, rest_s) = if single.slow { (all - single.count, all_s - single.total_s) } else { (all, all_s) };
    if !view.matters(rest_s) {
        return ruled_out(format!("{} reads: {}", number(all), view.of_elapsed(all_s)));
    }
    let title = format!(
        "Waited {} for reads: {} of {}",
        view.of_elapsed(rest_s),
        number(rest),
        milliseconds(rest_s / rest.max(1.0) * 1e3)
    );
    let mut found = view.finding(&ABOUT, rest_s, title, Confidence::Medium);
    describe(view, &|event| is_read(event) && !(single.slow && is_single(event)), &mut found);
    found
        .doubt("the reads are not slow, so that the statement's plan and the size of the cache decide, not the storage")
        .advise("look at the plan of the statement that reads most: an index that is missing, or one that should not be used")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("db file sequential read", 1_000_000.0, 4_000.0)
}
