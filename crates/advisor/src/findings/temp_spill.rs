//! Sorts and hash joins that do not fit in memory go to temp, and sessions wait for it. Shares of bytes set no severity; waits do.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{milliseconds, number, percent, seconds};

pub(super) const ID: &str = "temp-spill";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let temp = &case.sums.temp;
    let spilled =
        temp.spilled().map_or_else(String::new, |spilled| format!("; {} work areas spilled", number(spilled)));
    let io = temp
        .share
        .map_or_else(String::new, |share| format!("; temp is {} of the blocks read and written", percent(share)));
    let share = match case.weigh("direct path reads and writes of temp", temp.wait_s) {
        Ok(share) => share,
        Err(Verdict::RuledOut(reason)) => return Verdict::RuledOut(format!("{reason}{spilled}{io}")),
        Err(other) => return other,
    };
    let total = temp.wait_s.unwrap_or(0.0);
    let waits: Vec<_> =
        case.sums.foreground.waits.iter().filter(|wait| temp.names.iter().any(|name| wait.is(name))).cloned().collect();
    let confidence = if temp.unnamed { Confidence::Low } else { Confidence::High };
    let title = format!("Sessions wait {} for temp ({} of DB time)", seconds(total), percent(share));
    let mut found = listed(
        finding(ID, title, case.unless_starved(confidence)).weight(share, total),
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
    // Requests overlap with the session's own work: a device that is faster by a factor takes at least that factor off what is waited, unless its
    // bandwidth is the limit; then nothing.
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
        .shown_by(experiment::WRITE_ACCELERATOR)
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
