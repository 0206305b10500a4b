//! Sessions wait for their commits to be written: `log file sync`.
//!
//! Judged by the waits themselves, never by the number of commits: a PL/SQL loop of a thousand commits waits for none
//! of them.

use crate::judge::prelude::*;
use crate::sums::commit_wait::{WRITES_HIGH, WRITES_LOW};

use crate::sums::foreground::described;

pub(super) const ABOUT: About = About {
    id: "commit-wait",
    place: Place { report: 40, trace: 10 },
    title: "Sessions wait for their commits to be written",
    looks_at: "`log file sync` of the foreground; beside it `log file parallel write`, the formula, commits, `redo \
        synch time overhead`, redo wastage.",
    formula: "\
        severity = log file sync seconds / DB time\n\
        saving   = log file syncs x (log file parallel write - target) x {WRITES_LOW} to {WRITES_HIGH}, never below 0 \
        nor above the log file sync time\n\
        wake-up  = redo synch time overhead, only where it is at most redo synch time (releases exist that print 20 \
        times as much)",
    limits: limits![Count(WRITES_LOW), Count(WRITES_HIGH)],
    thresholds: &[
        OF_DB_TIME,
        "{WRITES_LOW} to {WRITES_HIGH} writes a commit: see [redo-device-latency](redo-device-latency.md).",
    ],
    refuted_by: &[
        "The number of commits: a PL/SQL loop of 1,000 commits waits for none of them. Only the waits count.",
        "That the storage is slow does not follow: the wait holds the writer's and the session's turn for CPU as well.",
        "Redo wastage is the padding of small writes. It never means that logs are too large, though the paper says \
            so.",
    ],
    what_to_do: "Commit less often where the application allows it. Then see which of the two redo findings stands \
        beside this one.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge {
        page: "`log file sync` of the session. What part of it is the redo write is not told. A trace without such a \
            wait tells its commits beside it: PL/SQL waits for none of them.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let (commit, redo) = (&case.sums.commit, &case.sums.redo);
    let share = case.weigh("log file sync", commit.seconds)?;
    let (Some(total), Some(wait)) = (commit.seconds, case.sums.foreground.wait("log file sync")) else {
        return cannot_tell("log file sync among the foreground waits");
    };
    let average = commit.average_ms.map_or_else(String::new, |average| format!(", {} each", milliseconds(average)));
    let title = format!("Commits wait {} for the redo writer ({} of DB time){average}", seconds(total), percent(share));
    let mut found = finding(&ABOUT, title, Confidence::High)
        .weight(share, total)
        .evidence(case.sums.foreground.section, described(wait))
        .evidence_if(section::BACKGROUND, redo.event_ms.map(|event| format!("log file parallel write: {} each", milliseconds(event))))
        .evidence_if(section::ACTIVITY, redo.formula_ms.map(|formula| format!("redo write time / redo writes: {} each", milliseconds(formula))))
        .evidence_if(section::ACTIVITY, write_part(case))
        .evidence_if(
            section::ACTIVITY,
            commit.commits.zip(commit.waits).map(|(commits, waits)| {
                format!("{} commits, {} waits for one: the number of commits alone says nothing", number(commits), number(waits))
            }),
        )
        .evidence_if(
            section::ACTIVITY,
            commit.overhead_s.map(|overhead| format!("{} of it from the end of the write until the session ran again", seconds(overhead))),
        )
        .evidence_if(section::ACTIVITY, case.sums.volume.wastage_share.map(|wastage| {
            format!("padding is {} of what is written: the price of small writes, and no sign of logs that are too large", percent(wastage))
        }))
        .doubt_if(case.slowed_doubt());
    if let Some(event) = redo.event_ms {
        if let Some((low, high)) = commit.saving(event, case.options.storage_ms) {
            let assumption = format!(
                "the online logs on {}; each commit waits for 0.5 to 2 redo writes of now {}; at least nothing and at most the whole wait",
                case.target(),
                milliseconds(event)
            );
            found = found.saves(case.saving(low, high, assumption));
        }
    } else {
        found = found
            .doubt("log file parallel write is not in the report: what part of the wait is the device cannot be told");
    }
    found
        .advise("commit less often where the application allows it: a loop that commits each row waits for each row")
        .advise("look at redo-device-latency and redo-writer-not-device before moving the logs: the wait holds the writer's and the session's turn for CPU too")
        .found()
}

/// The share of one write in a commit wait; a range if event and formula differ.
pub(super) fn write_part(case: &Case<'_>) -> Option<String> {
    let (low, high) = case.sums.commit.write_share?;
    let average = milliseconds(case.sums.commit.average_ms?);
    if high - low < 0.03 * high {
        return Some(format!(
            "one redo write is {} of the average commit wait of {average}; a commit waits for 0.5 to 2 of them",
            percent(high)
        ));
    }
    Some(format!(
        "one redo write is {} to {} of the average commit wait of {average}, by the formula and by the event; a commit waits for 0.5 to 2 of them",
        percent(low),
        percent(high)
    ))
}

const WAITS: Waits = Waits {
    what: "for the redo of a commit to be on disk",
    events: |event| event == "log file sync",
    old_lock: None,
    confidence: Confidence::High,
    doubts: &[
        "a wait for log file sync is made of the redo write, the wait for a write under way, and the log writer's and the session's turn on a CPU: the trace does not tell which",
    ],
    advice: &[
        "commit less often where the work allows: once a unit of work, not once a row",
        "compare with log file parallel write in a Statspack or AWR report of the same time before anything is moved",
    ],
};

fn in_trace(view: &View<'_>) -> Verdict {
    let commits = view.summary.transactions.commits as f64;
    match WAITS.judged(&ABOUT, view) {
        // In PL/SQL many commits wait for nothing; this is worth a remark.
        Err(NotFound::RuledOut(reason)) if commits > 0.0 && view.waited(&WAITS.events).0 == 0.0 => {
            ruled_out(format!("{reason}, at {} commits", number(commits)))
        }
        verdict => verdict,
    }
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("log file sync", 300_000.0, 1_500.0)
}
