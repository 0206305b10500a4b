//! The machine has too little CPU or memory for what runs on it: processes stand still, and every wait grows with them.

use super::verdict::{Build, Case, UNACCOUNTED, Verdict, finding, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, milliseconds, percent, seconds};

pub(super) const ID: &str = "host-starved";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let host = &case.sums.host;
    if !host.known {
        return Verdict::CannotTell("CPUs and load of the host (Host CPU, Operating System Statistics)".to_owned());
    }
    let symptoms = host.symptoms();
    if let (true, Some(queue)) = (symptoms.is_empty(), queued(case)) {
        return Verdict::CannotTell(format!(
            "what the virtual or shared processors gave: {} of DB time is neither CPU nor a wait, and the system counted {} in its run queue although its CPUs look idle; {}",
            seconds(case.sums.db_time.unaccounted_s.unwrap_or_default()),
            seconds(queue),
            host.described()
        ));
    }
    if symptoms.is_empty() {
        return Verdict::RuledOut(host.described());
    }
    let db_time = &case.sums.db_time;
    let confidence = if symptoms.len() >= 2 { Confidence::High } else { Confidence::Medium };
    let mut found = finding(ID, format!("The host is starved: {}", symptoms.join("; ")), confidence)
        .evidence(section::HOST, host.described());
    // Time in a call that is neither CPU nor a wait may be time in which the process could not run. Those seconds are unaccounted-time's.
    let lost = db_time.unaccounted_s.filter(|lost| *lost > 0.0 && case.idle().is_none());
    if let Some((lost, share)) = lost.and_then(|lost| Some((lost, db_time.share(lost)?))) {
        found = found
            .evidence(
                section::TIME_MODEL,
                format!("{} of DB time ({}) is neither CPU nor a wait: see unaccounted-time", seconds(lost), percent(share)),
            )
            .doubt("that the host is starved is sure by its figures; how much of the unaccounted time is of processes that could not run is not proved, so no seconds are attributed to it");
    }
    if let (Some(system), Some(user)) = (host.system_share, host.user_share)
        && system > user
    {
        found = found.evidence(
            section::HOST,
            format!(
                "the system itself uses more CPU ({}) than all programs ({}): paging or contention in the kernel",
                percent(system),
                percent(user)
            ),
        );
    }
    if let (Some(free), Some(memory)) = (host.free_memory_bytes, host.memory_bytes) {
        found = found.evidence(section::HOST, format!("{} of {} memory free", bytes(free), bytes(memory)));
    }
    if let Some(paged) = host.paged_out_bytes.filter(|paged| *paged > 0.0) {
        found = found.evidence(section::HOST, format!("{} paged out in the window", bytes(paged)));
    }
    if let (Some(formula), Some(event)) = (case.sums.redo.formula_ms, case.sums.redo.event_ms)
        && formula > crate::sums::redo_write::DIFFER * event
    {
        found = found.evidence(
            section::BACKGROUND,
            format!("a cycle of the redo writer takes {}, its device {}", milliseconds(formula), milliseconds(event)),
        );
    }
    if host.busy.is_some_and(|busy| busy < 0.5) {
        found = found.doubt(
            "the CPUs are not full: the load is of processes that wait for memory or a disk of the system, not for CPU",
        );
    }
    found
        .advise("before anything else: waits of all kinds are longer on such a host, and their shares say little")
        .advise("see what else runs there, how much memory SGA, PGA and processes need (huge pages), how many sessions are connected")
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}

/// Time in the run queue that is half of what is in neither CPU nor waits, where that is much.
fn queued(case: &Case<'_>) -> Option<f64> {
    let db_time = &case.sums.db_time;
    db_time.unaccounted_share().filter(|share| *share > UNACCOUNTED)?;
    let lost = db_time.unaccounted_s?;
    case.sums.host.cpu_queue_s.filter(|queue| case.idle().is_none() && *queue >= 0.5 * lost)
}
