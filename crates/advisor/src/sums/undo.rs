//! Undo: the volume written, rollbacks, undo space that ran out, and the waits.
//!
//! Rollbacks are counted by `transaction rollbacks`: `user rollbacks` counts the calls, and most calls of a connection
//! pool roll nothing back.

use report::model::{Report, UndoSummary};

use super::buffer_busy::{BufferBusy, SpacePart};
use super::counted;
use super::foreground::{Foreground, Wait};
use super::ledger::{Ledger, input};
use super::temp::sum;

/// Waits that only undo causes.
pub(crate) const WAITS: &[&str] = &[
    "enq: US - contention",
    "undo segment extension",
    "undo segment tx slot",
    "undo segment recovery",
    "wait for a undo record",
    "wait for stopper event to be increased",
    "enq: TX - contention",
    "latch: undo global data",
    "latch: In memory undo latch",
];

#[derive(Debug, Default)]
pub(crate) struct Undo {
    /// Foreground seconds of the waits above and of buffer busy waits on undo blocks and headers; the certain part, if
    /// background processes waited for buffers too.
    pub(crate) wait_s: Option<f64>,
    /// The upper bound of the same.
    pub(crate) wait_most_s: Option<f64>,
    pub(crate) waits: Vec<Wait>,
    pub(crate) busy_s: f64,
    pub(crate) bytes: Option<f64>,
    pub(crate) blocks_written: Option<f64>,
    /// Of the blocks written from the cache, and of all.
    pub(crate) write_share: Option<f64>,
    pub(crate) write_share_of_all: Option<f64>,
    pub(crate) rollbacks: Option<f64>,
    pub(crate) rollback_calls: Option<f64>,
    pub(crate) records_applied: Option<f64>,
    pub(crate) summary: Option<UndoSummary>,
    /// Of the undo tablespaces: reads and their latency.
    pub(crate) reads: Option<f64>,
    pub(crate) read_ms: Option<f64>,
}

impl Undo {
    pub(crate) fn of(report: &Report, foreground: &Foreground, busy: &BufferBusy, ledger: &mut Ledger) -> Self {
        let waits: Vec<Wait> = foreground.beginning(WAITS).cloned().collect();
        let named_s = waits.iter().map(|wait| wait.seconds).sum::<f64>();
        // Without the class table only the named waits are known.
        let (busy_s, busy_most_s) = busy.range_of(SpacePart::Undo).unwrap_or_default();
        let (wait_s, wait_most_s) = (foreground.measured(named_s + busy_s), foreground.measured(named_s + busy_most_s));
        enter_waits(wait_s, wait_most_s, &waits, busy, foreground, ledger);
        let section = "Instance Activity Stats";
        let bytes = counted(report, "undo change vector size");
        let transactions = super::redo_volume::transactions(report);
        if let (Some(bytes), Some(transactions)) = (bytes, transactions.filter(|transactions| *transactions > 0.0)) {
            let inputs = vec![
                input("undo change vector size", bytes, "bytes", section),
                input("transactions", transactions, "", section),
            ];
            ledger.enter(
                "undo_bytes_per_transaction",
                bytes / transactions,
                "undo change vector size / transactions",
                inputs,
            );
        }
        let blocks_written = counted(report, "DBWR undo block writes");
        let all = counted(report, "physical writes").filter(|all| *all > 0.0);
        let write_share_of_all = blocks_written.zip(all).map(|(undo, all)| undo / all).filter(|share| *share <= 1.0);
        let from_cache = counted(report, "physical writes from cache").filter(|all| *all > 0.0);
        let write_share = blocks_written.zip(from_cache).map(|(undo, all)| undo / all).filter(|share| *share <= 1.0);
        if let (Some(share), Some(undo), Some(all)) = (write_share, blocks_written, from_cache) {
            let inputs = vec![
                input("DBWR undo block writes", undo, "blocks", section),
                input("physical writes from cache", all, "blocks", section),
            ];
            ledger.enter("undo_write_share", share, "DBWR undo block writes / physical writes from cache", inputs);
        }
        let rollbacks = counted(report, "transaction rollbacks");
        ledger.figure("transaction_rollbacks", rollbacks);
        let lines: Vec<_> = report.tablespaces.iter().flatten().filter(|line| is_undo(&line.tablespace)).collect();
        let reads = sum(lines.iter().filter_map(|line| line.reads.map(|reads| reads.value)));
        let time = sum(lines.iter().filter_map(|line| Some(line.reads?.value * line.read_ms?.value)));
        Self {
            wait_s,
            wait_most_s,
            waits,
            busy_s,
            bytes,
            blocks_written,
            write_share,
            write_share_of_all,
            rollbacks,
            rollback_calls: counted(report, "user rollbacks"),
            records_applied: counted(report, "rollback changes - undo records applied"),
            summary: summary(report),
            read_ms: time.zip(reads.filter(|reads| *reads > 0.0)).map(|(time, reads)| time / reads),
            reads,
        }
    }
}

/// Enters the sum, unless it is a range: then only the upper bound is told, with its finding.
fn enter_waits(
    low_s: Option<f64>,
    high_s: Option<f64>,
    waits: &[Wait],
    busy: &BufferBusy,
    foreground: &Foreground,
    ledger: &mut Ledger,
) {
    let (Some(low), Some(high)) = (low_s, high_s) else { return };
    if high > low {
        ledger.note(format!(
            "sessions waited {} to {} for undo: background processes waited {} for buffers, and how much of that was for undo is not in the report",
            crate::screen::number::seconds(low),
            crate::screen::number::seconds(high),
            crate::screen::number::seconds(busy.background_s)
        ));
        return;
    }
    let mut inputs: Vec<_> =
        waits.iter().map(|wait| input(&wait.name, wait.seconds, "s", foreground.section)).collect();
    if let Some(all) = busy.seconds {
        inputs.push(input("buffer busy waits", all, "s", foreground.section));
    }
    for class in busy.classes.iter() {
        inputs.push(input(&class.name, class.seconds, "s", "Buffer Wait Statistics"));
        inputs.push(input(&format!("{}, waits", class.name), class.waits, "", "Buffer Wait Statistics"));
    }
    ledger.enter(
        "undo_wait_s",
        low,
        "waits for undo + buffer busy waits in proportion to the classes of undo (by their seconds, or by their waits where these are all 0)",
        inputs,
    );
}

impl Undo {
    /// The share of undo in the writes: "28 % of the blocks written from the cache, 0.9 % of all written".
    pub(crate) fn written(&self) -> Option<String> {
        let percent = crate::screen::number::percent;
        match (self.write_share, self.write_share_of_all) {
            (Some(cache), Some(all)) => Some(format!(
                "{} of the blocks written from the cache, {} of all written",
                percent(cache),
                percent(all)
            )),
            (Some(cache), None) => Some(format!("{} of the blocks written from the cache", percent(cache))),
            (None, Some(all)) => Some(format!("{} of all blocks written", percent(all))),
            (None, None) => None,
        }
    }
}

pub(crate) fn is_undo(tablespace: &str) -> bool {
    let name = tablespace.to_ascii_uppercase();
    name.starts_with("UNDO") || name.starts_with("RBS") || name.contains("UNDOTBS")
}

/// The window's undo summary, or the sum of its ten-minute lines where the summary is missing.
fn summary(report: &Report) -> Option<UndoSummary> {
    if let Some(summary) = &report.undo {
        return Some(summary.clone());
    }
    let lines = report.undo_intervals.as_ref().filter(|lines| !lines.is_empty())?;
    let add = |take: fn(&UndoSummary) -> Option<f64>| sum(lines.iter().filter_map(|line| take(&line.figures)));
    let most =
        |take: fn(&UndoSummary) -> Option<f64>| lines.iter().filter_map(|line| take(&line.figures)).reduce(f64::max);
    let least =
        |take: fn(&UndoSummary) -> Option<f64>| lines.iter().filter_map(|line| take(&line.figures)).reduce(f64::min);
    // The window may have changed from one undo tablespace to another; then the sum is of no one tablespace.
    let tablespace = lines[0].figures.tablespace_number;
    Some(UndoSummary {
        tablespace_number: tablespace.filter(|_| lines.iter().all(|line| line.figures.tablespace_number == tablespace)),
        blocks: add(|line| line.blocks),
        transactions: add(|line| line.transactions),
        longest_query_s: most(|line| line.longest_query_s),
        concurrent_transactions_max: most(|line| line.concurrent_transactions_max),
        retention_min_s: least(|line| line.retention_min_s),
        retention_max_s: most(|line| line.retention_max_s),
        snapshot_too_old: add(|line| line.snapshot_too_old),
        out_of_space: add(|line| line.out_of_space),
        unexpired_stolen: add(|line| line.unexpired_stolen),
        unexpired_released: add(|line| line.unexpired_released),
        unexpired_reused: add(|line| line.unexpired_reused),
        expired_stolen: add(|line| line.expired_stolen),
        expired_released: add(|line| line.expired_released),
        expired_reused: add(|line| line.expired_reused),
    })
}
