//! Sessions wait for rows or tables that others have locked.

use report::model::SegmentOrder;

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::segments;

pub(super) const ID: &str = "row-lock";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
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
        return Verdict::CannotTell("waits by kind of enqueue (Enqueue Activity)".to_owned());
    }
    let total = if old {
        Some(lines.iter().filter_map(|line| line.total_s).map(|time| time.value).sum())
    } else {
        foreground.measured(event_s)
    };
    let share = match case.weigh("locks of rows and tables", total) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let total = total.unwrap_or(0.0);
    let waits: Vec<_> = waits.into_iter().cloned().collect();
    let table_locks = foreground.seconds("enq: TM - contention").unwrap_or(0.0);
    let leader = segments::leader(case.report, SegmentOrder::RowLockWaits, None);
    let title =
        format!("Sessions wait {} for rows that others have locked ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(finding(ID, title, Confidence::High).weight(share, total), foreground.section, &waits)
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
        .shown_by(experiment::FREELISTS)
        .found()
}
