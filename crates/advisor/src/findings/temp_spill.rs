//! Sorts and hash joins that do not fit in memory go to temp, and sessions wait for it. Shares of bytes set no
//! severity; waits do.

use crate::analysis::Saving;
use crate::judge::prelude::*;
use crate::traces::view::EventView;
use crate::traces::waits::describe;

pub(super) const ABOUT: About = About {
    id: "temp-spill",
    place: Place { report: 130, trace: 210 },
    title: "Work areas do not fit in memory, and sessions wait for temp",
    looks_at: "`direct path read temp`, `direct path write temp` (before 10g all direct path waits, which parallel \
        scans share: low confidence); work areas optimal, one-pass, multi-pass; `sorts (disk)`; temp's share of the \
        I/O by statistics, tablespace, file type and function; the busiest temp file; latency of the temp tablespace; \
        PGA targets.",
    formula: "\
        severity = seconds of both waits / DB time\n\
        share    = (physical reads + writes direct temporary tablespace) / (physical reads + physical writes)\n\
        saving   = at least wait x (1 - target / latency of temp now), unless bytes a second are the limit; at most \
        the whole wait",
    limits: &[],
    thresholds: &[
        OF_DB_TIME,
        "The share of bytes sets no severity: a night's batch that sorts everything in temp and waits 1 s for it has \
            no problem.",
    ],
    refuted_by: &[
        "Direct path waits do not measure I/O time: many requests are in flight, and one wait may stand for several or \
            for none. `sorts (disk)` of 0 refutes nothing: hash joins and temporary tables are not in it.",
    ],
    what_to_do: "Memory before storage: `pga_aggregate_target`, then the statement that sorts so much, then storage of \
        its own for temp.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge {
        page: "Waits for temp by their own events; to 9i temp has none, and it cannot be told. The saving reaches from \
            nothing, where bytes a second are the limit, to every wait cut to the latency of the storage.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let temp = &case.sums.temp;
    let spilled =
        temp.spilled().map_or_else(String::new, |spilled| format!("; {} work areas spilled", number(spilled)));
    let io = temp
        .share
        .map_or_else(String::new, |share| format!("; temp is {} of the blocks read and written", percent(share)));
    let share = case
        .weigh("direct path reads and writes of temp", temp.wait_s)
        .map_err(|not| not.because(|reason| format!("{reason}{spilled}{io}")))?;
    let total = temp.wait_s.unwrap_or(0.0);
    let waits: Vec<_> =
        case.sums.foreground.waits.iter().filter(|wait| temp.names.iter().any(|name| wait.is(name))).cloned().collect();
    let confidence = if temp.unnamed { Confidence::Low } else { Confidence::High };
    let title = format!("Sessions wait {} for temp ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(
        finding(&ABOUT, title, case.unless_starved(confidence)).weight(share, total),
        case.sums.foreground.section,
        &waits,
    )
    .evidence_if(
        section::ACTIVITY,
        temp.spilled().map(|_| {
            format!(
                "work areas: {} optimal, {} one-pass, {} multi-pass",
                temp.optimal.map_or_else(|| "?".to_owned(), number),
                temp.one_pass.map_or_else(|| "?".to_owned(), number),
                temp.multi_pass.map_or_else(|| "?".to_owned(), number)
            )
        }),
    )
    .evidence_if(
        section::ACTIVITY,
        temp.sorts_disk.map(|sorts| {
            format!("sorts (disk): {}; hash joins and temporary tables are not among them", number(sorts))
        }),
    )
    .evidence_if(
        section::ACTIVITY,
        temp.share.map(|share| format!("temp is {} of all blocks read and written", percent(share))),
    )
    .evidence_if(section::TABLESPACES, tablespace(case));
    for share in &case.sums.io.temp {
        found = found.evidence(share.section, share.text.clone());
    }
    for target in case.report.pga_targets.iter().flatten().take(2) {
        if let (Some(all), Some(automatic)) = (target.target_mb, target.automatic_target_mb) {
            found = found.evidence(
                "PGA Aggr Target Stats",
                format!(
                    "{}: target {} MB, of which for work areas {} MB",
                    target.which,
                    number(all),
                    number(automatic)
                ),
            );
        }
    }
    // Requests overlap with the session's own work: a device that is faster by a factor shortens the waits by at least
    // that factor, unless its bandwidth is the limit; then the saving is 0.
    let low = temp
        .read_ms
        .filter(|now| *now > case.options.storage_ms)
        .map_or(0.0, |now| total * (1.0 - case.options.storage_ms / now));
    let assumption = match temp.read_ms {
        Some(now) => format!(
            "temp on {} instead of {}, unless bytes a second are the limit; at most the whole wait",
            case.target(),
            milliseconds(now)
        ),
        None => format!(
            "temp on {}; the latency it has now is not in the report, so from nothing to the whole wait",
            case.target()
        ),
    };
    found
        .saves(case.saving(low, total, assumption))
        .doubt_if(temp.unnamed.then(|| "before 10g the events do not tell temp from scans by parallel servers and direct loads".to_owned()))
        .doubt("direct path waits do not measure I/O time: one wait may stand for many requests or for none")
        .doubt_if(case.slowed_doubt())
        .advise("memory before storage: raise pga_aggregate_target (or the work areas of the session) until the passes go down; then look at the statement that sorts so much")
        .advise("temp that is still busy then belongs on storage of its own")
        .found()
}

fn tablespace(case: &Case<'_>) -> Option<String> {
    let temp = &case.sums.temp;
    let reads = temp.reads?;
    let read = temp.read_ms.map_or_else(String::new, |time| format!(" of {}", milliseconds(time)));
    let write = temp.write_ms.map_or_else(String::new, |time| format!(" of {}", milliseconds(time)));
    let writes = temp.writes.map_or_else(String::new, |writes| format!(", {} writes{write}", number(writes)));
    Some(format!("temp: {} reads{read}{writes}", number(reads)))
}

fn is_temp(event: &str) -> bool {
    matches!(event, "direct path read temp" | "direct path write temp")
}

fn in_trace(view: &View<'_>) -> Verdict {
    view.need_waits()?;
    let (count, total) = view.waited(&is_temp);
    // To 9i temp has no events of its own.
    let old = ["direct path read", "direct path write"].iter().all(|event| view.event(event).is_some());
    if count == 0.0 && old && view.summary.header.release.as_ref().is_some_and(|release| release.0.first() <= Some(&9))
    {
        return cannot_tell("to 9i, direct path reads of temp and of tables are one event");
    }
    if !view.matters(total) {
        return ruled_out(format!("{} waits for temp: {}", number(count), view.of_elapsed(total)));
    }
    let title = format!(
        "Waited {} for sorts, joins and groupings that went to temp: {} waits",
        view.of_elapsed(total),
        number(count)
    );
    let mut found = view.finding(&ABOUT, total, title, Confidence::High);
    describe(view, &is_temp, &mut found);
    for event in view.events.iter().filter(|event| is_temp(&event.name)) {
        let blocks = event.blocks.map(|(blocks, _)| format!("{}: {} blocks", event.name, number(blocks)));
        found = found.evidence_if("Waits by length", blocks);
    }
    let storage_ms = Options::default().storage_ms;
    let assumption = format!(
        "temp on storage that answers in {}: from nothing, where bytes a second are the limit, to every wait cut to that",
        milliseconds(storage_ms)
    );
    found
        .doubt("direct path waits do not measure I/O time: requests run while the session works, and only what is left is waited for")
        .saves(Saving { low_s: 0.0, high_s: view.bounded(saved(&view.events, storage_ms)), assumption })
        .advise("a larger work area, so that the sort or hash fits; or a statement that sorts less")
        .advise(format!("temp on faster storage saves at most the {} that were waited", seconds(total)))
        .found()
}

/// Seconds saved if the waits for temp took `latency_ms` each on average.
fn saved(events: &[EventView], latency_ms: f64) -> f64 {
    let temp = events.iter().filter(|event| is_temp(&event.name));
    temp.map(|event| (event.total_s - event.count * latency_ms / 1e3).max(0.0)).sum()
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("direct path read temp", 50_000.0, 900.0)
}
