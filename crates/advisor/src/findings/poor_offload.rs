//! Exadata: smart scans return most of what they read, or much is read that could not be offloaded.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, percent, seconds};

pub(super) const ID: &str = "poor-offload";

/// Less than half of what was eligible is saved. Our own choice: a scan that returns half of what it reads is bound by what it returns.
const SAVED: f64 = 0.5;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let sum = &case.sums.offload;
    if !sum.known {
        return Verdict::CannotTell("the cell statistics (Instance Activity Stats)".to_owned());
    }
    let Some(eligible) = sum.eligible else {
        let Some(cells) = sum.wait_s else {
            return Verdict::CannotTell("the waits of foreground processes (Foreground Wait Events)".to_owned());
        };
        return Verdict::RuledOut(if cells > 0.0 {
            format!("nothing was eligible for offload, and reads from cells took {}", seconds(cells))
        } else {
            "no reads from cells: not on Exadata storage".to_owned()
        });
    };
    let Some(saved) = sum.saved_share else {
        return Verdict::CannotTell(
            "cell physical IO interconnect bytes returned by smart scan (Instance Activity Stats)".to_owned(),
        );
    };
    let what = format!("{} eligible, {} saved", bytes(eligible), percent(saved));
    let share = match case.weigh("smart scans", sum.smart_s) {
        Ok(share) => share,
        Err(Verdict::RuledOut(reason)) => return Verdict::RuledOut(format!("{reason}; {what}")),
        Err(other) => return other,
    };
    if saved >= SAVED {
        return Verdict::RuledOut(what);
    }
    let total = sum.smart_s.unwrap_or(0.0);
    let title = format!(
        "Smart scans save {} of the {} that they read; they take {} ({} of DB time)",
        percent(saved),
        bytes(eligible),
        seconds(total),
        percent(share)
    );
    finding(ID, title, Confidence::Medium)
        .weight(share, total)
        .evidence(section::ACTIVITY, what)
        .evidence_if(section::ACTIVITY, sum.returned.map(|returned| format!("{} returned by smart scan", bytes(returned))))
        .evidence_if(section::ACTIVITY, sum.by_storage_index.map(|saved| format!("{} saved by storage indexes", bytes(saved))))
        .doubt("compressed segments are returned uncompressed: the saving can be negative without a fault")
        .doubt("cells that are busy hand whole blocks back, and so does consistent reading of blocks with open transactions")
        .advise("select fewer columns and filter by what a cell can evaluate: no PL/SQL functions around the columns of predicates")
        .advise("look for chained rows, open transactions and DOP that send whole blocks back")
        .shown_by(experiment::AU_SIZE)
        .found()
}
