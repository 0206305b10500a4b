//! Queries failed because undo was gone (ORA-01555), or transactions because there was no room for it (ORA-30036).

use crate::judge::prelude::*;

/// The ORA number of "snapshot too old".
const SNAPSHOT_TOO_OLD: u32 = 1555;

pub(super) const ABOUT: About = About {
    id: "undo-too-old",
    place: Place { report: 150, trace: 260 },
    title: "Queries failed with ORA-01555, or transactions for want of undo space",
    looks_at: "STO and OOS of the undo segment summary, or the sum of its ten-minute lines; longest query; least tuned \
        retention; unexpired extents stolen.",
    formula: "count of ORA-01555 (STO) and of failed space requests (OOS); no severity: errors are not time",
    limits: &[],
    thresholds: &["One is enough: somebody got an error."],
    refuted_by: &[
        "The counts are of ten-minute intervals that overlap the window, not of the window alone. Undo of LOBs has \
            rules of its own (PCTVERSION, RETENTION) and is counted here too.",
    ],
    what_to_do: "A larger undo tablespace, a longer `undo_retention` than the longest query, or shorter queries that \
        do not fetch across commits.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge { page: "ORA-01555 among the errors of the statements.", judge: in_trace },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let summary = case.sums.undo.summary.as_ref().or_missing("the undo statistics (Undo Segment Summary)")?;
    let (too_old, out_of_space) = match (summary.snapshot_too_old, summary.out_of_space) {
        (Some(too_old), Some(out_of_space)) => (too_old, out_of_space),
        // One of the two is enough to find it, and not to rule it out.
        (Some(too_old), None) if too_old > 0.0 => (too_old, 0.0),
        (None, Some(out_of_space)) if out_of_space > 0.0 => (0.0, out_of_space),
        _ => {
            return cannot_tell(
                "the counts of ORA-01555 and of failed space requests (Undo Segment Summary, STO and OOS)",
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
        return ruled_out(format!("no ORA-01555 and no failed space request{longest}"));
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
    finding(&ABOUT, title, Confidence::High)
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
        .found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    let statements = view.summary.statements.iter().enumerate();
    let failed: Vec<_> = statements
        .filter_map(|(index, s)| Some((index, s.errors.iter().find(|error| error.error == SNAPSHOT_TOO_OLD)?.count)))
        .collect();
    let count: u64 = failed.iter().map(|(_, count)| count).sum();
    if count == 0 {
        return ruled_out("no ORA-01555");
    }
    // An error is no waiting: no seconds.
    let mut found = finding(&ABOUT, format!("ORA-01555 was raised {count} times"), Confidence::High);
    for (index, count) in failed.into_iter().take(3) {
        let time = view.statements.get(index).map_or(0.0, |s| s.elapsed_s);
        let text = format!("{}: {count} times, {} in all its calls", view.statement(index), seconds(time));
        found = found.evidence("Statements", text);
    }
    found
        .doubt("the seconds are those of all calls of these statements, also of those that did not fail")
        .advise("a longer undo retention with the space that it needs, or a shorter query; no commits within a loop over the query's own rows")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use report::model::UndoSummary;

    use super::tests::made_up::{Change, plain};

    plain().with(|report| {
        report.undo =
            Some(UndoSummary { snapshot_too_old: Some(3.0), out_of_space: Some(0.0), ..UndoSummary::default() });
    })
}
