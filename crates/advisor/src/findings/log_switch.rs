//! Sessions stand still at log switches: the next log is not free yet (checkpoint or archiving unfinished), or the
//! switch itself takes its time.

use crate::judge::prelude::*;

/// Least share of the waits that one reason must have to decide the advice.
const MOST: f64 = 0.5;

pub(super) const ABOUT: About = About {
    id: "log-switch",
    place: Place { report: 70, trace: 20 },
    title: "Sessions stand still at log switches",
    looks_at: "Foreground waits whose names begin with `log file switch`; `log switches (derived)`; redo size.",
    formula: "\
        severity = seconds of all `log file switch` waits / DB time\n\
        redo a log = redo size / log switches",
    limits: limits![Share(MOST)],
    thresholds: &[OF_DB_TIME, "Three switches an hour at the peak, as advice only: the common rule of the field."],
    refuted_by: &[
        "Redo wastage: it does not tell whether logs are too small or too large. Waits of background processes for a \
            switch delay nobody by themselves.",
    ],
    what_to_do: "The kind that has more than {MOST} of the time decides. `(checkpoint incomplete)`: larger or more \
        logs, and database writers that keep up; the disks of the datafiles matter. `(archiving needed)`: more \
        archivers, a faster destination. `completion`: fewer switches. The paper's own disk system is this finding \
        (507 s of 10,433 s DB time), and not slow log devices: its sessions waited 0 s for commits.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Waits(WAITS),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (total, waits) = foreground.together(&["log file switch"]);
    let share = case.weigh("log file switch", foreground.measured(total))?;
    let time_of =
        |part: &str| waits.iter().filter(|wait| wait.name.contains(part)).map(|wait| wait.seconds).sum::<f64>();
    let (checkpoint, archiving) = (time_of("(checkpoin"), time_of("(archiv"));
    let title = format!("Sessions wait {} at log switches ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(finding(&ABOUT, title, Confidence::High).weight(share, total), foreground.section, &waits);
    if let Some(switches) = case.sums.volume.switches {
        let hourly =
            case.sums.db_time.elapsed_s.map(|elapsed| format!(", {} an hour", number(switches * 3600.0 / elapsed)));
        found = found
            .evidence("Thread Activity", format!("{} log switches{}", number(switches), hourly.unwrap_or_default()));
        if let Some(bytes) = case.sums.volume.bytes.filter(|_| switches > 0.0) {
            found = found.evidence(
                section::ACTIVITY,
                format!("about {} of redo a log", crate::screen::number::bytes(bytes / switches)),
            );
        }
    }
    if checkpoint > MOST * total {
        found = found.advise("the next log still holds redo of blocks that are not in the datafiles: larger or more logs, and writers that keep up; the disks of the datafiles matter, not those of the logs");
    } else if archiving > MOST * total {
        found =
            found.advise("the next log is not archived yet: more logs, more archivers, a faster archive destination");
    } else {
        found = found.advise("fewer switches: logs large enough for about three switches an hour at the peak");
    }
    found
        .doubt("redo wastage is padding of small writes: it does not tell whether the logs are too small or too large")
        .doubt_if(case.slowed_doubt())
        .found()
}

const WAITS: Waits = Waits {
    what: "for a switch of redo logs",
    events: |event| event.starts_with("log file switch") || event == "checkpoint completed",
    old_lock: None,
    confidence: Confidence::High,
    doubts: &[],
    advice: &[
        "larger redo logs, or more groups, so that a checkpoint or an archive copy ends before a group comes round again",
    ],
};

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("log file switch (checkpoint incomplete)", 400.0, 1_000.0)
}
