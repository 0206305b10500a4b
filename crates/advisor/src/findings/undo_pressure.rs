//! Sessions wait for undo: for a segment, an extent, a header, a block that others change.

use report::profile::Site;

use crate::judge::prelude::*;
use crate::sums::buffer_busy::LITTLE;
use crate::sums::undo::WAITS;
use crate::traces::buffers::{NO_CLASSES, UNDO, is_buffer_busy, places, with_classes};
use crate::traces::waits::describe;

/// The first block class of undo.
const UNDO_CLASS: u32 = UNDO.start;

pub(super) const ABOUT: About = About {
    id: "undo-pressure",
    place: Place { report: 140, trace: 160 },
    title: "Sessions wait for undo: a segment, an extent, a header, a block that others change",
    looks_at: "`enq: US - contention`, `undo segment extension`, `undo segment tx slot`, `wait for a undo record`, \
        latches of undo; buffer busy waits of undo classes; undo written and its share of writes, by statistics and by \
        tablespace; the busiest undo file; `transaction rollbacks`; extents stolen; reads of the undo tablespace.",
    formula: "\
        severity = seconds of these waits / DB time\n\
        share    = DBWR undo block writes / physical writes from cache, and / physical writes\n\
        saving   = 0 to reads of the undo tablespace x (latency - target), never above the waits without buffer busy \
        waits\n\
        \n\
        The table of buffer waits by class holds background processes too, and for which blocks they waited is in no \
        report. Where they waited more than {LITTLE} of it (`LITTLE`), what sessions waited for undo is a range: the \
        finding takes its lower end, and cannot be judged where only the upper end is {NOTABLE} of DB time.",
    limits: limits![Share(LITTLE), Whole(UNDO_CLASS)],
    thresholds: &[
        OF_DB_TIME,
        "The share of writes sets no severity: undo is written by the database writer, and no session waits for that.",
    ],
    refuted_by: &[
        "Rollback calls (`user rollbacks`): connection pools make them by the thousand and roll nothing back; \
            `transaction rollbacks` counts. A saving from moving undo is never claimed where nobody waits for a read \
            of it: who waits for a buffer waits for another session.",
    ],
    what_to_do: "A larger undo tablespace, so that segments need not be brought online, extended and stolen from while \
        sessions wait; shorter transactions; fewer rollbacks of large ones.",
    experiment: experiment::WRITE_ACCELERATOR,
    in_report,
    in_trace: InTrace::Judge {
        page: "The same waits count, with buffer busy waits on block classes {UNDO_CLASS} and above. TKPROF prints no \
            block classes: where buffer busy waits matter, nothing is said.",
        judge: in_trace,
    },
    #[cfg(test)]
    made_up,
};

fn in_report(case: &Case<'_>) -> Verdict {
    let undo = &case.sums.undo;
    let written = undo
        .written()
        .map_or_else(String::new, |written| format!("; undo is {written}, which by itself delays nobody"));
    let share = match case.weigh("waits for undo", undo.wait_s) {
        Ok(share) => share,
        Err(NotFound::RuledOut(reason)) => {
            // If background processes waited for buffers too, the certain time is less than the possible one.
            let range = undo.wait_s.zip(undo.wait_most_s).filter(|(low, most)| most > low);
            return match (range, range.map(|(_, most)| case.weigh("waits for undo, at most", Some(most)))) {
                (Some((low, most)), Some(Ok(_))) => cannot_tell(format!(
                    "which blocks background processes waited for: sessions waited {} to {} for undo",
                    seconds(low),
                    seconds(most)
                )),
                (_, Some(Err(NotFound::RuledOut(reason)))) => ruled_out(format!("{reason}{written}")),
                _ => ruled_out(format!("{reason}{written}")),
            };
        }
        Err(other) => return Err(other),
    };
    let total = undo.wait_s.unwrap_or(0.0);
    let title = format!("Sessions wait {} for undo ({} of DB time)", seconds(total), percent(share));
    let confidence = case.unless_starved(if undo.busy_s > 0.5 * total { Confidence::Medium } else { Confidence::High });
    let summary = undo.summary.clone().unwrap_or_default();
    let stolen = summary.unexpired_stolen.unwrap_or(0.0) + summary.expired_stolen.unwrap_or(0.0);
    let mut found =
        listed(finding(&ABOUT, title, confidence).weight(share, total), case.sums.foreground.section, &undo.waits)
            .evidence_if(
                section::BUFFER_WAITS,
                (undo.busy_s > 0.0)
                    .then(|| format!("buffer busy waits on undo blocks and headers: {}", seconds(undo.busy_s))),
            )
            .evidence_if(
                section::ACTIVITY,
                undo.bytes.map(|size| {
                    let each = case
                        .sums
                        .volume
                        .transactions
                        .map_or_else(String::new, |count| format!(", {} a transaction", bytes(size / count)));
                    format!("{} of undo{each}", bytes(size))
                }),
            )
            .evidence_if(
                section::ACTIVITY,
                undo.blocks_written.map(|blocks| {
                    let share = undo.written().map_or_else(String::new, |written| format!(" ({written})"));
                    format!("{} undo blocks written{share}", number(blocks))
                }),
            )
            .evidence_if(
                section::ACTIVITY,
                undo.rollbacks.map(|rollbacks| {
                    let calls = undo
                        .rollback_calls
                        .map_or_else(String::new, |calls| format!("; {} rollback calls", number(calls)));
                    let applied = undo
                        .records_applied
                        .map_or_else(String::new, |records| format!(", {} undo records applied", number(records)));
                    format!("{} transactions rolled back{applied}{calls}", number(rollbacks))
                }),
            )
            .evidence_if(
                section::UNDO,
                (stolen > 0.0).then(|| format!("{} attempts to take extents of other segments", number(stolen))),
            );
    for share in &case.sums.io.undo {
        found = found.evidence(share.section, share.text.clone());
    }
    // Waits for undo are for space and for each other; storage takes part only where its blocks are read.
    let read_s = undo.reads.zip(undo.read_ms).filter(|(_, time)| *time > case.options.storage_ms);
    // A session that waits for a buffer waits for another session: no storage shortens that.
    let high = read_s
        .map_or(0.0, |(reads, time)| (reads * (time - case.options.storage_ms) / 1000.0).min(total - undo.busy_s));
    if let (Some(time), true) = (undo.read_ms, high > 0.0) {
        let assumption = format!(
            "undo on {} instead of {}: only what is read of it is waited for; nothing where the wait is for space or for one another",
            case.target(),
            milliseconds(time)
        );
        found = found.saves(case.saving(0.0, high, assumption));
    }
    found
        .doubt_if(case.sums.busy.background_doubt())
        .doubt("undo blocks are written by the database writer: no session waits for that write, and moving undo saves it nothing")
        .doubt_if(case.starved_doubt())
        .advise("a larger undo tablespace, so that segments need not be brought online, extended and stolen from while sessions wait")
        .advise("shorter transactions and fewer rollbacks of large ones")
        .found()
}

fn is_undo(event: &str) -> bool {
    WAITS.iter().any(|name| event.starts_with(name))
}

fn of_undo(site: &Site) -> bool {
    site.class.is_some_and(|class| UNDO.contains(&class))
}

fn in_trace(view: &View<'_>) -> Verdict {
    view.need_waits()?;
    let (segments, segments_s) = view.waited(&is_undo);
    let classes = with_classes(view);
    let (buffers, buffers_s) = classes.map_or((0.0, 0.0), |profile| {
        let busy = profile.sites.iter().filter(|site| is_buffer_busy(&profile.events[site.event].name));
        busy.filter(|site| of_undo(site)).fold((0.0, 0.0), |(count, total), site| {
            (count + site.waits.count as f64, total + site.waits.total_ns as f64 / 1e9)
        })
    });
    let total_s = segments_s + buffers_s;
    let (_, busy_s) = view.waited(&is_buffer_busy);
    if !view.matters(total_s) {
        // Any part of the waits for buffers may be for undo.
        if classes.is_none() && view.matters(segments_s + busy_s) {
            return cannot_tell(NO_CLASSES);
        }
        let reason = if segments + buffers > 0.0 {
            format!("{}: {}", counted(segments, buffers), view.of_elapsed(total_s))
        } else {
            "nothing waited for undo".to_owned()
        };
        return ruled_out(reason);
    }
    let title = format!("Waited {} for undo: {}", view.of_elapsed(total_s), counted(segments, buffers));
    let (_, latches_s) = view.waited(&|event| is_undo(event) && event.starts_with("latch: "));
    let confidence = if latches_s * 2.0 > total_s { Confidence::Low } else { Confidence::Medium };
    let mut found = view.finding(&ABOUT, total_s, title, confidence);
    if segments > 0.0 {
        describe(view, &is_undo, &mut found);
    }
    if latches_s > 0.0 {
        found = found.doubt("a latch is also waited for while the one that holds it has no CPU, which a larger undo tablespace does not shorten");
    }
    if segments_s > latches_s {
        found = found.advise(
            "a larger undo tablespace, so that segments need not be brought on line, extended and shrunk all the time",
        );
    }
    if let Some(profile) = classes.filter(|_| buffers > 0.0) {
        places(view, profile, &of_undo, &mut found);
        found = found.advise("more undo segments come with more sessions by themselves: look for one transaction that many readers need undo of");
    } else if classes.is_none() && busy_s > 0.0 {
        found =
            found.doubt(format!("how many of the buffer busy waits were for undo is not told: missing {NO_CLASSES}"));
    }
    found.found()
}

/// `3 waits for undo segments and latches, 364 for buffers of undo`; parts without waits are left out.
fn counted(segments: f64, buffers: f64) -> String {
    match (segments > 0.0, buffers > 0.0) {
        (true, true) => {
            format!("{} waits for undo segments and latches, {} for buffers of undo", number(segments), number(buffers))
        }
        (false, true) => format!("{} waits for buffers of undo", number(buffers)),
        _ => format!("{} waits for undo segments and latches", number(segments)),
    }
}

/// A report made up to show this finding and no other.
#[cfg(test)]
fn made_up() -> report::model::Report {
    use super::tests::made_up::{Change, plain};

    plain().waiting("enq: US - contention", 5_000.0, 700.0)
}
