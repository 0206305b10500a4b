//! Sessions wait for a slot in a block's list of transactions.

use report::model::SegmentOrder;

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::segments;

pub(super) const ID: &str = "itl-wait";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (total, waits) = foreground.together(&["enq: TX - allocate ITL entry"]);
    let share = match case.weigh("enq: TX - allocate ITL entry", foreground.measured(total)) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let waits: Vec<_> = waits.into_iter().cloned().collect();
    let leader = segments::leader(case.report, SegmentOrder::ItlWaits, None);
    let title =
        format!("Sessions wait {} for a transaction slot in a block ({} of DB time)", seconds(total), percent(share));
    listed(finding(ID, title, Confidence::High).weight(share, total), foreground.section, &waits)
        .evidence_if(section::SEGMENTS, leader.as_ref().map(|leader| format!("{}: {} ITL waits", leader.name, number(leader.value))))
        .doubt_if(leader.is_none().then(|| "which segment it is stands in no list of this report".to_owned()))
        .advise("a larger INITRANS for the segment, and PCTFREE that leaves room for the list to grow; blocks that exist already must be rebuilt")
        .shown_by(experiment::BLOCK_SIZE)
        .found()
}
