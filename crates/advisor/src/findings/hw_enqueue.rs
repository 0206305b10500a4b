//! Sessions wait for one another to raise a segment's high-water mark.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};

pub(super) const ID: &str = "hw-enqueue";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (event_s, waits) = foreground.together(&["enq: HW - contention"]);
    let line = case.report.enqueues.iter().flatten().find(|line| line.name.starts_with("HW"));
    // Before 10g all enqueues are one event, and the enqueue section tells them apart.
    let old = foreground.wait("enqueue").is_some();
    let total =
        if old { line.and_then(|line| line.total_s).map(|time| time.value) } else { foreground.measured(event_s) };
    if old && case.report.enqueues.is_none() {
        return Verdict::CannotTell("waits by kind of enqueue (Enqueue Activity)".to_owned());
    }
    // A kind of enqueue that nobody waited for has no line; a line without its time is another matter.
    let total = if old && line.is_none() { Some(0.0) } else { total };
    let share = match case.weigh("the high-water mark enqueue", total) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let total = total.unwrap_or(0.0);
    let waits: Vec<_> = waits.into_iter().cloned().collect();
    let title = format!(
        "Sessions wait {} for a segment's high-water mark to be raised ({} of DB time)",
        seconds(total),
        percent(share)
    );
    listed(finding(ID, title, case.unless_starved(Confidence::High)).weight(share, total), foreground.section, &waits)
        .evidence_if(
            section::ENQUEUES,
            line.and_then(|line| {
                Some(format!("{}: {} requests, {} waits", line.name, number(line.requests?), number(line.waits?)))
            }),
        )
        .doubt("LOB segments take the enqueue more often than tables do; the report does not say which segment it was")
        .doubt_if(case.starved_doubt())
        .advise("allocate extents ahead of a load, larger extents, partitions so that sessions fill different segments")
        .advise("direct-path loads raise the mark once for all")
        .shown_by(experiment::FREELISTS)
        .found()
}
