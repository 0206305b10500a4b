//! DB time that is neither CPU nor a wait.

use super::verdict::{Build, Case, UNACCOUNTED, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};

pub(super) const ID: &str = "unaccounted-time";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let db_time = &case.sums.db_time;
    let (Some(lost), Some(total), Some(share)) = (db_time.unaccounted_s, db_time.total_s, db_time.unaccounted_share())
    else {
        let missing = if db_time.estimated || db_time.total_s.is_none() {
            "DB time (Time Model Statistics)"
        } else {
            "CPU and all foreground waits"
        };
        return Verdict::CannotTell(missing.to_owned());
    };
    let figure =
        format!("{} of {} DB time ({}) is neither CPU nor a wait", seconds(lost), seconds(total), percent(share));
    if let Some(idle) = case.idle() {
        return Verdict::RuledOut(format!("{figure}; {idle}"));
    }
    if share <= UNACCOUNTED {
        return Verdict::RuledOut(figure);
    }
    let host = &case.sums.host;
    let mut found = finding(
        ID,
        format!("{} of DB time is neither CPU nor a wait: {}", percent(share), seconds(lost)),
        Confidence::High,
    )
    .weight(share.clamp(0.0, 1.0), lost)
    .evidence(
        section::TIME_MODEL,
        format!(
            "DB time {} = CPU {} + waits {} + neither {}",
            seconds(total),
            seconds(db_time.cpu_s.unwrap_or(0.0)),
            seconds(db_time.waits_s.unwrap_or(0.0)),
            seconds(lost)
        ),
    )
    .evidence_if(section::HOST, host.known.then(|| host.described()));
    let direct: f64 = case.sums.reads.direct.iter().map(|wait| wait.seconds).sum();
    let doubt = if host.starved() {
        "the host is starved (host-starved): processes that could not run are the likely cause, and not proved"
            .to_owned()
    } else if let Some(queue) = host.cpu_queue_s.filter(|queue| *queue >= 0.5 * lost) {
        format!(
            "the system counted {} in its run queue although the CPUs look idle: virtual or shared processors are the likely cause, and not proved",
            seconds(queue)
        )
    } else if direct > 0.5 * db_time.waits_s.unwrap_or(f64::INFINITY) {
        "most waits are for direct path reads, which do not measure I/O time: the rest of the reading is the likely cause, and not proved".to_owned()
    } else {
        "the cause cannot be told from the report: the run queue, paging, and code that is not instrumented all end here".to_owned()
    };
    found = found.doubt(doubt).advise("measure it where it is lost: run queue and paging of the host, then a trace or stacks of a session that is slow");
    if let Some(cpus) = host.cpus {
        let sessions = db_time.average_active_sessions().unwrap_or(0.0);
        if sessions > cpus {
            found = found
                .evidence(section::SNAPSHOTS, format!("{} active sessions on {} CPUs", number(sessions), number(cpus)));
        }
    }
    found
        .advise("no saving of any other finding has an upper end while so much is unknown")
        .shown_by(experiment::INSERT_GETS)
        .found()
}
