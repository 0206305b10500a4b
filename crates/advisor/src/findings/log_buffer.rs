//! Sessions wait for room in the log buffer: redo is made faster than it is written.

use crate::judge::prelude::*;
use crate::sums::counted;

pub(super) const ABOUT: About = About {
    id: "log-buffer",
    place: Place { report: 80, trace: 30 },
    title: "Sessions wait for room in the log buffer",
    looks_at: "`log buffer space`, `latch: redo copy`, `latch: redo allocation`; `redo buffer allocation retries` and \
        `redo entries`; size of the log buffer.",
    formula: "\
        severity = seconds of these waits / DB time\n\
        retries  = redo buffer allocation retries / redo entries",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &[
        "A log switch stops the writer and fills the buffer too: where [log-switch](log-switch.md) is found, it comes \
            first. Retries without waits delay nobody.",
    ],
    what_to_do: "Write faster before buffering more: a larger buffer in front of a slow device only puts the wait off. \
        Else a larger `log_buffer`.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (total, waits) = foreground.together(&["log buffer space", "latch: redo copy", "latch: redo allocation"]);
    let share = case.weigh("log buffer space and the latches of the log buffer", foreground.measured(total))?;
    let retries = counted(case.report, "redo buffer allocation retries")
        .zip(counted(case.report, "redo entries").filter(|entries| *entries > 0.0));
    let title = format!("Sessions wait {} for room in the log buffer ({} of DB time)", seconds(total), percent(share));
    listed(finding(&ABOUT, title, case.unless_starved(Confidence::High)).weight(share, total), foreground.section, &waits)
        .evidence_if(section::ACTIVITY, retries.map(|(retries, entries)| {
            format!("{} redo buffer allocation retries for {} redo entries ({})", number(retries), number(entries), percent(retries / entries))
        }))
        .evidence_if("Cache Sizes", case.report.caches.log_buffer_bytes.map(|size| format!("log buffer {}", bytes(size))))
        .evidence_if(section::BACKGROUND, case.sums.redo.event_ms.map(|event| format!("log file parallel write: {} each", milliseconds(event))))
        .doubt("a log switch stops the writer and fills the buffer too: look at log-switch first where both are found")
        .doubt_if(case.slowed_doubt())
        .advise("write faster before buffering more: where log file parallel write is slow, the logs' device is the cause and a larger buffer only puts the wait off")
        .advise("else enlarge log_buffer")
        .found()
}

const WAITS: Waits = Waits {
    what: "for room in the log buffer",
    events: |event| event == "log buffer space",
    old_lock: None,
    confidence: Confidence::High,
    doubts: &["a log writer that writes slowly fills any buffer"],
    advice: &["a larger log buffer; if the log writer is behind, what delays its writes comes first"],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("log buffer space", 4_000.0, 900.0)
}
