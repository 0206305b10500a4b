//! Sessions wait for one another inside the shared pool: mutexes, locks and latches of cursors and dictionary rows.

use crate::judge::prelude::*;
use crate::sums::counted;

pub(super) const ABOUT: About = About {
    id: "library-cache",
    place: Place { report: 270, trace: 90 },
    title: "Sessions wait for one another inside the shared pool",
    looks_at: "`library cache …`, `cursor: …`, `latch: shared pool`, `latch: library cache`, `row cache …`; how much \
        parsing there was, hard, failed and all.",
    formula: "severity = seconds of these waits / DB time",
    limits: &[],
    thresholds: &[OF_DB_TIME],
    refuted_by: &["Which cursor or object it is stands in no report.", STARVED],
    what_to_do: "Keep cursors open over executions; no DDL and no invalidation in busy hours; look for cursors with \
        many versions.",
    experiment: experiment::INSERT_GETS,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let parsing = &case.sums.parsing;
    let share = case.weigh("waits inside the shared pool", parsing.shared_pool_s)?;
    let total = parsing.shared_pool_s.unwrap_or(0.0);
    let title = format!(
        "Sessions wait {} for one another inside the shared pool ({} of DB time)",
        seconds(total),
        percent(share)
    );
    let mut found = finding(&ABOUT, title, case.unless_starved(Confidence::Medium)).weight(share, total);
    // The activity of the waiting sessions goes first: it tells whose time it is.
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
        .found()
}

const WAITS: Waits = Waits {
    what: "for the library cache",
    events: |event| {
        event.starts_with("library cache")
            || event.starts_with("cursor: ")
            || event.starts_with("latch: library cache")
            || event.starts_with("row cache")
            || matches!(event, "latch: shared pool" | "latch: row cache objects")
    },
    old_lock: None,
    confidence: Confidence::Medium,
    doubts: &[],
    advice: &[
        "bind variables instead of literals, and cursors kept open; no DDL or statistics gathering on what is in use",
    ],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("library cache: mutex X", 90_000.0, 900.0)
}
