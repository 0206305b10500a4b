//! Sessions stand still at log switches: the next log is not free yet (checkpoint or archiving unfinished), or the switch itself takes its time.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};

pub(super) const ID: &str = "log-switch";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (total, waits) = foreground.together(&["log file switch"]);
    let share = match case.weigh("log file switch", foreground.measured(total)) {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let waits: Vec<_> = waits.into_iter().cloned().collect();
    let time_of =
        |part: &str| waits.iter().filter(|wait| wait.name.contains(part)).map(|wait| wait.seconds).sum::<f64>();
    let (checkpoint, archiving) = (time_of("(checkpoin"), time_of("(archiv"));
    let title = format!("Sessions wait {} at log switches ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(finding(ID, title, Confidence::High).weight(share, total), foreground.section, &waits);
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
    if checkpoint > 0.5 * total {
        found = found.advise("the next log still holds redo of blocks that are not in the datafiles: larger or more logs, and writers that keep up; the disks of the datafiles matter, not those of the logs");
    } else if archiving > 0.5 * total {
        found =
            found.advise("the next log is not archived yet: more logs, more archivers, a faster archive destination");
    } else {
        found = found.advise("fewer switches: logs large enough for about three switches an hour at the peak");
    }
    found
        .doubt("redo wastage is padding of small writes: it does not tell whether the logs are too small or too large")
        .doubt_if(case.slowed_doubt())
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
