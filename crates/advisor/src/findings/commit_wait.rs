//! Sessions wait for their commits to be written: `log file sync`.
//!
//! Judged by the waits themselves, never by the number of commits: a PL/SQL loop of a thousand commits waits for none of them.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::sums::foreground::described;

pub(super) const ID: &str = "commit-wait";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let (commit, redo) = (&case.sums.commit, &case.sums.redo);
    let share = match case.weigh("log file sync", commit.seconds) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let (Some(total), Some(wait)) = (commit.seconds, case.sums.foreground.wait("log file sync")) else {
        return Verdict::CannotTell("log file sync among the foreground waits".to_owned());
    };
    let average = commit.average_ms.map_or_else(String::new, |average| format!(", {} each", milliseconds(average)));
    let title = format!("Commits wait {} for the redo writer ({} of DB time){average}", seconds(total), percent(share));
    let mut found = finding(ID, title, Confidence::High)
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
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}

/// What part of a commit wait one write is, as a range where event and formula differ.
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
