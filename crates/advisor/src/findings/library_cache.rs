//! Sessions wait for one another inside the shared pool: mutexes, locks and latches of cursors and dictionary rows.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::counted;

pub(super) const ID: &str = "library-cache";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let parsing = &case.sums.parsing;
    let share = match case.weigh("waits inside the shared pool", parsing.shared_pool_s) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let total = parsing.shared_pool_s.unwrap_or(0.0);
    let title = format!(
        "Sessions wait {} for one another inside the shared pool ({} of DB time)",
        seconds(total),
        percent(share)
    );
    let mut found = finding(ID, title, case.unless_starved(Confidence::Medium)).weight(share, total);
    // What they were doing there goes first: it tells whose time it is.
    let parts: Vec<String> = [
        parsing.parse_s.map(|time| format!("parse time elapsed {}", seconds(time))),
        parsing.hard_s.map(|time| format!("hard parses {}", seconds(time))),
        parsing.failed_s.filter(|time| *time >= 1.0).map(|time| {
            let count = parsing.failures.map_or_else(String::new, |count| format!(" ({} of them)", number(count)));
            format!("failed parses {}{count}", seconds(time))
        }),
    ]
    .into_iter()
    .flatten()
    .collect();
    found = found.evidence_if(section::TIME_MODEL, (!parts.is_empty()).then(|| parts.join(", ")));
    listed(found, case.sums.foreground.section, &parsing.shared_pool)
        .evidence_if(section::ACTIVITY, parsing.parses.zip(counted(case.report, "execute count")).map(|(parses, executes)| {
            format!("{} parses for {} executions", number(parses), number(executes))
        }))
        .doubt_if(case.starved_doubt())
        .doubt("which cursor or object they wait for is not in the report")
        .advise("keep cursors open over executions (session_cached_cursors, statement caches of the driver): a parse that is not made takes no mutex")
        .advise("no DDL, grants, statistics with invalidation in busy hours; see V$SQL_SHARED_CURSOR for cursors with many versions")
        .shown_by(experiment::INSERT_GETS)
        .found()
}
