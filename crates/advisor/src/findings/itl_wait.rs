//! Sessions wait for a slot in a block's list of transactions.

use report::model::SegmentOrder;

use crate::judge::prelude::*;
use crate::sums::segments;

pub(super) const ABOUT: About = About {
    id: "itl-wait",
    place: Place { report: 190, trace: 50 },
    title: "Sessions wait for a slot in a block's list of transactions",
    looks_at: "`enq: TX - allocate ITL entry`; segments by ITL waits.",
    formula: "severity = seconds of the wait / DB time",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &["Before 10g the wait is part of `enqueue` and cannot be told apart."],
    what_to_do: "A larger INITRANS, PCTFREE that leaves room for the list to grow; blocks that exist must be rebuilt.",
    experiment: experiment::BLOCK_SIZE,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (total, waits) = foreground.together(&["enq: TX - allocate ITL entry"]);
    let share = case.weigh("enq: TX - allocate ITL entry", foreground.measured(total))?;
    let leader = segments::leader(case.report, SegmentOrder::ItlWaits, None);
    let title =
        format!("Sessions wait {} for a transaction slot in a block ({} of DB time)", seconds(total), percent(share));
    listed(finding(&ABOUT, title, Confidence::High).weight(share, total), foreground.section, &waits)
        .evidence_if(section::SEGMENTS, leader.as_ref().map(|leader| format!("{}: {} ITL waits", leader.name, number(leader.value))))
        .doubt_if(leader.is_none().then(|| "which segment it is stands in no list of this report".to_owned()))
        .advise("a larger INITRANS for the segment, and PCTFREE that leaves room for the list to grow; blocks that exist already must be rebuilt")
        .found()
}

const WAITS: Waits = Waits {
    what: "for a free entry in a block's transaction list",
    events: |event| event == "enq: TX - allocate ITL entry",
    old_lock: Some(("TX", 4)),
    confidence: Confidence::High,
    doubts: &[],
    advice: &["a larger INITRANS, or a larger PCTFREE, for the segment, and rebuild it: existing blocks keep theirs"],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("enq: TX - allocate ITL entry", 900.0, 900.0)
}
