//! Sessions wait for free buffers: blocks are changed faster than they are written, or the cache is too small.

use super::verdict::{Build, Case, Verdict, finding, listed};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, number, percent, seconds};

pub(super) const ID: &str = "buffer-pool";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let names = [
        "free buffer waits",
        "write complete waits",
        "latch: cache buffers lru chain",
        "buffer exterminate",
        "local write wait",
    ];
    let (total, waits) = foreground.together(&names);
    let share = match case.weigh("waits for free buffers", foreground.measured(total)) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let waits: Vec<_> = waits.into_iter().cloned().collect();
    let title = format!("Sessions wait {} for free buffers ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(
        finding(ID, title, case.unless_starved(Confidence::High)).weight(share, total),
        foreground.section,
        &waits,
    )
    .evidence_if(
        "Cache Sizes",
        case.report.caches.buffer_cache_bytes.map(|size| format!("buffer cache {}", bytes(size))),
    );
    for pool in
        case.report.buffer_pools.iter().flatten().filter(|pool| pool.free_buffer_waits.is_some_and(|waits| waits > 0.0))
    {
        found = found.evidence(
            "Buffer Pool Statistics",
            format!("pool {}: {} free buffer waits", pool.name, number(pool.free_buffer_waits.unwrap_or(0.0))),
        );
    }
    if let Some(event) = case.report.background_event("db file parallel write").and_then(|event| event.milliseconds()) {
        found = found.evidence(
            super::verdict::section::BACKGROUND,
            format!("db file parallel write: {} each", crate::screen::number::milliseconds(event.value)),
        );
    }
    found
        .doubt("a hit ratio proves nothing here, whatever it is: the waits do")
        .doubt_if(case.slowed_doubt())
        .advise("let the database writer keep up: asynchronous I/O, more writers, faster disks for the datafiles; then a larger cache")
        .shown_by(experiment::BLOCK_SIZE)
        .found()
}
