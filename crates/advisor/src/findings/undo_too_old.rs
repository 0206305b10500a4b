//! Queries failed because undo was gone (ORA-01555), or transactions because there was no room for it (ORA-30036).

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::number;

pub(super) const ID: &str = "undo-too-old";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let Some(summary) = &case.sums.undo.summary else {
        return Verdict::CannotTell("the undo statistics (Undo Segment Summary)".to_owned());
    };
    let (too_old, out_of_space) = match (summary.snapshot_too_old, summary.out_of_space) {
        (Some(too_old), Some(out_of_space)) => (too_old, out_of_space),
        // One of the two is enough to find it, and not to rule it out.
        (Some(too_old), None) if too_old > 0.0 => (too_old, 0.0),
        (None, Some(out_of_space)) if out_of_space > 0.0 => (0.0, out_of_space),
        _ => {
            return Verdict::CannotTell(
                "the counts of ORA-01555 and of failed space requests (Undo Segment Summary, STO and OOS)".to_owned(),
            );
        }
    };
    let retention = summary
        .retention_min_s
        .map_or_else(String::new, |least| format!(", least tuned retention {} s", number(least)));
    let longest = summary
        .longest_query_s
        .map_or_else(String::new, |longest| format!("; longest query {} s{retention}", number(longest)));
    if too_old <= 0.0 && out_of_space <= 0.0 {
        return Verdict::RuledOut(format!("no ORA-01555 and no failed space request{longest}"));
    }
    let title = match (too_old > 0.0, out_of_space > 0.0) {
        (true, false) => format!("{} queries ended with ORA-01555: their undo was gone", number(too_old)),
        (false, _) => format!("{} requests for undo space failed (ORA-30036)", number(out_of_space)),
        (true, true) => format!(
            "{} queries ended with ORA-01555, {} requests for undo space failed",
            number(too_old),
            number(out_of_space)
        ),
    };
    let stolen = summary.unexpired_stolen.unwrap_or(0.0);
    finding(ID, title, Confidence::High)
        .evidence(section::UNDO, format!(
                "{}{longest}",
                [summary.snapshot_too_old.map(|count| format!("STO {}", number(count))), summary.out_of_space.map(|count| format!("OOS {}", number(count)))]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", ")
            ))
        .evidence_if(section::UNDO, (stolen > 0.0).then(|| format!("{} attempts to take unexpired extents: the tablespace is too small for the retention asked for", number(stolen))))
        .doubt("the counts are of ten-minute intervals that overlap the window, not of the window alone")
        .doubt("undo of LOBs has rules of its own and is counted here too")
        .advise("a larger undo tablespace or a longer undo_retention than the longest query, where the queries must last that long")
        .advise("queries that last shorter; no fetching across commits")
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
