//! The machine has too little CPU or memory for its load: processes stand still, and every wait grows with them.

use crate::judge::prelude::*;
use crate::sums::host::Host;
use crate::sums::redo_write::DIFFER;

/// CPUs count as full from here on: queueing time at a tenth of idle is several times the service time.
const BUSY: f64 = 0.9;
/// Runnable and uninterruptible processes a CPU.
const LOAD_PER_CPU: f64 = 2.0;
/// Free memory, and free swap, below this share of all memory is none.
const FREE_MEMORY: f64 = 0.01;
const FREE_SWAP: f64 = 0.001;
/// Paged out in the window, of all memory.
const PAGED_OUT: f64 = 0.01;
/// Least share of the unaccounted time that the time in the run queue must reach to explain it.
pub(super) const QUEUED: f64 = 0.5;

pub(super) const ABOUT: About = About {
    id: "host-starved",
    place: Place { report: 10, trace: 270 },
    title: "The machine has too little CPU or memory for what runs on it",
    looks_at: "CPUs, cores, virtual processors, busy and idle time, idle time with I/O under way (IOWAIT), load at \
        both ends, free memory, free swap, pages out, time in the run queue.",
    formula: "\
        busy     = BUSY_TIME / (BUSY_TIME + IDLE_TIME)\n\
        severity = none: DB time in neither CPU nor waits is shown beside it, and counted once, in unaccounted-time\n\
        \n\
        It stands before all other findings, since it puts them in doubt.",
    limits: limits![
        Share(BUSY),
        Count(LOAD_PER_CPU),
        Share(FREE_MEMORY),
        Share(FREE_SWAP),
        Share(PAGED_OUT),
        Share(QUEUED)
    ],
    thresholds: &[
        "CPUs {BUSY} busy (`BUSY`): the queue is then several times the service time.",
        "Load of {LOAD_PER_CPU} times the CPUs (`LOAD_PER_CPU`) at either end or in any sample of the window.",
        "Less than {FREE_MEMORY} of memory free together with no swap left ({FREE_SWAP} of memory) or with {PAGED_OUT} \
            of memory paged out. A machine without any swap prints 0 all its life: that alone is nothing.",
        "Two symptoms: high confidence; one: medium.",
    ],
    refuted_by: &[
        "Load without busy CPUs is of processes that wait for memory or a disk, and the finding says so. High \
            confidence is in the symptoms: how much of the unaccounted time is lost to the host is not proved. Where \
            more than {UNACCOUNTED} of DB time is unaccounted and the run queue holds at least {QUEUED} of that while \
            the CPUs look idle, it cannot be told: virtual or shared processors do this, and what they gave stands in \
            no report.",
    ],
    what_to_do: "First of all: on such a host all waits are longer, and their shares say little. See what else runs \
        there, what SGA, PGA and processes need, how many sessions are connected.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::CannotTell("run queue, swap and CPUs: a trace has nothing of the host"),
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let host = &case.sums.host;
    if !host.known {
        return cannot_tell("CPUs and load of the host (Host CPU, Operating System Statistics)");
    }
    let symptoms = symptoms(host);
    if let (true, Some(queue)) = (symptoms.is_empty(), queued(case)) {
        return cannot_tell(format!(
            "what the virtual or shared processors gave: {} of DB time is neither CPU nor a wait, and the system counted {} in its run queue although its CPUs look idle; {}",
            seconds(case.sums.db_time.unaccounted_s.unwrap_or_default()),
            seconds(queue),
            host.described()
        ));
    }
    if symptoms.is_empty() {
        return ruled_out(host.described());
    }
    let db_time = &case.sums.db_time;
    let confidence = if symptoms.len() >= 2 { Confidence::High } else { Confidence::Medium };
    let mut found = finding(&ABOUT, format!("The host is starved: {}", symptoms.join("; ")), confidence)
        .evidence(section::HOST, host.described());
    // Time in a call that is neither CPU nor a wait may be time in which the process could not run. Those seconds are
    // unaccounted-time's.
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
        && formula > DIFFER * event
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
        .found()
}

/// Time in the run queue, if the unaccounted time is large and at least half of it is in the queue.
fn queued(case: &Case<'_>) -> Option<f64> {
    let db_time = &case.sums.db_time;
    db_time.unaccounted_share().filter(|share| *share > UNACCOUNTED)?;
    let lost = db_time.unaccounted_s?;
    case.sums.host.cpu_queue_s.filter(|queue| case.idle().is_none() && *queue >= QUEUED * lost)
}

/// Symptoms of processes that wait for the machine itself; empty without any.
pub(super) fn symptoms(host: &Host) -> Vec<String> {
    let mut symptoms = Vec::new();
    if let Some(busy) = host.busy.filter(|busy| *busy >= BUSY) {
        symptoms.push(format!("the CPUs are {} busy", percent(busy)));
    }
    if let (Some(load), Some(cpus)) = (host.load_max, host.cpus)
        && load >= LOAD_PER_CPU * cpus
    {
        let text = host.load_text.clone().unwrap_or_else(|| format!("load {}", number(load)));
        symptoms.push(format!("{text}, on {} CPUs", number(cpus)));
    }
    if let Some(memory) = host.memory_bytes {
        // No swap left counts only together with no free memory: a machine without any swap prints 0 all its life.
        let free = host.free_memory_bytes.filter(|free| *free < FREE_MEMORY * memory);
        let paged = host.paged_out_bytes.filter(|paged| *paged > 0.0);
        match (free, host.free_swap_bytes, paged) {
            (Some(free), Some(swap), _) if swap < FREE_SWAP * memory => {
                symptoms.push(format!(
                    "no swap left ({} free) and {} of {} memory free",
                    bytes(swap),
                    bytes(free),
                    bytes(memory)
                ));
            }
            (Some(free), _, Some(paged)) if paged > PAGED_OUT * memory => {
                symptoms.push(format!(
                    "{} paged out with {} of {} memory free",
                    bytes(paged),
                    bytes(free),
                    bytes(memory)
                ));
            }
            _ => {}
        }
    }
    symptoms
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().with(|report| report.host.load_end = Some(60.0))
}
