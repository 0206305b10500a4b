//! DB time that is neither CPU nor a wait.

use crate::judge::prelude::*;

use super::host_starved::QUEUED;

pub(super) const ABOUT: About = About {
    id: "unaccounted-time",
    place: Place { report: 20, trace: 240 },
    title: "DB time that is neither CPU nor a wait",
    looks_at: "DB time, DB CPU, all foreground waits without idle ones (our own list).",
    formula: "\
        neither  = DB time - DB CPU - foreground waits\n\
        severity = neither / DB time",
    limits: limits![Share(QUEUED)],
    thresholds: &["{UNACCOUNTED} of DB time (`UNACCOUNTED`); above it no saving has an upper end."],
    refuted_by: &[
        "Below {UNACCOUNTED}, and negative: waits that are counted as CPU too. The likely cause is named where there \
            is a sign of one (a starved host, a run queue that holds {QUEUED} of it, direct path reads) and called \
            unproved.",
    ],
    what_to_do: "Measure it where it is lost: run queue and paging, then a trace or stacks of a slow session.",
    experiment: experiment::INSERT_GETS,
    in_report,
    in_trace: InTrace::Judge {
        page: "What is neither CPU nor a wait within calls: from {UNACCOUNTED} of the time without idle waits on. Where \
            as much lies between calls, it cannot be told: the trace shows neither a call nor a wait there.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let db_time = &case.sums.db_time;
    let (Some(lost), Some(total), Some(share)) = (db_time.unaccounted_s, db_time.total_s, db_time.unaccounted_share())
    else {
        let missing = if db_time.estimated || db_time.total_s.is_none() {
            "DB time (Time Model Statistics)"
        } else {
            "CPU and all foreground waits"
        };
        return cannot_tell(missing.to_owned());
    };
    let figure =
        format!("{} of {} DB time ({}) is neither CPU nor a wait", seconds(lost), seconds(total), percent(share));
    case.not_idle(&figure)?;
    if share <= UNACCOUNTED {
        return ruled_out(figure);
    }
    let host = &case.sums.host;
    let mut found = finding(
        &ABOUT,
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
    let doubt = if case.starved {
        "the host is starved (host-starved): processes that could not run are the likely cause, and not proved"
            .to_owned()
    } else if let Some(queue) = host.cpu_queue_s.filter(|queue| *queue >= QUEUED * lost) {
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
    found.advise("no saving of any other finding has an upper end while so much is unknown").found()
}

fn in_trace(view: &View<'_>) -> Verdict {
    if !view.has_waits() {
        return cannot_tell("waits: without them all time that is not CPU is unaccounted for");
    }
    let text = format!(
        "within calls {}, {} of the time without idle waits",
        seconds(view.unaccounted_s),
        percent(view.busy_share(view.unaccounted_s.max(0.0)))
    );
    if view.busy_share(view.unaccounted_s.max(0.0)) >= UNACCOUNTED && view.matters(view.unaccounted_s) {
        let title = format!("{} within calls is neither CPU nor a wait", view.of_elapsed(view.unaccounted_s));
        let mut found = view.finding(&ABOUT, view.unaccounted_s, title, Confidence::High).evidence(view.section, text);
        let mut statements: Vec<_> = view
            .statements
            .iter()
            .enumerate()
            .map(|(index, s)| (index, s.elapsed_s - s.cpu_s - s.waited_s(&|_| true)))
            .collect();
        statements.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (index, left) in statements.into_iter().take(3).filter(|(_, left)| *left > 0.0) {
            found = found.evidence("Statements", format!("{}: {}", view.statement(index), seconds(left)));
        }
        return found
            .doubt(
                "waiting for a CPU, paging, and code that counts no wait look the same here; the cause is not proved",
            )
            .advise("look at run queue and swap of the host over the same time")
            .found();
    }
    if let Some(between) = view.between_s.filter(|between| view.busy_share(between.max(0.0)) >= UNACCOUNTED) {
        return cannot_tell(format!(
            "{} lie between calls, where the trace shows neither a call nor a wait: as where the caller is PL/SQL that is not in the trace",
            view.of_elapsed(between)
        ));
    }
    ruled_out(text)
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("resmgr:cpu quantum", 9_000.0, 3_000.0)
}
