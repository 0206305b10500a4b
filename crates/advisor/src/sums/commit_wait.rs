//! The waits of commits for the redo writer, and the part of them that its device can have caused.
//!
//! A commit waits for half a redo write to two of them: it may arrive in the middle of a write that does not hold its
//! redo, and then waits for the rest of that write and for the next; or the write that it needs is already under way.
//! So the average commit wait less the average write is no "rest": it is negative in real reports. The saving of faster
//! storage lies between half of the difference a write and twice that, and never outside the wait itself.

use report::model::Report;

use super::counted;
use super::foreground::Foreground;
use super::ledger::{Ledger, input};
use super::redo_write::RedoWrite;
use crate::screen::number::milliseconds;

/// The fewest and the most redo writes that a commit waits for.
pub(crate) const WRITES_LOW: f64 = 0.5;
pub(crate) const WRITES_HIGH: f64 = 2.0;

#[derive(Debug, Default)]
pub(crate) struct CommitWait {
    pub(crate) waits: Option<f64>,
    /// Foreground seconds; zero when the list of waits is there and no commit waited.
    pub(crate) seconds: Option<f64>,
    pub(crate) average_ms: Option<f64>,
    pub(crate) commits: Option<f64>,
    /// One write over one commit wait, by the event and by the formula, smaller first: shares of the average wait. None
    /// when one of them is above 1.
    pub(crate) write_share: Option<(f64, f64)>,
    /// Microseconds from the end of the write until the session ran again, all commits together; absent where it cannot
    /// be (more than the wait itself).
    pub(crate) overhead_s: Option<f64>,
}

impl CommitWait {
    pub(crate) fn of(report: &Report, foreground: &Foreground, redo: &RedoWrite, ledger: &mut Ledger) -> Self {
        let wait = foreground.wait("log file sync");
        let seconds = foreground.seconds("log file sync");
        let average_ms = wait.and_then(|wait| wait.average_ms);
        if let (Some(average), Some(wait)) = (average_ms, wait) {
            let mut inputs = vec![input("log file sync, total", wait.seconds, "s", foreground.section)];
            if let Some(waits) = wait.waits {
                inputs.push(input("log file sync, waits", waits, "", foreground.section));
            }
            ledger.enter(
                "log_file_sync_ms",
                average,
                "total / waits, or the printed average, whichever has more digits",
                inputs,
            );
        }
        ledger.figure("log_file_sync_s", seconds);
        let write_share = possible_share(redo, average_ms, foreground, ledger);
        if let (Some((low, high)), Some(average)) = (write_share, average_ms) {
            let inputs = vec![
                input("log file parallel write", redo.event_ms.unwrap_or(f64::NAN), "ms", "Background Wait Events"),
                input(
                    "redo write time / redo writes",
                    redo.formula_ms.unwrap_or(f64::NAN),
                    "ms",
                    "Instance Activity Stats",
                ),
                input("log file sync", average, "ms", foreground.section),
            ];
            let inputs: Vec<_> = inputs.into_iter().filter(|input| input.value.is_finite()).collect();
            ledger.enter(
                "redo_write_share_of_commit_low",
                low,
                "the smaller of event and formula / log file sync",
                inputs.clone(),
            );
            ledger.enter(
                "redo_write_share_of_commit_high",
                high,
                "the larger of event and formula / log file sync",
                inputs,
            );
        }
        Self {
            waits: wait.and_then(|wait| wait.waits),
            seconds,
            average_ms,
            commits: counted(report, "user commits"),
            write_share,
            overhead_s: overhead(report, ledger),
        }
    }

    /// Seconds that a device of that latency would save, at least and at most; the wait itself is the limit.
    pub(crate) fn saving(&self, event_ms: f64, target_ms: f64) -> Option<(f64, f64)> {
        let (waits, seconds) = (self.waits?, self.seconds?);
        let each_s = (event_ms - target_ms).max(0.0) / 1000.0;
        let bound = |writes: f64| (waits * each_s * writes).min(seconds).max(0.0);
        Some((bound(WRITES_LOW), bound(WRITES_HIGH)))
    }
}

/// The same where it can be: a share above 1 is refused, and the note says so. The smaller of the two is written down
/// alone when the larger is.
fn possible_share(
    redo: &RedoWrite,
    average_ms: Option<f64>,
    foreground: &Foreground,
    ledger: &mut Ledger,
) -> Option<(f64, f64)> {
    let ((low, high), average) = share(redo, average_ms).zip(average_ms)?;
    if high <= 1.0 {
        return Some((low, high));
    }
    ledger.note(format!(
        "a redo write of {} takes longer than the average commit wait of {}: a share above 1 is refused (writes that nobody waits for are longer, or commits wait for a part of one)",
        milliseconds(high * average),
        milliseconds(average)
    ));
    if low <= 1.0 {
        let inputs = vec![
            input("one redo write, the smaller of event and formula", low * average, "ms", "Background Wait Events"),
            input("log file sync", average, "ms", foreground.section),
        ];
        ledger.enter("redo_write_share_of_commit_low", low, "the smaller of event and formula / log file sync", inputs);
    }
    None
}

/// One write over one commit wait; not cut at 1.
fn share(redo: &RedoWrite, average_ms: Option<f64>) -> Option<(f64, f64)> {
    let wait = average_ms.filter(|wait| *wait > 0.0)?;
    let (one, other) = match (redo.event_ms, redo.formula_ms) {
        (Some(event), Some(formula)) => (event, formula),
        (Some(only), None) | (None, Some(only)) => (only, only),
        (None, None) => return None,
    };
    Some((one.min(other) / wait, one.max(other) / wait))
}

/// `redo synch time overhead`, where it is at most redo synch time: releases exist that print 20 times as much.
fn overhead(report: &Report, ledger: &mut Ledger) -> Option<f64> {
    let overhead_us = counted(report, "redo synch time overhead (usec)")?;
    let wait_us = counted(report, "redo synch time (usec)")
        .or_else(|| counted(report, "redo synch time").map(|time| time * 10_000.0))?;
    if overhead_us > wait_us {
        ledger.note("redo synch time overhead is more than redo synch time itself: it is refused");
        return None;
    }
    let inputs = vec![input("redo synch time overhead", overhead_us, "us", "Instance Activity Stats")];
    ledger.enter("commit_wake_up_s", overhead_us / 1e6, "redo synch time overhead", inputs);
    Some(overhead_us / 1e6)
}
