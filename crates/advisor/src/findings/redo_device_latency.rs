//! The device of the online logs is slow, and commits wait for it. The event is the device; the formula is the writer's whole cycle.

use super::commit_wait::write_part;
use super::verdict::{Build, Case, NOTABLE, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::sums::commit_wait::WRITES_HIGH;
use crate::sums::redo_write::DIFFER;

pub(super) const ID: &str = "redo-device-latency";

/// A write that a storage cache takes is well below this.
const SLOW_MS: f64 = 1.0;
/// Two writes are less than this of a commit wait: then the device is not what commits wait for.
const PART_OF_WAIT: f64 = 0.1;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let (redo, commit) = (&case.sums.redo, &case.sums.commit);
    let Some(event) = redo.event_ms else {
        let formula = redo.formula_ms.map_or_else(String::new, |formula| {
            format!(
                "; redo write time / redo writes is {}, the writer's whole cycle and not its device",
                milliseconds(formula)
            )
        });
        return Verdict::CannotTell(format!("log file parallel write (Background Wait Events){formula}"));
    };
    let writes = format!("log file parallel write averages {}", milliseconds(event));
    // Where even two writes are next to nothing of a commit wait, commits wait for something else, however much they wait.
    if let Some(wait) =
        commit.average_ms.filter(|wait| case.idle().is_none() && WRITES_HIGH * event < PART_OF_WAIT * wait)
    {
        return Verdict::RuledOut(format!(
            "{writes}: even two of them are {} of a commit wait of {}",
            percent(WRITES_HIGH * event / wait),
            milliseconds(wait)
        ));
    }
    let share = match case.weigh("log file sync", commit.seconds) {
        Ok(share) => share,
        Err(Verdict::RuledOut(reason)) => {
            return Verdict::RuledOut(format!("{writes}, and commits hardly wait: {reason}"));
        }
        Err(other) => return other,
    };
    if event < SLOW_MS {
        return Verdict::RuledOut(format!("{writes}, below {}", milliseconds(SLOW_MS)));
    }
    let Some(total) = commit.seconds else {
        return Verdict::CannotTell("log file sync among the foreground waits".to_owned());
    };
    let saved = commit.saving(event, case.options.storage_ms);
    if let (Some((_, high)), Some(db_time)) = (saved, case.sums.db_time.total_s)
        && high < NOTABLE * db_time
    {
        return Verdict::RuledOut(format!(
            "{writes}: without the device commits would save {} of {} DB time at most",
            seconds(high),
            seconds(db_time)
        ));
    }
    let differ = redo.disagreement().filter(|ratio| *ratio >= DIFFER);
    let confidence = case.unless_starved(if differ.is_some() { Confidence::Low } else { Confidence::Medium });
    let title = match redo.formula_ms.zip(differ) {
        Some((formula, _)) => format!(
            "A redo write takes {} by its event and {} by the formula: {} of DB time is commits that wait, and one write is {} of such a wait",
            milliseconds(event),
            milliseconds(formula),
            percent(share),
            commit.write_share.map_or_else(
                || "an unknown part".to_owned(),
                |(low, high)| format!("{} to {}", percent(low), percent(high))
            )
        ),
        None => format!(
            "A redo write takes {} on its device; commits wait {} ({} of DB time)",
            milliseconds(event),
            seconds(total),
            percent(share)
        ),
    };
    let mut found = finding(ID, title, confidence)
        .weight(share, total)
        .evidence(
            section::BACKGROUND,
            match (redo.event_writes, redo.event_s) {
                (Some(count), Some(time)) => format!("log file parallel write: {} waits, {}, {} each: the device", number(count), seconds(time), milliseconds(event)),
                _ => format!("log file parallel write: {} each: the device", milliseconds(event)),
            },
        )
        .evidence_if(section::ACTIVITY, redo.formula_ms.map(|formula| format!("10 x redo write time / redo writes: {} each", milliseconds(formula))))
        .evidence_if(case.sums.foreground.section, write_part(case))
        .evidence_if(section::ACTIVITY, redo.cycle_text().map(|cycle| format!("the writer's cycle, a write: {cycle}")))
        .evidence_if(section::HOST, case.sums.host.known.then(|| case.sums.host.described()))
        .doubt_if(differ.map(|ratio| {
            format!("formula and event differ {} times: the event is the device, and what makes the difference is not proved", number(ratio))
        }))
        .doubt_if(redo.writes.zip(redo.event_writes).filter(|(one, other)| (one - other).abs() > 0.05 * one.max(*other)).map(|(one, other)| {
            format!("{} redo writes and {} waits for one do not count the same thing", number(one), number(other))
        }))
        .doubt_if(case.slowed_doubt());
    if let Some((low, high)) = saved {
        let assumption = format!(
            "the online logs on {}: commits x ({} - target) x 0.5 to 2 redo writes, never below 0 nor above the {} that commits wait",
            case.target(),
            milliseconds(event),
            seconds(total)
        );
        found = found.saves(case.saving(low, high, assumption));
    }
    found
        .advise("see where the logs lie: what else uses their disks, whether a cache takes the writes, whether mirrors are remote")
        .advise("put the online logs on low-latency storage, all members of a group alike: a write is done when its slowest member is")
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
