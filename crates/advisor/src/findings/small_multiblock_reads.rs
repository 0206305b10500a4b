//! Multiblock reads bring fewer blocks than they are configured to, or are configured to bring few.

use crate::analysis::Saving;
use crate::judge::prelude::*;
use crate::sums::multiblock::{ENOUGH, ENOUGH_SHARE, FEW};
use crate::traces::reads::is_multiblock;
use crate::traces::waits::describe;

use super::slow_reads::ENOUGH as ENOUGH_IN_TRACE;

/// Less than this part of the configured count on average.
const PART: f64 = 0.5;
/// The default count makes a read one megabyte. A count that was set is small below a quarter of that.
const SMALL_BYTES: f64 = 256.0 * 1024.0;

pub(super) const ABOUT: About = About {
    id: "small-multiblock-reads",
    place: Place { report: 110, trace: 170 },
    title: "Multiblock reads bring fewer blocks than configured, or few are configured",
    looks_at: "`physical reads`, `physical read IO requests`, the number of one-block reads, \
        `db_file_multiblock_read_count`, waits for scans.",
    formula: "\
        blocks a read = (physical reads - one-block reads) / (physical read IO requests - one-block reads)\n\
        before 11g    = (physical reads cache - db file sequential read) / db file scattered read\n\
        severity      = seconds of db file scattered read, direct path read, cell multiblock physical read / DB time\n\
        \n\
        `physical read total multi block requests` is no base: a real 12.2 report prints 0 of them beside 84 million \
        blocks read eight at a time.",
    limits: limits![
        Share(PART),
        Bytes(SMALL_BYTES),
        Count(ENOUGH),
        Share(ENOUGH_SHARE),
        Share(FEW),
        Count(ENOUGH_IN_TRACE)
    ],
    thresholds: &[
        OF_DB_TIME,
        "Less than {PART} of what is configured (`PART`); or a count that makes reads of less than {SMALL_BYTES} \
            (`SMALL_BYTES`), a quarter of the 1 MB that reads have when nobody sets it.",
        "At least {ENOUGH} reads and {ENOUGH_SHARE} of all: fewer have no average.",
    ],
    refuted_by: &[
        "Blocks that are already in the cache cut a read short: that is no loss. Requests of utilities are among the \
            reads. Reads of temp and LOBs are not counted, and their requests are in no statistic: where they are more \
            than {FEW} of the blocks, the formula before 11g is taken.",
    ],
    what_to_do: "Leave `db_file_multiblock_read_count` unset; larger extents for segments that are scanned.",
    experiment: experiment::AU_SIZE,
    in_report,
    in_trace: InTrace::Judge {
        page: "The largest read of the trace stands for the configured count: at least {ENOUGH_IN_TRACE} multiblock \
            reads that bring less than {PART} of it on average. TKPROF does not print blocks.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let sum = &case.sums.multiblock;
    let share = case.weigh("multiblock reads", sum.wait_s)?;
    let Some(average) = sum.blocks_per_read else {
        return match sum.requests {
            Some(requests) => ruled_out(format!("{} multiblock reads: too few for an average", number(requests))),
            None => cannot_tell("physical reads and physical read IO requests (Instance Activity Stats)"),
        };
    };
    let total = sum.wait_s.or_missing("the waits of foreground processes")?;
    let block = case.report.caches.block_bytes.unwrap_or(8192.0);
    let size = bytes(average * block);
    let (title, advice, doubt) = match sum.configured {
        Some(configured) if average < PART * configured => (
            format!(
                "Multiblock reads bring {} blocks on average, {} are configured; they take {} ({} of DB time)",
                number(average),
                number(configured),
                seconds(total),
                percent(share)
            ),
            "extents that are smaller than a read, blocks already in the cache and chains of sort or temp reads cut multiblock reads short: look at the extents of the segments that are scanned",
            "blocks that are already in the cache cut a read short: that is no loss",
        ),
        Some(configured) if average * block < SMALL_BYTES => (
            format!(
                "Multiblock reads are set to {} blocks ({size} a read); they take {} ({} of DB time)",
                number(configured),
                seconds(total),
                percent(share)
            ),
            "leave db_file_multiblock_read_count unset: reads are then as large as the system takes, 1 MB as a rule",
            "whether larger reads are faster depends on what limits the storage: requests a second, or bytes",
        ),
        Some(configured) => {
            return ruled_out(format!(
                "multiblock reads bring {} blocks on average, {} are configured",
                number(average),
                number(configured)
            ));
        }
        None if average * block < SMALL_BYTES => (
            format!(
                "Multiblock reads bring {} blocks on average ({size}); they take {} ({} of DB time)",
                number(average),
                seconds(total),
                percent(share)
            ),
            "look at the extents of the segments that are scanned: a read never goes beyond one",
            "db_file_multiblock_read_count is not in the report: what is configured is not known",
        ),
        None => {
            return ruled_out(format!("multiblock reads bring {} blocks on average ({size})", number(average)));
        }
    };
    finding(&ABOUT, title, Confidence::Medium)
        .weight(share, total)
        .evidence(
            sum.section,
            format!(
                "{} blocks a read over {} reads of more than one block",
                number(average),
                number(sum.requests.unwrap_or(0.0))
            ),
        )
        .evidence_if(
            section::PARAMETERS,
            sum.configured.map(|configured| format!("db_file_multiblock_read_count {}", number(configured))),
        )
        .doubt(doubt)
        .doubt("requests of utilities and of temp are among the reads")
        .advise(advice)
        .found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    view.need_waits()?;
    let event = view.events.iter().find(|event| is_multiblock(&event.name));
    let Some((event, (blocks, most))) = event.and_then(|event| Some((event, event.blocks?))) else {
        return if view.profile.is_some() {
            ruled_out("no multiblock read")
        } else {
            cannot_tell("blocks a read: TKPROF does not print them")
        };
    };
    let average = blocks / event.count.max(1.0);
    let text =
        format!("{} multiblock reads of {} blocks, {} at most", number(event.count), number(average), number(most));
    if event.count < ENOUGH_IN_TRACE || average >= PART * most || !view.matters(event.total_s) {
        return ruled_out(text);
    }
    // The same blocks in requests of the largest size: the saved requests, each at no less than half the length of one.
    let fewer = 1.0 - average / most;
    let title = format!("Waited {} for small reads: {text}", view.of_elapsed(event.total_s));
    let mut found = view.finding(&ABOUT, event.total_s, title, Confidence::Medium);
    describe(view, &is_multiblock, &mut found);
    let assumption =
        format!("the same blocks in reads of {}: {} fewer requests, each as long as now", number(most), percent(fewer));
    found
        .evidence("Waits by length", text)
        .doubt("the largest read stands for the configured count, which a trace does not have")
        .doubt("blocks that are cached already, ends of extents and chained rows cut reads short")
        .saves(Saving { low_s: 0.0, high_s: view.bounded(event.total_s * fewer), assumption })
        .advise("extents that are a multiple of the read size, and larger; see what is cached of the table")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, parameter, plain};

    plain()
        .waiting("direct path read", 500_000.0, 1_000.0)
        .counting("physical reads", 800_000.0 + 6_400_000.0)
        .counting("physical read IO requests", 800_000.0 + 800_000.0)
        .counting("physical read total multi block requests", 0.0)
        .with(|report| report.parameters = Some(vec![parameter("db_file_multiblock_read_count", "128")]))
}
