//! The device of the online logs is slow, and commits wait for it. The event is the device; the formula is the writer's
//! whole cycle.

use crate::judge::prelude::*;
use crate::sums::commit_wait::{WRITES_HIGH, WRITES_LOW};
use crate::sums::redo_write::DIFFER;

use super::commit_wait::write_part;

/// A write that a storage cache takes is well below this.
const SLOW_MS: f64 = 1.0;
/// Below this share of a commit wait for two writes, commits do not wait for the device.
const PART_OF_WAIT: f64 = 0.1;

pub(super) const ABOUT: About = About {
    id: "redo-device-latency",
    place: Place { report: 50, trace: 110 },
    title: "The device of the online logs is slow, and commits wait for it",
    looks_at: "`log file parallel write` (Background Wait Events), `log file sync` of the foreground, `redo write \
        time` and `redo writes` (Instance Activity Stats), the writer's cycle where 12c and later print it, the host.",
    formula: "\
        device   = average of log file parallel write: total / waits, or the printed average, whichever has more \
        digits\n\
        formula  = 10 x redo write time (cs) / redo writes\n\
        share    = one write / average log file sync, by both: a range where they differ\n\
        saving   = log file syncs x (device - target) x {WRITES_LOW} to {WRITES_HIGH}, never below 0 nor above the log \
        file sync time\n\
        severity = log file sync seconds / DB time\n\
        \n\
        A commit waits for {WRITES_LOW} to {WRITES_HIGH} redo writes: the write that it needs may be under way \
        already, or it arrives in the middle of one that does not hold its redo. So the average commit wait less the \
        average write is no \"rest\": in real reports it is negative.",
    limits: limits![Ms(SLOW_MS), Share(PART_OF_WAIT), Count(DIFFER), Count(WRITES_LOW), Count(WRITES_HIGH)],
    thresholds: &[
        OF_DB_TIME,
        "{SLOW_MS} a write (`SLOW_MS`): a storage cache takes a write in less; the paper's disks took 18.7 ms, its \
            accelerator 0.104 ms.",
        "{WRITES_HIGH} writes are at least {PART_OF_WAIT} of the average commit wait; else commits wait for something \
            else.",
        "Formula and event that differ {DIFFER} times or more: confidence is low, and the finding says both.",
        "Target latency {STORAGE_MS}: the paper's accelerator. It is an option, and the saving says which was taken.",
    ],
    refuted_by: &[
        "Nobody waits: 18 ms a write of a database whose foreground waits nothing in `log file sync` is no finding, \
            and no saving is claimed.",
        "The formula alone: it is the writer's whole cycle. 44 ms by the formula and 1.1 ms by the event is \
            [redo-writer-not-device](redo-writer-not-device.md).",
        "`log file sync` alone: without `log file parallel write` the answer is \"cannot tell\".",
        "The \"heart\" report of the write-accelerator paper: formula 1.07 ms, event 3.78 ms, so a write is 18 % to 65 \
            % of the commit wait of 5.84 ms. The paper's verdict (not I/O) rests on the first alone.",
    ],
    what_to_do: "See what else uses the disks of the logs, whether a cache takes the writes, whether members or \
        mirrors are remote: a write is done when its slowest member is. Then low-latency storage for all members of \
        every group.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge {
        page: "A trace cannot tell: how long the log writer waits for its device, and what it does beside that, is not in a \
            session's trace.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let (redo, commit) = (&case.sums.redo, &case.sums.commit);
    let Some(event) = redo.event_ms else {
        let formula = redo.formula_ms.map_or_else(String::new, |formula| {
            format!(
                "; redo write time / redo writes is {}, the writer's whole cycle and not its device",
                milliseconds(formula)
            )
        });
        return cannot_tell(format!("log file parallel write (Background Wait Events){formula}"));
    };
    let writes = format!("log file parallel write averages {}", milliseconds(event));
    // If even two writes are a negligible part of a commit wait, commits wait for something else, however long the
    // wait.
    if let Some(wait) =
        commit.average_ms.filter(|wait| case.idle().is_none() && WRITES_HIGH * event < PART_OF_WAIT * wait)
    {
        return ruled_out(format!(
            "{writes}: even two of them are {} of a commit wait of {}",
            percent(WRITES_HIGH * event / wait),
            milliseconds(wait)
        ));
    }
    let share = case
        .weigh("log file sync", commit.seconds)
        .map_err(|not| not.because(|reason| format!("{writes}, and commits hardly wait: {reason}")))?;
    if event < SLOW_MS {
        return ruled_out(format!("{writes}, below {}", milliseconds(SLOW_MS)));
    }
    let total = commit.seconds.or_missing("log file sync among the foreground waits")?;
    let saved = commit.saving(event, case.options.storage_ms);
    if let (Some((_, high)), Some(db_time)) = (saved, case.sums.db_time.total_s)
        && high < NOTABLE * db_time
    {
        return ruled_out(format!(
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
    let mut found = finding(&ABOUT, title, confidence)
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
        .found()
}

/// A session's trace does not show the log writer's waits for its device, nor its other work.
pub(super) fn in_trace(view: &View<'_>) -> Verdict {
    let parallel = view.event("log file parallel write").is_some();
    cannot_tell(match view.event("log file sync") {
        _ if parallel => "redo writes and redo write time: a trace has no statistics",
        Some(sync) if sync.count > 0.0 => {
            "log file parallel write: the trace shows how long commits waited, not how long redo writes took"
        }
        _ => "log file parallel write: a session's trace does not have it",
    })
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain()
        .waiting("log file sync", 300_000.0, 3_000.0)
        .in_background("log file parallel write", 250_000.0, 2_000.0)
        .counting("redo write time", 205_000.0)
}
