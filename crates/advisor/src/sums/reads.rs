//! Waits for reads: those that measure a read, and those that do not.

use super::foreground::{Foreground, Wait};
use super::ledger::{Ledger, input};

/// Reads of blocks into the cache: one wait is one read, and its time the read's latency as the session saw it.
const CACHED: &[&str] = &[
    "db file sequential read",
    "db file scattered read",
    "db file parallel read",
    "cell single block physical read",
    "cell multiblock physical read",
    "cell list of blocks physical read",
    "read by other session",
];
/// One block a read.
const SINGLE: &[&str] = &["db file sequential read", "cell single block physical read"];
/// Many requests in flight: the waits are time, but neither their count nor their average is a read's.
const DIRECT: &[&str] = &["direct path read", "cell smart table scan", "cell smart index scan"];

#[derive(Debug, Default)]
pub(crate) struct Reads {
    pub(crate) cached: Vec<Wait>,
    pub(crate) direct: Vec<Wait>,
    /// All of them, in foreground seconds; None when the waits are not known.
    pub(crate) seconds: Option<f64>,
    pub(crate) single_waits: f64,
    pub(crate) single_s: f64,
    /// Average of one-block reads.
    pub(crate) single_ms: Option<f64>,
}

impl Reads {
    pub(crate) fn of(foreground: &Foreground, ledger: &mut Ledger) -> Self {
        let is_temp = |wait: &Wait| wait.name.ends_with(" temp");
        let pick = |names: &[&str]| -> Vec<Wait> {
            foreground
                .waits
                .iter()
                .filter(|wait| names.iter().any(|name| wait.is(name)) && !is_temp(wait))
                .cloned()
                .collect()
        };
        let (cached, direct, single) = (pick(CACHED), pick(DIRECT), pick(SINGLE));
        let total = |waits: &[Wait]| waits.iter().map(|wait| wait.seconds).sum::<f64>();
        let single_waits: f64 = single.iter().filter_map(|wait| wait.waits).sum();
        let single_s = total(&single);
        let single_ms = match single.as_slice() {
            [only] => only.average_ms,
            _ => (single_waits > 0.0).then(|| single_s * 1000.0 / single_waits),
        };
        if let Some(average) = single_ms {
            let inputs = vec![
                input("one-block reads, waits", single_waits, "", foreground.section),
                input("one-block reads, total", single_s, "s", foreground.section),
            ];
            ledger.enter(
                "single_block_read_ms",
                average,
                "total / waits, or the printed average, whichever has more digits",
                inputs,
            );
        }
        let seconds = foreground.measured(total(&cached) + total(&direct));
        ledger.figure("read_wait_s", seconds);
        Self { seconds, single_waits, single_s, single_ms, cached, direct }
    }
}
