//! The redo writer takes much longer than its device: gathering, scheduling, waiting for its workers, for CPU or for memory.

use super::verdict::{Build, Case, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};
use crate::sums::redo_write::{DIFFER, GROUP_WAITS};

pub(super) const ID: &str = "redo-writer-not-device";

/// Below this the writer's cycle delays nobody.
const SLOW_MS: f64 = 2.0;
/// Share of DB time in commits from which on the writer is worth a word: lower than for others, because it keeps people from buying the wrong thing.
const WORTH_A_WORD: f64 = 0.01;

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let (redo, commit) = (&case.sums.redo, &case.sums.commit);
    let Some(formula) = redo.formula_ms else {
        return Verdict::CannotTell("redo write time and redo writes (Instance Activity Stats)".to_owned());
    };
    let Some(event) = redo.event_ms else {
        return Verdict::CannotTell("log file parallel write (Background Wait Events)".to_owned());
    };
    let both = format!("formula {}, event {}", milliseconds(formula), milliseconds(event));
    if let Some(idle) = case.idle() {
        return Verdict::RuledOut(format!("{both}, and {idle}"));
    }
    if formula < DIFFER * event {
        return Verdict::RuledOut(format!(
            "{both}: the writer's cycle is less than {} times its device's time",
            number(DIFFER)
        ));
    }
    if formula < SLOW_MS {
        return Verdict::RuledOut(format!("{both}: a cycle below {} delays nobody", milliseconds(SLOW_MS)));
    }
    let (Some(waited), Some(total)) = (commit.seconds, case.sums.db_time.total_s) else {
        return Verdict::CannotTell("log file sync among the foreground waits, and DB time".to_owned());
    };
    let Some(share) = case.sums.db_time.share(waited) else {
        return Verdict::CannotTell(format!(
            "figures that agree: log file sync {} is more than DB time {}",
            seconds(waited),
            seconds(total)
        ));
    };
    if share < WORTH_A_WORD {
        return Verdict::RuledOut(format!(
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
    let mut found = finding(ID, title, Confidence::High)
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
    found = found.doubt(if case.sums.host.starved() {
        "that it is not the device is certain; that the starved host (host-starved) is the cause is likely and not proved"
    } else {
        "that it is not the device is certain; what it is instead is not proved"
    });
    found
        .advise("do not buy storage for the logs: the device answers in time")
        .advise("give the writer CPU and memory: look at the run queue, at paging, at its priority, and at the number of its workers")
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
