//! Sessions wait for room in the log buffer: redo is made faster than it is written.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, milliseconds, number, percent, seconds};
use crate::sums::counted;

pub(super) const ID: &str = "log-buffer";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (total, waits) = foreground.together(&["log buffer space", "latch: redo copy", "latch: redo allocation"]);
    let share = match case.weigh("log buffer space and the latches of the log buffer", foreground.measured(total)) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let waits: Vec<_> = waits.into_iter().cloned().collect();
    let retries = counted(case.report, "redo buffer allocation retries")
        .zip(counted(case.report, "redo entries").filter(|entries| *entries > 0.0));
    let title = format!("Sessions wait {} for room in the log buffer ({} of DB time)", seconds(total), percent(share));
    listed(finding(ID, title, case.unless_starved(Confidence::High)).weight(share, total), foreground.section, &waits)
        .evidence_if(section::ACTIVITY, retries.map(|(retries, entries)| {
            format!("{} redo buffer allocation retries for {} redo entries ({})", number(retries), number(entries), percent(retries / entries))
        }))
        .evidence_if("Cache Sizes", case.report.caches.log_buffer_bytes.map(|size| format!("log buffer {}", bytes(size))))
        .evidence_if(section::BACKGROUND, case.sums.redo.event_ms.map(|event| format!("log file parallel write: {} each", milliseconds(event))))
        .doubt("a log switch stops the writer and fills the buffer too: look at log-switch first where both are found")
        .doubt_if(case.slowed_doubt())
        .advise("write faster before buffering more: where log file parallel write is slow, the logs' device is the cause and a larger buffer only puts the wait off")
        .advise("else enlarge log_buffer")
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
