//! Sessions wait for free buffers: blocks are changed faster than they are written, or the cache is too small.

use crate::judge::prelude::*;

pub(super) const ABOUT: About = About {
    id: "buffer-pool",
    place: Place { report: 230, trace: 80 },
    title: "Sessions wait for free buffers",
    looks_at: "`free buffer waits`, `write complete waits`, `latch: cache buffers lru chain`, `local write wait`; size \
        of the cache; free buffer waits by pool; `db file parallel write`.",
    formula: "severity = seconds of these waits / DB time",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &["The hit ratio proves nothing, whatever it is."],
    what_to_do: "Database writers that keep up (asynchronous I/O, more of them, faster disks for datafiles), then a \
        larger cache.",
    experiment: experiment::BLOCK_SIZE,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let names = [
        "free buffer waits",
        "write complete waits",
        "latch: cache buffers lru chain",
        "buffer exterminate",
        "local write wait",
    ];
    let (total, waits) = foreground.together(&names);
    let share = case.weigh("waits for free buffers", foreground.measured(total))?;
    let title = format!("Sessions wait {} for free buffers ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(
        finding(&ABOUT, title, case.unless_starved(Confidence::High)).weight(share, total),
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
        found =
            found.evidence(section::BACKGROUND, format!("db file parallel write: {} each", milliseconds(event.value)));
    }
    found
        .doubt("a hit ratio proves nothing here, whatever it is: the waits do")
        .doubt_if(case.slowed_doubt())
        .advise("let the database writer keep up: asynchronous I/O, more writers, faster disks for the datafiles; then a larger cache")
        .found()
}

const WAITS: Waits = Waits {
    what: "for a free buffer, or for one being written",
    events: |event| matches!(event, "free buffer waits" | "write complete waits" | "latch: cache buffers lru chain"),
    old_lock: None,
    confidence: Confidence::Medium,
    doubts: &["a writer that is too slow and a cache that is too small look the same from a session"],
    advice: &["faster writing of the datafiles or more writers; then a larger buffer cache"],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use report::model::BufferPool;

    use super::tests::made_up::{Change, plain};

    plain().waiting("free buffer waits", 9_000.0, 900.0).with(|report| {
        report.buffer_pools =
            Some(vec![BufferPool { name: "D".to_owned(), free_buffer_waits: Some(9_000.0), ..BufferPool::default() }]);
    })
}
