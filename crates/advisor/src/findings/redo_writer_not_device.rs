//! The redo writer takes much longer than its device: gathering, scheduling, waiting for its workers, for CPU or for
//! memory.

use crate::judge::prelude::*;
use crate::sums::redo_write::{DIFFER, GROUP_WAITS};

use super::redo_device_latency;

/// Below this the writer's cycle delays no session.
const SLOW_MS: f64 = 2.0;
/// Share of DB time in commits from which on the writer is worth a word: lower than for others, because it keeps people
/// from buying the wrong thing.
const WORTH_A_WORD: f64 = 0.01;

pub(super) const ABOUT: About = About {
    id: "redo-writer-not-device",
    place: Place { report: 60, trace: 120 },
    title: "The redo writer takes much longer than its device: storage will not help",
    looks_at: "`redo write time`, `redo writes`, the statistics of the writer's cycle (gather, schedule, finish, \
        total, worker delay; 12.1 on), `log file parallel write`, the writer's waits for its workers (`LGWR all/any \
        worker group`, `LGWR worker group ordering`, `LGWR wait for redo copy`), CPU and swap of the host.",
    formula: "\
        formula  = 10 x redo write time (cs) / redo writes\n\
        device   = average of log file parallel write\n\
        severity = log file sync seconds / DB time",
    limits: limits![Count(DIFFER), Ms(SLOW_MS), Share(WORTH_A_WORD)],
    thresholds: &[
        "Formula at least {DIFFER} times the event and at least {SLOW_MS} (`SLOW_MS`): below, the cycle delays nobody.",
        "{WORTH_A_WORD} of DB time in `log file sync` (`WORTH_A_WORD`), lower than elsewhere: the finding keeps people \
            from buying the wrong thing.",
    ],
    refuted_by: &["The formula is less than {DIFFER} times the event; or the event is the larger of the two \
            ([redo-device-latency](redo-device-latency.md)). That it is not the device is certain; what it is instead \
            is not proved by any figure of a report."],
    what_to_do: "Give the writer CPU and memory: run queue, paging, its priority, the number of its workers. Do not \
        buy storage for the logs.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge {
        page: "A trace cannot tell, as [redo-device-latency](redo-device-latency.md).",
        judge: redo_device_latency::in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let (redo, commit) = (&case.sums.redo, &case.sums.commit);
    let formula = redo.formula_ms.or_missing("redo write time and redo writes (Instance Activity Stats)")?;
    let event = redo.event_ms.or_missing("log file parallel write (Background Wait Events)")?;
    let both = format!("formula {}, event {}", milliseconds(formula), milliseconds(event));
    if let Some(idle) = case.idle() {
        return ruled_out(format!("{both}, and {idle}"));
    }
    if formula < DIFFER * event {
        return ruled_out(format!(
            "{both}: the writer's cycle is less than {} times its device's time",
            number(DIFFER)
        ));
    }
    if formula < SLOW_MS {
        return ruled_out(format!("{both}: a cycle below {} delays nobody", milliseconds(SLOW_MS)));
    }
    let (Some(waited), Some(total)) = (commit.seconds, case.sums.db_time.total_s) else {
        return cannot_tell("log file sync among the foreground waits, and DB time");
    };
    let Some(share) = case.sums.db_time.share(waited) else {
        return cannot_tell(format!(
            "figures that agree: log file sync {} is more than DB time {}",
            seconds(waited),
            seconds(total)
        ));
    };
    if share < WORTH_A_WORD {
        return ruled_out(format!(
            "{both}, but commits wait {} of {} DB time ({})",
            seconds(waited),
            seconds(total),
            percent(share)
        ));
    }
    let title = format!(
        "A cycle of the redo writer takes {}, its device {}: commits wait {} for something other than storage",
        milliseconds(formula),
        milliseconds(event),
        seconds(waited)
    );
    let mut found = finding(&ABOUT, title, Confidence::High)
        .weight(share, waited)
        .evidence(section::ACTIVITY, format!("10 x redo write time / redo writes: {}", milliseconds(formula)))
        .evidence(
            section::BACKGROUND,
            format!("log file parallel write: {}, {} times less", milliseconds(event), number(formula / event)),
        )
        .evidence_if(section::ACTIVITY, redo.cycle_text().map(|cycle| format!("the writer's cycle, a write: {cycle}")));
    for name in GROUP_WAITS {
        let wait = case.report.background_event(name);
        let text = wait
            .and_then(|wait| Some((wait.seconds()?.value, wait.milliseconds()?.value)))
            .filter(|(time, _)| *time >= 1.0);
        found = found.evidence_if(
            section::BACKGROUND,
            text.map(|(time, average)| format!("{name}: {}, {} each", seconds(time), milliseconds(average))),
        );
    }
    found = found.evidence_if(section::HOST, case.sums.host.known.then(|| case.sums.host.described())).evidence_if(
        case.sums.foreground.section,
        commit.average_ms.map(|average| format!("log file sync: {}, {} each", seconds(waited), milliseconds(average))),
    );
    found = found.doubt(if case.starved {
        "that it is not the device is certain; that the starved host (host-starved) is the cause is likely and not proved"
    } else {
        "that it is not the device is certain; what it is instead is not proved"
    });
    found
        .advise("do not buy storage for the logs: the device answers in time")
        .advise("give the writer CPU and memory: look at the run queue, at paging, at its priority, and at the number of its workers")
        .found()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("log file sync", 20_000.0, 1_000.0).counting("redo write time", 1_000_000.0).in_background(
        "log file parallel write",
        250_000.0,
        250.0,
    )
}
