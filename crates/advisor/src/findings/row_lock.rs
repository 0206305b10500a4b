//! Sessions wait for rows or tables that others have locked.

use report::model::SegmentOrder;

use crate::judge::prelude::*;
use crate::sums::segments;

pub(super) const ABOUT: About = About {
    id: "row-lock",
    place: Place { report: 210, trace: 40 },
    title: "Sessions wait for rows or tables that others have locked",
    looks_at: "`enq: TX - row lock contention`, `enq: TM - contention`; before 10g the lines TX and TM of the enqueue \
        activity; segments by row lock waits.",
    formula: "severity = seconds of these waits / DB time",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &[
        "A lock is held as long as its transaction lasts; what the holder did meanwhile is not in the report. Before \
            10g, waits for transaction slots and for keys of unique indexes are among them.",
    ],
    what_to_do: "Shorter transactions, no thinking time inside one, the same order of rows in all programs; for TM: \
        indexes on foreign keys.",
    experiment: experiment::FREELISTS,
    in_report,
    in_trace: InTrace::Judge {
        page: "Waits for rows and tables; to 9i the locks TX in mode 6 of the event `enqueue`. TX in mode 4 is no row, \
            and the finding says so.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (event_s, waits) = foreground.together(&["enq: TX - row lock", "enq: TM - contention"]);
    let old = foreground.wait("enqueue").is_some();
    let lines: Vec<_> = case
        .report
        .enqueues
        .iter()
        .flatten()
        .filter(|line| line.name.starts_with("TX") || line.name.starts_with("TM"))
        .collect();
    if old && case.report.enqueues.is_none() {
        return cannot_tell("waits by kind of enqueue (Enqueue Activity)");
    }
    let total = if old {
        Some(lines.iter().filter_map(|line| line.total_s).map(|time| time.value).sum())
    } else {
        foreground.measured(event_s)
    };
    let share = case.weigh("locks of rows and tables", total)?;
    let total = total.unwrap_or(0.0);
    let table_locks = foreground.seconds("enq: TM - contention").unwrap_or(0.0);
    let leader = segments::leader(case.report, SegmentOrder::RowLockWaits, None);
    let title =
        format!("Sessions wait {} for rows that others have locked ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(finding(&ABOUT, title, Confidence::High).weight(share, total), foreground.section, &waits)
        .evidence_if(
            section::SEGMENTS,
            leader.as_ref().map(|leader| {
                format!(
                    "{}: {} row lock waits ({} of those captured)",
                    leader.name,
                    number(leader.value),
                    percent(leader.share)
                )
            }),
        )
        .doubt_if(old.then(|| {
            "releases before 10g count waits for transaction slots and for keys of unique indexes among them".to_owned()
        }))
        .doubt(
            "a lock is held for as long as its transaction lasts: what the holder did meanwhile is not in the report",
        )
        .doubt_if(case.starved_doubt());
    if table_locks > 0.5 * total {
        found = found
            .advise("table locks: foreign keys without an index, LOCK TABLE, direct-path inserts into the same table");
    }
    found
        .advise("shorter transactions; no user's thinking time inside one; the same order of rows in all programs")
        .found()
}

const WAITS: Waits = Waits {
    what: "for rows or tables that another session had locked",
    events: |event| matches!(event, "enq: TX - row lock contention" | "enq: TM - contention"),
    old_lock: Some(("TX", 6)),
    confidence: Confidence::High,
    doubts: &[],
    advice: &[
        "find the session that held the lock, and what it did before it committed: the trace of the one that waited does not name it",
    ],
};

fn in_trace(view: &View<'_>) -> Verdict {
    let found = WAITS.judged(&ABOUT, view)?;
    let events = view.profile.iter().flat_map(|profile| &profile.events).filter(|event| (WAITS.events)(&event.name));
    let no_row = events.flat_map(|event| &event.enqueues).any(|lock| lock.name == "TX" && lock.mode == 4);
    found
        .doubt_if(no_row.then(|| "TX in mode 4 is no row: a key that another session has inserted and not committed, a bitmap index, or a foreign key without an index".to_owned()))
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("enq: TX - row lock contention", 900.0, 900.0)
}
