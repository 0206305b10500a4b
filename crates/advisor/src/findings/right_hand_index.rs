//! All inserts go to the last leaf block of an index: sessions wait for its split and for the block.

use super::verdict::{Build, Case, Verdict, finding, listed, section};
use crate::analysis::Confidence;
use crate::experiment;
use crate::screen::number::{number, percent, seconds};
use crate::sums::buffer_busy::Kind;
use crate::sums::counted;
use crate::sums::segments;

pub(super) const ID: &str = "right-hand-index";

pub(super) fn judge(case: &Case<'_>) -> Verdict {
    let foreground = &case.sums.foreground;
    let (split_s, _) =
        foreground.together(&["enq: TX - index contention", "gc buffer busy release - index", "enq: IS "]);
    // Before 10g the wait is one of all TX enqueues; buffers of an index say it then.
    let index = segments::busy_index(case.report);
    let busy_s = match &index {
        Some(index) => case.sums.busy.seconds_of(Kind::Data).or(case.sums.busy.seconds).unwrap_or(0.0) * index.share,
        None => 0.0,
    };
    let waited = split_s + busy_s;
    let share = match case.weigh("enq: TX - index contention and busy blocks of an index", foreground.measured(waited))
    {
        Ok(share) => share,
        Err(verdict) => return verdict,
    };
    let waits: Vec<_> =
        foreground.beginning(&["enq: TX - index contention", "buffer busy waits", "gc buffer busy"]).cloned().collect();
    let splits = counted(case.report, "leaf node 90-10 splits").zip(counted(case.report, "leaf node splits"));
    let confidence = if split_s > 0.5 * waited { Confidence::High } else { Confidence::Medium };
    let title =
        format!("Sessions wait {} for the blocks of a growing index ({} of DB time)", seconds(waited), percent(share));
    let mut found =
        listed(finding(ID, title, case.unless_starved(confidence)).weight(share, waited), foreground.section, &waits)
            .evidence_if(
                section::SEGMENTS,
                index.as_ref().map(|index| {
                    format!("{}: {} of the buffer busy waits captured by segment", index.name, percent(index.share))
                }),
            );
    if let Some((right, all)) = splits {
        found = found.evidence(
            section::ACTIVITY,
            format!("{} of {} leaf splits are at the right-hand end", number(right), number(all)),
        );
        if all > 0.0 && right < 0.2 * all {
            found = found.doubt("few of the splits are at the right-hand end: the inserts are spread, and the index is hot for another reason");
        }
    } else {
        found = found.doubt("leaf splits are not in the report: that the hot end is the right-hand one is not shown");
    }
    found
        .doubt_if(case.starved_doubt())
        .advise("keys that do not all grow at the same end: a reverse key, hash partitions of the index, a sequence with a part for the instance or session")
        .advise("a larger cache of the sequence on a cluster")
        .shown_by(experiment::FREELISTS)
        .found()
}
