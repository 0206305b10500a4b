//! Which events are reads, and how long a single-block read takes.

use crate::findings::slow_reads::{ENOUGH, EXPECTED_MS};
use crate::judge::View;

pub(crate) fn is_single(event: &str) -> bool {
    matches!(event, "db file sequential read" | "cell single block physical read")
}

pub(crate) fn is_multiblock(event: &str) -> bool {
    matches!(event, "db file scattered read")
}

pub(crate) fn is_read(event: &str) -> bool {
    is_single(event)
        || is_multiblock(event)
        || matches!(
            event,
            "db file parallel read"
                | "direct path read"
                | "direct path read (lob)"
                | "read by other session"
                | "cell multiblock physical read"
                | "cell list of blocks physical read"
                | "cell smart table scan"
                | "cell smart index scan"
        )
}

/// The single-block reads of a trace.
#[derive(Debug)]
pub(crate) struct Single {
    pub(crate) count: f64,
    pub(crate) total_s: f64,
    pub(crate) average_ms: Option<f64>,
    pub(crate) slow: bool,
}

impl Single {
    pub(crate) fn of(view: &View<'_>) -> Self {
        let (count, total_s) = view.waited(&is_single);
        let average_ms = (count > 0.0).then(|| total_s / count * 1e3);
        let slow = average_ms.is_some_and(|average| average >= EXPECTED_MS) && count >= ENOUGH;
        Self { count, total_s, average_ms, slow }
    }
}
