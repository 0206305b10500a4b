//! Sessions wait for one another to raise a segment's high-water mark.

use crate::judge::prelude::*;

pub(super) const ABOUT: About = About {
    id: "hw-enqueue",
    place: Place { report: 200, trace: 60 },
    title: "Sessions wait for one another to raise a segment's high-water mark",
    looks_at: "`enq: HW - contention`; before 10g the line HW of the enqueue activity.",
    formula: "severity = seconds of the wait / DB time",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &[
        "The report does not say which segment it was; LOB segments take the enqueue more often than tables.",
        STARVED,
    ],
    what_to_do: "Extents allocated ahead of a load, larger extents, partitions, direct-path loads.",
    experiment: experiment::FREELISTS,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (event_s, waits) = foreground.together(&["enq: HW - contention"]);
    let line = case.report.enqueues.iter().flatten().find(|line| line.name.starts_with("HW"));
    // Before 10g all enqueues are one event, and the enqueue section tells them apart.
    let old = foreground.wait("enqueue").is_some();
    let total =
        if old { line.and_then(|line| line.total_s).map(|time| time.value) } else { foreground.measured(event_s) };
    if old && case.report.enqueues.is_none() {
        return cannot_tell("waits by kind of enqueue (Enqueue Activity)");
    }
    // An enqueue type without waits has no line; a line without its time is another matter.
    let total = if old && line.is_none() { Some(0.0) } else { total };
    let share = case.weigh("the high-water mark enqueue", total)?;
    let total = total.unwrap_or(0.0);
    let title = format!(
        "Sessions wait {} for a segment's high-water mark to be raised ({} of DB time)",
        seconds(total),
        percent(share)
    );
    listed(
        finding(&ABOUT, title, case.unless_starved(Confidence::High)).weight(share, total),
        foreground.section,
        &waits,
    )
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
    .found()
}

const WAITS: Waits = Waits {
    what: "to move a segment's high-water mark",
    events: |event| event == "enq: HW - contention",
    old_lock: Some(("HW", 6)),
    confidence: Confidence::High,
    doubts: &[],
    advice: &["larger or uniform extents, or extents allocated ahead of the load; partition the segment"],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("enq: HW - contention", 9_000.0, 900.0)
}
