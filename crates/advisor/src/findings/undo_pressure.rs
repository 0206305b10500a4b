//! Sessions wait for undo: for a segment, an extent, a header, a block that others change.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{bytes, milliseconds, number, percent, seconds};

pub(super) const ID: &str = "undo-pressure";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let undo = &case.sums.undo;
    let written = undo
        .written()
        .map_or_else(String::new, |written| format!("; undo is {written}, which by itself delays nobody"));
    let share = match case.weigh("waits for undo", undo.wait_s) {
        Ok(share) => share,
        Err(Verdict::RuledOut(reason)) => {
            // Where background processes waited for buffers too, what is certain is less than what it can be.
            let range = undo.wait_s.zip(undo.wait_most_s).filter(|(low, most)| most > low);
            return match (range, range.map(|(_, most)| case.weigh("waits for undo, at most", Some(most)))) {
                (Some((low, most)), Some(Ok(_))) => Verdict::CannotTell(format!(
                    "which blocks background processes waited for: sessions waited {} to {} for undo",
                    seconds(low),
                    seconds(most)
                )),
                (_, Some(Err(Verdict::RuledOut(reason)))) => Verdict::RuledOut(format!("{reason}{written}")),
                _ => Verdict::RuledOut(format!("{reason}{written}")),
            };
        }
        Err(other) => return other,
    };
    let total = undo.wait_s.unwrap_or(0.0);
    let title = format!("Sessions wait {} for undo ({} of DB time)", seconds(total), percent(share));
    let confidence = case.unless_starved(if undo.busy_s > 0.5 * total { Confidence::Medium } else { Confidence::High });
    let summary = undo.summary.clone().unwrap_or_default();
    let stolen = summary.unexpired_stolen.unwrap_or(0.0) + summary.expired_stolen.unwrap_or(0.0);
    let mut found =
        listed(finding(ID, title, confidence).weight(share, total), case.sums.foreground.section, &undo.waits)
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
    // Who waits for a buffer waits for another session: no storage shortens that.
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
        .shown_by(experiment::WRITE_ACCELERATOR)
        .found()
}
